"""How results show themselves: as text where they are printed, with charts in notebooks."""

from __future__ import annotations

import re
from typing import Any

#: The most characters of a result's short form.
LONGEST = 200


class Shown:
    """What every result can do, given its payload: be printed, and be the value of a cell.

    Printed it is all there is to say; among other values (in a list, in a debugger) it is a line:
    its class, and the first sentence of its headline.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        # a dataclass writes a repr of all its fields, unless its class has one of its own
        cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        raise NotImplementedError

    def __repr__(self) -> str:
        from consilience.render.claims import headline
        from consilience.render.words import plain

        said = getattr(self, "headline", None) or getattr(self, "sentence", None)
        said = plain(said or headline(self.payload()))
        first = re.split(r"(?<=[.!?]) (?=[A-Z])", said, maxsplit=1)[0].rstrip(".")
        room = LONGEST - len(type(self).__name__) - len("<: >")
        return f"<{type(self).__name__}: {_shortened(first, room)}>"

    def __str__(self) -> str:
        from consilience.render import render

        return str(render(self.payload(), "text"))

    def _repr_html_(self) -> str:
        from consilience.render.notebook import html_fragment

        return html_fragment(self.payload())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from consilience.render.gallery import mimebundle

        return mimebundle(self.payload())


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"
