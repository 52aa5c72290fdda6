"""The picture of a soak, as SVG: when what failed, and how the installation fared.

    python -m benchmarks.soak.drawing soak.jsonl

draws soak.svg anew from what `python -m benchmarks.soak --timeline soak.jsonl` wrote.
"""

import argparse
import itertools
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from benchmarks.burst.figures import percentile
from benchmarks.soak.timeline import Entry

_WIDTH, _LEFT, _RIGHT = 1200, 190, 20
_TOP, _GAP, _PANEL = 58, 50, 130
_LANE = 14
_MOST_SLOTS = 60  # of percentiles and rates, over the whole time
_LEAST_SLOT_S = 20.0
_PAUSE_S = 10.0  # a line does not go on across a longer one: the process was not there
_STEPS_MIN = (0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120)
_MANY_DECADES = 500.0  # from here on the values' axis has a line for each decade only
_INK, _PALE = "#333333", "#e3e3e3"
_COLOURS = {
    "worker": "#1f6f8b",
    "web": "#c1440e",
    "bot": "#5b8c2a",
    "primary": "#1f6f8b",
    "standby": "#c1440e",
    "questions": "#b0b0b0",
    "answers": "#1f6f8b",
    "half of them within": "#c1440e",
    "95 % within": "#333333",
}
# Of a lane, by the first word of the fault's name that is listed here.
_LANES = {
    "replica": "#7a4b9d",
    "PostgreSQL": "#c1440e",
    "database": "#c1440e",
    "Slack": "#5b8c2a",
    "model": "#b8860b",
    "disk": "#333333",
}
_PROCESS = "#1f6f8b"  # any other lane's

