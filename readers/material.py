"""Questions with passages: the values, and files of them.

A file of passages holds a JSON object a line: {"passage": its number, "title", "text"}. A file of questions holds
{"question", "passage", "answerable"} and, where it is known, "id", "set", "statement", "negative", and "start" and
"end", the characters of the passage's text that answer. Files that end in .xz or .gz are compressed.
"""

import gzip
import json
import lzma
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

from core.errors import FootnoteError

# Ways in which a passage came to be one that does not answer.
NEAR = "near"  # another passage of the same document, with many of the question's words
NEAREST = "nearest"  # the nearest passage of a pool of other documents
OTHER = "other"  # the material does not say
FIT, CHECK = "fit", "check"  # the halves of rows: fitted on, and only judged

_Value = TypeVar("_Value", str, int, bool)
_NEEDED: Any = object()
_IN_WORDS = {str: "text", int: "a whole number", bool: "true or false"}


class RowsError(FootnoteError):
    """Rows, or what they are to be made of, cannot be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A text that a question is asked of."""

    text: str
    title: str = ""  # of the document, or of the part of it


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, or a statement in its place, with one passage."""

    id: str
    set: str
    text: str
    passage: int  # its place among the material's passages
    answers: bool  # the passage answers it, or supports it
    span: tuple[int, int] | None = None  # the answer's characters in the passage's text, where they are known
    negative: str = ""  # why the passage does not answer; empty where it does
    is_statement: bool = False
    half: str = ""  # FIT or CHECK where a dataset says which


@dataclass(frozen=True, kw_only=True, slots=True)
class Material:
    """Questions with their passages, before they are rows."""

    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]
    left_out: Counter[str] = field(default_factory=Counter)  # questions that cannot be rows, by the reason


def read_pair(questions: Path, passages: Path, *, statements: frozenset[str] = frozenset()) -> Material:
    """Read a file of questions and the file of their passages. RowsError, with file and line, for what is amiss.

    statements: sets whose questions are statements, of which the file need not say so.
    """
    places: dict[int, int] = {}
    kept: list[Passage] = []
    for where, line in read_lines(passages):
        number = take(line, "passage", int, where)
        if number in places:
            raise RowsError(f"{where}: passage {number} is there twice.")
        places[number] = len(kept)
        kept.append(Passage(text=take_text(line, "text", where), title=take(line, "title", str, where, "").strip()))
    found = []
    for number, (where, line) in enumerate(read_lines(questions), 1):
        passage = take(line, "passage", int, where)
        if passage not in places:
            raise RowsError(f"{where}: passage {passage} is not in {passages}.")
        question = _read_question(line, where, places[passage], kept[places[passage]].text)
        named = replace(
            question, set=question.set or _make_stem(questions), id=question.id or f"{_make_stem(questions)}-{number}"
        )
        found.append(replace(named, is_statement=True) if named.set in statements else named)
    return Material(passages=tuple(kept), questions=tuple(found))


def _read_question(line: Mapping[str, Any], where: str, passage: int, text: str) -> Question:
    answers = take(line, "answerable", bool, where)
    return Question(
        id=take(line, "id", str, where, ""),
        set=take(line, "set", str, where, ""),
        text=take_text(line, "question", where),
        passage=passage,
        answers=answers,
        span=take_span(line, where, text, answers=answers),
        negative="" if answers else take(line, "negative", str, where, "") or OTHER,
        is_statement=take(line, "statement", bool, where, False),
    )


def join(parts: Iterable[Material]) -> Material:
    """Return one material of several, with the passages numbered through."""
    passages: list[Passage] = []
    questions: list[Question] = []
    left_out: Counter[str] = Counter()
    for part in parts:
        questions += [replace(question, passage=question.passage + len(passages)) for question in part.questions]
        passages += part.passages
        left_out += part.left_out
    return Material(passages=tuple(passages), questions=tuple(questions), left_out=left_out)


def read_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of a file of JSON lines, each after its file and line in words. RowsError for what is none."""
    number = 0
    try:
        with _open(path) as file:
            for number, raw in enumerate(file, 1):
                if not raw.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    line = json.loads(raw)
                except (ValueError, RecursionError) as error:
                    raise RowsError(f"{where}: it is not JSON ({error}).") from None
                if not isinstance(line, dict):
                    raise RowsError(f"{where}: it is no JSON object.")
                yield where, line
    except FileNotFoundError:
        raise RowsError(f"{path} is missing.") from None
    except UnicodeDecodeError:
        raise RowsError(f"{path}, after line {number}: it is not UTF-8.") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise RowsError(f"{path}, after line {number}: it cannot be read ({error}).") from None


def take(line: Mapping[str, Any], name: str, kind: type[_Value], where: str, default: _Value = _NEEDED) -> _Value:
    """Return a field of a line. RowsError where it is of another kind, or absent without a default."""
    value = line.get(name)
    if value is None and default is not _NEEDED:
        return default
    if value is None:
        raise RowsError(f'{where}: it needs "{name}".')
    if type(value) is not kind:  # True is no number here
        raise RowsError(f'{where}: "{name}" must be {_IN_WORDS[kind]}.')
    return value


def take_text(line: Mapping[str, Any], name: str, where: str) -> str:
    """Return a field that is text, and not blank."""
    value = take(line, name, str, where)
    if not value.strip():
        raise RowsError(f'{where}: "{name}" is blank.')
    return value


def take_span(line: Mapping[str, Any], where: str, text: str, *, answers: bool) -> tuple[int, int] | None:
    """Return the characters that answer, None where they are not known. RowsError where they are not in the text."""
    if line.get("start") is None and line.get("end") is None:
        return None
    start, end = take(line, "start", int, where), take(line, "end", int, where)
    if not answers:
        raise RowsError(f"{where}: it has the place of an answer, and is said to have no answer.")
    if not 0 <= start < end <= len(text):
        raise RowsError(f"{where}: characters {start} to {end} are not within the passage's {len(text)}.")
    if not text[start:end].strip():
        raise RowsError(f"{where}: characters {start} to {end} of the passage are blank.")
    return start, end


def _open(path: Path) -> TextIO:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", encoding="utf-8")
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _make_stem(path: Path) -> str:
    return path.name.partition(".")[0]
