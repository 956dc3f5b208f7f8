"""Files that other programs write and that are not read here: recognised, and refused by name.

A wrong reading is worse than a refusal. A page of ALTO is no list of lines, and a score computed
from its tags would look like any other score. So every form that people are likely to have is
recognised by its marks, and the refusal names it and says what to do instead.

:data:`FORMS` lists them in the order in which they are asked: a form whose marks are unmistakable
comes before one that is known by the look of its lines. Only the first lines of a file are looked
at. To read a new form, write a reader for it and take its row out of the table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consilience.errors import quote
from consilience.formats import lists, roles
from consilience.formats.exports import exported

if TYPE_CHECKING:
    from consilience.formats.files import File

#: How to ask for one item a line after all.
LINES = "for one item a line: --answers lines"
_TEXT = "write the text alone: a file for each page, for consilience align; or one item a line"
_SPANS = "write a table with columns document, start, end, label (one row for each entity)"
_SCORES = (
    "write a table with columns query, system, item: the question, the system and its answer; the "
    "right answers likewise, as the truth; rank with -m P"
)
_TOKENS = f"write one text file for each recording, with its words; {LINES}"
_SEGMENTS = "write RTTM, or a table with columns recording, start, end, label"
_BOXES = "write COCO JSON, or a table with columns image, left, top, width, height, class"
_PROSE = f"leave it out, or name the files that hold answers; {LINES}"


@dataclass(frozen=True, slots=True)
class Look:
    """The beginning of a file: its name's ending, its lines that are not blank, and their cells.

    ``document`` is what the file holds where that is JSON (where it was cut off: its first parts),
    or else its first line (``by_line``); None where there is no JSON.
    """

    name: str
    ending: str
    text: str
    lines: Sequence[str]
    document: Any
    by_line: bool

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the first JSON object, or of the first one in a list."""
        first = self.document
        if isinstance(first, list) and first:
            first = first[0]
        return frozenset(first) if isinstance(first, dict) else frozenset()

    def share(self, pattern: re.Pattern[str]) -> float:
        """Return the share of lines that a pattern matches from their beginning."""
        return sum(bool(pattern.match(line)) for line in self.lines) / len(self.lines)

    def begins(self, *marks: str) -> bool:
        """Return whether the text begins with one of some marks, capitals aside."""
        return self.text.lstrip().lower().startswith(marks)


@dataclass(frozen=True, slots=True)
class Form:
    """A foreign form: its name, how it is recognised, and what to do.

    ``where`` tells what in a file shows the form, where the name alone would not help.
    """

    name: str
    fits: Callable[[Look], bool]
    fix: str
    where: Callable[[Look], str] = lambda look: ""


def recognise(file: File, lines: Sequence[str]) -> Form | None:
    """Return the foreign form of a file, or None where its lines show none.

    Parameters
    ----------
    file
        The file, of which the ending counts for some forms of prose.
    lines
        Its first lines that are not blank.
    """
    text = "\n".join(lines)
    document, by_line = _document(file, lines[0])
    look = Look(file.called.lower(), file.ending, text, lines, document, by_line)
    form = next((form for form in FORMS if form.fits(look)), None)
    shown = "" if form is None else form.where(look)
    return replace(form, name=f"{form.name} ({shown})") if form is not None and shown else form


def _document(file: File, first: str) -> tuple[Any, bool]:
    """Return what a file holds as JSON, and whether that is its first line alone."""
    encoding = "utf-8" if file.encoding == "utf-8-sig" else file.encoding
    text = file.head.decode(encoding, errors="replace").removeprefix("\ufeff").strip()
    if not text.startswith(("{", "[")):
        return None, False
    for part, by_line in ((text, False), (first, True)):
        try:
            return json.loads(part), by_line
        except (ValueError, RecursionError):
            continue
    return _begun(text), False


_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,?\s*")


def _begun(text: str) -> Any:
    """Return the first parts of a JSON document that was cut off, to any depth."""
    decoder, place = json.JSONDecoder(), _gap(text, 1)
    found: dict[str, Any] = {}
    values: list[Any] = []
    try:
        while place < len(text):
            key = ""
            if text[0] == "{":
                key, place = decoder.raw_decode(text, place)
                colon = _COLON.match(text, place)
                if colon is None or not isinstance(key, str):
                    break
                place = colon.end()
            if text[place : place + 1] in ("{", "["):
                found[key] = {}  # known, and no single value, even where it was cut off
            try:
                one, place = decoder.raw_decode(text, place)
            except ValueError:
                if key not in found:
                    break
                one, place = _begun(text[place:]), len(text)
            found[key] = one
            values.append(one)
            place = _gap(text, place)
    except (ValueError, RecursionError):
        pass
    return found if text[0] == "{" else values


def _gap(text: str, place: int) -> int:
    """Return where the next part begins."""
    found = _COMMA.match(text, place)
    return place if found is None else found.end()


_ROOT = re.compile(
    r"^\s*(?>(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?[^>]*>\s*)*)<([\w:.-]+)",
    re.S | re.I,
)


