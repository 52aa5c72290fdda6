"""Naturally worded questions of several sets, asked with their passages, without them, and of other sets.

A folder holds natural.jsonl, a question a line: {"source_set", "question", "passages": [{"title", "text"}],
"answerable", "answers", "split": "fit" or "check"}, and pool.jsonl, a passage a line: {"source_set", "title", "text"}.

in_other_words.jsonl, beside this file, asks 240 of those passages in words that are not theirs: two questions each that
the passage answers, and one near it that it does not. A line: {"source_set", "passage": the first 16 digits of the
SHA-256 of its text, "question", "answer": the words of the passage that answer, or null}.
"""

import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.answerability import CANDIDATES, SEED, Asked, Question, asked_of

NATURAL = "natural"  # the setting in which a question is asked of its own set
OUT_OF_SCOPE = f"{NATURAL}, out of scope"
ORDINARY = "in other words"  # the setting of the questions that share few words with their passages
IN_OTHER_WORDS = Path(__file__).with_name("in_other_words.jsonl")
MOST_ASKED, MOST_CHECKED = 100, 60  # questions of a set for fitting, and for the report
MOST_POOLED = 150  # further passages of a set
LONGEST = 1100  # characters of a chunk; what is longer than the embedding model reads is cut at sentences
# Sets about one field: a question of the one may find its answer in the other.
FIELDS = (
    frozenset({"COVID-QA", "COVID-FAQ", "PubMedQA", "LiveQA-Med"}),
    frozenset({"BoolQ", "INSCIT", "RAGTruth-QA", "MTRAG", "chunking_evaluation"}),
    frozenset({"Anthropic-docs", "QASPER"}),
)
TITLE_IS_QUESTION = frozenset({"COVID-FAQ"})  # of these the titles are left out: they give the answer away


@dataclass(frozen=True, kw_only=True, slots=True)
class Natural:
    """One question."""

    text: str
    name: str  # of its set
    passages: tuple[str, ...]  # that answer it; where it cannot be answered, the nearest that people found
    answerable: bool
    answers: tuple[str, ...]
    checked: bool  # belongs to the half that is reported
    setting: str = NATURAL


@dataclass(frozen=True, kw_only=True, slots=True)
class Sets:
    """The indexed sets of questions."""

    questions: tuple[Natural, ...]
    roles: dict[str, Any]  # by the name of the set


def index(folder: Path, *, most: int | None = None) -> Sets:
    """Index the passages of the chosen questions and others of their sets, a role for each set.

    most: how many questions of a set at most, for each of its halves.
    """
    from core.models import Role

    pools = _by_set(_lines(folder / "pool.jsonl"))
    questions = (*_questions(folder, most), *_in_other_words(pools, most))
    passages: dict[str, dict[str, str]] = {}  # by set: the text, and its title
    asked_about = {(question.name, text) for question in questions for text in question.passages}
    chance = random.Random(SEED)
    for name, pool in pools.items():
        needed = [raw for raw in pool if (name, raw["text"]) in asked_about]
        others = [raw for raw in pool if (name, raw["text"]) not in asked_about]
        kept = needed + chance.sample(others, min(MOST_POOLED, len(others)))
        passages[name] = {raw["text"]: "" if name in TITLE_IS_QUESTION else raw["title"] for raw in kept}
    roles = {name: Role.objects.create(name=name) for name in passages}
    for name, texts in passages.items():
        _store(name, texts, roles[name])
    return Sets(questions=questions, roles=roles)


def ask_all(sets: Sets) -> Iterator[Asked]:
    """Ask every question of its set with its passages and without them, and of sets about other fields."""
    from core.library import embedding
    from core.types import Audience

    vectors = embedding.provider().embed([question.text for question in sets.questions])
    for question, vector in zip(sets.questions, vectors, strict=True):
        own = _chunks(question.passages)
        of_set = Audience.of([[sets.roles[question.name].pk]])
        others = Audience.of([[sets.roles[name].pk for name in sets.roles if not _alike(name, question.name)]])
        found = list(_search(question.text, vector, of_set, CANDIDATES + len(own)))
        without = [passage for passage in found if passage.content not in own]
        elsewhere = list(_search(question.text, vector, others, CANDIDATES))
        askings = [(question.setting, without, False), (OUT_OF_SCOPE, elsewhere, False)]
        if question.answerable or question.setting == ORDINARY:
            askings.insert(0, (question.setting, found, question.answerable))
        for setting, passages, answerable in askings:
            yield from asked_of(
                Question(text=question.text, group=question.name, answers=question.answers),
                passages[:CANDIDATES],
                setting=setting,
                answerable=answerable,
                carriers=own if answerable else (),
                fits=question.setting == ORDINARY or not question.checked,
                reported=question.checked,
            )


def _search(text: str, vector: Any, audience: Any, limit: int) -> Sequence[Any]:
    from core.library import embedding
    from core.library.retrieval.search import search_corpus
    from core.types import Filters

    model = embedding.provider().name
    return search_corpus(text, vector, model=model, audience=audience, filters=Filters(), limit=limit).passages


def _alike(name: str, other: str) -> bool:
    return name == other or any({name, other} <= field for field in FIELDS)


def _questions(folder: Path, at_most: int | None) -> Iterator[Natural]:
    chance = random.Random(SEED)
    for name, rows in _by_set(_lines(folder / "natural.jsonl")).items():
        for split, most in (("fit", MOST_ASKED), ("check", MOST_CHECKED)):
            half = [raw for raw in rows if raw["split"] == split]
            for raw in chance.sample(half, min(most, at_most or most, len(half))):
                yield Natural(
                    text=raw["question"].strip(),
                    name=name,
                    passages=tuple(passage["text"] for passage in raw["passages"]),
                    answerable=raw["answerable"],
                    answers=tuple(raw["answers"]),
                    checked=split == "check",
                )


def _in_other_words(pools: dict[str, list[dict[str, Any]]], at_most: int | None) -> Iterator[Natural]:
    """The questions that share few words with the passages they are about, as far as the folder has these."""
    texts = {(name, _digest(raw["text"])): raw["text"] for name, pool in pools.items() for raw in pool}
    for name, rows in _by_set(_lines(IN_OTHER_WORDS)).items():
        known = [raw for raw in rows if (name, raw["passage"]) in texts]
        for raw in known[:at_most]:
            yield Natural(
                text=raw["question"],
                name=name,
                passages=(texts[name, raw["passage"]],),
                answerable=raw["answer"] is not None,
                answers=(raw["answer"],) if raw["answer"] else (),
                checked=True,
                setting=ORDINARY,
            )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _store(name: str, texts: dict[str, str], role: Any) -> None:
    from core.testing import make_document

    by_title: dict[str, list[str]] = {}
    for text, title in texts.items():
        by_title.setdefault(title, []).extend(_chunks([text]))
    for title, chunks in by_title.items():
        make_document(title or name, *dict.fromkeys(chunks), roles=[role], collection=name)


def _chunks(texts: Iterable[str]) -> dict[str, None]:
    """The texts in pieces of whole sentences."""
    from core.language.nlp.text import sentences

    pieces: dict[str, None] = {}
    for text in texts:
        start = end = 0
        for begin, stop in sentences(text):
            if stop - start > LONGEST and end > start:
                pieces[text[start:end]] = None
                start = begin
            end = stop
        pieces[text[start:end]] = None
    return {piece: None for piece in pieces if piece.strip()}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _by_set(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    sets: dict[str, list[dict[str, Any]]] = {}
    for raw in rows:
        sets.setdefault(raw["source_set"], []).append(raw)
    return sets
