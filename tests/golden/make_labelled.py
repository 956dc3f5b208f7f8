"""Make exports of labelling tools with the tools' own code: tasks go in, labels come out.

Run once with argilla 2.8.0 and label-studio-sdk 2.1.2; the files are kept in ``labelled/``. The
tasks are those of ``consilience.render.tasks``; the labels are made up.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "labelled"
CONFIG = """<View><Text name="text" value="$item"/><Choices name="label" toName="text"
choice="single"><Choice value="yes"/><Choice value="no"/></Choices>
</View>"""
ANN, BEN = (uuid.UUID(int=number) for number in (1, 2))
#: What was said of each task: ``None`` is skipped, no entry means that nobody came to it.
SAID: dict[str, list[tuple[int, str | None]]] = {
    "d1": [(3, "yes")],
    "d2": [(3, "no"), (5, "yes")],
    "d3": [(3, None)],
}


def label_studio(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give the tasks as Label Studio exports them (JSON), with annotations."""
    made = []
    for number, task in enumerate(tasks, start=1):
        annotations = []
        for who, label in SAID.get(task["data"]["item"], []):
            result = {
                "value": {"choices": [label]},
                "id": f"r{number}{who}",
                "from_name": "label",
                "to_name": "text",
                "type": "choices",
                "origin": "manual",
            }
            annotations.append(
                {
                    "id": 100 * number + who,
                    "completed_by": who,
                    "result": [] if label is None else [result],
                    "was_cancelled": label is None,
                    "ground_truth": False,
                    "created_at": "2026-01-05T10:00:00.000000Z",
                    "updated_at": "2026-01-05T10:00:00.000000Z",
                    "lead_time": 4.5,
                    "task": number,
                    "project": 1,
                }
            )
        guess = {"result": [{"value": {"choices": ["yes"]}, "from_name": "label"}], "score": 0.9}
        made.append(
            {
                "id": number,
                "annotations": annotations,
                "predictions": [guess] if number == 1 else [],
                "data": task["data"],
                "meta": {},
                "created_at": "2026-01-05T09:00:00.000000Z",
                "updated_at": "2026-01-05T10:00:00.000000Z",
                "project": 1,
            }
        )
    return made


def main(tasks_of: str, records_of: str) -> None:
    """Write all exports; the arguments are files of tasks (Label Studio) and records (Argilla)."""
    import argilla as rg
    from argilla.records._io import GenericIO, JsonIO
    from label_studio_sdk.converter import Converter

    HERE.mkdir(exist_ok=True)
    full = HERE / "label_studio.json"
    made = label_studio(json.loads(Path(tasks_of).read_text()))
    full.write_text(json.dumps(made, indent=1) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        converter = Converter(CONFIG, project_dir=folder)
        converter.convert_to_json_min(str(full), f"{folder}/min", is_dir=False)
        shutil.copy(f"{folder}/min/result.json", HERE / "label_studio_min.json")
        converter.convert_to_csv(str(full), f"{folder}/csv", is_dir=False, header=True, sep=",")
        shutil.copy(f"{folder}/csv/result.csv", HERE / "label_studio.csv")
    records = JsonIO._records_from_json(records_of)
    users = {3: ANN, 5: BEN}
    for record in records:
        for who, label in SAID.get(record.fields["item"], []):
            status = "submitted" if label else "discarded"
            answer = rg.Response("label", label, user_id=users[who], status=status)
            record.responses.add(answer)
    records[0].suggestions.add(rg.Suggestion("label", "no", agent="gpt-4o", score=0.7))
    (HERE / "argilla.json").unlink(missing_ok=True)
    JsonIO.to_json(records, HERE / "argilla.json")
    flat = GenericIO.to_list(records, flatten=True)
    (HERE / "argilla_flat.json").write_text(json.dumps(flat) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
