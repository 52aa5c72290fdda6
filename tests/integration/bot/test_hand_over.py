"""Test that a question is handed to people once, shown to those who were set, and resolved by those involved."""

import json
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from procrastinate.contrib.django import app as procrastinate_app
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from bot.blocks.buttons import ASK_A_PERSON
from bot.blocks.handoff import RESOLVE, RESOLVE_AND_KEEP
from bot.handoff import posting
from bot.handoff.people_to_ask import describe_readers
from bot.handoff.posting import NobodyToAskError, NotToResolveError, is_with_people, keep_replies
from bot.identity.interactions import NotYoursError
from bot.listeners.hand_over import ALREADY, KEPT, ON_ITS_WAY
from bot.models import HandOver, Reply, SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core.asking.history.retention import erase_texts
from core.errors import NotFoundError
from core.models import ChannelSetting, Document, Query, SlackIdentity, VerifiedAnswer
from core.testing import Cast, make_document
from core.types import Answer
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, STRANGER
from tests.integration.bot.presses import THREAD, answered, press
from tests.integration.bot.sentences import VAULT
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer
from tests.integration.bot.worker import run_worker

ASK_VAULT = "With which code does the <vault> in the harbour office open?"
HELP = "C0HELP"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fast", "workspace")]


@pytest.fixture(autouse=True)
def vault(transactional_db: None, cast: Cast, fast: None) -> Document:
    """Create a document for Alice alone."""
    return make_document("Vault rules", VAULT, roles=[cast.owners])


@pytest.fixture(autouse=True)
def bob_helps(cast: Cast, vault: Document) -> ChannelSetting:
    """In #general, Bob is asked."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, name="general")
    setting.answering_people.add(cast.bob)
    return setting


@pytest.fixture
def help_desk(settings: Settings, cast: Cast) -> ChannelSetting:
    """Set up #help-desk for private questions, where Bob and a usergroup are asked."""
    settings.SLACK_HELP_CHANNELS = [HELP]
    setting = ChannelSetting.objects.create(
        team_id=TEAM, channel_id=HELP, name="help-desk", answering_usergroup="S0DESK"
    )
    setting.answering_people.add(cast.bob)
    return setting


@pytest.fixture
def asked(cast: Cast, vault: Document) -> Answer:
    """Alice's answer in the channel."""
    result = answered(ASK_VAULT, cast, cast.alice)
    assert isinstance(result, Answer)
    return result


def told(slack: SlackServer) -> list[str]:
    return [said["text"] for said in slack.ephemeral]


def work() -> None:
    """Do what was queued, as the worker does."""
    for job in ProcrastinateJob.objects.filter(task_name="bot.hand_over", status="todo"):
        posting.post(job.args["hand_over"])


def message(slack: SlackServer, channel: str = CHANNEL) -> dict[str, Any]:
    """The only message in a channel, which Slack would take."""
    (posted,) = slack.messages[channel]
    check_blocks(posted["blocks"], surface="message")
    return posted


def texts(posted: dict[str, Any]) -> list[str]:
    return [block["text"]["text"] for block in posted["blocks"] if block["type"] == "section"]


def test_people_are_asked_in_the_thread(slack: SlackServer, asked: Answer) -> None:
    """The people of the channel are mentioned with the question, quoted and inert, and with nothing of the answer."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    assert told(slack) == [ON_ITS_WAY.format(people="Bob")]
    assert slack.called("chat.postMessage") == []  # that is the worker's
    work()
    posted = message(slack)
    assert texts(posted) == [
        f"<@{BOB}>: <@{ALICE}> would like a person to answer this.",
        "> With which code does the &lt;vault&gt; in the harbour office open?",
    ]
    assert (posted["thread_ts"], posted["unfurl_links"], posted["unfurl_media"]) == (THREAD, False, False)
    assert "K7741" not in json.dumps(posted)
    row = HandOver.objects.get()
    assert (row.state, row.ts, row.asked_by, row.query.request_id) == ("open", posted["ts"], ALICE, asked.request_id)
    assert is_with_people(TEAM, CHANNEL, THREAD)
    assert not is_with_people("T0OTHER", CHANNEL, THREAD)


def test_a_question_is_handed_on_once(slack: SlackServer, asked: Answer, cast: Cast, vault: Document) -> None:
    """Whoever presses again, before or after the message is there, hears that it was done."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    assert told(slack) == [ON_ITS_WAY.format(people="Bob"), ALREADY.format(people="Bob"), ALREADY.format(people="Bob")]
    assert ProcrastinateJob.objects.filter(task_name="bot.hand_over").count() == 1
    message(slack)


