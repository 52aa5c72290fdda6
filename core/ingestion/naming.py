"""Names of files, for people."""

import re
from pathlib import PurePosixPath

from core.ingestion.dates import date_in_name


def title_from_name(name: str) -> str:
    """A readable title from a file's name: "safety_manual-2.pdf" becomes "Safety manual 2"."""
    stem = PurePosixPath(name).stem or name
    if date_in_name(stem) and not re.search(r"[A-Za-z]{2}", stem):
        return stem
    words = re.sub(r"[\s_-]+", " ", stem).strip()
    return words[:1].upper() + words[1:] if words else name


def suffix(name: str) -> str:
    """The ending of a file's name, in lower case and with its dot; "" when it has none."""
    return PurePosixPath(name).suffix.lower()
