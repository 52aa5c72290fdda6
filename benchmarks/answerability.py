"""The questions of SQuAD 2.0 asked of what a role may read, and what can be answered from it."""

import random
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SEED = 7
PASSAGES = 5
CANDIDATES = 12  # passages of a search, of which a reader chooses those
UNHURRIED = 600.0  # seconds that reading may take: the figures are those of everything read
CLOSEST = 3  # passages that a reply shows where it is not sure
# Of the questions for which confidence is calibrated. People mostly ask a library what it is about.
ANSWERABLE_SHARE = 0.75


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question about one paragraph."""

    text: str
    group: str  # article or set: what a fit has seen as a whole or not at all
    answers: tuple[str, ...]  # none when it was written to be impossible
    paragraph: int = -1  # its number, where the question is about one


@dataclass(frozen=True, kw_only=True, slots=True)
class Library:
    """The indexed library of a benchmark."""

    questions: tuple[Question, ...]
    roles: dict[str, Any]  # by name: all, articles 0, articles 1, paragraphs 0, paragraphs 1
    permitted: dict[str, frozenset[int]]  # the paragraphs of each role
    texts: tuple[str, ...]  # of the paragraphs


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One way to ask: what may be read, and which questions are put to it."""

    name: str
    audience: Any
    questions: tuple[Question, ...]
    permitted: frozenset[int]
    texts: tuple[str, ...]  # of all paragraphs


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One question put to a setting."""

    setting: str
    group: str
    answerable: bool  # from what may be read
    shown: bool  # what answers it is among the passages
    near: bool  # and among the best three of them
    fits: bool  # may be fitted on
    reported: bool  # counts in the report
    evidence: Any  # core.asking.confidence.evidence.Evidence
    top_similarity: float
    mean_similarity: float
    right: bool  # the sentences chosen from the passages hold an expected answer


def as_asked(asked: Sequence[Asked], weights: Any) -> Any:
    """The weights, so that what can be answered has ANSWERABLE_SHARE of them all."""
    import numpy as np

    can = np.array([one.answerable for one in asked])
    if can.all() or not can.any():
        return weights
    share = np.where(can, ANSWERABLE_SHARE / weights[can].sum(), (1 - ANSWERABLE_SHARE) / weights[~can].sum())
    return weights * share * weights.sum()


def index(articles: list[dict[str, Any]]) -> Library:
    """Index every paragraph once, granted to a role for each thing that a setting permits."""
    from core.models import Role
    from core.testing import make_document

    chance = random.Random(SEED)
    titles = [article["title"] for article in articles]
    half_of_articles = set(chance.sample(titles, len(titles) // 2))
    names = ("all", "articles 0", "articles 1", "paragraphs 0", "paragraphs 1")
    roles = {name: Role.objects.create(name=name) for name in names}
    permitted: dict[str, set[int]] = {name: set() for name in names}
    questions: list[Question] = []
    texts: list[str] = []
    for article in articles:
        parts: dict[str, list[str]] = {"paragraphs 0": [], "paragraphs 1": []}
        of_articles = f"articles {int(article['title'] in half_of_articles)}"
        for paragraph in article["paragraphs"]:
            part = f"paragraphs {chance.randrange(2)}"
            parts[part].append(paragraph["context"])
            for name in ("all", of_articles, part):
                permitted[name].add(len(texts))
            questions += [_question(raw, article["title"], len(texts)) for raw in paragraph["qas"]]
            texts.append(paragraph["context"])
        for part, kept in parts.items():
            if kept:
                granted = [roles["all"], roles[of_articles], roles[part]]
                make_document(article["title"].replace("_", " "), *kept, roles=granted, collection=part)
    return Library(
        questions=tuple(questions),
        roles=roles,
        permitted={name: frozenset(kept) for name, kept in permitted.items()},
        texts=tuple(texts),
    )


def settings_of(library: Library) -> Iterator[Setting]:
    """The five askings of the three settings."""
    answerable = tuple(question for question in library.questions if question.answers)
    for name, role, questions in (
        ("out of scope", "articles 0", answerable),
        ("out of scope", "articles 1", answerable),
        ("passage missing", "paragraphs 0", answerable),
        ("passage missing", "paragraphs 1", answerable),
        ("adversarial", "all", library.questions),
    ):
        yield Setting(
            name=name,
            audience=_audience(library.roles[role]),
            questions=questions,
            permitted=library.permitted[role],
            texts=library.texts,
        )


def ask_all(setting: Setting, *, most: int | None = None) -> Iterator[Asked]:
    """Put the questions to a setting, or at most so many of them, evenly spread."""
    from core.library import embedding
    from core.library.retrieval.search import search_corpus
    from core.types import Filters

    questions = setting.questions[:: max(1, len(setting.questions) // most)] if most else setting.questions
    model = embedding.provider()
    vectors = model.embed([question.text for question in questions])
    for number, (question, vector) in enumerate(zip(questions, vectors, strict=True), 1):
        found = search_corpus(
            question.text, vector, model=model.name, audience=setting.audience, filters=Filters(), limit=CANDIDATES
        ).passages
        answerable = bool(question.answers) and question.paragraph in setting.permitted
        carriers = {setting.texts[question.paragraph]} if answerable else set()
        yield from asked_of(question, found, setting=setting.name, answerable=answerable, carriers=carriers)
        if number % 500 == 0:
            print(f"{setting.name}: {number} of {len(questions)}", file=sys.stderr)


def asked_of(
    question: Question,
    found: Sequence[Any],
    *,
    setting: str,
    answerable: bool,
    carriers: Collection[str],
    fits: bool = True,
    reported: bool = True,
) -> Iterator[Asked]:
    """A question with the passages that were found for it, best first; nothing where nothing can be compared.

    carriers: the texts that answer it.
    """
    from core.asking.answering.ordering import order_by_reading
    from core.asking.confidence.evidence import evidence_of
    from core.asking.reading.reader import recall
    from core.library.embedding.similarity import similarities

    found = order_by_reading(question.text, found, budget_s=UNHURRIED)[:PASSAGES]
    evidence = evidence_of(question.text, found, similarities, read=recall) if found else None
    if evidence is None:
        return
    nearest = sorted((passage.similarity for passage in found), reverse=True)
    yield Asked(
        setting=setting,
        group=question.group,
        answerable=answerable,
        shown=any(passage.content in carriers for passage in found),
        near=any(passage.content in carriers for passage in found[:CLOSEST]),
        fits=fits,
        reported=reported,
        evidence=evidence,
        top_similarity=nearest[0],
        mean_similarity=sum(nearest) / PASSAGES,
        right=_right(question, found),
    )


def _right(question: Question, passages: Any) -> bool:
    import datetime as dt

    from core.asking.generation.extractive.selection import select
    from core.asking.generation.tools import mark_passage
    from core.asking.reading.reader import recall
    from core.library.embedding.similarity import similarities

    shown = [mark_passage(number, passage) for number, passage in enumerate(passages, 1)]
    today = dt.datetime.now(dt.UTC).date()
    _, chosen = select(question.text, shown, similarities, today=today, read_passages=recall)
    said = " ".join(" ".join(selected.text.split()) for selected in chosen).casefold()
    return any(" ".join(answer.split()).casefold() in said for answer in question.answers)


def _question(raw: dict[str, Any], article: str, paragraph: int) -> Question:
    answers = () if raw["is_impossible"] else tuple(answer["text"] for answer in raw["answers"])
    return Question(text=raw["question"].strip(), group=article, paragraph=paragraph, answers=answers)


def _audience(role: Any) -> Any:
    from core.types import Audience

    return Audience.of([[role.pk]])
