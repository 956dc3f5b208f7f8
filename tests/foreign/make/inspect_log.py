"""A log of Inspect as .eval and as .json of its mock model (needs inspect-ai)."""

import shutil
import tempfile
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

HERE = Path(__file__).parent.parent
QUESTIONS = {"q1": ("Who wrote the notes?", "Ada"), "q2": ("In which year?", "1843")}


def main() -> None:
    """Write both."""
    folder = HERE / "inspect"
    folder.mkdir(exist_ok=True)
    samples = [Sample(id=key, input=ask, target=said) for key, (ask, said) in QUESTIONS.items()]
    for form, count in (("eval", 2), ("json", 1)):  # as text, one sample is long enough
        answers = [ModelOutput.from_content("mockllm/model", said) for said in ("Ada", "1844")]
        for one in answers:
            one.usage = ModelUsage()  # else its tokens are counted with a downloaded table
        model = get_model("mockllm/model", custom_outputs=answers)
        task = Task(dataset=samples, scorer=match(), name="notes")
        with tempfile.TemporaryDirectory() as place:
            eval(task, model=model, log_dir=place, log_format=form, limit=count, display="none")
            written = next(Path(place).glob(f"*.{form}"))
            shutil.copy(written, folder / f"notes.{form}")


if __name__ == "__main__":
    main()
