"""Results of ragas as a table, with a metric that needs no model (needs ragas and rapidfuzz)."""

from pathlib import Path

from ragas import EvaluationDataset, evaluate
from ragas.dataset_schema import SingleTurnSample
from ragas.metrics import ExactMatch

HERE = Path(__file__).parent.parent
SAMPLES = (
    ("Who wrote the notes?", ["Ada wrote notes on the engine."], "Ada", "Ada"),
    ("In which year?", ["They were printed in 1843."], "1844", "1843"),
)


def main() -> None:
    """Write the same results as CSV and as JSON lines."""
    folder = HERE / "ragas"
    folder.mkdir(exist_ok=True)
    names = ("user_input", "retrieved_contexts", "response", "reference")
    samples = [SingleTurnSample(**dict(zip(names, one, strict=True))) for one in SAMPLES]
    result = evaluate(EvaluationDataset(samples), metrics=[ExactMatch()], show_progress=False)
    frame = result.to_pandas()
    frame.to_csv(folder / "result.csv", index=False)
    frame.to_json(folder / "result.jsonl", orient="records", lines=True)


if __name__ == "__main__":
    main()
