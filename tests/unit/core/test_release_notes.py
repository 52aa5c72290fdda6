"""Test that the guide's notes for operators are read, and chosen by the tables that are there."""

import re
from pathlib import Path

from core.operations.rehearsal.notes import choose_notes, find_release, read_notes

ROOT = Path(__file__).parents[3]
GUIDE = """# Upgrading

### To 9.9.9

- Not in the chapter.

## What each release asks of you

Some words.

### To 0.10.0

**Stop first**: the code of before shows too much.

Before the upgrade:

- Free the disk.

After the upgrade:

- Ingest again.
- Tell people.

### To 0.9.0

Last migration: `core.0004_four`.

### To 0.8.1

Last migration: `core.0003_three`.

After the upgrade:

- Look around.

## The way back

- Not in it either.
"""


def test_each_section_is_read_with_its_lists() -> None:
    """And nothing outside of the chapter."""
    newest, middle, oldest = read_notes(GUIDE)
    assert (newest.release, newest.last_migration, newest.stops_first) == ("0.10.0", "", True)
    assert (newest.before, newest.after) == (["Free the disk."], ["Ingest again.", "Tell people."])
    assert (middle.release, middle.last_migration, middle.stops_first) == ("0.9.0", "core.0004_four", False)
    assert (oldest.before, oldest.after) == ([], ["Look around."])
    assert read_notes("# Upgrading\n") == []


def test_the_release_is_told_by_its_last_migration_and_later_ones_are_shown_oldest_first() -> None:
    """Numbers count, not letters: 0.10 is after 0.9."""
    notes = read_notes(GUIDE)
    assert find_release(notes, {"core.0003_three"}) == "0.8.1"
    assert find_release(notes, {"core.0003_three", "core.0004_four", "core.0005_later"}) == "0.9.0"
    assert find_release(notes, {"core.0001_initial"}) == ""
    assert [note.release for note in choose_notes(notes, since="0.8.1")] == ["0.9.0", "0.10.0"]
    assert [note.release for note in choose_notes(notes, since="0.10.0")] == []
    assert [note.release for note in choose_notes(notes, since="")] == ["0.8.1", "0.9.0", "0.10.0"]


def test_the_guide_has_a_section_for_each_release_of_the_changelog() -> None:
    """With a migration that there is, and for the one to come what it asks so far."""
    notes = {note.release: note for note in read_notes((ROOT / "docs/upgrading.md").read_text(encoding="utf-8"))}
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = set(re.findall(r"^## (\d+\.\d+\.\d+) - ", changelog, re.MULTILINE))
    assert {name for name, note in notes.items() if note.last_migration} == released
    for name in released:
        app, _, migration = notes[name].last_migration.partition(".")
        assert (ROOT / app / "migrations" / f"{migration}.py").is_file()
    unreleased = changelog.partition("## Unreleased")[2].partition("\n## ")[0]
    [coming] = set(notes) - released
    assert notes[coming].stops_first == ("**Stop first**" in unreleased)
