"""What can be asked of a project: each verb computes from the project's study and stores.

Settings are those of the command line's options of the same names, as plain data; what is not
given is as usual there. Every function here gives a payload as ``--json`` prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import UsageError
from consilience.store.projects import project
from consilience.store.results import keep_result
from consilience.store.studies import assigned_study, labels_study, results_study, study_of, tree_of
from consilience.web import archives

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.store.projects import Project

Settings = dict[str, Any]
Payload = dict[str, Any]
#: Computes the payload of a verb for a project.
Compute = Callable[["Database", "Project", Settings], Payload]


def _given(settings: Settings, *names: str) -> Settings:
    """Take those of some settings that were given."""
    return {name: settings[name] for name in names if settings.get(name) is not None}


def _believed(db: Database, of: Project, settings: Settings) -> tuple[Any, Any]:
    """Give the study and whom to believe."""
    from consilience.cli.believing import chosen_belief

    study = study_of(db, of, universe=settings.get("universe"))
    usual: Settings = {"belief": "auto", "weights": None, "families": None, "evidence": None}
    return chosen_belief(study, **usual | _given(settings, *usual))


def _at_depth(study: Any, settings: Settings) -> Any:
    """Count only the first answers of each list, where that was asked for."""
    from consilience.belief import gold
    from consilience.study.condition import no_truth
    from consilience.study.depth import cut

    if settings.get("depth") is None:
        return study
    worth = gold(study).of if no_truth(study) is None else None
    return cut(study, settings["depth"], ties=settings.get("ties", "trec"), worth=worth)


def check(db: Database, of: Project, _: Settings) -> Payload:
    """Say what there is and what can be computed."""
    from consilience.verdict.checked import check_result

    return check_result(study_of(db, of), tree=tree_of(db, of) is not None)


def rank(db: Database, of: Project, settings: Settings) -> Payload:
    """Rank the systems."""
    from consilience.verdict.agreement import Wanted
    from consilience.verdict.rank import default_measures
    from consilience.verdict.rank import rank as ranked

    study, believe = _believed(db, of, settings)
    study = _at_depth(study, settings)
    measures = settings.get("measures") or list(default_measures(study, belief=believe))
    chosen = _given(
        settings, *("level", "seed", "samples", "delta", "unit", "proxy", "leave_out", "ties")
    )
    show = Wanted(**_given(settings, "panel", "cutoffs", "virtual"))
    return ranked(study, measures=measures, belief=believe, show=show, **chosen).payload()


def distributions(db: Database, of: Project, settings: Settings) -> Payload:
    """Give precision and recall as distributions."""
    from consilience.verdict.uncertain import distributions as spread

    study, believe = _believed(db, of, settings)
    study = _at_depth(study, settings)
    chosen = _given(settings, "level", "seed", "delta", "beta", "ties", "draws", "rel", "measure")
    return spread(study, belief=believe, **chosen).payload()


def tree(db: Database, of: Project, settings: Settings) -> Payload:
    """Say what people make of items in the project's tree, and what systems score by that."""
    from consilience.verdict.categorised import by_tree

    known = tree_of(db, of)
    if known is None:
        raise UsageError("this project has no tree of categories (fix: bring its file)")
    chosen = _given(
        settings,
        *("category", "query_item", "weights", "measure"),
        *("level", "delta", "beta", "seed", "draws"),
    )
    assigned, results = assigned_study(db, of), results_study(db, of)
    return by_tree(assigned, tree=known, results=results, **chosen).payload()


def displacement(db: Database, of: Project, settings: Settings) -> Payload:
    """Compare systems with individual subjects."""
    from consilience.verdict.subjects import displacement as displaced

    chosen = _given(
        settings,
        *("scale", "quality", "hypothesis", "collection", "depth"),
        *("level", "seed", "ties"),
    )
    return displaced(study_of(db, of), **chosen).payload()


def agree(db: Database, of: Project, settings: Settings) -> Payload:
    """Say whether annotators agree."""
    from consilience.verdict.annotators import agree as agreed

    chosen = _given(settings, "scale", "order", "level", "seed")
    return agreed(labels_study(db, of), tree=tree_of(db, of), **chosen).payload()


def next_labels(db: Database, of: Project, settings: Settings) -> Payload:
    """Say what to label next and what that buys."""
    from consilience.verdict.labelling import next_labels as drawn

    chosen = _given(settings, "measure", "delta", "level", "seed", "proxy")
    return drawn(study_of(db, of), budget=settings["budget"], **chosen).payload()


def draw(db: Database, slug: str, settings: Settings) -> int:
    """Draw what to label next by design, as tasks for people."""
    from consilience.store.draws import draw_tasks
    from consilience.store.frames import counting

    now = project(db, slug)
    known = counting(db, now)
    payload = next_labels(db, now, settings)
    keep_result(db, now, payload, settings=settings, version=now.version)
    return draw_tasks(db, now, payload["rows"], files=known)


def add(db: Database, slug: str, settings: Settings) -> list[int]:
    """Read files that were uploaded into a project."""
    from consilience.store.sources import add_files

    added = add_files(
        db,
        project(db, slug),
        settings["files"],
        truth=settings["truth"],
        names={Path(path): name for path, name in settings["names"].items()},
        **_given(settings, "columns", "encoding", "answers", "duplicates"),
    )
    _looked_at(db, slug)
    return [source.id for source in added]


def content(db: Database, slug: str, settings: Settings) -> dict[str, int]:
    """Read texts and pictures of items: all are kept, or nothing where one is refused."""
    from consilience.store.content import add_content, media_type_of, read_texts

    names = {Path(path): name for path, name in settings["names"].items()}
    pictures = {path: name for path, name in names.items() if media_type_of(_head(path))}
    texts = [
        read_texts(path, encoding=settings.get("encoding"), name=name)
        for path, name in names.items()
        if path not in pictures
    ]
    return add_content(db, project(db, slug), texts, pictures)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(16)


def _looked_at(db: Database, slug: str) -> None:
    """Have the overview ready: it is the next page that anybody looks at."""
    from consilience.store.sources import sources

    now = project(db, slug)
    if any(not one.set_aside for one in sources(db, now)):  # a tree may come before all answers
        keep_result(db, now, check(db, now, {}), settings={}, version=now.version)


def _kept(compute: Compute) -> Callable[[Database, str, Settings], str]:
    """Make a job of a computation: what it gives is kept under the state that it began with."""

    def job(db: Database, slug: str, settings: Settings) -> str:
        now = project(db, slug)
        payload = compute(db, now, settings)
        keep_result(db, now, payload, settings=settings, version=now.version)
        return str(payload["id"])

    return job


#: What can be computed, by the name of the verb.
COMPUTED: dict[str, Compute] = {
    "check": check,
    "rank": rank,
    "distributions": distributions,
    "tree": tree,
    "displacement": displacement,
    "agree": agree,
    "next": next_labels,
}
#: Every kind of job.
VERBS: dict[str, Callable[[Database, str, Settings], Any]] = {
    **{verb: _kept(compute) for verb, compute in COMPUTED.items()},
    "add": add,
    "content": content,
    "draw": draw,
    "pack": archives.packed,
    "unpack": archives.unpacked,
}


def settings_of(given: Iterable[tuple[str, Any]]) -> Settings:
    """Keep what was chosen: the same choice, however it is written, is the same key.

    Examples
    --------
    >>> settings_of([("belief", None), ("level", 0.9), ("measures", [])])
    {'level': 0.9}
    """
    return {name: value for name, value in sorted(given) if value not in (None, "", [], ())}
