"""The questions of SQuAD 2.0 asked of what a role may read, and what can be answered from it."""

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

SEED = 7
PASSAGES = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question about one paragraph."""

    text: str
    article: str
    paragraph: int
    answers: tuple[str, ...]  # none when it was written to be impossible


@dataclass(frozen=True, kw_only=True, slots=True)
class Library:
    """What was indexed."""

    questions: tuple[Question, ...]
    roles: dict[str, Any]  # by name: all, articles 0, articles 1, paragraphs 0, paragraphs 1
    permitted: dict[str, frozenset[int]]  # the paragraphs of each role


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """One way to ask: what may be read, and which questions are put to it."""

    name: str
    audience: Any
    questions: tuple[Question, ...]
    permitted: frozenset[int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One question put to a setting."""

    setting: str
    article: str
    answerable: bool
    evidence: Any  # core.answering.evidence.Evidence
    top_similarity: float
    mean_similarity: float
    right: bool  # the sentences chosen from the passages hold an expected answer


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
    number = 0
    for article in articles:
        parts: dict[str, list[str]] = {"paragraphs 0": [], "paragraphs 1": []}
        of_articles = f"articles {int(article['title'] in half_of_articles)}"
        for paragraph in article["paragraphs"]:
            part = f"paragraphs {chance.randrange(2)}"
            parts[part].append(paragraph["context"])
            for name in ("all", of_articles, part):
                permitted[name].add(number)
            questions += [_question(raw, article["title"], number) for raw in paragraph["qas"]]
            number += 1
        for part, texts in parts.items():
            if texts:
                granted = [roles["all"], roles[of_articles], roles[part]]
                make_document(article["title"].replace("_", " "), *texts, roles=granted, collection=part)
    return Library(
        questions=tuple(questions), roles=roles, permitted={name: frozenset(kept) for name, kept in permitted.items()}
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
        )


def ask_all(setting: Setting, *, most: int | None = None) -> Iterator[Asked]:
    """Put the questions to a setting, or at most so many of them, evenly spread."""
    from core import embedding
    from core.answering.evidence import evidence_of
    from core.embedding.similarity import similarities
    from core.retrieval.search import search_corpus
    from core.types import Filters

    questions = setting.questions[:: max(1, len(setting.questions) // most)] if most else setting.questions
    model = embedding.provider()
    vectors = model.embed([question.text for question in questions])
    for number, (question, vector) in enumerate(zip(questions, vectors, strict=True), 1):
        found = search_corpus(
            question.text, vector, model=model.name, audience=setting.audience, filters=Filters(), limit=PASSAGES
        ).passages
        evidence = evidence_of(question.text, found, similarities) if found else None
        if evidence is None:
            continue
        nearest = sorted((passage.similarity for passage in found), reverse=True)
        yield Asked(
            setting=setting.name,
            article=question.article,
            answerable=bool(question.answers) and question.paragraph in setting.permitted,
            evidence=evidence,
            top_similarity=nearest[0],
            mean_similarity=sum(nearest) / PASSAGES,
            right=_right(question, found),
        )
        if number % 500 == 0:
            print(f"{setting.name}: {number} of {len(questions)}", file=sys.stderr)


def _right(question: Question, passages: Any) -> bool:
    import datetime as dt

    from core.agent.tools import marked
    from core.embedding.similarity import similarities
    from core.llm.extractive.selection import select

    shown = [marked(number, passage) for number, passage in enumerate(passages, 1)]
    _, chosen = select(question.text, shown, similarities, today=dt.datetime.now(dt.UTC).date())
    said = " ".join(" ".join(selected.text.split()) for selected in chosen).casefold()
    return any(" ".join(answer.split()).casefold() in said for answer in question.answers)


def _question(raw: dict[str, Any], article: str, paragraph: int) -> Question:
    answers = () if raw["is_impossible"] else tuple(answer["text"] for answer in raw["answers"])
    return Question(text=raw["question"].strip(), article=article, paragraph=paragraph, answers=answers)


def _audience(role: Any) -> Any:
    from core.types import Audience

    return Audience.of([[role.pk]])
