"""Many sequences, aligned: pairs first, a tree of who is near whom, then group by group.

The way of Clustal W, for tokens: all pairs of sequences are compared; a guide tree is built by
average linkage (UPGMA); from its leaves up, groups of aligned sequences are laid side by side at
the least sum of pairs (:mod:`consilience.match.pairwise`). Once a gap, always a gap: what was
aligned stays aligned. Afterwards each sequence is taken out and laid beside the rest again, which
is kept where it costs less.

References
----------
J. Thompson, D. Higgins and T. Gibson (1994), "CLUSTAL W", Nucleic Acids Research 22(22);
R. Sokal and C. Michener (1958) for UPGMA; G. Barton and M. Sternberg (1987), J. Mol. Biol. 198,
for the passes afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, quote
from consilience.match.pairwise import TINY, Costs, edits, laid_out
from consilience.match.profiles import (
    Alike,
    Layers,
    cost_of_row,
    costs_of,
    layers_of,
    likeness,
    sum_of_pairs,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.match.kernel import Similarity

#: What stands in a column where a source has no token.
GAP = -1
#: With more sources than this the tree is built from the tokens they share, not from all pairs.
MANY = 400


@dataclass(frozen=True, slots=True)
class Alignment:
    """Sequences of one document, side by side.

    ``columns`` has a row for each source and a column for each aligned place, with the code of a
    token in ``tokens`` or -1 for a gap. ``edits`` holds the edit distances of all pairs (None
    where there were too many to compare). ``cost`` is the sum of the costs of all pairs.

    Examples
    --------
    >>> found = align_tokens({"a": "the cat sat".split(), "b": "cat sat down".split()})
    >>> print(found)
    a  the  cat  sat  ·
    b  ·    cat  sat  down
    >>> found.row("b"), found.consensus()
    ((None, 'cat', 'sat', 'down'), ('the', 'cat', 'sat', 'down'))
    """

    names: tuple[str, ...]
    tokens: tuple[str, ...]
    columns: NDArray[np.int32]
    edits: NDArray[np.int64] | None
    cost: float
    gap: float
    alike: Alike | None

    @property
    def lengths(self) -> dict[str, int]:
        """How many tokens each source has."""
        return dict(zip(self.names, (self.columns >= 0).sum(axis=1).tolist(), strict=True))

    def row(self, source: str) -> tuple[str | None, ...]:
        """Give a source's tokens column by column, None for a gap."""
        if source not in self.names:
            from consilience.errors import unknown

            raise unknown("source", str(source), self.names)
        codes = self.columns[self.names.index(source)].tolist()
        return tuple(None if code < 0 else self.tokens[code] for code in codes)

    def plurality(self) -> NDArray[np.int32]:
        """Give the most frequent code of each column, -1 where more sources have a gap.

        Of codes that are equally frequent the one that appeared first counts, and any before a
        gap.
        """
        layers = layers_of(self.columns)
        gaps = (self.columns < 0).sum(axis=0)
        return np.where(layers.counts[0] >= gaps, layers.codes[0], GAP).astype(np.int32)

    def consensus(self) -> tuple[str, ...]:
        """Give the sequence of the most frequent tokens, without columns that are mostly gaps."""
        return tuple(self.tokens[code] for code in self.plurality().tolist() if code >= 0)

    def items(self, *, first: Sequence[str] = ()) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Give the item that each token stands for, and how alike the token is to it.

        With exact tokens each stands for itself. With a similarity the tokens of a column that are
        alike stand for one of them: that of the sources ``first``, or the most frequent one.
        """
        stands = self.columns.copy()
        alike = np.ones(stands.shape)
        if self.alike is None:
            return stands, alike
        for column in np.flatnonzero(_differ(self.columns)).tolist():
            codes = self.columns[:, column]
            for code, item, similarity in _grouped(codes, self.names, first, self.alike):
                here = codes == code
                stands[here, column], alike[here, column] = item, similarity
        return stands, alike

    def __str__(self) -> str:
        cells = [
            ["·" if token is None else token for token in self.row(name)] for name in self.names
        ]
        table = [[name, *row] for name, row in zip(self.names, cells, strict=True)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in table
        )
        return "\n".join(line.rstrip() for line in lines)


def _differ(columns: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which columns hold different tokens."""
    most = columns.max(axis=0, initial=GAP)
    differ: NDArray[np.bool_] = ((columns != most) & (columns >= 0)).any(axis=0)
    return differ


def _grouped(
    codes: NDArray[np.int32], names: Sequence[str], first: Sequence[str], alike: Alike
) -> list[tuple[int, int, float]]:
    """Say for which item each token of a column stands."""
    leading = {int(code) for code, name in zip(codes, names, strict=True) if name in first}
    found, counts = np.unique(codes[codes >= 0], return_counts=True)
    by = sorted(
        zip(found.tolist(), counts.tolist(), strict=True),
        key=lambda one: (one[0] not in leading, -one[1], one[0]),
    )
    items: list[int] = []
    stands: list[tuple[int, int, float]] = []
    for code, _ in by:
        likes = alike(np.full(len(items), code, np.int32), np.array(items, np.int32))
        best = int(np.argmax(likes)) if len(items) and code not in leading else -1
        if best >= 0 and likes[best] > 0:
            stands.append((code, items[best], float(likes[best])))
        else:
            items.append(code)
            stands.append((code, code, 1.0))
    return stands


