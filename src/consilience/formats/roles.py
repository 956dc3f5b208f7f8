"""Which column is what: the names people use, and how cells are read.

A column plays a *role*: query, item, respondent, vote, grade, score, rank, family, kind,
probability, round or category. People write ``qid``, ``docno``, ``annotator``, ``label``; each name
is listed here once. What is not listed can be mapped (``--columns query=topic_nr``), and in a
mapping every listed name stands for its role (``--columns annotator=who``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from consilience.errors import UsageError, quote, unknown
from consilience.formats.rows import Kind

#: Role → names that are taken for it (compared in lower case, blanks and hyphens as ``_``).
ROLES: dict[str, tuple[str, ...]] = {
    "query": ("query", "qid", "q_id", "query_id", "queryid", "topic", "topic_id", "q", "question"),
    "item": (
        *("item", "item_id", "itemid", "doc", "doc_id", "docid", "docno", "document"),
        *("document_id", "pid", "passage", "passage_id", "image", "image_id", "id", "text"),
    ),
    "respondent": (
        *("respondent", "system", "run", "run_id", "runid", "tag", "model", "annotator"),
        *("annotator_id", "rater", "worker", "worker_id", "workerid", "subject", "judge"),
        *("assessor", "person", "user", "source"),
    ),
    "vote": ("vote", "answer", "retrieved", "predicted", "prediction"),
    "grade": (
        *("grade", "relevant", "relevance", "rel", "label", "judgment", "judgement", "gold"),
        *("truth", "is_relevant", "target", "y_true", "ground_truth", "groundtruth", "gt"),
        *("gold_label", "gold_labels", "gold_standard", "true", "true_label", "true_labels"),
        *("label_true", "y_test", "actual", "actual_label", "expected", "correct_label"),
        *("correct_answer", "target_label"),
    ),
    "score": ("score", "sim", "similarity", "confidence", "y_score"),
    "rank": ("rank", "position", "pos"),
    "family": ("family", "engine", "group"),
    "kind": ("kind", "respondent_kind"),
    "probability": ("probability", "inclusion_probability", "pi"),
    "round": ("round", "wave"),
    "category": ("category",),
}
#: Names of people that may also be names of columns of labels, or stand beside one of the names
#: above: they are respondents where no column is called so and another one holds the answers.
_MAYBE = (
    *("coder", "coder_id", "participant", "participant_id", "reviewer", "reviewer_id", "labeler"),
    *("labeler_id", "labeller", "labeller_id", "expert", "expert_id", "user_id", "userid"),
    *("judge_id", "rater_id", "assessor_id", "subject_id", "person_id", "respondent_id", "email"),
    *("created_by", "labeled_by", "labelled_by", "annotated_by", "marker", "marker_id", "grader"),
    *("grader_id", "evaluator", "evaluator_id", "observer", "observer_id", "username"),
    *("user_name", "annotator_name", "worker_name", "coder_name", "rater_name"),
)
#: Of two names for a role the first one is meant, as in PyTerrier's results: ids of queries beside
#: their words, names of documents beside their numbers in an index.
_RATHER = (("qid", "query"), ("query_id", "query"), ("docno", "docid"), ("docno", "doc_id"))
#: Roles of columns that hold answers.
_SAID = ("vote", "grade", "score", "rank", "category")
#: Beside a column called ``item``, these say which document or picture it was found in.
_CONTAINERS = ("document", "document_id", "doc", "doc_id", "docid", "docno", "image", "image_id")
#: Names of what is extracted from documents: beside a column of documents, these are the items.
_EXTRACTED = (
    *("keyphrase", "keyphrases", "keyword", "keywords", "phrase", "term", "entity", "heading"),
)
#: Names of columns that stand alone in a table, and play no role by themselves.
_HEADERS = (
    *_EXTRACTED,
    *("title", "name", "word", "words", "token", "tokens", "sentence", "string", "value", "url"),
    *("answers", "result", "results", "items", "texts", "names"),
)
#: More names of columns of labels, answers and predictions: what rows below say is no item.
_LABELS = (
    *("pred", "preds", "predictions", "y_pred", "y_hat", "labels", "label_pred", "pred_label"),
    *("predicted_label", "class", "classes", "class_label", "sentiment", "polarity", "emotion"),
    *("intent", "stance", "rating", "stars", "answers", "response", "output", "categories"),
)
#: Columns of grades whose name says that they are the truth, not what a system holds for it.
_TRUTH = (
    *("gold", "truth", "y_true", "judgment", "judgement", "ground_truth", "groundtruth", "gt"),
    *("gold_label", "gold_labels", "gold_standard", "true", "true_label", "true_labels"),
    *("label_true", "y_test", "y", "actual", "actual_label", "expected", "correct_label"),
    *("correct_answer", "target_label"),
)
#: Beside one of these, ``y`` is a place; elsewhere it is what a learner is to tell.
_X = ("x", "x1", "x_center", "lon", "longitude")
#: Columns of respondents whose name says that they are people.
_PEOPLE = (
    *("annotator", "annotator_id", "rater", "worker", "worker_id", "workerid", "assessor"),
    *("person", "judge", "subject"),
    *_MAYBE,
)

#: How to mend a score that is not finite.
FINITE_FIX = "to put an item first or last, write a number above or below all others"
_YES = ("yes", "y", "true", "t", "+", "relevant", "1")
_NO = ("no", "n", "false", "f", "-", "−", "–", "irrelevant", "not relevant", "0")
_UNKNOWN = ("", "?", "unknown", "na", "n/a", "nan", "null", "none", "cannot tell", "can't tell")
_MISSING = ("", "na", "n/a", "nan", "null", "none")
_WORDS = dict.fromkeys(_YES, 1.0) | dict.fromkeys(_NO, 0.0) | dict.fromkeys(_UNKNOWN, float("nan"))


def check_given(given: Mapping[str, str]) -> None:
    """See that the user's mapping names roles that exist.

    Examples
    --------
    >>> check_given({"itm": "docno"})
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown role 'itm'; did you mean 'item'? possible: query, ...
    """
    by_role(given)


def checked(columns: Any) -> Mapping[str, str]:
    """Return a mapping of roles to columns as it is given, empty where there is none.

    Examples
    --------
    >>> checked({"item": "docno"}), checked(None)
    ({'item': 'docno'}, {})
    >>> checked({"item": 1})
    Traceback (most recent call last):
    consilience.errors.UsageError: columns are a dict of role → column, found "{'item': 1}" ...
    """
    given = {} if columns is None else columns
    named = isinstance(given, Mapping) and all(
        isinstance(name, str) for pair in given.items() for name in pair
    )
    if not named:
        raise UsageError(
            f"columns are a dict of role → column, found {quote(columns)} "
            "(fix: name both by text, such as {'item': 'docno'})"
        )
    return given


def by_role(given: Mapping[str, str], *, category: Sequence[str] = ()) -> dict[str, str]:
    """Give a mapping by role: every listed name of a role stands for it.

    Parameters
    ----------
    given
        Role → column, as the user mapped them.
    category
        Names that stand for the category, whatever they stand for elsewhere.

    Examples
    --------
    >>> by_role({"annotator": "who", "docno": "page", "label": "mark"})
    {'respondent': 'who', 'item': 'page', 'grade': 'mark'}
    >>> by_role({"subject": "who", "judge": "by"})
    Traceback (most recent call last):
    consilience.errors.UsageError: 'subject' and 'judge' are both the respondent (fix: map one ...)
    """
    found: dict[str, str] = {}
    called: dict[str, str] = {}
    given = checked(given)
    others = [name for name in given if is_item(name) and _plain(name) not in _CONTAINERS]
    for name, column in given.items():
        role = "category" if _plain(name) in category else _role_called(name)
        if others and role == "item" and _plain(name) in _CONTAINERS:
            role = "query"  # document=… beside item=…: where the item was found
        if found.setdefault(role, column) != column:
            raise UsageError(
                f"{called[role]!r} and {name!r} are both the {role} (fix: map one column to it)"
            )
        called.setdefault(role, name)
    return found


def _role_called(name: str) -> str:
    """Find the role that a name stands for."""
    plain = _plain(name)
    if plain in ROLES:
        return plain
    if plain in _EXTRACTED:
        return "item"
    if plain in _MAYBE:
        return "respondent"
    for role, names in ROLES.items():
        if plain in names:
            return role
    raise unknown("role", name, list(ROLES))


def role_of(column: str) -> str | None:
    """Return the role that a column has by its name alone; None where the name says nothing.

    Examples
    --------
    >>> role_of("docno"), role_of("colour")
    ('item', None)
    """
    plain = _plain(column)
    return next((role for role, names in ROLES.items() if plain in names), None)


def is_name(text: str) -> bool:
    """Check whether a text is rather the name of a column than an item."""
    return _plain(text) in _HEADERS or role_of(text) is not None


def names_label(text: str) -> bool:
    """Check whether a text is the name of a column of labels, answers or predictions.

    Examples
    --------
    >>> names_label("y_pred"), names_label("Sentiment"), names_label("deep learning")
    (True, True, False)
    """
    return _plain(text.strip('"')) in (*ROLES["vote"], *ROLES["grade"], "category", *_LABELS)


def is_item(name: str) -> bool:
    """Check whether a column of this name holds items."""
    return _plain(name) in (*ROLES["item"], *_EXTRACTED)


def assign(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Give each role its column: what the user said first, then what the names say.

    Parameters
    ----------
    columns
        The table's column names.
    given
        Role → column, as the user mapped them.

    Returns
    -------
    dict
        Role → column name, for the roles that were found.

    Examples
    --------
    >>> assign(["qid", "docno", "Annotator", "label"], {})
    {'query': 'qid', 'item': 'docno', 'respondent': 'Annotator', 'grade': 'label'}
    >>> assign(["document", "item"], {})
    {'item': 'item', 'query': 'document'}
    >>> assign(["doc_id", "keyphrase"], {})
    {'item': 'keyphrase', 'query': 'doc_id'}
    >>> assign(["item", "coder", "label"], {})["respondent"]
    'coder'

    A round is one in which items were drawn: without their probability it is something else.

    >>> assign(["item", "round"], {}), assign(["item", "pi", "round"], {})
    ({'item': 'item'}, {'item': 'item', 'probability': 'pi', 'round': 'round'})
    """
    given = by_role(given)
    roles: dict[str, str] = {}
    for role, column in given.items():
        if column not in columns:
            raise unknown(f"column (mapped to {role})", column, list(columns))
        roles[role] = column
    if "item" not in roles:
        roles |= _extracted(columns, roles)
    taken = set(roles.values())
    for role, names in ROLES.items():
        if role in roles or (role == "round" and "probability" not in roles):
            continue
        matches = [c for c in columns if c not in taken and _plain(c) in names]
        if role == "grade" and not matches and not any(_plain(c) in _X for c in columns):
            matches = [c for c in columns if c not in taken and _plain(c) == "y"]
        if role == "grade" and len(matches) > 1:
            matches = _graded(matches, roles)
        if len(matches) > 1:
            matches = [_settled(role, matches)]
        if matches:
            roles[role] = matches[0]
            taken.add(matches[0])
    if "respondent" not in roles:
        roles |= _people_among([c for c in columns if c not in taken], said={*_SAID} & {*roles})
        taken |= {*roles.values()}
    if "round" in roles and "probability" not in roles:
        raise UsageError(
            f"{roles['round']!r} is mapped to the round, and no column holds the probability with "
            "which items were drawn in it (fix: map that, too: --columns probability=NAME)"
        )
    inside = [c for c in columns if c not in taken and _plain(c) in _CONTAINERS]
    if "query" not in roles and "item" in roles and len(inside) == 1:
        roles["query"] = inside[0]
    return roles


