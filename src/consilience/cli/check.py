"""``consilience check``: what have I got, what joins, what is missing, what comes next."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli.shared import alive, emit, mapping, read_study, reading
from consilience.errors import InputError, quote

if TYPE_CHECKING:
    from consilience.match.near import NearMisses
    from consilience.study import Study


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@click.option(
    "--families",
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

    trees, files = without_trees(files, options["encoding"])
    facts = _facts(files, truth, families, options) if files or truth else _empty()
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
    from consilience.belief.dependence import dependence
    from consilience.study.looking import is_benchmark, is_running_text
    from consilience.study.overview import overview
    from consilience.verdict.agreed import of_dependence

    stored = [name for name in (*files, *truth) if is_benchmark(name)]
    study = _benchmark(stored[0], files, options) if stored else _study(files, truth, options)
    study = declared(study, families)
    facts = overview(study)
    facts |= {"what": None, "near": None, "text": is_running_text(study), "of": _kind(study)}
    facts["dependence"] = None
    if facts["of"] == "text" and not facts["text"]:  # else no two items are equal
        with alive("comparing"):
            facts["dependence"] = of_dependence(dependence(study))
    if facts["dependence"] and facts["condition"] != "absent":
        facts["dependence"]["warning"] = None  # truth tells who is right
    if stored:
        facts["what"] = f"{stored[0]} is a benchmark: what each subject answered to each query"
    elif facts["sorted"] and not facts["systems"]:
        facts["what"] = f"People gave labels that are words, {facts['categories']:,} different ones"
    facts["benchmark"] = stored[0] if stored else None
    _add_items(facts, study)
    return facts


def _kind(study: Study) -> str:
    """Tell what the items are: text, segments, boxes or tracks."""
    from consilience.formats.shapes import kind_of_form

    kinds = (kind_of_form(source.recognised) for source in study.sources)
    return next((kind for kind in kinds if kind != "text"), "text")


def _add_items(facts: dict[str, Any], study: Study) -> None:
    """Say what can be told of items that need not be equal, and whether some are nearly right."""
    from consilience.match.near import near_misses

    if facts["of"] != "text":
        told = f"how far {facts['of']} overlap that are not equal (consilience soft)"
        sides = len(facts["systems"]) + len(facts["judges"])
        facts["can"] = [told] if facts["systems"] and sides > 1 else []
    elif facts["text"]:
        facts["what"] = "These look like several readings of one text"
        told = "the readings word by word, side by side, with error rates (consilience align)"
        facts["can"].insert(0, told)
    elif not facts["sorted"]:
        found = near_misses(study)
        facts["near"] = found and _counted(found)
        facts["can"] += [_near(found)] if found else []


def _counted(found: NearMisses) -> dict[str, int]:
    return {name: getattr(found, name) for name in ("looked", "exact", "near", "beside")}


def _near(found: NearMisses) -> str:
    """Say how many items are nearly right, and how to count them."""
    gold, other = found.example
    were = "was" if found.exact == 1 else "were"
    said = f"of {found.looked:,} gold items {found.exact:,} {were} returned exactly, "
    if found.near:
        said += f"{found.near:,} nearly ({quote(gold)} as {quote(other)})"
    else:
        near = "item lies" if found.beside == 1 else "items lie"
        said += (
            f"and {found.beside:,} more returned {near} near them ({quote(other)}, {quote(gold)})"
        )
    return f"near misses: {said}: consilience soft, or rank --match soft"


def _study(files: tuple[str, ...], truth: tuple[str, ...], options: dict[str, Any]) -> Study:
    """Read answers; where they are none, labels that are words."""
    from consilience.study.looking import as_words, is_shared, mostly_words, names_only

    words = {
        "truth": truth,
        "columns": mapping(options["columns"]),
        "encoding": options["encoding"],
        "duplicates": options["duplicates"],
    }
    try:
        made = read_study(files, truth=truth, **options)
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


def _empty() -> dict[str, Any]:
    """Give the facts of no answers at all."""
    names = ("files", "systems", "judges", "alike", "notes", "can", "cannot")
    queries = ("all", "with_answers", "with_truth", "with_both", "without_truth", "without_answers")
    return {
        **{name: [] for name in names},
        **dict.fromkeys(("condition", "why", "judged", "dependence", "what", "benchmark", "near")),
        **dict.fromkeys(("items", "categories"), 0),
        **dict.fromkeys(("ordered", "sorted", "lists", "text"), False),
        "queries": dict.fromkeys(queries, 0),
        "of": "text",
    }


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
    usual = {"encoding": None, "duplicates": "error", "universe": "pool"}
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
    from consilience.study.condition import ONLY_MODELS, UNLABELLED

    named = " ".join(shlex.quote(name) for name in files)
    judged = "".join(f" --truth {shlex.quote(name)}" for name in truth)
    people = _repeated({**options, "universe": "pool"}, None)
    if facts["benchmark"]:
        runs = " ".join(shlex.quote(name) for name in files if name != facts["benchmark"])
        folder = shlex.quote(facts["benchmark"])
        return f"consilience displacement --benchmark {folder} {runs or 'RUN…'}{people}"
    if trees or (facts["systems"] and facts["sorted"]):
        return _tree_next(trees, files, truth, options)
    if facts["lists"] and (truth or not facts["systems"]):
        subjects = "".join(f" --subjects {shlex.quote(name)}" for name in truth or files)
        return f"consilience displacement{subjects} {named if truth else 'RUN…'}{people}"
    if not facts["systems"] and facts["condition"] == "uncertain" and not truth:
        return f"consilience agree {named}{people}"
    said = _repeated(options, families)
    inexact = _soft_next(facts, files, truth, options)
    if inexact:
        return inexact
    if not facts["systems"]:
        return f"consilience check SYSTEMS… --truth {named}{said}"
    voters = len(facts["systems"]) + sum(one["kind"] == "llm" for one in facts["judges"])
    known = truth and facts["why"] not in (ONLY_MODELS, UNLABELLED)
    if facts["condition"] == "absent" and (known or voters < 2):
        return f"consilience check {named} --truth {'OTHER-FILE' if truth else 'FILE'}{said}"
    if len(facts["systems"]) == 1 and facts["ordered"] and facts["condition"] == "complete":
        return f"consilience curve {named}{judged}{said}"
    verb = "distributions" if facts["condition"] == "uncertain" else "rank"
    return f"consilience {verb} {named}{judged}{said}"


def _soft_next(
    facts: dict[str, Any],
    files: tuple[str, ...],
    truth: tuple[str, ...],
    options: dict[str, Any],
) -> str | None:
    """Say how to ask for items that are nearly right; None where items are the same or not."""
    sides = len(facts["systems"]) + len(facts["judges"])
    if not facts["systems"] or sides < 2:
        return None
    named = " ".join(shlex.quote(name) for name in files)
    judged = "".join(f" --truth {shlex.quote(name)}" for name in truth)
    usual = {**options, "duplicates": "error", "universe": "pool"}
    if facts["text"]:
        return f"consilience align {named}{judged}{_repeated(usual, None)}"
    if facts["of"] == "text" and facts["near"] is None:
        return None
    if sides == len(files) + len(truth) == 2:
        both = _gold_first(facts, files, truth)
        return f"consilience soft {both}{_repeated(usual, None)}"
    if facts["of"] == "text":
        return None
    return f"consilience rank {named}{judged} --match soft{_repeated(options, None)}"


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
    said = _repeated({**options, "universe": "pool"}, None)
    return f"consilience tree{tree}{people}{found}{said}"
