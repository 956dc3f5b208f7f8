"""Makes segments_sed_eval.json: what sed_eval finds on small made-up scenes.

sed_eval 0.2.1 needs dcase_util and an older numpy, so it is not installed for the tests. Run in an
environment of its own (Python 3.11)::

    pip install "numpy<2" "scipy<1.14" "setuptools<80" sed_eval==0.2.1 dcase_util
    python make_segments.py > segments_sed_eval.json
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np

CLASSES = ("speech", "dog", "car")


def scene(rng: np.random.Generator, name: str) -> tuple[list[Any], list[Any]]:
    """Make a minute of events, and a prediction that is somewhat off."""
    gold: list[Any] = []
    predicted: list[Any] = []
    for label in CLASSES:
        time = 0.0
        for _ in range(int(rng.integers(1, 6))):
            time += float(rng.uniform(0.5, 8))
            length = float(rng.uniform(0.3, 6))
            event = {"file": name, "event_label": label}
            gold.append({**event, "onset": round(time, 3), "offset": round(time + length, 3)})
            if rng.random() < 0.8:
                start = max(0.0, time + float(rng.normal(0, 0.2)))
                end = max(start + 0.1, time + length + float(rng.normal(0, 0.6)))
                other = str(rng.choice(CLASSES)) if rng.random() < 0.15 else label
                predicted.append(
                    {
                        "file": name,
                        "event_label": other,
                        "onset": round(start, 3),
                        "offset": round(end, 3),
                    }
                )
            time += length
    return gold, predicted


def main() -> None:
    sed_eval, dcase_util = map(importlib.import_module, ("sed_eval", "dcase_util"))
    rng = np.random.default_rng(5)
    segment = sed_eval.sound_event.SegmentBasedMetrics(list(CLASSES), time_resolution=1.0)
    event = sed_eval.sound_event.EventBasedMetrics(
        list(CLASSES), t_collar=0.2, percentage_of_length=0.2, event_matching_type="optimal"
    )
    onset = sed_eval.sound_event.EventBasedMetrics(
        list(CLASSES), t_collar=0.2, evaluate_offset=False, event_matching_type="optimal"
    )
    gold: list[Any] = []
    predicted: list[Any] = []
    for number in range(8):
        one, two = scene(rng, f"scene{number}")
        gold, predicted = gold + one, predicted + two
        lists = [dcase_util.containers.MetaDataContainer(side) for side in (one, two)]
        for metric in (segment, event, onset):
            metric.evaluate(reference_event_list=lists[0], estimated_event_list=lists[1])
    found = {
        "versions": {"sed_eval": "0.2.1", "numpy": np.__version__},
        "gold": [[e["file"], e["onset"], e["offset"], e["event_label"]] for e in gold],
        "predicted": [[e["file"], e["onset"], e["offset"], e["event_label"]] for e in predicted],
        "segment_based": segment.results(),
        "event_based": event.results(),
        "onset_based": onset.results(),
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
