"""Looking at the processes and the database every few seconds."""

import threading
import time
from collections import defaultdict
from typing import Self

import psutil
import psycopg

from benchmarks.installation.processes import Process
from benchmarks.soak.embedded import Server
from benchmarks.soak.judging import Sample
from benchmarks.soak.timeline import Timeline
from bot.__main__ import EXIT_DEAF

_EVERY_S = 3.0
_MAY_END = ("bot", EXIT_DEAF)  # it ends where it does not hear Slack any more, so that it is started anew
_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND usename = 'footnote'"
# Of the passages, by searches: nothing else is read there.
_SCANS = "SELECT sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_user_tables WHERE relname = 'core_chunk'"


class Watch:
    """Samples within the block. What has ended by itself is noted and started again, as a process manager does it."""

    def __init__(self, processes: dict[str, Process], database: Server, timeline: Timeline) -> None:
        self._processes, self._database, self._timeline = processes, database, timeline
        self.memory: defaultdict[str, list[Sample]] = defaultdict(list)
        self.connections: defaultdict[str, list[int]] = defaultdict(list)  # by server
        self.scans_on_standby = 0  # of each standby that there was until it was seen last
        self._scans = 0
        self.ended: list[str] = []  # what has ended by itself
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(_EVERY_S):
            memory = {name: mb for name, process in self._processes.items() if (mb := self._weigh(process))}
            self._timeline.note("sample", memory=memory, connections=self._count_connections())
            self._count_scans()
            for name, process in self._processes.items():
                self._look_after(name, process)

    def _weigh(self, process: Process) -> float:
        try:
            mb = round(process.rss_mb(), 1)
        except psutil.Error:
            return 0.0  # it ended just now
        if mb:
            self.memory[process.name].append(Sample(time.time(), process.starts, mb))
        return mb

    def _count_connections(self) -> dict[str, int]:
        """To each server that is up."""
        database = self._database
        urls = {"primary": database.superuser_url} if database.is_up else {}
        urls |= {"standby": database.standby_superuser_url} if database.standby_is_up else {}
        counts = {name: count for name, url in urls.items() if (count := _ask(url, _CONNECTIONS)) is not None}
        for name, count in counts.items():
            self.connections[name].append(count)
        return counts

    def _count_scans(self) -> None:
        if self._database.standby_is_up:
            scans = _ask(self._database.standby_superuser_url, _SCANS) or 0
            self.scans_on_standby += scans - self._scans if scans >= self._scans else scans  # else it began anew
            self._scans = scans

    def _look_after(self, name: str, process: Process) -> None:
        code = process.end_code()
        if code is not None:
            if (name, code) != _MAY_END:
                self.ended.append(f"{name} ended by itself with {code} after {time.time() - process.started_at:.0f} s")
            self._timeline.note("ended", process=name, code=code)
            process.start()


def _ask(url: str, query: str) -> int | None:
    """A number; None when the server was killed just now."""
    try:
        with psycopg.connect(url, connect_timeout=3) as connection:
            row = connection.execute(query).fetchone()
    except psycopg.Error:
        return None
    return int(row[0] or 0) if row else 0
