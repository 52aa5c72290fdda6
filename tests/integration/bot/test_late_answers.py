"""Test the direct message with an answer to an earlier question: once, to its asker alone, by their rights of now."""

import datetime as dt
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from bot import late_answers
from bot.blocks.buttons import SHOW_QUOTES
from bot.models import Installation, LateAnswerNotice
from bot.slack.encryption import encrypt
from bot.slack.idempotent import IdempotentMessage
from core.access.grants import grant, revoke
from core.api import erase_texts
from core.infrastructure import queue
from core.models import (
    ChannelSetting,
    ContentGap,
    Conversation,
    Document,
    LateAnswer,
    ProposedChange,
    Query,
    Role,
    RoleDocumentAccess,
    SlackIdentity,
    User,
    UserRole,
)
from core.quality.proposals.following import finish
from core.quality.proposals.late_answers import queue_again
from core.testing import Cast, make_document
from core.types import Answer
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB
from tests.integration.bot.killed import Killer, after, before, mostly_slow
from tests.integration.bot.presses import answered, press
from tests.integration.bot.sentences import ASK_CANTEEN, CANTEEN
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.test_kills import hand_on
from tests.integration.bot.worker import run_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]

TO_ALICE, TO_BOB = "D0ALICE", "D0BOB"
SOON = "The lighthouse is painted white every spring."


@pytest.fixture(autouse=True)
def _no_mail(settings: Any) -> None:
    """No answer is scored."""
    settings.EVALUATION_ENABLED = False


def ask_in_vain(cast: Cast, *people: User) -> ContentGap:
    """Let people ask in the channel what nothing answers yet; return the gap."""
    make_document("Lighthouse", SOON, roles=[cast.staff])
    now = timezone.now()
    gap = ContentGap.objects.create(first_seen=now, last_seen=now, asked=len(people), people=len(people))
    for person in people:
        account = {cast.alice: ALICE, cast.bob: BOB}[person]
        result = answered(ASK_CANTEEN, cast, person, slack_user=account)
        assert not isinstance(result, Answer)
        query = Query.objects.get(request_id=result.request_id)
        Query.objects.filter(pk=query.pk).update(created_at=dt.datetime(2026, 11, 3, 9, tzinfo=dt.UTC))
        gap.questions.create(query=query, outcome="refused", asked_at=now)
        SlackIdentity.objects.get_or_create(
            team_id=TEAM, slack_user_id=account, defaults={"user": person, "checked_at": now}
        )
    return gap


def merge(gap: ContentGap, *roles: Any) -> Document:
    """Put what was proposed for a gap into the library, and have those told who had asked."""
    document = make_document("Canteen rules", CANTEEN, roles=roles)
    row = ProposedChange.objects.create(
        gap=gap, way="merge_request", state="merged", document=document, people=gap.people, sent_at=timezone.now()
    )
    finish(row)
    return document


@pytest.fixture
def gap(transactional_db: None, cast: Cast, fast: None) -> ContentGap:
    """Alice's question in the channel, without an answer."""
    return ask_in_vain(cast, cast.alice)


def said(slack: SlackServer, channel: str = TO_ALICE) -> list[dict[str, Any]]:
    """Return the late answers in somebody's direct messages, which Slack would take."""
    found = [m for m in slack.messages[channel] if str(m["blocks"][0].get("block_id", "")).startswith("late-answer-")]
    for one in found:
        check_blocks(one["blocks"], surface="message")
    return found


def outcomes() -> list[tuple[str, str, str]]:
    """Return the end of each late answer."""
    return sorted(LateAnswer.objects.values_list("state", "silence", "told_by"))


