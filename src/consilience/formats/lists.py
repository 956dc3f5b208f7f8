"""Whether lines of text are a list of one item each: phrases, names, ids, addresses, sentences.

Every text has lines, and lines can always be counted as items. So a list is what looks like one,
and each question here finds something that a list does not have: tabs, tags, columns, comments,
indentation. The user may always ask for lines (``--answers lines``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from consilience.errors import quote
from consilience.formats.roles import names_label, read_number, read_vote

_MARKUP = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")
#: The end of an element; of a sentence, as language models mark it, it is none.
_CLOSED = re.compile(r"</(?!s>)[A-Za-z][\w:.-]*\s*>")
_LONG = 400
_INDENTED = re.compile(r"^(?: {2,}|\t)")
#: Several blanks in a row; two that follow the end of a sentence are a habit of typists.
_GAP = re.compile(r"\S {3,}\S|[^\s.!?:;] {2}\S")
_COMMENT = re.compile(r"^\s*(?:#(?:[\s#!]|$)|//|/\*|-- |%+(?:\s|$)|;;|REM )")
_CODE_END = re.compile(r"[{;\\]\s*$|^\s*[})\]]+[;,]?\s*$")
_PRINTED = re.compile(r"^\s*(?:[+|][-=+|]{3,}[+|]|\|.*\|)\s*$")
_FILE_AND_LABEL = re.compile(r"^\S+\.[A-Za-z]\w{1,4} +\S+$")
_HASH_AND_TEXT = re.compile(r"^(?=\S*\d)[0-9a-f]{7,64}\s+\*?\S")
_TEXT_AND_NUMBER = re.compile(r"^[\W\d]*[^\W\d].* -?\d*\.\d+$")
_ID_AND_TEXT = re.compile(r"^([^\s\d]*)(\d{1,9})\S{0,5}\s+\S")
_TWO_IDS = re.compile(r"^(?=\S*\d)(?=\S*[A-Za-z])\S+ (?=\S*\d)\S+$")
_ID_AND_LABEL = re.compile(r"^(\S*\d)\s+([^\W\d]\S*|[-+]?\d)$")
_GRADE = re.compile(r"[-+]?\d")
#: Delimiters of cells, and how many of them in every line make a table without further signs.
_DELIMITERS = {",": 2, ";": 2, "|": 1, "::": 2, ":": 3}
#: From how many lines on it tells that any lines, however long, come so often on average.
_MANY, _OFTEN = 10, 5
#: How many words and characters a label or a short answer has at most.
_WORDS, _CHARACTERS = 5, 40
#: What can be nothing but a label where it recurs: one letter, as a choice among several.
_CHOICE = re.compile(r"\(?[A-Za-z][.):]?")
#: One word, and scripts in which a word is not parted from the next one: there, two characters.
_WORD = re.compile(r"[^\W\d_]+(?:[-'’.][^\W\d_]+)*|[-+]?\d{1,3}")
UNPARTED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
#: What marks an item of a list in prose: a dash or bullet, or numbers that count.
_BULLET = re.compile(r"^\s*([-*•‣◦▪●·–—])\s+\S")
_COUNTED = re.compile(r"^\s*(\d{1,3})[.)]\s+\S")
#: A year, and a telephone number with the code of its country.
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_DIALLED = re.compile(r"^\s*\+\d[\d ()/.-]{5,}$")
_FULL_STOP = re.compile(r"[^\W\d]{2}[.!?]$")
_ENTITY = re.compile(r"&#?\w+;")
_CODED = re.compile(r"[=(){}<>\[\]\\]")
#: From how many lines and cells on equal rows are a table: a phrase has a word more or less.
_ROWS, _WIDE = 4, 4
#: From how many lines on text is seen to be wrapped, how wide it is at most, and how ragged.
_WRAPPED, _WIDEST, _RAGGED = 8, 120, 15
#: The end of a sentence within a line, or of a line within a word.
_SENTENCE = re.compile(r"[^\W\d]{2}(?:[.;!?] +\S|[-¬=]\s*$)")


#: What to do: with a table, with a text, with labels.
_TABLE = "give CSV, TSV, JSON lines, Parquet or TREC files"
_TEXT = "compare texts with consilience align, or with consilience rank --match aligned"
LABELS = "write a table with columns query, system, item: the row, who says it, the label"
_COPIES = f"if these are items, leave out the copies; if labels, {LABELS}"
_MARKS = "leave out the marks, and all lines that are no items"
_SEVERAL = "write each on a line of its own"


class Doubt(NamedTuple):
    """Why lines are no list, and what to do with them."""

    why: str
    fix: str


def why_no_list(lines: Sequence[str]) -> Doubt | None:
    r"""Return why lines do not look like a list of one item each; None where they do.

    Parameters
    ----------
    lines
        The first lines of a file that are not blank.

    Examples
    --------
    >>> why_no_list(["new york, usa", "paris, france"])
    >>> why_no_list(["a\tb", "c"]).why
    'a line holds a tab'
    >>> why_no_list(["<b>one</b>", "<i>two</i>"]).why
    '2 of the first 2 lines hold tags'
    """
    return next(
        (Doubt(why, fix) for ask, fix in _QUESTIONS.items() if (why := ask(lines))),
        None,
    )


def why_no_text(lines: Sequence[str]) -> str | None:
    """Return why lines are no text to be cut into words; None where they may be one.

    Prose is no list, and a text all the same. What is asked here finds cells, ids, times and votes
    in most lines, which would count as words; comments between them tell nothing.

    Examples
    --------
    >>> why_no_text(["0 3050 h#", "3050 4559 sh"])
    '2 of the first 2 lines begin with two numbers, as times do'
    >>> why_no_text(["The cat, the dog, the hen,", "the cow, the sow, the ewe,", "sat there."])
    """
    body = [line for line in lines if not _COMMENT.match(line)]
    if len(body) < 2:
        return None
    asked = (_timed, _ids, _pairs, _numbered, _numbers, _fields, _closed, _votes)
    return next((why for ask in asked if (why := ask(body))), None)


def labels(lines: Sequence[str], of: str = "lines") -> str | None:
    """Return why lines look like labels or answers, one for each row; None where not.

    A list hardly ever returns an item twice. So what recurs is told from a list with a few copies:
    letters, yes and no, digits that recur at all; words and short phrases of which more than a
    tenth, and two at least, are copies (of words one, where that is more than a fifth); anything
    that comes five times on average; and whatever recurs below the name of a column of labels.

    Parameters
    ----------
    lines
        The lines, or the values of a list.
    of
        What they are called.

    Examples
    --------
    >>> labels(["yes", "no", "yes"])
    'of the first 3 lines there are only 2 different: labels or answers, one for each row?'
    >>> labels(["cat", "dog", "bird", "cat"])
    'of the first 4 lines there are only 3 different: labels or answers, one for each row?'
    >>> labels(["neural networks", "kernels", "neural networks"])
    """
    said = [line.strip() for line in lines]
    if any("\ufffd" in line for line in said):  # cannot be decoded, as the reader will say
        return None
    named = len(said) > 1 and names_label(said[0])
    found = Counter(said[1:] if named else said)
    kinds, count = len(found), sum(found.values())
    bare = named and all(_is_label(text) or _is_number(text) for text in found)
    if not (bare or (kinds < count and (named or _recurs(found)))):
        return None
    only = "is only one" if kinds == 1 else f"are only {kinds}"
    where = f" below {quote(said[0])}" if named else ""
    what = "labels or answers, one for each row?"
    return f"of the first {count} {of}{where} there {only} different: {what}"


def _recurs(found: Mapping[str, int]) -> bool:
    """Return whether texts, of which some recur, do so as labels and answers do."""
    kinds, count = len(found), sum(found.values())
    copies = count - kinds
    brief = sum(often for text, often in found.items() if _is_brief(text))
    often = copies * 10 > count
    return (
        all(map(_is_label, found))
        or (count >= _MANY and kinds * _OFTEN <= count)
        or (often and (copies > 1 or copies * 5 > count) and all(map(_is_word, found)))
        or (often and copies > 1 and brief * 10 >= 9 * count)
    )


def _is_brief(text: str) -> bool:
    return len(text.split()) <= _WORDS and len(text) <= _CHARACTERS


def _is_word(text: str) -> bool:
    """Return whether a text is one word, or a number of up to three digits."""
    return bool(_WORD.fullmatch(text)) and (len(text) < 3 or not UNPARTED.search(text))


def _is_label(text: str) -> bool:
    """Return whether a text is yes or no in one of its spellings, one letter or one digit."""
    if _GRADE.fullmatch(text) or _CHOICE.fullmatch(text):
        return True
    return read_vote(text) is not None and not _is_number(text)


def _tabs(lines: Sequence[str]) -> str | None:
    count = sum("\t" in line.strip() for line in lines)
    return (
        None if not count else "a line holds a tab" if count == 1 else f"{count:,} lines hold tabs"
    )


def _tags(lines: Sequence[str]) -> str | None:
    count = _count(lines, _MARKUP.search)
    return f"{count} of the first {len(lines)} lines hold tags" if count * 2 >= len(lines) else None


def _long(lines: Sequence[str]) -> str | None:
    most = sorted(map(len, lines))[int(0.9 * (len(lines) - 1))]
    return f"lines are longer than {_LONG} characters" if most > _LONG else None


def _marked(lines: Sequence[str]) -> str | None:
    """Find the marks of a list in prose, also below a line that introduces it."""
    body = lines[1:] if len(lines) > 1 and lines[0].rstrip().endswith((":", "：")) else lines
    marks = [found[1] for line in body if (found := _BULLET.match(line))]
    if marks and len(marks) * 5 >= 4 * len(body):
        return f"lines begin with {quote(marks[0])}, a mark that is no part of an item"
    counted = [int(found[1]) for line in body if (found := _COUNTED.match(line))]
    enough = len(counted) > (1 if body is lines else 0)
    if enough and len(counted) == len(body) and counted == [*range(1, len(body) + 1)]:
        return "lines are numbered (1. 2. …), and the numbers are no part of the items"
    return None


def _comments(lines: Sequence[str]) -> str | None:
    count = _count(lines, _COMMENT.match)
    if not count or not (_COMMENT.match(lines[0]) or count > 1):
        return None
    first = next(line.strip() for line in lines if _COMMENT.match(line))
    return (
        f"{count:,} {'line begins' if count == 1 else 'lines begin'} as a comment: {first[:40]!r}"
    )


def _indented(lines: Sequence[str]) -> str | None:
    count = _count(lines, _INDENTED.match)
    if 1 < count < len(lines) and count * 10 >= len(lines):
        return f"{count:,} of the first {len(lines)} lines are indented, others are not"
    return None


def _gaps(lines: Sequence[str]) -> str | None:
    count = _count(lines, _GAP.search)
    if count > 1 and count * 2 >= len(lines):
        return f"{count:,} of the first {len(lines)} lines have cells parted by several blanks"
    return None


def _code(lines: Sequence[str]) -> str | None:
    count = _count(lines, _CODE_END.search)
    if count > 1 and count * 10 >= 3 * len(lines):
        if not any(map(_CODED.search, lines)):
            return None
        return f"{count:,} of the first {len(lines)} lines end as source code does"
    return None


def _ended(lines: Sequence[str]) -> str | None:
    """Find a mark between items at the ends of lines."""
    count = sum(line.rstrip().endswith(";") for line in lines)
    if count > 1 and count * 10 >= 3 * len(lines):
        return f"{count:,} of the first {len(lines)} lines end in ';', which is no part of an item"
    return None


def _several(lines: Sequence[str]) -> str | None:
    """Find lines with several items each, parted by semicolons; sentences end with a point."""
    bare = [_ENTITY.sub("", line).strip().rstrip(";") for line in lines]
    counts = [0 if _FULL_STOP.search(line) else line.count(";") for line in bare]
    count = sum(one > 0 for one in counts)
    if count * 2 > len(lines) and max(counts) > 1:
        what = "line holds" if count == 1 else "lines hold"
        return f"{count:,} of the first {len(lines)} {what} several items each, parted by ';'"
    return None


def _printed(lines: Sequence[str]) -> str | None:
    count = _count(lines, _PRINTED.match)
    return "lines are drawn as a table" if count > 1 and count * 2 >= len(lines) else None


def _pairs(lines: Sequence[str]) -> str | None:
    if len(lines) < 2:
        return None
    told = {
        "a file's name and a label": _FILE_AND_LABEL,
        "a hash and a text": _HASH_AND_TEXT,
        "two ids": _TWO_IDS,
        "a text and a number": _TEXT_AND_NUMBER,
    }
    kinds = (what for what, pattern in told.items() if all(map(pattern.match, lines)))
    what = "an id and a label" if _are_labelled(lines) else next(kinds, None)
    return None if what is None else f"every line holds {what}, parted by a blank"


def _are_labelled(lines: Sequence[str]) -> bool:
    """Return whether lines are ids with one of a few labels each, or texts with yes or no."""
    found = [_ID_AND_LABEL.match(line.strip()) for line in lines]
    ids, said = {one[1] for one in found if one}, {one[2] for one in found if one}
    if None not in found and len(ids) == len(lines) > len(said) > 1:
        return True
    last = [line.split()[1:][-1:] for line in lines]
    votes = {word.lower() for words in last for word in words}
    return len(votes) == 2 and all(last) and all(len(v) > 1 and _is_label(v) for v in votes)


def _numbered(lines: Sequence[str]) -> str | None:
    """Find ids that go up by one in front of texts, as in Kaldi's files and in numbered lists."""
    found = [_ID_AND_TEXT.match(line) for line in lines]
    ids = [(one[1], int(one[2])) for one in found if one]
    steps = all(a[0] == b[0] and a[1] + 1 == b[1] for a, b in pairwise(ids))
    if len(ids) == len(lines) > 2 and steps:
        return "every line begins with an id, which goes up by one"
    return None


