"""Samples of lm-evaluation-harness, of its dummy model on a task of our own (needs lm-eval)."""

import json
import shutil
import tempfile
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

HERE = Path(__file__).parent.parent
QUESTIONS = (("Who wrote the notes?", ["Ada", "Ben"], 0), ("In which year?", ["1834", "1843"], 1))
TASK = """
task: notes
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
doc_to_choice: "{{{{choices}}}}"
metric_list:
  - metric: acc
  - metric: acc_norm
"""


def main() -> None:
    """Write the samples of one task."""
    folder = HERE / "lm_eval"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        rows = [dict(zip(("question", "choices", "answer"), one, strict=True)) for one in QUESTIONS]
        data = place / "notes.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        (place / "notes.yaml").write_text(TASK.format(data=data))
        tracker = EvaluationTracker(output_path=str(place / "out"))
        made = simple_evaluate(
            model="dummy",
            tasks=["notes"],
            task_manager=TaskManager(include_path=str(place), include_defaults=False),
            log_samples=True,
            evaluation_tracker=tracker,
            bootstrap_iters=0,
        )
        samples = made.pop("samples")
        tracker.save_results_aggregated(results=made, samples=samples)
        tracker.save_results_samples(task_name="notes", samples=samples["notes"])
        written = next((place / "out").rglob("samples_notes_*.jsonl"))
        shutil.copy(written, folder / "samples_notes_2026-03-01T09-00-00.000000.jsonl")


if __name__ == "__main__":
    main()
