"""What have I got? The facts of a study that people want to see before any figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.formats.drawn import NOBODY
from consilience.study.build import told_by
from consilience.study.condition import (
    ONLY_MODELS,
    UNLABELLED,
    Condition,
    condition,
    judged_queries,
    no_common_query,
    no_truth,
    sorts_only,
)
from consilience.study.drawn import drawn_labels, is_drawn, is_labelled
from consilience.study.models import look_like_models

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Answers, Study

#: Two systems whose answers overlap at least this much are shown as voting alike.
ALIKE = 0.9
#: Beyond this many systems, overlaps are not looked for.
MOST = 500
_UNDRAWN = (
    "intervals where unjudged items matter: labels that were not drawn tell nothing of other items "
    "(consilience next draws some)"
)


def overview(study: Study) -> dict[str, Any]:
    """Describe a study as plain data: files, respondents, joins, condition, what can be computed.

    Examples
    --------
    >>> import consilience as cs
    >>> facts = overview(cs.example_study("keyphrases"))
    >>> facts["condition"], facts["queries"]["with_truth"], len(facts["systems"])
    ('complete', 60, 8)
    """
    what = condition(study)
    judged = no_truth(study) is None
    can, cannot = _possible(study, what)
    return {
        "files": [
            {
                "file": source.name,
                "recognised": source.recognised,
                "why": source.why,
                "rows": source.rows,
                "notes": list(source.notes),
            }
            for source in study.sources
        ],
        "condition": what.name,
        "why": what.why,
        "judged": what.judged if judged and study.answers.lists else None,
        "queries": _queries(study),
        "items": len(study.items),
        "systems": _respondents(study, study.answers, systems=True),
        "judges": _respondents(study, study.evidence, systems=False),
        "alike": alike(study),
        "ordered": study.answers.score is not None or study.answers.rank is not None,
        "drawn": drawn_labels(study),
        "notes": [
            *(note for note in study.notes if note not in told_by(study.sources)),
            *look_like_models(study),
        ],
        "categories": len(study.categories),
        "sorted": sorts_only(study),
        "lists": gave_lists(study),
        "can": can,
        "cannot": cannot,
    }


def _queries(study: Study) -> dict[str, int]:
    asked, judged = np.unique(study.answers.query), judged_queries(study)
    return {
        "all": len(study.queries),
        "with_answers": len(asked),
        "with_truth": len(judged),
        "with_both": len(np.intersect1d(asked, judged)),
        "without_truth": len(np.setdiff1d(asked, judged)),
        "without_answers": len(np.setdiff1d(judged, asked)),
    }


def _respondents(study: Study, answers: Answers, *, systems: bool) -> list[dict[str, Any]]:
    """Count who answered what; what was drawn and waits for its label is nobody's answer."""
    people = study.respondents
    lists = np.bincount(answers.respondent, minlength=len(people))
    said = np.cumsum(~is_drawn(answers) | is_labelled(answers))
    length = np.diff(np.concatenate([[0], said])[answers.starts])
    rows = np.bincount(answers.respondent, weights=length, minlength=len(people))
    queries = len(judged_queries(study)) or len(study.queries)
    return [
        {
            "name": people.names[code],
            "kind": people.kind[code],
            "family": people.family[code],
            "queries": int(lists[code]),
            "missing_queries": max(queries - int(lists[code]), 0) if systems else None,
            "answers": int(rows[code]),
        }
        for code in range(len(people))
        if (people.kind[code] == "system") == systems
        and (rows[code] or people.names[code] != NOBODY)
    ]


def alike(study: Study) -> list[dict[str, Any]]:
    """Find pairs of systems that return nearly the same items (Jaccard index, all queries)."""
    systems = study.respondents.of_kind("system")
    if not 1 < len(systems) <= MOST:
        return []
    shared, size = _overlaps(study, systems)
    union = size[:, None] + size[None, :] - shared
    with np.errstate(invalid="ignore"):
        jaccard = np.where(union > 0, shared / union, 0.0)
    pairs = [
        {
            "a": study.respondents.names[systems[a]],
            "b": study.respondents.names[systems[b]],
            "overlap": float(jaccard[a, b]),
        }
        for a, b in zip(*np.nonzero(np.triu(jaccard >= ALIKE, 1)), strict=True)
    ]
    return sorted(pairs, key=lambda pair: -pair["overlap"])