def _graded(matches: list[str], roles: dict[str, str]) -> list[str]:
    """Part the truth from what somebody said of the items, where a column names who did.

    Of ``label`` beside ``gold`` the first is what people or systems said.
    """
    truths = [column for column in matches if is_truth(column)]
    said = [column for column in matches if column not in truths]
    who = roles.get("respondent")
    if who is None or len(truths) != 1 or len(said) != 1 or "vote" in roles:
        return matches
    if kind_of(who, "system") == "person":
        return said
    roles["vote"] = said[0]
    return truths


def _extracted(columns: Sequence[str], roles: Mapping[str, str]) -> dict[str, str]:
    """Find the column of what was extracted: it follows that of the documents.

    Not where another column names items or queries, nor where somebody judged: then the documents
    are what was judged.
    """
    plain = {column: _plain(column) for column in columns}
    matches = [column for column, name in plain.items() if name in _EXTRACTED]
    inside = [column for column, name in plain.items() if name in _CONTAINERS]
    taken = {name for role in ("query", "vote", "grade", "category") for name in ROLES[role]}
    taken |= {name for name in ROLES["item"] if name not in _CONTAINERS}
    open_names = {name for column, name in plain.items() if column not in roles.values()}
    if len(matches) != 1:
        return {}
    if sorted(plain.values()) == sorted(["id", plain[matches[0]]]) and not roles:
        raise UsageError(
            f"'id' may number documents or rows (fix: say --columns item={matches[0]} and, if it "
            "numbers documents, --columns query=id)"
        )
    if taken & open_names or len(inside) > 1:
        return {}
    if roles.get("query", *inside[:1] or [""]) not in ["", *inside]:
        return {}
    if inside and columns.index(inside[0]) > columns.index(matches[0]):
        return {}
    return {"item": matches[0], **({"query": inside[0]} if inside else {})}


