"""Read what each release asks of an operator, from docs/upgrading.md. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

CHAPTER = "## What each release asks of you"
_RELEASE, _LAST, _STOP = "### To ", "Last migration: ", "**Stop first**"
_LISTS = {"Before the upgrade:": "before", "After the upgrade:": "after"}


@dataclass(kw_only=True, slots=True)
class Note:
    """The duties of an operator who upgrades to one release, in Markdown."""

    release: str  # such as "0.3.0"
    last_migration: str = ""  # by which its tables are known, such as "core.0039_recognised_text"; "": not released yet
    stops_first: bool = False  # web, bot and workers have to be stopped before the migrations
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def read_notes(text: str) -> list[Note]:
    """Return the notes in a guide's text, in its order; none where the chapter is missing."""
    notes: list[Note] = []
    _, _, chapter = text.partition(f"{CHAPTER}\n")
    into: list[str] | None = None
    for line in chapter.splitlines():
        if line.startswith("## "):
            break
        if line.startswith(_RELEASE):
            notes.append(Note(release=line.removeprefix(_RELEASE).strip()))
            into = None
        elif notes and line.startswith(_LAST):
            notes[-1].last_migration = line.removeprefix(_LAST).strip(" .`")
        elif notes and line.startswith(_STOP):
            notes[-1].stops_first = True
        elif notes and line.strip() in _LISTS:
            into = getattr(notes[-1], _LISTS[line.strip()])
        elif into is not None and line.startswith("- "):
            into.append(line.removeprefix("- ").strip())
    return notes


def find_release(notes: Iterable[Note], applied: Collection[str]) -> str:
    """Return the newest release whose tables are there; "" where they are older than all that have a note.

    applied: names of migrations, such as "core.0039_recognised_text", also of those that one has replaced.
    """
    released = (note.release for note in notes if note.last_migration and note.last_migration in applied)
    return max(released, key=_order_of, default="")


def choose_notes(notes: Iterable[Note], *, since: str) -> list[Note]:
    """Return the notes of the releases after one, oldest first. since: "" for all."""
    later = [note for note in notes if not since or _order_of(note.release) > _order_of(since)]
    return sorted(later, key=lambda note: _order_of(note.release))


def _order_of(release: str) -> tuple[int, ...]:
    """Return the numbers of a release; "0.10.0" comes after "0.9.0"."""
    return tuple(int(part) for part in release.split(".") if part.isdecimal())
