"""Test questions to the owner of an old source: asked once, and the reply goes to the readers of the answer."""

import datetime as dt
import json
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from bot.blocks.buttons import FEEDBACK_DOWN
from bot.blocks.owners import (
    ASK_OWNER,
    OWNER_SAYS_HOLDS,
    OWNER_SAYS_OUTDATED,
    OWNER_WRITES,
    OWNER_WROTE,
    words_modal,
)
from bot.delivery.rendering import render_result
from bot.identity.interactions import NotYoursError
from bot.listeners.owner_questions import ALREADY_ASKED, ASKED, HOLDS_BY_NOW
from bot.models import OwnerQuestion, OwnerQuestionAsker, SlackEvent
from bot.owners import asking, notifying
from bot.owners.asking import AlreadySaidError
from bot.slack.errors import SlackUnavailableError
from core.access.grants import revoke
from core.asking.history.retention import erase_texts
from core.errors import NotFoundError
from core.library.ingestion.store import save_description
from core.library.owners import Staleness, find_stale_sources
from core.models import Answer as AnswerRow
from core.models import AuditEvent, Collection, Document, Feedback, User
from core.testing import Cast, make_document
from core.types import Answer
from slack_emulator.webapi.blocks import check_blocks
from slack_emulator.webapi.views import check_view
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE
from tests.integration.bot.presses import answered, press, send_view, submit
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import Failure, SlackServer
from tests.integration.bot.worker import run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

TO_BOB, TO_ALICE = "D0BOB", "D0ALICE"


@pytest.fixture(autouse=True)
def canteen(transactional_db: None, cast: Cast, fast: None) -> Document:
    """A document of 2020, which Alice and Bob may read and Bob keeps true."""
    made = make_document("Canteen rules", CANTEEN, roles=[cast.staff], document_date=dt.date(2020, 3, 1))
    Collection.objects.filter(pk=made.collection_id).update(owner=cast.bob)
    return made


@pytest.fixture
def asked(cast: Cast, canteen: Document) -> Answer:
    """Alice's answer in the channel."""
    result = answered(ASK_CANTEEN, cast, cast.alice)
    assert isinstance(result, Answer)
    return result


def press_ask(result: Answer, document: Document, *, user: str = ALICE) -> None:
    press(ASK_OWNER, f"{result.request_id} {document.pk}", user=user)


def says(slack: SlackServer) -> list[str]:
    """Return the messages to single people, in order."""
    return [said["text"] for said in slack.ephemeral]


def last(slack: SlackServer, channel: str) -> str:
    """The blocks of the last message in a channel, which Slack would take."""
    blocks = slack.messages[channel][-1]["blocks"]
    check_blocks(blocks, surface="message")
    return json.dumps(blocks, ensure_ascii=False)


def offered(result: Answer, cast: Cast) -> str:
    """The message of the answer, as it is posted."""
    event = SlackEvent.objects.get(event_id=f"Ev-{result.request_id}")
    blocks = render_result(result, event).whole.blocks
    check_blocks(blocks, surface="message")
    return json.dumps(blocks, ensure_ascii=False)


def test_an_old_source_is_said_to_be_old_and_its_owner_offered(asked: Answer, cast: Cast) -> None:
    """Name the day, the owner, and what will be sent to them."""
    said = offered(asked, cast)
    assert "“Canteen rules” was last confirmed on 1 March 2020." in said
    assert "Ask Bob" in said
    assert "I will send Bob your name, the question and the name of this source" in said


class TestOffered:
    """Nothing is offered where nobody can be asked, or nothing is known against the source."""

    def test_a_recent_source(self, asked: Answer, canteen: Document, cast: Cast) -> None:
        Document.objects.update(document_date=timezone.localdate())
        assert ASK_OWNER not in offered(asked, cast)

    def test_no_age_counts_where_none_is_set(self, asked: Answer, cast: Cast, settings: Settings) -> None:
        settings.STALE_AFTER_DAYS = 0
        assert ASK_OWNER not in offered(asked, cast)

    def test_no_owner(self, asked: Answer, cast: Cast) -> None:
        Collection.objects.update(owner=None)
        assert ASK_OWNER not in offered(asked, cast)

    def test_an_owner_who_is_gone(self, asked: Answer, cast: Cast) -> None:
        User.objects.filter(pk=cast.bob.pk).update(is_active=False)
        assert ASK_OWNER not in offered(asked, cast)

    def test_an_owner_who_may_not_read_it(self, asked: Answer, cast: Cast) -> None:
        Collection.objects.update(owner=cast.charlie)
        assert ASK_OWNER not in offered(asked, cast)

    def test_another_edition_by_now(self, asked: Answer, canteen: Document, cast: Cast) -> None:
        canteen.title = "New canteen rules"
        save_description(canteen, ["title"])
        assert ASK_OWNER not in offered(asked, cast)

    def test_a_documents_own_owner_comes_first(self, asked: Answer, canteen: Document, cast: Cast) -> None:
        Document.objects.update(owner=cast.alice)
        assert "Ask Alice" in offered(asked, cast)

    def test_a_vote_against_a_recent_source(self, asked: Answer, cast: Cast) -> None:
        """A vote for other reasons says nothing about the source."""
        Document.objects.update(document_date=timezone.localdate())
        vote = Feedback.objects.create(answer_id=_answer_of(asked), user=cast.bob, verdict="down", reasons=["wrong"])
        assert find_stale_sources(asked.citations) == []
        Feedback.objects.filter(pk=vote.pk).update(reasons=["bad_source"])
        (stale,) = find_stale_sources(asked.citations)
        assert stale.sign is Staleness.VOTED_DOWN
        assert "Somebody has said that “Canteen rules” is out of date." in offered(asked, cast)


