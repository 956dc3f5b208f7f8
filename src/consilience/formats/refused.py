"""Kinds of answers that are recognised and not compared yet: each is refused in one sentence.

A table of labels, probabilities or outcomes has columns that look like those of lists and votes.
Read as such it would give figures that mean nothing. ``--answers`` says so where a table is meant
to be read as lists or votes all the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes
from consilience.errors import InputError, KindError, bad, quote
from consilience.formats import aside
from consilience.formats import roles as r
from consilience.formats.answer_kinds import are_lists
from consilience.formats.cells import as_numbers, strings
from consilience.formats.less import is_less_better
from consilience.formats.links import plain
from consilience.formats.rows import ONLY_QUERY

if TYPE_CHECKING:
    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.cells import Sheet
    from consilience.formats.rows import Kind, Rows

#: Columns with these names hold an outcome: how well a system did on an item.
_OUTCOMES = frozenset(
    (
        *("score", "scores", "correct", "is_correct", "acc", "acc_norm", "accuracy", "reward"),
        *("pass", "passed", "success", "loss", "rating", "exact_match", "em", "f1", "precision"),
        *("recall", "bleu", "sacrebleu", "chrf", "ter", "rouge", "rouge1", "rouge2", "rougel"),
        *("meteor", "comet", "bertscore", "wer", "cer", "ndcg", "map", "mrr", "ap", "auc", "iou"),
        *("dice", "mae", "mse", "rmse", "perplexity", "ppl", "faithfulness", "win_rate"),
        *("main_score", "metric", "metric_value", "p", "r", "rr", "rprec", "bpref", "prec", "rec"),
        *("correctness", "helpfulness", "toxicity", "quality", "hallucination", "groundedness"),
        *("answer_relevancy", "answer_relevance", "context_precision", "context_recall"),
        *("cosine_sim", "cosine_similarity", "distance", "error", "cost", "latency", "support"),
        *("f_score", "fscore", "specificity", "sensitivity", "kappa", "mcc", "spearman", "pearson"),
    )
)
#: The same with the name of a system or an average in front, or with a number behind.
_OUTCOME = re.compile(
    r"(?:.+_)?(?:score|correct|acc|accuracy|reward|passed|loss|em|f1|precision|recall|bleu|chrf|"
    r"rouge[l12]?|wer|cer|auc|f1_score|latency)(?:_?\d+)?"
)
#: Names of coordinates: columns called so hold places, whatever their numbers are.
_COORDINATES = frozenset(
    (
        *("x", "y", "w", "h", "x1", "y1", "x2", "y2", "xmin", "ymin", "xmax", "ymax", "left"),
        *("top", "right", "bottom", "width", "height", "x_center", "y_center", "xc", "yc", "cx"),
        *("cy", "center_x", "center_y", "x_centre", "y_centre", "x_min", "y_min", "x_max", "y_max"),
    )
)
#: Beside a system, these number the attempts at an item.
_REPEATS = frozenset(("run", "run_id", "seed", "repeat", "trial", "epoch", "attempt", "sample"))
_SYSTEMS = frozenset(("system", "system_id", "run", "run_id", "runid", "tag", "model", "model_id"))
_PREDICTED = frozenset(("prediction", "predicted", "pred", "y_pred"))
#: Names of what may be told of an item, too, where no other column says anything of it.
_TOLD = frozenset(("language", "lang", "gender", "country", "age", "priority", "weight", "split"))
#: Names of what a learner is to tell: in a system's table they hold what it told.
_TARGETS = frozenset(("label", "target", "class"))
#: Names of measures as evaluation programs write them, with a depth or without one.
_MEASURE = re.compile(
    r"(p|r|f1|map|gm_map|rprec|bpref|recip_rank|mrr|rr|ap|ndcg|ndcg_cut|recall|precision|success|"
    r"hit|hits|err|rbp|infap|accuracy|acc|auc|num_(?:ret|rel|rel_ret|q)|iprec_at_recall|set_\w+)"
    r"(?:[@_](?:at_)?[\d.]+)?",
    re.IGNORECASE,
)
#: How the note begins that names fields which are no single values.
NESTED = "not read, for they hold lists or objects: "
_BEIR = frozenset(("query_id", "corpus_id", "score"))
_BATTLE = frozenset(("model_a", "model_b", "winner"))
#: The sides of a box, as tables of boxes call them.
_SIDES = ("left", "top", "width", "height")
#: A number as people write it: in per cent, with a sign or a currency.
_FIGURES = re.compile(r"[^\w\s]?\d[\d.,' ]*\s?[^\w\s]?")
#: What no number holds, however badly it is written: a letter first, or two in a row.
_LETTERS = re.compile(r"^[^\W\d_]|[^\W\d_]{2}")
#: So many rows tell what a column holds; so many cells tell words from typing errors.
_SAMPLE, _CELLS = 10_000, 4
#: From how many rows on it is no accident that they all sum to 1: parts of a vote, whole votes.
_ROWS = (2, 6)
#: From how many rows on it is no accident that counts add up to the same.
_COUNTED = 4
#: So many cells of a column of predicted classes are classes of the truth.
_SHARED = 0.9

_LABELS = (
    "agree tells how far people agree; for accuracy, write columns query, system, item: the row's "
    "id as the query and the label as the item, in the truth as well, and rank with -m P"
)
_TASKS = "if they are votes from 0 to 1, write columns item, system, vote"
_ONCE = "for one ranked list, keep one run of each system and say --answers lists"
_GRADES = "as a truth, --truth-columns query=query-id,item=corpus-id,grade=score"
_NO_ITEM = (
    "for ranked lists, add a column item; for accuracy, one with what each system answered, give "
    "the right answers likewise as the truth, leave the score out, and rank with -m P"
)
_SHARES = "--answers votes takes them for shares of a vote"
_LISTS = "for ranked lists, add a column query; --answers lists reads it as one list"
_TIMES = "for segments, name a column label; texts with times are compared by consilience align"
_PLACES = "for tracks, keep the columns lat, lon and track"
#: Pairs of columns of numbers that are no answers, and what to do with their tables.
_REMEDIES = {
    frozenset(("start", "end")): _TIMES,
    frozenset(("onset", "offset")): _TIMES,
    frozenset(("lat", "lon")): _PLACES,
    frozenset(("latitude", "longitude")): _PLACES,
}


def check_header(sheet: Sheet, columns: Mapping[str, str]) -> None:
    """Refuse a table whose header says that it holds pairwise preferences or repeated outcomes."""
    check_coordinates(sheet)
    names = {name: _plain(name) for name in sheet.table.column_names}
    if {*names.values()} >= _BATTLE or _are_pairs({*names.values()}):
        found = "these are battles of an arena (pairwise preferences), which are not compared yet"
        raise KindError(sheet.name, found, "write one vote for each system and item")
    if {*names.values()} == _BEIR and not {"grade", "score"} & {*columns}:
        raise KindError(sheet.name, "these are judgments of BEIR, not a ranked list", _GRADES)
    called = next((name for name in names if _is_outcome(name)), None)
    who = [name for name in names if names[name] in _SYSTEMS - _REPEATS]
    again = [name for name in names if names[name] in _REPEATS]
    free = not {*columns} & {"respondent", "query", "vote"}
    if called and len(who) == 1 and again and free and not r.has_query([*names]):
        raise _outcomes(sheet.name, called, _ONCE)
    known = [name for name in names if r.role_of(name) in ("item", "query")]
    rest = [name for name in names if name not in who]
    bare = len(who) == 1 and not known and free and "item" not in columns and len(rest) > 1
    bare = bare and len(names) == len(sheet.table.column_names)  # else a column stands twice
    if bare and all(_are_numbers(sheet, name) for name in rest):
        said = [name for name in rest if names[name] in _OUTCOMES] or rest
        raise _outcomes(sheet.name, ", ".join(said[:3]), _TASKS)
    if called and len(who) == 1 and free and [r.role_of(name) for name in known] == ["query"]:
        raise _outcomes(sheet.name, called, _NO_ITEM)


def check_matrix(sheet: Sheet, roles: Mapping[str, str]) -> None:
    """Refuse a table of queries and systems with a number in each cell, and no items.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> sheet = of_columns({"topic": ["t1", "t2"], "A": [0.1, 0.7], "B": [0.3, 1.0]}, name="x.csv")
    >>> check_matrix(sheet, {"query": "topic"})
    Traceback (most recent call last):
    consilience.errors.KindError: x.csv: one number for each query and system (A, B): outcomes, ...
    """
    if {*roles} != {"query"}:
        return
    some = replace(sheet, table=sheet.table.slice(0, _SAMPLE))
    rest = [n for n in some.table.column_names if n not in roles.values()]
    figures = [n for n in rest if not aside.stands_beside(n) and _are_numbers(some, n)]
    if len(figures) > 1 and len(figures) == len(rest):
        found = f"one number for each query and system ({', '.join(figures[:3])}): outcomes, which "
        fix = "for their means, consilience correlate takes a table with columns system and score"
        raise KindError(sheet.name, f"{found}are not compared yet", fix)


def _are_pairs(names: Collection[str]) -> bool:
    """Check whether columns hold two answers side by side, and which of them is preferred."""
    pairs = any(
        name.endswith(one) and name.removesuffix(one) + other in names
        for name in names
        for one, other in (("_a", "_b"), ("_1", "_2"))
    )
    return pairs and bool({"winner", "preferred", "preference", "chosen"} & {*names})


def check_coordinates(sheet: Sheet) -> None:
    """Refuse a table of boxes in columns that no reader of boxes knows."""
    names = dict.fromkeys(sheet.table.column_names)
    named = [name for name in names if plain(name) in _COORDINATES]
    if len(named) >= len(_SIDES):
        found = f"{', '.join(map(quote, named[:4]))} are coordinates, not answers"
        others = [name for name in names if r.role_of(name) in ("item", "query", "vote", "grade")]
        others = [name for name in others if "image" not in plain(name) and plain(name) != "label"]
        fix = f"for boxes, leave out {', '.join(others)} and" if others else "for boxes,"
        centres = any("c" in plain(name) for name in named)
        call = "write the left and the top edge instead of centres," if centres else "call them"
        raise KindError(sheet.name, found, f"{fix} {call} {', '.join(_SIDES)}")


def remedy(columns: Sequence[str]) -> str | None:
    """Return what to do with a table whose first two columns of numbers are times or places.

    Examples
    --------
    >>> remedy(["lat", "lon"])
    'for tracks, keep the columns lat, lon and track'
    """
    return _REMEDIES.get(frozenset(map(plain, columns[:2])))


def check_queries(
    sheet: Sheet, roles: Mapping[str, str], *, kind: Kind, answers: AnswerKind | None
) -> None:
    """Refuse ranked lists without queries, where an unused column may name them.

    The lists of several queries would be one. A column may name queries if every system has several
    rows with what it says; not if its name says that it is something else, as ``comment`` does.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> rows = {"claim": list("aabb"), "text": list("wxyz"), "score": [4.0, 3.0, 2.0, 1.0]}
    >>> sheet = of_columns(rows, name="x.csv")
    >>> roles = {"item": "text", "score": "score"}
    >>> check_queries(sheet, roles, kind="system", answers=None)
    Traceback (most recent call last):
    consilience.errors.KindError: x.csv: 'claim' is not used, and may be the query of these lists...
    """
    if "query" in roles or not {"score", "rank"} & {*roles} or "vote" in roles:
        return
    if answers == "lists":
        return
    if r.kind_of(roles.get("respondent"), kind) != "system":
        return
    some = replace(sheet, table=sheet.table.slice(0, _SAMPLE))
    for name in some.table.column_names:
        if name not in roles.values() and aside.may_part(some, name):
            found = f"{quote(name)} is not used, and may be the query of these lists"
            fix = f"--columns query={name}; or leave it out, or say --answers lists"
            if plain(name) in ("token", "word"):
                fix = "compare sequences of tokens with consilience align, or leave it out"
            raise KindError(sheet.name, found, fix)


def check(
    sheet: Sheet,
    roles: Mapping[str, str],
    *,
    kind: Kind,
    voters: Sequence[str],
    answers: AnswerKind | None,
    given: Mapping[str, str],
) -> list[str]:
    """Refuse a table whose answers are of another kind; return what is worth a note.

    Parameters
    ----------
    sheet
        The table, or its first rows.
    roles
        Role → column.
    kind
        What its respondents are, where no column says it.
    voters
        The columns that are respondents of a wide table; none: it is long.
    answers
        The kind of answers that the user named.
    given
        Role → column, as the user mapped them.
    """
    if kind == "person" or r.kind_of(roles.get("respondent"), kind) == "person":
        return []
    some = replace(sheet, table=sheet.table.slice(0, _SAMPLE))
    _check_confidence(sheet, roles, given, voters)
    _check_words(some, roles, kind)
    _check_classes(some, roles)
    if voters:
        return _check_votes(some, roles, voters, kind, answers)
    if kind == "system":
        _check_targets(some, roles, answers, given)
        _check_predicted(some, roles, answers, given)
        _check_order(some, roles, answers, given)
        _check_users(sheet, roles, given)
    return []


def _check_predicted(
    sheet: Sheet, roles: Mapping[str, str], answers: AnswerKind | None, given: Mapping[str, str]
) -> None:
    """Refuse predictions between 0 and 1 beside a truth of 0 and 1."""
    vote, truth = roles.get("vote"), roles.get("grade")
    if vote is None or truth is None or answers == "votes" or given.get("vote") == vote:
        return
    if _plain(vote) in _PREDICTED and _are_parts(sheet, vote) and _are_yes_and_no(sheet, truth):
        raise probabilities(sheet.name, vote, truth)


def _check_order(
    sheet: Sheet, roles: Mapping[str, str], answers: AnswerKind | None, given: Mapping[str, str]
) -> None:
    """Refuse a score or rank beside columns of votes, or of what a system predicted.

    The score would order a list, and the votes would not be used.
    """
    if {"query", "respondent", "category"} & {*roles} or "grade" not in roles or answers == "lists":
        return
    ordered = [roles[role] for role in ("score", "rank") if role in roles]
    if not ordered or {*ordered} & {*given.values()}:
        return
    rest = [name for name in sheet.table.column_names if name not in roles.values()]
    rest = [name for name in rest if not (aside.stands_beside(name) or aside.is_place(name))]
    votes = [name for name in rest if len(_said(sheet, name)) and _are_yes_and_no(sheet, name)]
    votes += [roles["vote"]] if "vote" in roles and roles["vote"] not in given.values() else []
    if votes:
        found = f"{quote(votes[0])} holds votes, and {quote(ordered[0])} would order a list"
        fix = f"leave out {ordered[0]}; or, for a list, {', '.join(votes)}, or say --answers lists"
        raise KindError(sheet.name, found, fix)


def _check_users(sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Refuse scored items of users, who are whom items are recommended to, or systems."""
    column = roles.get("respondent", "")
    if _plain(column) != "user" or column in given.values() or "score" not in roles:
        return
    if not {"query", "vote", "rank"} & {*roles}:
        found = f"{quote(column)} may be who answered, or whom items are recommended to"
        fix = f"say which: --columns respondent={column}, or --columns query={column}"
        raise KindError(sheet.name, found, fix)