def _numbers(lines: Sequence[str]) -> str | None:
    """Find columns of numbers that are parted by blanks."""
    rows = [line.split() for line in lines]
    wide = [row for row in rows if len(row) > 1]
    if len(lines) < 2 or len(wide) * 2 < len(lines):
        return None
    bare = sum(all(map(_is_number, row)) for row in rows)
    named = sum(len(row) > 3 and all(map(_is_number, row[1:])) for row in rows)
    if all(map(_DIALLED.match, lines)):
        return None
    if bare * 5 >= 4 * len(rows) or named * 2 >= len(rows):
        return "lines hold numbers parted by blanks"
    same = len({len(row) for row in rows}) == 1 and len(rows) > 2 and len(rows[0]) > 2
    same = same and not _are_dated(rows)
    columns = list(zip(*rows, strict=True)) if same else []
    figures = sum(all(map(_is_number, column)) for column in columns)
    if figures > 1 or (figures and any(len({*column}) == 1 for column in columns)):
        return "every line has the same number of cells between blanks, without a header"
    return None


def _cells(lines: Sequence[str]) -> str | None:
    """Find the cells of a table without a header, or with rows of different lengths."""
    for delimiter, least in _DELIMITERS.items():
        rows = [line.split(delimiter) for line in lines]
        wide = [row for row in rows if len(row) > 1]
        said = f"between {delimiter!r}, without a header"
        if len(wide) < len(rows):
            numeric = sum(all(_is_number(cell) for cell in row) for row in wide)
            if delimiter != ":" and numeric > 0 and numeric * 2 >= len(lines) - 1 > 1:
                odd = next(row for row in rows if len(row) != len(rows[0]))
                found = (
                    f"{len(rows[0])} in the first and {len(odd)} in {quote(delimiter.join(odd))}"
                )
                return f"rows have different numbers of cells {said}: {found}"
            continue
        if len({len(row) for row in rows}) > 1 or len(rows) < 2:
            continue
        columns = list(zip(*rows, strict=True))
        tight = not any(cell.startswith(" ") for column in columns[1:] for cell in column)
        apart = delimiter != ":" or len({*columns[0]}) > 1
        enough = len(rows) > 2 and len(columns) > least and apart
        figures = delimiter != ":" and tight and any(all(map(_is_number, one)) for one in columns)
        few = len(rows) > 2 and tight and delimiter != ":" and _repeats(columns[1:])
        if enough or figures or few:
            return f"every line has the same number of cells {said}"
    return None


