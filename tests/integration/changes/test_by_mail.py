"""Changes that go by mail to a document's owner, and answers that go by mail to those who are not in Slack."""

from collections.abc import Iterator

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from adminsite.environment import mail_server_of
from core.errors import MailNotSentError
from core.models import Collection, ContentGap, Document, LateAnswer, ProposedChange, User
from core.quality.proposals.drafting import find_goal, open_form
from core.quality.proposals.late_answers import answer_by_mail
from core.quality.proposals.proposing import propose_change
from core.quality.proposals.rights import InvalidChangeError, find_reason
from core.quality.proposals.sending import send
from core.testing import Cast, make_document
from core.values.proposals import ChangeWay, Occasion, ProposalState, WrittenChange
from tests.integration.changes.world import ADDED, QUESTION, Handbook, find_gap, own, send_now, tell_all, write
from tests.integration.smtp import MailServer, smtp_server

RULES = "Lunch is for those who work here."


@pytest.fixture
def server(settings: Settings) -> Iterator[MailServer]:
    """A mail server that takes everything, and is set."""
    with smtp_server() as running:
        settings.EMAIL_FROM = "footnote@example.com"
        settings.MAIL_SERVER = mail_server_of(running.address, settings.EMAIL_FROM)
        yield running


@pytest.fixture
def rules(cast: Cast, fast: None) -> Document:
    """An uploaded document that the staff reads, and Bob looks after."""
    made = make_document("Canteen rules", RULES, roles=[cast.staff], section="Guests")
    Collection.objects.filter(pk=made.collection_id).update(owner=cast.bob)
    return made


def suggest(document: Document, gap: ContentGap, writer: User) -> ProposedChange:
    """Suggest a text for a document."""
    audience = own(writer)
    reason = find_reason(Occasion(gap=gap.pk), writer, audience)
    goal = find_goal(document.pk, None, writer, audience)
    form = open_form(reason, goal, audience)
    assert (goal.way, form.text, form.edits_file) == (ChangeWay.MAIL, "", False)
    written = WrittenChange(
        title=form.title, question=form.question, text=ADDED, document_id=document.pk, version=form.version
    )
    return ProposedChange.objects.get(pk=propose_change(reason, goal, written, writer, audience))


def read(server: MailServer) -> str:
    """Read the text of the only mail."""
    (received,) = server.received
    return str(received.message.get_content()).replace("\r\n", "\n")


def renew(document: Document, *texts: str) -> None:
    """Give a document another edition, as an upload does."""
    from core.models import Chunk
    from core.models.row_security import bypass_row_security

    other = make_document("other", *texts)
    with bypass_row_security():
        document.chunks.all().delete()
        Chunk.objects.filter(document=other).update(document=document)
    Document.objects.filter(pk=document.pk).update(version=document.version + 1, ingested_at=timezone.now())


def test_the_owner_gets_the_suggestion_and_the_asker_the_answer(
    cast: Cast, rules: Document, writer: User, server: MailServer
) -> None:
    """With the question, how many asked, the nearest passage and the text."""
    gap = find_gap(cast.charlie)
    cast.charlie.roles.add(cast.staff)
    proposal = send_now(suggest(rules, gap, writer))
    assert (proposal.state, proposal.error) == (ProposalState.SENT, "")
    mail = server.received[0].message
    assert (str(mail["To"]), str(mail["Reply-To"])) == ("bob@example.com", "alice@example.com")
    assert str(mail["Message-ID"]).startswith(f"<proposal-{proposal.pk}@")
    text = read(server)
    assert "Alice suggests a change of a document that you look after: Canteen rules" in text
    for part in (QUESTION, "1 person asked", RULES, ADDED):
        assert part in text
    server.received.clear()
    tell_all()
    assert not server.received
    renew(rules, f"{RULES} {ADDED}")
    tell_all()
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.DONE
    assert str(server.received[0].message["To"]) == "charlie@example.com"
    text = read(server)
    assert QUESTION in text
    assert "eleven" in text
    assert "Canteen rules" in text
    late = LateAnswer.objects.get()
    assert (late.state, late.told_by) == ("told", "mail")
    tell_all()
    assert len(server.received) == 1


