"""Map the files of a source to the groups that may read them, by rules that the source's owners write. Pure.

    # The last line that fits a file decides.
    *: staff
    board/: directors, company secretary
    board/drafts/:

Before the colon is a pattern, after it the groups that read matching files; without groups, nobody does. A file that no
line fits is read by nobody.
"""

import csv
from dataclasses import dataclass

from core.errors import SourceError
from core.library.sync.files.patterns import PathPattern, read_pattern

FILE = ".footnote-readers.txt"  # in the root of a source
_MOST_LINES = 5000


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """Rules in their order."""

    rules: tuple[tuple[PathPattern, tuple[str, ...]], ...]

    def groups(self, path: str) -> tuple[str, ...]:
        """The groups that read a file; none: nobody does."""
        return next((groups for pattern, groups in reversed(self.rules) if pattern.fits(path)), ())


def read_rules(text: str, *, where: str) -> ReaderRules:
    """The rules in a text. SourceError, which says the line, when one of them is no rule.

    where: what the text is, for people.
    """
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise SourceError(f"{where} has more than {_MOST_LINES} lines. Name folders rather than each file.")
    rules = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(_read_rule(line.strip()))
        except (ValueError, csv.Error) as error:
            raise SourceError(
                f"{where}, line {number}: {error}. Expected a pattern, a colon, and the groups that read what it fits, "
                "such as board/: directors, company secretary. Until that is mended, nothing is taken from this source."
            ) from error
    return ReaderRules(tuple(rules))


def _read_rule(line: str) -> tuple[PathPattern, tuple[str, ...]]:
    pattern, colon, named = line.partition(": ") if ": " in line else (line.removesuffix(":"), line[-1:], "")
    if not colon.startswith(":"):
        raise ValueError("there is no colon with a space after it")
    groups = [name.strip() for name in next(csv.reader([named.strip()], skipinitialspace=True, strict=True), [])]
    if not all(groups):
        raise ValueError("the name of a group is missing beside a comma")
    return read_pattern(pattern), tuple(dict.fromkeys(groups))
