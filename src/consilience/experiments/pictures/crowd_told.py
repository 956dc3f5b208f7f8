"""What 2,235 real pictures tell: two labellers under the answers of five people each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.experiments.pictures.crowd import SYSTEMS, Crowd
from consilience.experiments.reproduced import Axis, Column, Figure, Finding, Table
from consilience.render.words import chance

if TYPE_CHECKING:
    from consilience.verdict.categorised import TreeResult
    from consilience.verdict.duels import Duel
    from consilience.verdict.outcomes import Outcome

#: Who is ahead is settled from this probability on.
SURE = 0.95
#: So many categories are listed: those where the model does best against the data set.
LISTED = 8
MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "recall_fixed": "fixed recall",
    "f1": "F1",
}


@dataclass(frozen=True, slots=True)
class Category:
    """One category: both systems' outcomes, and who is ahead in F1 under the same truth."""

    name: str
    data: Outcome
    model: Outcome
    ahead: float
    behind: float

    @property
    def verdict(self) -> str:
        """Who is ahead, or that it is open."""
        if self.ahead >= SURE:
            return "data set ahead"
        return "model ahead" if self.behind >= SURE else "open"


def categories(crowd: Crowd) -> list[Category]:
    """Give the categories, those where the model does best first."""
    result = crowd.fine.found
    assert result is not None
    by = {(one.system, one.query): one for one in result.outcomes}
    duel = duel_of(crowd.fine)
    swap = duel.a != "data set"  # a pair begins with the system that is ahead on average
    # of one query alone there is nothing to average, and the pair itself is its comparison
    met = {one.query: one.paired for one in duel.meetings} or dict.fromkeys(
        crowd.data.categories, duel.paired
    )
    made = []
    for query, paired in met.items():
        p, q = paired.greater, paired.less
        both = by["data set", query], by["model", query]
        made.append(Category(query, *both, q if swap else p, p if swap else q))
    return sorted(made, key=lambda one: (-one.behind, one.ahead, one.name))


def duel_of(result: TreeResult, measure: str = "f1") -> Duel:
    """Give the two systems over all queries."""
    assert result.found is not None
    return next(one for one in result.found.duels if one.measure == measure)


def ahead(result: TreeResult) -> float:
    """Give the probability that the data set's labels are ahead in F1, over all queries."""
    duel = duel_of(result)
    return duel.paired.greater if duel.a == "data set" else duel.paired.less


def tables(crowd: Crowd) -> tuple[Table, ...]:
    """Give both systems over all categories, some categories, and other readings."""
    return (_overall(crowd), _listed(crowd), _readings(crowd))


def _overall(crowd: Crowd) -> Table:
    rows = []
    for what, result in (("category", crowd.fine), ("superclass", crowd.coarse)):
        assert result.found is not None
        for one in result.found.standings:
            cells: list[Any] = [f"{_plural(one.queries, what)}: {one.name}"]
            for measure in MEASURES:
                cells += [one.means[measure], one.intervals[measure]]
            rows.append(tuple(cells))
    for name in SYSTEMS:
        cells = [f"three of five: {name}"]
        for measure in ("P", "R", "R", "F1"):
            cells += [crowd.strong[name][measure].value, None]
        rows.append(tuple(cells))
    spans = [
        column
        for name in MEASURES.values()
        for column in (Column(name, digits=3), Column(f"95% of {name}", "span", digits=3))
    ]
    return Table(
        f"{len(crowd.data.pictures):,} pictures of CIFAR-100, five people each: two labellers",
        (Column("asked for: system", "head"), *spans),
        tuple(rows),
        note="Expected values averaged over the queries, and where 95% of the possible truths put "
        "the average: what is random is which pictures are of a category, each by the share of its "
        "five answers, independently. The last two rows take what at least three of five people "
        "said for the truth, as a benchmark with one label each would.",
    )


