"""The agreement of annotators as plain data, and its headline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.formats.rows import ONLY_QUERY
from consilience.verdict.payload import number, stamped

if TYPE_CHECKING:
    from consilience.verdict.annotators import Annotator, AnnotatorAgreement
    from consilience.verdict.items_anew import Figure


def payload(result: AnnotatorAgreement) -> dict[str, Any]:
    """Give everything as plain data (the contract of ``agree --json``)."""
    from consilience.verdict.items_anew import RESAMPLED

    labels = result.labels
    kinds = dict(zip(result.study.respondents.names, result.study.respondents.kind, strict=True))
    count = _count(labels.category.tolist(), len(labels.categories))
    drawn = {**RESAMPLED, "n": result.compared, "samples": result.samples, "seed": result.seed}
    figures = {
        name: _figure(getattr(result, name), drawn) for name in ("alpha", "fleiss", "percent")
    }
    body: dict[str, Any] = {
        "headline": result.headline,
        "scale": {
            "name": result.scale.name,
            "why": result.scale.why,
            "kappa": result.scale.kappa,
        },
        "level": result.level,
        "items": len(labels.items),
        "compared": result.compared,
        "labels": len(labels),
        "queries": len(result.study.queries),
        **figures,
        "categories": [
            {"name": name, "labels": n, "agreed": agreed}
            for name, n, agreed in zip(labels.categories, count, result.agreed, strict=True)
        ],
        "annotators": [_annotator(one, kinds[one.name]) for one in result.annotators],
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "n": pair.n,
                "percent": number(pair.percent),
                **{name: number(value) for name, value in pair.kappa.items()},
                "undefined": pair.undefined,
            }
            for pair in result.pairs
        ],
        "confusions": [
            {
                "a": one.a,
                "b": one.b,
                "pairs": one.pairs,
                "share": one.share,
                "items": one.items,
                "relation": one.relation,
            }
            for one in result.confusions
        ],
        "disputed": result.disputed,
        "discuss": [
            {
                "query": None if one.query == ONLY_QUERY else one.query,
                "item": one.item,
                "labels": one.labels,
                "disagreement": one.disagreement,
                "percent": one.percent,
                "counts": one.counts,
            }
            for one in result.discuss
        ],
        "tree": result.tree_shares,
        "resampling": drawn,
        "notes": list(result.notes),
    }
    return stamped("agree", result.study, body, seed=result.seed)


def _count(codes: list[int], size: int) -> list[int]:
    import numpy as np

    return [int(n) for n in np.bincount(codes, minlength=size)]


def _figure(figure: Figure, drawn: dict[str, Any]) -> dict[str, Any]:
    return {
        "value": number(figure.value),
        "interval": None if figure.interval is None else list(figure.interval),
        "undefined": figure.undefined,
        "interval_undefined": figure.interval_undefined,
        "resampling": None if figure.interval is None else drawn,
    }


def _annotator(one: Annotator, kind: str) -> dict[str, Any]:
    met = one.deviation
    return {
        "name": one.name,
        "kind": kind,
        "labels": one.labels,
        "n": one.n,
        "percent": number(one.percent),
        "kappa": number(one.kappa),
        "interval": None if one.interval is None else list(one.interval),
        "undefined": one.undefined,
        "odd": one.odd,
        "alpha_without": None if one.alpha_without is None else number(one.alpha_without),
        "deviation": None if met is None else {"says": met[0], "others": met[1], "share": met[2]},
    }


def headline(result: AnnotatorAgreement) -> str:
    """Say how far annotators agree, no more than the numbers do."""
    alpha, percent = result.alpha, result.percent
    who = f"{len(result.annotators):,} annotators"
    items = f"{result.compared:,} item{'s' if result.compared > 1 else ''}"
    equal = f"two labels of the same item are equal in {_share(percent.value)} of cases"
    if alpha.undefined is not None:
        return f"Whether {who} agree beyond chance is undefined: {alpha.undefined}."
    digits = _digits(alpha.interval)
    value = f"α = {_fixed(alpha.value, digits)}"
    if alpha.interval is None:
        return f"{who}, {items}: {value} ({result.scale.name}), without an interval; {equal}."
    low, high = alpha.interval
    told = "agree no more than chance could explain"
    if low > 0:
        told = "agree more than chance would"
    elif high < 0:
        told = "agree less than chance would"
    span = f"{value} [{_fixed(low, digits)}, {_fixed(high, digits)}]"
    said = f"{who} {told}: {span} ({result.scale.name}, {items}); {equal}."
    odd = [one for one in result.annotators if one.odd]
    if not odd:
        return said
    first = odd[0]
    more = f" (as do {len(odd) - 1:,} more)" if len(odd) > 2 else " (as does one more)"
    differs = f" {first.name} agrees with the others less than is usual here"
    return f"{said}{differs}{more if len(odd) > 1 else ''}: κ = {_fixed(first.kappa)}."


def _fixed(value: float, digits: int = 2) -> str:
    text = f"{value:.{digits}f}"
    return text.replace("-", "−" if text.strip("-0.") else "")


def _digits(interval: tuple[float, float] | None) -> int:
    """Find how many digits keep the ends of an interval well apart: two to four."""
    if interval is None:
        return 2
    return next((n for n in (2, 3) if interval[1] - interval[0] >= 4 * 10.0**-n), 4)


def _share(value: float) -> str:
    return f"{100 * value:.0f}%"
