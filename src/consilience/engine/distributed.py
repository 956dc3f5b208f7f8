"""The door to distributions of votes that do not fit into memory: part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from consilience import progress
from consilience.belief.names import belief_by_name
from consilience.engine.believing import Forming, check_parts
from consilience.engine.opening import grouped, opened, rest
from consilience.engine.rank_part import cut_to
from consilience.engine.ranking import Way, check_room, check_sample, outlined, sizes_of, studies
from consilience.engine.sampling import known_dependence, learned_families, sample_of, some_of
from consilience.engine.sizes import limit
from consilience.engine.spread import distributions
from consilience.study.condition import no_truth
from consilience.verdict.ran import Ran

if TYPE_CHECKING:
    import os

    from consilience.engine.asked import Asked
    from consilience.engine.source import Votes
    from consilience.verdict.uncertain import Distributions


def distribute_tables(
    files: Sequence[str | os.PathLike[str]],
    *,
    truth: Sequence[str | os.PathLike[str]] = (),
    asked: Asked,
    memory: str | int | None = None,
    reading: Mapping[str, Any] | None = None,
    spread: Mapping[str, Any] | None = None,
) -> Distributions:
    """Compute distributions of votes on disk, part by part; as :func:`consilience.distributions`.

    Nothing of this can be expressed inside an engine, so it is arrays that are worked on, some
    million votes at a time.

    Parameters
    ----------
    files, truth
        Files, folders or globs: the systems' answers, and the truth.
    asked
        Whom to believe, and how far down lists count.
    memory
        How much may be used, such as "4GB"; None: a share of what is free.
    reading
        How files are read: columns, encoding, duplicates, universe.
    spread
        What else :func:`consilience.distributions` is told.
    """
    given = dict(spread or {})
    if asked.belief != "auto":  # before anything is sorted
        belief_by_name(asked.belief)
        check_parts(asked.belief)
    most = limit(memory)
    way = Way.of(most, 1)
    with opened(files, truth=truth, memory=most, **(reading or {})) as votes, rest(votes):
        found = _distributed(grouped(votes, asked.families), asked, way, given)
        return replace(found, ran=Ran("duckdb", parts=len(votes.ranges(way.votes)), memory=most))


def _distributed(votes: Votes, asked: Asked, way: Way, given: Mapping[str, Any]) -> Distributions:
    """Find what concerns all parts, then go through them."""
    check_room(votes, way)
    ties = given.get("ties", "trec")
    judged = bool(votes.truth) and no_truth(votes.judges()) is None
    parts = partial(studies, votes, way, asked.depth, ties, judged=judged)
    with progress.part(0.0, 0.02):
        sizes = sizes_of(votes, way, asked.depth, ties, judged=judged)
    check_sample(votes, sizes, way)
    sample = sample_of(votes, sizes)
    name = asked.believed(some_of(votes))
    families = None
    if name == "hds":
        families = learned_families(votes, learn=asked.families == "auto")
    if asked.depth is not None:
        sample = cut_to(sample, asked.depth, ties, judged=judged)
    rel = given.get("rel", 1.0)
    how = Forming(name, way.memory, (rel,), asked.options(name), families=families)
    believe = how.formed(sample, parts)
    known = None if name == "gold" else known_dependence(votes, sample, sizes)
    items = int(votes.index.items.sum())
    if votes.truth:  # judges may name items that nobody returned
        items = sum(len(part.items) for part in parts())
    study = outlined(votes, items, asked.depth)
    return distributions(parts, study=study, belief=believe, sources=lambda: known, **given)
