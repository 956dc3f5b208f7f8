"""Aligned sequences as plain data (the contract of ``align --json``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.verdict.aligned_words import (
    ALL,
    MOST,
    compared,
    differs_most,
    marks_of,
    mean_agreement,
    nearest,
)
from consilience.verdict.payload import number, stamped

if TYPE_CHECKING:
    from consilience.match.progressive import Alignment
    from consilience.measures.scores import Scores
    from consilience.verdict.aligned import AlignmentResult


def of_alignment(result: AlignmentResult) -> dict[str, Any]:
    """Give an alignment as plain data."""
    found, chosen = result.sequences, result.chosen
    among = [pair for pair in result.pairs if not {pair.a, pair.b} & {*found.gold}]
    marks = "".join(marks_of(one) for one in compared(result.alignments))
    several = len(found.systems) > 2 and among
    near = nearest(among) if several else None
    far = differs_most(found, among) if several else None
    body: dict[str, Any] = {
        "headline": result.headline,
        "systems": list(found.systems),
        "gold": list(found.gold),
        "documents": list(found.documents),
        "tokens": found.cut,
        "columns": sum(one.columns.shape[1] for one in result.alignments),
        "compared": len(marks),
        "agreed": marks.count(ALL),
        "majority": marks.count(MOST),
        "nearest": None
        if near is None
        else {"a": near.a, "b": near.b, "agreement": near.agreement},
        "differs_most": None if far is None else {"name": far[0], "agreement": far[1]},
        "belief": {"method": result.aligned.belief.method},
        "caveat": result.caveat,
        "settings": {
            "similarity": chosen.similarity,
            "floor": chosen.floor,
            "gap": chosen.gap,
            "refine": chosen.refine,
            "per": chosen.per,
            "unicode": found.wording.unicode,
            "case": found.wording.case,
        },
        "sources": [_source(name, result) for name in found.names],
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "documents": pair.documents,
                "edits": pair.edits,
                "longer": pair.longer,
                "agreement": pair.agreement,
            }
            for pair in result.pairs
        ],
        "alignment": [
            _document(name, one)
            for name, one in zip(found.documents, result.alignments, strict=True)
        ],
        "notes": list(result.notes),
    }
    return stamped("align", result.by_position, body, seed=0, also=[result.by_bag])


def _source(name: str, result: AlignmentResult) -> dict[str, Any]:
    found = result.sequences
    is_gold = name in found.gold
    others = [pair for pair in result.pairs if not {pair.a, pair.b} & {*found.gold}]
    wrong, length = result.errors.get(name, (0, 0))
    read = [found.tokens[key] for key in found.tokens if key[0] == name]
    return {
        "name": name,
        "kind": "gold" if is_gold else "system",
        "documents": len(read),
        "tokens": sum(map(len, read)),
        "agreement": mean_agreement(name, others),
        "errors": wrong if name in result.errors else None,
        "error_rate": wrong / length if length else None,
        "bag": None if is_gold else _scores(result.bag, name),
        "aligned": None if is_gold else _scores(result.aligned, name),
    }


def _scores(scores: Scores, name: str) -> dict[str, Any]:
    one = scores[name]
    return {
        "precision": number(one["P"].value),
        "recall": number(one["R"].value),
        "f1": number(one["F1"].value),
        "undefined": next((s.reason for s in one.values() if s.reason), None),
    }


def _document(name: str, alignment: Alignment) -> dict[str, Any]:
    marks = marks_of(alignment)
    plurality = alignment.plurality().tolist()
    return {
        "document": name,
        "columns": len(marks),
        "agreed": marks.count(ALL) if len(alignment.names) > 1 else 0,
        "cost": alignment.cost,
        "marks": marks,
        "consensus": [None if code < 0 else alignment.tokens[code] for code in plurality],
        "rows": {source: list(alignment.row(source)) for source in alignment.names},
    }
