"""Test that unreadable documents change nothing in what is understood, asked back, offered or applied.

Each world is asked twice: as it is, and without the documents that the audience may not read. The person's replies must
be the same. The documents of a world are minutes, papers and pages of twelve days of January 2024.
"""

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given

from core.access.audiences import asker_for
from core.api import ask, open_conversation, stored_result
from core.asking.answering.clarification import options_in
from core.asking.answering.understanding import understand
from core.errors import NotFoundError
from core.models import Chunk, Document, Query
from core.models.row_security import bypass_row_security
from core.serialization import as_json
from core.types import Answer, Filters, Refusal
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    Built,
    World,
    built,
    code,
    held_marks,
    readable_by,
    tried,
    worlds,
)

pytestmark = pytest.mark.usefixtures("fast")

CONVERSATION = (
    "Where in the harbour house is the secret kept, in the minutes of 3 January 2024?",
    "And in the papers?",
    "What about the second one?",
    "What do the minutes say about the harbour house?",
    "What was kept in the harbour house at the meeting?",
    "the second one",
    "What did the January minutes say about the harbour house?",
    "What did the latest minutes say about the harbour house?",
    "How did the harbour house change between 2 January 2024 and 9 January 2024?",
    "What has been said about the harbour house since 5 January 2024?",
    "What does arXiv 2401.00001 say about the harbour house?",
    "What about it?",
    "Where in the harbuor huose is the secrte kept now?",
    "Wo in dem Hafenhaus ist das Geheimnis?",
)


def told(here: Built, questions: tuple[str, ...] = CONVERSATION) -> list[dict[str, Any]]:
    """Return the replies in one conversation of the world's readers, without parts that differ between runs."""
    asker = asker_for(here.asker())
    conversation = open_conversation(origin="rest", asker=asker)
    heard: list[dict[str, Any]] = []
    for question in questions:
        result = ask(question, asker=asker, audience=here.audience(), conversation=conversation)
        heard.append(
            {
                "asked": result.asked,
                "filters": as_json(result)["filters"],
                "reason": result.reason if isinstance(result, Refusal) else None,
                "message": result.message if isinstance(result, Refusal) else None,
                "text": result.text if isinstance(result, Answer) else None,
                "documents": [_number(here, retrieved.document_id) for retrieved in result.retrieved],
            }
        )
    return heard


def _number(here: Built, pk: UUID) -> int:
    return next(number for number, document in enumerate(here.documents) if document.pk == pk)


def remove(documents: set[UUID]) -> None:
    """Documents and their chunks, as if they had never been there."""
    with bypass_row_security():
        Chunk.objects.filter(document__in=documents).delete()
    Document.objects.filter(pk__in=documents).delete()


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(12)
def test_what_may_not_be_read_changes_nothing_that_is_understood(world: World) -> None:
    """The same words, filters, questions back, options, answers and passages as in a library without it."""
    with built(world) as here:
        as_it_is = told(here)
        remove({document.pk for document in here.documents} - here.readable())
        without = told(here)
    assert as_it_is == without


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(12)
def test_no_word_of_what_may_not_be_read_is_told(world: World) -> None:
    """Neither in a rewritten question, nor in an option, nor in a filter: not the mark, and not the day."""
    with built(world) as here:
        readable = here.readable()
        forbidden = here.marks_outside(readable)
        days = {document.document_date for document in here.documents if document.pk in readable}
        heard = told(here)
        assert held_marks(json.dumps(heard), forbidden) == set()
        offered = {option for said in heard for option in options_in(str(said["message"] or ""))}
        assert offered <= {f"{day:%-d %B %Y}" for day in days if day} | {f"{day:%B %Y}" for day in days if day}
        latest = heard[CONVERSATION.index("What did the latest minutes say about the harbour house?")]
        minutes = [d.document_date for d in here.documents if d.pk in readable and d.document_type == "minutes"]
        asked_for = latest["filters"].get("date_to")
        assert asked_for in ({None} if not minutes else {max(day for day in minutes if day).isoformat()})


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@tried(12)
def test_a_later_turn_uses_nothing_that_was_closed_meanwhile(world: World) -> None:
    """After grants are gone, neither earlier answers nor rewritten questions nor options bring their words back."""
    with built(world) as here:
        asker = asker_for(here.asker())
        conversation = open_conversation(origin="rest", asker=asker)
        for question in CONVERSATION[:5]:
            ask(question, asker=asker, audience=here.audience(), conversation=conversation)
        for number in world.revoked:
            here.roles[number].document_access.all().delete()
        readers = [None if reader is None else here.people[reader].pk for reader in world.readers]
        forbidden = here.marks_outside(readable_by(readers, here.guest_roles()))
        for question in ("the second one", "What about the second one?", "And who kept it there?"):
            result = ask(question, asker=asker, audience=here.audience(), conversation=conversation)
            assert held_marks(json.dumps(as_json(result)), forbidden) == set()
        for row in Query.objects.all():
            again = _stored(row.request_id, here)
            assert held_marks(again, forbidden) == set()


def _stored(request_id: str, here: Built) -> str:
    try:
        return json.dumps(as_json(stored_result(request_id, audience=here.audience())))
    except NotFoundError:
        return ""


def test_a_filter_that_only_a_forbidden_document_would_satisfy_is_not_applied() -> None:
    """Its kind, its day and its title are as unknown as those of no document."""
    with built(ONE_READER) as here:
        readable = here.readable()
        number, document = next((n, d) for n, d in enumerate(here.documents) if d.pk not in readable)
        questions = {
            "day": "What do the minutes of {} say?",
            "title": "What was kept, in the document “{}”?",
        }
        named = {"day": f"{document.document_date:%-d %B %Y}", "title": document.title}
        absent = {"day": "3 January 1999", "title": "Plan secret-99"}
        assert code(number) in named["title"]
        for kind, question in questions.items():
            of_forbidden, of_absent = (
                understand(
                    question.format(words[kind]),
                    given=Filters(),
                    audience=here.audience(),
                    today=document.ingested_at.date(),
                ).filters
                for words in (named, absent)
            )
            assert of_forbidden == of_absent