def check_counts(sheet: Sheet, columns: Sequence[str]) -> None:
    """Refuse how many people gave each label: columns of whole numbers that add up to the same.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> counts = {"yes": [3, 0, 2, 1, 3], "no": [0, 3, 0, 1, 0], "unsure": [0, 0, 1, 1, 0]}
    >>> check_counts(of_columns({"item": list("abcde"), **counts}, name="x.csv"), list(counts))
    Traceback (most recent call last):
    consilience.errors.InputError: x.csv: 'yes', 'no', 'unsure' sum to 3 in every row: counts of ...
    """
    said = [_whole(sheet, name) is not None and _numbers(sheet, name) for name in columns]
    known = [one for one in said if isinstance(one, np.ndarray)]
    if len(known) < len(columns) or len(columns) < 2 or len({len(one) for one in known}) > 1:
        return
    table = np.stack(known)
    total = table.sum(axis=0)
    if table.shape[1] < _COUNTED or total[0] < 2 or (total != total[0]).any():
        return
    if (table == 0).any() and (table >= 2).any():
        found = f"{', '.join(map(quote, columns[:3]))} sum to {total[0]:g} in every row: counts of "
        fix = "write one row for each label, with columns item, annotator, label"
        raise bad(sheet.name, None, f"{found}labels, not labels", fix)


