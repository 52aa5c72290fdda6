"""Make material of questions whose answers are quoted from documents, one folder for each organisation.

A folder holds `docs/` and `questions.jsonl`, a JSON object a line: {"id", "question", "answers", "near", "after",
"standalone"}. "answers" are {"file", "quote", "answer"}: all places that answer, and which words of them do; none where
no document answers. "near" are places that seem to. "after" is the id of the question before a follow-up, which
"standalone" writes out in full. Every other passage of the folder does not answer, so the nearest ones are taken too.
"""

import bisect
import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.asking.reading.tables import write_tables
from core.language.query_understanding.follow_ups import Turn, stand_alone
from core.language.query_understanding.meanings import list_meanings
from core.library.embedding.local import SentenceTransformerProvider
from readers.documents import split_words
from readers.material import NEAREST, OTHER, Material, Passage, Question, RowsError, read_lines, take_text
from readers.own import PlacedPassage, read_documents

DOCUMENTS, QUESTIONS = "docs", "questions.jsonl"
_NEAREST = 2  # passages that do not answer, of a question that has an answer
_NEAREST_OF_NONE = 3  # and of one that has none
_ASKED_ON = dt.date(2026, 1, 1)  # what "last year" in a follow-up is counted from


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asked:
    """A question of a folder, in each of the forms in which the product may read it."""

    id: str
    forms: tuple[str, ...]
    answering: Mapping[int, tuple[int, int] | None]  # passages that answer, with the answer's characters
    near: frozenset[int]  # passages that seem to


def read_quoted(folder: Path) -> Material:
    """Read a folder's questions with its passages. RowsError, with file and line, for what is amiss."""
    placed, left_out = read_documents([folder / DOCUMENTS])
    if not placed:
        raise RowsError(f"No passage was found in {folder / DOCUMENTS}.")
    asked = list(_read_questions(folder / QUESTIONS, placed, left_out))
    if not asked:
        raise RowsError(f"No question of {folder / QUESTIONS} has its answer in the documents.")
    nearest = _rank([each.forms[0] for each in asked], placed)
    questions = [
        Question(
            id=f"{each.id}-{form}-{passage}",
            set=f"organisation-{folder.name}",
            text=text,
            passage=passage,
            answers=passage in each.answering,
            span=each.answering.get(passage),
            negative="" if passage in each.answering else OTHER if passage in each.near else NEAREST,
        )
        for each, ranked in zip(asked, nearest, strict=True)
        for form, text in enumerate(each.forms)
        for passage in _choose(each, ranked)
    ]
    return Material(
        passages=tuple(_write(each.passage) for each in placed), questions=tuple(questions), left_out=left_out
    )


def _choose(asked: _Asked, ranked: Sequence[int]) -> list[int]:
    """Return the passages that a question is asked of: those known to answer or to seem so, and the nearest others."""
    others = [place for place in ranked if place not in asked.answering and place not in asked.near]
    return [*asked.answering, *asked.near, *others[: _NEAREST if asked.answering else _NEAREST_OF_NONE]]


def _read_questions(path: Path, placed: Sequence[PlacedPassage], left_out: Counter[str]) -> Iterator[_Asked]:
    known: dict[str, str] = {}  # the questions so far, as they stand alone
    for where, line in read_lines(path):
        identifier, question = take_text(line, "id", where), take_text(line, "question", where)
        whole = line.get("standalone") or question
        before = known.get(str(line.get("after")), "")
        known[identifier] = whole
        answering: dict[int, tuple[int, int] | None] = {}
        for answer in line.get("answers") or []:
            for place in _find_places(answer, placed, where):
                answering[place] = answering.get(place) or _find_answer(answer, placed[place].passage.text)
        near = {place for each in line.get("near") or [] for place in _find_places(each, placed, where)}
        if line.get("answers") and not answering:
            left_out["questions whose quote is in no passage as a whole"] += 1
            continue
        yield _Asked(
            id=identifier,
            forms=tuple(dict.fromkeys([whole, *_list_forms(question, before)])),
            answering=answering,
            near=frozenset(near - set(answering)),
        )


def _list_forms(question: str, before: str) -> list[str]:
    """Return what the product reads of a follow-up; nothing of a question that stands alone."""
    if not before:
        return []
    turn = Turn(question=before)
    forms = [stand_alone(question, [turn], today=_ASKED_ON).text, *list_meanings(question, [turn], today=_ASKED_ON)]
    return [form for form in forms if form != question]


def _find_places(quoted: Mapping[str, Any], placed: Sequence[PlacedPassage], where: str) -> list[int]:
    file, quote = take_text(quoted, "file", where), split_words(take_text(quoted, "quote", where))
    return [
        place
        for place, each in enumerate(placed)
        if each.file.name == file and f" {' '.join(quote)} " in f" {' '.join(split_words(each.passage.text))} "
    ]


def _find_answer(quoted: Mapping[str, Any], text: str) -> tuple[int, int] | None:
    """Return the characters of the written passage that answer; None where the words cannot be found again."""
    quote = _find_words(quoted["quote"], text, 0, len(text))
    answer = quote and _find_words(quoted.get("answer") or "", text, *quote)
    written = write_tables(text)
    if not answer or not written:
        return answer
    copied = [number for number, end in enumerate(written.ends) if end > written.starts[number]]
    starts = [written.starts[number] for number in copied]
    first, last = bisect.bisect_left(starts, answer[0]), bisect.bisect_left(starts, answer[1]) - 1
    return (copied[first], copied[last] + 1) if first <= last else None


def _find_words(words: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    parts = [re.escape(word) for word in split_words(words)]
    found = re.compile(r"\W+".join(parts), re.IGNORECASE).search(text, start, end) if parts else None
    return found.span() if found else None


def _write(passage: Passage) -> Passage:
    """Return a passage as the product writes it for a reader."""
    written = write_tables(passage.text)
    return Passage(text=written.text, title=passage.title) if written else passage


def _rank(questions: Sequence[str], placed: Sequence[PlacedPassage]) -> list[list[int]]:
    """Return for each question the passages by the similarity of their embeddings, the most similar first."""
    model = SentenceTransformerProvider()
    passages = model.embed([f"{each.passage.title}\n{each.passage.text}" for each in placed])
    return (-(model.embed(questions) @ passages.T)).argsort(axis=1).tolist()  # type: ignore[no-any-return]
