"""Trees and DAGs, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

import consilience as cs


@st.composite
def dags(draw: st.DrawFn, most: int = 9, several: bool = True) -> cs.Tree:
    """Draw a forest, or a DAG, in an order in which parents may come last."""
    count = draw(st.integers(1, most))
    above = {}
    for code in range(count):
        picked = st.lists(st.integers(0, max(code - 1, 0)), max_size=3 if several else 1)
        above[f"c{code}"] = [f"c{p}" for p in dict.fromkeys(draw(picked)) if p < code]
    order = draw(st.permutations(sorted(above)))
    return cs.tree({name: above[name] or None for name in order}, dag=several)


def ancestors(tree: cs.Tree, code: int) -> set[int]:
    """Give the ancestors of a category, itself among them, by recursion."""
    return {code}.union(*(ancestors(tree, parent) for parent in tree.parents[code]))