def _root(look: Look) -> str:
    """Return the name of the root element of XML or HTML, without its prefix; "" of other text."""
    if not look.begins("<"):
        return ""
    found = _ROOT.match(look.text)
    return found[1].rpartition(":")[2].lower() if found else ""


def _is_root(*names: str) -> Callable[[Look], bool]:
    return lambda look: _root(look) in names


def _has_keys(*names: str) -> Callable[[Look], bool]:
    return lambda look: look.keys >= {*names}


def _all_lines(pattern: str, share: float = 1.0) -> Callable[[Look], bool]:
    compiled = re.compile(pattern)
    return lambda look: look.share(compiled) >= share


def _begins(*marks: str) -> Callable[[Look], bool]:
    return lambda look: look.begins(*marks)


_TAG = re.compile(r"^(?:O|[BIESLUM]-\S+)$")
#: The same where nothing else tells them from words such as B-52.
_SURE_TAG = re.compile(r"^(?:O|[BIESLUM]-[^\W\d]\S*)$")
#: Tags of the IO scheme, where tokens outside of entities are O.
_IO = re.compile(r"^[A-Z][A-Z_-]*$")


def _is_conll(look: Look) -> bool:
    """Return whether lines are tokens with a tag (BIO or IO), in columns between blanks or tabs."""
    body = [line for line in look.lines if not line.startswith(("#", "-DOCSTART-"))]
    words = {word for line in body for word in line.split()}
    if "O" in words and len(words) > 1 and all(map(_SURE_TAG.match, words)):
        return True
    for separator in ("\t", None):
        rows = [line.rstrip().split(separator) for line in body]
        width = {len(row) for row in rows}
        if len(width) == 1 and width != {1}:
            for place, column in enumerate(zip(*rows, strict=True)):
                pattern = _TAG if place else _SURE_TAG
                tags = [bool(pattern.match(cell)) for cell in column]
                told = place or "O" in column
                if told and sum(tags) >= 0.9 * len(tags) and {*column} != {"O"}:
                    return True
                few = "O" in column and len({*column}) * 2 < len(column)
                if few and all(map(_IO.match, column)):
                    return True
    return look.text.startswith("-DOCSTART-")


_CONLLU = re.compile(r"^\d+(?:[-.]\d+)?\t[^\t]*(?:\t[^\t]*){8}$")


def _is_conllu(look: Look) -> bool:
    body = [line for line in look.lines if not line.startswith("#")]
    return bool(body) and all(_CONLLU.match(line) for line in body)


