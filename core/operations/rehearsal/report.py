"""The report of a rehearsal: what an upgrade would take, change and ask for. Ids, names of tables and figures alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from django.core.checks import ERROR, WARNING, CheckMessage

from core.operations.rehearsal.notes import Note
from core.operations.rehearsal.place import in_words

_SLOW_S = 0.1  # from which on a lock, or a migration, is worth a line
_NAMED = 10  # questions, migrations and tables in a list


class Outcome(StrEnum):
    """A change, or none, between an answer of the old version and the new one's. In the order of the report."""

    SAME = "same"  # word for word, or refused by both
    WORDING = "other wording"  # from the same documents
    SOURCES = "other sources"
    ANSWERED = "newly answered"
    REFUSED = "now refused"
    FAILS = "fails"
    NOT_COMPARED = "not compared"  # its asker may not see the earlier answer any more


_UNNAMED = (Outcome.SAME, Outcome.NOT_COMPARED)  # outcomes whose questions are not listed


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A message of a system check."""

    id: str
    message: str
    hint: str
    is_serious: bool  # Footnote would not start
    is_warning: bool


def as_finding(message: CheckMessage) -> Finding:
    """Return a check's message as a finding."""
    return Finding(
        id=message.id or "",
        message=str(message.msg),
        hint=str(message.hint or ""),
        is_serious=message.level >= ERROR,
        is_warning=message.level == WARNING,
    )


