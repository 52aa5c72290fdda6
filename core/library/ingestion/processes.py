"""Ingestion by several processes of one machine, for a command that brings in a large library.

Each process has a model of its own and a part of the processors, and asks for the next sources when it has none. One
that is killed is replaced, and what it had is read again: what it wrote already is found unchanged.
"""

import multiprocessing
import os
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from django.db import connection as database

from core.errors import IngestionError
from core.library.ingestion.pipeline import SourceOutcome
from core.library.ingestion.process_work import Order, serve
from core.library.ingestion.sources import Source
from core.library.ingestion.target import IngestTarget

_AT_ONCE = 8  # sources that a process is given: few enough that the last ones are shared too
_MOST_DEATHS = 2  # of processes that had a source: it may be what ends them
_END_S = 5.0


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    ours: Connection
    held: dict[str, Source] = field(default_factory=dict)  # by key: those whose end it has not reported


def ingest_in_processes(
    sources: Iterable[Source], target: IngestTarget, number: int, report: Callable[[SourceOutcome], None]
) -> None:
    """Ingest sources as `pipeline.ingest` does, by so many processes, in no order.

    IngestionError when the processes cannot work at all.
    """
    order = Order(database=str(database.settings_dict["NAME"]), threads=max(1, (os.cpu_count() or 1) // number))
    waiting = deque(sources)
    deaths: Counter[str] = Counter()
    workers = [_start_worker(order, target) for _ in range(min(number, len(waiting)))]
    try:
        while workers:
            ready = wait([worker.ours for worker in workers])
            for worker in [worker for worker in workers if worker.ours in ready]:
                if _hear_worker(worker, waiting, report):
                    continue
                workers.remove(worker)
                _take_back(worker, waiting, deaths, report)
                if waiting:
                    workers.append(_start_worker(order, target))
    finally:
        for worker in workers:
            worker.process.kill()


def _start_worker(order: Order, target: IngestTarget) -> _Worker:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, order), daemon=True)
    process.start()
    theirs.close()  # else its end would not show
    ours.send(target)
    return _Worker(process=process, ours=ours)


def _hear_worker(worker: _Worker, waiting: deque[Source], report: Callable[[SourceOutcome], None]) -> bool:
    """Take what a process says: how a source ended, or that it wants more. False when it has ended."""
    try:
        said = worker.ours.recv()
        if isinstance(said, SourceOutcome):
            worker.held.pop(said.source.key)
            report(said)
            return True
        if isinstance(said, IngestionError):
            raise said
        given = [waiting.popleft() for _ in range(min(_AT_ONCE, len(waiting)))]
        worker.held |= {source.key: source for source in given}
        worker.ours.send(given)
    except (EOFError, OSError):
        return False
    return True


def _take_back(
    worker: _Worker, waiting: deque[Source], deaths: Counter[str], report: Callable[[SourceOutcome], None]
) -> None:
    """Requeue the sources of a process that has ended; give up those that several processes ended with."""
    worker.process.join(_END_S)
    for source in worker.held.values():
        deaths[source.key] += 1
        if deaths[source.key] < _MOST_DEATHS:
            waiting.append(source)
        else:
            error = IngestionError(f"{source.name} was not ingested: the process that read it was ended twice.")
            report(SourceOutcome(source=source, errors=[error]))