def _is_time(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(?:\.\d+)?", text))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_uem(look: Look) -> bool:
    """Return whether lines read as 'recording channel start end'; judgments have whole grades."""
    rows = [line.split() for line in look.lines if not line.lstrip().startswith(";")]
    if not rows or not all(len(row) == 4 and row[1].isdigit() for row in rows):
        return False
    times = [(row[2], row[3]) for row in rows]
    if not all(_is_time(a) and _is_time(b) and float(a) < float(b) for a, b in times):
        return False
    pointed = all("." in a and "." in b for a, b in times)
    return look.ending == "uem" or (pointed and any(float(b) % 1 for _, b in times))


def _is_ctm(look: Look) -> bool:
    """Return whether lines read as 'recording channel start duration word [confidence]'."""
    rows = [line.split() for line in look.lines if not line.startswith(";;")]
    fitting = [
        row
        for row in rows
        if len(row) in (5, 6)
        and re.fullmatch(r"[A-Za-z0-9]", row[1])
        and _is_time(row[2])
        and _is_time(row[3])
        and "." in row[2] + row[3]
        and (len(row) == 5 or _is_number(row[5]))
    ]
    words = sum(not _is_number(row[4]) for row in fitting)
    return bool(rows) and len(fitting) == len(rows) and words * 2 > len(rows)


def _is_stm(look: Look) -> bool:
    """Return whether lines read as 'recording channel speaker start end [<labels>] words'."""
    rows = [line.split() for line in look.lines if not line.startswith(";;")]
    return (
        bool(rows)
        and all(
            len(row) >= 6
            and re.fullmatch(r"[A-Za-z0-9]", row[1])
            and _is_time(row[3])
            and _is_time(row[4])
            and float(row[3]) <= float(row[4])
            and not all(map(_is_number, row[5:]))
            for row in rows
        )
        and any("." in row[3] for row in rows)
    )  # a rank, as in runs, is a whole number


_UTTERANCE = re.compile(r"^(?=\S*\d)(?=\S*[-_])[A-Za-z0-9][\w.-]{3,}$")
#: An id without marks between its parts, such as AISHELL's.
_SOLID = re.compile(r"^(?=[A-Za-z]*\d)(?=\d*[A-Za-z])(?:[A-Za-z]*\d){4}[A-Za-z\d]*$")
_UNDERSCORED = re.compile(r"^[A-Za-z][\w.-]*_[\w.-]*$")


def _is_kaldi(look: Look) -> bool:
    """Return whether every line is the id of an utterance and its words.

    Where tabs part the two, the first line may be a header with an underscore in its first name.
    """
    rows = [line.split() for line in look.lines]
    ids = [row[0] for row in rows]
    texts = [row[1:] for row in rows if len(row) > 1]
    tabbed = {line.rpartition("\t")[0].strip() for line in look.lines}
    spelt = (_UTTERANCE, _UNDERSCORED) if tabbed == {""} else (_UTTERANCE,)
    same = len({(len(one), one[:2]) for one in ids}) == 1 and len(ids[0]) >= 8
    spelt = (*spelt, _SOLID) if same else spelt
    return (
        len(rows) > 1
        and len({*ids}) == len(ids)
        and any(all(map(one.match, ids)) for one in spelt)
        and len(texts) * 2 > len(rows)
        and tabbed in ({""}, {*ids})
        and sum(any(word.isalpha() for word in text) for text in texts) * 2 > len(texts)
        and (max(map(len, texts)) > 1 or any(lists.UNPARTED.search(text[0]) for text in texts))
    )


_TOKEN_AND_TAG = re.compile(r"^\S+([/_])(?:[BI]-)?[A-Z$]{1,5}$")
_PART_OF_SPEECH = re.compile(r"^\S+\s+(?:[A-Z]{2,6}\$?|[^\w\s]+)$")


def _is_tagged(look: Look) -> bool:
    """Return whether every token bears its tag: behind the same mark, or as a line's second word.

    Of names with capitals behind them, such as towns and their states, few begin with a small
    letter.
    """
    small = sum(line[:1].islower() for line in look.lines)
    if look.share(_PART_OF_SPEECH) == 1 and small * 2 > len(look.lines) > 2:
        return True
    found = [_TOKEN_AND_TAG.match(word) for line in look.lines for word in line.split()]
    marks = {one[1] for one in found if one}
    return None not in found and len(marks) == 1 and len(found) > max(2, len(look.lines))


_NAMED = re.compile(r"^(?:\(([^\s()]*)\)\s+\S.*|.*\S \(([^\s()]+)\))$")
_IN_BRACKETS = re.compile(r"^[^\s_-]+[-_]\S+$")


def _is_trn(look: Look) -> bool:
    """Return whether every line has the id of an utterance in brackets, at its end or before it.

    Such an id has several parts, or it is a number with zeros before it; a year has none.
    """
    found = [_NAMED.match(line.strip()) for line in look.lines]
    ids = [one[1] or one[2] for one in found if one]
    if None in found or not all(ids):
        return False
    if all(map(_IN_BRACKETS.match, ids)):  # before the words also (semi-automatic)
        numbered = all(any(map(str.isdigit, one)) for one in ids)
        return numbered or not look.text.startswith("(")
    filled = all(map(str.isdigit, ids)) and any(one.startswith("0") for one in ids)
    return filled and len({*ids}) == len(ids)


def _is_preferences(look: Look) -> bool:
    """Return whether lines read as 'query judge group item grade', as trec_eval's prefs do."""
    rows = [line.split() for line in look.lines]
    if len(rows) < 3 or not all(len(row) == 5 for row in rows):
        return False
    graded = all(_COUNT.fullmatch(row[4]) and not _is_number(row[3]) for row in rows)
    few = all(2 * len({row[place] for row in rows}) <= len(rows) for place in (1, 2))
    return graded and few and len({row[0] for row in rows}) < len(rows)


_MEASURE = re.compile(
    r"^Z?(?:num_\w+|(?:gm_)?(?:map|bpref)|map_cut_\d+|Rprec\S*|recip_rank|P_\d+|recall_\d+|R?ndcg\w*"
    r"|iprec_at_recall_\S+|success_\d+|set_\w+|relative_P_\d+|prefs_\w+|infAP)\s+\S+\s+-?\d[\d.]*$"
)


_COUNT = re.compile(r"\d{1,6}")


def _is_boxed_faces(look: Look) -> bool:
    """Return whether lines are a name, a count, and so many rows of numbers, again and again.

    WIDER FACE has a row for a picture without a face, too; the last picture may be cut off.
    """
    place, pictures = 0, 0
    rows = [line.split() for line in look.lines]
    numeric = [len(row) > 3 and all(map(_is_number, row)) for row in rows]
    while place + 1 < len(rows):
        if numeric[place] or not _COUNT.fullmatch(" ".join(rows[place + 1])):
            return False
        begin = place + 2
        place = next((n for n in range(begin, len(rows)) if not numeric[n]), len(rows))
        faces = int(rows[begin - 1][0])
        if place - begin not in (faces, max(faces, 1)) and place < len(rows):
            return False
        pictures += place > begin
    return pictures > 0


_FIGURE = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
#: A class, how far it is cut off, occluded and turned, four edges, and seven numbers in space.
_KITTI = rf"^[^\W\d]\w*(?:\s+{_FIGURE}){{14,15}}\s*$"


def _are_outlines(look: Look) -> bool:
    """Return whether lines are a number of a class and corners x y in parts of an image (YOLO)."""
    for line in look.lines:
        number, *corners = line.split()
        if not number.isdigit() or len(corners) < 6 or len(corners) % 2:
            return False
        if not all(map(_is_number, corners)) or not any("." in one for one in corners):
            return False
        if not all(0 <= float(one) <= 1 for one in corners):
            return False
    return True


def _is_event_list(look: Look) -> bool:
    """Return whether lines read as 'sound-file start end event', parted by tabs."""
    rows = [line.split("\t") for line in look.lines]
    return all(
        len(row) in (4, 5)
        and re.search(r"\.(?:wav|mp3|flac|ogg)$", row[0].strip(), re.I)
        and _is_time(row[1].strip())
        and _is_time(row[2].strip())
        for row in rows
    )


def _is_subtitles(look: Look) -> bool:
    return bool(re.search(r"^\d\d:\d\d:\d\d[,.]\d{3} --> ", look.text, re.M))


_SBV = re.compile(r"^\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}$", re.M)


def _is_other_subtitles(look: Look) -> bool:
    """Return whether these are subtitles of YouTube (SBV), SubStation Alpha, Whisper, or lyrics."""
    sung = re.compile(r"^\[(?:\d\d:\d\d(?:[.:]\d{2,3})?|[a-z]+:.*)\]")
    heard = re.compile(r"^\[(?:\d+:)?\d\d:\d\d[.,]\d{3} --> ")
    if look.share(heard) > 0.5:
        return True
    return bool(_SBV.search(look.text)) or look.begins("[script info]") or look.share(sung) == 1


def _is_inspect(look: Look) -> bool:
    head = look.text[:4000]
    return look.keys >= {"eval", "status"} or (
        look.begins("{") and '"eval"' in head and '"run_id"' in head and '"task"' in head
    )


def _is_promptfoo(look: Look) -> bool:
    head = look.text[:6000]
    return look.begins("{") and '"evalId"' in head and '"results"' in head


def _is_deepeval(look: Look) -> bool:
    return (
        look.begins("{")
        and '"testCases"' in look.text
        and ('"metricsData"' in look.text or '"actualOutput"' in look.text)
    )


def _is_mteb_predictions(look: Look) -> bool:
    """Return whether a JSON document nests subset, split, query and document."""
    value = look.document
    if "mteb_model_meta" in look.keys:
        return True
    for _ in range(3):
        if not isinstance(value, dict) or not value:
            return False
        value = next(iter(value.values()))
    return isinstance(value, dict) and all(isinstance(one, (int, float)) for one in value.values())


def _is_markdown(look: Look) -> bool:
    if look.ending in ("md", "markdown"):
        return True
    marks = re.compile(r"^(?:#{1,6} \S|```|[-*+] \[[^\]]*\]\(|!\[|\|(?:\s*:?-{3,}:?\s*\|)+)")
    kinds = {found[0][:2] for line in look.lines if (found := marks.match(line))}
    return len(kinds) > 1 or "```" in look.text


def _is_yaml(look: Look) -> bool:
    pair = re.compile(r"^\s*(?:- )?[\w.-]+:(?:\s|$)|^\s*- |^---$|^\s*#|^\s{2,}")
    named = look.ending in ("yaml", "yml")
    keys = sum(bool(re.match(r"^\s*(?:- )?[\w.-]+:(?:\s|$)", line)) for line in look.lines)
    return named or (len(look.lines) > 1 and look.share(pair) == 1 and keys * 2 >= len(look.lines))


_SPOKEN = re.compile(r"^([\w.-]+):\s+\S")


def _is_spoken(look: Look) -> bool:
    """Return whether every line begins with a name, and names recur; in YAML they do not."""
    names = [found[1] for line in look.lines if (found := _SPOKEN.match(line))]
    return len(names) == len(look.lines) and 1 < len({*names}) < len(names)


def _is_settings(look: Look) -> bool:
    """Return whether lines are sections and 'key = value', as in TOML and INI files."""
    line = re.compile(r"^\s*(?:\[\[?[^\]]+\]\]?\s*$|[\w.\"-]+\s*=|#|;|\s{2,}|[\]}],?$)")
    return (
        look.ending in ("toml", "ini", "cfg")
        or (
            bool(re.match(r"\s*\[\[?[\w. \"-]+\]\]?\s*$", look.lines[0]))
            and len(look.lines) > 1
            and look.share(line) == 1
        )
        or (len(look.lines) > 1 and look.share(_ASSIGNED) == 1)
    )


_ASSIGNED = re.compile(r"^(?:export )?[A-Za-z_][\w.-]+=(?!=)|^#\s")


def _is_log(look: Look) -> bool:
    stamp = re.compile(
        r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?\S*\]?\s+\S"
        r"|^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d "  # syslog
        r"|^\S+ \S+ \S+ \[\d\d/[A-Z][a-z]{2}/\d{4}:"  # a web server's
        r"|^\[?\d\d?:\d\d(?::\d\d)?\]? +\S"
        r"|^\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\]:]? "
    )
    return look.ending == "log" or look.share(stamp) > 0.5


