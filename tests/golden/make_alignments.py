"""Make alignments_biopython.json: least costs of pairs of sequences by Biopython's PairwiseAligner.

    python tests/golden/make_alignments.py   # needs biopython (1.88 when the file was made)

A cost is substitutions + gap cost × gaps. Biopython makes scores large: with a match of 1, a
mismatch of 0 and a gap of 1/2 - cost, the score of lengths n and m is (n + m) / 2 - cost.
"""

from __future__ import annotations

import json
import random
from importlib import import_module
from pathlib import Path

TARGET = Path(__file__).with_name("alignments_biopython.json")


def main() -> None:
    bio = import_module("Bio")
    aligner_of = import_module("Bio.Align").PairwiseAligner
    rng = random.Random(20260415)
    cases = []
    for letters, longest in (("ab", 12), ("abcd", 40), ("abcdefghijklmnopqrstuvwxyz", 60)):
        for gap in (0.4, 0.75, 1.0, 2.0):
            for _ in range(5):
                a, b = (
                    "".join(rng.choice(letters) for _ in range(rng.randint(1, longest)))
                    for _ in range(2)
                )
                aligner = aligner_of(mode="global")
                aligner.match_score, aligner.mismatch_score = 1.0, 0.0
                aligner.open_gap_score = aligner.extend_gap_score = 0.5 - gap
                cost = (len(a) + len(b)) / 2 - aligner.score(a, b)
                cases.append({"a": a, "b": b, "gap": gap, "cost": round(cost, 9)})
    made = {"biopython": bio.__version__, "cases": cases}
    TARGET.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