def check_nested(sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str]) -> None:
    """Refuse rows whose answers are in fields that were set aside: only where they are is left."""
    aside_ = next((note for note in sheet.notes if note.startswith(NESTED)), None)
    if aside_ is None or {*roles} - {"item", "query"} or "item" in given:
        return
    found = f"{aside_.removeprefix(NESTED)}: lists or objects, beside nothing but {roles['item']!r}"
    fix = f"write one row for each answer; or, if {roles['item']} is the answer, map it: --columns "
    raise KindError(sheet.name, found, f"{fix}item={roles['item']}")


def check_unused(
    sheet: Sheet, roles: Mapping[str, str], *, kind: Kind, answers: AnswerKind | None
) -> None:
    """Refuse rows that say nothing but an item, where an unused column may say what was answered.

    Read as a list, every row would count as returned: a prediction of 0 like one of 1. A column
    may hold answers if it holds numbers, or words that recur, or stands alone beside the items; not
    if its name says that it is something else, as ``title`` does. Nothing is refused where the user
    says that the rows are lists.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> sheet = of_columns({"id": ["a", "b"], "flag": [0, 1]}, name="x.csv")
    >>> check_unused(sheet, {"item": "id"}, kind="system", answers=None)
    Traceback (most recent call last):
    consilience.errors.KindError: x.csv: no column says what was answered, and 'flag' is not ...
    """
    if answers == "lists":
        return
    grade, who = roles.get("grade"), r.kind_of(roles.get("respondent"), kind)
    said = {"vote", "score", "rank", "category"} & {*roles}
    if grade and not said:
        check_gold(sheet, roles, grade)
    if kind == "system" and who == "person":
        return
    if said or (grade and not (who == "system" and "respondent" in roles and r.is_truth(grade))):
        return
    unused = [name for name in sheet.table.column_names if name not in roles.values()]
    some = replace(sheet, table=sheet.table.slice(0, _SAMPLE))
    alone = len(unused) == 1
    listed = "query" in roles and len(_said(some, roles["query"])) < some.table.num_rows
    how = {"alone": alone, "listed": listed, "judged": kind != "system"}
    asked = (n for n in unused if _may_answer(some, n, **how) and not _is_of_items(some, roles, n))
    name, *others = [*asked] or [None]
    if name is None:
        return
    _check_marks(some, name)
    either = f" (or {', '.join(map(quote, others[:3]))})" if others else ""
    found = f"no column says what was answered, and {quote(name)}{either} is not used"
    option = "--columns" if kind == "system" else "--truth-columns"
    words = as_numbers(some.table[name]) is None and not _are_yes_and_no(some, name)
    if words:
        fix = f"if it says so, {option} query={roles['item']} and {option} item={name}"
    else:
        sort = "vote" if kind == "system" else "grade"
        fix = f"if it says so, {option} {sort}={name}"
        if (meant := remedy(unused)) is not None:
            raise KindError(sheet.name, found, meant)
        if sum(_are_numbers(some, one) for one in unused) > 1 and "respondent" not in roles:
            fix = f"ratings of several people go to consilience agree; {fix}"
        if is_less_better(name):
            fix = "if less is better there, write its negative in a column score"
        elif kind == "system":
            fix += f", or {option} score={name} for a score"
    fix += "; if not, leave it out"
    if kind == "system":
        fix += ", or say --answers lists"
    labels = alone or _are_labels(some, unused, name)
    if words and labels and kind == "system" and "respondent" not in roles:
        raise bad(sheet.name, sheet.header, found, fix)
    raise KindError(sheet.name, found, fix)


