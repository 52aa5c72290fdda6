"""Names of files, for people."""

import re
import unicodedata
from pathlib import PurePosixPath

from core.library.ingestion.dates import date_in_name

_LONGEST = 200  # characters of a name that somebody gave a file; systems take 255 bytes
_LONGEST_ENDING = 10
_SEPARATORS = re.compile(r"[/\\]")


def clean_uploaded_name(name: str) -> str:
    """Clean the name of an uploaded file, to be stored and shown.

    Folders before it, invisible characters and those that turn the direction of reading are removed, and it is
    shortened; "file" replaces an empty name.
    """
    last = _SEPARATORS.split(name)[-1]
    shown = "".join(character for character in last if not unicodedata.category(character).startswith("C"))
    stem, ending = _split_ending(" ".join(shown.split()))
    return f"{stem[: _LONGEST - len(ending)].strip(' .') or 'file'}{ending}"


def _split_ending(name: str) -> tuple[str, str]:
    """A name and its ending, with the dot; an ending that is none of a file stays with the name."""
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if dot and ending.isalnum() and len(ending) < _LONGEST_ENDING else (name, "")


def title_from_name(name: str) -> str:
    """A readable title from a file's name: "safety_manual-2.pdf" becomes "Safety manual 2".

    A hyphen between figures stays: "fees-2025-26.xlsx" becomes "Fees 2025-26".
    """
    stem = PurePosixPath(name).stem or name
    if date_in_name(stem) and not re.search(r"[A-Za-z]{2}", stem):
        return stem
    words = re.sub(r"(?:[\s_]|(?<!\d)-|-(?!\d))+", " ", stem).strip()
    return words[:1].upper() + words[1:] if words else name


def suffix(name: str) -> str:
    """The ending of a file's name, in lower case and with its dot; "" when it has none."""
    return PurePosixPath(name).suffix.lower()