def test_who_had_asked_in_a_channel_gets_the_answer_alone(workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
    """With the day of the question, the answer and its source, and the one button that works; once."""
    merge(gap, cast.staff)
    run_worker()
    (message,) = said(workspace)
    shown = json.dumps(message["blocks"], ensure_ascii=False)
    assert f"On 3 November 2026 you asked: *{ASK_CANTEEN}*" in shown
    assert shown.index("The documents answer it now:") < shown.index("serves soup at noon") < shown.index("[1] <")
    assert "https://library.example/canteen-rules|Canteen rules" in shown
    buttons = [
        element for block in message["blocks"] for element in block.get("elements", []) if "action_id" in element
    ]
    assert [button["action_id"] for button in buttons] == [SHOW_QUOTES]
    assert sorted(channel for channel, posted in workspace.messages.items() if posted) == [TO_ALICE]
    assert outcomes() == [("told", "", "slack")]
    late_answers.tell(LateAnswer.objects.get().pk)
    assert len(said(workspace)) == 1


def test_its_button_shows_the_quotes(workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
    """Nobody asked this one in Slack, and it has its stored result."""
    merge(gap, cast.staff)
    run_worker()
    (message,) = said(workspace)
    [value] = [
        element["value"]
        for block in message["blocks"]
        for element in block.get("elements", [])
        if element.get("action_id") == SHOW_QUOTES
    ]
    press(SHOW_QUOTES, value, user=ALICE, channel=TO_ALICE, ts=message["ts"], thread="")
    assert "soup at noon" in str(workspace.views[-1])


def test_it_is_said_in_the_language_of_the_direct_messages(workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
    """Around the words of the documents."""
    ChannelSetting.objects.create(team_id=TEAM, channel_id=TO_ALICE, language="de")
    merge(gap, cast.staff)
    run_worker()
    shown = str(said(workspace)[0]["blocks"])
    assert "Am 3. November 2026 haben Sie gefragt:" in shown
    assert "Die Dokumente beantworten das jetzt:" in shown


def test_two_people_get_each_their_own_answer(workspace: SlackServer, cast: Cast) -> None:
    """By their own rights: what the one may read is nothing for the other."""
    gap = ask_in_vain(cast, cast.alice, cast.bob)
    cooks = Role.objects.create(name="cooks")
    UserRole.objects.create(user=cast.bob, role=cooks)
    make_document("Kitchen book", "The canteen in the harbour office serves stew at noon.", roles=[cooks])
    merge(gap, cast.owners)
    run_worker()
    (to_alice,), (to_bob,) = said(workspace), said(workspace, TO_BOB)
    assert ("soup" in str(to_alice), "Canteen rules" in str(to_alice)) == (True, True)
    assert ("stew" in str(to_bob), "Kitchen book" in str(to_bob)) == (True, True)
    assert [word for word in ("stew", "Kitchen") if word in str(workspace.messages[TO_ALICE])] == []
    assert [word for word in ("soup", "Canteen") if word in str(workspace.messages[TO_BOB])] == []
    assert outcomes() == [("told", "", "slack")] * 2


def test_the_workspace_in_which_they_asked_comes_first(
    workspace: SlackServer, gap: ContentGap, cast: Cast, settings: Any
) -> None:
    """With its own token, where somebody has accounts in several; another one where that is not connected any more."""
    settings.SLACK_CLIENT_ID, settings.SLACK_CLIENT_SECRET = "client-id", "client-secret"
    settings.SLACK_TOKEN_KEYS = [Fernet.generate_key().decode()]
    for team, token in ((TEAM, "xoxb-first"), ("T9SECOND", "xoxb-second")):
        workspace.tokens[token] = team
        Installation.objects.create(
            team_id=team, encrypted_token=encrypt(token), installed_at=timezone.now(), app_id="A0APP"
        )
    SlackIdentity.objects.create(
        team_id="T9SECOND", slack_user_id="U9ALICE", user=cast.alice, checked_at=timezone.now()
    )
    Conversation.objects.filter(queries__user=cast.alice).update(slack_team="T9SECOND")
    merge(gap, cast.staff)
    run_worker()
    assert len(said(workspace, "D9ALICE")) == 1
    assert said(workspace, TO_ALICE) == []
    assert {token for method, token in workspace.used if method == "chat.postMessage"} == {"xoxb-second"}
    LateAnswer.objects.update(state="queued")
    LateAnswerNotice.objects.all().delete()
    Installation.objects.filter(team_id="T9SECOND").update(is_active=False)
    late_answers.tell(LateAnswer.objects.get().pk)
    assert len(said(workspace, TO_ALICE)) == 1


STEPS = {
    "before it begins": before(late_answers, "_begin_attempt"),
    "after the question was asked again": after(late_answers, "ask_late"),
    "before it is posted": before(IdempotentMessage, "_post_message"),
    "after it was posted, before that is recorded": after(IdempotentMessage, "_post_message"),
    "after that was recorded": before(late_answers, "_end_told"),
}


@pytest.mark.parametrize("step", mostly_slow(STEPS, always="after it was posted, before that is recorded"))
def test_a_killed_worker_leaves_one_message(
    workspace: SlackServer, killer: Killer, gap: ContentGap, cast: Cast, step: str
) -> None:
    """Whatever it was at; and the question was asked again once."""
    merge(gap, cast.staff)
    killer.kill(run_worker, STEPS[step])
    hand_on()
    (message,) = said(workspace)
    assert "soup" in str(message["blocks"])
    assert outcomes() == [("told", "", "slack")]
    row = LateAnswerNotice.objects.get()
    assert (row.ts, row.channel_id, row.team_id) == (message["ts"], TO_ALICE, TEAM)
    assert row.attempts == (1 if step == "before it begins" else 2)
    assert Query.objects.filter(conversation__origin="recheck").count() == 1


class TestWhoIsNotTold:
    """Whoever gets no answer hears nothing."""

    def end_in_silence(self, workspace: SlackServer) -> str:
        """Run the worker; nothing was posted. Returns why."""
        run_worker()
        assert [channel for channel, posted in workspace.messages.items() if posted] == []
        assert workspace.called("chat.postMessage") == []
        late = LateAnswer.objects.get()
        assert (late.state, late.told_by) == ("silent", "")
        return late.silence

    def test_whose_question_is_still_not_answered(self, workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
        """Tell nobody who may not read what was merged; the night tries again, once they may."""
        document = merge(gap, cast.owners)
        RoleDocumentAccess.objects.filter(document=document).delete()
        assert self.end_in_silence(workspace) == "not_answered"
        grant(cast.staff, [document], by=None)
        assert queue_again() == 1
        run_worker()
        assert len(said(workspace)) == 1
        assert outcomes() == [("told", "", "slack")]

    def test_whose_rights_go_between_asking_and_posting(
        self, workspace: SlackServer, gap: ContentGap, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They are looked up again at the last moment."""
        document = merge(gap, cast.staff)
        self.after_asking(monkeypatch, lambda: revoke(cast.staff, [document], by=None))
        assert self.end_in_silence(workspace) == "not_readable"

    def test_whose_account_becomes_anothers_meanwhile(
        self, workspace: SlackServer, gap: ContentGap, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The message would go to Bob, who may read the document."""
        merge(gap, cast.staff)
        self.after_asking(monkeypatch, lambda: SlackIdentity.objects.update(user=cast.bob))
        assert self.end_in_silence(workspace) == "not_readable"

    def test_whose_question_is_erased_meanwhile(
        self, workspace: SlackServer, gap: ContentGap, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its asker wanted it gone."""
        merge(gap, cast.staff)
        self.after_asking(monkeypatch, lambda: erase_texts(before=timezone.now()))
        assert self.end_in_silence(workspace) == "erased"

    def test_whose_question_was_erased_before(self, workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
        """It is not asked again."""
        merge(gap, cast.staff)
        erase_texts(before=timezone.now())
        assert self.end_in_silence(workspace) == "erased"
        assert not Query.objects.filter(conversation__origin="recheck").exists()

    def test_whose_account_is_not_active(self, workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
        """It is not asked again."""
        merge(gap, cast.staff)
        User.objects.filter(pk=cast.alice.pk).update(is_active=False)
        assert self.end_in_silence(workspace) == "inactive"
        assert not Query.objects.filter(conversation__origin="recheck").exists()

    def test_whose_account_was_deleted(self, workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
        """Nobody is left to tell."""
        merge(gap, cast.staff)
        Query.objects.filter(user=cast.alice).update(user=None)
        assert self.end_in_silence(workspace) == "inactive"

    def test_to_whom_slack_lets_nobody_write(self, workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
        """It is given up and counted."""
        merge(gap, cast.staff)
        workspace.fail("conversations.open", Failure(error="user_disabled"))
        assert self.end_in_silence(workspace) == "failed"
        assert LateAnswerNotice.objects.get().error_code == "user_disabled"

    def test_who_has_no_account_in_a_connected_team_any_more(
        self, workspace: SlackServer, gap: ContentGap, cast: Cast, settings: Any
    ) -> None:
        """They get it in the other way, which is queued once: here there is no mail."""
        merge(gap, cast.staff)
        settings.SLACK_BOT_TOKEN = ""
        late_id = LateAnswer.objects.get().pk
        late_answers.tell(late_id)
        late_answers.tell(late_id)
        assert ProcrastinateJob.objects.filter(task_name=queue.ANSWER_LATE).count() == 1
        assert self.end_in_silence(workspace) == "no_way"

    def after_asking(self, monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
        """Run a function between the question that is asked again and its message."""
        original = late_answers.ask_late

        def ask_and_work(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            assert found is not None
            work()
            return found

        monkeypatch.setattr(late_answers, "ask_late", ask_and_work)


def test_what_slack_puts_off_is_tried_again(workspace: SlackServer, gap: ContentGap, cast: Cast) -> None:
    """An answer that was lost on the way leaves one message, too."""
    merge(gap, cast.staff)
    workspace.fail("chat.postMessage", Failure(error="internal_error", status=500, done=True))
    run_worker()
    ProcrastinateJob.objects.filter(task_name=queue.TELL_LATE_ANSWER, status="todo").update(scheduled_at=None)
    run_worker()
    assert len(said(workspace)) == 1
    assert outcomes() == [("told", "", "slack")]


def test_no_word_of_it_is_in_the_log_or_in_its_table(
    workspace: SlackServer, gap: ContentGap, cast: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither of the question nor of the answer."""
    caplog.set_level(logging.DEBUG)
    merge(gap, cast.staff)
    run_worker()
    assert len(said(workspace)) == 1
    own = [record for record in caplog.records if record.name.startswith(("bot", "core"))]
    assert "late_answer_told" in {record.getMessage() for record in own}
    assert [word for record in own for word in ("canteen", "soup", "Canteen") if word in str(vars(record))] == []
    row = LateAnswerNotice.objects.values().get()
    assert [word for word in ("canteen", "soup") if word in str(row)] == []