def _check_marks(sheet: Sheet, column: str) -> None:
    """Refuse a column that holds the same mark in some rows and nothing in the others.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> _check_marks(of_columns({"item": ["a", "b"], "A": ["x", ""]}, name="x.csv"), "A")
    Traceback (most recent call last):
    consilience.errors.KindError: x.csv: 'A' says 'x' of some items and nothing of the others, ...
    """
    said = _said(sheet, column)
    if len(said) == 1:
        found = f"{quote(column)} says {quote(next(iter(said)))} of some items and nothing of the "
        found += "others, and it is not used"
        fix = "if it says what was returned, write 1 there, and 0 in the other cells"
        raise KindError(sheet.name, found, f"{fix}; if not, leave it out, or say --answers lists")


def _are_labels(sheet: Sheet, columns: Sequence[str], name: str) -> bool:
    """Check whether another column holds the words of one: people may have given both."""
    words = {word.casefold() for word in _said(sheet, name)}
    others = [one for one in columns if one != name and not aside.stands_beside(one)]
    return any(words & {word.casefold() for word in _said(sheet, one)} for one in others)


def check_gold(sheet: Sheet, roles: Mapping[str, str], column: str) -> None:
    """Refuse a truth taken for what people answered, where an unused column may hold their answers.

    The truth says the same of an item whoever answered; answers do not.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> rows = {"worker": list("abab"), "item": list("xxyy"), "gold": [1, 1, 0, 0]}
    >>> sheet = of_columns({**rows, "response": [1, 0, 1, 0]}, name="x.csv")
    >>> check_gold(sheet, {"respondent": "worker", "item": "item", "grade": "gold"}, "gold")
    Traceback (most recent call last):
    consilience.errors.KindError: x.csv: 'gold' is the same whoever answered, and 'response' is ...
    """
    if not r.is_truth(column) or "respondent" not in roles:
        return
    some = replace(sheet, table=sheet.table.slice(0, _SAMPLE))
    if not _is_of_items(some, roles, column):
        return
    rest = [name for name in some.table.column_names if name not in roles.values()]
    rest = [n for n in rest if _may_answer(some, n, alone=False, listed=True, judged=True)]
    truth = {*_said(some, column)}
    shared = [name for name in rest if truth & {*_said(some, name)}]
    rest = shared or [name for name in rest if aside.recur(_said(some, name))]
    name = next((name for name in rest if not _is_of_items(some, roles, name)), None)
    if name is not None:
        found = f"{quote(column)} is the same whoever answered, and {quote(name)} is not used"
        fix = f"if it holds the answers, --columns label={name}; if not, leave it out"
        raise KindError(sheet.name, found, fix)


