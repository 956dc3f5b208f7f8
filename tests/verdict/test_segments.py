"""Segments against segments: real recordings beside pyannote and mir_eval, options, mistakes."""

from __future__ import annotations

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.detection import DetectionPrecision, DetectionRecall
from pyannote.metrics.diarization import DiarizationErrorRate
from pyannote.metrics.identification import IdentificationPrecision, IdentificationRecall

import consilience as cs

DATA = Path(__file__).parents[1] / "data"
AMI = DATA / "ami"
SYSTEMS = ("vb", "dl", "sc", "rpn")


def _annotations(path: Path) -> dict[str, Annotation]:
    found: dict[str, Annotation] = {}
    with gzip.open(path, "rt") as lines:
        for number, line in enumerate(lines):
            fields = line.split()
            start = float(fields[3])
            one = found.setdefault(fields[1], Annotation(uri=fields[1]))
            one[Segment(start, start + float(fields[4])), number] = fields[7]
    return found


def _extent(a: Annotation, b: Annotation) -> Timeline:
    return Timeline([a.get_timeline().extent() | b.get_timeline().extent()])


@pytest.mark.parametrize("system", SYSTEMS)
def test_diarization_is_that_of_pyannote(system: str) -> None:
    gold, mine = AMI / "reference.rttm.gz", AMI / f"{system}.rttm.gz"
    sides = _annotations(gold), _annotations(mine)
    error, precision = DiarizationErrorRate(), DetectionPrecision()
    recall = DetectionRecall()
    for name, reference in sides[0].items():
        for metric in (error, precision, recall):
            metric(reference, sides[1][name], uem=_extent(reference, sides[1][name]))
    mapped = cs.segments(gold, mine, labels="mapped").payload()
    assert mapped["errors"]["rate"] == pytest.approx(abs(error), abs=1e-9)
    for ours, theirs in (
        ("missed", "missed detection"),
        ("false", "false alarm"),
        ("confused", "confusion"),
    ):
        assert mapped["errors"][ours] == pytest.approx(error[theirs], abs=1e-6)
    speech = cs.segments(gold, mine, labels="ignored")
    assert speech.precision == pytest.approx(abs(precision), abs=1e-9)
    assert speech.recall == pytest.approx(abs(recall), abs=1e-9)


def test_a_collar_is_half_of_pyannotes() -> None:
    gold, mine = AMI / "reference.rttm.gz", AMI / "rpn.rttm.gz"
    sides = _annotations(gold), _annotations(mine)
    error = DiarizationErrorRate(collar=0.5)
    for name, reference in sides[0].items():
        error(reference, sides[1][name], uem=_extent(reference, sides[1][name]))
    found = cs.segments(gold, mine, labels="mapped", collar=0.25).payload()
    assert found["errors"]["rate"] == pytest.approx(abs(error), abs=1e-9)


def _song(number: int, annotator: int) -> list[tuple[float, float, str]]:
    lines = (DATA / "salami" / f"{number}_annotator{annotator}.txt").read_text().split("\n")
    rows = [(float(line.split("\t")[0]), line.split("\t")[1]) for line in lines if line]
    return [(a, b, label) for (a, label), (b, _) in itertools.pairwise(rows)]


@pytest.mark.parametrize("number", [3, 10, 103])
def test_two_annotators_of_a_song(number: int) -> None:
    files = [DATA / "salami" / f"{number}_annotator{one}.txt" for one in (1, 2)]
    found = cs.segments(*files, onset=0.5).payload()
    sides = [_song(number, one) for one in (1, 2)]
    times = [np.array([row[:2] for row in side]) for side in sides]
    hits = mir_eval.segment.detection(*times, window=0.5)
    edges = found["boundaries"]
    assert (edges["precision"], edges["recall"], edges["f1"]) == pytest.approx(hits)
    notes = [Annotation(), Annotation()]
    for side, one in zip(sides, notes, strict=True):
        for row, (start, end, label) in enumerate(side):
            one[Segment(start, end), row] = label
    where = _extent(*notes)
    for metric, key in ((IdentificationPrecision, "precision"), (IdentificationRecall, "recall")):
        assert found[key] == pytest.approx(metric()(*notes, uem=where), abs=1e-9)


