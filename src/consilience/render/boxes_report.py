"""What a comparison of boxes tells: how many were found, average precision, classes, one image."""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import boxes_charts as charts
from consilience.render.report import HEAD, NUMBER, Picture, Report, Section, Table
from consilience.render.words import Payload, count, estimate, fixed, percent, plain

#: The columns of CSV and Parquet: a row for all boxes, each class, each threshold, each image.
COLUMNS = {
    "level": "string",
    "name": "string",
    "gold": "int64",
    "predicted": "int64",
    "matched": "int64",
    "false": "int64",
    "missed": "int64",
    "precision": "float64",
    "recall": "float64",
    "f1": "float64",
    "AP": "float64",
    "AP50": "float64",
    "AP75": "float64",
    "AR": "float64",
}
#: What COCO's figures are.
MEANINGS = {
    "AP": "mean over IoU 0.50 to 0.95",
    "AP50": "at IoU 0.50",
    "AP75": "at IoU 0.75",
    "AP_small": "areas up to 32²",
    "AP_medium": "areas from 32² to 96²",
    "AP_large": "areas from 96²",
    "AR_small": "areas up to 32²",
    "AR_medium": "areas from 32² to 96²",
    "AR_large": "areas from 96²",
}
#: The most classes and images that tables for people show.
CLASSES, IMAGES, PAIRS = 30, 15, 15
_KEYS = ("precision", "recall", "f1")


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row for all boxes, for each class, for each threshold and for each image."""
    at, ap = payload["at_threshold"], payload["ap"]
    counted = {key: at[key] for key in ("matched", "false", "missed")}
    first = {"level": "all", "name": "all", **payload["sizes"], **counted}
    first |= {key: payload[key] for key in _KEYS}
    if ap is None:
        return [first, *({"level": "image", **_image(one)} for one in payload["per_document"])]
    summary = ap["summary"]
    first |= {key: summary[key] for key in ("AP", "AP50", "AP75")}
    first["AR"] = summary[f"AR_{ap['max_detections']}"]
    return [
        first,
        *(
            {"level": "class", "name": one["class"], **{k: one[k] for k in COLUMNS if k in one}}
            for one in ap["per_class"]
        ),
        *(
            {"level": "iou", "name": f"{one['iou']:.2f}", "AP": one["ap"], "AR": one["ar"]}
            for one in ap["per_iou"]
        ),
        *({"level": "image", **_image(one)} for one in payload["per_document"]),
    ]


def _image(one: Payload) -> dict[str, Any]:
    return {"name": one["document"], **{key: one[key] for key in COLUMNS if key in one}}


def report(payload: Payload) -> Report:
    """Say all that a comparison of boxes tells."""
    return Report(
        title="Detections against true boxes",
        headline=payload["headline"],
        sections=(
            Section("Precision and recall", (_figures(payload),)),
            Section("Average precision", (*_summary(payload), *_curves(payload))),
            Section("Classes", (*_class_picture(payload), *_classes(payload))),
            Section("Average precision by other names", _variants(payload)),
            Section("One image", _drawn(payload)),
            Section("Images", (_images(payload),)),
            Section("Matched pairs", (_pairs(payload),)),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=(
            count(payload["documents"], "image"),
            f"{payload['sizes']['gold']:,} true boxes",
            count(payload["sizes"]["predicted"], "detection"),
            f"IoU {payload['threshold']:g}",
            "classes must agree" if payload["settings"]["classes"] else "classes left aside",
        ),
        caution="; ".join(plain(one).rstrip(".") for one in payload["warnings"]),
    )


def _figures(payload: Payload) -> Table:
    at = payload["at_threshold"]
    made = [
        ("soft, by IoU", *_cells(payload, payload["intervals"])),
        (f"at IoU {at['iou']:g}", *_cells(at, at["intervals"])),
    ]
    made += [(one["label"], *_cells(one, None)) for one in payload["baselines"][1:]]
    if payload["null"]["precision"] is not None:
        made.append(("soft, by luck", *_cells(payload["null"], None)))
    return Table(
        "Precision and recall, pooled over images" + _brackets(payload),
        ("pairs count", "precision", "recall", "F1"),
        tuple(made),
        ("head", "score", "score", "score"),
        left_out=_undefined(payload),
        main=True,
    )


def _cells(given: Payload, intervals: Payload | None) -> tuple[str, ...]:
    spans = intervals or dict.fromkeys(_KEYS)
    return tuple(estimate({"value": given[key], "interval": spans[key]}) for key in _KEYS)


def _brackets(payload: Payload) -> str:
    if payload["resampling"] is None:
        return ""
    return f"; in brackets {percent(payload['level'])} intervals over images"


def _undefined(payload: Payload) -> str:
    said = {why for why in payload["undefined"].values() if why}
    return f"– is undefined: {'; '.join(sorted(said))}." if said else ""


def _summary(payload: Payload) -> tuple[Table, ...]:
    ap = payload["ap"]
    if ap is None:
        return ()
    meanings = {**MEANINGS, **_recalls(ap)}
    table = Table(
        "COCO's figures, averaged over classes" + _brackets(payload),
        ("figure", "value", "what it counts"),
        tuple(
            (
                name.replace("_", " "),
                estimate({"value": value, "interval": ap["intervals"].get(name)}),
                meanings[name],
            )
            for name, value in ap["summary"].items()
        ),
        ("head", "score", ""),
        left_out="– is undefined: no true box of this kind."
        if any(ap["undefined"].values())
        else "",
    )
    return (table,)


def _recalls(ap: Payload) -> dict[str, str]:
    names = [name for name in ap["summary"] if name.startswith("AR_") and name[3:].isdigit()]
    first = {name: "one" if name == "AR_1" else f"{int(name[3:]):,}" for name in names}
    return {
        name: f"recall of the first {many} of an image and class" for name, many in first.items()
    }


def _curves(payload: Payload) -> tuple[Picture | Table, ...]:
    ap = payload["ap"]
    if ap is None:
        return ()
    rows = charts.curve_rows(payload)
    names = list(dict.fromkeys(row["iou"] for row in rows))
    held = {(row["iou"], row["recall"]): row["precision"] for row in rows}
    steps = [point / 10 for point in range(11)]
    twin = Table(
        "Precision at levels of recall, by threshold of IoU",
        ("recall", *names),
        tuple((f"{at:.1f}", *(fixed(held.get((name, at))) for name in names)) for at in steps),
        (HEAD, *(NUMBER,) * len(names)),
    )
    thresholds = Table(
        "By threshold of IoU",
        ("IoU", "AP", "AR"),
        tuple((f"{o['iou']:.2f}", fixed(o["ap"]), fixed(o["ar"])) for o in ap["per_iou"]),
        ("head", "number", "number"),
    )
    words = charts.curves_words(payload)
    return Picture("curves", partial(charts.curves, payload), words, twin), thresholds


def _class_table(payload: Payload, most: int | None) -> Table:
    every = charts.class_rows(payload)
    without = [one for one in payload["ap"]["per_class"] if one["AP"] is None]
    shown = every if most is None or len(every) <= most else every[:most]
    left = []
    if len(shown) < len(every):
        left.append(f"{len(every) - len(shown):,} further classes: see -f csv.")
    if without:
        left.append(f"{charts.said_classes(len(without))} without a true box: no AP.")
    return Table(
        "Classes, the highest AP first",
        ("class", "true boxes", "detections", "AP", "AP50", "AP75", "AR"),
        tuple(
            (
                plain(one["class"]) or "(none)",
                f"{one['gold']:,}",
                f"{one['predicted']:,}",
                *(fixed(one[key]) for key in ("AP", "AP50", "AP75", "AR")),
            )
            for one in shown
        ),
        (HEAD, *(NUMBER,) * 6),
        left_out=" ".join(left),
    )


def _class_picture(payload: Payload) -> tuple[Picture, ...]:
    if payload["ap"] is None:
        return ()
    draw, words = partial(charts.classes, payload), charts.classes_words(payload)
    return (Picture("classes", draw, words, _class_table(payload, None)),)


def _classes(payload: Payload) -> tuple[Table, ...]:
    return () if payload["ap"] is None else (_class_table(payload, CLASSES),)


def _variants(payload: Payload) -> tuple[Table, ...]:
    if payload["ap"] is None:
        return ()
    known = payload["ap"]["variants"]
    names = list(known["coco"])
    return (
        Table(
            f"AP at IoU {known['iou']:g} under its other meanings, averaged over classes",
            ("detections are matched", *names),
            (
                ("as COCO does: with a free box", *(fixed(known["coco"][n]) for n in names)),
                ("as VOC does: with the best box", *(fixed(known["voc"][n]) for n in names)),
            ),
            (HEAD, *(NUMBER,) * len(names)),
        ),
    )


def _drawn(payload: Payload) -> tuple[Picture, ...]:
    if payload["picture"] is None:
        return ()
    twin = Table(
        f"Boxes of image {plain(payload['picture']['document'])}",
        ("side", "class", "state", "left", "top", "right", "bottom", "IoU", "score"),
        charts.box_cells(payload),
        ("head", "head", "", *(NUMBER,) * 6),
    )
    words = charts.boxes_words(payload)
    return (Picture("boxes", partial(charts.boxes, payload), words, twin),)


def _images(payload: Payload) -> Table:
    every = sorted(payload["per_document"], key=lambda one: -(one["missed"] + one["false"]))
    shown = every[:IMAGES]
    beyond = len(every) - len(shown)
    return Table(
        f"Images with the most mistakes, at IoU {payload['threshold']:g}",
        ("image", "found", "missed", "false", "precision (soft)", "recall (soft)"),
        tuple(
            (
                plain(one["document"]),
                *(f"{one[key]:,}" for key in ("matched", "missed", "false")),
                *(fixed(one[key]) for key in ("precision", "recall")),
            )
            for one in shown
        ),
        (HEAD, *(NUMBER,) * 5),
        left_out=f"{beyond:,} further images: see -f csv." if beyond else "",
    )


def _pairs(payload: Payload) -> Table:
    every = payload["pairs"][::-1]
    beyond = len(every) - len(every[:PAIRS])
    return Table(
        "Matched boxes (left, top, width, height), those that share least first",
        ("image", "class", "true box", "detection", "IoU"),
        tuple(
            (
                plain(one["document"]),
                *_parted(one["gold"])[::-1],
                _parted(one["predicted"])[0],
                fixed(one["similarity"]),
            )
            for one in every[:PAIRS]
        ),
        (HEAD, "", "", "", NUMBER),
        left_out=f"{beyond:,} further pairs: see --json." if beyond else "",
    )


def _parted(text: str) -> tuple[str, str]:
    """Part the text of a box into its numbers and its class."""
    fields = plain(text).split(None, 4)
    return " ".join(fields[:4]), fields[4] if len(fields) > 4 else ""


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    chosen, drawn = payload["settings"], payload["resampling"]
    facts = [
        (
            "sides",
            f"{plain(payload['names']['predicted'])} against {plain(payload['names']['gold'])}",
        ),
        ("overlap", f"intersection over union, a match from {chosen['iou']:g}"),
        ("classes", "must be the same" if chosen["classes"] else "left aside"),
        ("detections", f"at most {chosen['max_detections']:,} an image and class"),
        ("luck", f"{payload['null']['how']}, {count(payload['null']['draws'], 'time')}"),
    ]
    if drawn is not None:
        facts.append(
            (
                "intervals",
                f"{percent(payload['level'])}, {count(drawn['n'], 'image')} drawn anew "
                f"{drawn['samples']:,} times ({drawn['method']}), seed {drawn['seed']}",
            )
        )
    return tuple(facts)


def _methods(payload: Payload) -> str:
    chosen, drawn = payload["settings"], payload["resampling"]
    same = " of the same class" if chosen["classes"] else ""
    said = (
        f"Detected boxes were paired with true boxes{same} in the same image one to one, so that "
        "the sum of their intersections over union (IoU) is largest; pairs below an IoU of "
        f"{chosen['iou']:g} did not count. Precision and recall are this sum over the number of "
        "detections and of true boxes, pooled over images"
    )
    if payload["ap"] is not None:
        said += (
            ". Average precision and recall follow COCO's definition (101 points of recall, IoU "
            f"0.50 to 0.95, at most {chosen['max_detections']} detections an image and class)"
        )
    if drawn is not None:
        said += (
            f"; {percent(payload['level'])} intervals are over images ({drawn['method']}, "
            f"{drawn['samples']:,} draws, seed {drawn['seed']})"
        )
        if payload["ap"] is not None and payload["ap"]["draws"]:
            said += f", those of AP over {payload['ap']['draws']:,} draws centred at its value"
    return f"{said}."
