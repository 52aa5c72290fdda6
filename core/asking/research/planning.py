"""Plan a research: the sections of the documents that speak of its topic, each with a question, or a model's outline.

Whatever is planned comes from what the whole audience may read, and says of which editions its words may be.
"""

import datetime as dt
import logging
import re
import textwrap
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from django.conf import settings

from core.asking.generation.markup import make_inert
from core.asking.generation.modes import is_extractive
from core.asking.generation.prompts import prompt, prompt_hash
from core.asking.reading.reader import read
from core.asking.research.topics import Topic
from core.asking.suggestions.phrasing import name_topic
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.filters import MOST_RESULTS
from core.language.nlp.headings import drop_number
from core.language.nlp.text import content_stems, one_line
from core.language.query_understanding.destinations import adds_destination
from core.library import embedding
from core.library.retrieval.search import search_corpus
from core.llm.client import ModelSettings
from core.llm.completion import complete
from core.types import Audience, Filters, Passage, Usage
from core.values.research import LONGEST_HEADING, MOST_PLANNED, PlannedQuestion

logger = logging.getLogger(__name__)

FOUND = 24  # passages that are looked at for a plan
# What a passage is worth for a topic: the share of the best passage's score, a tenth of the reader's logit within -4
# and 4, and up to a quarter where its document's name or its heading has two thirds of the topic's words. Chosen on 20
# topics over the sample library and evaluation/organisations: from .5, and .55 of the best, nearly all that speaks of
# the topic is kept, and half as much again that does not, which the asker sees and can strike out.
LEAST, OF_BEST = 0.5, 0.55
# Cosine similarity from which a passage speaks of a topic without any of its words; where none does, and none has a
# word of it, there is no plan. Of topics that nothing in a library speaks of, the nearest passages have .10 to .27.
NEAR = 0.35
_OF_READING, _MOST_READ, _NAMED, _NAMED_SHARE = 0.1, 4.0, 0.25, 1.5
IN_SHORT = "In short"
_ABOUT = re.compile(r"\Aabout (?=\S)", re.IGNORECASE)  # a heading such as "About this manual"
_BULLETS = ("-", "*", "•")
MOST_TOKENS = 900  # of an outline
LONGEST_TITLE = 200  # characters of a document's name within a question
LONGEST_SUBJECT = 100  # characters of the topic within one


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """Holds a plan that is proposed."""

    questions: tuple[PlannedQuestion, ...]
    planned_by: str = ""  # the model that wrote it
    usage: Usage = field(default_factory=Usage)


def make_plan(topic: Topic, *, audience: Audience, filters: Filters, model: ModelSettings) -> Plan:
    """Plan a research. An empty plan: nothing that the audience may read speaks of the topic.

    The model writes it where it is one that can; where it fails, rules do. Raises EmbeddingError, and OverBudgetError
    where no further call may be made.
    """
    passages = find_on_topic(topic, audience=audience, filters=filters)
    if not passages:
        return Plan(questions=())
    if not is_extractive(model):
        written = _write_plan(topic, passages, filters, model)
        if written:
            return written
    return Plan(questions=_plan_by_sections(topic, passages, filters))


def find_on_topic(topic: Topic, *, audience: Audience, filters: Filters) -> tuple[Passage, ...]:
    """Return the passages that speak of a topic, best first.

    Of its period, where it names one and there are any: an undated document may be of it.
    """
    found = _search_topic(topic, audience, filters)
    if not (topic.date_from or topic.date_to):
        return _choose_on_topic(topic, found[:FOUND])
    first, last = topic.date_from or dt.date.min, topic.date_to or dt.date.max
    of_period = [passage for passage in found if not passage.document_date or first <= passage.document_date <= last]
    return _choose_on_topic(topic, of_period[:FOUND]) or _choose_on_topic(topic, found[:FOUND])


def _search_topic(topic: Topic, audience: Audience, filters: Filters) -> list[Passage]:
    """Search for a topic; what is asked last counts where there is nothing else, and it has most words of the topic."""
    model = embedding.provider()
    vector = model.embed([topic.subject])[0]
    found = search_corpus(topic.subject, vector, model=model.name, audience=audience, filters=filters, limit=2 * FOUND)
    first = [passage for passage in found.passages if not passage.asked_last]
    stems = set(content_stems(topic.subject))
    if any(_is_near(passage, stems) for passage in first):
        return first
    return [passage for passage in found.passages if _is_near(passage, stems, share=0.5)]


