"""The revisions of the tables, numbered; :mod:`consilience.store.migrate` runs them."""
