"""Write scikit-learn's classification report as pandas stores it."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import classification_report

TRUE = ["cat", "cat", "dog", "dog", "owl", "owl", "owl", "cat"]
TOLD = ["cat", "dog", "dog", "dog", "owl", "owl", "cat", "cat"]

report = classification_report(TRUE, TOLD, output_dict=True)
pd.DataFrame(report).T.to_csv(Path(__file__).parents[1] / "learners" / "report.csv")
