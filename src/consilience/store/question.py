"""What people are asked about items, and how: the settings of labelling (``project.task``).

Labelling is blind unless it is said otherwise: people see neither what systems answered nor what
others said, and each has an order of their own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.store import schema as s
from consilience.store.connect import writing
from consilience.store.projects import Project, changed, lock, project_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database

#: What can be asked: yes or no, a grade, a category, an order of all items, the better of two.
Kind = Literal["relevance", "grades", "category", "ranking", "pairs"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Kinds that ask about one item at a time: their tasks can stay when another of them is asked.
SINGLE: tuple[Kind, ...] = ("relevance", "grades", "category")
#: What is asked where nobody said it.
USUAL: dict[Kind, str] = {
    "relevance": "Is this relevant to the query?",
    "grades": "How relevant is this to the query?",
    "category": "Which category does this belong to?",
    "ranking": "Put these in order, the best first.",
    "pairs": "Which of the two is better for the query?",
}
#: The value columns that answers to each kind of question have.
HAS: dict[Kind, list[str]] = {
    "relevance": ["grade", "probability", "round"],
    "grades": ["grade", "probability", "round"],
    "category": ["probability", "round", "category"],
    "ranking": ["vote", "rank", "probability", "round"],
    "pairs": ["vote", "probability", "round"],
}
#: The grades where nobody named others, the lowest first.
GRADES = ("not relevant", "related", "relevant", "perfect")
#: The most people that may be asked about one task; items of a ranking; grades; categories.
MOST_PEOPLE, MOST_RANKED, MOST_GRADES, MOST_WORDS = 100, 50, 20, 5000
#: The longest question, guide and name of a grade or category, in characters.
LONG, LONGER, WORD = 500, 5000, 200


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of how many people, and what they see beside the items.

    ``grades`` rise; ``words`` are categories, none where those of the stored tree are asked for.
    ``overlap`` people see each task. ``tree`` says whether the tree is shown (otherwise categories
    stand in a list by name); ``order`` whether everybody has an order of their own, or all that of
    the draw; ``predictions`` and ``others`` show what systems and other people said.
    """

    kind: Kind = "relevance"
    text: str = ""
    guide: str = ""
    grades: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    overlap: int = 1
    tree: Literal["shown", "hidden"] = "shown"
    order: Literal["own", "draw"] = "own"
    predictions: bool = False
    others: bool = False
    confidence: bool = False
    most: int = 10

    @property
    def asked(self) -> str:
        """What stands above a task."""
        return self.text or USUAL[self.kind]

    @property
    def blind(self) -> bool:
        """Whether nothing is shown of what anybody said."""
        return not (self.predictions or self.others)

    @property
    def of_items(self) -> bool:
        """Whether an item is asked about by itself: its place in a tree is the same for queries."""
        return self.kind == "category" and not self.words

    @property
    def mark(self) -> str:
        """Tell questions apart: an answer belongs to what was asked when it was given."""
        meant = (self.kind, self.asked, self.grades, self.words)
        return hashlib.sha256(json.dumps(meant).encode()).hexdigest()[:12]


def question_of(project: Project) -> Question:
    """Read what a project asks; where nothing was settled, whether an item is relevant.

    Examples
    --------
    >>> project = Project(1, "p", "P", "", 0, {"kind": "grades", "grades": ["no", "yes"]})
    >>> question_of(project).grades, question_of(project).asked
    (('no', 'yes'), 'How relevant is this to the query?')
    """
    known = {one.name for one in fields(Question)}
    held = {name: value for name, value in project.task.items() if name in known}
    for name in ("grades", "words"):
        held[name] = tuple(held.get(name, ()))
    return Question(**held)


def is_settled(project: Project) -> bool:
    """Tell whether somebody said what is asked."""
    return "kind" in project.task


