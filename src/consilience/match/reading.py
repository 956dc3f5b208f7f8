"""Token sequences from files: a text per source, a folder per source, or tables in long form."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consilience import formats
from consilience.errors import InputError, Problem, Problems, UsageError, bad, quote
from consilience.formats import aside, files, foreign, lists, recognise, roles, shapes, table
from consilience.formats.beside import inside, left_out
from consilience.formats.folders import check_mixed
from consilience.formats.naming import short_names
from consilience.formats.rows import ONLY_QUERY, Rows, Source
from consilience.match.sequences import TRUTH, Sequences, Tokens, check_tokens, checked, cut
from consilience.match.text import Wording, worded

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet
    from consilience.formats.files import File
    from consilience.formats.rows import Kind

#: Endings of files that are tables; any other file is a text.
TABLES = ("csv", "tsv", "tab", "jsonl", "ndjson", "json", "parquet", "run", "trec")
#: What a text of its own is recognised as.
TEXT = "text"
#: What Parquet begins with.
PARQUET = b"PAR1"
#: A line that begins with a time, in brackets or not.
_TIMED = re.compile(r"^\s*[\[(<]?(?:\d{4}-\d\d-\d\d[T ])?(?:\d+:)?\d?\d:\d\d(?:[.,]\d+)?(?!\w)")
#: What to do with a file in which something stands beside words.
_WORDS_ALONE = (
    "write the words alone, or a table of texts, which begins with a line such as "
    "document,system,text and is called .csv; if it is a text all the same, --tokens words"
)
#: So many words no source has in its name.
_NAME = 8
#: Columns that hold tokens, and columns that say what they were read in.
ITEMS = ("token", "word", "entity")
DOCUMENTS = (
    *("document", "document_id", "doc", "doc_id", "docid", "image", "image_id", "page"),
    *("id", "utterance", "utterance_id", "utt", "utt_id", "recording", "audio", "file"),
    *("filename", "file_name", "path", "clip", "item", "index"),
)
#: Names that say which row it is where a row is a token.
_OF_ROWS = ("id", "index", "item")
#: Roles of columns that say something of a token beside it.
_FIGURES = ("score", "grade", "vote", "probability")
#: Columns that hold whole texts, or lines of them.
TEXTS = (
    *("text", "transcript", "transcription", "hypothesis", "hyp", "reference", "ref"),
    *("sentence", "pred_text", "tokens", "words"),
)
#: Columns that hold the right texts where other columns hold what sources read.
RIGHT = ("reference", "ref", "gold", "truth", "ground_truth", "target")
#: A source, a document, the tokens that the source read in it, and where they came from.
One = tuple[str, str, list[str], Source]


@dataclass(slots=True)
class _Reader:
    """How files are read, and what was found on the way."""

    tokens: Tokens
    wording: Wording
    columns: Mapping[str, str] | None
    encoding: str | None
    texts: bool  # files are texts, whatever they look like
    problems: Problems = field(default_factory=Problems)
    right: set[str] = field(default_factory=set)  # sources that are columns of right texts


def sequences_of_files(
    paths: Sequence[str | os.PathLike[str]],
    truth: Sequence[str | os.PathLike[str]] = (),
    *,
    tokens: Tokens | None,
    wording: Wording,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Sequences:
    """Read what every source read in every document.

    The forms are those of :func:`consilience.match.sequences.read_sequences`.
    """
    texts, tokens = tokens is not None, "words" if tokens is None else tokens
    check_tokens(tokens)
    reader = _Reader(tokens, wording, columns, encoding, texts)
    found: dict[tuple[str, str], Sequence[str]] = {}
    sources: dict[str, Source] = {}
    for name, document, read, source in _told_apart([*_all(paths, "system", reader)]):
        _add(found, name, document, read)
        sources[name] = source
    systems = dict.fromkeys(name for name, _ in found if name not in reader.right)
    golds = [*_all(truth, "gold", reader)]
    several = len({name for name, *_ in golds}) > 1
    for name, document, read, source in golds:
        called = name if several else TRUTH
        called = f"{called} ({TRUTH})" if called in systems else called
        _add(found, called, document, read)
        sources[called] = source
    reader.problems.raise_any()
    names = tuple(dict.fromkeys(name for name, _ in found))
    documents = tuple(dict.fromkeys(document for _, document in found))
    gold = tuple(name for name in names if name not in systems)
    return checked(Sequences(names, gold, documents, found, tokens, wording, sources))


def _told_apart(found: Sequence[One]) -> list[One]:
    """Put folders before the names of texts whose files are called alike."""
    texts = dict.fromkeys(Path(one[3].name) for one in found if one[3].recognised == TEXT)
    called = short_names(list(texts))
    return [(called.get(Path(one[3].name), one[0]), *one[1:]) for one in found]


def _add(
    found: dict[tuple[str, str], Sequence[str]], name: str, document: str, read: list[str]
) -> None:
    if (name, document) in found:
        where = "" if document == ONLY_QUERY else f" of document {quote(document)}"
        raise UsageError(
            f"there are two sequences{where} by {quote(name)} (fix: a source is named after its "
            "file or folder: give them different names)"
        )
    found[name, document] = read


def _all(paths: Sequence[str | os.PathLike[str]], kind: Kind, reader: _Reader) -> Iterator[One]:
    """Read folders as sources with documents, other files as texts or tables."""
    for given in paths:
        for path in _matching(str(given)):
            if path.is_dir():
                yield from _folder(path, kind, reader)
                continue
            listed, _ = files.expand([path], reader.problems)
            for one in listed:
                yield from _file(one, kind, reader)


def _matching(name: str) -> list[Path]:
    path = Path(name)
    if path.exists() or not glob.has_magic(name):
        return [path]
    return [Path(one) for one in sorted(glob.glob(name))] or [path]


def _folder(path: Path, kind: Kind, reader: _Reader) -> Iterator[One]:
    """Read a folder of documents, or of such folders."""
    children = sorted(child for child in path.iterdir() if not child.name.startswith("."))
    folders = [child for child in children if child.is_dir()]
    check_mixed(path)
    texts, beside = inside(path), left_out(path)
    if not texts and not folders:
        reader.problems.add(Problem(str(path), None, "the folder holds no files", "name the files"))
    for child in folders if not texts else ():
        yield from _folder(child, kind, reader)
    for child in (child for child in texts if _is_table(child)):
        yield from _table(child, kind, reader)
    texts = [child for child in texts if not _is_table(child)]
    doubts: list[InputError] = []
    read = [_text(child, reader, doubts) for child in texts]
    if 2 * len(doubts) >= sum(map(bool, read)):  # of many pages one may be a table of numbers
        for doubt in doubts:
            reader.problems.merge(doubt)
    why = f"a folder with a text for each document ({len(texts):,})"
    notes = (f"left out: {', '.join(beside)} (no answers of a system)",) if beside else ()
    source = Source(str(path), "texts", why, sum(map(len, read)), notes)
    for child, tokens in zip(texts, read, strict=True):
        yield path.resolve().name, files.stem_of(child.name), tokens, source


def _file(path: Path, kind: Kind, reader: _Reader) -> Iterator[One]:
    if _is_table(path):
        yield from _table(path, kind, reader)
        return
    doubts: list[InputError] = []
    read = _text(path, reader, doubts)
    for doubt in doubts:
        reader.problems.merge(doubt)
    source = Source(str(path), TEXT, f"a text, cut into {reader.tokens}", len(read))
    yield files.stem_of(path.name), ONLY_QUERY, read, source


def _is_table(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    if "." in name and name.rpartition(".")[2] in TABLES:
        return True
    if not path.is_file():  # a pipe is read once
        return False
    with contextlib.suppress(OSError), path.open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET
    return False


def _text(path: Path, reader: _Reader, doubts: list[InputError]) -> list[str]:
    """Cut the text of a file; an empty file is an empty answer. Note why it may be no text."""
    try:
        if not path.read_bytes().strip():
            return []
        file = files.look(path, encoding=reader.encoding)
        lines = recognise.sample(file)
        _check_shape(file, lines)
        other = foreign.recognise(file, lines)
        if other is not None and other.name not in foreign.PROSE:
            fix = other.fix.removesuffix(f"; {foreign.LINES}")
            raise bad(file.name, 1, f"this is {other.name}, which is not read", fix)
        _check_words(file, lines)
        doubt = None if reader.texts else _doubt(file, lines)
        doubts += [] if doubt is None else [doubt]
        text = file.text(reader.problems)
    except InputError as error:
        reader.problems.merge(error)
        return []
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        reader.problems.add(Problem(str(path), None, reason, "check the file and its rights"))
        return []
    return cut(text, reader.tokens, reader.wording)


def _check_shape(file: File, lines: Sequence[str]) -> None:
    """Refuse segments, boxes and tracks."""
    shape = shapes.recognise(file, lines)
    if shape is not None:
        found = f"this is no text ({shape.form}: {shape.why})"
        fix = "compare such files with consilience soft; of tokens with times, leave out the times"
        raise bad(file.name, 1, found, fix)


def _check_words(file: File, lines: Sequence[str]) -> None:
    """Refuse lines in which fields, cells or times stand beside words: they would count as such."""
    stored = recognise.json_form(file, lines) if lines else None
    if stored is not None:
        ending = "jsonl" if stored.form == "JSON lines" else "json"
        found = f"this is no text ({stored.form}: {stored.why})"
        raise bad(file.name, 1, found, f"if it is a table of texts, call the file .{ending}")
    run = recognise.trec(lines)
    if run is not None:
        found = f"this is no text ({run.form}: {run.why})"
        raise bad(file.name, 1, found, "compare such files with consilience rank")
    if all("\t" in line.strip() for line in lines):
        found = "every line holds a tab: this is a table without a header, or no text"
        fix = "write a header such as id<TAB>text and call the file .tsv, or leave out the cells"
        raise bad(file.name, 1, found, fix)
    if len(lines) > 1 and all(map(_TIMED.match, lines)):
        raise bad(file.name, 1, "every line begins with a time", "leave the times out")


def _doubt(file: File, lines: Sequence[str]) -> InputError | None:
    """Return why lines look like a table or like labels with times; None where they may be text."""
    if len(lines) < 2:  # one line tells too little: 'flight a1 200'
        return None
    try:
        found = recognise.table(file, lines)
    except InputError as error:
        first = error.problems[0]
        return bad(file.name, first.line, f"this is no text: {first.found}", _WORDS_ALONE)
    if found is not None:
        said = f"this is no text ({found.form}: {found.why})"
        fix = "if it is a table of texts, call the file .csv or .tsv; if a text, --tokens words"
        return bad(file.name, 1, said, fix)
    why = lists.why_no_text(lines)
    return None if why is None else bad(file.name, 1, f"this is no text: {why}", _WORDS_ALONE)


def _table(path: Path, kind: Kind, reader: _Reader) -> Iterator[One]:
    """Read a table of document, system, token and perhaps position."""
    try:
        given = roles.by_role(reader.columns or {})
        file = files.look(path, encoding=reader.encoding)
        if file.encoding != "parquet":
            _check_shape(file, recognise.sample(file))
        sheet = formats.open_file(file, kind, given)
        tables = sheet
        if not isinstance(tables, list):
            names = tables.table.column_names
            formats.check_mapping(given, names)
            if kinds := _text_columns(tables, given, kind):
                _check_header(tables, kinds)
                yield from _columns(tables, kinds, reader)
                return
            mapped = _mapped(names, given)
            long = () if mapped.get("item") in names else None
            if _plain(mapped.get("item", "")) in (*ITEMS, *TEXTS):
                tables = _without_figures(tables, mapped)
            tables = table.read(tables, kind=kind, columns=mapped, voters=long)
    except InputError as error:
        reader.problems.merge(error)
        return
    for rows in tables:
        try:
            _check_answers(rows)
        except InputError as error:
            reader.problems.merge(error)
            continue
        yield from _lists(rows, reader)


def _check_answers(rows: Rows) -> None:
    """Refuse votes, judgments and categories: what was voted 0 would be read as a token."""
    said = [name for name in ("vote", "grade", "category") if getattr(rows, name) is not None]
    if said:
        what = {"vote": "votes", "grade": "judgments", "category": "categories"}[said[0]]
        columns = [name for name in rows.source.columns if roles.role_of(name) == said[0]]
        rest = f", leave out {', '.join(columns)}" if columns else ", give a table of tokens"
        fix = f"compare {what} with consilience rank or agree; for sequences of tokens{rest}"
        raise bad(rows.source.name, None, f"these are {what}, no sequences of tokens", fix)


def _plain(name: str) -> str:
    return name.strip().lower()


def _text_columns(sheet: Sheet, given: Mapping[str, str], kind: Kind) -> dict[str, Kind]:
    """List the columns of a wide table of transcripts; none where the table is not one.

    Such a table holds a text of several words by each source, or by one beside the right text.
    """
    names = sheet.table.column_names
    if "item" in given or any(roles.role_of(name) == "respondent" for name in names):
        return {}
    if len(names) > len({*names}):  # whoever reads the table says which stands twice
        return {}
    texts = [name for name in names if name != given.get("query") and _is_reading(sheet, name)]
    plain = {_plain(name) for name in texts}
    right = RIGHT if "pred_text" not in plain else (*RIGHT, "text")  # as NeMo writes manifests
    kinds: dict[str, Kind] = {name: "gold" if _plain(name) in right else kind for name in texts}
    if kind == "gold" and plain & {*right}:
        return {name: kind for name in texts if _plain(name) in right}
    said = [name for name, one in kinds.items() if one == kind]
    if len(texts) < 2 or not said:
        return {}
    if len(said) > 1 and any(_plain(name) in (*ITEMS, *TEXTS) for name in said):
        found = f"several columns hold texts: {', '.join(texts)}"
        fix = f"say which one, as in --columns item={said[0]}, or call the right text 'reference'"
        raise bad(sheet.name, sheet.header, found, fix)
    return kinds


def _is_reading(sheet: Sheet, name: str) -> bool:
    """Check whether a column holds texts that a source may have read: no ids, no comments."""
    if not _is_text(sheet, name) or _plain(name) in DOCUMENTS:
        return False
    return not _is_of_ids(sheet, name) and not (
        aside.stands_beside(name) and not aside.is_derived(name)
    )


def _is_of_ids(sheet: Sheet, name: str) -> bool:
    """Check whether a table's first column holds ids: they differ in their numbers alone."""
    if name != sheet.table.column_names[0] or _plain(name) in (*TEXTS, *RIGHT):
        return False
    cells = sheet.table[name].to_pylist()
    return all(isinstance(cell, str) for cell in cells) and lists.are_ids(cells)


