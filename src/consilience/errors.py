"""Errors that say where, what was found, and what to do.

Every error a user can cause is a :class:`UsageError`; the command line turns it into one clear
message and exit code 2. Bad lines of a file travel together in one :class:`InputError`, so that
a file can be mended in one go.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TypeGuard, TypeVar

_T = TypeVar("_T")

#: How many problems of a file are spelt out; the rest is counted. Of problems that are the same in
#: every line of a file a few are enough.
SHOWN = 20
_SAME = 3
#: The longest piece of a user's input that a message repeats.
LONGEST = 60


class ConsilienceError(Exception):
    """Something could not be done; the message says why."""


class UsageError(ConsilienceError):
    """The request or the input is wrong; the message says how to mend it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong at one place.

    Examples
    --------
    >>> print(Problem("bm25.run", 17, "rank must be a whole number, found 'x'", "write 3, or -"))
    bm25.run:17: rank must be a whole number, found 'x' (fix: write 3, or -)
    """

    file: str
    line: int | None
    found: str
    fix: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.found} (fix: {self.fix})"


class InputError(UsageError):
    """What is wrong with one or more input files: the first problems, and how many there are.

    Examples
    --------
    >>> print(InputError([Problem("a.csv", 2, "vote must be in [0, 1], found '7'", "use 0 to 1")]))
    a.csv:2: vote must be in [0, 1], found '7' (fix: use 0 to 1)
    """

    def __init__(self, problems: Iterable[Problem], total: int | None = None) -> None:
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        lines = [str(problem) for problem in _spelt_out(self.problems)]
        if self.total > len(lines):
            lines.append(f"… {self.total} problems in all, the first {len(lines)} are shown")
        super().__init__("\n".join(lines))


def _spelt_out(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems to be shown: of a file in which all say the same, the first few."""
    by_file: dict[str, list[Problem]] = {}
    for problem in problems:
        by_file.setdefault(problem.file, []).append(problem)
    alike = {
        file
        for file, some in by_file.items()
        if len({(problem.found, problem.fix) for problem in some}) == 1
    }
    hidden = {id(problem) for file in alike for problem in by_file[file][_SAME:]}
    return [problem for problem in problems if id(problem) not in hidden][:SHOWN]


class KindError(InputError):
    """Answers are of a kind that is recognised, and that is not compared yet.

    Examples
    --------
    >>> print(KindError("a.csv", "these are outcomes, which are not compared yet", "add queries"))
    a.csv: these are outcomes, which are not compared yet (fix: add queries)
    """

    def __init__(self, file: str, found: str, fix: str) -> None:
        super().__init__([Problem(file, None, found, fix)])


class EmptyError(InputError):
    """A file can be read and holds nothing: a mistake for most, an answer where nothing was found.

    ``form`` is what the file was taken for, ``columns`` are the names in its header.
    """

    def __init__(self, problem: Problem, form: str, columns: Sequence[str] = ()) -> None:
        self.form = form
        self.columns = tuple(columns)
        super().__init__([problem])


class ChoiceError(InputError):
    """A file may be read in several ways, and only who gave it knows: an option says which.

    ``option`` is its name on the command line, ``values`` are what it may be.

    Examples
    --------
    >>> print(ChoiceError("boxes", "corners or sizes", "--boxes", ["corners", "sizes"]))
    boxes: corners or sizes (fix: say which: --boxes corners, or --boxes sizes)
    """

    def __init__(self, file: str, found: str, option: str, values: Sequence[str]) -> None:
        self.option = option
        self.values = tuple(values)
        said = ", or ".join(f"{option} {value}" for value in values)
        super().__init__([Problem(file, None, found, f"say which: {said}")])