def test_totals_means_and_intervals() -> None:
    result = cs.segments(AMI / "reference.rttm.gz", AMI / "dl.rttm.gz", labels="mapped")
    found = result.payload()
    rows = found["per_document"]
    assert [row["document"] for row in rows] == [*result.sides.documents]
    assert found["cardinality"]["intersection"] == pytest.approx(
        sum(row["shared_seconds"] for row in rows)
    )
    mean = np.mean([row["f1"] for row in rows])
    assert found["macro"]["documents"]["f1"] == pytest.approx(mean)
    low, high = found["intervals"]["recall"]
    assert low <= found["recall"] <= high
    assert found["resampling"]["unit"] == "documents"
    assert found["averaged"] == "total time over 3 recordings"
    again = cs.segments(AMI / "reference.rttm.gz", AMI / "dl.rttm.gz", labels="mapped")
    assert again.payload()["id"] == found["id"]
    assert json.loads(json.dumps(found))["mapping"]


def test_studies_files_and_lists_say_the_same() -> None:
    files = AMI / "reference.rttm.gz", AMI / "vb.rttm.gz"
    study = cs.read(files[1], truth=files[0], duplicates="each")
    one, two = cs.segments(*files), cs.segments(study)
    assert one.payload()["id"] == two.payload()["id"]
    assert one.warnings  # speakers of the system are not called by their names


def test_undefined_stays_undefined() -> None:
    nothing = cs.segments({"a": [(0, 1)]}, {"a": []}).payload()
    assert (nothing["precision"], nothing["recall"], nothing["f1"]) == (None, 0.0, 0.0)
    assert nothing["undefined"]["precision"] == "nothing was predicted"
    empty = cs.segments({"a": []}, {"a": [(0, 1)]}).payload()
    assert (empty["precision"], empty["recall"]) == (0.0, None)
    point = cs.segments([(1, 1)], [(1, 1)]).payload()
    assert (point["f1"], point["events"]["f1"], point["iou"]["f1"]) == (None, 1.0, 1.0)
    assert "have no length" in point["notes"][0]


def test_recordings_that_are_not_scored_are_named() -> None:
    gold, predicted = {"a": [(0, 2)], "b": [(0, 2)]}, {"a": [(1, 2)], "c": [(0, 9)]}
    result = cs.segments(gold, predicted)
    assert (result.precision, result.recall) == (1.0, 0.25)
    assert "not scored: gold does not mention c" in result.notes
    assert "nothing was predicted for b" in result.notes
    wide = cs.segments(gold, predicted, region={"a": (0, 2), "c": [(0, 3), (5, 6)]})
    assert wide.payload()["cardinality"]["predicted"] == 5.0
    assert "not scored: the region does not name b" in wide.notes


def test_regions_and_collars() -> None:
    gold, predicted = [(0, 10, "x"), (20, 30, "x")], [(1, 11, "x"), (40, 50, "x")]
    cut = cs.segments(gold, predicted, region=(0, 15)).payload()
    assert (cut["precision"], cut["recall"]) == (0.9, 0.9)
    assert cut["sizes"] == {"gold": 1, "predicted": 1}  # events outside do not count
    soft = cs.segments(gold, predicted, region=(0, 15), collar=1).payload()
    assert (soft["precision"], soft["recall"]) == (1.0, 1.0)
    assert soft["scored"] == 12.0


def test_mapped_classes() -> None:
    gold = [(0, 10, "Ann"), (10, 20, "Bob")]
    predicted = [(0, 9, "1"), (9, 20, "2"), (0, 1, "Ann")]
    found = cs.segments(gold, predicted, labels="mapped").payload()
    assert [(one["gold"], one["predicted"]) for one in found["mapping"]] == [
        ("Ann", "1"),
        ("Bob", "2"),
    ]
    assert found["errors"] == {"missed": 0.0, "false": 1.0, "confused": 1.0, "rate": 0.1}
    assert found["classes"][-1]["name"] == "Ann (not mapped)"