def test_a_worker_that_died_after_posting_posts_nothing_twice(slack: SlackServer, asked: Answer) -> None:
    """The next attempt finds the message, in a thread as well as in a channel."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    slack.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        work()
    assert HandOver.objects.get().state == "waiting"
    work()
    assert HandOver.objects.get().ts == message(slack)["ts"]


def test_the_same_in_a_help_channel(slack: SlackServer, cast: Cast, help_desk: ChannelSetting) -> None:
    """The message starts a thread there, so the channel is searched for it."""
    private = answered(ASK_VAULT, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    press(ASK_A_PERSON, private.request_id, user=ALICE)
    slack.fail("chat.postMessage", Failure(error="", hang_up=True, done=True))
    with pytest.raises(SlackUnavailableError):
        work()
    work()
    assert HandOver.objects.get().ts == message(slack, HELP)["ts"]


def test_a_private_question_goes_to_the_help_channel(slack: SlackServer, cast: Cast, help_desk: ChannelSetting) -> None:
    """Not to the thread it came from; the asker was shown who reads it there."""
    private = answered(ASK_VAULT, cast, cast.alice, kind=SlackEvent.Kind.DIRECT)
    event = SlackEvent.objects.get()
    assert describe_readers(event) == (
        "I will post your question and your name in the channel help-desk, where everyone can read them, and ask "
        "Bob and a Slack usergroup."
    )
    press(ASK_A_PERSON, private.request_id, user=ALICE)
    work()
    assert (
        texts(message(slack, HELP))[0] == f"<@{BOB}>, <!subteam^S0DESK>: <@{ALICE}> would like a person to answer this."
    )
    assert message(slack, HELP).get("thread_ts") is None
    assert set(slack.messages) == {HELP}
    assert is_with_people(TEAM, HELP, HandOver.objects.get().ts)


def test_nobody_set_means_no_button(slack: SlackServer, cast: Cast, asked: Answer, bob_helps: ChannelSetting) -> None:
    """Without people there is no sentence for a button; a button of before says so."""
    event = SlackEvent.objects.get()
    expected = "I will ask Bob to answer in this thread. Your name will be shown with the question."
    assert describe_readers(event) == expected
    cast.bob.is_active = False
    cast.bob.save()
    assert describe_readers(event) == ""
    event.kind = SlackEvent.Kind.DIRECT  # and no help channel is set
    assert describe_readers(event) == ""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    assert told(slack) == [NobodyToAskError().message]
    assert HandOver.objects.count() == 0


@pytest.mark.parametrize("user", [BOB, CHARLIE, STRANGER])
def test_who_may_not_read_the_answer_hands_nothing_on(slack: SlackServer, asked: Answer, user: str) -> None:
    """Neither row nor message, and no word of the question."""
    press(ASK_A_PERSON, asked.request_id, user=user)
    assert HandOver.objects.count() == 0
    assert "vault" not in json.dumps(slack.calls)


def test_a_private_question_is_its_askers_to_hand_on(slack: SlackServer, cast: Cast, help_desk: ChannelSetting) -> None:
    """Somebody else who got hold of the button, and somebody in another workspace, get nothing of it."""
    refused = answered(ASK_VAULT, cast, cast.bob, kind=SlackEvent.Kind.DIRECT, slack_user=BOB)
    elsewhere = answered(ASK_VAULT, cast, cast.bob, team="T0OTHER", slack_user=BOB)
    press(ASK_A_PERSON, refused.request_id, user=ALICE)
    press(ASK_A_PERSON, elsewhere.request_id, user=BOB)
    assert told(slack) == [NotYoursError().message] * 2
    press(ASK_A_PERSON, refused.request_id, user=BOB)
    assert [row.query.request_id for row in HandOver.objects.all()] == [refused.request_id]


def test_a_person_without_an_account_is_named(slack: SlackServer, asked: Answer, cast: Cast) -> None:
    """A person who cannot be mentioned is named; an address that has become another's mentions nobody."""
    slack.users[BOB]["profile"]["email"] = "robert@example.com"
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    assert texts(message(slack))[0] == f"Bob: <@{ALICE}> would like a person to answer this."
    assert "example.com" not in json.dumps(message(slack))


