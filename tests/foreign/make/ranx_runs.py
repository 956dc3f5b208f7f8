"""A run and judgments as ranx writes them: JSON, packed JSON and Parquet (needs ranx)."""

from pathlib import Path

from ranx import Qrels, Run

HERE = Path(__file__).parent.parent


def main() -> None:
    """Write all of them."""
    folder = HERE / "ranx"
    folder.mkdir(exist_ok=True)
    run = Run({"q1": {"d1": 2.5, "d2": 1.25}, "q2": {"d3": 0.75, "d1": 0.5}}, name="bm25")
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d1": 2}})
    for ending in ("json", "lz4", "parq"):
        run.save(str(folder / f"run.{ending}"))
    qrels.save(str(folder / "qrels.json"))
    qrels.save(str(folder / "qrels.parq"))


if __name__ == "__main__":
    main()
