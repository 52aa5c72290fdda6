"""Record events as lines of JSON."""

import json
import threading
import time
from typing import IO, Any

Entry = dict[str, Any]


class Timeline:
    """Entries in their order: seconds since the beginning, a kind, and what."""

    def __init__(self, file: IO[str] | None) -> None:
        self._file = file
        self._began = time.time()
        self._lock = threading.Lock()
        self.entries: list[Entry] = []

    def note(self, kind: str, *, at: float | None = None, **what: Any) -> None:
        """Something happened; at: Unix time, if not now."""
        entry = {"t": round((at or time.time()) - self._began, 2), "kind": kind, **what}
        with self._lock:
            self.entries.append(entry)
            if self._file:
                self._file.write(json.dumps(entry) + "\n")
                self._file.flush()

    def of_kind(self, kind: str) -> list[Entry]:
        """The entries of one kind so far."""
        with self._lock:
            return [entry for entry in self.entries if entry["kind"] == kind]