def _people_among(rest: Sequence[str], *, said: set[str]) -> dict[str, str]:
    """Find the column of people by its lesser names, where others hold what they answered.

    Beside scores and ranks it is about the items of a system's list (whose post is it?); of several
    such columns none can be told to be that of the people.
    """
    matches = [column for column in rest if _plain(column) in _MAYBE]
    if len(matches) != 1 or {"score", "rank"} & said or (not said and len(rest) > 1):
        return {}
    return {"respondent": matches[0]}


def is_maybe(column: str) -> bool:
    """Tell whether a column is that of people by one of their lesser names.

    Examples
    --------
    >>> is_maybe("Coder"), is_maybe("annotator")
    (True, False)
    """
    return _plain(column) in _MAYBE


def _settled(role: str, matches: Sequence[str]) -> str:
    """Of several columns for a role, take the one that is called by its name."""
    plain = {_plain(column): column for column in matches}
    for one, other in _RATHER:
        if {one, other} == plain.keys() and len(matches) == 2:
            return plain[one]
    exact = [column for column in matches if _plain(column) == role]
    if len(exact) == 1:
        return exact[0]
    fix = f"say which one with --columns {role}={matches[0]}"
    inside = [column for column in matches if _plain(column) in _CONTAINERS]
    if role == "item" and len(inside) == 1 and len(matches) == 2:
        found = next(column for column in matches if column not in inside)
        fix += f"; or, for what was found in documents, {role}={found} and query={inside[0]}"
    raise UsageError(
        f"columns {', '.join(map(repr, matches))} could all be the {role} (fix: {fix})"
    )


