"""Tables as pandas writes them, text and binary (needs pandas, pyarrow, openpyxl)."""

from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent.parent


def main() -> None:
    """Write all of them."""
    folder = HERE / "pandas"
    folder.mkdir(exist_ok=True)
    frame = pd.DataFrame(
        {
            "query": ["q1", "q1", "q1", "q2"],
            "item": ["d1", "d2", "d2", "d3"],
            "system": ["A", "A", "B", "B"],
            "score": [2.5, 1.25, 7.0, 0.5],
        }
    )
    frame.to_json(folder / "default.json")
    frame.to_json(folder / "split.json", orient="split")
    frame.to_json(folder / "table.json", orient="table")
    frame.to_json(folder / "values.json", orient="values")
    frame.to_json(folder / "index.json", orient="index")
    frame.to_json(folder / "records.json", orient="records")
    frame.to_json(folder / "lines.jsonl", orient="records", lines=True)
    frame.to_csv(folder / "with-index.csv")
    frame.to_html(folder / "table.html")
    (folder / "page.html").write_text(
        "<!DOCTYPE html>\n<html><head><title>Runs</title></head><body>\n"
        f"{frame.to_html(index=False)}\n</body></html>\n"
    )
    (folder / "printed.txt").write_text(f"{frame}\n")
    frame.to_excel(folder / "table.xlsx", index=False)
    frame.to_feather(folder / "table.feather")
    frame.to_pickle(folder / "table.pkl")
    frame.to_parquet(folder / "table.parquet", index=False)
    wide = pd.DataFrame({"S1": [1, 0, 1], "S2": [0, 0, 1]}, index=["d1", "d2", "d3"])
    wide.to_csv(folder / "wide-with-index.csv")
    wide.to_json(folder / "wide-default.json")


if __name__ == "__main__":
    main()