def _is_of_items(sheet: Sheet, roles: Mapping[str, str], column: str) -> bool:
    """Tell whether a column says the same of an item whoever answered: then it is no answer."""
    if "respondent" not in roles:
        return False
    keys = [
        Codes.of_arrow(strings(sheet, roles[one])).code for one in ("query", "item") if one in roles
    ]
    item = np.unique(np.stack(keys), axis=1, return_inverse=True)[1].ravel()
    who = Codes.of_arrow(strings(sheet, roles["respondent"])).code
    said = Codes.of_arrow(strings(sheet, column)).code
    items, pairs = len(np.unique(item)), len(np.unique(np.stack([item, who]), axis=1).T)
    return items < pairs and len(np.unique(np.stack([item, said]), axis=1).T) == items


def _may_answer(sheet: Sheet, column: str, *, alone: bool, listed: bool, judged: bool) -> bool:
    """Tell whether a column without a role may hold answers, or (``judged``) judgments.

    ``alone`` tells that no other column is unused, ``listed`` that queries have several rows.
    """
    import pyarrow as pa

    weighs = judged and plain(column) in ("weight", "priority")
    if (
        (aside.stands_beside(column) and not weighs and not (alone and plain(column) in _TOLD))
        or aside.is_place(column)
        or column == aside.INDEX
    ):
        return False
    if pa.types.is_nested(sheet.table[column].type):
        return False
    said = _said(sheet, column)
    if len(said) == 1:  # a mark in some rows, perhaps
        mark = next(iter(said))
        marked = len(mark) == 1 or r.read_vote(mark) == 1
        return marked and sum(said.values()) < sheet.table.num_rows
    if not said:
        return False
    if (numbers := _numbers(sheet, column)) is not None and len(numbers):
        return len(numbers) < 3 or bool(np.any(np.diff(numbers) != 1))  # or they count the rows
    if alone or not listed or all(_FIGURES.fullmatch(word) for word in said):
        return True
    return not aside.is_prose(said) and (aside.recur(said) or aside.may_recur(said))


def are_measures(names: Collection[str]) -> bool:
    """Return whether names are those of measures, and one of them can be nothing else.

    Examples
    --------
    >>> are_measures(["map", "P_10"]), are_measures(["nDCG@10"]), are_measures(["p_1", "p_2"])
    (True, True, False)
    """
    found = [_MEASURE.fullmatch(name.strip()) for name in names]
    return bool(found) and all(found) and any(one and len(one[1]) > 1 for one in found)


def check_truth(
    name: str,
    roles: Mapping[str, str],
    *,
    kind: Kind,
    given: Mapping[str, str],
) -> None:
    """Refuse a truth whose only number is a score, until somebody says what it is.

    As a grade, 0 means not relevant; as the order of a list, every item in it is relevant.

    Examples
    --------
    >>> check_truth("t.csv", {"item": "id", "score": "score"}, kind="gold", given={})
    Traceback (most recent call last):
    consilience.errors.KindError: t.csv: 'score' may be a grade (0: not relevant) or ...
    """
    score = roles.get("score")
    if kind == "system" or score is None or given.get("score") == score:
        return
    if {"vote", "grade", "rank", "category", "kind"} & {*roles}:
        return
    found = f"{quote(score)} may be a grade (0: not relevant) or the order of a list"
    fix = f"say which: --truth-columns grade={score}, or --truth-columns score={score}"
    raise KindError(name, found, fix)


def outcome(
    columns: Collection[str],
    roles: Mapping[str, str],
    *,
    kind: Kind,
    given: Mapping[str, str],
    answers: AnswerKind | None,
) -> str | None:
    """Return the column that holds one number for each item and system; None where none does.

    Where systems share no item it is a list all the same.

    Examples
    --------
    >>> found = r.assign(["item", "system", "score"], {})
    >>> outcome([*found.values()], found, kind="system", given={}, answers=None)
    'score'
    >>> outcome([*found.values()], found, kind="system", given={}, answers="lists")
    """
    if r.kind_of(roles.get("respondent"), kind) != "system" or "respondent" not in roles:
        return None
    if {"query", "vote", "rank", "grade", "category", "kind"} & {*roles}:
        return None
    score = roles.get("score")
    if score is not None:
        return None if are_lists(answers) else score
    return next((name for name in columns if _is_outcome(name)), None)


