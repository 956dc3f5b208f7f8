"""Soft measures: what adding up similarities costs over computing them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from bench.bars import QUICK, Bar, Result, Row, Sizes
from bench.measure import Cost, best

#: Values of one formula, computed in two ways.
EXACT = 1e-12


@dataclass(frozen=True)
class Many:
    """How many strings, lists and words there are."""

    strings: int
    linear: tuple[int, ...]
    memory: tuple[int, int]
    lists: int
    tried: int  # lists that loops go over
    words: tuple[int, int]  # different ones in lists: few, and many
    repeats: tuple[int, int]  # strings, different ones among them
    instances: int


FULL = Many(
    strings=20_000,
    linear=(5_000, 10_000, 20_000),
    memory=(10_000, 40_000),
    lists=100_000,
    tried=2_000,
    words=(5_000, 100_000),
    repeats=(10_000, 700),
    instances=2_000,
)
SMALL = Many(
    strings=600,
    linear=(300, 600),
    memory=(300, 600),
    lists=200,
    tried=20,
    words=(50, 500),
    repeats=(600, 70),
    instances=60,
)


def soft(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Soft cardinality, precision and recall of strings by edit similarity.

    CPU is that of the call alone, from strings in memory to figures; the peak is that of
    everything. ``cdist`` is RapidFuzz alone on the same pairs in the same blocks, and nothing done
    with what it gives; ``idle`` makes the strings, loads everything and stops. Lists have 5 to 15
    words; ``loop`` calls our function for one pair after the other, ``by hand`` RapidFuzz and
    numpy, both for some pairs, scaled to all. ``scipy`` matches one to one with the table ready.
    Ratios are those of CPU.
    """
    many = SMALL if sizes is QUICK else FULL
    parts = [
        *(_strings(many, measure, sizes.times) for measure in ("cardinality", "coverage")),
        _linear(many, sizes.times),
        _memory(many),
        *(
            _lists(many, words, variant, sizes.times)
            for words in many.words
            for variant in ("coverage", "paper")
        ),
        _repeats(many, sizes.times),
        _instances(many, sizes.times),
    ]
    return [row for rows, _ in parts for row in rows], [bar for _, bars in parts for bar in bars]


def _worked(names: list[str], *given: object, times: int) -> dict[str, Cost]:
    """Run contestants in turn; their CPU is that of the work alone."""
    costs = best(names, *map(str, given), cache=None, times=times)
    return {
        name: replace(cost, cpu=cost.values.get("work s", cost.cpu)) for name, cost in costs.items()
    }


def _telling(cost: Cost, **told: float) -> Cost:
    """Add figures to the values of a cost, in which the seconds need not be told again."""
    values = {name: value for name, value in cost.values.items() if name != "work s"}
    return replace(cost, values=values | {name.replace("_", " "): told[name] for name in told})


def _strings(many: Many, measure: str, times: int) -> Result:
    names = ["strings_consilience", "strings_cdist", "strings_idle"]
    costs = _worked(names, many.strings, measure, times=times)
    ours, floor, idle = (costs[name] for name in names)
    ratio, above = ours.cpu / floor.cpu, ours.peak - idle.peak
    half = f"{many.strings // 2:,}"
    what = f"{many.strings:,} strings" if measure == "cardinality" else f"{half} × {half} strings"
    told = [_telling(ours, over_cdist=ratio, MB_over_idle=above), _telling(floor), idle]
    rows = [Row(f"{what}, {measure}", name, cost) for name, cost in zip(names, told, strict=True)]
    return rows, [
        Bar(f"{what}, {measure}: CPU over cdist's", ratio, most=1.3),
        Bar(f"{what}, {measure}: megabytes above idle", above, most=300),
    ]


def _linear(many: Many, times: int) -> Result:
    name, rows, costs = "strings_consilience", [], []
    for count in many.linear:
        cost = _worked([name], count, "cardinality", times=times)[name]
        costs.append(cost.cpu / (count * (count - 1) / 2) * 1e9)
        rows.append(Row(f"{count:,} strings", name, _telling(cost, ns_a_pair=costs[-1])))
    first, last = many.linear[0], many.linear[-1]
    step = f"cost of a pair at {last:,} strings over that at {first:,}"
    return rows, [Bar(step, costs[-1] / costs[0], least=0.7, most=1.3)]


def _memory(many: Many) -> Result:
    names, rows, above = ["strings_consilience", "strings_idle"], [], []
    for count in many.memory:
        costs = _worked(names, count, "cardinality", times=1)
        above.append(costs[names[0]].peak - costs[names[1]].peak)
        cost = _telling(costs[names[0]], MB_over_idle=above[-1])
        rows.append(Row(f"{count:,} strings, memory", names[0], cost))
    few, more = many.memory
    grown = (above[1] - above[0]) * 1e6 / (more - few)
    return rows, [Bar(f"bytes a string from {few:,} to {more:,} strings", grown, most=1_000)]


def _lists(many: Many, words: int, variant: str, times: int) -> Result:
    names = ["keywords_consilience", "keywords_loop", "keywords_by_hand"]
    given = (many.lists, words, variant, many.tried)
    costs = _worked(names, *given, times=times)
    ours = costs[names[0]].cpu
    what = f"{many.lists:,} pairs of lists, {words:,} words, {variant}"
    rows = [
        Row(what, name, _telling(costs[name], over_ours=costs[name].cpu / ours)) for name in names
    ]
    apart = best(["keywords_apart"], *map(str, given), cache=None, times=1)["keywords_apart"].values
    bars = [
        Bar(f"{what}: values apart from those of {name}", value, most=EXACT)
        for name, value in apart.items()
    ]
    if words == many.words[0]:
        faster = costs["keywords_loop"].cpu / ours
        bars.insert(0, Bar(f"{what}: times less CPU than the loop", faster, least=20))
    return rows, bars


def _repeats(many: Many, times: int) -> Result:
    name, (count, different) = "repeats_consilience", many.repeats
    costs = [_worked([name], count, distinct, times=times)[name] for distinct in (count, different)]
    what = f"{count:,} strings, {{:,}} different"
    return [
        Row(what.format(count), name, _telling(costs[0])),
        Row(
            what.format(different),
            name,
            _telling(costs[1], times_less=costs[0].cpu / costs[1].cpu),
        ),
    ], []


def _instances(many: Many, times: int) -> Result:
    names = ["instances_consilience", "instances_scipy"]
    costs = _worked(names, many.instances, times=times)
    ours, theirs = (costs[name] for name in names)
    what = f"{many.instances:,} × {many.instances:,} instances"
    apart = abs(ours.values["matched"] / theirs.values["matched"] - 1)
    return [
        Row(what, names[0], _telling(ours, over_scipy=ours.cpu / theirs.cpu)),
        Row(what, names[1], _telling(theirs)),
    ], [Bar(f"{what}: sum apart from scipy's, relatively", apart, most=EXACT)]
