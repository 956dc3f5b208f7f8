"""Systems' answers read against a belief: every measure a small function with a name."""
