"""Pictures that people put into a tree of categories (Santini, §4 and §5)."""
