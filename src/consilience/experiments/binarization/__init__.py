"""Three binarizations of degraded pages, read by OCR (Lamiroy & Sun 2011, §2.3.2)."""
