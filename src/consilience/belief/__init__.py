"""Who is right? A belief is a probability of relevance for every item.

It is 0 or 1 where the truth is known, a share where judges disagree, NaN where nobody has judged,
an estimate where there is no truth at all. Measures read systems' answers against a belief; with a
0/1 belief each is its textbook self.
"""

from __future__ import annotations

from consilience.belief.judges import gold
from consilience.belief.model import Belief

__all__ = ["Belief", "gold"]
