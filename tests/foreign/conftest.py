"""The files here are read, not run: neither the scripts that made them nor the Python sample."""

collect_ignore_glob = ["make/*", "source/*"]