def _check_header(sheet: Sheet, texts: Collection[str]) -> None:
    """Refuse a first line that is a row like those below: its cells would name the sources."""
    names: list[str] = sheet.table.column_names
    said = [_is_said(sheet, name) for name in texts]
    odd = [name for name in names if name not in texts and _is_id_among(sheet, name)]
    odd += [name for name in texts if len(name.split()) > _NAME]
    odd += [*texts] if all(said) else []
    if odd and sheet.header is not None:
        found = f"no header line: {quote(odd[0])} is a cell like those below it"
        fix = "begin with a line that names the columns, such as id, whisper, kaldi, reference"
        raise bad(sheet.name, sheet.header, found, fix)


def _is_id_among(sheet: Sheet, name: str) -> bool:
    """Check whether the name of a column is an id like all in its cells."""
    cells = sheet.table[name].to_pylist()
    return all(isinstance(cell, str) for cell in cells) and lists.are_ids([name, *cells])


def _is_said(sheet: Sheet, name: str) -> bool:
    """Check whether most of several words in the name of a column stand in its cells."""
    words = name.lower().split()
    cells = (cell for cell in sheet.table[name].to_pylist() if isinstance(cell, str))
    known = {word for cell in cells for word in cell.lower().split()}
    return len(words) > 1 and 2 * sum(word in known for word in words) > len(words)


