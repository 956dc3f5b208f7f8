"""Who spoke when in 16 real meetings, by four systems: with the reference, and without.

Three systems (vb, sc, rpn) and one that combines them (dl, DOVER-Lap). Names of speakers mean
nothing across files, so predicted names are mapped to others one to one, in each meeting so that
most time is shared (``labels="mapped"`` of :func:`consilience.segments`).

Without the reference, one system's names serve all (the *anchor*; each of the three takes its
turn), time is cut into seconds, and "Ann speaks in the 12th second" is an item that a system
returns or not: then :func:`consilience.rank` says who agrees most with the others. A second belongs
to who speaks in its middle.

*Two of three* is a combination that we make of the very votes that are counted: who speaks
by at least two of vb, sc and rpn. It shows what agreement cannot tell.

References
----------
.. [1] D. Raj et al., "DOVER-Lap: a method for combining overlap-aware diarization outputs", IEEE
   Spoken Language Technology Workshop, 2021.
"""

from __future__ import annotations

import gzip
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from consilience import progress
from consilience.experiments.reproduced import Asked

if TYPE_CHECKING:
    from consilience.verdict.rank import Verdict

#: The systems that were made by themselves, and the one that combines them.
ALONE, COMBINED = ("vb", "sc", "rpn"), "dl"
SYSTEMS = (*ALONE, COMBINED)
#: Our own combination.
TWO = "two of three"
#: Missed, false, confused time and the error rate, in percent, as the data's publisher states.
PUBLISHED = {
    "vb": (9.84, 2.06, 9.60, 21.50),
    "sc": (11.48, 2.27, 9.81, 23.56),
    "rpn": (9.49, 7.68, 8.25, 25.43),
    "dl": (9.96, 2.16, 7.75, 19.86),
}
#: The length of the pieces that time is cut into for a ranking, in seconds.
STEP = 1.0

Segment: TypeAlias = tuple[float, float, str]
#: Meeting → segments.
Told: TypeAlias = Mapping[str, Sequence[Segment]]
#: Meeting and name in one file → name in another.
Names: TypeAlias = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Meetings:
    """What came out for the meetings.

    ``against`` holds each system's comparison with the reference, ``pairs`` the F1 of shared time
    of every two systems, ``truth`` the ranking by the reference. ``agreed`` are the rankings
    without it, by anchor: of all four systems, of the three alone, and of these with two of three.
    """

    count: int
    against: Mapping[str, Mapping[str, Any]]
    speech: Mapping[str, float]
    pairs: Mapping[tuple[str, str], float]
    truth: Verdict
    agreed: Mapping[str, Mapping[str, Verdict]]


def meetings(asked: Asked) -> Meetings:
    """Compare the systems with the reference, with each other, and by what they agree on."""
    from consilience.study import study
    from consilience.verdict.rank import rank
    from consilience.verdict.segments import segments

    said = {name: read(name, asked.size) for name in ("reference", *SYSTEMS)}
    pairs = [*itertools.combinations(SYSTEMS, 2)]
    steps, against, between, speech = len(SYSTEMS) + len(pairs) + 2 * len(ALONE) + 1, {}, {}, {}
    for done, name in enumerate(SYSTEMS):
        progress.report(done, steps)
        against[name] = segments(
            said["reference"], said[name], labels="mapped", seed=asked.seed
        ).payload()
        speech[name] = segments(said["reference"], said[name], labels="ignored").f1
    for done, (one, other) in enumerate(pairs, start=len(SYSTEMS)):
        progress.report(done, steps)
        between[one, other] = segments(said[one], said[other], labels="mapped").payload()
    seconds = {name: pieces(said[name], names_of(against[name])) for name in SYSTEMS}
    truth = study(seconds, truth=pieces(said["reference"]))
    agreed: dict[str, dict[str, Verdict]] = {}
    for done, anchor in enumerate(ALONE):
        progress.report(len(SYSTEMS) + len(pairs) + 1 + 2 * done, steps)
        known = {
            name: None if name == anchor else _between(between, anchor, name) for name in SYSTEMS
        }
        voted = {name: pieces(said[name], known[name], own=name) for name in SYSTEMS}
        three = {name: voted[name] for name in ALONE}
        agreed[anchor] = {
            "four": rank(study(voted), measures=["F1"], seed=asked.seed),
            "three": rank(study(three), measures=["F1"], seed=asked.seed),
        }
        if anchor == ALONE[0]:
            renamed = {name: _renamed(said[name], known[name], name) for name in ALONE}
            made = shared_by(list(renamed.values()), 2)
            against[TWO] = segments(
                said["reference"], made, labels="mapped", seed=asked.seed
            ).payload()
            agreed[anchor]["with two of three"] = rank(
                study({**voted, TWO: pieces(made)}), measures=["F1"], seed=asked.seed
            )
    return Meetings(
        len(said["reference"]),
        against,
        speech,
        {pair: told["f1"] for pair, told in between.items()},
        rank(truth, measures=["F1"], seed=asked.seed),
        agreed,
    )


