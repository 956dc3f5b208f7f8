"""How right rankings without truth are: every method beside people's judgments.

No label is shown to a method: studies are read without their truth, and the truth is read apart, to
compare with. ``python -m bench.accuracy --help``.
"""
