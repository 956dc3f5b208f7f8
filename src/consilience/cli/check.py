"""``consilience check``: what have I got, what joins, what is missing, what comes next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli.paths import FAMILIES, INPUT
from consilience.cli.shared import alive, boxing, emit, mapping, read_study, reading
from consilience.errors import InputError, KindError

if TYPE_CHECKING:
    from consilience.study import Study


@click.command("check")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILES…")
@reading
@boxing
@click.option(
    "--families",
    type=FAMILIES,
    metavar="FILE|auto|none",
    help="Systems with a common cause of error, as for rank.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    files: tuple[str, ...],
    truth: tuple[str, ...],
    families: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what the files are, what joins, what is missing, and what can be computed.

    \b
    consilience check runs/*.trec --truth qrels.txt
    """
    from consilience.render.overview import overview_text
    from consilience.study.looking import without_trees
    from consilience.verdict.checked import nothing

    trees, files = without_trees(files, options["encoding"])
    facts = _facts(files, truth, families, options) if files or truth else nothing()
    if trees:
        _add_trees(facts, trees, options["encoding"])
    facts["next"] = _next(facts, trees, files, truth, options, families)
    if as_json:
        emit(json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    else:
        emit(overview_text(facts) + "\n")


def _facts(
    files: tuple[str, ...], truth: tuple[str, ...], families: str | None, options: dict[str, Any]
) -> dict[str, Any]:
    """Read the files, whatever they hold, and describe them."""
    from consilience.belief.declaring import declared
    from consilience.study.looking import is_benchmark
    from consilience.verdict.checked import checked

    stored = next((name for name in (*files, *truth) if is_benchmark(name)), None)
    study = _benchmark(stored, files, options) if stored else _study(files, truth, options)
    with alive("comparing"):
        return checked(declared(study, families), benchmark=stored)


def _study(files: tuple[str, ...], truth: tuple[str, ...], options: dict[str, Any]) -> Study:
    """Read answers; where they are none, labels that are words."""
    from consilience.study.looking import as_words, is_shared, mostly_words, names_only

    words = {
        "truth": truth,
        "columns": mapping(options["columns"]),
        "truth_columns": mapping(options["truth_columns"], "--truth-columns"),
        "encoding": options["encoding"],
        "duplicates": options["duplicates"],
    }
    try:
        made = read_study(files, truth=truth, **options)
    except KindError:
        raise
    except InputError as error:
        twice = any("answered before" in problem.found for problem in error.problems)
        labelled = None if twice else as_words(files, **words)
        if labelled is None or not mostly_words(labelled):
            raise
        return labelled
    if names_only(made) and not truth:
        labelled = as_words(files, **words)
        if labelled is not None and is_shared(labelled):
            return labelled
    return made


def _benchmark(stored: str, files: tuple[str, ...], options: dict[str, Any]) -> Study:
    """Read a benchmark, and the runs beside it where there are any."""
    from consilience.study.benchmark import read_benchmark, with_runs

    benchmark = read_benchmark(stored)
    runs = [name for name in files if name != stored]
    return (
        with_runs(benchmark, runs, columns=mapping(options["columns"])) if runs else benchmark.study
    )


def _add_trees(facts: dict[str, Any], trees: tuple[str, ...], encoding: str | None) -> None:
    """Describe trees of categories."""
    from consilience.study.taxonomy import tree

    for name in trees:
        made = tree(name, dag=True, encoding=encoding)
        why = f"{len(made.roots):,} of {len(made):,} categories have no parent"
        facts["files"].append(
            {
                "file": name,
                "recognised": "tree of categories",
                "why": why,
                "rows": len(made),
                "notes": list(made.notes),
            }
        )
    if not facts["items"]:
        facts["what"] = f"{trees[0]} is a tree of categories; what people put into it is missing"
        facts["cannot"].append(
            "what items are in these categories: nobody's assignments were named"
        )


def _repeated(options: dict[str, Any], families: str | None) -> str:
    """Repeat the options that say how files are read, where they are not the usual ones."""
    said = [("--columns", pair) for pair in options["columns"]]
    said += [("--truth-columns", pair) for pair in options["truth_columns"]]
    usual = {"answers": None, "encoding": None, "duplicates": "error", "universe": "pool"}
    usual["boxes"] = None
    said += [(f"--{name}", options[name]) for name in usual if options[name] != usual[name]]
    said += [("--families", families)] if families is not None else []
    return "".join(f" {option} {shlex.quote(str(value))}" for option, value in said)


def _next(
    facts: dict[str, Any],
    trees: tuple[str, ...],
    files: tuple[str, ...],
    truth: tuple[str, ...],
    options: dict[str, Any],
    families: str | None,
) -> str:
    """Give the command that comes next, ready to be pasted."""
    from consilience.formats.pipes import shown
    from consilience.verdict.checked import usual_verb

    trees, files, truth = (tuple(map(shown, names)) for names in (trees, files, truth))
    verb = usual_verb(facts, tree=bool(trees), truth=bool(truth), files=len(files) + len(truth))
    named = " ".join(shlex.quote(name) for name in files)
    judged = "".join(f" --truth {shlex.quote(name)}" for name in truth)
    alone = {**options, "truth_columns": (), "answers": None, "universe": "pool"}
    people = _repeated(alone, None)
    texts = _repeated({**alone, "duplicates": "error"}, None)
    said = _repeated(options, families)
    if verb == "displacement":
        return f"consilience displacement{_subjects(facts, files, truth)}{people}"
    if verb == "tree":
        return _tree_next(trees, files, truth, options)
    if verb == "agree":
        return f"consilience agree {named}{people}"
    if verb == "align":
        return f"consilience align {named}{judged}{texts}"
    if verb == "soft":
        return f"consilience soft {_gold_first(facts, files, truth)}{texts}"
    if verb == "check" and not facts["systems"]:
        return f"consilience check SYSTEMS… --truth {named}{said}"
    if verb == "check":
        return f"consilience check {named} --truth {'OTHER-FILE' if truth else 'FILE'}{said}"
    if verb == "rank" and facts["of"] != "text":
        return f"consilience rank {named}{judged} --match soft{_repeated(options, None)}"
    return f"consilience {verb} {named}{judged}{said}"


def _subjects(facts: dict[str, Any], files: tuple[str, ...], truth: tuple[str, ...]) -> str:
    """Name the subjects whose lists systems are compared with, and the systems' runs."""
    if facts["benchmark"]:
        runs = " ".join(shlex.quote(name) for name in files if name != facts["benchmark"])
        return f" --benchmark {shlex.quote(facts['benchmark'])} {runs or 'RUN…'}"
    named = " ".join(shlex.quote(name) for name in files)
    subjects = "".join(f" --subjects {shlex.quote(name)}" for name in truth or files)
    return f"{subjects} {named if truth else 'RUN…'}"


def _gold_first(facts: dict[str, Any], files: tuple[str, ...], truth: tuple[str, ...]) -> str:
    """Name two files, the one with the truth first; as they were named where none has it."""
    from consilience.formats.files import stem_of

    judges = {one["name"] for one in facts["judges"]}
    known = [] if truth else [name for name in files if stem_of(Path(name).name) in judges]
    both = dict.fromkeys([*truth, *known, *files])
    return " ".join(shlex.quote(name) for name in both)


def _tree_next(
    trees: tuple[str, ...],
    files: tuple[str, ...],
    truth: tuple[str, ...],
    options: dict[str, Any],
) -> str:
    """Say how to ask for a tree: which files are people's, and which are systems'."""
    from consilience.study.looking import hold_categories

    assigned, results = list(truth), list(files)
    if not truth:
        assigned = hold_categories(files, mapping(options["columns"]), options["encoding"])
        results = [name for name in files if name not in assigned]
    tree = f" --tree {shlex.quote(trees[0])}" if trees else " --tree FILE"
    people = "".join(f" --assignments {shlex.quote(name)}" for name in assigned or ["FILE"])
    found = "".join(f" --results {shlex.quote(name)}" for name in results)
    said = _repeated({**options, "truth_columns": (), "answers": None, "universe": "pool"}, None)
    return f"consilience tree{tree}{people}{found}{said}"
