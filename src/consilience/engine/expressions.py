r"""One definition of what engines can compute, as lazy expressions: DuckDB and Spark run it alike.

Everything here is a function of frames (:mod:`consilience.engine.tables`) that gives a frame;
nothing is computed before somebody collects it. With V voters of weight κ, over the items that
somebody mentioned, as in :mod:`consilience.belief.votes`::

    yes(i)    = Σ_k κ_k v_ik                         over the voters that spoke of i
    spoken(i) = silent(q) + Σ_k κ_k (known_ik − lists_k)    over the rows about i
    silent(q) = Σ_k κ_k                              over those asked whose silence means no

The belief p of an item is a function of sums over the rows about it (:func:`tallies`, then
:func:`consensus`, :func:`shrunk` or :func:`gold`); :func:`believed` writes it beside every row, and
:func:`cells` adds up for every list what measures need. Grouping by item and joining takes two
passes over the rows, and yet less than half the time of window functions, unless an engine turns
these into the same by itself.

Where everybody means no by silence, and nobody cannot tell, as much weight spoke of every item of a
query: then p is a linear function of yes(i), with a slope and an intercept for every query, and
cells of yes(i) are enough.

To draw queries anew, to average them and to compare systems, nothing but these cells is needed:
a query is drawn with all its cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals.stable.v2 as nw

from consilience.engine.tables import Said
from consilience.errors import UsageError, unknown
from consilience.study.ranking import TIES

if TYPE_CHECKING:
    from consilience.study.ranking import Ties

Frame: TypeAlias = "nw.LazyFrame[Any]"
#: Sums of weights up to here are nothing (:mod:`consilience.belief.agreement`).
NOTHING = 1e-12
#: What opinions are told apart by.
ITEM = ("query", "item")
_LIST = ("query", "respondent")
#: The position of what has none.
NOWHERE = nw.lit(None).cast(nw.Int64())
#: How ties can be settled inside an engine.
SETTLED: tuple[Ties, ...] = ("trec", "rank", "order")


def said(evidence: Frame, *, relevant_from: float = 1.0) -> Frame:
    """Say of every row of judges what it votes: grades below 0, and gaps, say nothing (null).

    As :func:`consilience.belief.judges.said`.
    """
    columns = evidence.collect_schema().names()
    if "grade" not in columns:
        if "vote" in columns:
            return evidence
        drawn = "probability" in columns  # and not labelled yet
        yes = nw.when(nw.col("probability").is_null()).then(nw.lit(1.0)) if drawn else nw.lit(1.0)
        return evidence.with_columns(vote=yes)
    grade = nw.col("grade")
    vote: nw.Expr = nw.when(grade >= 0).then(number(grade >= relevant_from))
    if "vote" in columns:
        vote = nw.when(grade.is_null()).then(nw.col("vote")).otherwise(vote)
    return evidence.with_columns(vote=vote)


def key(holds: Said) -> nw.Expr | None:
    """What orders answers, highest first: scores, else ranks, else votes that are fractions.

    None where nothing does. As :mod:`consilience.study.ranking`.
    """
    by_rank = -nw.when(nw.col("rank") > 0).then(nw.col("rank").cast(nw.Float64()))
    if holds.scored:
        return nw.coalesce("score", by_rank) if holds.ranked else nw.col("score")
    if holds.ranked:
        return by_rank
    return nw.col("vote") if holds.fractions else None


def positions(answers: Frame, holds: Said, *, ties: Ties = "trec") -> Frame:
    """Give every returned answer its position in its list, from 1; null to those not returned.

    Scores decide, highest first, else ranks; equal ones are settled by the name of the item as
    text, descending by bytes ("trec"), by the rank column ("rank") or by the order of the input
    ("order"). An answer whose list has no order gets no position.

    Parameters
    ----------
    answers
        The answers.
    holds
        What they hold.
    ties
        How equal scores are settled.
    """
    check_ties(ties, holds)
    by = key(holds)
    if by is None:
        return answers.with_columns(position=NOWHERE)
    lists = [*_LIST, *(["returned"] if holds.noes else [])]
    answers = answers.with_columns(key=by, returned=number(_returned()))
    if ties == "trec":
        answers = answers.with_columns(text=nw.col("item").cast(nw.String()))
        place = nw.col("item").cum_count(reverse=True).over(*lists, order_by=["key", "text"])
    else:
        first = {"first": nw.col("rank").fill_null(0)} if ties == "rank" else {}
        answers = answers.with_columns(falling=-nw.col("key"), **first)
        order = ["falling", *first, "row"]
        place = nw.col("item").cum_count().over(*lists, order_by=order)
    known = (nw.col("returned") > 0) & ~nw.col("key").is_null()
    return answers.with_columns(position=place).with_columns(
        position=nw.when(known).then(nw.col("position"))
    )


def check_ties(ties: Ties, holds: Said) -> None:
    """Say so where ties cannot be settled in a way."""
    if ties not in TIES:
        raise unknown("rule for ties", ties, SETTLED)
    if ties not in SETTLED:
        raise UsageError(
            f"ties={ties} needs all lists in memory (fix: --ties trec, or --engine memory)"
        )
    if ties == "order" and not holds.rows_ordered:
        raise UsageError("ties cannot be settled by order: rows have none here (fix: ties=trec)")


def near_positions(answers: Frame, holds: Said) -> Frame:
    """Give positions that are right unless answers tie or ranks have gaps; quicker.

    Where no more and no fewer than k answers of a list stand at positions up to k, these are its
    first k: :func:`cells` counts them, and whoever reads the counts sees whether they are right.
    """
    by = key(holds)
    if by is None:
        return answers.with_columns(position=NOWHERE)
    returned = _returned()
    if holds.ranked and not holds.scored:
        known = returned & (nw.col("rank") > 0)
        return answers.with_columns(
            key=by, position=nw.when(known).then(nw.col("rank").cast(nw.Int64()))
        )
    answers = answers.with_columns(key=nw.when(returned).then(by) if holds.noes else by)
    place = nw.col("key").rank("min", descending=True).over(*_LIST)
    return answers.with_columns(position=place.cast(nw.Int64()))


def opinions(answers: Frame, evidence: Frame | None) -> Frame:
    """Put what systems (``judge`` 0) and judges (1) said one below the other.

    What judges said is as :func:`said` gives it; they have no positions.
    """
    columns = ["query", "respondent", "item", "vote"]
    present = answers.collect_schema().names()
    more = [name for name in ("position", "key") if name in present]
    rows = answers.select(*columns, *more, judge=nw.lit(0).cast(nw.Int64()))
    if evidence is None:
        return rows
    kinds = {"position": nw.Int64(), "key": nw.Float64()}
    none = {name: nw.lit(None).cast(kinds[name]) for name in more}
    judged = evidence.select(*columns, **none, judge=nw.lit(1).cast(nw.Int64()))
    return nw.concat([rows.select(judged.collect_schema().names()), judged])


def told(rows: Frame, people: Frame | Mapping[str, float]) -> Frame:
    """Write beside opinions who has them.

    ``people`` holds of everybody (``judge``, ``respondent``) some of: ``votes``, 1 where somebody
    votes; ``weight``, 0 where not; ``lists``, 1 where silence means no; of judges ``gold``,
    ``judging`` (gold or a person) and ``listing`` (a person whose silence means no). Numbers
    instead of a frame: the same of all.
    """
    if isinstance(people, Mapping):
        return rows.with_columns(**{name: nw.lit(value) for name, value in people.items()})
    return rows.join(people, on=["judge", "respondent"], how="inner")


def tallies(rows: Frame, names: Sequence[str]) -> Frame:
    """Add up for every item what is :func:`told` of it; ``count`` is how many rows it has.

    - ``yes`` and ``shift``: the weight that says yes, and what spoken(i) has beyond silent(q);
    - ``heard`` and ``word``: how many of gold spoke, and what they said together;
    - ``judges`` and ``word_of_judges``: the same of gold and people;
    - ``named``: how many people who list what they found named the item.
    """
    vote = nw.col("vote").fill_null(0.0)
    known = number(~nw.col("vote").is_null())
    sums = {
        "yes": lambda: nw.col("weight") * vote,
        "shift": lambda: nw.col("weight") * (known - nw.col("lists")),
        "heard": lambda: nw.col("gold") * known,
        "word": lambda: nw.col("gold") * vote,
        "judges": lambda: nw.col("judging") * known,
        "word_of_judges": lambda: nw.col("judging") * vote,
        "named": lambda: nw.col("listing") * known,
    }
    wanted = {name: sums[name]().sum() for name in names}
    return rows.group_by(*ITEM).agg(count=nw.len(), **wanted)


def totals(items: Frame) -> Frame:
    """Add tallies up over the items of every query, and count the items.

    All weight that spoke of a query is ``items`` · silent + ``shift``.
    """
    return items.group_by("query").agg(
        items=nw.len(), yes=nw.col("yes").sum(), shift=nw.col("shift").sum()
    )


def consensus(items: Frame, queries: Frame, *, top: float, bottom: float) -> Frame:
    """Believe the weighted share of yes (:func:`consilience.consensus`): adds ``p``.

    ``p(i) = (yes(i) + ⊤) / (spoken(i) + ⊤ + ⊥)``; null where nobody spoke.

    Parameters
    ----------
    items
        Tallies: ``yes`` and ``shift``.
    queries
        For every query, ``silent``.
    top, bottom
        The weights of the virtual voters.
    """
    below = nw.col("silent") + nw.col("shift") + (top + bottom)
    share = ((nw.col("yes") + top) / below).clip(0.0, 1.0)
    items = items.join(queries, on="query", how="inner")
    return items.with_columns(p=nw.when(below > NOTHING).then(share))


def shrunk(items: Frame, queries: Frame, *, prior: float) -> Frame:
    """Believe the share of yes, drawn towards that of the query (:func:`consilience.ls_eb`).

    ``p(i) = (yes(i) + a m(q)) / (spoken(i) + a)`` with ``a = prior`` voters. ``queries`` holds
    ``silent`` and ``m`` for every query; the rest is as in :func:`consensus`.
    """
    spoken = nw.col("silent") + nw.col("shift")
    items = items.join(queries, on="query", how="inner")
    return items.with_columns(p=(nw.col("yes") + prior * nw.col("m")) / (spoken + prior))


def gold(items: Frame, queries: Frame, *, listed: bool) -> Frame:
    """Believe the judges (:func:`consilience.gold`): adds ``p``, null where nobody has judged.

    ``p(i)`` is the share of the judges that spoke of i who say yes; people who list what they
    found, were asked, and did not name i say no.

    Parameters
    ----------
    items
        Tallies of ``judges``.
    queries
        For every query, ``listers``: how many people were asked who list what they found.
    listed
        Whether gold lists all that is relevant: what it does not name is not.
    """
    spoken = nw.col("judges") + nw.col("listers") - nw.col("named")
    share = nw.when(nw.col("judges") > 0).then(nw.col("word_of_judges") / spoken)
    items = items.join(queries, on="query", how="inner")
    return items.with_columns(p=share.otherwise(nw.lit(0.0)) if listed else share)


def clamped(items: Frame, *, listed: bool) -> Frame:
    """Put gold's word in the place of ``p`` (:func:`consilience.belief.judges.clamped`).

    ``golden`` tells whether gold was asked an item's query; where gold lists what is relevant
    (``listed``), nothing else is.
    """
    p = nw.col("p")
    if listed:
        p = nw.when(nw.col("golden") > 0).then(nw.lit(0.0)).otherwise(p)
    word = nw.col("word") / nw.col("heard")
    return items.with_columns(p=nw.when(nw.col("heard") > 0).then(word).otherwise(p))


def believed(rows: Frame, items: Frame) -> Frame:
    """Write beside every opinion what is believed of its item, and how many rows speak of it."""
    return rows.join(items.select("query", "item", "count", "p"), on=list(ITEM), how="inner")


def guessed(answers: Frame, guess: Frame) -> Frame:
    """Give answers the ``guess`` for their item as ``p``: sums of it are what AIPW starts from.

    Items that the guess does not name have none. :func:`cells` of the result gives Σ guess over
    what each list returned; ``guess.group_by("query")`` gives it over all items.
    """
    told = guess.select("query", "item", p=nw.col("guess"))
    return answers.join(told, on=list(ITEM), how="left")


def labelled(answers: Frame, labels: Frame) -> Frame:
    """Give the answers about items that have a label: who returned them, at which position.

    ``labels`` holds query, item, label, probability; ``answers`` carry positions.
    """
    wanted = ["query", "respondent", "item", "vote", "position", "label", "probability"]
    return answers.join(labels, on=list(ITEM), how="inner").select(wanted)


def cells(rows: Frame, *, cutoffs: Sequence[int] = (), plain: bool = False) -> Frame:
    """Add up for every list (query, judge, respondent) what measures need of its rows.

    - ``rows``; ``length`` and ``returned``: how many were returned, and the sum of their votes;
    - ``found`` = Σ vote · p and ``judged``, how many returned items have a belief; these, and
      ``returned``, with ``@k`` over the first k alone, where ``within@k`` counts them;
    - ``seen`` and ``held``: the items that were spoken of at all, and Σ p over them;
    - ``items`` and ``relevant``: this list's part of the query's items and of Σ p over them, where
      rows share an item equally (``count``); their sums over lists are the query's;
    - ``unordered``: returned answers that nothing puts in order (no ``key``).

    Parameters
    ----------
    rows
        Opinions with a belief ``p``, or answers with a guess.
    cutoffs
        Depths k.
    plain
        Whether all rows say yes, have a belief, and stand in order. Then ``length``, ``returned``,
        ``seen`` and ``judged`` are ``rows``, ``held`` is ``found``: they are left out.
    """
    present = rows.collect_schema().names()
    vote, p = nw.col("vote").fill_null(0.0), nw.col("p").fill_null(0.0)
    yes, known = number(_returned()), number(~nw.col("vote").is_null())
    worth, judged = vote * p, yes * number(~nw.col("p").is_null())
    sums: dict[str, nw.Expr] = {"rows": nw.len(), "found": worth.sum()}
    if plain:
        worth, p = nw.col("p"), nw.col("p")
        sums["found"] = worth.sum()
    else:
        sums |= {
            "length": yes.sum(),
            "returned": vote.sum(),
            "judged": judged.sum(),
            "seen": known.sum(),
            "held": (known * p).sum(),
        }
        if "key" in present:
            sums["unordered"] = (yes * number(nw.col("key").is_null())).sum()
    if "count" in present:
        sums |= {"items": (1.0 / nw.col("count")).sum(), "relevant": (p / nw.col("count")).sum()}
    for k in cutoffs:
        within = (nw.col("position") <= k).fill_null(False)
        sums |= {
            f"found@{k}": nw.when(within).then(worth).otherwise(nw.lit(0.0)).sum(),
            f"within@{k}": number(within).sum(),
        }
        if not plain:
            sums[f"judged@{k}"] = (judged * number(within)).sum()
            sums[f"returned@{k}"] = (vote * number(within)).sum()
    by = ["query", *(["judge"] if "judge" in present else []), "respondent"]
    return rows.group_by(*by).agg(**sums)


def _returned() -> nw.Expr:
    return (nw.col("vote") > 0).fill_null(False)


def number(yes: nw.Expr) -> nw.Expr:
    """Make numbers of yes and no: engines add up numbers only."""
    return nw.when(yes).then(nw.lit(1.0)).otherwise(nw.lit(0.0))
