"""Check the subjects of commit messages: `commit_subject.py FILE` for the hook in .githooks, `--new` for .ci/run.

Exit code 1, and the reasons on standard error, if one is too long, ends with a full stop, does not begin with a capital
letter, or is not followed by a blank line. `--new` checks the commits that origin/main has not, or, where there is no
such branch, those since the last tag. The standard library is enough: the hook runs before `make setup` has.
"""

import re
import subprocess
import sys
from pathlib import Path

LONGEST = 72

# Git writes these subjects itself: of a merge, and of commits that a rebase folds into others.
_WRITTEN_BY_GIT = re.compile(r"Merge |(?:fixup|squash|amend)! ")

RULED_FROM = "2658d926a76451de987c374713e9a2c9e7a7a4cc"  # the last commit that was made before CI read subjects


def list_faults(message: str) -> list[str]:
    """Describe each fault of a message's subject; none for an empty message, which git refuses by itself."""
    lines = [line.rstrip() for line in message.splitlines() if not line.startswith("#")]
    while lines and not lines[0]:
        lines.pop(0)
    if not lines or _WRITTEN_BY_GIT.match(lines[0]):
        return []
    subject = lines[0]
    faults = {
        f"has {len(subject)} characters; {LONGEST} at most": len(subject) > LONGEST,
        "ends with a full stop": subject.endswith("."),
        "does not begin with a capital letter": not subject[0].isupper(),
        "is not followed by a blank line": len(lines) > 1 and bool(lines[1]),
    }
    return [fault for fault, is_so in faults.items() if is_so]


def find_base() -> str | None:
    """Return where the new commits begin; None where neither origin/main nor a tag is known."""
    if _git("rev-parse", "--verify", "--quiet", "origin/main"):
        return "origin/main"
    return _git("describe", "--tags", "--abbrev=0") or None


def check_new() -> int:
    """Print the faults of the commits that are new, and return the exit code."""
    base = find_base()
    if base is None:
        sys.stderr.write("SKIPPED: the subjects of new commits. Neither origin/main nor a tag says which are new.\n")
        return 0
    ruled = [f"^{RULED_FROM}"] if _git("rev-parse", "--verify", "--quiet", f"{RULED_FROM}^{{commit}}") else []
    hashes = _git("rev-list", "--no-merges", f"{base}..HEAD", *ruled).split()
    faults = [(commit, fault) for commit in hashes for fault in list_faults(_git("log", "-1", "--format=%B", commit))]
    for commit, fault in faults:
        sys.stderr.write(f"The subject of the commit {commit[:12]} {fault}.\n")
    return 1 if faults else 0


def _git(*arguments: str) -> str:
    """Return what git prints; nothing where it fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, check=False)  # noqa: S607 - any git will do
    return done.stdout.strip() if done.returncode == 0 else ""


def main() -> int:
    """Print the faults of the message in a file, or of new commits, and return the exit code."""
    if sys.argv[1] == "--new":
        return check_new()
    faults = list_faults(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for fault in faults:
        sys.stderr.write(f"The subject of the commit {fault}.\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