def _is_text(sheet: Sheet, name: str) -> bool:
    """Check whether most cells of a column hold several words."""
    cells = [cell for cell in sheet.table[name].to_pylist() if cell]
    several = sum(isinstance(cell, str) and len(cell.split()) > 1 for cell in cells)
    return bool(cells) and 2 * several >= len(cells)


def _columns(sheet: Sheet, kinds: Mapping[str, Kind], reader: _Reader) -> Iterator[One]:
    """Read a wide table: each column of texts is a source, each row a document."""
    names = sheet.table.column_names
    place = next((name for name in names if _plain(name) in DOCUMENTS and name not in kinds), None)
    place = names[0] if place is None and _is_of_ids(sheet, names[0]) else place
    documents = [f"{sheet.stem}, row {n}" for n in range(1, sheet.table.num_rows + 1)]
    if place is not None:
        documents = [str(one) for one in sheet.table[place].to_pylist()]
    unused = [name for name in names if name not in (*kinds, place)]
    notes = [f"a row is a document: its texts are cut into {reader.tokens}"]
    notes += [f"columns not used: {', '.join(unused)}"] if unused else []
    why = f"texts of {', '.join(kinds)}"
    source = Source(sheet.name, sheet.form, why, len(documents), tuple(notes), tuple(names))
    for name, kind in kinds.items():
        if kind == "gold":
            reader.right.add(name)
        for document, cell in zip(documents, sheet.table[name].to_pylist(), strict=True):
            yield name, document, cut(cell or "", reader.tokens, reader.wording), source