_CODE = ("py", "js", "ts", "java", "c", "h", "cpp", "rs", "go", "sh", "r", "sql", "css", "ipynb")


def _is_code(look: Look) -> bool:
    if look.ending in _CODE or look.begins("#!/"):
        return True
    line = re.compile(r"^(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:]|#include\b)")
    steps = re.compile(r"^(?:FROM|RUN|COPY|ADD|CMD|ENV|ARG|WORKDIR|ENTRYPOINT|EXPOSE|USER) |^#")
    return (
        sum(bool(line.match(one)) for one in look.lines) > 1
        or (look.text.startswith("FROM ") and look.share(steps) == 1)
        or look.begins("traceback (most recent call last)")
    )


def _is_sequence(look: Look) -> bool:
    """Return whether lines are sequences of nucleotides or amino acids with their names."""
    if look.text.startswith(">"):
        body = [line for line in look.lines if not line.startswith((">", ";"))]
        return bool(body) and all(re.fullmatch(r"[A-Za-z*-]+", line.strip()) for line in body)
    return look.text.startswith("@") and any(line.startswith("+") for line in look.lines[2:3])


def _is_readme(look: Look) -> bool:
    words = re.split(r"[\W_]+", look.name.partition(".")[0])
    known = {"readme", "license", "licence", "copying", "changelog", "notice", "makefile"}
    return bool(known & {*words}) and look.ending in ("", "txt", "md", "rst")


