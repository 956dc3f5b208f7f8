"""Is it settled? Rankings with their uncertainty, curves, conditions, and the words for them."""