def _without_figures(sheet: Sheet, given: Mapping[str, str]) -> Sheet:
    """Set aside the scores that a recogniser gives to tokens: none of them is compared."""
    figures = [
        name
        for name in sheet.table.column_names
        if roles.role_of(name) in _FIGURES and name not in given.values()
    ]
    table = sheet.table.drop_columns(figures)
    return replace(sheet, table=table, unused=(*sheet.unused, *figures))


def _mapped(names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Take a column of tokens for the items, and one of documents for what they were read in.

    Examples
    --------
    >>> _mapped(["document", "system", "token", "position"], {})
    {'item': 'token', 'query': 'document'}
    """
    plain = {_plain(name): name for name in names}
    token = next((plain[name] for name in (*ITEMS, *TEXTS) if name in plain), None)
    tokens = token is not None and _plain(token) in ITEMS
    if token is None or "item" in given or ("item" in plain and tokens):
        return dict(given)
    places = [name for name in DOCUMENTS if not (tokens and name in _OF_ROWS)]
    where = next((plain[name] for name in places if plain.get(name, token) != token), None)
    asked = where is None or "query" in given or "query" in plain
    return {**given, "item": token} | ({} if asked else {"query": where or ""})


def _lists(rows: Rows, reader: _Reader) -> Iterator[One]:
    """Part a table into sequences: by rank where there are ranks, else as the rows stand.

    Where every source has one row for a document, a row is a text, and where most cells hold
    several words it is a line of one: it is cut as files are.
    """
    place = np.arange(len(rows)) if rows.rank is None else rows.rank
    order = np.lexsort((place, rows.query.code, rows.respondent.code))
    who, query = rows.respondent.code[order], rows.query.code[order]
    new = np.flatnonzero((np.diff(who, prepend=-1) != 0) | (np.diff(query, prepend=-1) != 0))
    alone = len(new) == len(order)
    lines = 2 * sum(len(one.split()) > 1 for one in rows.item.take(range(len(rows)))) >= len(rows)
    texts = lines or (alone and _holds_texts(rows))
    source = rows.source
    if texts:
        note = f"a row is a {'text' if alone else 'line'}: cut into {reader.tokens}"
        source = replace(source, notes=(*source.notes, note))
    for begin, end in zip(new, np.append(new[1:], len(order)), strict=True):
        name = rows.respondent.names[who[begin]]
        cells = rows.item.take(order[begin:end])
        tokens = worded(cells, reader.wording)
        if texts:
            parts = [cut(cell, reader.tokens, reader.wording) for cell in cells]
            tokens = [token for part in parts for token in part]
        yield name, rows.query.names[query[begin]], tokens, source
    for name, document in rows.asked:
        yield name, document, [], source


def _holds_texts(rows: Rows) -> bool:
    """Tell by its columns whether a row may be a text: none is called as single tokens are."""
    names = {*map(_plain, rows.source.columns)}
    several = rows.query.names != (ONLY_QUERY,)
    return not names & {*ITEMS} and (several or bool(names & {*TEXTS}))


def check_shared(found: Sequences) -> None:
    """See that some source has a document of the truth's."""
    judged = {document for name, document in found.tokens if name in found.gold}
    read = {document for name, document in found.tokens if name not in found.gold}
    if found.gold and read and not judged & read:
        some = [", ".join(sorted(one)[:3]) for one in (read, judged)]
        raise UsageError(
            f"sources and truth share no document: sources have {some[0]}; the truth has {some[1]} "
            "(fix: call the files of a document alike)"
        )
