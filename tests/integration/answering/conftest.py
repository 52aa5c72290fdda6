"""A small library of minutes, statements and pages, and short ways to ask it."""

import datetime as dt
from collections.abc import Callable
from uuid import UUID

import pytest

from core.access.audiences import asker_for, audience_of
from core.api import ask, open_conversation
from core.models import Document
from core.testing import Cast, make_document
from core.types import Answer, Refusal

Ask = Callable[..., Answer | Refusal]

MARCH, JUNE, DECEMBER = dt.date(2024, 3, 20), dt.date(2024, 6, 12), dt.date(2024, 12, 18)


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Minutes of three meetings for Alice and Bob, a statement for Alice alone, and pages without a date."""

    def minutes(date: dt.date, rate: str, name: str) -> Document:
        return make_document(
            f"Harbour board minutes {date}",
            f"At the meeting the harbour board decided to set the mooring fee at {rate} euros a day.",
            f"{name} voted against the decision of the harbour board on the mooring fee.",
            roles=[cast.staff],
            document_type="minutes",
            document_date=date,
        )

    return {
        "march": minutes(MARCH, "11", "Anna Berg"),
        "june": minutes(JUNE, "12", "Carl Dahl"),
        "december": minutes(DECEMBER, "13", "Erik Falk"),
        "statement": make_document(
            "Harbour board statement",
            "The harbour board stated that the mooring fee will rise to 99 euros a day.",
            roles=[cast.owners],
            document_type="statement",
            document_date=dt.date(2025, 1, 15),
        ),
        "canteen": make_document(
            "Canteen rules", "The canteen in the harbour office opens at noon and closes at three.", roles=[cast.staff]
        ),
    }


@pytest.fixture
def ask_bob(cast: Cast, library: dict[str, Document]) -> Ask:
    """Ask as Bob, in a conversation where one is given."""
    return asking(cast, "bob")


@pytest.fixture
def ask_alice(cast: Cast, library: dict[str, Document]) -> Ask:
    """Ask as Alice."""
    return asking(cast, "alice")


def asking(cast: Cast, name: str) -> Ask:
    """A way to ask as one of the cast."""
    user = getattr(cast, name)

    def one(question: str, **options: object) -> Answer | Refusal:
        return ask(question, asker=asker_for(user), audience=audience_of([user.pk]), **options)

    return one


def conversation_of(cast: Cast, name: str) -> UUID:
    """A new conversation of one of the cast."""
    return open_conversation(origin="rest", asker=asker_for(getattr(cast, name)))
