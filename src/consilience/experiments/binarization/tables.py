"""The tables of the experiment on binarizations: the papers' beside ours, then what they hide."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.experiments.binarization import measured as by
from consilience.experiments.binarization.experiment import (
    BESIDE,
    NAMES,
    OTSU,
    PAPER,
    SAUVOLA,
    WOLF,
    f_of,
)
from consilience.experiments.reproduced import Cell, Column, Table
from consilience.match.sequences import read_sequences
from consilience.measures.scores import score

if TYPE_CHECKING:
    from consilience.experiments.binarization.experiment import Everything
    from consilience.experiments.binarization.measured import Lead, Measured

#: What is printed under each way.
TITLES = {
    by.TRUTH: "With truth (Table 6): averages over pages",
    by.BAG: "Without truth, Method I, bag of entities (Table 7)",
    by.ALIGNED: "Without truth, Method II, aligned entities (Table 8)",
}
PAIRS = ((SAUVOLA, OTSU), (WOLF, OTSU), (SAUVOLA, WOLF))
#: Constants were tried on so many pages, the first ones.
TRIED = 6


def tables(found: Everything) -> tuple[Table, ...]:
    """Make all tables."""
    return (
        *(_against_paper(found, way) for way in by.WAYS),
        _differences(found),
        _precision(found),
        _universe(found),
        _states(found),
        *_constants(found),
        _words(found),
        _scans(),
    )


def _against_paper(found: Everything, way: str) -> Table:
    """Lay the papers' precision and recall beside ours; F of the papers comes from these two."""
    ours, rows = found.ways[way], list[tuple[Cell, ...]]()
    for name, (precision, recall) in PAPER[way].items():
        mine = [_value(ours, name, measure) for measure in by.MEASURES]
        paper_f = None if precision is None else f_of(precision, recall)
        pairs = zip((precision, recall, paper_f), mine, strict=True)
        rows.append((name, *(cell for pair in pairs for cell in pair), _returned(found, name)))
    columns = [Column("pipeline", "head")]
    for measure in ("P", "R", "F"):
        columns += [Column(f"{measure}, paper", digits=4), Column(f"{measure}, ours", digits=4)]
    note = "F, paper: from its P and R. Ours: F averaged over pages"
    if way != by.TRUTH:
        note += ". ⊥'s precision is printed as ∞; it is 0/0, undefined"
    else:
        note += f"; {sum(map(len, found.entities.truth.values()))} entities are on the pages"
    return Table(TITLES[way], (*columns, Column("entities returned", "count")), tuple(rows), note)


def _value(ours: Measured, name: str, measure: str) -> float | None:
    value = ours.virtual(name, measure) if name in "⊤⊥" else ours.value(name, measure)
    return None if value != value else value


def _returned(found: Everything, name: str) -> int | None:
    return found.entities.returned(name) if name in NAMES.values() else None


def _differences(found: Everything) -> Table:
    """Say how sure the differences are, over pages that are drawn anew."""
    rows = []
    for way in by.WAYS:
        for a, b in PAIRS:
            lead = found.ways[way].lead(a, b, "F1")
            paper = f_of(*_printed(way, a)) - f_of(*_printed(way, b))
            sure = (lead.interval, lead.probability)
            rows.append((f"{way}: {a} − {b}", paper, lead.difference, *sure))
    columns = (
        Column("way: pair", "head"),
        Column("ΔF, paper", digits=4),
        Column("ΔF, ours", digits=4),
        Column("95 % interval", "span", 3),
        Column("P(first is higher)", digits=3),
    )
    note = (
        f"{found.pages} pages drawn anew, the same for all pipelines. Without truth the intervals "
        "speak of agreement"
    )
    return Table("How sure the differences are", columns, tuple(rows), note)


def _printed(way: str, name: str) -> tuple[float, float]:
    precision, recall = PAPER[way][name]
    return (float("nan") if precision is None else precision), recall


def _precision(found: Everything) -> Table:
    """Show precision by every rule of averaging, and the yield that it hides."""
    rows: list[tuple[Cell, ...]] = []
    for way, rules in found.rules.items():
        for rule, values in rules.items():
            first = max(values, key=lambda name: values[name])
            rows.append((f"{way}: {rule}", *values.values(), first))
    columns = (
        Column("way: rule", "head"),
        *(Column(name, digits=4) for name in NAMES.values()),
        Column("highest", "text"),
    )
    empty = ", ".join(f"{found.entities.empty(name)} ({name})" for name in NAMES.values())
    note = (
        "the papers say only that figures are averages; the first rule is taken for theirs. Pages "
        f"without any entity: {empty}"
    )
    return Table("Precision depends on how pages are averaged", columns, tuple(rows), note)