@dataclass(kw_only=True, slots=True)
class Report:
    """All that a rehearsal found. Sizes are in bytes, times in seconds."""

    version: str  # of this code
    release_before: str = ""  # the newest release whose tables were there; "" where it is older than all
    copy: str = ""  # the name of the database
    is_kept: bool = False
    copy_seconds: float = 0.0
    dropped_before: list[str] = field(default_factory=list)  # copies of rehearsals that were interrupted
    kept_before: list[str] = field(default_factory=list)
    migrated: dict[str, Any] = field(default_factory=dict)  # as core.operations.rehearsal.migrating.Migrated has it
    failed: dict[str, str] | None = None  # step, at, why
    findings: list[Finding] = field(default_factory=list)
    compared: list[dict[str, Any]] = field(default_factory=list)  # as core.operations.rehearsal.asking.Compared has it
    examined: dict[str, Any] | None = None
    unasked: str = ""  # why nothing was asked; "" also where nobody wanted it
    notes: list[Note] = field(default_factory=list)

    @property
    def would_fail(self) -> bool:
        """True where the upgrade would not go through, or a question ends with an error after it."""
        fails = any(one["outcome"] == Outcome.FAILS for one in self.compared) or bool(
            (self.examined or {}).get("failed")
        )
        return bool(self.failed) or any(finding.is_serious for finding in self.findings) or fails

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        migrated = {name: value for name, value in self.migrated.items() if name not in {"had", "at"}}
        return asdict(self) | {"would_fail": self.would_fail, "migrated": migrated}

    def list_lines(self) -> Iterator[str]:
        """In words, in the order in which an operator needs them."""
        yield from self._list_copies()
        yield from self._list_migrations()
        if self.failed:
            where = f" at {self.failed['at']}" if self.failed["at"] else ""
            yield f"It failed while {self.failed['step'].lower()}{where}: {self.failed['why'].rstrip('.')}."
        else:
            yield from self._list_answers()
        yield from self._list_findings()
        yield from self._list_notes()
        yield ""
        yield "The upgrade would fail." if self.would_fail else "The upgrade would go through."

    def _list_copies(self) -> Iterator[str]:
        for name in self.dropped_before:
            yield f"Dropped the copy {name}, which a rehearsal that was interrupted had left behind."
        for name in self.kept_before:
            yield f"The copy {name} of an earlier rehearsal is still there. Drop it when you have looked at it."
        since = f", from the tables of {self.release_before} or later ones" if self.release_before else ""
        yield f"Upgrading to {self.version}{since}."

    def _list_migrations(self) -> Iterator[str]:
        found = self.migrated
        if not found:
            return
        applied = found["applied"]
        if not applied:
            yield "Migrations: none is missing."
            return
        yield f"Migrations: {len(applied)} applied in {_write_seconds(found['seconds'])} on the copy."
        slow = sorted((one for one in applied if one["seconds"] >= _SLOW_S), key=lambda one: -one["seconds"])
        yield from (f"  {_write_seconds(one['seconds']):>8}  {one['name']}" for one in slow[:_NAMED])
        locks = [(lock, one["name"]) for one in applied for lock in one["locks"] if lock["seconds"] >= _SLOW_S]
        locks.sort(key=lambda pair: -pair[0]["seconds"])
        if locks:
            yield "While they run, others wait for these tables:"
        for lock, name in locks[:_NAMED]:
            what = "read nor write" if lock["blocks_reading"] else "write"
            yield f"  {_write_seconds(lock['seconds']):>8}  {lock['table']}: nobody can {what} ({name})"
        if not found["at"]:
            more = found["bytes_most"] - found["bytes_before"]
            before, after = in_words(found["bytes_before"]), in_words(found["bytes_after"])
            yield f"Disk: the database has {before}, up to {in_words(max(more, 0))} more meanwhile, {after} afterwards."
            yield "PostgreSQL's log of the changes comes on top."

    def _list_answers(self) -> Iterator[str]:
        if self.unasked:
            yield f"No question was asked. {self.unasked}"
        if self.compared:
            yield f"Asked again, as those who asked: {len(self.compared)} questions."
            yield from self._list_outcomes()
        if self.examined:
            found = self.examined
            said = f"Examination: of {found['questions']} questions of the library, {found['right']} right"
            failed = f", {found['failed']} failed" if found["failed"] else ""
            earlier = (
                f" (in the last examination {found['earlier_right']} of {found['earlier_questions']})"
                if found["earlier_at"]
                else ""
            )
            yield f"{said}{failed}{earlier}."

    def _list_outcomes(self) -> Iterator[str]:
        counts = Counter(one["outcome"] for one in self.compared)
        for outcome in Outcome:
            if not counts[outcome]:
                continue
            yield f"  {counts[outcome]:>4}  {outcome}"
            ones = [one for one in self.compared if one["outcome"] == outcome and outcome not in _UNNAMED]
            yield from (f"          {_describe_question(one)}" for one in ones[:_NAMED])
            if len(ones) > _NAMED:
                yield f"          and {len(ones) - _NAMED} more; --json has all"
        if any(one["by_model"] for one in self.compared):
            yield "  A language model wrote some of the earlier answers. It was not called: only whether there is an"
            yield "  answer was compared for these."

    def _list_findings(self) -> Iterator[str]:
        shown = [finding for finding in self.findings if finding.is_serious or finding.is_warning]
        if shown:
            yield "Settings and database:"
        for finding in shown:
            kind = "error" if finding.is_serious else "warning"
            yield f"  {kind}: {finding.message}" + (f" {finding.hint}" if finding.hint else "")

    def _list_notes(self) -> Iterator[str]:
        for note in self.notes:
            yield ""
            yield f"To do for {note.release}:"
            if note.stops_first:
                yield "  Stop web, bot and workers before you migrate."
            for when, lines in (("before", note.before), ("after", note.after)):
                yield from _list_duties(when, lines)


def _list_duties(when: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"  {when.capitalize()} the upgrade:"
    yield from (f"  - {line}" for line in lines)


def _describe_question(one: dict[str, Any]) -> str:
    """Return which question it is, and what besides the version may be the reason."""
    reasons = [
        *(["asked in a channel then"] if one["in_channel"] else []),
        *(["its documents have changed since"] if one["documents_changed"] else []),
        *([one["error"]] if one["error"] else []),
    ]
    name = one["id"] if one["kind"] == "asked" else f"verified answer {one['id']}"
    return name + (f" ({', '.join(reasons)})" if reasons else "")


def _write_seconds(value: float) -> str:
    return f"{value:.1f} s" if value < 60 else f"{value / 60:.1f} min"
