"""A small library, and a verified answer about the canteen."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from core.access.audiences import asker_for, audience_of
from core.api import ask
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.models import Chunk, Document, User, VerifiedAnswer
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from core.types import Answer, Refusal

QUESTION = "When does the canteen open?"
TEXT = "The canteen in the harbour office opens at noon."
CANTEEN = "The canteen in the harbour office opens at noon and closes at three. Bring your own cup."
VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."

Verify = Callable[..., VerifiedAnswer]
Asks = Callable[..., Answer | Refusal]


@pytest.fixture
def library(cast: Cast, fast: None) -> dict[str, Document]:
    """Alice alone may read about the vault; Bob too about the canteen."""
    return {
        "vault": make_document("Vault rules", VAULT, roles=[cast.owners], section="Opening"),
        "canteen": make_document("Canteen rules", CANTEEN, roles=[cast.staff]),
    }


@pytest.fixture
def verify(cast: Cast, library: dict[str, Document]) -> Verify:
    """Verifies an answer as Alice; without words, the one about the canteen."""

    def verified(
        question: str = QUESTION,
        text: str = TEXT,
        *quotes: tuple[str, str],
        row: VerifiedAnswer | None = None,
        **rest: Any,
    ) -> VerifiedAnswer:
        given = quotes or (("Canteen rules", "opens at noon"),)
        sources = tuple(SourceQuote(document=title, quote=words) for title, words in given)
        content = Content(question=question, text=text, quotes=sources, owner=cast.alice, **rest)
        return verify_answer(content, by=cast.alice, row=row)

    return verified


@pytest.fixture
def asks(cast: Cast) -> Asks:
    """Asks as one person, for that person or for more readers."""

    def asked(person: User, question: str = QUESTION, *readers: User | None, **options: Any) -> Answer | Refusal:
        audience = audience_of([reader.pk if reader else None for reader in (person, *readers)])
        return ask(question, asker=asker_for(person), audience=audience, **options)

    return asked


def replace_text(document: Document, text: str = CANTEEN) -> None:
    """Load another edition of a document, in one chunk."""
    with bypass_row_security():
        chunk = Chunk.objects.get(document=document)
        chunk.delete()
        chunk.pk, chunk.content, chunk.end_offset = uuid4(), text, len(text)
        chunk.save(force_insert=True)
    document.version += 1
    document.save()
