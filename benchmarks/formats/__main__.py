"""Measure how the files of a folder are read, each beside a second, independent reader; the worst come first.

    python -m benchmarks.formats FOLDER [--json FILE] [--show 20] [--kind PDF]

Each file goes the worker's way, through the sandbox with the limits of the settings. A row has its seconds, the memory
that its process took for itself, characters per page, the share of the second reader's words that our text has nowhere,
sentences that come twice, and the tables found. Files that only the second reader could read come first, then those
that nobody could, then what lost most.

Second readers are poppler's pdftotext and LibreOffice, where they are installed; else lxml or Python's own modules
take the bare text of the markup. What is left out on purpose (running headers, navigation, what is hidden) counts as
lost as well: look at the words. The JSON file has them, and is written to the end even if the run is broken off.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.formats.comparing import describe, find_lost, write_all
from benchmarks.formats.memory import Peak
from benchmarks.formats.second import read_second
from benchmarks.scratch import set_up
from core.errors import IngestionError
from core.library.ingestion.document import ParsedFile
from core.library.ingestion.formats import BY_SUFFIX, FileKind, list_readable_endings
from core.library.ingestion.naming import suffix

if TYPE_CHECKING:
    from core.library.ingestion.sandbox.process import Sandbox

READ = "read"
_SHOWN_WORDS = 6
_MOST_SENTENCES = 5
_MOST_PROBLEMS = 3
_LONGEST_NAME = 48


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """One file as it was read."""

    name: str  # within the folder
    kind: str
    outcome: str  # READ, or the error's name
    message: str = ""
    seconds: float
    memory_mb: float | None  # that its process took for itself; None where nothing tells
    pages: int
    characters_per_page: int
    tables: int
    second: str = ""  # the second reader
    second_failed: str = ""  # the one that could not read the file
    second_words: int = 0
    lost: int = 0  # words
    lost_share: float = 0.0
    lost_words: tuple[str, ...] = ()  # the most frequent
    doubled: int = 0  # sentences
    doubled_sentences: tuple[str, ...] = ()


def main() -> None:
    """Run the measurement, print its table and write its file."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.formats", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, default=Path("formats.json"), metavar="FILE")
    parser.add_argument("--show", type=int, metavar="N", help="Only the worst N; all without it.")
    parser.add_argument("--kind", action="append", default=[], choices=[kind.name for kind in FileKind])
    options = parser.parse_args()
    paths = list(list_files(options.folder, options.kind))
    if not paths:
        parser.error(f"no file in {options.folder} has an ending that is read")
    set_up()
    from core.library.ingestion.jobs import sandbox_from_settings

    measured: list[Measured] = []
    try:
        with sandbox_from_settings() as sandbox:
            for one in measure_all(options.folder, paths, sandbox):
                measured.append(one)
                print(f"{len(measured)}/{len(paths)} {one.name}: {one.outcome}", file=sys.stderr, flush=True)
    finally:
        rows = sort_worst_first(measured)
        options.json.write_text(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1) + "\n")
        print(render(rows[: options.show]))


def list_files(folder: Path, kinds: Sequence[str]) -> Iterator[Path]:
    """Yield the files below a folder with endings that are read here. kinds: names of formats; all without any."""
    for path in sorted(folder.rglob("*")):
        ending = suffix(path.name)
        if path.is_file() and ending in list_readable_endings() and (not kinds or BY_SUFFIX[ending].name in kinds):
            yield path


def measure_all(folder: Path, paths: Iterable[Path], sandbox: "Sandbox") -> Iterator[Measured]:
    """Yield the figures of each file, whatever it does to its readers."""
    for path in paths:
        yield _measure(path, str(path.relative_to(folder)), sandbox)


def _measure(path: Path, name: str, sandbox: "Sandbox") -> Measured:
    """Read a file, and have the second reader read it even where we could not: there may be nothing in it."""
    kind = BY_SUFFIX[suffix(path.name)]
    parsed, outcome, message = ParsedFile(documents=()), READ, ""
    started = time.perf_counter()
    with Peak() as peak:
        try:
            parsed = sandbox.parse(path.read_bytes(), name)
            message = "; ".join(parsed.problems[:_MOST_PROBLEMS])
        except (IngestionError, OSError) as error:
            outcome, message = type(error).__name__, str(getattr(error, "message", error))
    seconds = time.perf_counter() - started
    reader, second = read_second(path, kind)
    text = describe(parsed.documents, second)
    lost = find_lost(write_all(parsed.documents), second or "")
    pages = max(text.pages, (second or "").count("\f") if kind is FileKind.PDF else 1)
    return Measured(
        name=name,
        kind=kind.name,
        outcome=outcome,
        message=message,
        seconds=round(seconds, 2),
        memory_mb=peak.megabytes,
        pages=pages,
        characters_per_page=text.characters // pages,
        tables=text.tables,
        second=reader if second is not None else "",
        second_failed=reader if second is None else "",
        second_words=lost.of,
        lost=lost.count,
        lost_share=round(lost.share, 4),
        lost_words=lost.words,
        doubled=len(text.doubled),
        doubled_sentences=tuple(dict.fromkeys(text.doubled))[:_MOST_SENTENCES],
    )


def sort_worst_first(measured: Iterable[Measured]) -> list[Measured]:
    """Return the files by what was lost, then by the sentences doubled.

    First come those of which only the second reader could read anything, then those that nobody could, then the others
    by the share of words. A file in which the second reader finds no word either has lost nothing.
    """
    return sorted(measured, key=lambda one: (-_weigh(one), -one.doubled, one.name))


def _weigh(one: Measured) -> float:
    if one.outcome == READ:
        return one.lost_share
    return 2.0 if one.lost else 0.0 if one.second else 1.0


def render(rows: Sequence[Measured]) -> str:
    """Return the table, with the message of what was not read and the words of what lost some."""
    head = f"{'file':{_LONGEST_NAME}} {'s':>6} {'MB':>6} {'pages':>5} {'chars/page':>10}"
    lines = [f"{head} {'lost':>6} {'of':>7} {'twice':>5} {'tables':>6}"]
    for row in rows:
        memory = "" if row.memory_mb is None else f"{row.memory_mb:.0f}"
        lost = f"{row.lost_share:.1%}" if row.second else ""
        lines.append(
            f"{row.name[-_LONGEST_NAME:]:{_LONGEST_NAME}} {row.seconds:6.2f} {memory:>6} {row.pages:5} "
            f"{row.characters_per_page:10} {lost:>6} {row.second_words:7} {row.doubled:5} {row.tables:6} "
            f"{row.message or ' '.join(row.lost_words[:_SHOWN_WORDS])}"
        )
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    main()