def test_a_random_answer() -> None:
    """Moved round the clock by every whole second, segments share what is expected on average."""
    gold, start, span = [(0, 3, "x"), (5, 6, "x")], 2, 10
    shared = []
    for later in range(span):
        moved = [(start + later) % span, (start + later) % span + 4]
        parts = [(moved[0], min(moved[1], span)), (0, max(moved[1] - span, 0))]
        predicted = [(a, b, "x") for a, b in parts if b > a]
        found = cs.segments(gold, predicted, region=(0, span)).payload()
        shared.append(found["cardinality"]["intersection"])
    assert found["null"]["recall"] == pytest.approx(np.mean(shared) / 4)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from("ab")), min_size=1),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from("ab")), min_size=1),
    st.sampled_from(["as given", "mapped", "ignored"]),
)
def test_swapped_sides_swap_precision_and_recall(
    a: list[tuple[int, int, str]], b: list[tuple[int, int, str]], labels: str
) -> None:
    sides = [[(s, s + d, c) for s, d, c in side] for side in (a, b)]
    one = cs.segments(sides[0], sides[1], labels=labels).payload()  # type: ignore[arg-type]
    two = cs.segments(sides[1], sides[0], labels=labels).payload()  # type: ignore[arg-type]
    assert (one["precision"], one["recall"]) == pytest.approx((two["recall"], two["precision"]))
    if labels != "mapped":  # of mappings that share as much time, either may be taken
        assert one["iou"]["pairs"] == two["iou"]["pairs"]
        assert one["fragments"] == two["merges"]
    for name in ("precision", "recall", "f1"):
        assert 0 <= one[name] <= 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"labels": "maped"}, "did you mean 'mapped'"),
        ({"match": "io"}, "did you mean 'iou'"),
        ({"collar": -1}, "collar must be at least 0"),
        ({"onset": float("nan")}, "onset must be at least 0"),
        ({"threshold": 0}, "threshold of IoU"),
        ({"threshold": "x"}, "threshold of IoU"),
        ({"collar": "x"}, "collar must be at least 0, found 'x'"),
        ({"onset": None}, "onset must be at least 0"),
        ({"offset": "x"}, "offset must be at least 0"),
        ({"region": "x" * 3}, "there is no such file|cannot be read"),
        ({"region": (5, 1)}, "the region ends at 1 before it starts at 5"),
        ({"region": {"other": (0, 1)}}, "no recording is called so"),
        ({"level": 2}, "level must be"),
    ],
)
def test_mistakes(options: dict[str, object], what: str) -> None:
    with pytest.raises(cs.UsageError, match=what):
        cs.segments([(0, 1)], [(0, 1)], **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"collar": 5}, "no scored time is left (collar)"),
        ({"region": (0, 0)}, "no scored time is left (region)"),
        ({"collar": 5, "region": (0, 1)}, "no scored time is left (collar, region)"),
        ({"region": (100, 200)}, "no predicted time is left to score (region)"),
    ],
)
def test_why_nothing_can_be_told(options: dict[str, Any], why: str) -> None:
    result = cs.segments([(0, 1, "a")], [(0, 1, "a")], **options)
    assert result.payload()["undefined"]["precision"] == why
    assert "is left" in result.headline
    told = cs.segments([(0, 1, "a")], [(1, 1, "a")]).payload()["undefined"]
    assert told["precision"] == "no predicted segment has a length"


def test_times_that_are_no_seconds(tmp_path: Path) -> None:
    with pytest.raises(cs.UsageError, match="write seconds, not milliseconds"):
        cs.segments([(0, 1.7e12)], [(0, 1)])
    line = "SPEAKER a 1 {} 1 <NA> <NA> x <NA> <NA>\n"
    (tmp_path / "a.rttm").write_text(line.format("0") + line.format("1e308"))
    with pytest.raises(cs.InputError, match=r"a\.rttm:2: times of 1e\+308"):
        cs.segments(tmp_path / "a.rttm", tmp_path / "a.rttm")


def test_no_recordings_and_no_lists() -> None:
    assert cs.segments({}, {"a": [(0, 1)]}).precision == 0
    assert cs.segments({"a": [(0, 1)]}, {}).recall == 0
    assert np.isnan(cs.segments({}, {}).f1)
    with pytest.raises(cs.UsageError, match="'5' is no list of segments"):
        cs.segments([(0, 1)], {"a": 5})


def test_sides_that_do_not_fit() -> None:
    with pytest.raises(cs.UsageError, match="segments are compared with segments"):
        cs.segments([(0, 1)])
    with pytest.raises(cs.UsageError, match="one side is a file"):
        cs.segments([(0, 1)], "x.rttm")
    study = cs.study({"a": {"q": ["0 1 x"]}, "b": {"q": ["0 1 x"]}}, truth={"q": ["0 1 x"]})
    with pytest.raises(cs.UsageError, match="one system is compared, found 'a', 'b'"):
        cs.segments(study)
    with pytest.raises(cs.UsageError, match="a study holds both sides"):
        cs.segments(study, [(0, 1)])
    words = cs.study({"a": {"q": ["cafe"]}}, truth={"q": ["cafe"]})
    with pytest.raises(cs.UsageError, match="'cafe' is no segment"):
        cs.segments(words)
