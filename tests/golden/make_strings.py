"""Similarities of strings by other programs, which cannot live beside ours.

    python make_strings.py strings_py_stringmatching.json

py_stringmatching (PyPI) needs numpy < 2; Biopython aligns sequences with any scores. Both are run
as they come; what each value was asked for is in the names of the columns.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

PAIRS = [
    ("MARTHA", "MARHTA"),
    ("DIXON", "DICKSONX"),
    ("DWAYNE", "DUANE"),
    ("colour", "color"),
    ("grey", "gray"),
    ("cafe", "coffee"),
    ("catdog", "cat"),
    ("abcd", "wxyz"),
    ("ab", "ba"),
    ("ca", "abc"),
    ("a", "aaaa"),
    ("kitten", "sitting"),
    ("Comput. Sci. Dept.", "Department of Computer Science"),
    ("grey colour space", "gray color space"),
    ("neural networks", "deep neural network"),
    ("the the cat", "the cat cat"),
    ("to be or not to be", "to do or not to do"),
    ("soft precision and recall", "precision recall curves"),
    ("information retrieval", "retrieval of information"),
    ("fuzzy string matching", "approximate string matching"),
    ("support vector machine", "support vector machines"),
    ("Zürich naïve café", "Zurich naive cafe"),
    ("GATTACA", "GCATGCU"),
    ("AAAGAATTCA", "AAATCA"),
    ("x", "x"),
    ("nothing in common", "zzz"),
]
CORPUS = [text for pair in PAIRS for text in pair]
#: match, mismatch, first and other characters of a gap.
SCORES = {
    "needleman": [("global", 1.0, 0.0, 1.0, 1.0), ("global", 2.0, -1.0, 0.75, 0.75)],
    "smith": [("local", 1.0, -1.0, 1.0, 1.0), ("local", 2.0, -1.0, 0.5, 0.5)],
    "gotoh": [("local", 1.0, -1.0, 1.0, 0.5), ("local", 2.0, -1.5, 2.0, 0.25)],
}


def by_py_stringmatching() -> dict[str, list[float | None]]:
    psm: Any = importlib.import_module("py_stringmatching")
    levenshtein, winkler = psm.Levenshtein().get_sim_score, psm.JaroWinkler().get_raw_score

    def hamming(a: str, b: str) -> float | None:
        return psm.HammingDistance().get_sim_score(a, b) if len(a) == len(b) else None

    whole = {
        "levenshtein": levenshtein,
        "hamming": hamming,
        "jaro": psm.Jaro().get_raw_score,
        "jaro_winkler": winkler,
        "needleman_wunsch raw": psm.NeedlemanWunsch().get_raw_score,
        "smith_waterman raw": psm.SmithWaterman().get_raw_score,
    }
    found = {name: [score(a, b) for a, b in PAIRS] for name, score in whole.items()}
    cuts = {
        "words": str.split,
        "3-grams": psm.QgramTokenizer(qval=3, padding=False).tokenize,
        "2-grams padded": psm.QgramTokenizer(qval=2).tokenize,
    }
    sets = {
        "jaccard": psm.Jaccard(),
        "dice": psm.Dice(),
        "cosine": psm.Cosine(),
        "overlap": psm.OverlapCoefficient(),
    }
    for cut, cutter in cuts.items():
        for name, measure in sets.items():
            found[f"{name} {cut}"] = [measure.get_raw_score(cutter(a), cutter(b)) for a, b in PAIRS]
    words = [(a.split(), b.split()) for a, b in PAIRS]
    corpus = [text.split() for text in CORPUS]
    bags = {
        "monge_elkan jaro_winkler": psm.MongeElkan(sim_func=winkler),
        "monge_elkan levenshtein": psm.MongeElkan(sim_func=levenshtein),
        "soft_tfidf levenshtein 0.55": psm.SoftTfIdf(corpus, sim_func=levenshtein, threshold=0.55),
        "generalized_jaccard levenshtein 0.5": psm.GeneralizedJaccard(
            sim_func=levenshtein, threshold=0.5
        ),
        "tfidf": psm.TfIdf(corpus, dampen=False),
    }
    for name, measure in bags.items():
        found[name] = [measure.get_raw_score(one, other) for one, other in words]
    return found


def by_biopython() -> list[dict[str, Any]]:
    align: Any = importlib.import_module("Bio.Align")
    found = []
    for name, settings in SCORES.items():
        for mode, match, mismatch, gap, extend in settings:
            one = align.PairwiseAligner(
                mode=mode,
                match_score=match,
                mismatch_score=mismatch,
                open_gap_score=-gap,
                extend_gap_score=-extend,
            )
            found.append(
                {
                    "name": name,
                    "match": match,
                    "mismatch": mismatch,
                    "gap": gap,
                    "extend": extend,
                    "scores": [float(one.score(a, b)) for a, b in PAIRS],
                }
            )
    return found


def main() -> None:
    made = {
        "made by": "tests/golden/make_strings.py",
        "versions": {
            "py_stringmatching": version("py_stringmatching"),
            "biopython": version("biopython"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
        "pairs": PAIRS,
        "corpus": CORPUS,
        "py_stringmatching": by_py_stringmatching(),
        "biopython": by_biopython(),
    }
    text = json.dumps(made, ensure_ascii=False, indent=None).replace('], "', '],\n"')
    Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
