"""Test notices of a changed source: none to an audience with a non-reader, and no word outside of answers."""

from uuid import UUID

import pytest
from django.utils import timezone

from core import api
from core.access.audiences import asker_for, audience_of
from core.access.grants import grant, revoke
from core.models import Document, FootnoteChange, Query, User
from core.quality.footnotes.asking_again import ask_again, read_recheck, select_changes
from core.quality.footnotes.checking import check_document
from core.testing import Cast
from core.types import Origin
from tests.integration.bot.editions import put
from tests.integration.core.test_retention import everything_kept

ASKED = "With which code does the vault in the harbour office open?"
THEN = "The vault in the harbour office opens with the code K7741 on weekdays."
NOW = "The vault in the harbour office opens with the code Z9902 on weekdays."
WORDS = ("Vault", "vault", "K7741", "Z9902")

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def vault(cast: Cast, fast: None) -> Document:
    """Create a document for Alice and Bob, and Alice's answer from it."""
    document = put("Vault rules", THEN, roles=[cast.staff])
    asker = asker_for(cast.alice)
    conversation = api.open_conversation(
        origin=Origin.SLACK, asker=asker, slack_team="T1", slack_channel="C1", slack_thread="1.1"
    )
    result = api.ask(ASKED, asker=asker, audience=audience_of([cast.alice.pk]), conversation=conversation)
    assert "K7741" in str(result)
    return document


def changed(document: Document) -> FootnoteChange:
    """The answer after a new edition."""
    put("Vault rules", NOW)
    check_document(document.pk)
    return select_changes().get()


def audiences(cast: Cast) -> dict[str, list[User | None]]:
    """Readers of whom one may not read about the vault."""
    return {
        "Charlie": [cast.charlie],
        "Charlie beside Alice": [cast.alice, cast.charlie],
        "a stranger beside Alice": [cast.alice, None],
        "nobody": [],
    }


@pytest.mark.parametrize("readers", ["Charlie", "Charlie beside Alice", "a stranger beside Alice", "nobody"])
def test_who_may_not_read_the_new_edition_is_told_nothing(cast: Cast, vault: Document, readers: str) -> None:
    """It is not even asked again; nor is what was asked again for others theirs."""
    change = changed(vault)
    them = cast.audience(*audiences(cast)[readers])
    assert ask_again(change, asker=asker_for(cast.alice), audience=them) is None
    assert not Query.objects.filter(conversation__origin=Origin.RECHECK).exists()
    own = cast.audience(cast.alice, cast.bob)
    told = ask_again(change, asker=asker_for(cast.alice), audience=own)
    assert told is not None
    assert "Z9902" in str(told.now)
    assert read_recheck(change, audience=them) is None
    assert read_recheck(change, audience=own) is not None


def test_it_is_kept_as_it_was_typed(cast: Cast, vault: Document) -> None:
    """The standalone words are from Alice's other document: Bob reads these neither as typed nor otherwise."""
    diary = put("Night book", "The porter of the night is called Zacharias.", roles=[cast.owners])
    asked, alone = Query.objects.get(), "With which code does Zacharias open the vault in the harbour office?"
    asked.standalone_question = alone
    asked.name_editions([diary.edition])
    asked.save()
    change = changed(vault)
    assert ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(cast.alice)) is not None
    again = Query.objects.get(conversation__origin=Origin.RECHECK)
    assert (again.question_text, again.standalone_question) == (ASKED, alone)
    assert again.named_editions == (diary.edition,)
    for audience, shown in ((cast.audience(cast.alice), alone), (cast.audience(cast.bob), ASKED)):
        assert api.stored_result(again.request_id, audience=audience).asked == shown


