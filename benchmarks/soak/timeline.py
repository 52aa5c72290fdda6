"""What happened when: as lines of JSON, and as a picture."""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import IO, Any

Entry = dict[str, Any]

_WIDTH, _LEFT, _PANEL, _GAP = 1100, 70, 120, 44
_COLOURS = ("#1f6f8b", "#c1440e", "#5b8c2a", "#7a4b9d")
_SLOT_S = 10.0


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


def draw(entries: Sequence[Entry], path: Path) -> None:
    """Draw answers a minute, their latency, memory and connections as SVG, with the faults as bands behind them."""
    end = max((entry["t"] for entry in entries), default=1.0) or 1.0
    bands = _find_bands(entries, end)
    panels = [
        ("answers a minute", {"answers": _rates(entries)}),
        ("seconds to an answer", {"latency": [(e["t"], e["latency_s"]) for e in entries if e["kind"] == "answer"]}),
        ("memory, MB", _series(entries, "memory")),
        ("connections", _series(entries, "connections")),
    ]
    drawn = [_panel(place, title, lines, end, bands) for place, (title, lines) in enumerate(panels)]
    height = len(panels) * (_PANEL + _GAP) + _GAP
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" '
        f'font-size="11"><rect width="100%" height="100%" fill="white"/>{"".join(drawn)}</svg>\n'
    )


def _find_bands(entries: Sequence[Entry], end: float) -> list[tuple[float, float, str]]:
    bands, open_since = [], {}
    for entry in entries:
        if entry["kind"] == "fault":
            open_since[entry["fault"]] = entry["t"]
        elif entry["kind"] == "fault_over" and entry["fault"] in open_since:
            bands.append((open_since.pop(entry["fault"]), entry["t"], entry["fault"]))
    return bands + [(since, end, fault) for fault, since in open_since.items()]


def _rates(entries: Sequence[Entry]) -> list[tuple[float, float]]:
    counts: defaultdict[int, int] = defaultdict(int)
    for entry in entries:
        counts[int(entry["t"] // _SLOT_S)] += entry["kind"] == "answer"
    return [((slot + 0.5) * _SLOT_S, counts[slot] * 60 / _SLOT_S) for slot in range(max(counts, default=0) + 1)]


def _series(entries: Sequence[Entry], name: str) -> dict[str, list[tuple[float, float]]]:
    lines: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for entry in entries:
        if entry["kind"] == "sample":
            for of, value in entry[name].items():
                lines[of].append((entry["t"], float(value)))
    return dict(lines)


def _panel(
    place: int,
    title: str,
    lines: dict[str, list[tuple[float, float]]],
    end: float,
    bands: Sequence[tuple[float, float, str]],
) -> str:
    top = _GAP + place * (_PANEL + _GAP)
    most = max((value for line in lines.values() for _, value in line), default=1.0) or 1.0
    wide = _WIDTH - _LEFT - 20

    def x(at: float) -> float:
        return _LEFT + wide * at / end

    parts = [
        f'<rect x="{x(since):.1f}" y="{top}" width="{max(x(until) - x(since), 1):.1f}" height="{_PANEL}" '
        f'fill="#f3c969" opacity=".45"><title>{escape(fault)}</title></rect>'
        for since, until, fault in bands
    ]
    if not place:
        parts += [
            f'<text x="{x(since):.1f}" y="{top - 3}" font-size="8" transform="rotate(-20 {x(since):.1f} {top - 3})">'
            f"{escape(fault)}</text>"
            for since, _, fault in bands
        ]
    parts.append(f'<rect x="{_LEFT}" y="{top}" width="{wide}" height="{_PANEL}" fill="none" stroke="#999"/>')
    for number, (name, line) in enumerate(sorted(lines.items())):
        points = " ".join(f"{x(at):.1f},{top + _PANEL * (1 - value / most):.1f}" for at, value in line)
        colour = _COLOURS[number % len(_COLOURS)]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.2"/>')
        parts.append(f'<text x="{_LEFT + 90 * number}" y="{top + _PANEL + 24}" fill="{colour}">{escape(name)}</text>')
    parts.append(f'<text x="{_LEFT}" y="{top + _PANEL + 12}">{escape(title)}, 0 to {end:.0f} s</text>')
    parts.append(f'<text x="{_LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.0f}</text>')
    parts.append(f'<text x="{_LEFT - 6}" y="{top + _PANEL}" text-anchor="end">0</text>')
    return "".join(parts)
