"""Test votes on an answer, and the text around its quotes."""

import pytest

from core.access.audiences import asker_for
from core.access.grants import revoke
from core.api import ask, give_feedback, stored_quotes
from core.models import Chunk, Document, Feedback
from core.models.row_security import bypass_row_security
from core.testing import Cast, make_document
from core.types import LONGEST_COMMENT, Answer, FeedbackReason, Opinion

BEFORE = "The harbour office was built in stone long ago. " * 10
VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."
AFTER = " Its walls are thick and its windows are small." * 10

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """Create a document for Alice alone."""
    return make_document("Vault rules", BEFORE + VAULT + AFTER, roles=[cast.owners])


@pytest.fixture
def request_id(cast: Cast, vault: Document) -> str:
    """Alice's answer about the vault."""
    result = ask(
        "With which code does the vault in the harbour office open?",
        asker=asker_for(cast.alice),
        audience=cast.audience(cast.alice),
    )
    assert isinstance(result, Answer)
    return result.request_id


def test_a_quote_stands_between_the_words_around_it(cast: Cast, request_id: str) -> None:
    """Whole words of at most 300 characters on each side, cut with an ellipsis."""
    quote, *_ = stored_quotes(request_id, audience=cast.audience(cast.alice))
    assert quote.citation.quoted_excerpt == VAULT
    assert quote.before.startswith("…")
    assert (BEFORE + VAULT + AFTER).find(f"{quote.before[1:]} {VAULT} {quote.after[:-1]}") > 0
    assert quote.after.endswith("…")
    assert 250 < len(quote.before) <= 300
    assert 250 < len(quote.after) <= 300


def test_what_stands_around_follows_the_document(cast: Cast, request_id: str, vault: Document) -> None:
    """A passage that changed since shows no other words; one that may not be read any more shows nothing."""
    with bypass_row_security():
        Chunk.objects.filter(document=vault).update(content="Something else stands here now.")
    quote, *_ = stored_quotes(request_id, audience=cast.audience(cast.alice))
    assert (quote.citation.quoted_excerpt, quote.before, quote.after) == (VAULT, "", "")
    assert stored_quotes(request_id, audience=cast.audience(cast.alice, cast.bob)) == ()
    revoke(cast.owners, [vault], by=None)
    assert stored_quotes(request_id, audience=cast.audience(cast.alice)) == ()


def test_a_verdict_keeps_what_was_said_with_it(cast: Cast, request_id: str) -> None:
    """The same verdict again keeps reasons and comment unless others are given; another verdict keeps nothing."""

    def vote(verdict: str, reasons: list[str] | None = None, comment: str | None = None) -> Opinion:
        return give_feedback(request_id, user_id=cast.alice.pk, verdict=verdict, reasons=reasons, comment=comment)

    assert vote("down", ["wrong", "wrong", "other"], "No.") == Opinion(
        verdict="down", reasons=(FeedbackReason.WRONG, FeedbackReason.OTHER), comment="No."
    )
    assert vote("down") == Opinion(verdict="down", reasons=(FeedbackReason.WRONG, FeedbackReason.OTHER), comment="No.")
    assert vote("down", []) == Opinion(verdict="down", reasons=(), comment="No.")
    assert vote("up") == Opinion(verdict="up", reasons=(), comment="")
    assert Feedback.objects.count() == 1


@pytest.mark.parametrize(
    "wrong",
    [{"verdict": "maybe"}, {"reasons": ["outdated"]}, {"comment": "x" * (LONGEST_COMMENT + 1)}],
    ids=["verdict", "reason", "comment"],
)
def test_what_is_no_opinion_is_not_stored(cast: Cast, request_id: str, wrong: dict[str, str]) -> None:
    """Another verdict, another reason and a longer comment are faults of the caller."""
    with pytest.raises(ValueError):  # noqa: PT011 - which one is seen by what is stored
        give_feedback(request_id, **({"user_id": cast.alice.pk, "verdict": "down"} | wrong))  # type: ignore[arg-type]
    assert Feedback.objects.count() == 0
