"""Test the wording of docstrings and of commit subjects."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.voice import list_docstrings, measure_openers, read_docstrings

ROOT = Path(__file__).resolve().parents[2]

# A ratchet: lower it when fewer are left, and never raise it.
MOST_OPENERS = 0.015
WORST_NAMED = 10

MADE_UP = '''"""What a module holds."""

class Harbour:
    """A harbour with its boats."""

    def is_open(self):
        """Whether boats may enter."""

    def close(self):
        """Close the gate. What waits outside stands there."""

    async def whole(self):
        """Whatever is left."""

    def silent(self): ...
'''


SECOND = """# The pier is told, and tells.
from core.harbour import Harbour


def _moor():
    return _find_ring() or _moor()


def _find_ring():
    return Harbour().is_open()


def moor():
    return _moor()
"""


def test_few_docstrings_open_with_a_question_word() -> None:
    """The files with the most of them are named."""
    share, found = measure_openers(read_docstrings(ROOT))
    worst = Counter(one.place.partition(":")[0] for one in found).most_common(WORST_NAMED)
    examples = [f"{one.place} {one.text.splitlines()[0]}" for one in found if one.place.startswith(worst[0][0])]
    assert share <= MOST_OPENERS, f"{len(found)} docstrings, {share:.1%}. Most are in {worst}. Such as {examples[:5]}"


def test_question_words_are_counted_at_the_beginning_alone() -> None:
    """A module, its classes and its functions count; a longer word or a later sentence does not."""
    docstrings = list(list_docstrings(MADE_UP, "harbour.py"))
    share, found = measure_openers(docstrings)
    assert (len(docstrings), share) == (5, 0.4)
    assert [one.place for one in found] == ["harbour.py:1", "harbour.py:7"]
    assert measure_openers([]) == (0.0, [])


def check(message: str, folder: Path) -> tuple[int, str]:
    """Run the commit-msg hook on a message; return its exit code and its complaints."""
    file = folder / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")
    done = subprocess.run([ROOT / ".githooks/commit-msg", file], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "message",
    [
        "Show each answer's sources as links",
        f"Add {'x' * 68}",
        "Read tables of EPUB books\n\nA table was read as one paragraph.",
        "# Please enter the commit message\n\nÖffne die Tore\n# On branch main",
        'Revert "Show each answer\'s sources as links"',
        "Merge branch 'main' into a-branch-with-a-name-that-is-far-too-long-for-any-subject-line",
        "fixup! Show each answer's sources as links",
        "",
    ],
)
def test_a_good_subject_passes(message: str, tmp_path: Path) -> None:
    """Comments of git's editor, and subjects that git itself writes, are left alone."""
    assert check(message, tmp_path) == (0, "")


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (f"Add {'x' * 69}", "has 73 characters; 72 at most"),
        ("Show each answer's sources as links.", "ends with a full stop"),
        ("show each answer's sources as links", "does not begin with a capital letter"),
        ("[core] Show each answer's sources", "does not begin with a capital letter"),
        ("# a comment\nFix the gate\nand the pier of the harbour too", "is not followed by a blank line"),
    ],
)
def test_a_bad_subject_is_refused_with_the_reason(message: str, complaint: str, tmp_path: Path) -> None:
    """The commit is not made, and the author reads why."""
    code, said = check(message, tmp_path)
    assert (code, said.count("\n")) == (1, 1)
    assert complaint in said


def git(folder: Path, *arguments: str) -> None:
    """Run git in a repository of its own."""
    author = ("-c", "user.name=Alice", "-c", "user.email=alice@example.com", "-c", f"core.hooksPath={folder}")
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True)  # noqa: S607 - any git will do


def commit(folder: Path, *messages: str) -> None:
    """Make an empty commit with each message."""
    for message in messages:
        git(folder, "commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", message)


def check_new(folder: Path) -> tuple[int, str]:
    """Check the new commits of a repository as .ci/run does; return its exit code and its complaints."""
    script = ROOT / ".ci/commit_subject.py"
    done = subprocess.run([sys.executable, script, "--new"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("base", [("tag", "v0.1.0"), ("update-ref", "refs/remotes/origin/main", "HEAD")])
def test_new_commits_are_held_to_the_hook(base: tuple[str, ...], tmp_path: Path) -> None:
    """Those of before the last tag, or of origin/main, are left alone, and each fault is said with its commit."""
    git(tmp_path, "init", "--quiet")
    commit(tmp_path, "the first commit of all.")
    code, said = check_new(tmp_path)
    assert (code, said.startswith("SKIPPED")) == (0, True)
    git(tmp_path, *base)
    commit(tmp_path, "Open the harbour\n\nShips wait for it.")
    assert check_new(tmp_path) == (0, "")
    commit(tmp_path, "Close the harbour.", "paint the pier", "Light the lamps")
    code, said = check_new(tmp_path)
    assert code == 1
    assert [line.split(" ", 6)[-1] for line in said.splitlines()] == [
        "does not begin with a capital letter.",
        "ends with a full stop.",
    ]


def test_the_figures_of_the_house_are_printed(tmp_path: Path) -> None:
    """Each has a line, here of a repository of three modules without commits."""
    (tmp_path / "core").mkdir()
    (tmp_path / "core/harbour.py").write_text(MADE_UP)
    (tmp_path / "core/pier.py").write_text(SECOND)
    (tmp_path / "core/__init__.py").write_text("")
    command = [sys.executable, ".ci/house.py", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert dict(line.rsplit(": ", 1) for line in done.stdout.splitlines()) == {
        "docstrings that open with a question word": "40.0%",
        '"stand" and "stands" in 1,000 words of docstrings and comments': "33.33",
        '"told", "tell" and "tells" in 1,000 words of docstrings and comments': "66.67",
        "subjects of the last 0 commits over 72 characters": "0.0%",
        "private functions with a name of one word": "50.0%",
        "functions that are private and called once": "14.3%",
        "modules": "3",
        "modules under 30 lines": "2",
        "modules with one importer": "1",
        "median length of a function in lines": "2",
    }