@dataclass(slots=True)
class Problems:
    """Problems as they are found: the first ones are kept, all are counted.

    Examples
    --------
    >>> problems = Problems()
    >>> problems.add(Problem("a.csv", 9, "vote is missing", "write 0 or 1"))
    >>> problems.many(range(1000), lambda row: Problem("a.csv", row + 1, "no", "say yes"))
    >>> len(problems), str(problems.error()).splitlines()[-1]
    (1001, '… 1001 problems in all, the first 20 are shown')
    """

    kept: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, problem: Problem) -> None:
        """Note a problem."""
        self.many([problem], lambda found: found)

    def many(self, places: Sequence[_T], describe: Callable[[_T], Problem]) -> None:
        """Note a problem at each of some places; only the first ones are put into words."""
        self.total += len(places)
        self.kept += [describe(place) for place in places[:SHOWN]]

    def merge(self, other: InputError | Problems) -> None:
        """Take over what was found elsewhere; what is known already is not said again."""
        more = other.problems if isinstance(other, InputError) else tuple(other.kept)
        fresh = [problem for problem in more if problem not in self.kept]
        self.kept += fresh
        self.total += other.total - (len(more) - len(fresh))

    def sorted(self) -> Problems:
        """Give the problems of one file in the order of its lines."""
        return Problems(sorted(self.kept, key=lambda problem: problem.line or 0), self.total)

    def error(self) -> InputError:
        """Make an error of all of them."""
        return InputError(self.kept, self.total)

    def raise_any(self) -> None:
        """Raise the error if there are problems."""
        if self.total:
            raise self.error()

    def __len__(self) -> int:
        return self.total


def bad(file: str, line: int | None, found: str, fix: str) -> InputError:
    """Make an :class:`InputError` of a single problem."""
    return InputError([Problem(file, line, found, fix)])


def placed(error: UsageError, file: str, line: int | None = None) -> InputError:
    """Say of an error in which file, and on which line, it was found.

    Examples
    --------
    >>> print(placed(UsageError("no items (fix: name some)"), "a.csv", 1))
    a.csv:1: no items (fix: name some)
    """
    found, _, fix = str(error).removesuffix(")").partition(" (fix: ")
    return bad(file, line, found, fix or "use one of these")


def is_number(value: object) -> TypeGuard[float]:
    """Tell numbers from all else, truth values included: for options that must be one.

    Examples
    --------
    >>> is_number(0.5), is_number(3), is_number("0.5"), is_number(True)
    (True, True, False, False)
    """
    if type(value).__name__ == "timedelta64":  # numpy takes it for a whole number
        return False
    return isinstance(value, Real) and not isinstance(value, bool)


def written(value: object) -> str:
    """Write a value as text, or say that its class does not let it be written.

    Examples
    --------
    >>> written(7), written(None)
    ('7', 'None')
    >>> written(10**5000)
    Traceback (most recent call last):
    consilience.errors.UsageError: a value of type int cannot be written as text (fix: give text ...
    """
    try:
        return str(value)
    except Exception:  # noqa: BLE001 (it is the value's own code that runs)
        raise UsageError(
            f"a value of type {type(value).__name__} cannot be written as text "
            "(fix: give text or numbers)"
        ) from None


def quote(text: object) -> str:
    """Repeat a piece of the user's input, shortened and with control characters visible.

    Examples
    --------
    >>> quote("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…' (100 characters)"
    """
    try:
        text = written(text)
    except UsageError:
        text = f"<{type(text).__name__}>"
    if len(text) <= LONGEST:
        return repr(text)
    return f"{text[:LONGEST] + '…'!r} ({len(text):,} characters)"


def unknown(what: str, name: object, possible: Sequence[str]) -> UsageError:
    """Say that a name is not known, what was possible, and what was probably meant.

    Examples
    --------
    >>> print(unknown("format", "latx", ["csv", "latex"]))
    unknown format 'latx'; did you mean 'latex'? possible: csv, latex
    """
    near = difflib.get_close_matches(name, possible, n=1) if isinstance(name, str) else []
    hint = f" did you mean {near[0]!r}?" if near else ""
    return UsageError(f"unknown {what} {quote(name)};{hint} possible: {', '.join(possible)}")