def check_outcomes(sheet: Sheet, roles: Mapping[str, str], column: str | None) -> None:
    """Refuse a table of outcomes, where two systems have one for the same item."""
    if column is None:
        return
    item = Codes.of_arrow(strings(sheet, roles["item"]))
    who = Codes.of_arrow(strings(sheet, roles["respondent"]))
    pairs = np.unique(item.code.astype(np.int64) * max(len(who.names), 1) + who.code)
    if len(pairs) > len(np.unique(pairs // max(len(who.names), 1))):
        raise outcomes(sheet.name, column, scored="score" in roles)


def outcomes(name: str, column: str, *, scored: bool) -> KindError:
    """Return the error that refuses outcomes; ``scored`` tells that the column is the score."""
    if scored:
        return _outcomes(name, column)
    fix = f"for ranked lists, --columns score={column} --answers lists; for votes from 0 to 1, "
    return _outcomes(name, column, f"{fix}--columns vote={column}")


def check_files(tables: Sequence[Rows], answers: AnswerKind | None) -> None:
    """Refuse tables without queries whose systems have a number for the same item each."""
    if are_lists(answers):
        return
    found = {rows.respondent.names: rows for rows in tables if file_outcome(rows) is not None}
    seen: set[str] = set()
    for rows in found.values() if len(found) > 1 else ():
        items = {*rows.item.take(range(len(rows)))}
        if seen & items:
            raise _outcomes(rows.source.name, file_outcome(rows) or "")
        seen |= items


def check_sides(said: Sequence[Rows], judged: Sequence[Rows], answers: AnswerKind | None) -> None:
    """Refuse a wide table of probabilities, scores or several labels beside a truth of its own.

    It holds probabilities where the truth is 0 and 1, scores where that holds others between them,
    and several labels where the truth has the same columns. Labels that were drawn by design are
    about votes.
    """
    if answers == "votes" or not judged or any(one.probability is not None for one in judged):
        return
    wide = [rows for rows in said if _is_told(rows) and rows.vote is not None]
    names = {name for rows in judged if _is_wide(rows) for name in rows.respondent.names}
    for rows in wide:
        shared = [name for name in rows.respondent.names if name in names]
        if _is_wide(rows) and len(shared) > 1:
            found = f"{', '.join(map(quote, shared[:3]))} are columns of the answers and of the "
            found += f"truth, {judged[0].source.name}: several labels are not compared yet"
            fix = "compare one of them at a time; if they are systems and judges, rename them"
            raise KindError(rows.source.name, found, fix)
    grades = [one.grade if one.grade is not None else one.vote for one in judged]
    if any(one is None for one in grades):
        return
    known = np.concatenate([one[~np.isnan(one)] for one in grades if one is not None])
    yes_or_no = bool(((known == 0) | (known == 1)).all())
    if not yes_or_no and not bool(((known > 0) & (known < 1)).any()):
        return
    for rows in wide:
        vote = np.zeros(0) if rows.vote is None else rows.vote
        parts = np.flatnonzero((vote > 0) & (vote < 1))
        if len(parts):
            who = rows.respondent.names[rows.respondent.code[parts[0]]]
            refusal = probabilities if yes_or_no else _targets
            raise refusal(rows.source.name, who, judged[0].source.name)


def _is_told(rows: Rows) -> bool:
    """Check whether a table is wide, or its votes stand in a column of predictions."""
    return _is_wide(rows) or bool(_PREDICTED & {*map(_plain, rows.source.columns)})


def _is_wide(rows: Rows) -> bool:
    return rows.source.recognised.endswith(("wide table", "array of votes"))


def check_one(tables: Sequence[Rows], seen: set[tuple[str, ...]]) -> None:
    """Refuse a second system with outcomes, of files that are read one after the other.

    ``seen`` are the systems that had some before; whether they share items is not asked.
    """
    for rows in tables:
        column = file_outcome(rows)
        seen |= {rows.respondent.names} if column else set()
        if column and len(seen) > 1:
            raise _outcomes(rows.source.name, column)


def file_outcome(rows: Rows) -> str | None:
    """Return the column of outcomes of a table that names one system and no query."""
    columns = rows.source.columns
    told = {role: name for name in columns if (role := r.role_of(name)) is not None}
    ordered = rows.score is not None and rows.rank is None and rows.vote is None
    if not ordered or {*rows.kind} != {"system"} or rows.query.names != (ONLY_QUERY,):
        return None
    return lone_outcome(told, columns) if len(rows.respondent.names) == 1 else None


def lone_outcome(roles: Mapping[str, str], columns: Iterable[str]) -> str | None:
    """Return the column of outcomes of a table that has no queries and no answers but scores.

    Examples
    --------
    >>> lone_outcome({"item": "id", "score": "acc"}, ["id", "acc"])
    'acc'
    >>> lone_outcome({"item": "id", "score": "sim"}, ["id", "sim"])
    """
    if {"query", "rank", "vote", "grade", "category"} & {*roles}:
        return None
    return next((name for name in columns if _is_outcome(name)), None)


def _is_outcome(column: str) -> bool:
    name = _plain(column)
    return name in _OUTCOMES or _OUTCOME.fullmatch(name) is not None


def _outcomes(name: str, column: str, fix: str = _LISTS) -> KindError:
    found = f"one number for each item and system ({column}): outcomes, which are not compared yet"
    return KindError(name, found, fix)


def _check_confidence(
    sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str], voters: Sequence[str]
) -> None:
    """Refuse a probability of which nothing says that items were drawn with it.

    It stands beside predictions or a system, or no column says what was answered.
    """
    column = roles.get("probability")
    if column is None or "round" in roles or given.get("probability") == column:
        return
    beside = [name for name in sheet.table.column_names if _plain(name) in _PREDICTED]
    if "kind" not in roles and not {"vote", "rank", "score", "category"} & {*roles}:
        beside += [roles[role] for role in ("respondent",) if role in roles]
    beside += [*voters][: 1 if "grade" in roles else 0]
    if beside or not {"vote", "grade", "rank", "score", "category"} & {*roles}:
        held = f" beside {quote(beside[0])}" if beside else ""
        found = f"{quote(column)}{held} may be how sure the system was"
        fix = f"leave it out, or, if items were drawn with it, --columns probability={column}"
        raise KindError(sheet.name, found, fix)


def _check_words(sheet: Sheet, roles: Mapping[str, str], kind: Kind) -> None:
    """Refuse labels that are words; a few cells among votes or grades are mistakes."""
    told = {"vote", "grade"} & {*roles}
    ordered = {"score", "rank"} & {*roles}
    free = "kind" in roles or ("query" in roles and kind != "system")
    if "category" in roles and not (told or ordered or free):
        raise _classes(sheet, roles, roles["category"])
    for role in ("grade", "vote", "score"):
        column = roles.get(role)
        if column is None or (role == "score" and _plain(column) not in _PREDICTED):
            continue
        said = _said(sheet, column)
        words = {word: n for word, n in said.items() if r.read_grade(word) is None}
        total = sum(said.values())
        if total >= _CELLS and 2 * sum(words.values()) > total and not _are_mistakes(words):
            text = not (aside.recur(said) or aside.may_recur(said))
            raise _classes(sheet, roles, column, text=text)


def _are_mistakes(words: Mapping[str, int]) -> bool:
    """Tell whether cells that are no votes or grades are numbers that are written badly."""
    return any(re.search(r"\d", word) and not _LETTERS.search(word) for word in words)


def _check_classes(sheet: Sheet, roles: Mapping[str, str]) -> None:
    """Refuse columns of more than two whole numbers beside a truth that holds the same ones."""
    truth = roles.get("grade")
    if truth is None or "query" in roles or "probability" in roles:
        return
    classes = _whole(sheet, truth)
    if classes is None or len(classes) < 3:
        return
    used = {name for role, name in roles.items() if role not in ("vote", "score")}
    for name in sheet.table.column_names:
        if name in used or aside.stands_beside(name):
            continue
        said = _whole(sheet, name)
        if said is None or len(said) < 3:
            continue
        inside = sum(n for value, n in said.items() if value in classes)
        if inside >= _SHARED * sum(said.values()):
            raise _classes(sheet, roles, name, sure=True)


def _check_votes(
    sheet: Sheet,
    roles: Mapping[str, str],
    voters: Sequence[str],
    kind: Kind,
    answers: AnswerKind | None,
) -> list[str]:
    """Refuse outcomes and probabilities in a wide table, unless they are called votes."""
    if answers == "votes":
        count = sum(_are_parts(sheet, name) for name in voters)
        return ["numbers between 0 and 1 count as shares of a vote"] if count else []
    if kind == "system":
        _check_beside(sheet, roles, voters)
    named = [name for name in voters if _is_outcome(name)]
    item = roles["item"]
    if (
        kind == "system"
        and "grade" not in roles
        and (r.role_of(item) == "query" or _plain(item) in _SYSTEMS)
    ):
        shares = [name for name in voters if _are_parts(sheet, name)]
        if shares:  # a table of topics and systems, or of systems and tasks
            found = ", ".join(shares[:3])
            raise _outcomes(sheet.name, found, "--answers votes takes them for shares of a vote")
    if kind == "system" and len(named) == len(voters):
        fix = "--answers votes reads it as votes"
        if len(named) == 1:
            score = f"--columns score={named[0]}"
            if is_less_better(named[0]):
                score = "write its negative in a column score"
            fix = f"for a ranked list, {score}; {fix}"
        raise _outcomes(sheet.name, ", ".join(named), fix)
    told = [name for name in voters if _plain(name) in _PREDICTED]
    others = [name for name in voters if "pred" not in _plain(name)]
    if told and others:
        found = (
            f"{quote(told[0])} holds what a system told, and {quote(others[0])} stands beside it"
        )
        fix = f"leave out what is no answer; or, if all are systems, rename {told[0]}"
        raise KindError(sheet.name, found, fix)
    truth = roles.get("grade")
    parts = [name for name in voters if _are_parts(sheet, name)]
    if truth is not None and parts and _are_yes_and_no(sheet, truth):
        raise probabilities(sheet.name, parts[0], truth)
    if truth is not None and parts and _are_parts(sheet, truth):
        raise _targets(sheet.name, parts[0], truth)
    if kind == "system" and truth is None:
        _check_shares(sheet, voters)
    return []


def _check_beside(sheet: Sheet, roles: Mapping[str, str], voters: Sequence[str]) -> None:
    """Refuse votes beside several columns of the same words: those are what was answered."""
    rest = [n for n in sheet.table.column_names if n not in {*roles.values(), *voters}]
    rest = [n for n in rest if not (aside.stands_beside(n) or aside.is_place(n))]
    said = {name: {word.casefold() for word in _said(sheet, name)} for name in rest}
    for name, words in said.items():
        others = [one for one in rest if one != name and words & said[one]]
        told = _PREDICTED & {*re.split(r"[\W_]+", _plain(name))}
        alone = "grade" not in roles and bool(told) and len(words) > 1
        if alone or (others and aside.recur(_said(sheet, name))):
            held = [name, *others[:1]]
            found = f"{' and '.join(map(quote, held))} {'hold' if others else 'holds'} labels, "
            found += f"and {quote(voters[0])} votes"
            fix = f"leave out {', '.join(voters)}, or the labels; agree tells how far people agree"
            fix += "; if the numbers are votes, --answers votes"
            raise bad(sheet.name, None, f"{found}: classification is not compared yet", fix)


def _check_shares(sheet: Sheet, voters: Sequence[str]) -> None:
    """Refuse columns that part every item among them: the classes of one system."""
    parts = any(_are_parts(sheet, name) for name in voters)
    least = _ROWS[0 if parts else 1] + (len(voters) < 3)
    if len(voters) < (2 if parts else 3) or sheet.table.num_rows < least:
        return
    said = [_numbers(sheet, name) for name in voters]
    whole = [one for one in said if one is not None and len(one) == sheet.table.num_rows]
    if len(whole) == len(said) and bool(np.allclose(np.sum(whole, axis=0), 1, atol=1e-3)):
        found = f"{', '.join(map(quote, voters[:3]))} sum to 1 in every row: the classes of one "
        found += "system, not the votes of several: classification is not compared yet"
        raise KindError(sheet.name, found, "--answers votes takes them for votes all the same")


def _check_targets(
    sheet: Sheet, roles: Mapping[str, str], answers: AnswerKind | None, given: Mapping[str, str]
) -> None:
    """Refuse what a system says of a target in numbers that are not 0 and 1, without queries."""
    column = roles.get("grade")
    if column is None or _plain(column) not in _TARGETS or "probability" in roles:
        return
    if {"score", "rank"} & {*roles} and "vote" not in roles and given.get("grade") != column:
        ordered = roles.get("score", roles.get("rank", ""))
        if answers == "scored" or "query" not in roles:
            found = f"{quote(column)} beside {quote(ordered)} may be the truth, or what was told"
            fix = f"if it is the truth, --columns grade={column}; if not, leave it out"
            raise KindError(sheet.name, found, fix)
    if {"query", "vote", "score", "rank", "kind"} & {*roles} or answers == "votes":
        return
    if _are_parts(sheet, column) and "respondent" not in roles:
        raise probabilities(sheet.name, column, "")
    classes = _whole(sheet, column)
    if classes is not None and len(classes) > 2:
        raise _classes(sheet, roles, column, sure=True)


def probabilities(name: str, column: str, truth: str) -> KindError:
    """Return the error that refuses probabilities."""
    beside = f" beside the 0/1 truth {quote(truth)}" if truth else ""
    found = f"numbers between 0 and 1 ({column}){beside}: probabilities, which are not compared yet"
    fix = f"for one system, --columns score={column} orders items by them (-m AP -m AUC)"
    if truth:
        fix = "for AP and AUC, write one row for each item and system with columns item, system"
        fix += " and score"
    return KindError(name, found, f"{fix}; --answers votes takes them for shares of a vote")


def _targets(name: str, column: str, truth: str) -> KindError:
    found = f"{quote(column)} holds numbers, and so does the truth, {quote(truth)}: scores against "
    return KindError(name, f"{found}scores are not compared yet", _SHARES)


def _classes(
    sheet: Sheet, roles: Mapping[str, str], column: str, *, text: bool = False, sure: bool = False
) -> InputError:
    """Return the error that refuses labels; where people may have given them, it is no verdict."""
    what = "free text" if text else "classification"
    found = f"{quote(column)} holds labels, not votes or grades: {what} is not compared yet"
    systems = _plain(roles.get("respondent", "")) in _SYSTEMS or _plain(column) in _PREDICTED
    if sure or systems or _is_predicted(sheet, roles, column):
        return KindError(sheet.name, found, _LABELS)
    return bad(sheet.name, None, found, _LABELS)


def _is_predicted(sheet: Sheet, roles: Mapping[str, str], truth: str) -> bool:
    """Tell whether a truth that is words stands beside columns of the same words."""
    if not r.is_truth(truth):
        return False
    words = {word.casefold() for word in _said(sheet, truth)}
    rest = [name for name in sheet.table.column_names if name not in roles.values()]
    return any(words & {word.casefold() for word in _said(sheet, name)} for name in rest)


def _said(sheet: Sheet, column: str) -> dict[str, int]:
    """Count what the cells of a column say, missing ones aside."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return {}
    said = aside.counted(Codes.of_arrow(strings(sheet, column)))
    return {word: n for word, n in said.items() if not _is_missing(word)}


def _is_missing(word: str) -> bool:
    value = r.read_grade(word)
    return value is not None and value != value


def _whole(sheet: Sheet, column: str) -> dict[float, int] | None:
    """Count the values of a column of nothing but whole numbers; None where it holds others."""
    known = _numbers(sheet, column)
    if known is None or not len(known) or not bool((known == np.floor(known)).all()):
        return None
    values, count = np.unique(known, return_counts=True)
    return dict(zip(values.tolist(), count.tolist(), strict=True))


def _are_parts(sheet: Sheet, column: str) -> bool:
    """Tell whether a column holds numbers from 0 to 1, and some that are neither."""
    known = _numbers(sheet, column)
    if known is None or not len(known):
        return False
    inside = bool(((known >= 0) & (known <= 1)).all())
    return inside and bool(((known > 0) & (known < 1)).any())


def _are_yes_and_no(sheet: Sheet, column: str) -> bool:
    return {r.read_grade(word) for word in _said(sheet, column)} <= {0.0, 1.0}


def _are_numbers(sheet: Sheet, column: str) -> bool:
    known = _numbers(sheet, column)
    return known is not None and len(known) > 0


def _numbers(sheet: Sheet, column: str) -> np.ndarray | None:
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return None
    said = as_numbers(sheet.table[column])
    return None if said is None else said[np.isfinite(said)]


def _plain(column: str) -> str:
    """Return the name of a column in one spelling, without the depth of a measure."""
    return re.sub(r"(?:@|_at_)\d+$", "", plain(column))
