"""Name the types of documents: in front matter and folders, and in questions. Pure."""

import re
from pathlib import PurePosixPath

# Values of Document.Type. They are repeated here because parsers run without Django; a test compares them.
TYPES = ("paper", "book", "manual", "statement", "minutes", "page", "note", "report", "other")
# Words that mean a document of a type wherever they occur.
_EVERYWHERE = {
    "minutes": "minutes",
    "statement": "statement",
    "press release": "statement",
    "paper": "paper",
    "preprint": "paper",
    "manual": "manual",
    "book": "book",
    "textbook": "book",
    "report": "report",
    "note": "note",
    "memo": "note",
}
# In a question these mean other things as often: "article 5", "the chapter on fees", "the procedure", "page 3".
_IN_FILES = {
    "article": "paper",
    "arxiv": "paper",
    "chapter": "book",
    "handbook": "manual",
    "guide": "manual",
    "procedure": "manual",
    "minute": "minutes",
    "web page": "page",
}
_FILED = {name: name for name in TYPES} | _EVERYWHERE | _IN_FILES


def _write_plural(word: str) -> str:
    return word if word.endswith("s") else f"{word}s"


# What a question calls documents, in the singular and plural. A file that says "handbook" is a manual; who asks for the
# handbook means a shelf of that name as often, and is described by that word (core.asking.answering.understanding).
SPOKEN = {
    form: kind
    for word, kind in (_EVERYWHERE | {"handbook": "handbook"}).items()
    for form in (word, _write_plural(word))
}
SPOKEN_PLURALS = tuple(dict.fromkeys(map(_write_plural, _EVERYWHERE | {"handbook": "handbook"})))


def type_from_word(word: object) -> str:
    """Return the document type that a word means, in the singular or plural; "" when it means none that is known."""
    if not isinstance(word, str):
        return ""
    folded = re.sub(r"[\s_-]+", " ", word).strip().casefold()
    return _FILED.get(folded) or _FILED.get(folded.removesuffix("s"), "")


def type_from_path(path: str) -> str:
    """Return the document type that the nearest telling folder of a path names; "" when none does."""
    for folder in reversed(PurePosixPath(path).parts[:-1]):
        found = type_from_word(folder)
        if found:
            return found
    return ""