def test_for_others_it_is_asked_as_it_was_typed(cast: Cast, vault: Document) -> None:
    """One of them may not read the document needed to make the question stand alone."""
    diary = put("Night book", "The porter of the night is called Zacharias.", roles=[cast.owners])
    asked = Query.objects.get()
    asked.standalone_question = "With which code does Zacharias open the vault in the harbour office?"
    asked.name_editions([diary.edition])
    asked.save()
    both = cast.audience(cast.alice, cast.bob)
    assert ask_again(changed(vault), asker=asker_for(cast.alice), audience=both) is not None
    again = Query.objects.get(conversation__origin=Origin.RECHECK)
    assert (again.question_text, again.standalone_question, again.named_documents) == (ASKED, ASKED, [])


def test_what_it_says_now_is_read_under_the_rule_again(cast: Cast, vault: Document) -> None:
    """Alice's other document has the current answer: with Bob there, nothing of it is shown."""
    put("Night book", NOW, roles=[cast.owners])
    put("Vault rules", "The vault has no code any more, and the porter keeps its key.")
    check_document(vault.pk)
    change = select_changes().get()
    told = ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    assert told is not None
    assert "Night book" in str(told.now)
    assert read_recheck(change, audience=cast.audience(cast.alice, cast.bob)) is None


def test_what_replaces_it_is_searched_for_its_readers_alone(cast: Cast, vault: Document) -> None:
    """With Bob there, what Alice alone may read is as if it were not there."""
    put("Night book", NOW, roles=[cast.owners])
    put("Vault rules", "The vault has no code any more, and the porter keeps its key.")
    check_document(vault.pk)
    both = cast.audience(cast.alice, cast.bob)
    told = ask_again(select_changes().get(), asker=asker_for(cast.alice), audience=both)
    assert told is not None
    assert "no code any more" in str(told.now)
    assert [word for word in ("Night", "Z9902") if word in str(told)] == []


@pytest.mark.parametrize("how", ["deleted", "withdrawn"])
def test_that_it_is_gone_is_for_who_could_read_it(cast: Cast, vault: Document, how: str) -> None:
    """Without its name and its words; and who is given a role afterwards could not."""
    if how == "deleted":
        vault.delete()
        check_document(vault.pk or UUID(int=0))
    else:
        revoke(cast.staff, [vault], by=None)
        check_document(vault.pk, last_readers=[cast.staff.pk])
    change = select_changes().get()
    for readers in audiences(cast).values():
        assert ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(*readers)) is None
    told = ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(cast.alice, cast.bob))
    assert told is not None
    assert (told.kind, told.title, told.source_url, told.said, told.now) == (how, "", "", None, None)


def test_without_last_readers_a_withdrawal_is_told_to_nobody(cast: Cast, vault: Document) -> None:
    """Nobody knows who could read it; a reader by another role meanwhile gets no notice either."""
    revoke(cast.staff, [vault], by=None)
    check_document(vault.pk)
    assert not FootnoteChange.objects.exists()  # its text is what it was
    grant(cast.owners, [vault], by=None)
    put("Vault rules", NOW)
    check_document(vault.pk)
    bob = cast.audience(cast.bob)
    assert ask_again(select_changes().get(), asker=asker_for(cast.alice), audience=bob) is None


def test_no_word_stands_in_its_tables(cast: Cast, vault: Document) -> None:
    """Texts are in questions and answers alone."""
    change = changed(vault)
    ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    kept = everything_kept()
    own = [kept[table] for table in ("core_sourcechange", "core_footnotechange", "bot_footnotenotice")]
    assert [word for word in WORDS for rows in own if word in rows] == []


def test_the_question_asked_again_is_erased_with_the_first(cast: Cast, vault: Document) -> None:
    """Both have the same words."""
    change = changed(vault)
    told_at = timezone.now()
    ask_again(change, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    Query.objects.filter(conversation__origin=Origin.RECHECK).update(user=None)
    api.erase_texts(before=told_at, of=cast.alice)
    kept = everything_kept()
    assert [table for table, rows in kept.items() if "Z9902" in rows or "K7741" in rows] == []
