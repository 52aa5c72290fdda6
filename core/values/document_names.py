"""Name documents and places in them. Pure."""

import datetime as dt
import re
from urllib.parse import urlsplit

# What programs write as the author where nobody is named: letters alone, in lower case.
_NOBODY = frozenset(
    """admin administrator anonymous author authorname defaultuser guest librariesadmin microsoftofficeuser na noauthor
    none nobody notspecified officeuser owner pythondocx pythonpptx root unknown unknownauthor unnamed unspecified
    user username windowsuser yourname""".split()  # noqa: SIM905 - a list of so many strings would be harder to read
)
_ENDING = re.compile(r"[^.]\.[A-Za-z0-9]{1,9}\Z")  # of a file's name


def tell_apart(name: str, date: dt.date | None, file_name: str) -> str:
    """Distinguish a document from others of its name: by its date, else by its file's name where that adds something.

    It follows from this document alone, because not everybody may know that there is another one.
    """
    if date:
        return date.isoformat()
    stem = file_name.rpartition(".")[0]
    return "" if _keep_letters(stem) == _keep_letters(name) else file_name


def find_file_name(source: str, original_name: str) -> str:
    """Return the name of the file as it came, else the last part of where a text came from, where that is a file."""
    path, _, part = source.partition("#")
    last = urlsplit(path).path if "://" in path else path
    name = original_name or ("" if part else last.rpartition("/")[2])
    return name if _ENDING.search(name) and ":" not in name else ""


def name_authors(value: object) -> str:
    """Return the names of authors, given as a text or a list of texts; "" for what programs write for nobody."""
    names = value if isinstance(value, list) else [value]
    lines = (" ".join(name.split()) for name in names if isinstance(name, str))
    return ", ".join(line for line in lines if line and _keep_letters(line) not in _NOBODY)


def reference_of(chapter: str, section: str, page_number: int | None) -> str:
    """A place in a document in the textbook's form: `Chapter X, Section Y, Page Z`, absent parts left out."""
    parts = (("Chapter", chapter), ("Section", section if section != chapter else ""), ("Page", page_number))
    return ", ".join(f"{name} {value}" for name, value in parts if value)


def _keep_letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