@pytest.mark.parametrize("user", [ALICE, BOB, CHARLIE])
def test_it_is_resolved_by_those_who_have_a_part_in_it(
    slack: SlackServer, asked: Answer, bob_helps: ChannelSetting, user: str
) -> None:
    """The asker, a person who was asked, a member of the usergroup: the message says who, and has no button."""
    bob_helps.answering_usergroup = "S0DESK"
    bob_helps.save()
    slack.usergroup_users["S0DESK"] = [CHARLIE]
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    row = HandOver.objects.get()
    for _ in range(2):
        press(RESOLVE, str(row.pk), user=user, ts=row.ts)
    posted = message(slack)
    assert [block["type"] for block in posted["blocks"]] == ["section", "section", "context"]
    assert posted["blocks"][2]["elements"][0]["text"].endswith(f"Resolved by <@{user}>")
    row.refresh_from_db()
    assert (row.state, row.resolved_by) == ("resolved", user)
    assert not is_with_people(TEAM, CHANNEL, THREAD)
    assert slack.ephemeral[1:] == []


def reply_below(slack: SlackServer, row: HandOver, *said: tuple[str, str]) -> None:
    """Messages of people in the thread of a hand-over."""
    for number, (user, text) in enumerate(said, 1):
        slack.messages[CHANNEL].append(
            {"ts": f"{float(row.ts) + number:.6f}", "thread_ts": row.thread_ts or row.ts, "user": user, "text": text}
        )


def test_the_reply_of_who_was_asked_becomes_a_draft(slack: SlackServer, asked: Answer, cast: Cast) -> None:
    """In one click and once, of their words alone; it is given to nobody."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    row = HandOver.objects.get()
    reply_below(slack, row, (CHARLIE, "No idea."), (BOB, "The code is on the <https://x.example|notice>."))
    press(RESOLVE_AND_KEEP, str(row.pk), user=ALICE, ts=row.ts)
    assert told(slack)[-1] == KEPT
    for _ in range(2):
        keep_replies(row.pk)
    draft = VerifiedAnswer.objects.get()
    assert (draft.state, draft.text, draft.owner) == ("draft", "The code is on the notice.", cast.bob)
    assert (draft.question, draft.origin) == (ASK_VAULT, row.query)
    assert draft.sources.count() == 0
    row.refresh_from_db()
    assert row.state == "resolved"


def test_without_a_reply_there_is_no_draft(slack: SlackServer, asked: Answer) -> None:
    """Nor by somebody who has no part in it, nor once the question is erased."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    row = HandOver.objects.get()
    reply_below(slack, row, (CHARLIE, "No idea."))
    press(RESOLVE_AND_KEEP, str(row.pk), user=CHARLIE, ts=row.ts)
    assert told(slack)[-1] == NotToResolveError().message
    keep_replies(row.pk)
    assert VerifiedAnswer.objects.count() == 0
    reply_below(slack, row, (BOB, "The code is on the notice."))
    keep_replies(row.pk)
    assert VerifiedAnswer.objects.count() == 1
    erase_texts(before=timezone.now())
    keep_replies(row.pk)
    assert VerifiedAnswer.objects.count() == 0