def read(name: str, count: int | None = None) -> dict[str, list[Segment]]:
    """Read the segments of a file, meeting by meeting; only the first so many meetings.

    Examples
    --------
    >>> held = read("reference", 2)
    >>> [*held], held["EN2002a"][0]
    (['EN2002a', 'EN2002b'], (106.183, 106.808, 'MEE071'))
    """
    data = resources.files("consilience.experiments") / "data" / "ami" / f"{name}.rttm.gz"
    found: dict[str, list[Segment]] = {}
    for line in gzip.decompress(data.read_bytes()).decode().splitlines():
        _, meeting, _, start, length, _, _, speaker, *_ = line.split()
        begin = float(start)
        end = round(begin + float(length), 6)
        found.setdefault(meeting.partition(".")[0], []).append((begin, end, speaker))
    return {meeting: found[meeting] for meeting in sorted(found)[:count]}


def names_of(told: Mapping[str, Any]) -> Names:
    """Give which name of the predicted side is which of gold's."""
    return {(one["document"], one["predicted"]): one["gold"] for one in told["mapping"]}


def _between(
    between: Mapping[tuple[str, str], Mapping[str, Any]], anchor: str, name: str
) -> dict[tuple[str, str], str]:
    """Give which name of a system is which of the anchor's: a mapping reads both ways."""
    if (anchor, name) in between:
        return dict(names_of(between[anchor, name]))
    return {
        (one["document"], one["gold"]): one["predicted"] for one in between[name, anchor]["mapping"]
    }


def _renamed(said: Told, names: Names | None, own: str) -> dict[str, list[Segment]]:
    return {
        meeting: [
            (start, end, _named(meeting, speaker, names, own)) for start, end, speaker in segments
        ]
        for meeting, segments in said.items()
    }


def _named(meeting: str, speaker: str, names: Names | None, own: str) -> str:
    """Give a speaker's name; who was mapped to nobody is somebody else."""
    return speaker if names is None else names.get((meeting, speaker), f"{own}:{speaker}")


def pieces(said: Told, names: Names | None = None, *, own: str = "") -> dict[str, list[str]]:
    """Cut segments into pieces of time: who speaks in the middle of each.

    Examples
    --------
    >>> pieces({"a": [(0.2, 2.6, "Ann"), (1.0, 1.4, "Bob")]})
    {'a': ['0 Ann', '1 Ann', '2 Ann']}
    """
    found = {}
    for meeting, segments in said.items():
        held: dict[str, None] = {}
        for start, end, speaker in segments:
            name = _named(meeting, speaker, names, own)
            first, last = (math.ceil(time / STEP - 0.5) for time in (start, end))
            held.update((f"{piece} {name}", None) for piece in range(first, last))
        found[meeting] = [*held]
    return found


def shared_by(told: Sequence[Told], least: int) -> dict[str, list[Segment]]:
    """Give the time in which so many of the sides, or more, let the same name speak.

    Examples
    --------
    >>> one, two = {"a": [(0, 4, "Ann"), (3, 6, "Ann")]}, {"a": [(2, 5, "Ann"), (0, 1, "Bob")]}
    >>> shared_by([one, two], 2), shared_by([one, two], 1)["a"][1:]
    ({'a': [(2, 5, 'Ann')]}, [(0, 1, 'Bob')])
    """
    found: dict[str, list[Segment]] = {}
    for meeting in told[0]:
        edges: dict[str, list[tuple[float, int]]] = {}
        for side in told:
            for start, end, name in _joined(side[meeting]):
                edges.setdefault(name, []).extend([(start, 1), (end, -1)])
        found[meeting] = [
            (start, end, name)
            for name, steps in edges.items()
            for start, end in _stretches(sorted(steps), least)
        ]
    return found


def _joined(segments: Sequence[Segment]) -> list[Segment]:
    """Join segments of one name that overlap or touch."""
    joined: list[Segment] = []
    for start, end, name in sorted(segments, key=lambda one: (one[2], one[0], one[1])):
        if joined and joined[-1][2] == name and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]), name)
        else:
            joined.append((start, end, name))
    return joined


def _stretches(steps: Sequence[tuple[float, int]], least: int) -> list[tuple[float, float]]:
    """Give the stretches in which at least so many are open."""
    found: list[tuple[float, float]] = []
    opened, since = 0, 0.0
    for time, step in steps:
        before, opened = opened, opened + step
        if before < least <= opened:
            since = time
        elif opened < least <= before and time > since:
            found.append((since, time))
    return found
