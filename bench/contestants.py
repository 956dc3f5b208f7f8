"""The programs that are compared, each as its documentation tells users to call it.

Run as ``python -m bench.contestants NAME FILE …``; the values are printed as JSON. A contestant
imports only what it needs itself: start-up counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from bench.aligners import ALIGNERS
from bench.counters import COUNTERS
from bench.detectors import DETECTORS
from bench.em import STEPPERS
from bench.large_contestants import LARGE
from bench.resamplers import RESAMPLERS
from bench.softeners import SOFTENERS
from bench.vectors import VECTORS
from bench.voters import VOTERS
from bench.web_contestants import WEB


def trec_consilience(run: str, qrels: str) -> dict[str, float]:
    import consilience

    study = consilience.read(run, truth=qrels)
    measures = {"AP": "AP", "nDCG@10": "nDCG@10", "P@10": "P@10", "recall": "R"}
    scores = consilience.score(study, measures=[*measures.values()], convention="trec_eval")
    (system,) = scores.systems
    return {name: scores[system][measure].value for name, measure in measures.items()}


def trec_pytrec_eval(run: str, qrels: str) -> dict[str, float]:
    import pytrec_eval

    with open(qrels) as file:
        truth = pytrec_eval.parse_qrel(file)
    with open(run) as file:
        answers = pytrec_eval.parse_run(file)
    measures = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "recall": "recall_1000"}
    evaluator = pytrec_eval.RelevanceEvaluator(truth, {"map", "ndcg_cut", "P", "recall"})
    values = evaluator.evaluate(answers).values()
    return {
        name: sum(value[measure] for value in values) / len(values)
        for name, measure in measures.items()
    }


def trec_ranx(run: str, qrels: str) -> dict[str, float]:
    from ranx import Qrels, Run, evaluate

    truth, answers = Qrels.from_file(qrels, kind="trec"), Run.from_file(run, kind="trec")
    measures = {"AP": "map", "nDCG@10": "ndcg@10", "P@10": "precision@10", "recall": "recall"}
    values = evaluate(truth, answers, list(measures.values()))
    return {name: float(values[measure]) for name, measure in measures.items()}


def ap_consilience(relevant: str, scores: str) -> dict[str, float]:
    import numpy as np

    import consilience

    return {"AP": consilience.average_precision(np.load(relevant), np.load(scores))}


def ap_sklearn(relevant: str, scores: str) -> dict[str, float]:
    import numpy as np
    from sklearn.metrics import average_precision_score

    return {"AP": float(average_precision_score(np.load(relevant), np.load(scores)))}


def import_numpy() -> dict[str, float]:
    import numpy as np

    return {"names": len(dir(np))}


def import_consilience() -> dict[str, float]:
    import consilience

    return {"names": len(dir(consilience))}


def cli_help() -> dict[str, float]:
    from consilience.cli import main

    sys.argv = ["consilience", "--help"]
    sys.stdout = sys.stderr  # standard output is for the values
    try:
        main()
    except SystemExit as end:
        code = end.code
    sys.stdout = sys.__stdout__
    return {"exit": float(code or 0)}


CONTESTANTS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(trec_consilience, trec_pytrec_eval, trec_ranx, ap_consilience, ap_sklearn),
        *(import_numpy, import_consilience, cli_help),
        *(*VOTERS.values(), *COUNTERS.values(), *ALIGNERS.values()),
        *(*VECTORS.values(), *DETECTORS.values(), *SOFTENERS.values(), *RESAMPLERS.values()),
        *LARGE.values(),
        *(*STEPPERS.values(), *WEB.values()),
    )
}

if __name__ == "__main__":
    print(json.dumps(CONTESTANTS[sys.argv[1]](*sys.argv[2:])))
