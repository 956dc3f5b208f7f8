"""Do the intervals hold what they say? Every kind of interval against a truth that is known."""
