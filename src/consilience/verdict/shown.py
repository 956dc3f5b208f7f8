"""How results show themselves: as text where they are printed, with charts in notebooks."""

from __future__ import annotations

from typing import Any


class Shown:
    """What every result can do, given its payload: be printed, and be the value of a cell."""

    __slots__ = ()

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        raise NotImplementedError

    def __str__(self) -> str:
        from consilience.render import render

        return str(render(self.payload(), "text"))

    def _repr_html_(self) -> str:
        from consilience.render.notebook import html_fragment

        return html_fragment(self.payload())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from consilience.render.gallery import mimebundle

        return mimebundle(self.payload())