Points = Sequence[tuple[float, float]]  # seconds since the beginning, and a value


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One diagram over the time."""

    title: str
    lines: dict[str, Points]
    dots: Points = ()
    is_logarithmic: bool = False
    end: float  # of the time, in seconds
    top: float = 0.0
    marks: Sequence[float] = field(default_factory=tuple)  # where the values' axis has its lines, the highest last


def draw(entries: Sequence[Entry], path: Path) -> None:
    """Draw the faults by their kind, questions and answers a minute, seconds to an answer, memory and connections."""
    entries, minutes = _since_it_began(entries)
    end = max((float(entry["t"]) for entry in entries), default=1.0) or 1.0
    bands = _find_bands(entries, end)
    lanes = sorted({name for _, _, name in bands}, key=_lane_order)
    asked = [float(entry["t"]) for entry in entries if entry["kind"] == "question"]
    answers = [(float(entry["t"]), float(entry["latency_s"])) for entry in entries if entry["kind"] == "answer"]
    rates = {"questions": _rates(asked, end), "answers": _rates([at for at, _ in answers], end)}
    took = {"half of them within": _shares(answers, end, 0.5), "95 % within": _shares(answers, end, 0.95)}
    panels = [
        _linear("questions and answers a minute", rates, end),
        _logarithmic("seconds from a question to its answer (each a dot)", took, answers, end),
        _linear("memory of each process with its children, MB", _series(entries, "memory"), end),
        _linear("connections to each server", _series(entries, "connections"), end),
    ]
    top = _TOP + len(lanes) * _LANE + _GAP
    drawn = [_heading(minutes or end / 60, len(asked), len(answers), len(bands)), _draw_lanes(lanes, bands, end)]
    for panel in panels:
        drawn.append(_draw_panel(panel, top))
        top += _PANEL + _GAP
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{top}" viewBox="0 0 {_WIDTH} {top}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="11" fill="{_INK}">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(drawn)}</svg>\n'
    )


# --- What is drawn --------------------------------------------------------------------------------------------------
def _since_it_began(entries: Sequence[Entry]) -> tuple[list[Entry], float]:
    """Return the entries since people and faults set in, by the time since then, and the planned minutes."""
    begun = next((entry for entry in entries if entry["kind"] == "begun"), {"t": 0.0, "minutes": 0.0})
    shifted = [{**entry, "t": float(entry["t"]) - begun["t"]} for entry in entries if entry["t"] >= begun["t"]]
    return shifted, float(begun["minutes"])


def _find_bands(entries: Sequence[Entry], end: float) -> list[tuple[float, float, str]]:
    bands, open_since = [], {}
    for entry in entries:
        if entry["kind"] == "fault":
            open_since[entry["fault"]] = entry["t"]
        elif entry["kind"] == "fault_over" and entry["fault"] in open_since:
            bands.append((open_since.pop(entry["fault"]), entry["t"], entry["fault"]))
    return bands + [(since, end, fault) for fault, since in open_since.items()]


def _slot_s(end: float) -> float:
    return max(_LEAST_SLOT_S, end / _MOST_SLOTS)


def _rates(times: Iterable[float], end: float) -> Points:
    """Compute the rate per minute, slot by slot, without the last slot, which is not over."""
    slot_s = _slot_s(end)
    counts = [0] * (int(end // slot_s) + 1)
    for at in times:
        counts[min(int(at // slot_s), len(counts) - 1)] += 1
    return [((slot + 0.5) * slot_s, count * 60 / slot_s) for slot, count in enumerate(counts[:-1])]


def _shares(values: Points, end: float, share: float) -> Points:
    """Within which value a share of each slot's lie."""
    slot_s, slots = _slot_s(end), defaultdict[int, list[float]](list)
    for at, value in values:
        slots[int(at // slot_s)].append(value)
    return [(min((slot + 0.5) * slot_s, end), percentile(slots[slot], share)) for slot in sorted(slots)]


def _series(entries: Sequence[Entry], name: str) -> dict[str, Points]:
    """Collect the samples by process or server; of those that would fall on the same place only the highest."""
    most: defaultdict[str, dict[int, tuple[float, float]]] = defaultdict(dict)
    end = max((entry["t"] for entry in entries), default=1.0) or 1.0
    for entry in entries:
        if entry["kind"] == "sample":
            place = int(entry["t"] / end * (_WIDTH - _LEFT - _RIGHT))
            for of, value in entry[name].items():
                point = (float(entry["t"]), float(value))
                most[of][place] = max(most[of].get(place, point), point, key=lambda one: one[1])
    return {of: list(points.values()) for of, points in most.items()}


# --- How ------------------------------------------------------------------------------------------------------------
def _linear(title: str, lines: dict[str, Points], end: float) -> _Panel:
    most = max((value for line in lines.values() for _, value in line), default=1.0) or 1.0
    step = _round_up(most / 4)
    marks = [step * number for number in range(math.ceil(most / step) + 1)]
    return _Panel(title=title, lines=lines, end=end, marks=marks)


def _logarithmic(title: str, lines: dict[str, Points], dots: Points, end: float) -> _Panel:
    values = [value for _, value in dots if value > 0] or [1.0]
    bases = (1, 2, 5) if max(values) / min(values) < _MANY_DECADES else (1,)
    possible = [base * 10.0**power for power in range(-3, 5) for base in bases]
    first = max((mark for mark in possible if mark <= min(values)), default=possible[0])
    last = min((mark for mark in possible if mark >= max(values) and mark > first), default=possible[-1])
    marks = [mark for mark in possible if first <= mark <= last]
    return _Panel(title=title, lines=lines, dots=dots, is_logarithmic=True, end=end, marks=marks)


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50 and so on."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= value * 0.999)


def _heading(minutes: float, asked: int, answered: int, faults: int) -> str:
    title = f"A soak of {minutes:.4g} minutes: {asked:,} questions, {answered:,} events answered, {faults:,} faults"
    return (
        f'<text x="{_LEFT}" y="24" font-size="17" font-weight="bold">{title}</text>'
        f'<text x="{_LEFT}" y="{_TOP - 8}" font-weight="bold">faults by their kind</text>'
    )


def _across(end: float) -> Callable[[float], float]:
    return lambda at: _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(max(at, 0.0), end) / end


def _time_axis(end: float, top: float, bottom: float) -> str:
    """Lines and minutes, from above down."""
    x, minutes = _across(end), end / 60
    step = next((one for one in _STEPS_MIN if minutes / one <= 12), _STEPS_MIN[-1])
    parts = []
    for number in range(int(minutes / step) + 1):
        at = x(number * step * 60)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" stroke="{_PALE}"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 13}" text-anchor="middle">{number * step:g}</text>')
    parts.append(f'<text x="{_LEFT - 8}" y="{bottom + 15}" text-anchor="end">minutes</text>')
    return "".join(parts)


def _lane_order(name: str) -> tuple[int, str]:
    order = ["#1f6f8b", *dict.fromkeys(_LANES.values())]
    return order.index(_lane_colour(name)), name


def _lane_colour(name: str) -> str:
    return next((colour for word, colour in _LANES.items() if name.startswith(word)), _PROCESS)


def _draw_lanes(lanes: Sequence[str], bands: Sequence[tuple[float, float, str]], end: float) -> str:
    x, bottom = _across(end), _TOP + len(lanes) * _LANE
    parts = [
        f'<rect x="{_LEFT}" y="{_TOP + number * _LANE}" width="{_WIDTH - _LEFT - _RIGHT}" height="{_LANE}" '
        f'fill="{"#f6f6f6" if number % 2 else "white"}"/>'
        f'<text x="{_LEFT - 8}" y="{_TOP + number * _LANE + 11}" text-anchor="end">{escape(name)}</text>'
        for number, name in enumerate(lanes)
    ]
    parts.append(_time_axis(end, _TOP, bottom))
    places = {name: _TOP + number * _LANE for number, name in enumerate(lanes)}
    parts += [
        f'<rect x="{x(since):.1f}" y="{places[name] + 2}" width="{max(x(until) - x(since), 1.5):.1f}" '
        f'height="{_LANE - 4}" fill="{_lane_colour(name)}"><title>{escape(name)}</title></rect>'
        for since, until, name in bands
    ]
    return "".join(parts)


def _draw_panel(panel: _Panel, top: float) -> str:
    x, bottom = _across(panel.end), top + _PANEL
    first, last = panel.marks[0], panel.marks[-1]

    def y(value: float) -> float:
        if panel.is_logarithmic:
            return bottom - _PANEL * math.log(max(value, first) / first) / math.log(last / first)
        return bottom - _PANEL * (value - first) / (last - first)

    parts = [f'<text x="{_LEFT}" y="{top - 8}" font-weight="bold">{escape(panel.title)}</text>']
    for mark in panel.marks:
        line = f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}" stroke="{_PALE}"/>'
        parts.append(f'{line}<text x="{_LEFT - 8}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:,g}</text>')
    parts.append(_time_axis(panel.end, top, bottom))
    if panel.dots:
        dots = "".join(f"M{x(at):.1f},{y(value):.1f}h0" for at, value in panel.dots)
        parts.append(
            f'<path d="{dots}" stroke="#1f6f8b" stroke-width="3" stroke-linecap="round" stroke-opacity=".35"/>'
        )
    place = _WIDTH - _RIGHT
    for name, points in sorted(panel.lines.items(), reverse=True):
        colour = _COLOURS.get(name, _INK)
        parts += [_draw_line(piece, x, y, colour) for piece in _pieces(points)]
        parts.append(f'<text x="{place}" y="{top - 8}" text-anchor="end" fill="{colour}">— {escape(name)}</text>')
        place -= 34 + 6 * len(name)
    return "".join(parts)


def _draw_line(piece: Points, x: Callable[[float], float], y: Callable[[float], float], colour: str) -> str:
    points = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in piece)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4" stroke-linecap="round"/>'


def _pieces(line: Points) -> Sequence[Points]:
    """The line, cut where there was nothing for longer than lies between most of its points."""
    gaps = sorted(later - earlier for (earlier, _), (later, _) in itertools.pairwise(line))
    longest = max(_PAUSE_S, 3 * gaps[len(gaps) // 2]) if gaps else _PAUSE_S
    pieces: list[list[tuple[float, float]]] = [[]]
    for point in line:
        if pieces[-1] and point[0] - pieces[-1][-1][0] > longest:
            pieces.append([])
        pieces[-1].append(point)
    return pieces


def main() -> None:
    """Draw a timeline that was written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak.drawing", description="Draw a soak's timeline.")
    parser.add_argument("timeline", type=Path, help="What --timeline of the soak wrote.")
    path: Path = parser.parse_args().timeline
    draw([json.loads(line) for line in path.read_text().splitlines()], path.with_suffix(".svg"))


if __name__ == "__main__":
    main()