def test_without_mail_the_document_cannot_be_changed(cast: Cast, rules: Document, writer: User) -> None:
    """It says why."""
    gap = find_gap(cast.charlie)
    reason = find_reason(Occasion(gap=gap.pk), writer, own(writer))
    with pytest.raises(InvalidChangeError, match="mail"):
        find_goal(rules.pk, None, writer, own(writer))
    assert reason.gap == gap


def test_an_owner_who_may_not_read_it_any_more_gets_nothing(
    cast: Cast, rules: Document, writer: User, server: MailServer
) -> None:
    """Rights of the moment in which it is sent count."""
    proposal = suggest(rules, find_gap(cast.charlie), writer)
    cast.bob.roles.clear()
    send_now(proposal)
    assert (proposal.state, proposal.error_code) == (ProposalState.FAILED, "NoRecipientError")
    assert not server.received


def test_a_passage_of_a_section_that_the_owner_may_not_read_does_not_go_along(
    cast: Cast, rules: Document, writer: User, server: MailServer
) -> None:
    """The section is Alice's alone; Bob looks after the document without it."""
    salaries = make_document("Canteen rules", "On Saturdays the cook gets quagmire pay.", part_of=rules)
    assert salaries.part_of == rules
    proposal = suggest(rules, find_gap(cast.charlie), writer)
    ProposedChange.objects.filter(pk=proposal.pk).update(chunk_id=_find_chunk(salaries), quote_end=100)
    assert send_now(ProposedChange.objects.get(pk=proposal.pk)).state == ProposalState.SENT
    assert "quagmire" not in read(server)


def _find_chunk(document: Document) -> object:
    from core.testing import fetch_chunks

    return fetch_chunks(document)[0].pk


def test_a_server_that_is_away_is_tried_again(
    cast: Cast, rules: Document, writer: User, server: MailServer, settings: Settings
) -> None:
    """Nothing is lost; the last try says what is wrong."""
    settings.MAIL_SERVER = {**settings.MAIL_SERVER, "port": 9}
    proposal = suggest(rules, find_gap(cast.charlie), writer)
    with pytest.raises(MailNotSentError):
        send(proposal.pk, is_last_try=False)
    proposal.refresh_from_db()
    assert proposal.state == ProposalState.WAITING
    send_now(proposal)
    assert (proposal.state, proposal.error_code) == (ProposalState.FAILED, "MailNotSentError")


def test_a_mail_that_is_refused_is_noted(handbook: Handbook, writer: User, server: MailServer) -> None:
    """The answer is in the list of the asker's own all the same."""
    server.answers["RCPT"] = "550 no such mailbox"
    proposal = send_now(write(handbook, find_gap(handbook.cast.bob), writer))
    handbook.merge(proposal)
    handbook.synchronise()
    tell_all()
    late = LateAnswer.objects.get()
    assert (late.state, late.silence) == ("silent", "failed")
    assert late.asked_again_id


def test_an_answer_is_asked_once_however_often_its_mail_is_tried(
    handbook: Handbook, writer: User, server: MailServer
) -> None:
    """A later try sends what the first one found."""
    proposal = send_now(write(handbook, find_gap(handbook.cast.bob), writer))
    handbook.merge(proposal)
    handbook.synchronise()
    server.answers["DATA"] = "451 come back later"
    from core.quality.proposals.following import follow_all

    follow_all()
    late = LateAnswer.objects.get()
    with pytest.raises(MailNotSentError):
        answer_by_mail(late.pk, is_last_try=False)
    late.refresh_from_db()
    first = late.asked_again_id
    assert first
    del server.answers["DATA"]
    answer_by_mail(late.pk, is_last_try=False)
    late.refresh_from_db()
    assert (late.asked_again_id, late.told_by, len(server.received)) == (first, "mail", 1)
