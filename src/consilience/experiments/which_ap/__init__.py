"""Every average precision, on one list, on boxes and on systems."""
