"""Speed and memory, measured beside the other programs; ``python -m bench --help``."""
