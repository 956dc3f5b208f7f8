"""A measure's name is its identity: what prints parses back, everywhere the same.

``P@10``, ``AP``, ``nDCG(gain=exponential)@20``, ``F0.5``, ``P(average=micro,rel=2)``: a base
name, options in parentheses, a cutoff. The names follow ir_measures where it has one; what other
programs call the same thing (``map``, ``ndcg_cut_10``, ``MRR``) is understood and printed under
its right name.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from decimal import Decimal

from consilience.errors import UsageError, quote, unknown

_SHAPE = re.compile(
    r"^(?P<base>[A-Za-z][A-Za-z_]*?)(?P<beta>\d+(?:\.\d+)?)?"
    r"(?:\((?P<options>[^()]*)\))?(?:@(?P<k>[^@()]+))?$"
)
_CUT = re.compile(r"^(?P<base>[A-Za-z]+(?:_[A-Za-z]+)?)_(?P<k>\d+)$")

#: What other programs call our measures (compared in lower case).
ALIASES = {
    "precision": "P",
    "setp": "P",
    "set_p": "P",
    "recall": "R",
    "setr": "R",
    "set_recall": "R",
    "setf": "F",
    "set_f": "F",
    "f_measure": "F",
    "map": "AP",
    "map_cut": "AP",
    "mrr": "RR",
    "recip_rank": "RR",
    "mrr_cut": "RR",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "rprec": "Rprec",
    "success": "Success",
    "judged": "Judged",
    "bpref": "Bpref",
    "infap": "infAP",
    "accuracy": "Accuracy",
    "specificity": "Specificity",
    "tnr": "Specificity",
    "mcc": "MCC",
    "auc": "AUC",
    "roc_auc": "AUC",
    "efficiency": "Efficiency",
    "relative_p": "Efficiency",
    "ap": "AP",
    "rr": "RR",
    "p": "P",
    "r": "R",
    "f": "F",
}

#: What ir_measures calls the gains of nDCG: its option ``dcg`` → our ``gain``.
_DCG = {"log2": "linear", "exp-log2": "exponential"}

#: Cutoffs have at most this many digits, the numbers of options stay below this one.
DIGITS = 12
LARGEST = 1e100

AP_VARIANTS = ("step", "interpolated", "11-point", "101-point", "trapezoid")
GAINS = ("linear", "exponential")
AVERAGES = ("macro", "micro")

_SETS = ("P", "R", "F", "Accuracy", "Specificity", "MCC")
#: Base name → (cutoff: never, may or must; the options it takes).
BASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "P": ("may", ("average", "rel", "judged_only")),
    "R": ("may", ("average", "rel", "judged_only")),
    "F": ("may", ("average", "rel", "beta", "judged_only")),
    "Accuracy": ("never", ("average", "rel")),
    "Specificity": ("never", ("average", "rel")),
    "MCC": ("never", ("average", "rel")),
    "AP": ("may", ("rel", "variant", "judged_only")),
    "RR": ("may", ("rel", "judged_only")),
    "Rprec": ("never", ("rel", "judged_only")),
    "nDCG": ("may", ("gain", "judged_only")),
    "Success": ("must", ("rel", "judged_only")),
    "Efficiency": ("must", ("rel",)),
    "Judged": ("may", ()),
    "AUC": ("never", ("rel",)),
    "Bpref": ("never", ("rel",)),
    "infAP": ("never", ("rel",)),
}
_DEFAULTS: dict[str, str | float | bool] = {
    "average": "macro",
    "rel": 1.0,
    "beta": 1.0,
    "variant": "step",
    "gain": "linear",
    "judged_only": False,
}
#: The options that are on or off, and how that is written.
_SWITCHES = ("judged_only",)
_ON_OFF = {"True": True, "False": False, "true": True, "false": False}
_CHOICES = {"average": AVERAGES, "variant": AP_VARIANTS, "gain": GAINS}


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """A measure by name; ``str`` gives the name, :func:`parse` reads it back.

    Examples
    --------
    >>> str(Measure("P", k=10)), str(Measure("F", beta=0.5)), str(Measure("AP", variant="11-point"))
    ('P@10', 'F0.5', 'AP(variant=11-point)')
    """

    base: str
    k: int | None = None
    average: str = field(default="macro", kw_only=True)
    rel: float = field(default=1.0, kw_only=True)
    beta: float = field(default=1.0, kw_only=True)
    variant: str = field(default="step", kw_only=True)
    gain: str = field(default="linear", kw_only=True)
    judged_only: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        _, options = BASES[self.base]
        said = [
            f"{option}={_print(getattr(self, option))}"
            for option in options
            if option != "beta" and getattr(self, option) != _DEFAULTS[option]
        ]
        base = f"F{_print(self.beta)}" if self.base == "F" else self.base
        return base + (f"({','.join(said)})" if said else "") + (f"@{self.k}" if self.k else "")

    @property
    def ranked(self) -> bool:
        """Whether it needs the answers in order."""
        return self.k is not None or self.base not in _SETS


def _print(value: str | float | bool) -> str:
    """Write an option's value with every digit that it has, and without an exponent."""
    if isinstance(value, str | bool):
        return str(value)
    return f"{Decimal(repr(float(value))).normalize():f}"