def _plural(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {'categories' if noun == 'category' else 'superclasses'}"


def _listed(crowd: Crowd) -> Table:
    every = categories(crowd)
    return Table(
        f"{min(LISTED, len(every))} of {len(every)} categories: those where the model does best",
        (
            Column("category", "head"),
            Column("pictures, data set", "count"),
            Column("pictures, model", "count"),
            Column("F1, data set"),
            Column("95%, data set", "span"),
            Column("F1, model"),
            Column("95%, model", "span"),
            Column("P(data set ahead)", "text"),
        ),
        tuple(
            (
                one.name,
                one.data.returned,
                one.model.returned,
                one.data.means["f1"],
                one.data.intervals["f1"],
                one.model.means["f1"],
                one.model.intervals["f1"],
                chance(one.ahead),
            )
            for one in every[:LISTED]
        ),
        note="Exact distributions; the two are compared under the same truth.",
    )


def _readings(crowd: Crowd) -> Table:
    rows = []
    for name, found in crowd.readings.items():
        means = {one.name: one for one in found.standings}
        duel = next(one for one in found.duels if one.measure == "f1")
        p = duel.paired.greater if duel.a == "data set" else duel.paired.less
        cells = [cell for one in SYSTEMS for cell in _mean(means[one])]
        rows.append((name, *cells, chance(p)))
    return Table(
        "Other readings of the answers both and neither",
        (
            Column("reading", "head"),
            *(
                column
                for name in SYSTEMS
                for column in (
                    Column(f"F1, {name}", digits=3),
                    Column(f"95%, {name}", "span", digits=3),
                )
            ),
            Column("P(data set ahead)", "text"),
        ),
        tuple(rows),
        note="As told: both is the lowest category that holds the two, neither the root.",
    )


def _mean(one: Any) -> tuple[float, Any]:
    return one.means["f1"], one.intervals["f1"]


def findings(crowd: Crowd) -> tuple[Finding, ...]:
    """Hold what the paper says of uncertain truth against real answers."""
    return (_root(crowd), _uncertain(crowd), _width(crowd), _strong(crowd), _better(crowd))


def _root(crowd: Crowd) -> Finding:
    known = crowd.fine.categorised
    root = known.dense(["all"])[:, 0]
    return Finding(
        "the root has always probability one",
        "for every picture",
        f"for {int((root == 1).sum()):,} of {len(root):,} pictures, by the recursion from the "
        "bottom up",
        bool((root == 1).all()),
    )


def _uncertain(crowd: Crowd) -> Finding:
    one = crowd.agreement
    votes = [max(picture["mturk"].values()) for picture in crowd.data.pictures]
    split = sum(most < 5 for most in votes)
    low, high = one.alpha.interval or (float("nan"), float("nan"))
    return Finding(
        "people do not put pictures into the same categories",
        "subject to uncertainty",
        f"the five do not all say the same of {split:,} of {len(votes):,} pictures "
        f"({split / len(votes):.0%}); Krippendorff's α on the tree is {one.alpha.value:.3f} "
        f"[{low:.3f}, {high:.3f}] ({len(votes):,} pictures drawn anew)",
        split > 0 and high < 1,
        "these are pictures whose label a model doubts: others would be easier",
    )


def _width(crowd: Crowd) -> Finding:
    """Tell how far the uncertain truth leaves precision open: in a category, and on average."""
    each = [one.data.intervals["precision"] for one in categories(crowd)]
    widths = [one[1] - one[0] for one in each if one]
    assert crowd.fine.found is not None
    whole = next(one for one in crowd.fine.found.standings if one.name == "data set")
    low, high = whole.intervals["precision"] or (float("nan"), float("nan"))
    return Finding(
        "uncertainty in the ground truth becomes uncertainty in precision and recall",
        "precision becomes a stochastic quantity",
        f"the data set's precision lies within ±{np.median(widths) / 2:.2f} in a category "
        f"(median of {len(widths)}) and within ±{(high - low) / 2:.3f} on average over them (95%): "
        "so far apart would figures lie with one person's answer about each picture for the truth",
        bool(np.median(widths) > 0),
    )


def _strong(crowd: Crowd) -> Finding:
    """See whether one truth, by majority, gives figures that uncertain truth allows."""
    assert crowd.fine.found is not None
    told, outside = [], []
    for one in crowd.fine.found.standings:
        low, high = one.intervals["f1"] or (float("nan"), float("nan"))
        strong = crowd.strong[one.name]["F1"].value
        outside.append(not low <= strong <= high)
        told.append(
            f"{one.name} {strong:.3f} against {one.means['f1']:.3f} [{low:.3f}, {high:.3f}]"
        )
    return Finding(
        "a strong ground truth is naive: it hides the uncertainty, and figures change",
        "little statistical sense",
        "F1 by what three of five said, against the people's shares: " + "; ".join(told),
        all(outside),
        "a majority makes 1 of 0.6 and 0 of 0.4: it favours whoever the majority is with, and "
        "shows none of the doubt"
        if all(outside)
        else "on these pictures the two do not differ by more than the truth leaves open",
    )


def _better(crowd: Crowd) -> Finding:
    """Say who is ahead, how sure that is, and in how many categories."""
    every = categories(crowd)
    where = {
        name: [one.name for one in every if one.verdict == name]
        for name in ("data set ahead", "model ahead", "open")
    }
    model, open_ = where["model ahead"], where["open"]
    p = duel_of(crowd.fine).tests["wilcoxon"][0]
    other = "" if np.isnan(p) else f"; over other categories: Wilcoxon p {chance(p)}"
    return Finding(
        "distributions tell which system is better, and how sure that is",
        "no figures",
        f"over {_plural(len(every), 'category')} the data set's labels are ahead in F1 with "
        f"probability {chance(ahead(crowd.fine))} (superclasses: {chance(ahead(crowd.coarse))}"
        f"{other}); category by category they are ahead with {SURE:g} or more in "
        f"{len(where['data set ahead'])}, the model in {len(model)} "
        f"({', '.join(model) or 'none'}), and {len(open_)} are open",
        None,
        "the paper has no such comparison. The model's guess is never the given label, and only "
        "pictures that it doubts were asked about: this is no verdict on CIFAR-100",
    )


def figures(crowd: Crowd) -> tuple[Figure, ...]:
    """Draw the categories: F1 of both systems, and the few in which the model comes off best."""
    every = categories(crowd)
    order = {"data set ahead": 0, "open": 1, "model ahead": 2}
    scatter = [
        {
            "category": one.name,
            "data set": one.data.means["f1"],
            "model": one.model.means["f1"],
            "who": one.verdict,
        }
        for one in sorted(every, key=lambda one: order[one.verdict])
    ]
    spread = [
        {
            "category": one.name,
            "labels": name,
            "F1": side.means["f1"],
            "low": (side.intervals["f1"] or (None, None))[0],
            "high": (side.intervals["f1"] or (None, None))[1],
        }
        for one in every[:LISTED]
        for name, side in (("data set", one.data), ("model", one.model))
    ]
    return (
        Figure(
            "categories",
            "Expected F1 in every category: the data set's labels and the model's",
            "Dots: a category each, by the expected F1 of both systems; colours tell who is ahead "
            "with probability 0.95 or more.",
            tuple(scatter),
            Axis("data set", "F1, data set's labels", (0.0, 1.0)),
            Axis("model", "F1, model's guesses", (0.0, 1.0)),
            mark="dot",
            series="who",
        ),
        Figure(
            "closest",
            "The categories in which the model comes off best: F1 and 95% of what truth may be",
            "Dots with lines: expected F1 of both systems and its interval, category by category.",
            tuple(spread),
            Axis("F1", "F1", (0.0, 1.0)),
            Axis("category", "", names=tuple(one.name for one in every[:LISTED])),
            mark="dot",
            series="labels",
        ),
    )
