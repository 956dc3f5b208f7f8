"""When a ranking can be made of sums inside DuckDB or Spark, and how that is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consilience.belief.declaring import declared
from consilience.engine.collected import collected
from consilience.engine.counting import counted
from consilience.engine.expressions import SETTLED
from consilience.engine.in_engine import BELIEFS, rank_in_engine
from consilience.engine.opening import ready
from consilience.engine.sizes import processors
from consilience.engine.sums import cutoffs_of
from consilience.errors import UsageError
from consilience.measures.names import parse
from consilience.study.condition import condition_of
from consilience.study.models import models_vote
from consilience.verdict.panel import MOST_VOTES
from consilience.verdict.ran import Ran
from consilience.verdict.rank import SET_MEASURES

if TYPE_CHECKING:
    from consilience.engine.asked import Asked
    from consilience.engine.tables import Tables
    from consilience.formats.answer_kinds import AnswerKind
    from consilience.study.condition import Facts
    from consilience.verdict.rank import Verdict
    from consilience.verdict.settling import Rules

#: What is computed on a cluster when nobody asks for anything.
SUMMED_MEASURES = ("P@10", "R@10", "F1@10")
#: Bytes that are left for what is not DuckDB's.
BESIDE = 300_000_000
_USUAL = "measures other than P, R, F and Judged need whole lists (--engine duckdb)"
_NO_POSTERIOR = "how far judges' doubts move scores needs whole lists"
_NO_CURVES = "precision-recall curves need whole lists"
_NO_CUTOFFS = "figures at every cutoff need whole lists"


def expressible(
    asked: Asked,
    rules: Rules,
    *,
    votes: int,
    judged: Facts | None = None,
    in_order: bool = False,
) -> str | None:
    """Say why a ranking cannot be made of sums without losing what memory would show; None: it can.

    Parameters
    ----------
    asked, rules
        What was asked for.
    votes
        How many votes there are, about.
    judged
        What is known of the truth, where some was given.
    in_order
        Whether the votes are a votes file, sorted by query: then arrays take no longer, and
        nothing is lost.
    """
    if in_order:
        return "the votes are sorted by query: arrays take no longer, and tell more"
    if votes <= MOST_VOTES:
        return "the votes are few enough to be ranked at once"
    if not asked.measures:
        return "no measure was named, and the usual ones of ranked answers need whole lists"
    names = [parse(name, rel=asked.rel) for name in (*asked.measures, *asked.also)]
    try:
        cutoffs_of(names)
    except UsageError as error:
        return str(error)
    belief = asked.belief
    if belief == "auto":
        belief = "ls-eb" if judged is None or judged.lacking else "gold"
        belief = "consensus" if asked.weights is not None else belief
    wanted = {
        f"--belief {belief} is not made of sums": belief not in BELIEFS,
        f"--ties {rules.ties} needs whole lists": rules.ties not in SETTLED,
        "--leave-out needs beliefs of its own for every system": rules.leave_out != "none",
        "--depth cuts lists": asked.depth is not None,
        "--panel runs other methods": bool(rules.show.panel),
        "--cutoffs needs whole lists": bool(rules.show.cutoffs),
        "--virtual needs every item": rules.show.virtual,
        "judges have weights": belief == "consensus" and judged is not None,
        "truth is not complete, and what unjudged items may do needs whole lists": (
            belief == "gold" and (judged is None or not _complete(judged))
        ),
    }
    return next((reason for reason, so in wanted.items() if so), None)


def _complete(judged: Facts) -> bool:
    """Tell whether judges list all that is relevant and agree on it."""
    sure = not judged.several and not judged.fractions and not judged.drawn
    return judged.silence == {"no"} and sure and not judged.sorts_only


def rank_in_duckdb(
    files: Sequence[Any],
    truth: Sequence[Any],
    asked: Asked,
    rules: Rules,
    *,
    memory: int,
    workers: int | None,
    columns: Mapping[str, str] | None,
    truth_columns: Mapping[str, str] | None = None,
    answers: AnswerKind | None = None,
    universe: int | None,
) -> Verdict | None:
    """Rank long tables inside DuckDB; None where they are none, or curves would be lost."""
    from consilience.engine.duck import connected, open_duck

    most = max(memory - BESIDE, memory // 2)
    with connected(memory=most, threads=workers, folder=ready()) as duck:
        try:
            tables = open_duck(
                duck,
                files,
                truth=truth,
                columns=columns,
                truth_columns=truth_columns,
                answers=answers,
                universe=universe,
            )
        except UsageError:  # whoever reads them into arrays can, or says better what is wrong
            return None
        known = counted(tables)
        belief = asked.believed_by(known.facts)
        if belief == "gold" and (tables.said.scored or tables.said.ranked):
            return None
        threads = workers or processors()
        ran = Ran("duckdb", "expressions", len(tables.parts), threads, memory)
        notes = _lost(tables, known.facts, belief, "--cutoffs 10")
        return _ranked(tables, asked, rules, known, belief, asked.with_usual(()), ran, notes)


def rank_in_spark(
    files: Sequence[Any],
    truth: Sequence[Any],
    asked: Asked,
    rules: Rules,
    *,
    master: str | None,
    session: Any,
    columns: Mapping[str, str] | None,
    truth_columns: Mapping[str, str] | None = None,
    answers: AnswerKind | None = None,
    universe: int | None,
) -> Verdict:
    """Rank long tables on Spark; what cannot be said in sums is refused."""
    from consilience.engine.spark import connected, open_spark
    from consilience.engine.spark_start import LOCAL

    if asked.depth is not None:
        raise UsageError("--depth needs whole lists, not sums (fix: --engine duckdb)")
    cutoffs_of([parse(name, rel=asked.rel) for name in (*asked.measures, *asked.also)])
    with connected(master=master or LOCAL, session=session) as spark:
        tables = open_spark(
            spark,
            files,
            truth=truth,
            columns=columns,
            truth_columns=truth_columns,
            answers=answers,
            universe=universe,
        )
        known = counted(tables)
        belief = asked.believed_by(known.facts)
        ordered = tables.said.scored or tables.said.ranked
        names = asked.with_usual(SUMMED_MEASURES if ordered else SET_MEASURES)
        notes = [] if asked.measures or not ordered else [_USUAL]
        notes += _lost(tables, known.facts, belief, "--engine duckdb")
        workers = int(spark.session.sparkContext.defaultParallelism)
        ran = Ran("spark", "expressions", len(tables.parts), workers)
        return _ranked(tables, asked, rules, known, belief, names, ran, notes)


def _lost(tables: Tables, facts: Facts, belief: str, fix: str) -> list[str]:
    """Say what memory would show, and sums do not tell."""
    doubt = belief == "gold" and condition_of(facts).name == "uncertain"
    lost = [f"{_NO_POSTERIOR} ({fix})"] if doubt else []
    if not (tables.said.scored or tables.said.ranked) or tables.said.unordered:
        return lost
    if belief == "gold":
        return [*lost, f"{_NO_CURVES} ({fix})"]
    return [] if facts.spoken else [f"{_NO_CUTOFFS} ({fix})"]


def _ranked(
    tables: Tables,
    asked: Asked,
    rules: Rules,
    known: Any,
    belief: str,
    names: Sequence[str],
    ran: Ran,
    notes: Sequence[str] = (),
) -> Verdict:
    """Rank what is on an engine, with families as they were declared."""
    nobody = collected(tables, [])
    models = models_vote(nobody)
    people = declared(nobody, asked.families)
    tables = replace(tables, respondents=people.respondents)
    verdict = rank_in_engine(
        tables,
        belief=belief,
        measures=names,
        rules=rules,
        options=asked.options(belief),
        known=known,
        notes=(*([] if models is None else [models]), *people.notes, *notes),
    )
    return replace(verdict, ran=ran)
