"""When items are not the same objects: how alike they are, and what that makes of two lists.

Systems and judges may mean the same thing and still not return the same item: *colour* and
*color*, a segment that begins a little late, a box a little too wide, a track recorded by another
device. Then a matching comes first. This room holds

- similarities, each a plain function of two items that gives a number in [0, 1]
  (:mod:`consilience.match.names` lists them all);
- how they are computed for many items at once, block by block
  (:mod:`consilience.match.kernel`);
- the alignment of sequences.

What is computed from similarities (soft precision and recall) lives in the room of measures.
"""

from __future__ import annotations

from consilience.match import similarity

__all__ = ["similarity"]
