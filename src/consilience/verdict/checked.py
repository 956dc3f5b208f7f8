"""What have I got? The facts of a study, and the verb that answers "who is better" for it.

These are the facts that ``consilience check`` prints and that the web app shows first: files,
respondents, joins and the condition of truth (:mod:`consilience.study.overview`), who depends on
whom, what the items are, whether some are nearly right, and what can be computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consilience.errors import quote
from consilience.study.condition import ONLY_MODELS, UNLABELLED

if TYPE_CHECKING:
    from consilience.match.near import NearMisses
    from consilience.study import Study

#: What cannot be computed while people's categories have no tree begins like this.
_NO_TREE = "scores against truth: the judges gave categories"
_BY_TREE = "precision and recall of the systems by the tree of categories (consilience tree)"


def checked(study: Study, *, benchmark: str | None = None, tree: bool = False) -> dict[str, Any]:
    """Describe a study as plain data: what ``consilience check --json`` prints, but for ``next``.

    Parameters
    ----------
    study : Study
        What was read.
    benchmark : str, optional
        The stored benchmark that it comes from.
    tree : bool
        Whether a tree of categories is known beside the study.

    Returns
    -------
    dict
        The facts of :func:`consilience.study.overview.overview`, and: ``what`` (a sentence about
        unusual input), ``of`` (what the items are), ``text`` (several readings of one text),
        ``near`` (how many items are nearly right), ``dependence`` (who answers alike beyond what
        truth explains) and ``benchmark``.

    Examples
    --------
    >>> import consilience as cs
    >>> facts = checked(cs.example_study("keyphrases"))
    >>> facts["condition"], facts["of"], usual_verb(facts)
    ('complete', 'text', 'rank')
    """
    from consilience.belief.dependence import dependence
    from consilience.study.looking import is_running_text
    from consilience.study.overview import overview
    from consilience.verdict.agreed import of_dependence

    facts = overview(study)
    facts |= {
        "what": None,
        "near": None,
        "text": is_running_text(study),
        "of": kind_of_items(study),
    }
    facts["dependence"] = None
    if facts["of"] == "text" and not facts["text"]:  # else no two items are equal
        facts["dependence"] = of_dependence(dependence(study))
    if facts["dependence"] and facts["condition"] != "absent":
        facts["dependence"]["warning"] = None  # truth tells who is right
    if benchmark is not None:
        facts["what"] = f"{benchmark} is a benchmark: what each subject answered to each query"
    elif facts["sorted"] and not facts["systems"]:
        facts["what"] = f"People gave labels that are words, {facts['categories']:,} different ones"
    facts["benchmark"] = benchmark
    if tree:
        _add_tree(facts)
    _add_items(facts, study)
    return facts


def check_result(study: Study, *, tree: bool = False) -> dict[str, Any]:
    """Give the facts of a study as a result that can be stored and rendered.

    Beside what `checked` gives it holds ``coverage``: who answered what
    (:func:`consilience.verdict.coverage.coverage`).

    Examples
    --------
    >>> import consilience as cs
    >>> made = check_result(cs.example_study("keyphrases"))
    >>> made["verb"], made["coverage"]["total"]
    ('check', 60)
    """
    from consilience.verdict.coverage import coverage
    from consilience.verdict.payload import stamped

    facts = checked(study, tree=tree)
    return stamped("check", study, facts | {"coverage": coverage(study)}, seed=0)


def nothing() -> dict[str, Any]:
    """Give the facts of no answers at all.

    Examples
    --------
    >>> nothing()["condition"], nothing()["items"], usual_verb(nothing())
    (None, 0, 'check')
    """
    names = ("files", "systems", "judges", "alike", "notes", "can", "cannot")
    queries = ("all", "with_answers", "with_truth", "with_both", "without_truth", "without_answers")
    return {
        **{name: [] for name in names},
        **dict.fromkeys(("condition", "why", "judged", "dependence", "what", "benchmark", "near")),
        **dict.fromkeys(("items", "categories"), 0),
        **dict.fromkeys(("ordered", "sorted", "lists", "text"), False),
        "queries": dict.fromkeys(queries, 0),
        "of": "text",
    }


def usual_verb(
    facts: Mapping[str, Any],
    *,
    tree: bool = False,
    truth: bool | None = None,
    files: int | None = None,
) -> str:
    """Name the verb that answers "who is better" for a study with these facts.

    Parameters
    ----------
    facts : mapping
        What `checked` gave.
    tree : bool
        Whether a tree of categories is known beside the study.
    truth : bool, optional
        Whether some files were brought as the truth; without a word on it, whether there are both
        systems and judges.
    files : int, optional
        How many files were named; without a word on it, as many as were read.

    Returns
    -------
    str
        ``rank``, ``distributions``, ``tree``, ``displacement``, ``agree``, ``curve``, ``soft`` or
        ``align``; ``check`` where something must be added first. ``rank`` of items that are not
        text means ranking after matching them softly.

    Examples
    --------
    >>> import consilience as cs
    >>> usual_verb(checked(cs.example_study("airplanes")))
    'curve'
    >>> usual_verb(checked(cs.study({"only": {"q": ["x", "y"]}})))
    'check'
    """
    systems, condition = facts["systems"], facts["condition"]
    truth = bool(systems and facts["judges"]) if truth is None else truth
    if facts["benchmark"]:
        return "displacement"
    if tree or (systems and facts["sorted"]):
        return "tree"
    if facts["lists"] and (truth or not systems):
        return "displacement"
    if not systems:
        return "agree" if condition == "uncertain" and not truth else "check"
    return _inexact(facts, len(facts["files"]) if files is None else files) or _scored(facts, truth)


def _scored(facts: Mapping[str, Any], truth: bool) -> str:
    """Name the verb for systems whose items are right or wrong."""
    systems, condition = facts["systems"], facts["condition"]
    voters = len(systems) + sum(one["kind"] == "llm" for one in facts["judges"])
    known = truth and facts["why"] not in (ONLY_MODELS, UNLABELLED)
    if condition == "absent" and (known or voters < 2):
        return "check"
    if len(systems) == 1 and facts["ordered"] and condition == "complete":
        return "curve"
    designed = facts["drawn"] is not None and facts["drawn"]["labelled"]  # they speak for all
    return "distributions" if condition == "uncertain" and not designed else "rank"


def _inexact(facts: Mapping[str, Any], files: int) -> str | None:
    """Name the verb for items that are nearly right; None where items are the same or not."""
    sides = len(facts["systems"]) + len(facts["judges"])
    if sides < 2:
        return None
    if facts["text"]:
        return "align"
    if facts["of"] == "text" and facts["near"] is None:
        return None
    if sides == files == 2:
        return "soft"
    return None if facts["of"] == "text" else "rank"


def kind_of_items(study: Study) -> str:
    """Tell what the items are: text, segments, boxes or tracks."""
    from consilience.formats.shapes import kind_of_form

    kinds = (kind_of_form(source.recognised) for source in study.sources)
    return next((kind for kind in kinds if kind != "text"), "text")


def _add_tree(facts: dict[str, Any]) -> None:
    """Say what a tree of categories makes possible."""
    lacking = [line for line in facts["cannot"] if line.startswith(_NO_TREE)]
    if lacking:
        facts["cannot"] = [line for line in facts["cannot"] if line not in lacking]
        facts["can"] = [*facts["can"], _BY_TREE]


def _add_items(facts: dict[str, Any], study: Study) -> None:
    """Say what can be told of items that need not be equal, and whether some are nearly right."""
    from consilience.match.near import near_misses

    if facts["of"] != "text":
        told = f"how far {facts['of']} overlap that are not equal (consilience soft)"
        sides = len(facts["systems"]) + len(facts["judges"])
        facts["can"] = [told] if facts["systems"] and sides > 1 else []
    elif facts["text"]:
        facts["what"] = "These look like several readings of one text"
        told = "the readings word by word, side by side, with error rates (consilience align)"
        facts["can"].insert(0, told)
    elif not facts["sorted"]:
        found = near_misses(study)
        facts["near"] = found and _counted(found)
        facts["can"] += [_near(found)] if found else []


def _counted(found: NearMisses) -> dict[str, int]:
    return {name: getattr(found, name) for name in ("looked", "exact", "near", "beside")}


def _near(found: NearMisses) -> str:
    """Say how many items are nearly right, and how to count them."""
    gold, other = found.example
    were = "was" if found.exact == 1 else "were"
    said = f"of {found.looked:,} gold items {found.exact:,} {were} returned exactly, "
    if found.near:
        said += f"{found.near:,} nearly ({quote(gold)} as {quote(other)})"
    else:
        near = "item lies" if found.beside == 1 else "items lie"
        said += (
            f"and {found.beside:,} more returned {near} near them ({quote(other)}, {quote(gold)})"
        )
    return f"near misses: {said}: consilience soft, or rank --match soft"
