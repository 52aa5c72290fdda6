"""Words for the type of a document, as front matter and folders use them. Pure."""

import re
from pathlib import PurePosixPath

# Values of Document.Type. They are repeated here because parsers run without Django; a test compares them.
TYPES = ("paper", "book", "manual", "statement", "minutes", "page", "note", "report", "other")
_SYNONYMS = {
    "article": "paper",
    "preprint": "paper",
    "arxiv": "paper",
    "textbook": "book",
    "chapter": "book",
    "handbook": "manual",
    "guide": "manual",
    "procedure": "manual",
    "minute": "minutes",
    "press release": "statement",
    "memo": "note",
    "web page": "page",
}


def type_from_word(word: object) -> str:
    """The document type that a word means, in the singular or plural; "" when it means none that is known."""
    if not isinstance(word, str):
        return ""
    folded = re.sub(r"[\s_-]+", " ", word).strip().casefold()
    for candidate in (folded, folded.removesuffix("s")):
        if candidate in TYPES:
            return candidate
        if candidate in _SYNONYMS:
            return _SYNONYMS[candidate]
    return ""


def type_from_path(path: str) -> str:
    """The document type that the nearest telling folder of a path names; "" when none does."""
    for folder in reversed(PurePosixPath(path).parts[:-1]):
        found = type_from_word(folder)
        if found:
            return found
    return ""