def _is_hocr(look: Look) -> bool:
    return _root(look) == "html" and ("ocr-system" in look.text or "ocr_page" in look.text)


def _is_voc(look: Look) -> bool:
    return _root(look) == "annotation" and "<object>" in look.text


def _is_xml(look: Look) -> bool:
    root = _root(look)
    closed = rf"</\s*(?:\w+:)?{re.escape(root)}\s*>"
    return look.begins("<?xml") or bool(root and re.search(closed, look.text, re.I))


def _is_textgrid(look: Look) -> bool:
    return "ooTextFile" in look.text[:200]


def _is_mteb(look: Look) -> bool:
    return "scores" in look.keys and bool(look.keys & {"task_name", "mteb_version"})


def _is_ragas(look: Look) -> bool:
    names = {"user_input", "response"}
    return names <= look.keys or names <= {*look.lines[0].split(",")}


def _is_zeroeval(look: Look) -> bool:
    keys = look.keys
    return "output" in keys and bool(keys & {"session_id", "chat_history", "model_input"})


def _is_squad(look: Look) -> bool:
    return look.begins("{") and '"paragraphs"' in look.text and '"qas"' in look.text


_REPORTED = {"precision", "recall", "f1-score", "support"}


def _is_report(look: Look) -> bool:
    """Return whether this is what scikit-learn's classification_report gives as a dict."""
    data = look.document
    if not isinstance(data, dict) or not data:
        return False
    rows = [one for name, one in data.items() if name != "accuracy"]
    whole = [isinstance(one, dict) and one.keys() == _REPORTED for one in rows]
    return any(whole) and all(whole[:-1])  # the last one may be cut off


def _is_single(look: Look) -> bool:
    """Return whether this is one JSON object with single values that names no item."""
    data = look.document
    if look.by_line or not isinstance(data, dict) or not data or exported(data) is not None:
        return False
    if {"type", "coordinates"} <= data.keys() or {"type", "geometry"} <= data.keys():
        return False  # GeoJSON
    single = any(not isinstance(value, (dict, list)) for value in data.values())
    names_item = any(roles.is_item(name) for name in data)
    return single and not names_item


def _single(look: Look) -> str:
    """Name the keys that hold single values where others hold data."""
    data = look.document
    names = [quote(name) for name, value in data.items() if not isinstance(value, (dict, list))]
    return "" if len(names) == len(data) else f"under {', '.join(names[:_SHOWN])}"


def _repeated(look: Look) -> str:
    """Return why the values of a JSON array look like labels, one for each row; "" where not."""
    data = look.document
    if look.by_line or not isinstance(data, list) or not data:
        return ""
    if not all(isinstance(one, (str, int)) for one in data):
        return ""
    return lists.labels([str(one) for one in data], "values") or ""


def _is_nameless(look: Look) -> bool:
    data = look.document
    if look.by_line or not isinstance(data, list) or not data:
        return False
    rows = all(isinstance(row, list) for row in data)
    return rows and any(isinstance(cell, str) for row in data for cell in row)


def _is_hipe(look: Look) -> bool:
    return bool(re.match(r"TOKEN\t(?:NE|MISC|TAG)", look.text))


def _is_latex(look: Look) -> bool:
    marks = ("\\documentclass", "\\begin{", "\\newlabel{", "\\@writefile", "\\usepackage")
    return look.ending in ("tex", "aux", "bbl") or any(mark in look.text for mark in marks)


