"""Write the documentation's lists from the rows of `core.library.ingestion.formats`: python -m tests.formats."""

import re
from pathlib import Path

from core.library.ingestion.formats import FileKind, list_formats

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/admin.md", "docs/asking.md")

_SENTENCE = re.compile(r"^(.*\bFootnote reads )[^.\n]+(?=\.)", re.MULTILINE)
_TABLE = re.compile(r"^\| Format \|(?:[^\n]*\|\n)+", re.MULTILINE)


def write_formats(page: str) -> str:
    """Return the text of a page with its lists of formats made anew."""
    sentence = list_formats(kind for kind in FileKind if not kind.value.needs_recognition)
    return _TABLE.sub(lambda _: _write_table(), _SENTENCE.sub(lambda found: f"{found[1]}{sentence}", page))


def _write_table() -> str:
    """Formats of which the same is taken share a row."""
    rows: dict[tuple[str, str], list[FileKind]] = {}
    for kind in FileKind:
        rows.setdefault((kind.value.taken, kind.value.limits), []).append(kind)
    lines = ["| Format | Names end in | What is taken from it |", "|---|---|---|"]
    for (taken, limits), kinds in rows.items():
        names = ", ".join(kind.value.listed for kind in kinds)
        endings = ", ".join(ending for kind in kinds for ending in kind.value.endings)
        most = f"; at most {limits}" if limits else ""
        lines.append(f"| {names[0].upper()}{names[1:]} | {endings} | {taken}{most} |")
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / name
        path.write_text(write_formats(path.read_text(encoding="utf-8")), encoding="utf-8")
