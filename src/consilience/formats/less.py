"""Names of numbers of which less is better: errors, distances, times, costs.

Taken for a score, such a number puts the worst first.
"""

from __future__ import annotations

import re

#: What is better the less there is of it, as the word that says what is counted.
_WORDS = frozenset(
    (
        *("distances", "dist", "divergence", "deviation", "displacement", "hausdorff"),
        *("losses", "errors", "mistakes", "cost", "costs", "price", "regret"),
        *("wer", "cer", "mer", "wil", "ser", "ter", "hter", "der", "jer", "eer", "per", "ler"),
        *("mae", "mse", "rmse", "nrmse", "rmsd", "mape", "smape", "rmsle", "msle", "nll", "crps"),
        *("ppl", "bpc", "bpb", "brier", "ece", "entropy", "dcf", "mindcf"),
        *("fid", "lpips", "assd", "fpr", "fnr", "frr", "hallucination", "hallucinations"),
        *("toxicity", "edits", "insertions", "deletions", "substitutions", "misses"),
        *("time", "walltime", "duration", "delay", "elapsed"),
        *("seconds", "secs", "milliseconds", "minutes", "hours", "rtf", "energy"),
        *("rank", "ranks"),
    )
)
#: The same, alone or written as one word with what stands before it, such as logloss.
_ENDS = ("loss", "error", "distance", "latency", "runtime", "perplexity")
#: Words behind it that say in what unit it is, of which part, or how it was put together.
_BEHIND = frozenset(
    (
        *("rate", "rates", "ratio", "score", "scores", "value", "values", "percent", "pct", "mean"),
        *("avg", "average", "median", "total", "sum", "max", "min", "std", "s", "ms", "sec", "usd"),
        *("test", "dev", "val", "valid", "validation", "train", "eval", "clean", "other", "all"),
        *("micro", "macro", "overall", "raw", "norm", "normalized", "normalised", "h", "eur"),
    )
)
#: Words that turn it round.
_TURNED = frozenset(
    (
        *("neg", "negative", "negated", "minus", "inverse", "inverted", "reciprocal", "recip"),
        *("reduction", "improvement", "gain", "saved", "no", "non", "free", "without", "fewer"),
        *("less", "lower", "percentile", "inv", "negloss", "invloss", "robustness", "resistance"),
    )
)
#: What follows says where it was counted: precision at an error of .1 is a precision.
_WHERE = re.compile(r"[@=<>]|(?<!\w)(?:at|to|for|in|under|on|with)(?!\w)", re.IGNORECASE)
#: What is taken from the whole, or from one, and what stands below one.
_FROM = re.compile(r"\s*(?:[-−]|1(?:00)?\s*[-−/])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W\d_]+")


def is_less_better(column: str) -> bool:
    """Return whether the name of a column is that of something of which less is better.

    The last word counts that is no unit and no part: an error rate is, an error's F1 is not.

    Examples
    --------
    >>> [is_less_better(name) for name in ("WER (%)", "val_loss", "word error rate", "timeMs")]
    [True, True, True, True]
    >>> [is_less_better(name) for name in ("neg_loss", "1-WER", "error_f1", "real-time F1", "ERR")]
    [False, False, False, False, False]
    >>> [is_less_better(name) for name in ("TPR@FPR=1%", "100-WER", "Recall at 1% FPR")]
    [False, False, False]
    """
    if _FROM.match(column):
        return False
    before = _WHERE.split(column)[0]
    words = [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", before))]
    if _TURNED & {*words}:
        return False
    if "per" in words[1:]:
        words = words[: words.index("per", 1)]
    while len(words) > 1 and words[-1] in _BEHIND:
        words.pop()
    return bool(words) and (words[-1] in _WORDS or words[-1].endswith(_ENDS))
