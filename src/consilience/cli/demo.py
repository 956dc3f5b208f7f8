"""``consilience demo``: a bundled example, end to end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from consilience.cli.paths import Output
from consilience.cli.shared import ENDINGS, show
from consilience.errors import UsageError, unknown

#: Demonstration → what it shows.
DEMOS = {
    "complete": "eight keyphrase extractors against the phrases of professional indexers",
    "absent": "the same extractors without any truth: who agrees with whom",
    "partial": "24 made-up pipelines on two engines, 150 of 10,000 items labelled, drawn by design",
    "uncertain": "20 pictures, 5 people who disagree, a tree of categories, 3 systems (made up)",
    "inexact": "phrases of one extractor that are nearly those of the indexers",
    "airplanes": "one ranked list, every average precision, and a claimed figure explained",
}


@click.command("demo")
@click.argument(
    "name", default="complete", metavar="[complete|absent|partial|uncertain|inexact|airplanes]"
)
@click.option(
    "-o",
    "--output",
    type=Output(ending=".html"),
    metavar="FILE",
    help="Where the HTML report goes; by default ./consilience-demo.html.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON and write no report."
)
def command(name: str, output: str | None, as_json: bool) -> None:
    """Run a bundled example: print the result and keep it, write a report to look at."""
    from consilience.examples import example, example_study
    from consilience.formats.pipes import is_stream
    from consilience.render import render
    from consilience.render.written import may_hold_labels
    from consilience.store import write
    from consilience.store.protect import free_name
    from consilience.study import read
    from consilience.verdict.curve import curve
    from consilience.verdict.rank import rank

    if name not in DEMOS:
        raise unknown("demo", name, list(DEMOS))
    if as_json and output:
        raise UsageError("--json prints to standard output and writes no report (fix: drop -o)")
    path = Path(output or "consilience-demo.html")
    if ENDINGS.get(path.suffix.lower()) != "html" and not is_stream(path):
        free = free_name(path.with_suffix(".html"))
        raise UsageError(f"{path}: the report is HTML (fix: write to {free})")
    if not as_json and not output and path.is_file() and may_hold_labels(path):
        what = "this may hold labels or answers, and would be replaced"
        raise UsageError(f"{path}: {what} (fix: -o {free_name(path)})")
    if name == "airplanes":
        typed = f"consilience curve {example('airplanes.csv')} --claimed 0.803"
        payload = curve(example_study("airplanes"), claimed="0.803").payload()
    elif name == "absent":
        typed = f"consilience rank {example('keyphrases.csv')} -m F1 -m P -m R"
        payload = rank(read(example("keyphrases.csv")), measures=["F1", "P", "R"]).payload()
    elif name == "partial":
        typed, payload = _partial()
    elif name == "uncertain":
        typed, payload = _uncertain()
    elif name == "inexact":
        typed, payload = _inexact("keyphrases-gold.csv", "keyphrases-multi-rake.csv")
    else:
        files = example("keyphrases.csv"), example("keyphrases-gold.csv")
        typed = f"consilience rank {files[0]} --truth {files[1]} -m F1 -m AP -m P@5"
        payload = rank(example_study("keyphrases"), measures=["F1", "AP", "P@5"]).payload()
    if as_json:
        show(payload, fmt="json", as_json=True, output=None, no_save=False)
        return
    click.echo(f"{DEMOS[name]}; the same by hand:\n  {typed}\n", err=True)
    show(payload, fmt="text", as_json=False, output=None, no_save=False)
    if name == "absent":
        click.echo(f"\n{_beside_truth(payload)}", err=True)
    if name == "partial":
        click.echo(f"\n{_beside_all_labels(payload)}", err=True)
    if name == "uncertain":
        click.echo(f"\n{_how_far_they_agree()}", err=True)
    if name == "inexact":
        small, one = _inexact("cafe-gold.csv", "cafe-predicted.csv", variant="paper")
        click.echo(f"\nOne short list against another:\n  {small}\n{one['headline']}", err=True)
    report = render(payload, "html")
    write(path, report.encode() if isinstance(report, str) else report)
    click.echo(f"\nThe report with pictures: {path}", err=True)


def _partial() -> tuple[str, dict[str, Any]]:
    """Draw labels, take them from the truth as a person would give them, and rank by them."""
    from consilience.examples.pipelines import few_labels
    from consilience.verdict.rank import rank

    typed = (
        "consilience next found.csv --budget 150 -o labels.csv, fill in the labels, then\n  "
        "consilience rank found.csv --truth labels.csv --delta 0.02"
    )
    return typed, rank(few_labels(150), delta=0.02).payload()


def _beside_all_labels(payload: dict[str, Any]) -> str:
    """Lift the veil: how far the estimates are from what all labels would have said."""
    import numpy as np

    from consilience.examples.pipelines import pipelines
    from consilience.measures.scores import score

    name = payload["measure"]
    truth = score(pipelines(), measures=[name])
    ours = {one["name"]: one["scores"][name] for one in payload["systems"]}
    apart = [abs(ours[system]["value"] - truth[system][name].value) for system in truth.systems]
    inside = sum(
        ours[system]["interval"][0] <= truth[system][name].value <= ours[system]["interval"][1]
        for system in truth.systems
    )
    design = payload["design"]
    return (
        f"The truth is known here: with labels on all {design['population']:,} items, F1 would "
        f"differ by {np.mean(apart):.3f} on average; {inside} of {len(apart)} intervals hold it."
    )


def _uncertain() -> tuple[str, dict[str, Any]]:
    """Hold three systems against what five people made of 20 pictures."""
    from consilience.examples import example
    from consilience.study import read
    from consilience.study.assigned import read_assignments
    from consilience.study.taxonomy import tree
    from consilience.verdict.categorised import by_tree

    files = [example(f"pictures-{part}.csv") for part in ("tree", "assignments", "results")]
    categories = tree(files[0])
    assigned = read_assignments(files[1], tree=categories)
    found = by_tree(assigned, tree=categories, results=read(files[2]))
    typed = f"consilience tree --tree {files[0]} --assignments {files[1]} --results {files[2]}"
    return typed, found.payload()


def _inexact(gold: str, predicted: str, **options: str) -> tuple[str, dict[str, Any]]:
    """Compare phrases that are nearly right."""
    from consilience.cli.soft import compared
    from consilience.examples import example

    files = example(gold), example(predicted)
    said = "".join(f" --{name} {value}" for name, value in options.items())
    typed = f"consilience soft {files[0]} {files[1]}{said}"
    return typed, compared(str(files[0]), str(files[1]), **options)


def _how_far_they_agree() -> str:
    """Say how far the people agree, and how to see more of it."""
    from consilience.examples import example
    from consilience.study.assigned import read_assignments
    from consilience.study.taxonomy import tree
    from consilience.verdict.annotators import agree

    files = [example(f"pictures-{part}.csv") for part in ("tree", "assignments")]
    categories = tree(files[0])
    found = agree(read_assignments(files[1], tree=categories), tree=categories)
    said = found.payload()["headline"]
    return f"{said}\nMore of that: consilience agree {files[1]} --tree {files[0]}"


def _beside_truth(payload: dict[str, Any]) -> str:
    """Lift the veil: this example has truth, so the ranking can be compared with the right one."""
    import numpy as np

    from consilience.examples import example_study
    from consilience.measures.orders import kendall
    from consilience.measures.scores import score

    truth = score(example_study("keyphrases"), measures=["F1"])
    agreed = {one["name"]: one["scores"]["F1"]["value"] for one in payload["systems"]}
    pairs = np.array([[agreed[name], truth[name]["F1"].value] for name in truth.systems])
    best = truth.systems[int(pairs[:, 1].argmax())]
    tau = kendall(pairs[:, 0], pairs[:, 1])
    return (
        f"The truth is known here: {best} is first by F1 against the indexers' phrases, and the "
        f"two rankings have Kendall's τ = {tau:.2f}. Agreement is not correctness."
    )
