"""A library that no machine here can hold, on paper: machines, memory and cost, from what was measured on smaller ones.

    python -m benchmarks.capacity [--passages 100000000] [--questions-per-second 100] [--check FILE.jsonl...]

With --check the times that the planner reckons with are held against lines of `manage.py benchmark_index --json`: how
far the measured median is from the reckoned one, by way and size. The prices are assumptions, not offers: give your
own. Whatever is not a price stands in this file with the measurement that it comes from.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

DIMENSION, FLOAT_BYTES = 384, 4
WANTED = 400  # candidates of each search: RETRIEVAL_CANDIDATES

# docs/sizing.md, by pg_table_size and pg_indexes_size: the table, the index of words, and what documents add.
DATABASE_KB = 3.7 + 0.9 + 0.3  # for each passage, without HNSW
ANSWER_S = 0.1  # of a processor, key-free, by benchmarks.burst: what Footnote itself does, whatever the model
MODEL_S = 2.0  # that a chat model takes, in benchmarks.burst
CONCURRENCY = 32  # questions at once of a worker that waits for such a model: 6.5 a second, by benchmarks.burst
# docs/decisions/0065: 50,000 vectors, everything permitted, walked four times as far; memory for a million.
ENGINE_MS, ENGINE_AT, ENGINE_GRAPH_GB = 11.0, 50_000, 0.3
WORD_SHARE, WORD_US = 0.001, 5.0  # docs/decisions/0065: passages with a question's rarest word, and each one's scoring

BUSY = 0.5  # of a machine's processors, for questions come in bursts
CACHED = 0.25  # of what lies on disk, that memory holds beside the graph: an assumption
SHARD = 25_000_000  # passages: 38 GB of vectors and 8 GB of graph, on a machine of 64 GB
COPIES = 2  # of each machine, so that one may be away
GB = 1e9


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """In some currency a month."""

    core: float
    memory_gb: float
    disk_gb: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """One kind of machine: how many, and what each has."""

    name: str
    machines: int
    cores: float
    memory_gb: float
    disk_gb: float
    reason: str

    def cost(self, prices: Prices) -> float:
        """All of them, a month."""
        one = self.cores * prices.core + self.memory_gb * prices.memory_gb + self.disk_gb * prices.disk_gb
        return self.machines * one


def main() -> None:
    """Print what is needed, and how well the reckoning holds where it can be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000_000)
    parser.add_argument("--questions-per-second", type=float, default=100.0)
    parser.add_argument("--core-month", type=float, default=22.0, help="Price of a core.")
    parser.add_argument("--memory-month", type=float, default=3.5, help="Price of a gigabyte of memory.")
    parser.add_argument("--disk-month", type=float, default=0.1, help="Price of a gigabyte on a solid-state disk.")
    parser.add_argument("--check", type=Path, nargs="+", default=(), help="Lines of benchmark_index --json.")
    arguments = parser.parse_args()
    prices = Prices(core=arguments.core_month, memory_gb=arguments.memory_month, disk_gb=arguments.disk_month)
    needs = reckon(arguments.passages, arguments.questions_per_second)
    print(_table_of_needs(needs, prices))
    for row in check(json.loads(line) for file in arguments.check for line in file.read_text().splitlines()):
        print(row)


def reckon(passages: int, questions_per_s: float) -> list[Need]:
    """The machines for so many passages and questions."""
    return [_database(passages, questions_per_s), _engine(passages, questions_per_s), _answering(questions_per_s)]


def _database(passages: int, questions_per_s: float) -> Need:
    """PostgreSQL: one that is written to, and standby servers that are searched."""
    from core.library.retrieval.planner import Strategy, estimate_ms

    compared_ms = estimate_ms(permitted=passages, total=0, wanted=WANTED)[Strategy.QUANTISED]  # without its own scan
    words_ms = passages * WORD_SHARE * WORD_US / 1000
    cores = questions_per_s * (compared_ms + words_ms) / 1000 / BUSY
    disk = passages * DATABASE_KB * 1000 / GB
    machines = max(COPIES, math.ceil(cores / 32))
    return Need(
        name="PostgreSQL",
        machines=machines,
        cores=math.ceil(cores / machines),
        memory_gb=math.ceil(disk * CACHED),
        disk_gb=math.ceil(disk * 2),  # as much again free
        reason=f"{compared_ms:.0f} ms a question for access and comparing again, {words_ms:.0f} ms for words; "
        f"{questions_per_s * WANTED:,.0f} rows a second read at random",
    )


def _engine(passages: int, questions_per_s: float) -> Need:
    """The vector engine: each shard is walked for each question."""
    shards = math.ceil(passages / SHARD)
    each = passages / shards
    walk_ms = ENGINE_MS * math.log(max(each, 2)) / math.log(ENGINE_AT)
    vectors = each * DIMENSION * FLOAT_BYTES / GB
    return Need(
        name="vector engine",
        machines=shards * COPIES,
        cores=max(2, math.ceil(questions_per_s * walk_ms / 1000 / BUSY / COPIES)),
        memory_gb=math.ceil(each / 1e6 * ENGINE_GRAPH_GB + vectors * CACHED),
        disk_gb=math.ceil(vectors * 2),
        reason=f"{shards} shards of {each / 1e6:g} million, {walk_ms:.0f} ms of each for a question",
    )


def _answering(questions_per_s: float) -> Need:
    """Workers, which answer: a core each."""
    by_work, by_waiting = questions_per_s * ANSWER_S / BUSY, questions_per_s * MODEL_S / CONCURRENCY / BUSY
    return Need(
        name="worker or web process",
        machines=max(COPIES, math.ceil(max(by_work, by_waiting))),
        cores=1,
        memory_gb=1,
        disk_gb=5,
        reason=f"{ANSWER_S} s of a processor for an answer, {MODEL_S:g} s of waiting for its model",
    )


def check(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Compare measurements with the planner's estimates: a row of Markdown for each way and size."""
    from core.library.retrieval.planner import Strategy, estimate_ms

    ratios: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for line in lines:
        if line["strategy"] in (Strategy.EXACT, Strategy.QUANTISED, Strategy.INDEX) and not line["given_up"]:
            reckoned = estimate_ms(permitted=line["permitted"], total=line["corpus_size"], wanted=line["candidates"])
            ratios[line["strategy"], line["corpus_size"]].append(
                line["latency_p50_ms"] / reckoned[Strategy(line["strategy"])]
            )
    if ratios:
        yield "\n| Way | Chunks | Measured over reckoned: least | median | most |\n|---|---|---|---|---|"
    for (way, size), some in sorted(ratios.items()):
        yield f"| {way} | {size:,} | {min(some):.2f} | {median(some):.2f} | {max(some):.2f} |"


def _table_of_needs(needs: Iterable[Need], prices: Prices) -> str:
    rows = [
        f"| {need.name} | {need.machines} | {need.cores:g} | {need.memory_gb:,} | {need.disk_gb:,} "
        f"| {need.cost(prices):,.0f} | {need.reason} |"
        for need in needs
    ]
    names = ("Machine", "How many", "Cores", "Memory, GB", "Disk, GB", "Cost a month, all", "Because")
    head = "| " + " | ".join(names) + " |\n" + "|---" * len(names) + "|"
    total = sum(need.cost(prices) for need in needs)
    return "\n".join((head, *rows, f"| together | | | | | {total:,.0f} | |"))


if __name__ == "__main__":
    main()
