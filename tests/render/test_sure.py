"""How sure a ranking is, as a reader meets it: withheld intervals, tests, labels by design."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest

from consilience.render import VERBS, charts_of, html_fragment, render
from consilience.render.how import how, methods
from consilience.render.layout import cells_of
from consilience.render.sure import footnote, legend, score_cell, share
from consilience.render.tables import RANK_COLUMNS, rank_table, rows
from consilience.render.text import text
from tests.render.conftest import HOSTILE, rank_payload
from tests.render.sure import (
    BELIEVED,
    NAMES,
    UNJUDGED,
    WHY_ABSENT,
    WHY_POOL,
    agreed_payload,
    designed_payload,
    people_payload,
    pooled_payload,
    sure_payload,
)
from tests.render.test_agreement import flat
from tests.render.test_html import MEGABYTE, Page

Made = Callable[[], dict[str, Any]]
ALL: list[Made] = [
    sure_payload,
    pooled_payload,
    designed_payload,
    people_payload,
    agreed_payload,
    lambda: sure_payload(HOSTILE),
]
every = pytest.mark.parametrize(
    "made", ALL, ids=["sure", "pooled", "designed", "people", "agreed", "hostile"]
)
FOR_PEOPLE = ("text", "md", "latex", "html")


@every
def test_every_format_is_written_and_leaves_the_payload_alone(made: Made) -> None:
    payload = made()
    before = json.dumps(payload)
    for fmt in VERBS["rank"]:
        assert render(payload, fmt) == render(payload, fmt)
    Page(html_fragment(payload))
    assert json.dumps(payload) == before


@every
@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_lines_fit_the_terminal(made: Made, width: int) -> None:
    for line in text(made(), width=width).splitlines():
        table = re.match(r" *(rank|second|system|\d|–)", line)
        assert cells_of(line) <= max(width, 80) or table, line


@every
def test_a_page_is_closed_small_and_deaf_to_names(made: Made) -> None:
    page = str(render(made(), "html"))
    parsed = Page(page)
    assert len(page.encode()) < MEGABYTE
    assert not parsed.tags("img")
    assert not parsed.tags("b")
    for figure in re.findall(r"<figure.*?</figure>", page, flags=re.DOTALL):
        assert "<table" in figure


def stripped(payload: dict[str, Any], key: str, *, keep: bool) -> dict[str, Any]:
    """Take a key away wherever it is, or leave it without a value."""

    def without(found: dict[str, Any]) -> dict[str, Any]:
        other = {k: v for k, v in found.items() if k != key}
        return {**other, key: None} if keep and key in found else other

    made: dict[str, Any] = json.loads(json.dumps(payload), object_hook=without)
    return made


ADDED = (
    *("interval_withheld", "given", "posterior", "standard_error", "shrunk", "plain", "judged"),
    *("p_equivalent", "p_a_better", "p_b_better", "effect", "delta", "beats", "tests", "stop"),
    *("uncertainty", "partial", "design", "about", "companions", "prediction", "probability"),
    *("effective", "rounds", "known", "assumes", "tau", "comparisons", "correction"),
)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("key", ADDED)
def test_what_was_added_may_be_missing(key: str, keep: bool) -> None:
    for made in (pooled_payload, designed_payload, people_payload):
        payload = stripped(made(), key, keep=keep)
        for fmt in ("text", "md", "latex", "csv", *(["html"] if keep else [])):
            assert render(payload, fmt)
        assert html_fragment(payload)


def test_a_result_of_an_older_version_reads_as_before() -> None:
    old = rank_payload(["a", "b", "c"])
    assert list(rows(old)[0]) == list(RANK_COLUMNS)
    assert set(charts_of(old)) == {"forest", "pairs", "precision-recall"}
    made = text(old, width=100)
    assert "against the others" not in made
    assert "*" not in made
    assert "How sure" not in str(render(old, "html"))


@pytest.mark.parametrize("fmt", FOR_PEOPLE)
@pytest.mark.parametrize(
    ("made", "assumes", "why"),
    [(pooled_payload, UNJUDGED, WHY_POOL), (agreed_payload, BELIEVED, WHY_ABSENT)],
)
def test_a_withheld_interval_says_why_and_what_is_assumed(
    made: Made, assumes: str, why: str, fmt: str
) -> None:
    payload = made()
    told = flat(render(payload, fmt)).replace("\\*", "*").replace("\\%", "%")
    assert f"* 95% interval if {assumes}. Without that none is given: {why}." in told
    assert "In brackets: 95% intervals" not in told
    given = payload["systems"][0]["scores"]["AP"]["given"]["interval"]
    assert f"({given[0]:.4f}, {given[1]:.4f})*" in told


def test_an_interval_is_shown_where_it_is_not_withheld() -> None:
    payload = pooled_payload()
    first = payload["systems"][0]["scores"]["AP"]
    first |= {"interval": first["given"]["interval"], "interval_withheld": None}
    assert score_cell(first).count("[") == 1
    assert "In brackets: 95% intervals." in legend(payload)
    assert footnote(payload).startswith("* 95% interval if")


@pytest.mark.parametrize(
    ("made", "heading"),
    [(pooled_payload, "AP worst–best"), (agreed_payload, "AP range over methods")],
)
def test_bounds_are_called_what_they_are(made: Made, heading: str) -> None:
    header, _ = rank_table(made())
    assert heading in header
    assert "AP bounds" not in header
    assert "not a confidence interval" in " ".join(legend(made()))


def test_judged_shares_stand_beside_the_ranking_measure() -> None:
    header, table = rank_table(pooled_payload())
    assert header[5] == "judged@10"
    assert [row[5] for row in table][:2] == ["100%", "94.3%"]
    assert (share(0.99999), share(0.0)) == (">99.9%", "0%")
    payload = pooled_payload()
    for system in payload["systems"]:
        del system["judged"]["@10"]
    assert rank_table(payload)[0][5] == "judged"


def test_labels_by_design_are_told() -> None:
    payload = designed_payload()
    for fmt in ("text", "md", "html"):
        made = flat(render(payload, fmt))
        assert "Estimated from 140 labels of 10,000 items drawn by design in 2 rounds" in made
        assert "Settled at 95% for δ = 0.02 after 140 of 10,000 labels." in made
        assert "ls-eb, calibrated on 140 labels" in made
    score = payload["systems"][0]["scores"]["AP"]
    assert f"{score['value']:.4f} ± {score['standard_error']:.4f} [" in render(payload, "text")
    assert "nothing was resampled" not in render(payload, "text")
    told = methods(payload)
    assert "augmented inverse probability weighting (AIPW)" in told
    assert "looked 2 times, so 97.5% was asked for" in told


def test_the_stop_rule_is_not_said_twice() -> None:
    payload = designed_payload()
    payload["verdict"] += " Settled at 95% for δ = 0.02 after 140 of 10,000 labels."
    assert flat(render(payload, "text")).count("Settled at 95% for δ") == 1


def test_methods_tell_tests_equivalence_and_what_is_withheld() -> None:
    told = methods(pooled_payload())
    for part in (
        f"Intervals are withheld, because {WHY_POOL}.",
        f"Those in parentheses hold if {UNJUDGED}: 95% intervals come from",
        "paired tests over 50 queries (t, Wilcoxon, sign, randomisation; two-sided)",
        "the correction of Holm for 15 comparisons",
        "region of practical equivalence",
        "AP(condensed), Bpref, infAP were computed beside it",
    ):
        assert part in told
    facts = dict(how(pooled_payload()))
    assert facts["intervals"].startswith(f"withheld: {WHY_POOL}; if {UNJUDGED}: 95%")


def test_the_first_system_is_compared_with_the_others() -> None:
    payload = sure_payload()
    made = text(payload, width=200)
    pair = payload["pairs"][0]
    line = next(line for line in made.splitlines() if line.startswith(f"  {pair['b']}  "))
    tests, effect = pair["tests"], pair["effect"]
    wanted = [pair["p_a_beats_b"], pair["p_equivalent"], *(t["holm"] for t in tests.values())]
    assert [float(f"{p:.3f}") for p in wanted] == [
        float(number) for number in re.findall(r"(?<= )0\.\d{3}(?!\d)", line)
    ]
    assert line.endswith(f"{effect['wins']}–{effect['draws']}–{effect['losses']}")
    assert "corrected for 15 comparisons (Holm)" in made
    assert "P(within" not in text(sure_payload(delta=None), width=200)


def test_a_long_comparison_is_cut_and_says_so() -> None:
    names = [f"s{i:02d}" for i in range(30)]
    payload = sure_payload(names, queries=12)
    for fmt in ("text", "md"):
        made = flat(render(payload, fmt))
        assert "… and 9 more: html, csv and json hold all." in made
    page = str(render(payload, "html"))
    table = page.partition("s00 against the others")[2].partition("</table>")[0]
    assert table.count('<th scope="row">') == 29


def test_the_matrix_holds_both_sides_of_a_hundred_systems() -> None:
    names = [f"s{i:02d}" for i in range(100)]
    payload = rank_payload(names)
    payload["pairs"] = [pair for pair in payload["pairs"] if pair["a"] == "s00"]
    payload["beats"] = {
        "systems": names,
        "p": [[None if i == j else 0.5 + (j - i) / 200 for j in range(100)] for i in range(100)],
    }
    spec = charts_of(payload)["pairs"]
    assert len(spec["data"]["values"]) == 100 * 99
    assert len(str(render(payload, "html")).encode()) < 2 * MEGABYTE


def test_programs_get_every_figure() -> None:
    payload = pooled_payload()
    read = list(csv.DictReader(io.StringIO(str(render(payload, "csv")), newline="")))
    assert list(read[0])[: len(RANK_COLUMNS)] == list(RANK_COLUMNS)
    assert len(read) == 6 * 3
    score, pair = payload["systems"][1]["scores"]["AP"], payload["pairs"][0]
    row = next(r for r in read if r["system"] == NAMES[1] and r["measure"] == "AP")
    assert (row["low"], row["interval_withheld"], row["assumes"]) == ("", WHY_POOL, UNJUDGED)
    assert [float(row["given_low"]), float(row["given_high"])] == score["given"]["interval"]
    assert float(row["judged_at_10"]) == payload["systems"][1]["judged"]["@10"]
    assert (row["first"], float(row["difference"])) == (NAMES[0], pair["difference"])
    assert float(row["p_wilcoxon_holm"]) == pair["tests"]["wilcoxon"]["holm"]
    assert int(row["wins"]) == pair["effect"]["wins"]
    other = next(r for r in read if r["system"] == NAMES[1] and r["measure"] == "P@10")
    assert (other["first"], other["difference"]) == ("", "")


@every
def test_parquet_holds_the_rows_of_the_csv(made: Made) -> None:
    payload = made()
    written = render(payload, "parquet")
    assert isinstance(written, bytes)
    assert pq.read_table(io.BytesIO(written)).to_pylist() == rows(payload)


def test_companions_say_whether_the_first_stays_first() -> None:
    payload = pooled_payload()
    made = flat(render(payload, "text"))
    assert (
        "Measures made for incomplete judgments (31.0% of the returned items were judged):" in made
    )
    assert "infAP puts dense-e5 first instead (τ 0.60)" in made
    assert "Bpref puts bm25+rm3 first, too (τ 0.73)" in made
    page = str(render(payload, "html"))
    assert '<th scope="col">same first?</th>' in page


def test_what_the_belief_says_of_a_score_has_a_column() -> None:
    header, table = rank_table(people_payload())
    at = header.index("AP by belief")
    mean = people_payload()["systems"][0]["scores"]["AP"]["posterior"]["mean"]
    assert table[0][at].startswith(f"{mean:.4f} [")


def test_withheld_values_stay_withheld() -> None:
    payload = copy.deepcopy(agreed_payload())
    payload["withheld"] = "fewer than three independent sources: only the order is given"
    for system in payload["systems"]:
        for score in system["scores"].values():
            score |= {"value": None, "interval": None, "bounds": None, "given": None}
            score["undefined"] = payload["withheld"]
    for pair in payload["pairs"]:
        pair |= {"difference": None, "interval": None}
    made = text(payload, width=100)
    assert "AP difference" not in made
    assert "P(first agrees more)" in made
    assert render(payload, "html")
