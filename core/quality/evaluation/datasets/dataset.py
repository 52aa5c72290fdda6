"""Questions with known answers: reading a dataset. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import FootnoteError, InvalidFilterError
from core.filters import parse_filters
from core.types import Filters

# Alternatives, of which one is enough.
Choice = tuple[str, ...]

_KNOWN = (
    "id",
    "question",
    "as",
    "kind",
    "expected",
    "first",
    "refusal_too",
    "source",
    "sources",
    "all_sources",
    "page",
    "forbidden",
    "conversation",
    "selected_text",
    "filters",
    "library",
    "half",
)
_TEXTS = ("id", "as", "kind", "source", "conversation", "selected_text", "library", "half")
_FLAGS = ("first", "refusal_too", "all_sources")
NO_KIND = "question"  # of a line that names none


class DatasetError(FootnoteError):
    """The dataset cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One question of a dataset, and what is known of its answer."""

    identifier: str  # its id, else "line N"
    kind: str  # what sort of question it is, for the table
    question: str
    email: str | None  # who asks, when the line says so
    expected: tuple[Choice, ...] = ()  # a right answer has all of these; empty when that is not known
    first: bool = False  # it says them before anything else, in its first statement
    refusal_expected: bool = False  # the right answer is none
    refusal_too: bool = False  # no answer is as right as the expected one: the question is ambiguous
    sources: tuple[Choice, ...] = ()  # parts of the name or address of documents that a right answer cites
    all_sources: bool = False  # all of the sources are to be cited; else one of them
    pages: tuple[int, ...] = ()  # one of these pages of a right source is to be cited; empty when any will do
    forbidden: Choice = ()  # parts of the name or address of documents that must not be retrieved or cited
    conversation: str = ""  # lines of one person with the same label are one conversation
    selected_text: str | None = None  # the text that is asked about instead of the library
    filters: Filters = Filters()  # noqa: RUF009 - frozen
    library: str = ""  # which library the question is about, where a dataset asks about several
    half: str = ""  # which part of a dataset that is kept in two: one to build with, one to check with


@dataclass(frozen=True, kw_only=True, slots=True)
class Dataset:
    """The questions of a file."""

    name: str
    items: tuple[Item, ...]
    content_hash: str  # SHA-256 of what is asked and expected, as hexadecimal


def read(
    lines: Iterable[str], *, name: str = "", library: str = "", half: str = "", most: int | None = None
) -> Dataset:
    """Return the items of a dataset, a JSON object a line. DatasetError, naming the line, for what cannot be used.

    library, half: only the lines that say so; empty for all of them. most: the first so many of these.
    """
    items: list[Item] = []
    chosen: list[Item] = []
    digest = hashlib.sha256()
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        try:
            items.append(_read_item(json.loads(raw), number))
        except json.JSONDecodeError as error:
            raise DatasetError(f"Line {number} is not JSON: {error.msg} at column {error.colno}.") from error
        except InvalidFilterError as error:
            raise DatasetError(f"Line {number}: {error.message}") from error
        except ValueError as error:
            raise DatasetError(f"Line {number}: {error}.") from error
        if items[-1].identifier in {item.identifier for item in items[:-1]}:
            raise DatasetError(f"Line {number}: the id {items[-1].identifier} appears twice.")
        if _is_of(items[-1], library, half) and (most is None or len(chosen) < most):
            chosen.append(items[-1])
            digest.update(raw.strip().encode() + b"\n")
    if not chosen:
        of_it = " of this library and half" if items else ""
        raise DatasetError(f"The dataset has no questions{of_it}.")
    return Dataset(name=name, items=tuple(chosen), content_hash=digest.hexdigest())


def _is_of(item: Item, library: str, half: str) -> bool:
    return library in ("", item.library) and half in ("", item.half)


def _read_item(line: Any, number: int) -> Item:
    if not isinstance(line, Mapping):
        raise ValueError("not a JSON object")
    if unknown := set(line) - set(_KNOWN):
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(_KNOWN)}")
    if not isinstance(line.get("question"), str):
        raise ValueError("it needs a question as text")
    for name in _TEXTS:
        if not isinstance(line.get(name) or "", str):
            raise ValueError(f"{name} must be text")
    for name in _FLAGS:
        if not isinstance(line.get(name, False), bool):
            raise ValueError(f"{name} must be true or false")
    expected = _read_expected(line.get("expected"))
    refusal = "expected" in line and not expected
    if line.get("first") and not expected:
        raise ValueError("first is only for a question with expected words")
    if refusal and line.get("refusal_too"):
        raise ValueError("refusal_too is only for a question that also has an answer")
    return Item(
        identifier=line.get("id") or f"line {number}",
        kind=line.get("kind") or NO_KIND,
        question=line["question"],
        email=line.get("as"),
        expected=expected,
        first=line.get("first", False),
        refusal_expected=refusal,
        refusal_too=line.get("refusal_too", False),
        sources=_read_sources(line),
        all_sources=line.get("all_sources", False),
        pages=_read_pages(line.get("page")),
        forbidden=_read_texts("forbidden", line.get("forbidden") or []),
        conversation=line.get("conversation") or "",
        selected_text=line.get("selected_text"),
        filters=parse_filters(line.get("filters")),
        library=line.get("library") or "",
        half=line.get("half") or "",
    )


def _read_expected(raw: Any) -> tuple[Choice, ...]:
    """Read the expected parts of a right answer: a text, texts of which one is enough, or {"all": [such, ...]}."""
    if raw is None:
        return ()
    if isinstance(raw, Mapping):
        if set(raw) != {"all"} or not isinstance(raw["all"], list) or not raw["all"]:
            raise ValueError('expected as an object must be {"all": [text, ...]}')
        return tuple(_read_choice("expected", part) for part in raw["all"])
    if not isinstance(raw, str | list):
        raise ValueError(
            "expected must be a text, a list of texts of which one is enough, an object with all of them, or null "
            "for a refusal"
        )
    return (_read_choice("expected", raw),) if raw != [] else ()


def _read_sources(line: Mapping[str, Any]) -> tuple[Choice, ...]:
    if line.get("source") and line.get("sources"):
        raise ValueError("source and sources mean the same; give one of them")
    if line.get("source"):
        return ((line["source"],),)
    raw = line.get("sources") or []
    if not isinstance(raw, list):
        raise ValueError("sources must be a list")
    return tuple(_read_choice("sources", part) for part in raw)


def _read_choice(name: str, raw: Any) -> Choice:
    return _read_texts(name, [raw] if isinstance(raw, str) else raw)


def _read_texts(name: str, raw: Any) -> Choice:
    if not isinstance(raw, list) or not all(isinstance(text, str) and text.strip() for text in raw):
        raise ValueError(f"{name} must hold texts that are not empty")
    return tuple(raw)


def _read_pages(raw: Any) -> tuple[int, ...]:
    pages = [] if raw is None else raw if isinstance(raw, list) else [raw]
    if not all(isinstance(page, int) and not isinstance(page, bool) and page > 0 for page in pages):
        raise ValueError("page must be a page number, or a list of page numbers of which one is enough")
    return tuple(pages)
