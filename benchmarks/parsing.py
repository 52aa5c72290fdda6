"""Measure how long this checkout and another one take to parse and cut files, and whether both read the same.

    python -m benchmarks.parsing FOLDER... --beside OTHER_CHECKOUT [--rounds 5] [--json]

The other checkout is a git worktree of an earlier commit, with a `.venv` of its own or a link to this one's. Both read
the files below the folders in processes that take turns, so that other work on the machine slows both; the seconds are
of the processor, and medians of the rounds. Files are parsed in the process itself, without the sandbox, after one file
of the format that is not counted. What neither can read is left out.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from types import ModuleType

_HERE = Path(__file__).resolve().parents[1]
_FEWEST = 0.001  # seconds, below which a ratio says nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Holds how long one checkout took to read a file, and what came of it."""

    parse: float  # seconds of the processor
    cut: float
    digest: str  # of the chunks: their words, headings and pages


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Holds the medians of one format, in seconds of the processor, summed over its files."""

    format: str  # the ending
    files: int
    other: float
    here: float
    ratio: float  # of the sums, other / here; above 1 is quicker here
    median_ratio: float  # of the files
    different: int  # files of which something else is read


def main() -> None:
    """Measure and print a table; read the files when called as a child."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--beside", type=Path, help="the folder of another checkout")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--endings", default=".pdf,.xlsx", help="of the files that are read, with commas between them")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    endings = tuple(arguments.endings.split(","))
    files = sorted(
        path.resolve() for folder in arguments.folders for path in folder.rglob("*") if path.suffix.lower() in endings
    )
    if arguments.child:
        sys.stdout.write(json.dumps({str(path): asdict(reading) for path, reading in _read(files).items()}))
        return
    if not files:
        parser.error(f"There are no files that end in {arguments.endings} below these folders.")
    if arguments.beside is None or not (arguments.beside / "core").is_dir():
        parser.error("Name the folder of another checkout with --beside: git worktree add --detach FOLDER COMMIT.")
    found = _compare(files, arguments.beside.resolve(), arguments.rounds, endings)
    if arguments.json:
        print(json.dumps([asdict(one) for one in found]))
        return
    print("| Format | Files | Other, s | Here, s | Other / here | Median of the files | Read differently |")
    print("|---|---|---|---|---|---|---|")
    for one in found:
        times = f"{one.other:.2f} | {one.here:.2f} | {one.ratio:.2f} | {one.median_ratio:.2f}"
        print(f"| {one.format} | {one.files} | {times} | {one.different} |")


def _read(files: list[Path]) -> dict[Path, Reading]:
    """Parse and cut files with the checkout that comes first on the path of modules."""
    import django

    django.setup()
    chunks, parse = _import("ingestion.chunking").chunks, _import("ingestion.parsers").parse
    _import("ingestion.loading").load_parsers()
    tokenizer = _import("embedding.local").load_packaged_tokenizer()
    readings: dict[Path, Reading] = {}
    firsts = {path.suffix: path for path in reversed(files)}
    for path in (*firsts.values(), *files):
        content = path.read_bytes()
        begun = time.process_time()
        try:
            parsed = parse(content, path.name)
        except Exception:  # noqa: BLE001, S112 - an earlier commit may break on a file that is read today
            continue
        middle = time.process_time()
        cut = [chunks(document, tokenizer) for document in parsed.documents]
        end = time.process_time()
        said = [(one.content, one.chapter, one.section, one.page_number) for some in cut for one in some]
        digest = hashlib.sha256(repr(said).encode("utf-8", "surrogatepass")).hexdigest()
        readings[path] = Reading(parse=middle - begun, cut=end - middle, digest=digest)
    return readings


def _import(name: str) -> ModuleType:
    """Import a module of the library, which earlier commits have directly below core."""
    try:
        return import_module(f"core.library.{name}")
    except ModuleNotFoundError:
        return import_module(f"core.{name}")


def _run(checkout: Path, files: list[Path]) -> dict[Path, Reading]:
    """Have a checkout read files in a process of its own."""
    folders = sorted({str(path.parent) for path in files})
    endings = ",".join(sorted({path.suffix.lower() for path in files}))
    environment = {**os.environ, "PYTHONPATH": str(checkout), "DJANGO_SETTINGS_MODULE": "adminsite.settings"}
    environment |= {"DEBUG": "1", "DATABASE_URL": "postgres://unused"}
    command = [sys.executable, "-P", __file__, *folders, "--endings", endings, "--child"]
    done = subprocess.run(command, cwd=checkout, env=environment, stdout=subprocess.PIPE, check=True)
    return {Path(path): Reading(**reading) for path, reading in json.loads(done.stdout).items()}


def _compare(files: list[Path], beside: Path, rounds: int, endings: tuple[str, ...]) -> list[Compared]:
    seconds: dict[tuple[Path, Path], list[float]] = defaultdict(list)
    digests: dict[tuple[Path, Path], str] = {}
    for number in range(rounds):
        for checkout in (beside, _HERE) if number % 2 == 0 else (_HERE, beside):
            for path, reading in _run(checkout, files).items():
                seconds[checkout, path].append(reading.parse + reading.cut)
                digests[checkout, path] = reading.digest
    found = []
    for ending in endings:
        read = [path for path in files if path.suffix.lower() == ending and (_HERE, path) in seconds]
        both = [(median(seconds[beside, path]), median(seconds[_HERE, path])) for path in read if seconds[beside, path]]
        if not both:
            continue
        other, here = (sum(column) for column in zip(*both, strict=True))
        found.append(
            Compared(
                format=ending,
                files=len(both),
                other=other,
                here=here,
                ratio=other / max(here, _FEWEST),
                median_ratio=median(one / max(two, _FEWEST) for one, two in both),
                different=sum(digests.get((beside, path)) != digests[_HERE, path] for path in read),
            )
        )
    return found


if __name__ == "__main__":
    main()
