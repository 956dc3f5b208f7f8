"""How soft figures were computed, in words."""

from __future__ import annotations

from consilience.render.words import Payload, count, fixed, percent, plain

#: Variant → what tables call it, and how it is computed.
VARIANTS = {
    "coverage": (
        "soft, coverage",
        "every item is covered as far as the most similar item of the other side is like it, and "
        "weighs as much as it counts among its own (1 over the sum of its similarities)",
    ),
    "diversity": (
        "soft, maximum diversity",
        "how many different items a list holds is its maximum diversity, 1 / min p'Sp over all "
        "shares p; what is in both is gold + predicted − both together",
    ),
    "paper": (
        "soft, as in the paper",
        "an item counts 1 over the sum of its similarities to all items of its list; what is in "
        "both is gold + predicted − both together",
    ),
    "storm": (
        "soft, as in STORM",
        "as in the paper, but gold and predicted are put together as a set",
    ),
    "assignment": (
        "instances, one to one",
        "every item is matched with at most one of the other side, so that the similarities of "
        "the matched add up to the most",
    ),
}
#: Other methods with long labels, as tables call them.
_OTHERS = {"matching": "matching similarity", "mapped": "mapped overlap"}
#: What a mode means.
MODES = {
    "concepts": "concepts: items that are alike count in part",
    "instances": "instances: every item counts by itself",
}
_TEXT = {
    "unicode": {
        "keep": "letters as written",
        "nfc": "composed letters (NFC)",
        "nfkc": "letters made compatible (NFKC)",
        "ascii": "accents taken off (ASCII)",
    },
    "case": {"keep": "case as written", "fold": "case ignored"},
    "space": {
        "keep": "blanks as written",
        "strip": "blanks around items taken off",
        "collapse": "runs of blanks made one",
    },
}


def called(name: str, label: str = "") -> str:
    """Name a variant or another method as tables do."""
    return _OTHERS.get(name) or VARIANTS.get(name, (plain(label or name), ""))[0]


def undefined(payload: Payload) -> tuple[str, ...]:
    """Say why figures are missing."""
    names = {"precision": "precision", "recall": "recall", "f1": "F1"}
    return tuple(
        f"{names.get(key, key)} is undefined: {plain(why)}"
        for key, why in payload["undefined"].items()
        if why
    )


def beside(payload: Payload) -> str:
    """Say below the table of figures what the rows beside the chosen one are."""
    said = []
    chance = payload["null"]
    if chance and chance["f1"] is not None:
        said.append(f"By chance: {plain(chance['how'])}.")
    if payload["adjusted"] and payload["adjusted"]["f1"] is not None:
        said.append("Adjusted: (value − by chance) / (1 − by chance).")
    return " ".join(said)


def badges(payload: Payload) -> tuple[str, ...]:
    """Give the short facts under the headline of a page."""
    said = [plain(payload["similarity"]["name"])]
    if payload["similarity"]["floor"]:
        said.append(f"floor {payload['similarity']['floor']:g}")
    said += [called(payload["variant"]), plain(payload["mode"])]
    said.append(f"{payload['sizes']['gold']:,} gold, {payload['sizes']['predicted']:,} predicted")
    if payload["documents"] > 1:
        said.append(count(payload["documents"], "document"))
    return tuple(said)


def facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    """Tell how it was computed, one labelled fact after the other."""
    alike = payload["similarity"]
    floor = f"; below {alike['floor']:g} counts as 0" if alike["floor"] else "; no floor"
    made = [
        ("similarity", f"{plain(alike['name'])}{floor}"),
        ("variant", f"{called(payload['variant'])}: {_computed(payload)}"),
        ("mode", MODES.get(payload["mode"], plain(payload["mode"]))),
    ]
    if alike["background"] is not None:
        told = f"unrelated items are {fixed(alike['background'], 2)} alike on average"
        made.insert(1, ("background", told))
    if alike["repairs"]:
        made.insert(1, ("mended", "; ".join(map(plain, alike["repairs"]))))
    if payload["text"]:
        made.append(("wording", wording(payload)))
    made.append(("averaging", plain(payload["averaged"])))
    chance = payload["null"]
    if chance:
        drawn = f", {count(chance['draws'], 'draw')}" if chance["draws"] else ""
        made.append(("by chance", f"{plain(chance['how'])}{drawn}"))
    made.append(
        ("crisp*", f"items match when their similarity is {payload['threshold']:g} or more")
    )
    made.append(("intervals", _intervals(payload)))
    return tuple(made)


def _computed(payload: Payload) -> str:
    return VARIANTS.get(payload["variant"], ("", ""))[1] or "see the documentation"


def wording(payload: Payload) -> str:
    """Say how items were written alike before they were compared."""
    return "; ".join(
        words.get(payload["text"][key], plain(payload["text"][key])) for key, words in _TEXT.items()
    )


def _intervals(payload: Payload) -> str:
    drawn = payload["resampling"]
    if drawn is None:
        return "none: they are over documents, and there are too few"
    return (
        f"{percent(payload['level'])}, {count(drawn['n'], 'document')} drawn anew "
        f"{drawn['samples']:,} times ({drawn['method']}), seed {drawn['seed']}"
    )


def methods(payload: Payload) -> str:
    """Tell the same as a paragraph for a paper."""
    alike = payload["similarity"]
    said = (
        f"Predicted items were compared with gold items by {plain(alike['name'])} similarity"
        + (f", similarities below {alike['floor']:g} taken for 0" if alike["floor"] else "")
        + f". Precision and recall: {_computed(payload)}"
    )
    if payload["variant"] in ("paper", "storm"):
        said += " (Fränti and Mariescu-Istodor, Soft precision and recall, 2023)"
    if payload["documents"] > 1:
        said += f"; {plain(payload['averaged'])}"
    drawn = payload["resampling"]
    if drawn is not None:
        said += (
            f", with {percent(payload['level'])} intervals over documents "
            f"({drawn['method']}, {drawn['samples']:,} draws, seed {drawn['seed']})"
        )
    if payload["null"] and payload["null"]["f1"] is not None:
        said += f". By chance F1 would be {fixed(payload['null']['f1'])}"
    if payload["text"]:
        said += f". Items were compared with {wording(payload)}"
    return f"{said}."
