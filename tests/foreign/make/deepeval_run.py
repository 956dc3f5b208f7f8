"""A test run of DeepEval with a metric of our own (needs deepeval; no model is called)."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent.parent


def main() -> None:
    """Write what DeepEval keeps of its last run."""
    folder = HERE / "deepeval"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)  # DeepEval writes below the working folder
        _run()
        shutil.copy(
            next(Path(place).rglob(".latest_test_run.json")), folder / "latest_test_run.json"
        )
        os.chdir(HERE)


def _run() -> None:
    from deepeval import evaluate
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Same(BaseMetric):
        """1 where the answer is the expected one."""

        threshold = 0.5
        async_mode = False

        def measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            """Score a case."""
            self.score = float(test_case.actual_output == test_case.expected_output)
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float:
            """Score a case."""
            return self.measure(test_case)

        def is_successful(self) -> bool:
            """Tell whether the case passed."""
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return "Same"

    cases = [
        LLMTestCase(input="Who wrote the notes?", actual_output="Ada", expected_output="Ada"),
        LLMTestCase(input="In which year?", actual_output="1844", expected_output="1843"),
    ]
    evaluate(cases, [Same()])


if __name__ == "__main__":
    main()
