"""Data larger than memory: files of votes sorted by query, and engines that work through them.

Every number comes out as it does in memory. Nothing here knows a new method: queries are worked
through part by part, and what the rooms compute of each part is joined. Where to look:

- *Doors*: ``ranked`` and ``distributed``, for rankings and distributions; ``convert``. They choose
  an engine (``sizes``), read what was asked (``asked``) and open files (``opening``).
- *Arrays, part by part*: ``source`` reads ranges of queries from a votes file (``votes_file``),
  ``parts`` hands them out, ``ranking`` and ``rank_part`` rank, ``spread`` does distributions,
  ``believing`` and ``streaming`` find what no part knows.
- *Expressions inside DuckDB or Spark*. Opening: ``duck`` or ``spark`` give ``sheets``, which become
  ``long_tables``; ``facts`` and ``people`` tell who is there, ``repeats`` settles second answers,
  ``assembling`` makes ``tables`` of it all. Computing: ``planning`` says which ``expressions``,
  ``gathering`` runs them and gives ``sums`` (``pairing`` those of every two systems, ``guesses``
  those of estimates). Ranking: ``by_sums`` tells when sums are enough, ``in_engine`` ranks by them,
  with what is ``collected`` of some queries, ``counting`` of truth, ``unjudged_sums`` of the rest.
"""