def _answer_of(result: Answer) -> Any:
    return AnswerRow.objects.get(query__request_id=result.request_id).pk


def test_the_owner_is_asked_once_and_says_that_it_holds(
    slack: SlackServer, asked: Answer, canteen: Document, cast: Cast
) -> None:
    """Ask in a direct message, pass the answer on in another, and count the age from then on."""
    press_ask(asked, canteen)
    press_ask(asked, canteen)
    assert says(slack) == [ASKED.format(owner="Bob"), ALREADY_ASKED.format(owner="Bob")]
    run_worker()
    (posted,) = slack.messages[TO_BOB]
    said = last(slack, TO_BOB)
    assert f"<@{ALICE}> got an answer from a source of yours" in said
    assert "Canteen rules" in said
    assert ASK_CANTEEN in said
    assert CANTEEN not in said
    row = OwnerQuestion.objects.get()
    assert (row.state, row.ts) == ("open", posted["ts"])
    press(OWNER_SAYS_HOLDS, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    run_worker()
    assert "It still holds. I pass it on." in last(slack, TO_BOB)
    assert "It still holds." in last(slack, TO_ALICE)
    assert len(slack.messages[TO_ALICE]) == 1
    canteen.refresh_from_db()
    assert canteen.confirmed_at is not None
    assert ASK_OWNER not in offered(asked, cast)
    assert AuditEvent.objects.filter(action="confirm", object_id=str(canteen.pk), actor=cast.bob).count() == 1
    press_ask(asked, canteen)
    assert says(slack)[-1] == HOLDS_BY_NOW


def test_everybody_who_asked_is_told(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """Ask the owner once for two people, of whom one is the owner's colleague and one the owner."""
    press_ask(asked, canteen)
    press_ask(asked, canteen, user=BOB)
    run_worker()
    row = OwnerQuestion.objects.get()
    assert len(slack.messages[TO_BOB]) == 1
    press(OWNER_SAYS_OUTDATED, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    run_worker()
    assert "It is out of date." in last(slack, TO_ALICE)
    assert len(slack.messages[TO_BOB]) == 2
    assert Document.objects.get().confirmed_at is None


def test_what_the_owner_writes_is_passed_on_and_forgotten(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """Show it inert, and keep nothing of it."""
    press_ask(asked, canteen)
    run_worker()
    row = OwnerQuestion.objects.get()
    press(OWNER_WRITES, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    view = slack.views[-1]
    check_view(view)
    assert view["callback_id"] == OWNER_WROTE
    send_view(
        view, {"words": {"words": {"value": "See <https://evil.example|the> <@U0ALICE> zeppelin page."}}}, user=BOB
    )
    run_worker()
    said = last(slack, TO_ALICE)
    assert "&lt;https://evil.example|the&gt; &lt;@U0ALICE&gt; zeppelin page." in said
    assert "You have answered." in last(slack, TO_BOB)
    row.refresh_from_db()
    assert (row.state, row.verdict, row.words) == ("answered", "written", "")


@pytest.mark.parametrize("user", [ALICE, CHARLIE])
def test_nobody_but_the_owner_answers(slack: SlackServer, asked: Answer, canteen: Document, user: str) -> None:
    """Refuse it, and say so."""
    press_ask(asked, canteen)
    run_worker()
    row = OwnerQuestion.objects.get()
    press(OWNER_SAYS_HOLDS, str(row.pk), user=user, channel=TO_BOB, ts=row.ts)
    row.refresh_from_db()
    assert row.state == "open"
    assert says(slack)[-1] == NotFoundError().message
    press(OWNER_SAYS_HOLDS, "nonsense", user=BOB, channel=TO_BOB, ts=row.ts)
    assert says(slack)[-1] == NotFoundError().message
    assert Document.objects.get().confirmed_at is None


def test_a_second_answer_changes_nothing(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """The first is kept, and nobody is notified twice."""
    press_ask(asked, canteen)
    run_worker()
    row = OwnerQuestion.objects.get()
    press(OWNER_SAYS_OUTDATED, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    press(OWNER_SAYS_HOLDS, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    run_worker()
    row.refresh_from_db()
    assert row.verdict == "outdated"
    assert says(slack)[-1] == AlreadySaidError().message
    assert len(slack.messages[TO_ALICE]) == 1


@pytest.mark.parametrize("user", [CHARLIE])
def test_who_may_not_read_the_answer_asks_nobody(
    slack: SlackServer, asked: Answer, canteen: Document, user: str
) -> None:
    """Say what is said for an answer that does not exist."""
    press_ask(asked, canteen, user=user)
    assert says(slack) == [NotYoursError().message]
    press(ASK_OWNER, f"nothing {canteen.pk}", user=user)
    assert says(slack)[1] == says(slack)[0]
    assert not OwnerQuestion.objects.exists()


def test_another_document_than_the_cited_is_nobodys_source(slack: SlackServer, asked: Answer, cast: Cast) -> None:
    """Ask nothing about a document that the presser names and the answer does not cite."""
    other = make_document("Vault rules", "The vault opens with K7741.", roles=[cast.owners])
    Document.objects.filter(pk=other.pk).update(owner=cast.alice, document_date=dt.date(2020, 1, 1))
    press_ask(asked, other)
    assert says(slack) == [HOLDS_BY_NOW]
    assert not OwnerQuestion.objects.exists()


def test_who_lost_the_document_is_told_without_its_name(
    slack: SlackServer, asked: Answer, canteen: Document, cast: Cast
) -> None:
    """The asker's access is checked at the time of the notice."""
    Document.objects.update(owner=cast.bob)
    press_ask(asked, canteen)
    run_worker()
    row = OwnerQuestion.objects.get()
    cast.alice.roles.remove(cast.staff)
    press(OWNER_SAYS_OUTDATED, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    run_worker()
    assert "Bob about a source of your answer:" in last(slack, TO_ALICE)
    assert "Canteen rules" not in json.dumps(slack.messages[TO_ALICE])


def test_an_owner_who_lost_the_document_is_not_shown_it(
    slack: SlackServer, asked: Answer, canteen: Document, cast: Cast
) -> None:
    """Tell who asked that the owner was not reached."""
    canteen.roles.through.objects.create(role=cast.owners, document=canteen)
    press_ask(asked, canteen)
    revoke(role=cast.staff, documents=[canteen], by=None)
    run_worker()
    assert TO_BOB not in slack.messages
    assert OwnerQuestion.objects.get().error_code == "owner_not_reached"
    assert "I could not reach Bob about “Canteen rules”." in last(slack, TO_ALICE)


def test_an_owner_without_an_account_is_not_reached(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """Say so to who asked."""
    slack.users.pop(BOB)
    press_ask(asked, canteen)
    run_worker()
    assert "I could not reach Bob" in last(slack, TO_ALICE)


def test_an_erased_question_is_sent_to_nobody(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """Erase it between the press and the post."""
    press_ask(asked, canteen)
    erase_texts(before=timezone.now() + dt.timedelta(hours=2))
    run_worker()
    assert TO_BOB not in slack.messages


def test_a_worker_that_died_asks_and_tells_nobody_twice(slack: SlackServer, asked: Answer, canteen: Document) -> None:
    """Find the messages that were posted without being recorded."""
    press_ask(asked, canteen)
    row = OwnerQuestion.objects.get()
    slack.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        asking.post(row.pk)
    asking.post(row.pk)
    row.refresh_from_db()
    assert (row.state, len(slack.messages[TO_BOB])) == ("open", 1)
    press(OWNER_SAYS_OUTDATED, str(row.pk), user=BOB, channel=TO_BOB, ts=row.ts)
    slack.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        notifying.tell(row.pk)
    notifying.tell(row.pk)
    assert len(slack.messages[TO_ALICE]) == 1
    assert OwnerQuestionAsker.objects.get().told_at is not None


def test_who_says_that_the_sources_are_out_of_date_is_offered_the_owner(
    slack: SlackServer, asked: Answer, cast: Cast
) -> None:
    """Offer it beside the thanks, to the voter alone."""
    Document.objects.update(document_date=timezone.localdate())
    press(FEEDBACK_DOWN, asked.request_id, user=ALICE)
    submit(slack.views[-1], user=ALICE, reasons=["wrong"], comment=None)
    assert not slack.ephemeral[-1].get("blocks")
    submit(slack.views[-1], user=ALICE, reasons=["bad_source"], comment=None)
    offer = slack.ephemeral[-1]
    assert (offer["user"], offer["channel"]) == (ALICE, CHANNEL)
    check_blocks(offer["blocks"], surface="message")
    assert "Ask Bob" in json.dumps(offer["blocks"])


def test_words_that_could_not_be_passed_on_are_erased_with_the_texts(
    asked: Answer, canteen: Document, cast: Cast
) -> None:
    """Erase those of one owner, or of all."""
    row = OwnerQuestion.objects.create(
        document=canteen,
        document_version=1,
        owner=cast.bob,
        team_id="T",
        state="answered",
        words="zeppelin",
        answered_at=timezone.now() - dt.timedelta(days=2),
    )
    erase_texts(before=timezone.now() - dt.timedelta(days=1), of=cast.alice)
    row.refresh_from_db()
    assert row.words
    erase_texts(before=timezone.now() - dt.timedelta(days=1))
    row.refresh_from_db()
    assert not row.words


def test_the_window_takes_long_ids() -> None:
    """Build what Slack would take."""
    check_view(words_modal("0" * 36, "D" * 30))