def _is_patch(look: Look) -> bool:
    return look.begins("diff --git", "--- a/") or bool(re.search(r"^@@ -\d+", look.text, re.M))


def _is_po(look: Look) -> bool:
    return bool(re.search(r'^msgid "', look.text, re.M)) and "msgstr" in look.text


_CHESS = re.compile(r'\[\w+ "[^"]*"\]\n\[')
_REFERENCE = re.compile(r"(?:TY  - |PMID- )")
_FIELD = re.compile(r"^([A-Z][\w-]*): \S")


def _are_fields(look: Look) -> bool:
    """Return whether most lines are a name, a colon and a value, as in heads of messages."""
    names = {found[1] for line in look.lines if (found := _FIELD.match(line))}
    return len(names) > 3 and look.share(_FIELD) >= 0.5


def _is_mail(look: Look) -> bool:
    first = r"^From \S+ .*\d\d:\d\d|^(?:From|Received|Message-ID|Return-Path): "
    return bool(re.match(first, look.text))


def _is_rst(look: Look) -> bool:
    return look.ending == "rst" or bool(re.search(r"^(?:={4,}|-{4,}|~{4,})$", look.text, re.M))


def _is_tesseract(look: Look) -> bool:
    """Return whether this is Tesseract's table of words, or its file of character boxes."""
    box = re.compile(r"^\S{1,4} \d+ \d+ \d+ \d+ \d+$")
    return look.text.startswith("level\tpage_num\t") or (
        look.share(box) == 1 and len(look.lines) > 3 and len({line[-2:] for line in look.lines}) < 3
    )


def _is_sclite(look: Look) -> bool:
    marks = ("DUMP OF SYSTEM ALIGNMENT", "SYSTEM SUMMARY PERCENTAGES", "<SYSTEM title=")
    return any(mark in look.text for mark in marks)


def _is_word_count(look: Look) -> bool:
    """Return whether lines are words with their counts, the most frequent first."""
    for pattern in (r"^\S+\t(\d+)$", r"^ +(\d+) \S+$"):
        found = [re.match(pattern, line) for line in look.lines]
        counts = [int(one[1]) for one in found if one]
        if len(counts) == len(found) > 2 and counts == sorted(counts, reverse=True):
            return counts[0] > counts[-1]
    return False


def _is_msmarco(look: Look) -> bool:
    """Return whether lines are a query, a passage and a rank that begins at 1, parted by tabs."""
    rows = [line.split("\t") for line in look.lines]
    whole = all(len(row) == 3 and all(cell.isdigit() for cell in row) for row in rows)
    return whole and len(rows) > 2 and [row[2] for row in rows[:2]] == ["1", "2"]


def _is_decimals(look: Look) -> bool:
    return look.share(re.compile(r"^\s*-?\d*\.\d+(?:[eE][-+]?\d+)?\s*$")) == 1


