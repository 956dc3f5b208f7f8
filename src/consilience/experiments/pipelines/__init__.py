"""24 pipelines on two OCR engines, with and without truth (Lamiroy & Sun 2013, §4.3)."""
