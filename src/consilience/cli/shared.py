"""What several verbs share: options, reading, writing, a sign of life while work goes on."""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import say, silence
from consilience.cli.paths import INPUT, OUTPUT
from consilience.errors import ConsilienceError, UsageError, quote, unknown
from consilience.progress import listening

if TYPE_CHECKING:
    from consilience.study import Study

F = TypeVar("F", bound=Callable[..., Any])

#: What a result can be written as; ``--json`` is short for ``-f json``.
FORMATS = ("text", "json", "csv", "md", "latex", "html", "parquet")
#: Formats by a file's ending.
ENDINGS = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".parquet": "parquet",
    ".qrels": "qrels",
}
#: The options that :func:`writing` adds.
WRITING = ("as_json", "fmt", "output", "no_save")


def reading(function: F) -> F:
    """Add the options that say how files are read."""
    options = (
        click.option(
            "--truth",
            type=INPUT,
            multiple=True,
            metavar="FILE",
            help="The truth, or judges' answers (repeatable; files, folders, globs).",
        ),
        click.option(
            "--columns",
            multiple=True,
            metavar="ROLE=NAME",
            help="Which of the answers' columns is what, such as query=topic_nr (repeatable).",
        ),
        click.option(
            "--truth-columns",
            multiple=True,
            metavar="ROLE=NAME",
            help="The same of the truth's columns, such as grade=target (repeatable).",
        ),
        click.option(
            "--answers",
            metavar="lines|lists|votes",
            help="The kind of answers, where it is not to be recognised.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The files' text encoding, where it is not UTF-8.",
        ),
        click.option(
            "--duplicates",
            default="error",
            show_default=True,
            metavar="error|first|last|each",
            help="What to do when an item is answered twice, differently (each: a multiset).",
        ),
        click.option(
            "--universe",
            default="pool",
            show_default=True,
            metavar="N|pool",
            help="How many items a query chooses from; pool: those somebody mentioned.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


#: The option that says what the numbers of boxes are in text files.
boxing = click.option(
    "--boxes",
    metavar="corners|sizes|centres",
    help="Text files of boxes: what the four numbers are; by default what fits.",
)


def writing(*formats: str) -> Callable[[F], F]:
    """Add the options that say how the result is written: in one of some formats."""
    options = (
        click.option("--json", "as_json", is_flag=True, help="Short for -f json."),
        click.option(
            *("-f", "--format", "fmt"),
            metavar="|".join(formats),
            help="The format; by default that of -o's ending, else text.",
        ),
        click.option(
            *("-o", "--output"),
            type=OUTPUT,
            metavar="FILE",
            help="Write to a file instead of standard output.",
        ),
        click.option("--no-save", is_flag=True, help="Do not keep the result for later export."),
    )

    def with_options(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return with_options


def taken(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Take some options out of all: what is left is somebody else's."""
    return {name: options.pop(name) for name in names}


def how_read(
    *,
    columns: tuple[str, ...],
    truth_columns: tuple[str, ...] = (),
    answers: str | None = None,
    encoding: str | None,
    duplicates: str,
    universe: str,
) -> dict[str, Any]:
    """Turn the options of :func:`reading` but ``--truth`` into what functions take, checked."""
    from consilience.formats.answer_kinds import answer_kind
    from consilience.study import DUPLICATES

    if duplicates not in DUPLICATES:
        raise unknown("way with duplicates", duplicates, DUPLICATES)
    return {
        "columns": mapping(columns),
        "truth_columns": mapping(truth_columns, "--truth-columns"),
        "answers": answer_kind(answers),
        "encoding": encoding,
        "duplicates": duplicates,
        "universe": universe_of(universe),
    }


def read_study(
    files: tuple[str, ...],
    *,
    truth: tuple[str, ...],
    labels: bool = False,
    boxes: Any = None,
    **options: Any,
) -> Study:
    """Read the files that a verb was given; with ``labels``, as annotators' labels."""
    from consilience.study import read

    how = how_read(**options)
    if how["truth_columns"] and not truth:
        raise UsageError("--truth-columns maps columns of the truth (fix: name it with --truth)")
    with alive("reading"):
        return read(list(files), truth=list(truth), labels=labels, boxes=boxes, **how)


#: A comma parts mappings only where another one follows: names of columns may hold commas.
_NEXT_ROLE = re.compile(r",(?=\s*[a-z_]+=)")


def mapping(columns: tuple[str, ...], option: str = "--columns") -> dict[str, str]:
    """Read ``--columns`` or an option like it: role → name of a column."""
    found: dict[str, str] = {}
    for pair in (part for given in columns for part in _NEXT_ROLE.split(given)):
        role, sign, column = pair.partition("=")
        if not sign or not role or not column:
            raise UsageError(
                f"{quote(pair)} maps nothing (fix: write ROLE=NAME, such as query=topic)"
            )
        if role.strip() in found:
            raise UsageError(f"{option} says {role.strip()} twice (fix: map it to one column)")
        found[role.strip()] = column.strip()
    return found


def universe_of(text: str) -> int | None:
    """Read ``--universe``: a number of items, or None for those that somebody mentioned."""
    if text == "pool":
        return None
    if not text.isdecimal() or len(text) > 15 or not int(text):
        raise UsageError(f"--universe must be a whole number or pool, found {quote(text)}")
    return int(text)


def show(
    payload: dict[str, Any],
    *,
    fmt: str | None,
    as_json: bool,
    output: str | None,
    no_save: bool = True,
) -> None:
    """Render a result, write it where it was wanted, and keep it."""
    from consilience.render import render
    from consilience.store import save, write

    fmt = format_of(fmt, as_json=as_json, output=output)
    rendered = render(payload, fmt)
    if output is None:
        if fmt == "parquet" and sys.stdout is not None and sys.stdout.isatty():
            raise UsageError("Parquet is not for the terminal (fix: name a file with -o)")
        emit(rendered)
    else:
        write(Path(output), encoded(rendered))
        say(f"written to {output}")
    if not no_save:
        try:
            save(payload)
        except ConsilienceError as error:
            say(f"note: the result was not kept ({error})")


def encoded(text: str | bytes) -> bytes:
    """Encode as UTF-8; file names that are no text are shown with backslashes."""
    return text.encode(errors="backslashreplace") if isinstance(text, str) else text


def emit(text: str | bytes) -> None:
    """Write to standard output; a reader that went away (| head) is no failure."""
    if sys.stdout is None:
        raise ConsilienceError("standard output is closed (fix: name a file with -o)")
    try:
        sys.stdout.buffer.write(encoded(text))
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
    except OSError as error:
        silence()
        raise ConsilienceError(f"cannot write: {error.strerror or error}") from None


def format_of(fmt: str | None, *, as_json: bool, output: str | None) -> str:
    """Return the format of a result: the one that was named, else that of the output's ending."""
    if as_json and fmt not in (None, "json"):
        raise UsageError(f"--json and -f {fmt} contradict each other (fix: use one of them)")
    if as_json:
        return "json"
    if fmt is not None:
        return fmt
    if output is None:
        return "text"
    ending = Path(output).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"{output}: the ending does not tell the format "
            f"(fix: add -f, one of {', '.join(FORMATS)})"
        )
    return ENDINGS[ending]


@contextmanager
def alive(doing: str, *, after: float = 2.0) -> Iterator[None]:
    """Show on a terminal that work goes on, once it has taken two seconds, and how far it is."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    heard: list[float | None] = [None]
    begun = time.monotonic()

    def tell() -> None:
        width, wait = 0, after
        while not done.wait(wait):
            share = heard[0]  # what is done is no longer how far the work is: something follows
            far = "" if share is None or share >= 1 else f", {int(100 * share)} %"
            line = f"{doing} … {time.monotonic() - begun:.0f} s{far}"
            width = max(width, len(line))
            sys.stderr.write(f"\r{line:{width}} ")
            sys.stderr.flush()
            wait = 0.5
        if width:
            sys.stderr.write("\r" + " " * (width + 1) + "\r")
            sys.stderr.flush()

    def hear(share: float) -> None:
        heard[0] = share

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        with listening(hear):
            yield
    finally:
        done.set()
        teller.join()
