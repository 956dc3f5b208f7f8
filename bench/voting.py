"""Votes: what consensus and Dawid–Skene cost, beside the other programs and as data grow."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from bench.bars import QUICK, Bar, Result, Row, Sizes, times_less
from bench.inputs import elsewhere, make_labels, make_votes, same_share
from bench.measure import best
from bench.voters import labels_of

EXACT = 1e-9
#: The best prototype over the scan of the same file, in our own measurements of engines: .48 s over
#: .12 s for 10^7 votes by number and 7.4 s over 1.5 s for 10^8; 3.9 s over .63 s for 10^7 by name.
NUMBERS, NAMES = 5.0, 6.2


def votes(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """From a Parquet file of votes to consensus and every system's P, R and F1.

    The floor is polars' scan of the same file: every column is added up. The factors are those of
    the best prototypes over their floor. They are judged twice: with start-up, as users feel it,
    and without, as the prototypes were measured.
    """
    rows, bars = [], []
    for what, text, most in (("numbers", False, NUMBERS), ("names", True, NAMES)):
        small = elsewhere(make_votes, folder, votes=10_000, text=text)
        file = elsewhere(make_votes, folder, votes=sizes.votes, text=text)
        names = ["votes_consilience", "votes_scan", "votes_polars"]
        costs = best(names, file, cache=cache, times=sizes.times, first=[small])
        rows += [Row(f"{sizes.votes:,} votes, {what}", name, costs[name]) for name in names]
        ours, floor, peer = (costs[name] for name in names)
        bars.append(Bar(f"{what}: CPU over the scan's", ours.cpu / floor.cpu, most=most))
        ratio = ours.values["work s"] / floor.values["work s"]
        bars.append(Bar(f"{what}: the same, start-up taken off", ratio, most=most))
        apart = max(abs(ours.values[name] - peer.values[name]) for name in ("P", "R", "F1"))
        bars.append(Bar(f"{what}: values apart from polars'", apart, most=EXACT))
        file.unlink()
    return rows, bars


def dawid_skene(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Dawid–Skene on a million labels of a thousand workers, four categories.

    With ten labels a task and good workers EM ends soon; with five and worse ones it takes its
    time. Both programs read the same files and end by the same rule. They are judged with start-up
    and without: crowd-kit's imports are heavy.
    """
    small = elsewhere(make_labels, folder, labels=1_000, each=5, best=0.9)
    peers = {"labels_crowdkit": 8.0}
    if sizes is QUICK and find_spec("crowdkit") is None:
        peers.clear()
    names = ["labels_consilience", *peers]
    rows, bars = [], []
    for each, quality in ((10, 0.9), (5, 0.6)):
        made = {"labels": sizes.labels, "each": each, "best": quality}
        files = elsewhere(make_labels, folder, **made)
        costs = best(names, *files, cache=cache, times=sizes.times, first=small)
        what = f"{sizes.labels:,} labels, {each} a task"
        rows += [Row(what, name, costs[name]) for name in names]
        bars += times_less(what, costs, "labels_consilience", peers)
        ours = costs["labels_consilience"].values
        for peer in peers:
            program, theirs = peer.partition("_")[2], costs[peer].values
            ratio = theirs["work s"] / ours["work s"]
            bars.append(Bar(f"{what}: the same, start-up taken off", ratio, least=peers[peer]))
            found = [labels_of(files[0], one) for one in ("consilience", program)]
            share = elsewhere(same_share, *found)
            bars.append(Bar(f"{what}: share equal to {program}'s", share, least=1.0))
            apart = abs(ours["iterations"] - theirs["iterations"])
            bars.append(Bar(f"{what}: iterations apart from {program}'s", apart, most=0.0))
    return rows, bars


def linear_votes(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """A belief and every system's P, R and F1: the cost of a vote must not grow with their number.

    A hundred systems return a hundred items for each query; the queries grow. The study is made in
    memory; the CPU is that of belief and scores alone, the peak that of everything. Dawid–Skene
    makes 20 steps at every size.
    """
    rows, bars = [], []
    for method, counts in sizes.scale.items():
        name = f"scale_{method}"
        per_vote: list[float] = []
        for count in counts:
            cost = best([name], str(count), cache=None, times=min(sizes.times, 2))[name]
            work = cost.values["work s"]
            rows.append(Row(f"{count:,} votes", name, replace(cost, cpu=work)))
            per_vote.append(work / count)
            if len(per_vote) > 1:
                step = f"{method}: cost of a vote at {count:,} over that at the size before"
                bars.append(Bar(step, per_vote[-1] / per_vote[-2], most=1.5))
    return rows, bars
