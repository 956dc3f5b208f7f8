"""The pages, one module each; every module has a ``router``.

``PUBLIC`` pages are for everybody who reaches the app (the way in, the app's own files),
``ORGANISER`` pages for the organiser, ``PERSON`` pages for whoever came by a link of their own.
"""

from __future__ import annotations

from consilience.web.pages import (
    api,
    archive,
    compare,
    entry,
    home,
    items,
    jobs,
    label,
    overview,
    people,
    reports,
    soft,
    work,
)

PUBLIC = (entry.router,)
ORGANISER = (
    home.router,
    jobs.router,
    overview.router,
    compare.router,
    items.router,
    soft.router,
    people.router,
    label.router,
    reports.router,
    archive.router,
    api.router,
)
PERSON = (work.router,)