def _rows(lines: Sequence[str]) -> str | None:
    """Find the cells of a table between single blanks: so many words in every line, and again."""
    rows = [line.split() for line in lines]
    if len(rows) < _ROWS or len(rows[0]) < _WIDE or len({len(row) for row in rows}) > 1:
        return None
    if _are_dated(rows):
        return None
    if any(4 * len({*column}) <= 3 * len(column) for column in zip(*rows, strict=True)):
        return f"every line has {len(rows[0])} cells between blanks, and what they say recurs"
    return None


def _timed(lines: Sequence[str]) -> str | None:
    """Find lines that begin with two numbers."""
    count = sum(len(row) > 1 and all(map(_is_number, row[:2])) for row in map(str.split, lines))
    if count * 2 > len(lines):
        return f"{count:,} of the first {len(lines)} lines begin with two numbers, as times do"
    return None


def _ids(lines: Sequence[str]) -> str | None:
    """Find ids of one shape before other words; the first line may be a header."""
    rows = [line.split() for line in lines]
    ids = [row[0] for row in rows[1:]]
    if len(rows) < 3 or min(map(len, rows)) < 2 or not are_ids(ids):
        return None
    return f"every line begins with an id such as {quote(ids[0])}"


def are_ids(names: Sequence[str]) -> bool:
    """Return whether names differ in their numbers alone, and do differ.

    Examples
    --------
    >>> are_ids(["page 1", "page 12"]), are_ids(["page 1", "page 1"]), are_ids(["1", "2"])
    (True, False, False)
    """
    shapes = {shape_of(name) for name in names}
    shape = next(iter(shapes), "")
    lettered = any(map(str.isalpha, shape)) and "#" in shape
    return len(shapes) == 1 and lettered and len({*names}) == len(names)