def _choose_on_topic(topic: Topic, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    stems = set(content_stems(topic.subject))
    if not any(_is_near(passage, stems) for passage in passages):
        return ()  # something is always the nearest
    best = max(passage.score for passage in passages)
    if not best:
        return ()
    readings = read(
        topic.subject,
        [(passage.source, passage.content) for passage in passages],
        budget_s=settings.READER_BUDGET_MS / 1000,
    )
    worth: list[tuple[float, Passage]] = []
    for passage, reading in zip(passages, readings, strict=True):
        logit = max(-_MOST_READ, min(_MOST_READ, reading.answers)) if reading else 0.0
        named = stems & set(content_stems(f"{passage.document_name} {passage.section}"))
        share = min(1.0, _NAMED_SHARE * len(named) / max(len(stems), 1))
        worth.append((passage.score / best + _OF_READING * logit + _NAMED * share, passage))
    least = max(LEAST, OF_BEST * max(value for value, _ in worth))
    return tuple(passage for value, passage in sorted(worth, key=lambda one: -one[0]) if value >= least)


def _is_near(passage: Passage, stems: Set[str], *, share: float = 0.0) -> bool:
    """Return True if a passage is near to a topic in meaning, or has more than that share of its words."""
    held = stems & set(content_stems(f"{passage.document_name} {passage.section} {passage.content}"))
    return passage.similarity >= NEAR or len(held) > share * len(stems)


def _plan_by_sections(topic: Topic, passages: Sequence[Passage], filters: Filters) -> tuple[PlannedQuestion, ...]:
    """Ask each document that speaks of the topic what it says in each of its sections that do."""
    headed = {passage.edition for passage in passages if _find_place(passage)}
    first: dict[tuple[object, str], Passage] = {}
    for passage in passages:
        # Of a document with sections on the topic not the whole as well: it would bring the same sentences.
        if _find_place(passage) or passage.edition not in headed:
            first.setdefault((passage.edition, _find_place(passage)), passage)
    has_answer = topic.is_question and not topic.is_change  # no sentence of a document says how something changed
    chosen = list(first.values())[: MOST_PLANNED - has_answer]
    sections: dict[str, list[Passage]] = {}
    for passage in chosen:
        heading = _name_heading(passage) or passage.document_name
        sections.setdefault(heading.casefold(), []).append(passage)
    planned = [
        _ask_section(topic, passage, filters)
        for members in sections.values()
        for passage in _order_by_date(members, oldest_first=topic.is_change)
    ]
    if has_answer:
        planned.insert(0, PlannedQuestion(text=topic.typed[:1000], heading=IN_SHORT, filters=filters))
    return tuple(planned)


def _find_place(passage: Passage) -> str:
    """Return the heading that a passage stands below, as it is written; "" where there is none."""
    chapter = passage.chapter if passage.chapter != passage.document_name else ""
    return passage.section.rpartition(" > ")[2] or chapter


def _name_heading(passage: Passage) -> str:
    return drop_number(_find_place(passage)).strip(" .:")


def _order_by_date(passages: Iterable[Passage], *, oldest_first: bool) -> list[Passage]:
    """Order passages by their documents' dates; those without one come last."""

    def position(passage: Passage) -> tuple[bool, int]:
        day = passage.document_date.toordinal() if passage.document_date else 0
        return not day, day if oldest_first else -day

    return sorted(passages, key=position)


def _ask_section(topic: Topic, passage: Passage, filters: Filters) -> PlannedQuestion:
    heading = _name_heading(passage)
    title = passage.document_name[:LONGEST_TITLE]
    if heading.endswith("?"):
        asked = heading
    else:  # as it is written: names keep their capitals
        about = heading if heading and name_topic(heading, passage.content) else _shorten(topic.subject)
        asked = f"What does {title} say about {_ABOUT.sub('', about)}?"
    return PlannedQuestion(
        text=asked[:1000],
        heading=(heading or passage.document_name)[:LONGEST_HEADING],
        filters=replace(
            filters,
            source=passage.document_name,
            section=passage.section.rpartition(" > ")[2],
            chapter="" if passage.section else _find_place(passage),
            max_results=MOST_RESULTS,
            date_from=passage.document_date or filters.date_from,
            date_to=passage.document_date or filters.date_to,
        ),
        made_of=(passage.edition,) if passage.edition else (),
    )


def _shorten(subject: str) -> str:
    return textwrap.shorten(subject, LONGEST_SUBJECT, placeholder="…")


def _write_plan(topic: Topic, passages: Sequence[Passage], filters: Filters, model: ModelSettings) -> Plan | None:
    """Let the model write an outline. None where it fails, or writes none."""
    listed = "\n".join(dict.fromkeys(f"- {make_inert(passage.source)}" for passage in passages))
    try:
        filled = prompt("plan").format(topic=make_inert(topic.typed), sections=listed, most=MOST_PLANNED)
        text, usage = complete(filled, model=model, max_tokens=MOST_TOKENS)
    except (ModelUnavailableError, ModelConfigurationError) as error:
        logger.warning("not_planned", extra={"error": error.message, "prompt_hash": prompt_hash("plan")})
        return None
    made_of = tuple(dict.fromkeys(passage.edition for passage in passages if passage.edition))
    planned = [
        PlannedQuestion(text=question, heading=heading, filters=filters, made_of=made_of)
        for heading, question in read_outline(text)
        if not adds_destination(f"{heading} {question}", topic.typed)
    ]
    return Plan(questions=tuple(planned[:MOST_PLANNED]), planned_by=model.model, usage=usage) if planned else None


def read_outline(text: str) -> list[tuple[str, str]]:
    """Read an outline as a model writes it: "# heading" lines with "- question" lines below each."""
    heading, read_so_far = "", []
    for line in map(one_line, text.splitlines()):
        if line.startswith("#"):
            heading = line.strip("#*: ")[:LONGEST_HEADING]
        elif line.startswith(_BULLETS):
            question = line.lstrip("".join((*_BULLETS, " "))).strip()
            if heading and 3 <= len(question) <= 1000 and content_stems(question):
                read_so_far.append((heading, question))
    return read_so_far
