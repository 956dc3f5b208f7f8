"""How much a few labels tell: estimates from labels drawn by design, beside the hidden truth.

The truth of every item is known here and hidden; labels are drawn, looked up, and what they say of
the systems is compared with what all labels would say. ``python -m bench.labels --help``.
"""
