"""143 runs of TREC-COVID with judgments, without, and with a few."""
