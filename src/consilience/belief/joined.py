"""Beliefs of parts of a study, joined: what was believed, and how, without the items.

What measures make of the items of a part is computed there. What stays to be known of the belief
is how it came about, and on what it rests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from consilience.belief.limits import Limits, agreed_limits
from consilience.belief.model import Belief, Shares, Voices


def without_items(belief: Belief) -> Belief:
    """Let go of the items; whether all of them were 0 or 1 is still known.

    Examples
    --------
    >>> from consilience.belief.agreement import consensus
    >>> from consilience.study import study
    >>> light = without_items(consensus(study({"a": {"q": ["x"]}, "b": {"q": ["x"]}})))
    >>> len(light.item), light.crisp, light.method
    (0, False, 'consensus')
    """
    nothing = np.zeros(0)
    return replace(
        belief, item=np.zeros(0, np.int64), p=nothing, gain=nothing, certain=belief.crisp
    )


def joined_belief(parts: Sequence[Belief]) -> Belief:
    """Join what is believed of parts of a study, each with some of its queries, in their order.

    All were made by one method, which weighs voters alike everywhere.
    """
    first = parts[0]
    unseen = [one.unseen for one in parts]
    belief = replace(
        without_items(first),
        queries=np.concatenate([one.queries for one in parts]),
        unseen=None
        if first.unseen is None
        else np.concatenate([u for u in unseen if u is not None]),
        certain=all(one.crisp for one in parts),
        details=_joined_details(parts),
    )
    shares = [one.tally for one in parts if isinstance(one.tally, Shares)]
    if shares:
        tally = Shares(
            sum(one.matter for one in shares),
            sum(one.known for one in shares),
            sum(one.heard for one in shares),
        )
        return replace(belief, truth=tally.truth, heard=tally.voiced, tally=tally)
    voices = [one.tally for one in parts if isinstance(one.tally, Voices)]
    if voices:
        who = Voices(
            max(one.most for one in voices),
            frozenset().union(*(one.asked for one in voices)),
            frozenset().union(*(one.named for one in voices)),
            frozenset().union(*(one.spoke for one in voices)),
        )
        return replace(belief, method=who.method, effective_respondents=who.effective, tally=who)
    return belief


def _joined_details(parts: Sequence[Belief]) -> Mapping[str, Any]:
    """Give what the method found on its way, once; what a majority can do is added up."""
    limits = [one.details["limits"] for one in parts if "limits" in one.details]
    agreed = [one.agreed for one in limits if isinstance(one, Limits) and one.agreed is not None]
    if not agreed:
        return parts[0].details
    return {**parts[0].details, "limits": agreed_limits(np.sum(agreed, axis=0))}
