"""Series of documents: what is still to come is answered from the newest that says something of it."""

import datetime as dt
from dataclasses import replace
from uuid import UUID

import pytest
from pytest_django import Settings

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.asking.answering.series import put_newest_first
from core.models import Document, User
from core.testing import Cast, make_document
from core.types import Answer, Passage, Quote, Refusal, Statement
from tests.unit.verification.passages import passage

SET = "The crane is to be replaced in the second week of April, when the yard is shut anyway."
MOVED = "Dunmore can deliver the crane only in June. The board agreed to a new date, 11 June, for it to be replaced."


@pytest.fixture
def minutes(cast: Cast, settings: Settings) -> dict[str, Document]:
    """Minutes of two months, of which the later ones move a date, with the real reader and all the time."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    february, march = dt.date(2031, 2, 6), dt.date(2031, 3, 6)
    return {
        "february": make_document(
            "Minutes of the Yard Board, 6 February 2031", SET, roles=[cast.staff], document_date=february
        ),
        "march": make_document(
            "Minutes of the Yard Board, 6 March 2031", MOVED, roles=[cast.owners], document_date=march
        ),
    }


def asked(person: User, question: str) -> Answer | Refusal:
    return ask(question, audience=audience_of([person.pk]), asker=asker_for(person))


def list_shown(result: Answer | Refusal) -> set[UUID | None]:
    """Return the documents whose words are shown, as an answer or as what comes closest."""
    return {citation.document_id for citation in (result.closest if isinstance(result, Refusal) else result.citations)}


@pytest.mark.parametrize("question", ["when will the crane be replaced", "On which date is the new crane coming?"])
def test_of_what_is_still_to_come_the_newest_alone_is_shown(
    minutes: dict[str, Document], cast: Cast, question: str
) -> None:
    assert list_shown(asked(cast.alice, question)) == {minutes["march"].pk}


def test_who_may_not_read_the_newest_is_answered_from_what_they_may(minutes: dict[str, Document], cast: Cast) -> None:
    """Nothing shows them that there is a newer one."""
    assert list_shown(asked(cast.bob, "when will the crane be replaced")) == {minutes["february"].pk}


def test_a_newer_document_that_says_nothing_of_it_supersedes_nothing(minutes: dict[str, Document], cast: Cast) -> None:
    make_document(
        "Minutes of the Yard Board, 3 April 2031",
        "The board thanked Ms Oyelaran for painting the slipway.",
        roles=[cast.owners],
        document_date=dt.date(2031, 4, 3),
    )
    assert list_shown(asked(cast.alice, "when will the crane be replaced")) == {minutes["march"].pk}


def test_how_things_stand_now_begins_with_the_newest(cast: Cast, settings: Settings) -> None:
    """Also of documents that are not called alike; without "now" the order is that of reading."""
    settings.READER, settings.READER_BUDGET_MS = "", 600_000
    for name, text, month in (
        ("Minutes of the Ferry Committee, May", "A late boat to Holm leaves at 23:10 on Fridays, on trial.", 5),
        ("Notes of September", "The late boat to Holm leaves at 23:30 on Fridays, so that people miss nothing.", 9),
    ):
        make_document(name, text, roles=[cast.staff], document_date=dt.date(2031, month, 2), document_type="minutes")
    result = asked(cast.bob, "when does the late boat to Holm leave on fridays now")
    assert isinstance(result, Answer)
    assert result.text.index("23:30") < result.text.find("23:10") % 10_000


def statement(text: str, *passages: int) -> Statement:
    return Statement(text=text, quotes=tuple(Quote(passage=number, text=text) for number in passages))


def dated(kind: str, *dates: dt.date | None) -> list[Passage]:
    return [replace(passage("A boat leaves.", date=date), document_type=kind) for date in dates]


def test_sentences_of_newer_documents_come_first() -> None:
    """Those of one document keep their order; where a date is missing or a type differs all stay as they are."""
    old, new = dt.date(2031, 5, 2), dt.date(2031, 9, 2)
    said = [statement("a", 1), statement("b", 2), statement("c", 1), statement("d", 2)]
    ordered = put_newest_first(said, dated("minutes", old, new))
    assert "".join(one.text for one in ordered) == "bdac"
    for passages in (dated("minutes", old, None), [*dated("minutes", old), *dated("page", new)], dated("minutes", old)):
        assert put_newest_first(said, passages) == tuple(said)
    assert put_newest_first([], []) == ()