def shape_of(name: str) -> str:
    """Return a name with ``#`` for every number in it."""
    return re.sub(r"\d+", "#", name.strip())


def _fields(lines: Sequence[str]) -> str | None:
    """Find cells as :func:`_cells` does; of a text, commas with blanks behind them part none."""
    for delimiter, least in _DELIMITERS.items():
        rows = [line.split(delimiter) for line in lines]
        wide = [row for row in rows if len(row) > 1]
        numeric = sum(all(map(_is_number, row)) for row in wide)
        if delimiter != ":" and numeric > 1 and numeric >= len(rows) - 1:
            return f"most lines hold numbers between {delimiter!r}"
        if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2 or not all(r[0] for r in rows):
            continue
        columns = list(zip(*rows, strict=True))
        tight = not any(cell.startswith(" ") for column in columns[1:] for cell in column)
        if not tight and delimiter not in ("|", "::"):
            continue
        enough = len(rows) > 2 and len(columns) > least
        if enough and (delimiter != ":" or len({*columns[0]}) > 1):
            return f"every line has the same number of cells between {delimiter!r}"
    return None


def _closed(lines: Sequence[str]) -> str | None:
    count = _count(lines, _CLOSED.search)
    return f"{count} of the first {len(lines)} lines hold tags" if count * 2 >= len(lines) else None