def checked(question: Question) -> Question:
    """See that a question can be asked; give it with blanks taken off.

    Examples
    --------
    >>> checked(Question(kind="grades", grades=(" low ", "high"))).grades
    ('low', 'high')
    >>> checked(Question(kind="grade"))
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown kind of question 'grade'; did you mean 'grades'? ...
    """
    if question.kind not in KINDS:
        raise unknown("kind of question", question.kind, KINDS)
    for name, allowed in (("tree", ("shown", "hidden")), ("order", ("own", "draw"))):
        if getattr(question, name) not in allowed:
            raise unknown(f"way to show the {name}", getattr(question, name), allowed)
    _within("overlap (how many people see each task)", question.overlap, 1, MOST_PEOPLE)
    _within("number of items to put in order", question.most, 2, MOST_RANKED)
    for what, text, most in (("question", question.text, LONG), ("guide", question.guide, LONGER)):
        if len(text) > most:
            raise UsageError(f"the {what} has {len(text):,} characters (fix: at most {most:,})")
    grades = _words("grade", question.grades, MOST_GRADES)
    if question.kind == "grades" and not grades:
        grades = GRADES
    if question.kind == "grades" and len(grades) < 2:
        raise UsageError("one grade leaves no choice (fix: name two or more, the lowest first)")
    return replace(
        question,
        text=question.text.strip(),
        guide=question.guide.strip(),
        grades=grades,
        words=_words("category", question.words, MOST_WORDS),
    )


def _within(what: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        found = f"the {what} is {quote(value)}"
        raise UsageError(f"{found} (fix: a number from {least} to {most})")


def _words(what: str, given: Sequence[str], most: int) -> tuple[str, ...]:
    """See that names of choices differ, are not empty and can be shown."""
    names = tuple(name.strip() for name in given if name.strip())
    if len(names) > most:
        raise UsageError(f"{len(names):,} are too many to choose from (fix: at most {most:,})")
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UsageError(f"the {what} {quote(name)} stands there twice (fix: keep one)")
        if len(name) > WORD or not name.isprintable():
            raise UsageError(
                f"{quote(name)} is no name for a {what} (fix: at most {WORD} letters in one line)"
            )
    return names


def ask(db: Database, project: Project, question: Question) -> Project:
    """Settle what is asked.

    While nobody has answered everything can change; tasks that the new question cannot use go.
    Later the kind stays, and so do the number of grades and whether categories are those of the
    tree: answers mean what was asked. The study's version rises where it tells of another question,
    so that no result of the old one is taken for one of the new.
    """
    settled = checked(question)
    with writing(db) as conn:
        lock(conn, project.id)
        now = project_of(conn, project.id)
        before = question_of(now)
        gone = 0
        if has_labels(conn, project.id):
            _check_same(before, settled)
        elif not _alike(before, settled):
            gone = conn.execute(s.task.delete().where(s.task.c.project_id == project.id)).rowcount
        if _retold(conn, project.id, settled) or gone:
            changed(conn, project.id)
        here = s.project.c.id == project.id
        held: dict[str, Any] = {**now.task, **asdict(settled)}
        if gone:
            held.pop("drawn", None)  # what was there when these were drawn
        conn.execute(s.project.update().where(here).values(task=held))
        return project_of(conn, project.id)


def _retold(conn: Connection, project_id: int, settled: Question) -> bool:
    """Let the labels of a project tell what is asked now; tell whether that is something else."""
    c = s.source.c
    source = (c.project_id == project_id) & (c.role == "labels")
    told = {"why": f"{settled.kind}: {settled.asked}", "has": HAS[settled.kind]}
    found = conn.execute(sa.select(c.why, c.has).where(source)).first()
    if found is None or {"why": found.why, "has": found.has} == told:
        return False
    conn.execute(s.source.update().where(source).values(told))
    return True


def _alike(one: Question, other: Question) -> bool:
    """Tell whether two questions are asked about tasks of one shape."""
    single = one.kind in SINGLE and other.kind in SINGLE
    return (one.kind == other.kind or single) and one.of_items == other.of_items


def has_labels(conn: Connection, project_id: int) -> bool:
    """Tell whether anybody has labelled here."""
    given = (s.source.c.project_id == project_id) & (s.source.c.role == "labels")
    said = sa.select(s.answer.c.id).join(s.source, s.source.c.id == s.answer.c.source_id)
    return conn.execute(said.where(given).limit(1)).first() is not None


def _check_same(before: Question, after: Question) -> None:
    fix = "begin another project for another question"
    if before.kind != after.kind:
        raise UsageError(
            f"people have answered a question of the kind {before.kind}; it cannot become "
            f"{after.kind} any more (fix: {fix})"
        )
    if before.of_items != after.of_items:
        ways = ("a list of words", "the tree")
        raise UsageError(
            f"people have chosen categories of {ways[before.of_items]}; they cannot become those "
            f"of {ways[after.of_items]} any more (fix: {fix})"
        )
    if before.kind == "grades" and len(before.grades) != len(after.grades):
        raise UsageError(
            f"people have graded from 1 to {len(before.grades)}; there cannot be "
            f"{len(after.grades)} grades now (fix: other names, as many; or {fix})"
        )
