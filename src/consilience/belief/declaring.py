"""Families as users declare them: by a file, learned ones, none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from consilience.belief.families import with_families
from consilience.errors import unknown

if TYPE_CHECKING:
    from consilience.study import Study


def declared(study: Study, families: str | None) -> Study:
    """Declare families by file, forget them ("auto"), or say that there are none ("none").

    Examples
    --------
    >>> from consilience.study import study
    >>> declared(study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}), "none").respondents.family
    ('a', 'b')
    """
    from consilience.formats.families import read_families
    from consilience.formats.pipes import shown as called

    if families is None:
        return study
    if families == "none":
        return with_families(study, {name: name for name in study.systems})
    if families == "auto":
        people = study.respondents
        return replace(study, respondents=replace(people, family=(None,) * len(people)))
    found = read_families(families)
    known = {name: family for name, family in found.items() if name in study.systems}
    if not known:
        raise unknown("system", next(iter(found)), study.systems)
    strangers = len(found) - len(known)
    if strangers:
        names = [name for name in found if name not in known]
        shown = ", ".join(names[:3]) + (", …" if strangers > 3 else "")
        said = f"{strangers} of {len(found)} names are not among the systems: {shown}"
        note = f"{called(families)}: {said}"
        study = replace(study, notes=(*study.notes, note))
    return with_families(study, known)