def _votes(lines: Sequence[str]) -> str | None:
    """Find votes, one a line: 0 and 1, yes and no."""
    said = {line.strip().lower() for line in lines}
    votes = len(lines) > 2 and len(said) <= 2 and all(map(_is_label, said))
    return "every line is a vote, such as yes, no, 0 or 1" if votes else None


def _are_dated(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows are words and, last, a year: names of events, not cells."""
    dated = all(_YEAR.fullmatch(row[-1]) for row in rows)
    return dated and not any(_is_number(cell) for row in rows for cell in row[:-1])


def _repeats(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether a column says the same things again and again, as labels do."""
    return any(len({*column}) * 2 <= len(column) for column in columns)


def _wrapped(lines: Sequence[str]) -> str | None:
    """Find running text that was wrapped at a width: sentences go on in the next line.

    Where sentences end within lines, or words are cut at their ends, a heading may be wider.
    """
    lengths = sorted(map(len, lines))
    marked = 10 * _count(lines, _SENTENCE.search) >= len(lines)
    width = lengths[int(0.9 * (len(lines) - 1))] if marked else lengths[-1]
    least, often = (40, 5) if marked else (50, 4)
    if len(lines) < _WRAPPED or not least <= width <= _WIDEST:
        return None
    full = sum(length >= width - _RAGGED for length in lengths)
    goes_on = sum(
        b.lstrip()[0].islower()
        and (a.rstrip()[-1].isalnum() or a.rstrip().endswith((",", "-", "¬", "=")))
        for a, b in pairwise(lines)
    )
    if full * 2 >= len(lines) and goes_on * often >= len(lines):
        return f"running text, wrapped at some {width} characters"
    return None


def _count(lines: Sequence[str], fits: Callable[[str], object]) -> int:
    return sum(bool(fits(line)) for line in lines)


def _is_number(text: str) -> bool:
    value = read_number(text)
    return value is not None and value == value


#: Everything that is asked, in this order, and what to do then.
_QUESTIONS: dict[Callable[[Sequence[str]], str | None], str] = {
    **dict.fromkeys((_tabs, _tags, _long), _TABLE),
    _marked: _MARKS,
    **dict.fromkeys(
        (_comments, _indented, _gaps, _code, _printed, _pairs, _numbered, _numbers, _cells),
        _TABLE,
    ),
    _ended: _MARKS,
    _several: _SEVERAL,
    labels: _COPIES,
    _wrapped: _TEXT,
    _rows: _TABLE,
}