def _overlaps(
    study: Study, systems: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count the items that each two systems share, and those that each returns."""
    from scipy.sparse import csr_array

    answers = study.answers
    line = np.full(len(study.respondents), -1)
    line[systems] = np.arange(len(systems))
    row = line[answers.respondent][answers.list_of_row()]
    yes = np.ones(len(answers)) if answers.vote is None else np.nan_to_num(answers.vote) > 0
    votes = csr_array(
        (yes.astype(np.float64), (row, answers.item)), shape=(len(systems), len(study.items))
    )
    shared = np.asarray((votes @ votes.T).todense())
    return shared, shared.diagonal()


def _possible(study: Study, what: Condition) -> tuple[list[str], list[str]]:
    """Say what can be computed and what cannot, with the reason."""
    ordered = study.answers.score is not None or study.answers.rank is not None
    among = _among_judges(study, what)
    if not study.answers.lists:
        return among, ["nothing can be ranked: there are no systems' answers"]
    if sorts_only(study):
        told = "scores against truth: the judges gave categories, and their tree is not known here"
        return among, [f"{told} (consilience tree)"]
    apart = no_common_query(study)
    if apart:
        return [], [f"scores against truth: {apart}"]
    if what.name == "absent":
        can, cannot = _without_truth(study, what, ordered)
        return [*can, *among], cannot
    can = ["P, R, F1 and other set measures"]
    cannot = []
    certain = what.name != "uncertain"
    if ordered and certain:
        can.append("AP, nDCG@k, P@k and other ranked measures; precision-recall curves")
    elif ordered:
        can.append("nDCG@k, P@k; AP, RR and Success@k as expected values")
    else:
        cannot.append("ranked measures: the answers have neither scores nor ranks")
    if is_drawn(study.evidence).any():
        return _by_design(among, cannot)
    if len(judged_queries(study)) >= 3:
        can.append("intervals and P(best), by drawing the queries anew")
    else:
        cannot.append("intervals and P(best): fewer than 3 queries have truth")
    if what.name == "partial":
        can.append("worst and best case of unjudged items; condensed lists, Bpref and infAP beside")
        cannot.append(_UNDRAWN)
    if not certain:
        can.append("P, R, F1 and AP as distributions (consilience distributions)")
    if not certain and ordered:
        cannot.append("Rprec, AUC and other measures that need 0/1 truth: judges disagree")
    return [*can, *among], cannot


def _by_design(among: list[str], cannot: list[str]) -> tuple[list[str], list[str]]:
    """Say what labels tell that were drawn by design."""
    can = [
        "P, R and F1 (with cutoffs, too) of all items, estimated from labels drawn by design",
        "their intervals, P(best), and how many more labels would settle it (consilience next)",
    ]
    cannot = [*cannot, "AP, nDCG and other measures: labels drawn by design estimate P, R and F"]
    return [*can, *among], cannot


def gave_lists(study: Study) -> bool:
    """Tell whether people ordered what they found: by ranks, or by relevances that are fractions.

    Examples
    --------
    >>> import consilience as cs
    >>> said = {"query": ["q"] * 2, "subject": ["Ann"] * 2, "item": ["a", "b"]}
    >>> gave_lists(cs.study({**said, "relevance": [0.4, 1]})), gave_lists(cs.study({**said}))
    (True, False)
    """
    evidence = study.evidence
    kinds = np.array([kind in ("person", "llm") for kind in study.respondents.kind], bool)
    people = kinds[evidence.respondent][evidence.list_of_row()] if evidence.lists else kinds[:0]
    if evidence.rank is not None and bool((evidence.rank[people] > 0).any()):
        return True
    if evidence.grade is None:
        return False
    said = evidence.grade[people]
    within = bool(((said >= 0) & (said <= 1) | np.isnan(said)).all())
    return within and bool(((said > 0) & (said < 1)).any())


def _among_judges(study: Study, what: Condition) -> list[str]:
    """Say what can be computed from what judges said alone."""
    can = []
    if study.evidence.category is not None:
        can.append("what people make of items in a tree of categories (consilience tree)")
    if gave_lists(study):
        can.append("how far each system is from each subject's list (consilience displacement)")
    several = len(np.unique(study.evidence.respondent)) > 1
    if several and (what.name == "uncertain" or what.why == ONLY_MODELS):
        can.append("how far the judges agree, where not, who differs (consilience agree)")
    return can


def _without_truth(study: Study, what: Condition, ordered: bool) -> tuple[list[str], list[str]]:
    """Say what can be computed from the systems' answers, and language models', alone."""
    why = "there is no truth (name a file with --truth)"
    cannot = [f"scores against truth: {what.why if what.why in (ONLY_MODELS, UNLABELLED) else why}"]
    if len(study.systems) + len(study.respondents.of_kind("llm")) < 2:
        return [], [*cannot, "agreement: there is no other system to agree with"]
    lists = all(source.recognised == "list" for source in study.sources)
    shown = "nDCG, P@k, R@k, F1@k" if ordered and not lists else "P, R, F1"
    return [f"who agrees most with the others, by {shown} (agreement is not correctness)"], [
        *cannot,
        "intervals: no label says how far agreement is from the truth (consilience next)",
    ]
