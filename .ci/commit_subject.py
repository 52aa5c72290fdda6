"""Check the subject of a commit message, for the hook in .githooks: `commit_subject.py FILE`.

Exit code 1, and the reasons on standard error, if it is too long, ends with a full stop, does not begin with a capital
letter, or is not followed by a blank line. The standard library is enough: the hook runs before `make setup` has.
"""

import re
import sys
from pathlib import Path

LONGEST = 72

# Git writes these subjects itself: of a merge, and of commits that a rebase folds into others.
_WRITTEN_BY_GIT = re.compile(r"Merge |(?:fixup|squash|amend)! ")


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


def main() -> int:
    """Print the faults of the message in a file, and return the exit code."""
    faults = list_faults(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for fault in faults:
        sys.stderr.write(f"The subject of the commit {fault}.\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
