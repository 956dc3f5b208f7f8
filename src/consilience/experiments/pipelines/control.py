"""A control: the worse engine's pipelines made to make the same errors.

The papers explain their inversion by engines that "are consistent in their errors". Here they are
less so, and the inversion does not come out; whether that is the reason is tried by changing it and
nothing else. Every pipeline on the worse engine keeps what it read rightly. Its errors are replaced
on each page

- by those of *one* pipeline, the best of them: about as many as before, but all of them shared;
- by those of *any*: each error that one of the twelve made, they all make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TypeAlias

#: Pipeline → page → tokens.
Lists: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
#: What the worse engine's pipelines return.
AS_READ, ONE, ANY = "as read", "those of one", "those of any"


@dataclass(frozen=True, slots=True)
class Control:
    """12 + 12 pipelines under a control: what is shared, and how each method orders engines.

    ``shared`` is the share of the worse engine's errors that most of its pipelines make, ``yields``
    what a pipeline on the better and on the worse engine returns a page, ``f`` their mean F by
    truth. ``reversed`` tells how many of the ``pairs`` of pipelines a method puts in the other
    order.
    """

    kind: str
    errors: str
    shared: float
    yields: tuple[float, float]
    f: tuple[float, float]
    pairs: int
    reversed: Mapping[str, int]


def alike(
    read: Lists, truth: Mapping[str, Sequence[str]], bad: Sequence[str], errors: str
) -> dict[str, dict[str, list[str]]]:
    """Replace the errors of some pipelines by common ones.

    Parameters
    ----------
    read, truth
        What pipelines read, and what pages say.
    bad
        The pipelines whose errors are replaced; *one* is the first.
    errors
        One of `AS_READ`, `ONE` and `ANY`.

    Examples
    --------
    >>> read = {"a": {"p": ["x", "u"]}, "b": {"p": ["x", "y", "v"]}}
    >>> for errors in (ONE, ANY):
    ...     print(
    ...         {
    ...             name: alike(read, {"p": ["x", "y"]}, ["a", "b"], errors)[name]["p"]
    ...             for name in read
    ...         }
    ...     )
    {'a': ['x', 'u'], 'b': ['x', 'y', 'u']}
    {'a': ['x', 'u', 'v'], 'b': ['x', 'y', 'u', 'v']}
    """
    made = {name: {page: list(tokens) for page, tokens in of.items()} for name, of in read.items()}
    choose = CHOICES[errors]
    for page, said in truth.items():
        wrong = [Counter(read[name][page]) - Counter(said) for name in bad]
        for name, own in zip(bad, wrong, strict=True):
            right = Counter(read[name][page]) & Counter(said)
            made[name][page] = [*right.elements(), *choose(own, wrong).elements()]
    return made


def _own(own: Counter[str], _: Sequence[Counter[str]]) -> Counter[str]:
    return own


def _first(_: Counter[str], wrong: Sequence[Counter[str]]) -> Counter[str]:
    return wrong[0]


def _any(_: Counter[str], wrong: Sequence[Counter[str]]) -> Counter[str]:
    return reduce(or_, wrong)


CHOICES: dict[str, Callable[[Counter[str], Sequence[Counter[str]]], Counter[str]]] = {
    AS_READ: _own,
    ONE: _first,
    ANY: _any,
}
