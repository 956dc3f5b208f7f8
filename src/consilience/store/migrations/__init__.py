"""Changes of the tables, one file a revision, in ``versions``; each is frozen once it is out."""