def has_query(columns: Sequence[str]) -> bool:
    """Tell whether one of some columns names queries.

    Examples
    --------
    >>> has_query(["system", "item"]), has_query(["topic", "docno"])
    (False, True)
    """
    plain = {_plain(column) for column in columns}
    inside = bool(plain & {*_CONTAINERS})
    return bool(plain & {*ROLES["query"]}) or (bool(plain & {"item", *_EXTRACTED}) and inside)


def kind_of(column: str | None, kind: Kind) -> Kind:
    """Tell what respondents are from what their column is called; ``kind`` where it does not say.

    Examples
    --------
    >>> kind_of("annotator", "system"), kind_of("run", "system")
    ('person', 'system')
    """
    return "person" if column is not None and _plain(column) in _PEOPLE else kind


def is_truth(column: str | None) -> bool:
    """Tell whether a column of grades is the truth by its name.

    Examples
    --------
    >>> is_truth("Gold"), is_truth("label")
    (True, False)
    """
    return column is not None and _plain(column) in _TRUTH


def _plain(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def read_vote(cell: str) -> float | None:
    """Read a vote: 0 to 1, yes or no in many spellings, NaN for unknown, None where it is none.

    Examples
    --------
    >>> read_vote("yes"), read_vote("−"), read_vote(" 0.25 "), read_vote("?"), read_vote("7")
    (1.0, 0.0, 0.25, nan, None)
    """
    value = read_grade(cell)
    return value if value is None or value != value or 0 <= value <= 1 else None


def read_grade(cell: str) -> float | None:
    """Read a judgment: a number, yes or no, NaN for unknown, None where it is none of these."""
    word = cell.strip().lower()
    return _WORDS[word] if word in _WORDS else read_number(word)


def read_score(cell: str) -> float | None:
    """Read a score: a finite number; NaN for an empty cell, None for the word, which is no gap.

    Examples
    --------
    >>> (
    ...     read_score("2.5"),
    ...     read_score(""),
    ...     read_score("nan"),
    ...     read_score("-inf"),
    ...     read_score("1e400"),
    ... )
    (2.5, nan, None, None, None)
    """
    word = cell.strip().lower()
    return None if word in _MISSING and word else read_number(word)


def is_boundless(cell: str) -> bool:
    """Tell whether a cell holds a number that is not finite, or too large to be one here.

    Examples
    --------
    >>> is_boundless("-inf"), is_boundless("1e999"), is_boundless("nan"), is_boundless("x")
    (True, True, False, False)
    """
    try:
        return math.isinf(float(cell))
    except ValueError:
        return False


def read_number(cell: str) -> float | None:
    """Read a finite number; NaN for an empty cell, None for anything else.

    Examples
    --------
    >>> read_number("1e3"), read_number("NA"), read_number("1_000"), read_number("inf")
    (1000.0, nan, None, None)
    """
    cell = cell.strip()
    if cell.lower() in _MISSING:
        return float("nan")
    try:
        value = float(cell) if "_" not in cell else float("inf")
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
