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


class Watch:
    """Samples within the block. What has ended by itself is noted and started again, as a process manager does it."""

    def __init__(self, processes: dict[str, Process], database: Server, timeline: Timeline) -> None:
        self._processes, self._database, self._timeline = processes, database, timeline
        self.memory: defaultdict[str, list[Sample]] = defaultdict(list)
        self.connections: list[int] = []
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
            connections = self._count_connections()
            self._timeline.note(
                "sample", memory=memory, connections={"connections": connections} if connections else {}
            )
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

    def _count_connections(self) -> int:
        if not self._database.is_up:
            return 0
        try:
            with psycopg.connect(self._database.superuser_url, connect_timeout=3) as connection:
                row = connection.execute(_CONNECTIONS).fetchone()
        except psycopg.Error:
            return 0  # it was killed just now
        count = int(row[0]) if row else 0
        self.connections.append(count)
        return count

    def _look_after(self, name: str, process: Process) -> None:
        code = process.end_code()
        if code is not None:
            if (name, code) != _MAY_END:
                self.ended.append(f"{name} ended by itself with {code} after {time.time() - process.started_at:.0f} s")
            self._timeline.note("ended", process=name, code=code)
            process.start()
