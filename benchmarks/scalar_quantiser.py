"""The copy of the vectors in memory beside faiss's scalar quantiser, in one process: what each finds, takes and keeps.

    python -m benchmarks.scalar_quantiser [--chunks 200000] [--questions 40] [--threads 1] [--seed 7]

Each question is asked of all ways in turn, so that whatever else the machine does meets them alike. Wanted are the 20
nearest of what is permitted: as the way itself puts them (alone), and the nearest, compared exactly, of as many
candidates as the product takes. The time is the processor's, for finding these candidates from the documents that are
permitted: it says most where other work runs beside.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.scratch import set_up

K = 20
CANDIDATES = round(1.1 * K) + 20  # as core.library.retrieval.dense takes them
SHARES = (0.01, 0.1, 0.5, 1.0)  # of the documents that are permitted, drawn by chance
FAISS = ("QT_8bit", "QT_8bit_uniform", "QT_8bit_direct_signed", "QT_4bit", "QT_fp16")
_LEVELS = 127  # to which the largest number of all is brought where faiss stores numbers as they are
_MEGABYTE = 1 << 20

# The ids of the nearest: of a question, the bits of the permitted documents, and how many are wanted.
Find = Callable[[np.ndarray, bytes, int], list[UUID]]


@dataclass(slots=True)
class Results:
    """One way's measurements at one share."""

    times: list[float] = field(default_factory=list)  # milliseconds
    alone: list[float] = field(default_factory=list)  # recall, 0..1
    among: list[float] = field(default_factory=list)  # recall, 0..1


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("chunks", 200_000), ("questions", 40), ("threads", 1), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    set_up()
    import faiss

    from core.quality.benchmarks.drawing import CHUNKS_PER_DOCUMENT, draw

    faiss.omp_set_num_threads(options.threads)
    chance = np.random.default_rng(options.seed)
    drawn = draw(options.chunks // CHUNKS_PER_DOCUMENT, options.questions, chance)
    owner = np.repeat(np.arange(len(drawn.topics), dtype=np.int32), CHUNKS_PER_DOCUMENT)
    ways = dict(_ways(drawn.chunks, owner))
    for share in SHARES:
        chosen = chance.random(len(drawn.topics)) < share
        for name, results in _measured(ways, drawn.chunks, drawn.questions, chosen, owner).items():
            print(
                f"{share:5.0%} {name:22} recall@{K} alone {np.mean(results.alone):.3f}, of {CANDIDATES} candidates "
                f"{np.mean(results.among):.3f} (least {min(results.among):.2f}); "
                f"{np.median(results.times):5.2f} ms, {min(results.times):5.2f} at least"
            )


def _measured(
    ways: dict[str, Find], chunks: np.ndarray, questions: np.ndarray, chosen: np.ndarray, owner: np.ndarray
) -> dict[str, Results]:
    bits = np.packbits(chosen, bitorder="little").tobytes()
    permitted = np.flatnonzero(chosen[owner])
    measured = {name: Results() for name in ways}
    for question in questions:
        truth = set(permitted[np.argsort(-(chunks[permitted] @ question))[:K]].tolist())
        for name, find in ways.items():
            results = measured[name]
            started = time.process_time()
            ids = find(question, bits, CANDIDATES)
            results.times.append((time.process_time() - started) * 1000)
            found = np.array([pk.int for pk in ids])
            best = found[np.argsort(-(chunks[found] @ question))[:K]]
            results.among.append(len(truth.intersection(best.tolist())) / K)
            results.alone.append(len(truth.intersection(pk.int for pk in find(question, bits, K))) / K)
    return measured


def _ways(chunks: np.ndarray, owner: np.ndarray) -> Iterator[tuple[str, Find]]:
    import faiss

    from core.library.retrieval.quantised import QuantisedVectors

    ids = [UUID(int=number) for number in range(len(chunks))]
    started = time.perf_counter()
    copy = QuantisedVectors.of(chunks, ids, owner.tolist())
    _tell("ours", copy.codes.nbytes + copy.scales.nbytes, started)
    yield "ours", lambda question, documents, limit: copy.nearest(question, copy.rows_of(documents), limit)
    for name in FAISS:
        started = time.perf_counter()
        factor = _LEVELS / np.abs(chunks).max() if name == "QT_8bit_direct_signed" else np.float32(1)
        kind = getattr(faiss.ScalarQuantizer, name)
        index = faiss.IndexScalarQuantizer(chunks.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
        index.train(chunks * factor)
        index.add(chunks * factor)
        _tell(name, index.ntotal * index.code_size, started)
        yield name, _find_by_faiss(index, owner, copy.ids, factor)


def _tell(name: str, size: int, started: float) -> None:
    print(f"{name}: {size / _MEGABYTE:.0f} MB, made in {time.perf_counter() - started:.1f} s")


def _find_by_faiss(index: Any, owner: np.ndarray, ids: np.ndarray, factor: np.float32) -> Find:
    import faiss

    def find(question: np.ndarray, documents: bytes, limit: int) -> list[UUID]:
        chosen = np.unpackbits(np.frombuffer(documents, dtype=np.uint8), bitorder="little").astype(bool)
        selector = faiss.IDSelectorBitmap(np.packbits(chosen[owner], bitorder="little"))
        parameters = faiss.SearchParameters(sel=selector)
        _, [rows] = index.search(question[np.newaxis] * factor, limit, params=parameters)
        return [UUID(bytes=ids[row].tobytes()) for row in rows if row >= 0]

    return find


if __name__ == "__main__":
    main()
