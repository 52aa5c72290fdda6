"""Lead a rehearsal: a copy is made, worked on by a process of its own, reported on and dropped, whatever happens."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings

from core.errors import BackupError, FootnoteError, RehearsalError
from core.infrastructure.database_address import address_of
from core.infrastructure.version import VERSION
from core.operations.backup import programs
from core.operations.backup.archive import DUMP, Manifest, hash_file
from core.operations.backup.restoring import refuse_newer
from core.operations.backup.taking import Progress
from core.operations.rehearsal.child import LOADING, work_on
from core.operations.rehearsal.notes import Note, choose_notes, find_release, read_notes
from core.operations.rehearsal.place import Place, in_words, name_source
from core.operations.rehearsal.report import Finding, Report

GUIDE = "docs/upgrading.md"  # below BASE_DIR: what each release asks of an operator


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The wishes of whoever rehearses."""

    backup: Path | None = None  # a folder that `backup` made, in place of the database
    into: str = ""  # an empty database for the copy; "": one is made, and dropped
    keeps: bool = False
    questions: int = 24  # of each kind, at most
    calls_embedding_model: bool = False  # also where it is asked over the network
    check_tags: Sequence[str] = ()  # of the checks that look at the database
    serves_others: bool = True  # so that the checks of a deployment count


def rehearse(wanted: Wanted, *, announce: Callable[[str], None], progress: Progress) -> Report:
    """Rehearse the upgrade of the configured database to this version, which is left as it is.

    announce: is told each step as it begins. progress: makes a progress report, from a name and a length.
    RehearsalError where it cannot be rehearsed. An upgrade that would fail is no error: the report says so.
    """
    report = Report(version=VERSION)
    with Place.open() as place:
        report.dropped_before = place.drop_left_behind()
        report.kept_before = place.list_kept()
        with tempfile.TemporaryDirectory(prefix="footnote-rehearsal-") as folder, ExitStack() as at_end:
            started = time.perf_counter()
            dump = _make_copy(place, wanted, report, Path(folder), announce, at_end)
            report.copy_seconds = round(time.perf_counter() - started, 1)
            order = {
                "copy": report.copy,
                "dump": str(dump) if dump else "",
                "empties": False,
                "questions": wanted.questions,
                "calls_embedding_model": wanted.calls_embedding_model,
                "check_tags": list(wanted.check_tags),
                "serves_others": wanted.serves_others,
            }
            with work_on(address_of(report.copy), order) as lines:
                first = next(lines, {})
                _refuse_what_is_no_upgrade(first)
                if wanted.into:
                    at_end.callback(_empty_copy, wanted.into)
                _note_messages(chain([first], lines), report, announce, progress)
            if wanted.keeps:
                if not wanted.into:
                    place.keep(report.copy)
                report.is_kept = True
                at_end.pop_all()  # what would have dropped it
    if report.migrated and (report.failed or report.migrated["applied"]):  # else the tables are this version's
        report.notes = choose_notes(_read_guide(), since=report.release_before)
    return report


def _make_copy(
    place: Place, wanted: Wanted, report: Report, folder: Path, announce: Callable[[str], None], at_end: ExitStack
) -> Path | None:
    """Make the copy, and have it dropped at the end. Returns the dump that it has to be filled from, if it has."""
    if not wanted.into:
        place.refuse_without_right()
    source = name_source()
    if wanted.into == source:
        raise RehearsalError("--into names the database of the installation. Name an empty one.")
    dump = _check_backup(wanted.backup) if wanted.backup else None
    if dump is None:
        size = place.measure(source)
        place.refuse_without_room(size)
        announce(f"Copying the database ({in_words(size)})")
    if wanted.into:
        report.copy, is_full = wanted.into, False  # emptied at the end, once it is known to be empty
    else:
        report.copy, is_full = (place.create_empty(), False) if dump else place.copy(source)
        at_end.callback(place.drop, report.copy)
    if is_full or dump:
        return dump
    return _dump_database(folder / DUMP)


def _check_backup(folder: Path) -> Path:
    """Return the dump of a backup. RehearsalError where it is damaged, or newer than this version."""
    try:
        manifest = Manifest.read(folder)
        refuse_newer(manifest)
        if hash_file(folder / DUMP) != manifest.dump_sha256:
            raise RehearsalError(f"{DUMP} is damaged or missing. Use another backup.")
    except BackupError as error:
        raise RehearsalError(error.message) from error
    except OSError as error:
        raise RehearsalError(f"{DUMP} cannot be read: {error.strerror}.") from error
    return (folder / DUMP).resolve()


def _dump_database(path: Path) -> Path:
    """Write the database into a file, as of one moment. It is read and not changed, and not even noted in it."""
    try:
        programs.run("pg_dump", ["--format=custom", "--compress=1", "--enable-row-security", f"--file={path}"])
    except BackupError as error:
        raise RehearsalError(error.message) from error
    return path


def _empty_copy(name: str) -> None:
    """Take away what the rehearsal put into a database that somebody else made."""
    with work_on(address_of(name), {"copy": name, "empties": True}) as told:
        failed = [line["failed"]["why"] for line in told if "failed" in line]
    if failed:
        raise RehearsalError(f"The database {name} could not be emptied again: {failed[0]}")


def _note_messages(
    lines: Iterable[Mapping[str, Any]], report: Report, announce: Callable[[str], None], progress: Progress
) -> None:
    """Put into the report what the process tells that works on the copy."""
    with _make_steps(announce, progress) as step:
        for line in lines:
            _refuse_what_is_no_upgrade(line)
            if "step" in line:
                step(line["step"], line["total"])
            elif "done" in line:
                step(None, line["done"])
            elif "migrated" in line:
                report.migrated = line["migrated"]
                report.release_before = find_release(_read_guide(), set(report.migrated["had"]))
            elif "failed" in line:
                report.failed = line["failed"]
            else:
                found = line["result"]
                report.findings = [Finding(**finding) for finding in found["checks"]]
                report.compared = found.get("compared", [])
                report.examined = found.get("examined")
                report.unasked = found.get("unasked", "")


def _refuse_what_is_no_upgrade(line: Mapping[str, Any]) -> None:
    """Raise RehearsalError for what went wrong before there was anything to upgrade."""
    failed = line.get("failed")
    if failed and failed["step"] in {"", LOADING}:
        raise RehearsalError(f"The copy cannot be filled: {failed['why']}")


@contextmanager
def _make_steps(announce: Callable[[str], None], progress: Progress) -> Iterator[Callable[[str | None, int], None]]:
    """Give what is called with each step and its length, or with None and how much of it is done."""
    with ExitStack() as bars:
        advance: list[Callable[[int], None]] = [lambda done: None]

        def step(name: str | None, count: int) -> None:
            if name is None:
                advance[0](count)
                return
            bars.close()
            announce(name)
            advance[0] = bars.enter_context(progress(name, count)) if count else lambda done: None

        yield step


def _read_guide() -> list[Note]:
    try:
        return read_notes((Path(settings.BASE_DIR) / GUIDE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FootnoteError(f"{GUIDE} cannot be read: {error.strerror}.") from error
