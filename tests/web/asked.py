"""Questions to the app as a program puts them: files of the docs, answers when they are there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx

#: How often somebody asks again, at most: longer than anything takes, however busy the machine is.
FOR_EVER = 6000
FILES = Path(__file__).parents[2] / "docs" / "files"
EXAMPLES = Path(__file__).parents[2] / "src" / "consilience" / "examples"

RUNS = {f"{name}.run": (FILES / "runs" / f"{name}.run").read_bytes() for name in ("bm25", "dense")}
QRELS = {"qrels.txt": (FILES / "qrels.txt").read_bytes()}
LABELS = {"labels.csv": (FILES / "labels.csv").read_bytes()}
JUDGES = {"judges.csv": (FILES / "judges.csv").read_bytes()}
PICTURES = {
    name: (EXAMPLES / name).read_bytes() for name in ("pictures-tree.csv", "pictures-results.csv")
}
ASSIGNED = {"pictures-assignments.csv": (EXAMPLES / "pictures-assignments.csv").read_bytes()}


def settled(client: httpx.Client, address: str, *, status: int = 200) -> dict[str, Any]:
    """Ask for a page's data until nothing is being read or computed any more."""
    for _ in range(FOR_EVER):
        answer = client.get(address)
        data: dict[str, Any] = answer.json()
        if answer.status_code != 503 and not (data.get("computed") or {}).get("job"):
            assert answer.status_code == status, answer.text[:500]
            return data
        time.sleep(0.02)
    raise AssertionError(f"{address} is computing for ever")


def ended(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """Wait until a job that the app told of has ended; give it as it is then."""
    while job["state"] in ("waiting", "running"):
        time.sleep(0.02)
        job = client.get(f"/jobs/{job['id']}.json").raise_for_status().json()["job"]
    return job


def html(client: httpx.Client, address: str, *, status: int = 200) -> str:
    """Ask for a page as a browser does."""
    answer = client.get(address, headers={"accept": "text/html"})
    assert answer.status_code == status, answer.text[:500]
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text
