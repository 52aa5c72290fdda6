"""A verified answer is given only where the whole audience may read all of its sources; else it is not there."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.access.audiences import audience_of
from core.access.grants import grant, revoke
from core.api import stored_result
from core.errors import NotFoundError
from core.models import Document, Role, UserRole, VerifiedAnswer
from core.serialization import as_json
from core.testing import Cast
from core.types import Answer, Audience, Refusal
from tests.integration.verified_answers.conftest import QUESTION, VAULT, Asks, Verify

SECRET = "With which code does the vault in the harbour office open?"
BOTH = "When does the canteen open, and with which code does the vault open?"


def verify_vault(verify: Verify, **rest: Any) -> VerifiedAnswer:
    """The one that Alice alone may have."""
    return verify(SECRET, "The vault opens with the code K7741.", ("Vault rules", VAULT), **rest)


def told(result: Answer | Refusal) -> str:
    """All that a result says, without what differs from one time to the next."""
    said: dict[str, Any] = dict(as_json(result))
    differing = ("request_id", "conversation_id", "trace_id", "timings_ms", "processing_time_ms")
    return json.dumps({name: value for name, value in said.items() if name not in differing})


def test_who_may_read_the_source_is_given_it(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Alice may read about the vault."""
    verify_vault(verify)
    result = asks(cast.alice, SECRET)
    assert isinstance(result, Answer)
    assert result.verified is not None
    assert "K7741" in result.text


@pytest.mark.parametrize("others", [("bob",), ("charlie",), (None,)])
def test_one_reader_who_may_not_is_enough(
    cast: Cast, verify: Verify, asks: Asks, others: tuple[str | None, ...]
) -> None:
    """In a channel with somebody who may not read the source, nobody is given it."""
    verify_vault(verify)
    result = asks(cast.alice, SECRET, *(getattr(cast, name) if name else None for name in others))
    assert not (isinstance(result, Answer) and result.verified)
    assert "K7741" not in told(result)


