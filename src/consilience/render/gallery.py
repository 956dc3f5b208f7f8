"""The charts of a result as Vega-Lite: for notebooks, and for pages of one's own.

A notebook that knows Vega-Lite draws a chart that is the value of a cell; every other program gets
a plain dict that can be written as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.errors import UsageError
from consilience.render.claims import headline
from consilience.render.documents import REPORTS, document, pictures
from consilience.render.layout import wrap
from consilience.render.notebook import html_fragment
from consilience.render.theme import Spec
from consilience.render.words import Payload, caveat, plain, sentence

#: The forms in which notebooks take Vega-Lite: the kind of content, and its language.
KINDS = {
    f"application/vnd.vegalite.v{version}+json": (
        f"https://vega.github.io/schema/vega-lite/v{version}.json"
    )
    for version in (6, 5)
}
#: The most letters of a line above a chart.
LINE = 90


class Chart(dict[str, Any]):
    """A Vega-Lite specification that notebooks draw."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Spec:
        return _forms(self)


def charts(result: Any, *, dark: bool = False) -> dict[str, Chart]:
    """Give all charts of a result as Vega-Lite specifications, by name.

    Parameters
    ----------
    result : result or mapping
        What a verb gave, such as ``cs.rank(…)``, or a stored result.
    dark : bool
        Whether the charts are for a dark page.

    Returns
    -------
    dict
        Name → specification, complete with its data; empty for a result without charts.

    Examples
    --------
    >>> import consilience as cs
    >>> drawn = cs.charts(cs.curve(cs.example_study("airplanes")))
    >>> list(drawn), drawn["curve"]["$schema"]
    (['curve'], 'https://vega.github.io/schema/vega-lite/v6.json')
    """
    payload = _payload(result)
    made = {name: draw(dark) for name, draw in _planned(payload).items()}
    return {name: Chart(spec) for name, spec in made.items() if spec is not None}


def _payload(result: Any) -> Payload:
    """Take a result, or what one gave as plain data; nothing else."""
    if isinstance(result, Mapping) and "verb" in result:
        return result
    if not hasattr(result, "payload"):
        raise UsageError(
            f"charts takes a result, found {type(result).__name__} (fix: give what a verb gave, "
            "such as cs.rank(study), or what its JSON holds)"
        )
    found: Payload = result.payload()
    return found


def charts_of(payload: Payload) -> dict[str, Spec]:
    """Give all charts of a stored result as plain dicts, for a light page."""
    return {name: dict(chart) for name, chart in charts(payload).items()}


def _planned(payload: Payload) -> dict[str, Any]:
    """Name the charts of a result, each with what draws it; none is drawn yet."""
    verb = payload["verb"]
    if verb in REPORTS:
        return {
            picture.name: lambda dark, draw=picture.draw: draw(dark=dark)
            for picture in pictures(document(payload))
        }
    if verb == "curve":
        from consilience.render.charts import curve

        return {"curve": lambda dark: curve(payload, dark=dark)}
    if verb == "rank":
        from consilience.render.html import PLANNED

        return {
            name: lambda dark, chart=chart: chart(payload, dark=dark) for name, chart, *_ in PLANNED
        }
    return {}


def mimebundle(payload: Payload) -> Spec:
    """Give what a notebook may choose from: text, HTML, and the first chart as Vega-Lite.

    The chart carries the headline and the caveat, because some notebooks show the chart alone. The
    text is the whole one, as it is printed: consoles and converters that take no HTML show it.
    """
    from consilience.render import render

    text = str(render(payload, "text")).rstrip("\n")
    bundle: Spec = {"text/plain": text, "text/html": html_fragment(payload)}
    for draw in _planned(payload).values():
        spec = draw(False)
        if spec is not None:
            title: Spec = {"text": wrap(plain(headline(payload)), LINE).splitlines()}
            title |= {"anchor": "start", "frame": "bounds"}
            if caveat(payload):
                title["subtitle"] = sentence(caveat(payload))
            return bundle | _forms({"title": title, **spec})
    return bundle


def _forms(spec: Spec) -> Spec:
    return {kind: {**spec, "$schema": language} for kind, language in KINDS.items()}