def test_others_resolve_nothing(slack: SlackServer, asked: Answer) -> None:
    """Neither a bystander nor somebody in another channel or with a made-up id."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    row = HandOver.objects.get()
    press(RESOLVE, str(row.pk), user=CHARLIE, ts=row.ts)
    press(RESOLVE, str(row.pk), user=BOB, ts=row.ts, channel="C0ELSEWHERE")
    press(RESOLVE, "made-up", user=BOB, ts=row.ts)
    assert told(slack)[1:] == [NotToResolveError().message, NotFoundError().message, NotFoundError().message]
    row.refresh_from_db()
    assert (row.state, row.resolved_by) == ("open", "")
    assert message(slack)["blocks"][-1]["type"] == "actions"


def test_what_slack_refuses_can_be_tried_again(slack: SlackServer, asked: Answer) -> None:
    """A failed hand-over ends with Slack's code; pressing the button again queues it anew."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    slack.fail("chat.postMessage", Failure(error="is_archived"))
    row = HandOver.objects.get()
    with pytest.raises(SlackRefusedError) as refused:
        posting.post(row.pk)
    posting.fail(row.pk, code=refused.value.code)
    row.refresh_from_db()
    assert (row.state, row.error_code) == ("failed", "is_archived")
    assert not is_with_people(TEAM, CHANNEL, THREAD)
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    on_its_way = ON_ITS_WAY.format(people="Bob")
    assert told(slack) == [on_its_way, posting.NOT_HANDED_ON, on_its_way]
    posting.post(row.pk)
    message(slack)


def test_the_worker_posts_what_another_left(slack: SlackServer, asked: Answer) -> None:
    """One killed after posting, before it could record that, leaves a job which the next one ends; one message."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    HandOver.objects.update(state="waiting", ts="", posted_at=None)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '10 minutes') RETURNING id"
        )
        cursor.execute(
            "UPDATE procrastinate_jobs SET status = 'doing', worker_id = %s WHERE task_name = 'bot.hand_over'",
            cursor.fetchone(),
        )
    procrastinate_app.configure_task("bot.resume").defer(timestamp=0)
    run_worker()
    run_worker()
    row = HandOver.objects.get()
    assert (row.state, row.ts) == ("open", message(slack)["ts"])


def test_the_worker_records_what_slack_refuses(slack: SlackServer, asked: Answer) -> None:
    """A refusal is not tried again by itself, and is in the row as Slack's code."""
    slack.fail("chat.postMessage", Failure(error="not_in_channel"))
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    run_worker()
    row = HandOver.objects.get()
    assert (row.state, row.error_code) == ("failed", "not_in_channel")
    (*_, told) = slack.called("chat.postEphemeral")
    assert (told["user"], told["text"]) == (ALICE, posting.NOT_HANDED_ON)
    assert (told["channel"], told["thread_ts"]) == (CHANNEL, THREAD)
    assert ProcrastinateJob.objects.get(task_name="bot.hand_over").status == "succeeded"


@pytest.mark.parametrize("is_deleted", [True, False], ids=["deleted", "erased"])
def test_an_erased_question_is_not_posted(slack: SlackServer, asked: Answer, is_deleted: bool) -> None:
    """The question is kept in one place; when it is erased there, nothing of it is left to hand on."""
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    if is_deleted:
        Query.objects.all().delete()
    else:
        erase_texts(before=timezone.now())
    with pytest.raises(NotFoundError):
        work()
    assert slack.called("chat.postMessage") == []
    assert {field.attname for field in HandOver._meta.concrete_fields} & {"text", "question"} == set()


def test_known_accounts_are_not_looked_up(slack: SlackServer, asked: Answer, cast: Cast) -> None:
    """A person seen in this workspace before is mentioned by that account."""
    press(ASK_A_PERSON, asked.request_id, user=BOB)  # refused, but Bob is known by it
    assert SlackIdentity.objects.filter(user=cast.bob).exists()
    press(ASK_A_PERSON, asked.request_id, user=ALICE)
    work()
    assert slack.called("users.lookupByEmail") == []
    assert f"<@{BOB}>" in texts(message(slack))[0]
    assert Reply.objects.get().hand_overs.count() == 1
