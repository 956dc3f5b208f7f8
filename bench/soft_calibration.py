"""Which variant of soft precision and recall is nearest to a known truth, and with which floor?

Lists are made whose truth is known: gold words; a prediction that holds some of them with up to
three random edits, further spellings of some, and wrong words. The true precision is the share of
predicted concepts that gold has, the true recall the share of gold concepts that were predicted.
Floors are chosen on one vocabulary (the phrases of the bundled example) and tried on others.

    python -m bench.soft_calibration      prints the table, and writes it to bench/results
"""

from __future__ import annotations

import re
import string
from pathlib import Path

import numpy as np

import consilience as cs
from consilience.match.characters import levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.measures.assignment import instance_scores
from consilience.measures.soft import VARIANTS, soft_scores
from consilience.measures.soft_baselines import crisp_at

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "bench" / "results" / "soft-calibration.md"
CASES = 400
FLOORS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
COUNTRIES = [
    "afghanistan", "albania", "algeria", "angola", "argentina", "australia", "austria",
    "bahrain", "bangladesh", "barbados", "belgium", "benin", "bhutan", "bolivia", "botswana",
    "brazil", "bulgaria", "burundi", "cambodia", "cameroon", "canada", "chad", "chile",
    "china", "colombia", "croatia", "cuba", "cyprus", "denmark", "dominica", "ecuador",
    "egypt", "estonia", "ethiopia", "fiji", "finland", "france", "gabon", "gambia", "georgia",
    "germany", "ghana", "greece", "grenada", "guatemala", "guinea", "guyana", "haiti",
    "honduras", "hungary", "iceland", "india", "indonesia", "iran", "iraq", "ireland",
    "israel", "italy", "jamaica", "japan", "jordan", "kazakhstan", "kenya", "kuwait", "laos",
    "latvia", "lebanon", "lesotho", "liberia", "libya", "lithuania", "luxembourg",
    "madagascar", "malawi", "malaysia", "maldives", "mali", "malta", "mauritius", "mexico",
    "moldova", "monaco", "mongolia", "morocco", "mozambique", "namibia", "nauru", "nepal",
    "netherlands", "nicaragua", "niger", "nigeria", "norway", "oman", "pakistan", "palau",
    "panama", "paraguay", "peru", "philippines", "poland", "portugal", "qatar", "romania",
    "russia", "rwanda", "samoa", "senegal", "serbia", "singapore", "slovakia", "slovenia",
    "somalia", "spain", "sudan", "suriname", "sweden", "switzerland", "syria", "tajikistan",
    "tanzania", "thailand", "togo", "tonga", "tunisia", "turkey", "tuvalu", "uganda",
    "ukraine", "uruguay", "uzbekistan", "vanuatu", "venezuela", "vietnam", "yemen", "zambia",
    "zimbabwe",
]  # fmt: skip


def phrases() -> list[str]:
    text = Path(cs.example("keyphrases-gold.csv")).read_text("utf-8").splitlines()[1:]
    return sorted({line.split(",", 1)[1].strip('"') for line in text})


def words() -> list[str]:
    text = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    found = re.findall(r"(?<![\w`/.-])[a-z]{4,12}(?![\w`/.-])", text)
    return sorted(set(found))


def edited(word: str, edits: int, rng: np.random.Generator) -> str:
    letters = list(word)
    for _ in range(edits):
        what, letter = rng.integers(3), str(rng.choice(list(string.ascii_lowercase)))
        place = int(rng.integers(len(letters)))
        if what == 0:
            letters.insert(place, letter)
        elif what == 1 and len(letters) > 1:
            del letters[place]
        else:
            letters[place] = letter
    return "".join(letters)


def case(
    vocabulary: list[str], rng: np.random.Generator
) -> tuple[list[str], list[str], float, float]:
    """Make a gold list, a prediction, and the true precision and recall."""
    size, wanted = int(rng.integers(3, 13)), int(rng.integers(3, 13))
    pool = [str(word) for word in rng.choice(vocabulary, size + wanted, replace=False)]
    gold, wrong = pool[:size], pool[size:]
    right = min(size, round(float(rng.random()) * wanted))
    concepts = [str(word) for word in rng.permutation(gold)[:right]] + wrong[: wanted - right]
    edits = rng.choice(4, len(concepts), p=[0.25, 0.3, 0.3, 0.15])
    predicted = [
        edited(word, int(count) if place < right else 0, rng)
        for place, (word, count) in enumerate(zip(concepts, edits, strict=True))
    ]
    if rng.random() < 0.5:
        for place in rng.integers(len(concepts), size=rng.integers(1, 3)):
            predicted.append(edited(concepts[place], int(rng.integers(1, 3)), rng))
    true = len({*concepts} & {*gold})
    return gold, predicted, true / len({*concepts}), true / size


def errors(vocabulary: list[str], seed: int) -> dict[tuple[str, float], tuple[float, float]]:
    """Give the root mean square error and the mean error of precision and recall together."""
    rng = np.random.default_rng(seed)
    made = [case(vocabulary, rng) for _ in range(CASES)]
    given = entries([one[0] for one in made], [one[1] for one in made])
    truth = np.array([one[2:] for one in made])
    how = comparer(levenshtein)
    found = {}
    for floor in FLOORS:
        scored = {name: soft_scores(how, given, variant=name, floor=floor) for name in VARIANTS}
        for name, one in {**scored, "instances": instance_scores(how, given, floor=floor)}.items():
            off = np.stack([one.precision, one.recall], axis=1) - truth
            found[name, floor] = float(np.sqrt(np.mean(off**2))), float(off.mean())
    star = crisp_at(given, soft_scores(how, given, variant="paper").sums, 0.8)
    off = np.stack([star.precision, star.recall], axis=1) - truth
    found["crisp* 0.8", 0.0] = float(np.sqrt(np.mean(off**2))), float(off.mean())
    return found


def main() -> None:
    sets = {
        "phrases (floors chosen here)": (phrases(), 1),
        "countries": (COUNTRIES, 2),
        "words of the documentation": (words(), 3),
    }
    lines = [
        "# Soft precision and recall against a known truth",
        "",
        "Root mean square error of precision and recall together (mean error in brackets), "
        f"{CASES} made pairs of lists a vocabulary; Levenshtein similarity. Made by "
        "`python -m bench.soft_calibration`.",
    ]
    for name, (vocabulary, seed) in sets.items():
        found = errors(vocabulary, seed)
        names = list(dict.fromkeys(key[0] for key in found))
        lines += ["", f"## {name} ({len(vocabulary):,})", ""]
        lines += [f"| floor | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
        for floor in FLOORS:
            cells = [
                f"{found[one, floor][0]:.3f} ({found[one, floor][1]:+.2f})"
                if (one, floor) in found
                else ""
                for one in names
            ]
            lines.append(f"| {floor:g} | {' | '.join(cells)} |")
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