def test_one_source_that_may_not_be_read_is_enough(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Bob may read half of what this one quotes."""
    text = (
        "The canteen in the harbour office opens at noon.\nThe vault in the harbour office opens with the code K7741."
    )
    row = verify(BOTH, text, ("Canteen rules", "opens at noon"), ("Vault rules", VAULT))
    assert row.sources.count() == 2
    result = asks(cast.bob, BOTH)
    assert not (isinstance(result, Answer) and result.verified)
    assert "K7741" not in told(result)


def test_for_others_it_is_as_if_it_were_not_there(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Every word of the result, its figures included, is as it was before there was any."""
    before = told(asks(cast.bob, SECRET))
    verify_vault(verify)
    assert told(asks(cast.bob, SECRET)) == before


def test_it_costs_the_same_queries_where_it_may_not_be_given(cast: Cast, verify: Verify, asks: Asks) -> None:
    """The duration of a question reveals nothing: invisible answers are not even compared."""
    asks(cast.bob, SECRET)  # what is kept between questions is kept
    with CaptureQueriesContext(connection) as without:
        asks(cast.bob, SECRET)
    verify_vault(verify)
    with CaptureQueriesContext(connection) as there:
        asks(cast.bob, SECRET)
    assert len(there) == len(without)


def test_a_narrowed_one_is_for_its_roles_alone(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Bob may read the source, and does not hold the role."""
    verify(roles=(cast.owners,))
    alone = asks(cast.alice)
    assert isinstance(alone, Answer)
    assert alone.verified is not None
    for result in (asks(cast.bob), asks(cast.alice, QUESTION, cast.bob)):
        assert isinstance(result, Answer)  # made from the document, as ever
        assert result.verified is None


def test_every_reader_holds_one_of_the_roles(cast: Cast, verify: Verify, asks: Asks) -> None:
    """Two readers by different roles of those that are named."""
    verify(roles=(cast.owners, cast.staff))
    result = asks(cast.alice, QUESTION, cast.bob)
    assert isinstance(result, Answer)
    assert result.verified is not None


def test_a_role_of_the_answer_grants_nothing(cast: Cast, verify: Verify, asks: Asks) -> None:
    """It narrows: who holds it still has to be allowed the source."""
    visitors = Role.objects.create(name="visitors")
    UserRole.objects.create(user=cast.charlie, role=visitors)
    verify(roles=(visitors,))
    assert isinstance(asks(cast.charlie), Refusal)


def test_what_is_taken_away_while_it_is_found_is_not_given(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Access is asked again when it is stored."""
    from core.asking.answering import decision

    verify()
    found = decision.find_match

    def find_and_revoke(*args: Any, **options: Any) -> Any:
        match = found(*args, **options)
        revoke(cast.staff, [library["canteen"]], by=None)
        return match

    monkeypatch.setattr(decision, "find_match", find_and_revoke)
    result = asks(cast.bob)
    assert isinstance(result, Refusal)
    assert "noon" not in told(result)


def test_an_earlier_one_is_shown_by_the_rule_of_now(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks
) -> None:
    """After a grant is gone, and to who does not hold the role to which it was narrowed since."""
    row = verify()
    request = asks(cast.bob).request_id
    bob = audience_of([cast.bob.pk])
    again = stored_result(request, audience=bob)
    assert isinstance(again, Answer)
    assert again.verified is not None
    row.roles.set([cast.owners])
    with pytest.raises(NotFoundError):
        stored_result(request, audience=bob)
    assert isinstance(stored_result(request, audience=audience_of([cast.alice.pk])), Answer)
    row.roles.clear()
    revoke(cast.staff, [library["canteen"]], by=None)
    with pytest.raises(NotFoundError):
        stored_result(request, audience=bob)


def test_it_is_not_used_for_a_follow_up_of_who_may_not_have_it(cast: Cast, verify: Verify, asks: Asks) -> None:
    """A later question of the same thread, with a reader more, is not answered from its words."""
    verify(text="The canteen in the harbour office opens at noon.", roles=(cast.owners,))
    first = asks(cast.alice)
    second = asks(cast.alice, "And when does it close?", cast.bob, conversation=first.conversation_id)
    assert not (isinstance(second, Answer) and second.verified)


def test_what_quotes_nothing_or_what_is_gone_is_visible_to_nobody(
    cast: Cast, library: dict[str, Document], verify: Verify
) -> None:
    """Without a source nothing says who may read it."""
    row, alice = verify(), audience_of([cast.alice.pk])
    assert VerifiedAnswer.objects.visible_to(alice).count() == 1
    assert VerifiedAnswer.objects.visible_to(Audience.nobody()).count() == 0
    row.sources.update(document=None)
    assert VerifiedAnswer.objects.visible_to(alice).count() == 0
    row.sources.all().delete()
    assert VerifiedAnswer.objects.visible_to(alice).count() == 0


def test_a_deleted_document_takes_the_words_with_it(
    cast: Cast, library: dict[str, Document], verify: Verify, asks: Asks
) -> None:
    """The verified answer that quoted it is retired, and its text erased."""
    row = verify()
    request = asks(cast.bob).request_id
    library["canteen"].delete()
    row.refresh_from_db()
    assert (row.state, row.text, row.cited_text, row.sources.count()) == ("retired", "", "", 0)
    with pytest.raises(NotFoundError):
        stored_result(request, audience=audience_of([cast.bob.pk]))


def test_a_writer_cannot_find_out_what_a_document_says(cast: Cast, library: dict[str, Document]) -> None:
    """A quote of a document that the writer may not read is not found, whether it occurs there or not."""
    from core.asking.verified_answers.quoting import SourceQuote, hold_against_quotes

    bob = audience_of([cast.bob.pk])
    right, wrong = (
        hold_against_quotes(
            "The vault opens.", [SourceQuote(document="Vault rules", quote=words)], question=SECRET, writer=bob
        ).problems
        for words in ("code K7741", "code K0000")
    )
    assert [problem.replace("K0000", "K7741") for problem in wrong] == list(right)
    grant(cast.staff, [library["vault"]], by=None)
    found = hold_against_quotes(
        "The vault opens with the code K7741.",
        [SourceQuote(document="Vault rules", quote="opens with the code K7741")],
        question=SECRET,
        writer=bob,
    )
    assert found.problems == ()