def align_tokens(
    sequences: Mapping[str, Sequence[str]],
    *,
    similarity: Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    refine: int = 2,
) -> Alignment:
    """Align the token sequences of one document.

    Parameters
    ----------
    sequences
        Source → tokens.
    similarity
        How alike two tokens are; by default only equal ones are.
    floor
        Tokens that are less alike than this are as good as unrelated; by default the similarity's
        usual floor.
    gap
        What a token beside a gap costs; tokens side by side cost 1 - similarity.
    refine
        How many times each sequence is laid beside the rest again.
    """
    check_settings(gap, refine)
    names = tuple(sequences)
    tokens, codes = _numbered(sequences)
    alike = None if similarity is None else likeness(similarity, tokens, floor)
    distances = _edits(codes)
    if len(codes) > 1:
        order, columns = _climbed(codes, _guide(codes, distances), gap, alike)
        columns = columns[np.argsort(order)]
        for _ in range(refine):
            columns, better = _refined(columns, gap, alike)
            if not better:
                break
    else:
        columns = codes[0][None, :] if codes else np.zeros((0, 0), np.int32)
    cost = sum_of_pairs(columns, gap, alike)
    columns.flags.writeable = False
    return Alignment(names, tokens, columns, distances, cost, gap, alike)


def check_settings(gap: object, refine: object) -> None:
    """See that the settings of an alignment make sense."""
    if not (isinstance(gap, (int, float)) and 0 < gap < np.inf):
        raise UsageError(f"a gap costs a number above 0, found {quote(gap)} (fix: gap=1)")
    if isinstance(refine, bool) or not isinstance(refine, int) or refine < 0:
        raise UsageError(f"refine is a number of passes, found {quote(refine)} (fix: refine=1)")


def _numbered(
    sequences: Mapping[str, Sequence[str]],
) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Number the tokens in the order of their first appearance."""
    number: dict[str, int] = {}
    codes = [
        np.array([number.setdefault(token, len(number)) for token in one], np.int32)
        for one in sequences.values()
    ]
    return tuple(number), codes


def _edits(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.int64] | None:
    """Compare all pairs of sequences."""
    if len(codes) > MANY:
        return None
    found = np.zeros((len(codes), len(codes)), np.int64)
    for i, one in enumerate(codes):
        for j in range(i):
            found[i, j] = found[j, i] = edits(one, codes[j])
    return found


def _guide(
    codes: Sequence[NDArray[np.int32]], distances: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Build the guide tree: which two groups are joined at each step (UPGMA)."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if distances is None:
        apart = _bags_apart(codes)
    else:
        length = np.array([len(one) for one in codes])
        apart = distances / np.maximum(np.maximum.outer(length, length), 1)
    merges: NDArray[np.float64] = linkage(squareform(apart, checks=False), "average")
    return merges[:, :2].astype(np.int64)


def _bags_apart(codes: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
    """Give the distances of sequences by the tokens that they share: 1 - cosine of counts."""
    from scipy.sparse import csr_array

    starts = np.concatenate([[0], np.cumsum([len(one) for one in codes])])
    flat = np.concatenate(codes)
    width = int(flat.max(initial=0)) + 1
    counts = csr_array((np.ones(len(flat)), flat, starts), shape=(len(codes), width))
    counts.sum_duplicates()
    size = np.sqrt(counts.multiply(counts).sum(axis=1))
    apart: NDArray[np.float64] = 1 - (counts @ counts.T).toarray() / np.maximum(
        np.multiply.outer(size, size), 1
    )
    np.fill_diagonal(apart, 0)
    return np.clip((apart + apart.T) / 2, 0, 1)


def _climbed(
    codes: Sequence[NDArray[np.int32]],
    merges: NDArray[np.int64],
    gap: float,
    alike: Alike | None,
) -> tuple[list[int], NDArray[np.int32]]:
    """Go up the guide tree and join groups; give the sources in the order of the rows."""
    groups = {k: ([k], one[None, :]) for k, one in enumerate(codes)}
    for step, pair in enumerate(merges.tolist()):
        one, other = sorted((groups.pop(node) for node in pair), key=lambda group: min(group[0]))
        joined = _joined(one[1], other[1], gap, alike)
        groups[len(codes) + step] = ([*one[0], *other[0]], joined)
    (last,) = groups.values()
    return last


def _joined(
    a: NDArray[np.int32], b: NDArray[np.int32], gap: float, alike: Alike | None
) -> NDArray[np.int32]:
    """Lay two groups of aligned sequences side by side."""
    one, other = layers_of(a), layers_of(b)
    costs: Costs = costs_of(one, other, gap, alike)
    left, right = laid_out(_typical(one), _typical(other), costs)
    joined = np.full((len(a) + len(b), len(left)), GAP, np.int32)
    joined[: len(a), left >= 0] = a[:, left[left >= 0]]
    joined[len(a) :, right >= 0] = b[:, right[right >= 0]]
    return joined


def _typical(layers: Layers) -> NDArray[np.int32]:
    """Give the most frequent code of each column, where at least half of a group have a token."""
    filled = 2 * layers.counts.sum(axis=0) >= layers.rows
    return np.where(filled, layers.codes[0], GAP).astype(np.int32)


def _refined(
    columns: NDArray[np.int32], gap: float, alike: Alike | None
) -> tuple[NDArray[np.int32], bool]:
    """Take each sequence out, lay it beside the rest again, and keep what costs less."""
    better = False
    for row in range(len(columns) if len(columns) > 2 else 0):
        one = columns[row][columns[row] >= 0][None, :]
        rest = np.delete(columns, row, axis=0)
        rest = rest[:, (rest >= 0).any(axis=0)]
        tried = _joined(rest, one, gap, alike)
        tried = np.insert(tried[:-1], row, tried[-1], axis=0)
        before, now = (cost_of_row(some, row, gap, alike) for some in (columns, tried))
        if now < before - TINY:
            columns, better = tried, True
    return columns, better
