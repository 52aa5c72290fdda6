"""Reading a retrieval benchmark in BEIR's layout: corpus.jsonl, queries.jsonl, and the judgements (qrels).

Source of the layout: Thakur and others, "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information
Retrieval Models" (2021). The judgements are in qrels/{split}.tsv, or in one qrels.tsv where there is one split only:
query id, document id and gain, with a header.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import FootnoteError

CORPUS, QUERIES, JUDGEMENTS = "corpus.jsonl", "queries.jsonl", "qrels"
USUAL_SPLIT = "test"  # the one that published figures are of


class BeirError(FootnoteError):
    """The folder cannot be used as a benchmark."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CorpusDocument:
    """A document of the corpus. Title or text may be empty, not both."""

    identifier: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, and which documents are relevant to it."""

    identifier: str
    text: str
    judged: dict[str, int]  # gain by document id; at least one is over 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Benchmark:
    """The questions and judgements for a corpus. `documents` reads its documents anew: they may be too many to keep."""

    folder: Path
    document_count: int
    questions: tuple[Question, ...]  # in the order of the judgements
    unknown_documents: int  # judgements of documents that are not in the corpus, left out
    unknown_questions: int  # judgements of questions that are not in queries.jsonl, left out


def read(folder: Path, split: str | None = None) -> Benchmark:
    """Read questions and judgements, and check every line of the corpus.

    split: which judgements, as in qrels/{split}.tsv; without it qrels.tsv, else qrels/test.tsv.
    BeirError, naming file and line, for what is missing or malformed, and when no question is judged.
    """
    known = {document.identifier for document in documents(folder)}
    texts = _read_questions(folder / QUERIES)
    judged: dict[str, dict[str, int]] = {}
    unknown_documents = unknown_questions = 0
    path = _judgements_file(folder, split)
    for question, document, gain in _read_judgements(path):
        if question not in texts:
            unknown_questions += 1
        elif document not in known:
            unknown_documents += 1
        else:
            judged.setdefault(question, {})[document] = gain
    questions = tuple(
        Question(identifier=question, text=texts[question], judged=gains)
        for question, gains in judged.items()
        if any(gain > 0 for gain in gains.values())
    )
    if not questions:
        raise BeirError(f"{path} judges no document of the corpus relevant to a question, so nothing can be measured.")
    return Benchmark(
        folder=folder,
        document_count=len(known),
        questions=questions,
        unknown_documents=unknown_documents,
        unknown_questions=unknown_questions,
    )


def documents(folder: Path) -> Iterator[CorpusDocument]:
    """The documents of the corpus, one after the other. BeirError, naming the line, for one that cannot be used."""
    path = folder / CORPUS
    seen: set[str] = set()
    for number, line in _read_objects(path):
        identifier = _read_text(path, number, line, "_id")
        title, text = (_read_text(path, number, line, name, optional=True) for name in ("title", "text"))
        if identifier in seen:
            raise BeirError(f"{path}, line {number}: the _id {identifier} appears twice.")
        if not title.strip() and not text.strip():
            raise BeirError(f"{path}, line {number}: a document needs a title or a text.")
        seen.add(identifier)
        yield CorpusDocument(identifier=identifier, title=title, text=text)
    if not seen:
        raise BeirError(f"{path} has no documents.")


def _read_questions(path: Path) -> dict[str, str]:
    return {
        _read_text(path, number, line, "_id"): _read_text(path, number, line, "text")
        for number, line in _read_objects(path)
    }


def _judgements_file(folder: Path, split: str | None) -> Path:
    alone = folder / f"{JUDGEMENTS}.tsv"
    if split is None and alone.is_file():
        return alone
    path = folder / JUDGEMENTS / f"{split or USUAL_SPLIT}.tsv"
    if not path.is_file():
        there = sorted(file.stem for file in (folder / JUDGEMENTS).glob("*.tsv"))
        choice = f"--split can be {', '.join(there)}." if there else f"There is no other in {JUDGEMENTS}/."
        raise BeirError(f"There are no judgements {path}. {choice}")
    return path


def _read_judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, raw in _read_lines(path):
        parts = raw.split("\t")
        if number == 1 and not parts[-1].strip().lstrip("-").isdigit():
            continue  # the header
        try:
            question, document, gain = (part.strip() for part in parts)
            judgement = question, document, int(gain)
        except ValueError as error:
            raise BeirError(
                f"{path}, line {number}: a judgement is a query id, a document id and a whole number, "
                "separated by tabs."
            ) from error
        yield judgement


def _read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, raw in _read_lines(path):
        try:
            line = json.loads(raw)
        except json.JSONDecodeError as error:
            raise BeirError(f"{path}, line {number}: not JSON ({error.msg} at column {error.colno}).") from error
        if not isinstance(line, dict):
            raise BeirError(f"{path}, line {number}: not a JSON object.")
        yield number, line


def _read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers from 1."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((number, raw) for number, raw in enumerate(file, 1) if raw.strip())
    except FileNotFoundError as error:
        raise BeirError(f"{path} does not exist. A benchmark needs {CORPUS}, {QUERIES} and {JUDGEMENTS}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BeirError(f"{path} cannot be read: {error}") from error


def _read_text(path: Path, number: int, line: dict[str, Any], name: str, *, optional: bool = False) -> str:
    value = line.get(name, "" if optional else None)
    if not isinstance(value, str) or not (optional or value.strip()):
        raise BeirError(f'{path}, line {number}: "{name}" must be text{"" if optional else " and not empty"}.')
    return value
