"""The command line: words in, results out; no statistics here.

Results go to standard output, progress and notes to standard error. Exit codes: 0 done, 1 failed,
2 wrong usage or bad input, 3 a ``--fail-if`` condition was met. Each verb is a module of its own
and is loaded when it is used, so that ``--help`` answers at once.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from consilience._version import __version__

if TYPE_CHECKING:
    from consilience.errors import ChoiceError

#: Verb → what it answers (shown by ``--help``); each lives in the module of its name.
VERBS = {
    "check": "What have I got, what joins, what is missing, what can be computed.",
    "rank": "Which system is better, how sure, who is tied.",
    "correlate": "How far two rankings agree, with truth and without; what a choice costs.",
    "next": "Which items to label next, what that buys, when to stop.",
    "belief": "The probability of each (query, item).",
    "distributions": "Precision and recall as distributions, where the truth is uncertain.",
    "tree": "What people make of items in a tree of categories; systems under that truth.",
    "curve": "Precision-recall at every cutoff, every average precision by name.",
    "displacement": "How far systems are from individual subjects, one by one, then on average.",
    "soft": "Items that are nearly right: soft precision and recall, matched pairs.",
    "align": "Sequences of words side by side: who reads like whom, by bag and by position.",
    "agree": "Do annotators agree, where not, and who differs most.",
    "convert": "Answers of any form as one file, sorted by query: for data beyond memory.",
    "serve": "The web app: overview, comparison, items, people, labelling, soft match, reports.",
    "label": "Links for people who label in the web app; how far they are.",
    "pack": "Everything of a project as one archive, or as tables for other programs.",
    "unpack": "An archive becomes a project of a database.",
    "export": "Show a stored result again, in any format.",
    "demo": "A bundled example, end to end.",
    "reproduce": "The papers' tables and figures beside ours.",
}


class Verbs(click.Group):
    """The verbs, each loaded when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the verbs in the order of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb."""
        if cmd_name not in VERBS:
            return None
        from consilience.cli.paths import guarded

        return guarded(importlib.import_module(f"consilience.cli.{cmd_name}").command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; say what was possible where there is none."""
        from consilience.errors import unknown

        if args and not args[0].startswith("-") and args[0] not in VERBS:
            raise unknown("verb", args[0], list(VERBS))
        return super().resolve_command(ctx, args)


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="consilience")
def group() -> None:
    """Tell which of your systems is better, and how sure that is.

    Start with: consilience check FILES…
    """


def main(args: list[str] | None = None) -> NoReturn:
    """Run the command line; turn every error that a user can cause into one message."""
    from consilience.errors import ChoiceError, ConsilienceError, UsageError

    try:
        code: Any = group.main(args, prog_name="consilience", standalone_mode=False)
    except ConsilienceError as error:
        say(f"error: {error}")
        if isinstance(error, ChoiceError):
            _offer(error, sys.argv[1:] if args is None else args)
        code = 2 if isinstance(error, UsageError) else 1
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("stopped")
        code = 130
    except MemoryError:
        say(
            "error: there is not enough memory (fix: less data; rank and distributions also take "
            "--engine duckdb)"
        )
        code = 1
    except OSError as error:
        say(f"error: {_failed(error)}")
        code = 1
    sys.exit(_flushed(code or 0))


#: What goes wrong only where something is written.
_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EPIPE)


def _failed(error: OSError) -> str:
    """Say what the system refused to do, and with which file."""
    reason = error.strerror or str(error)
    what = f"cannot write: {reason}" if error.errno in _WRITING else reason
    return what if error.filename is None else f"{os.fsdecode(error.filename)}: {what}"


def _offer(choice: ChoiceError, args: list[str]) -> None:
    """Repeat the command once for each of its possible readings, ready to be pasted."""
    import shlex

    for value in choice.values:
        say(f"  {shlex.join(['consilience', *args, choice.option, value])}")


def say(text: str) -> None:
    """Say something on standard error, as far as it can be heard."""
    known = sys.modules.get("consilience.formats.pipes")
    with contextlib.suppress(OSError, ValueError, AttributeError):
        click.echo(known.renamed(text) if known else text, err=True)


def _flushed(code: int) -> int:
    """Write out what waits; a reader that went away is no failure, a full disk is."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        silence()
    except OSError as error:
        silence()
        say(f"error: cannot write: {error.strerror or error}")
        return code or 1
    return code


def silence() -> None:
    """Send further output nowhere: nobody reads it, or it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