_MEANS = (
    "one number for each item is not compared yet; for means, consilience correlate takes a table "
    "with columns system and score"
)
_REPORT = (
    "give the labels themselves: a table with columns query, system, item (the row, who says it, "
    "the label), the right ones likewise, as the truth"
)
_COPIES = (
    f"if these are items, leave out the copies, or write {{query: [item, …]}}; if labels, "
    f"{lists.LABELS}"
)
_PAIRS = "pairwise preferences are not compared yet: leave it out"
_HEADER = "write CSV with a header"
_RECORDS = "write it with orient='records', or as CSV"
_ANSWERS = "write a table with columns query, system, item: the question, who answered, the answer"
_OBJECT = (
    "leave the file or these values out, or give {query: {item: score}}; for a row, "
    "--columns item=NAME says its item"
)
_TRACKS = "write the tracks as GPX or GeoJSON"
_ALIGNED = "write a table with columns query, system, item: the sentence, who aligned, i-j"
_SVMLIGHT = r"^\S+(?:\s+qid:\S+)?(?:\s+\d+:-?[\d.eE+-]+)+\s*(?:#.*)?$"
_DOTA = re.compile(r"^(?:-?\d+(?:\.\d+)?\s+){8}[^\W\d]\S*(?:\s+\d)?\s*$")
_PRINTED_AP = re.compile(r"^ *Average (?:Precision|Recall) +\(A[PR]\) @\[", re.M)
_RUNS = "give the runs themselves, and the judgments with --truth"
_GRADED = "write judgments with four fields a line: 'query 0 item grade'"
_WORDS = f"leave out the names, and write the words alone; {LINES}"
#: How many names a message lists.
_SHOWN = 3
_BIBTEX = r"^\s*@\w+\s*\{|^\s*[\w-]+\s*=|^\s*[})]|^\s+\S|^%"
_EVENTS = "begin with the line 'filename, onset, offset, event_label', its cells parted by tabs"
#: Every foreign form, in the order in which they are asked.
FORMS: tuple[Form, ...] = (
    Form("ALTO (text and layout of a page)", _is_root("alto"), _TEXT),
    Form("PAGE XML (text and layout of a page)", _is_root("pcgts"), _TEXT),
    Form("hOCR (text and layout of a page)", _is_hocr, _TEXT),
    Form("Pascal VOC XML (boxes of an image)", _is_voc, _BOXES),
    Form("TEI XML", _is_root("tei", "teicorpus"), _TEXT),
    Form("MusicXML", _is_root("score-partwise", "score-timewise"), "give segments or events"),
    Form("SVG (a picture)", _is_root("svg"), "leave it out"),
    Form("KML (places and tracks)", _is_root("kml"), _TRACKS),
    Form(
        "an HTML page",
        _begins("<!doctype html", "<html", "<table", "<div", "<p>"),
        f"save the table as CSV; {LINES}",
    ),
    Form("a report of sclite", _is_sclite, "give the transcripts"),
    Form("XML", _is_xml, _TEXT),
    Form("Tesseract's boxes of words or characters", _is_tesseract, _TEXT),
    Form("a Praat TextGrid", _is_textgrid, _SEGMENTS),
    Form("WebVTT subtitles", _begins("webvtt"), _TOKENS),
    Form("SubRip (SRT) subtitles", _is_subtitles, _TOKENS),
    Form("subtitles or lyrics with times (SBV, SSA, LRC, Whisper)", _is_other_subtitles, _TOKENS),
    Form(
        "a log of lm-evaluation-harness (samples)",
        _has_keys("doc_id", "target", "filtered_resps"),
        _SCORES,
    ),
    Form("a log of Inspect", _is_inspect, _SCORES),
    Form("results of promptfoo", _is_promptfoo, _SCORES),
    Form("a test run of DeepEval", _is_deepeval, _SCORES),
    Form("HELM's statistics of instances", _has_keys("instance_id", "stats"), _MEANS),
    Form("MTEB results", _is_mteb, _MEANS),
    Form(
        "MTEB predictions (subset, split, query, document)",
        _is_mteb_predictions,
        "write {query: {item: score}} for one subset and split",
    ),
    Form(
        "annotations of AlpacaEval (pairwise preferences)",
        _has_keys("instruction", "output_1", "output_2"),
        _PAIRS,
    ),
    Form("outputs of AlpacaEval", _has_keys("instruction", "output", "generator"), _SCORES),
    Form(
        "battles of an arena (pairwise preferences)",
        _has_keys("model_a", "model_b", "winner"),
        _PAIRS,
    ),
    Form("results of ZeroEval", _is_zeroeval, _SCORES),
    Form("assignments of nuggetizer", _has_keys("qid", "nuggets"), _SCORES),
    Form("a table of ragas", _is_ragas, _SCORES),
    Form("SQuAD", _is_squad, _SCORES),
    Form("a report of scikit-learn (classification_report)", _is_report, _REPORT),
    Form(
        "one JSON object of names and texts, such as SQuAD's predictions",
        lambda look: _is_single(look) and all(isinstance(v, str) for v in look.document.values()),
        _ANSWERS,
    ),
    Form("one JSON object with single values, such as settings", _is_single, _OBJECT, _single),
    Form("a JSON array of labels", lambda look: bool(_repeated(look)), _COPIES, _repeated),
    Form("a JSON array of arrays, whose columns have no names", _is_nameless, _RECORDS),
    Form(
        "pandas' to_json with orient='split' or 'table'",
        lambda look: look.keys in ({"columns", "index", "data"}, {"schema", "data"}),
        _RECORDS,
    ),
    Form("a KILT data set", _has_keys("input", "output", "id"), _SCORES),
    Form("texts of BEIR (a corpus or its queries)", _has_keys("_id", "text"), "give runs"),
    Form("a HIPE table of tokens (TSV)", _is_hipe, _SPANS),
    Form("CoNLL-U", _is_conllu, _SPANS),
    Form("CoNLL (tokens and their BIO tags)", _is_conll, _SPANS),
    Form("brat annotations (.ann)", _all_lines(r"^(?:[TREAMN]\d+|#\d+|\*)\t\S+"), _SPANS),
    Form("STM (transcripts with times)", _is_stm, _TOKENS),
    Form("CTM (words with times)", _is_ctm, _TOKENS),
    Form(
        "a UEM file ('recording channel start end': the time that is scored)",
        _is_uem,
        "give it to soft beside segments: --region",
    ),
    Form(
        "boxes of DOTA",
        lambda look: look.begins("imagesource:", "gsd:") or look.share(_DOTA) == 1,
        _BOXES,
    ),
    Form("KITTI's boxes (15 or 16 fields a line)", _all_lines(_KITTI), _BOXES),
    Form("YOLO's outlines (a class, then x y of each corner)", _are_outlines, _BOXES),
    Form("boxes of FDDB or WIDER FACE", _is_boxed_faces, _BOXES),
    Form("WebAnno's table of tokens (TSV 3)", _begins("#format=webanno"), _SPANS),
    Form(
        "figures printed by trec_eval (measure, query, value)",
        lambda look: look.share(_MEASURE) > 0.5,
        _RUNS,
    ),
    Form(
        "figures printed by pycocotools",
        lambda look: bool(_PRINTED_AP.search(look.text)),
        "give the boxes: consilience soft GOLD PREDICTED",
    ),
    Form("boxes and texts printed by EasyOCR", _begins("([[", "[([["), _TEXT),
    Form("preferences (query, judge, group, item, grade)", _is_preferences, _GRADED),
    Form("a track of Geolife (PLT)", _begins("geolife trajectory"), _TRACKS),
    Form("a score of Kaldi", _begins("%wer", "%ser", "%cer"), "give the transcripts"),
    Form(
        "trees in brackets (Penn Treebank, Newick)",
        _all_lines(r"^\(+\s*(?:[A-Z$.,-]+\s+)?\("),
        _TOKENS,
    ),
    Form("word alignments (i-j)", _all_lines(r"^\d+-\d+(?: \d+-\d+)*$"), _ALIGNED),
    Form("tagged text (word/TAG, or a word and its TAG on each line)", _is_tagged, _SPANS),
    Form(
        "entities of a Hugging Face pipeline",
        lambda look: {"word", "start", "end"} <= look.keys and "score" in look.keys,
        _SPANS,
    ),
    Form("an ARFF table", lambda look: "@relation" in look.text.lower(), _HEADER),
    Form(
        "COCO results of segmentation (masks)",
        lambda look: {"image_id", "segmentation"} <= look.keys and "bbox" not in look.keys,
        "give results with boxes (bbox)",
    ),
    Form("BibTeX", lambda look: "@" in look.text and _all_lines(_BIBTEX)(look), _PROSE),
    Form("LaTeX", _is_latex, _PROSE),
    Form("SVMlight (label index:value …)", _all_lines(_SVMLIGHT), _HEADER),
    Form("fastText labels", _all_lines(r"^__label__\S"), "write CSV with columns item and label"),
    Form("a DCASE list of sound events without a header", _is_event_list, _EVENTS),
    Form(
        "trn (transcripts with the ids of utterances)",
        _is_trn,
        _TOKENS,
    ),
    Form("a phrase table of Moses", _all_lines(r"^.+ \|\|\| .+ \|\|\| "), _HEADER),
    Form("factored text of Moses", _all_lines(r"^[^\s|]+\|\S+(?: [^\s|]+\|\S+)+$"), _TOKENS),
    Form("predictions of Weka", lambda look: " inst# " in look.text, _HEADER),
    Form("an MS MARCO run (query, passage, rank)", _is_msmarco, "write TREC's six fields a line"),
    Form("word frequencies", _is_word_count, f"write the words alone; {LINES}"),
    Form("numbers without items", _is_decimals, "write a table with columns item and score"),
    Form("texts of Common Voice", _begins("client_id\tpath\t"), _TOKENS),
    Form(
        "BEIR judgments",
        _begins("query-id\tcorpus-id\tscore"),
        "name its columns: --truth-columns query=query-id,item=corpus-id,grade=score",
    ),
    Form("sequences (FASTA or FASTQ)", _is_sequence, f"write the sequences alone; {LINES}"),
    Form("a game of chess (PGN)", lambda look: bool(_CHESS.match(look.text)), _PROSE),
    Form("a vCard or a calendar", _begins("begin:v"), _PROSE),
    Form("a key or a certificate", _begins("-----begin ", "ssh-rsa aaaa", "ssh-ed25519 "), _PROSE),
    Form("a catalogue of messages (PO)", _is_po, _PROSE),
    Form("references (RIS or MEDLINE)", lambda look: bool(_REFERENCE.match(look.text)), _PROSE),
    Form("an answer of a web server", _begins("http/1", "http/2", "warc/"), _PROSE),
    Form(
        "a Python literal, not JSON",
        _begins("{'", "['", "[('", "{1:", "{0:"),
        "write it with json.dump",
    ),
    Form("a patch", _is_patch, _PROSE),
    Form("e-mail (or mbox)", _is_mail, _PROSE),
    Form("named fields, one a line", _are_fields, _PROSE),
    Form("a transcript with its speakers (name: words)", _is_spoken, _WORDS),
    Form("YAML", _is_yaml, _PROSE),
    Form("settings (TOML or INI)", _is_settings, _PROSE),
    Form("source code (Python or another language)", _is_code, _PROSE),
    Form("Markdown", _is_markdown, _PROSE),
    Form("reStructuredText", _is_rst, _PROSE),
    Form("a log", _is_log, _PROSE),
    Form("a README, a licence or the like", _is_readme, _PROSE),
    Form("Kaldi text (an utterance's id and its words)", _is_kaldi, _TOKENS),
)
#: The forms that are prose or the work of a programmer, not data: in a folder they are left out.
PROSE = frozenset(form.name for form in FORMS if form.fix is _PROSE)
