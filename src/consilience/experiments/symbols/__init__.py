"""Drawn symbols retrieved by five shape descriptors (Lamiroy & Sun 2011, §2.3.1)."""
