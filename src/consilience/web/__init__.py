"""The web app: pages on a benchmark database, in the browser, without a network.

A door like the command line: no statistics, no SQL and no HTML strings here. A page is a function
that gives plain data; :mod:`consilience.web.frame` shows them as HTML and, under the same address
with ``.json``, as they are. What takes long is computed by another process
(:mod:`consilience.web.jobs`).
"""
