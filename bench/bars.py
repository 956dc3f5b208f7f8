"""What a section gives: rows of costs, and bars that must hold."""

from __future__ import annotations

from dataclasses import dataclass

from bench.measure import Cost


@dataclass(frozen=True)
class Sizes:
    """How large the inputs are, and how often everything is run."""

    queries: int
    results: int
    items: int
    linear: tuple[int, ...]  # queries, of ``results`` rows each
    shares: tuple[float, ...]  # of relevant items
    times: int
    votes: int  # of systems on items, in a Parquet file
    labels: int  # of workers
    scale: dict[str, tuple[int, ...]]  # method → numbers of votes
    trials: tuple[int, int, int]  # items of a list, of a long one; how many short lists
    exact: tuple[int, ...]  # items whose masses are computed exactly
    uncertain: tuple[int, ...]  # queries of distributions
    agreement: tuple[int, ...]  # labels
    subjects: tuple[int, ...]  # queries of displacement
    resampling: tuple[int, int, int]  # systems, queries, draws of them
    systems: int  # whose votes are many; a query has a thousand of each
    large: int  # votes in one file
    flat: tuple[int, ...]  # votes that are ranked part by part
    billion: tuple[int, int]  # votes, and votes where there is a truth beside them
    files: tuple[int, int]  # TREC files, queries in each
    web: tuple[int, int, int]  # items of a page's project, answers stored, saves of twenty people


FULL = Sizes(
    queries=10_000,
    results=1_000,
    items=10_000_000,
    linear=(1_000, 3_000, 10_000),
    shares=(0.01, 0.1, 0.5),
    times=3,
    votes=10_000_000,
    labels=1_000_000,
    scale={
        "consensus": (100_000, 1_000_000, 10_000_000, 100_000_000),
        "ls_eb": (100_000, 1_000_000, 10_000_000),
        "dawid_skene": (100_000, 1_000_000, 10_000_000),
    },
    trials=(10_000, 1_000_000, 100_000),
    exact=(2_000, 4_000),
    uncertain=(10, 30, 100, 300),
    agreement=(100_000, 1_000_000),
    subjects=(100, 1_000),
    resampling=(200, 1_000, 10_000),
    systems=100,
    large=100_000_000,
    flat=(1_000_000, 10_000_000, 100_000_000, 1_000_000_000),
    billion=(1_000_000_000, 100_000_000),
    files=(100, 100),
    web=(100_000, 1_000_000, 1_000),
)
QUICK = Sizes(
    queries=20,
    results=50,
    items=2_000,
    linear=(20,),
    shares=(0.1,),
    times=1,
    votes=20_000,
    labels=2_000,
    scale={"consensus": (10_000, 20_000), "ls_eb": (10_000,), "dawid_skene": (10_000,)},
    trials=(500, 3_000, 1_000),
    exact=(200,),
    uncertain=(1,),
    agreement=(2_000, 4_000),
    subjects=(2, 4),
    resampling=(6, 30, 500),
    systems=10,
    large=30_000,
    flat=(20_000, 30_000),
    billion=(30_000, 20_000),
    files=(10, 2),
    web=(700, 2_000, 40),
)


@dataclass(frozen=True)
class Row:
    """A contestant's cost on one input."""

    what: str
    contestant: str
    cost: Cost


@dataclass(frozen=True)
class Bar:
    """Something that must hold: a number, and what it must not fall below or rise above."""

    name: str
    found: float
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool:
        """Whether it holds."""
        low = self.least is None or self.found >= self.least
        return low and (self.most is None or self.found <= self.most)

    def __str__(self) -> str:
        least = [] if self.least is None else [f"at least {self.least:g}"]
        most = [] if self.most is None else [f"at most {self.most:g}"]
        wanted = " and ".join(least + most)
        return f"{self.name}: {self.found:.3g} ({wanted}) {'met' if self.met else 'MISSED'}"


Result = tuple[list[Row], list[Bar]]


def times_less(what: str, costs: dict[str, Cost], ours: str, peers: dict[str, float]) -> list[Bar]:
    """Make a bar of how many times less CPU than each peer is to be used."""
    return [
        Bar(
            f"{what}: times less CPU than {peer.partition('_')[2]}",
            costs[peer].cpu / costs[ours].cpu,
            least=least,
        )
        for peer, least in peers.items()
    ]