def parse(name: str | Measure, *, rel: float | None = None) -> Measure:
    """Read a measure's name.

    Parameters
    ----------
    name
        The name, ours or another program's.
    rel
        The relevance threshold of a measure that takes one and whose name does not say.

    Raises
    ------
    UsageError
        With what was possible and what was probably meant.

    Examples
    --------
    >>> str(parse("ndcg_cut_10")), str(parse("MAP")), str(parse("F2@5")), str(parse("P(rel=2)@10"))
    ('nDCG@10', 'AP', 'F2@5', 'P(rel=2)@10')
    >>> str(parse("P@10", rel=2)), str(parse("P(rel=1)@10", rel=2)), str(parse("nDCG", rel=2))
    ('P(rel=2)@10', 'P@10', 'nDCG')
    """
    if isinstance(name, Measure):
        return _checked(name)
    if not isinstance(name, str):
        raise UsageError(f"{quote(name)} is not a measure's name (fix: write it as text, 'AP')")
    cut = _CUT.match(name.strip())
    match = _SHAPE.match(f"{cut['base']}@{cut['k']}" if cut else name.strip().replace(" ", ""))
    if match is None:
        raise UsageError(
            f"{quote(name)} is not a measure's name (fix: write NAME, NAME@k or "
            f"NAME(option=value)@k; names: {', '.join(_names())})"
        )
    base = _base(match["base"])
    if cut and base == "F":
        raise UsageError(
            f"{quote(name)} could be F1 or F1@1 (fix: write F1, or F1@10 with a cutoff)"
        )
    if match["beta"] and base != "F":
        raise unknown("measure", name, _names())
    said = f"beta={match['beta']}," if match["beta"] else ""
    options = _options(name, base, said + (match["options"] or ""))
    if rel is not None and "rel" in BASES[base][1]:
        options.setdefault("rel", _value(name, base, "rel", str(rel)))
    return Measure(base, _cutoff(name, base, match["k"]), **options)  # type: ignore[arg-type]


def _checked(measure: Measure) -> Measure:
    """Let pass what its own name describes fully; tell what is wrong with the rest."""
    if measure.base not in BASES:
        raise unknown("measure", measure.base, _names())
    again = parse(str(measure))
    for one in fields(Measure):
        if getattr(again, one.name) != getattr(measure, one.name):
            raise UsageError(
                f"{measure.base} takes no {one.name}={getattr(measure, one.name)!r} "
                f"(fix: write {again})"
            )
    return measure


def _names() -> list[str]:
    return [
        "F1" if base == "F" else base + ("@k" if cut == "must" else "")
        for base, (cut, _) in BASES.items()
    ]


def _base(name: str) -> str:
    found = name if name in BASES else ALIASES.get(name.lower())
    if found is None:
        raise unknown("measure", name, _names())
    return found


def _cutoff(name: str, base: str, k: str | None) -> int | None:
    rule, _ = BASES[base]
    if k is None:
        if rule == "must":
            raise UsageError(f"{quote(name)} needs a cutoff (fix: write {base}@10)")
        return None
    if rule == "never":
        raise UsageError(f"{quote(name)} takes no cutoff (fix: write {base})")
    if not (k.isdecimal() and len(k) <= DIGITS and int(k) >= 1):
        raise UsageError(
            f"{quote(name)}: the cutoff must be a whole number from 1 to {DIGITS} digits (fix: @10)"
        )
    return int(k)


def _options(name: str, base: str, text: str) -> dict[str, str | float | bool]:
    _, possible = BASES[base]
    options: dict[str, str | float | bool] = {}
    for part in filter(None, text.split(",")):
        option, _, value = part.partition("=")
        value = value.strip("'\"")
        if option == "dcg" and "gain" in possible and value in _DCG:
            option, value = "gain", _DCG[value]
        if option not in possible:
            raise unknown(f"option of {base}", option, possible or ("none",))
        if option in options:
            raise UsageError(f"{quote(name)} says {option} twice (fix: say it once)")
        options[option] = _value(name, base, option, value)
    return options


def _value(name: str, base: str, option: str, value: str) -> str | float | bool:
    """Read the value of an option: True or False, one of its words, or a number above 0."""
    if option in _SWITCHES:
        if value not in _ON_OFF:
            raise unknown(f"{option} of {base}", value, ("True", "False"))
        return _ON_OFF[value]
    choices = _CHOICES.get(option)
    if choices is not None:
        if value not in choices:
            raise unknown(f"{option} of {base}", value, choices)
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 < number < LARGEST:
        raise UsageError(
            f"{quote(name)}: {option} must be a number above 0, found {quote(value)} "
            f"(fix: {option}=2{', or P for precision alone' if option == 'beta' else ''})"
        )
    return number