def _universe(found: Everything) -> Table:
    """Show what recall becomes if Δ holds items that nobody returned, as the papers' seems to."""
    narrow, wide = found.ways[by.BAG], found.wide
    paper = [PAPER[by.BAG][name] for name in NAMES.values()]
    rows: list[tuple[Cell, ...]] = [
        ("paper", None, PAPER[by.BAG]["⊤"][0], *(recall for _, recall in paper)),
    ]
    for label, added, one in (
        ("ours: what somebody returned", 0, narrow),
        ("ours: and what nobody returned", found.added, wide),
    ):
        recalls = (one.value(name, "R") for name in NAMES.values())
        rows.append((label, added, one.virtual("⊤", "P"), *recalls))
    columns = (
        Column("Δ, the items of a page", "head"),
        Column("added a page", "count"),
        Column("P of ⊤", digits=4),
        *(Column(f"R {name}", digits=4) for name in NAMES.values()),
    )
    note = (
        "so many items are added to every page that ⊤ has the papers' precision; precision of the "
        "pipelines does not change"
    )
    return Table("Recall without truth depends on Δ (Method I)", columns, tuple(rows), note)


def _states(found: Everything) -> Table:
    """Show F by the state of the pages."""
    rows: list[tuple[Cell, ...]] = []
    for state, pages in found.states.items():
        part = found.entities.of(pages)
        for way in (by.TRUTH, by.BAG):
            values = by.averages(part, way)
            cells = (values[name]["F1"] for name in NAMES.values())
            rows.append((f"{state}, {way}", len(pages), *cells))
    columns = (
        Column("state, way", "head"),
        Column("pages", "count"),
        *(Column(name, digits=3) for name in NAMES.values()),
    )
    return Table("F by the state of the pages", columns, tuple(rows))


def _constants(found: Everything) -> tuple[Table, ...]:
    """Show what k does; the papers do not tell theirs."""
    if not found.beside.read:
        return ()
    labels = {OTSU: OTSU, SAUVOLA: f"{SAUVOLA} (k = 0.2)", WOLF: f"{WOLF} (k = 0.5)"}
    told = {labels[name]: one for name, one in by.averages(found.entities, by.TRUTH).items()}
    told |= by.averages(found.beside, by.TRUTH)
    order = sorted(told)
    leads = {labels[name]: found.ways[by.TRUTH].lead(name, OTSU, "F1") for name in (SAUVOLA, WOLF)}
    leads |= {name: found.exchanged[by.TRUTH].lead(name, OTSU, "F1") for name in found.beside.read}
    later = list(found.entities.truth)[TRIED:]
    elsewhere: dict[str, dict[str, float]] = {}
    if later:
        elsewhere = {labels[n]: one for n, one in _averages(found.entities, later).items()}
        elsewhere |= _averages(found.beside, later)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            name,
            *(told[name][m] for m in by.MEASURES),
            elsewhere.get(name, {}).get("F1"),
            *_lead(leads.get(name)),
        )
        for name in order
    )
    columns = (
        Column("binarization", "head"),
        *(Column(m, digits=3) for m in ("P", "R", "F")),
        Column("F, other pages", digits=3),
        Column("F minus Otsu's", digits=3),
        Column("95 % interval", "span", 3),
    )
    note = (
        "with truth. k = 0.2 for Sauvola and 0.5 for Wolf were chosen by their results, on six "
        f"pages; other pages: without the first six. {' and '.join(BESIDE.values())} are no part "
        "of the other tables"
    )
    return (Table("What the constant k does", columns, rows, note),)


def _averages(readings: by.Readings, pages: list[str]) -> dict[str, dict[str, float]]:
    return by.averages(readings.of(pages), by.TRUTH)


def _lead(one: Lead | None) -> tuple[Cell, Cell]:
    return (None, None) if one is None else (one.difference, one.interval)


def _words(found: Everything) -> Table:
    """Do the same with all words instead of entities (Method I)."""
    truth, agreed = (by.averages(found.words, way) for way in (by.TRUTH, by.BAG))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(one[name][m] for one in (truth, agreed) for m in by.MEASURES), count)
        for name in NAMES.values()
        for count in (found.words.returned(name),)
    )
    columns = (
        Column("pipeline", "head"),
        *(Column(f"{m}, truth", digits=3) for m in ("P", "R", "F")),
        *(Column(f"{m}, Method I", digits=3) for m in ("P", "R", "F")),
        Column("words returned", "count"),
    )
    return Table("All words instead of entities", columns, rows)


def _scans() -> Table:
    """Score OCR of real scans against their truth, by words."""
    folder = Path(str(resources.files("consilience.experiments"))) / "data" / "ocr"
    rows: list[tuple[Cell, ...]] = []
    for engine in ("tesseract", "calamari"):
        study = read_sequences([folder / engine], [folder / "truth"], method="bag")
        scores = score(study, measures=list(by.MEASURES))
        told = [scores[engine][m].per_query for m in by.MEASURES]
        for at, page in enumerate(scores.queries):
            if (folder / engine / f"{page}.txt").is_file():
                rows.append((f"{page}: {engine}", *(float(one[at]) for one in told)))
    columns = (Column("page: engine", "head"), *(Column(m, digits=3) for m in ("P", "R", "F")))
    note = "words as bags, with truth; the images are not published, so nothing can be binarized"
    return Table("Real scans: OCR of dinglehopper's pages", columns, tuple(sorted(rows)), note)
