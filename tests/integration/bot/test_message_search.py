"""Slack's messages below an answer: with the asker's leave, in their direct messages, or not at all."""

import hashlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from slack_bolt import BoltResponse

from bot.blocks.quoted_messages import BESIDE_ANSWER, IN_ITS_PLACE
from bot.delivery import messages
from bot.delivery.engine import deliver, give_up
from bot.intake import take_up_again
from bot.models import QuotedMessage, Reply, SlackEvent
from core.asking.history.retention import erase_texts
from core.asking.verified_answers.editing import Content, verify_answer
from core.asking.verified_answers.quoting import SourceQuote
from core.models import SlackWorkspace
from core.testing import Cast, make_document
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, CHARLIE, DIRECT, direct, mention, the_event
from tests.integration.bot.message_search import ASK_MOORING, LEAVE, MOORING, allow_search, found
from tests.integration.bot.slack_server import TEAM, Failure, SlackServer

pytestmark = pytest.mark.usefixtures("fast")
SEARCH = "assistant.search.context"
NOON = "The canteen in the harbour office serves soup at noon."
ASK_NOON = "What does the canteen in the harbour office serve at noon?"
Send = Callable[..., BoltResponse]


@pytest.fixture(autouse=True)
def _library(cast: Cast, fast: None) -> None:
    make_document("Canteen rules", NOON, roles=[cast.staff])


@pytest.fixture
def searched(workspace: SlackServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> SlackServer:
    """A workspace that may be searched, in whatever time it takes, and a message in it that answers a question."""
    monkeypatch.setattr(messages, "SEARCH_BUDGET_S", 30.0)
    allow_search(workspace, settings, found())
    return workspace


def ask_directly(send: Send, question: str = ASK_MOORING, **fields: Any) -> SlackEvent:
    """Let Alice's message arrive by Bolt and be answered. Its event."""
    body = direct(question, **({"action_token": LEAVE} | fields))
    assert send(body).status == 200
    event = SlackEvent.objects.get(event_id=body["event_id"])
    deliver(event.pk)
    event.refresh_from_db()
    return event


def shown(slack: SlackServer, channel: str = DIRECT) -> str:
    """All text of the only message in a channel."""
    (message,) = slack.messages[channel]
    return f"{message['text']} {json.dumps(message['blocks'])}"


def test_a_message_is_quoted_below_a_refusal(searched: SlackServer, send: Send) -> None:
    """Word for word, with its link, channel, author and day; of it a link and a hash are kept."""
    event = ask_directly(send)
    said = shown(searched)
    assert IN_ITS_PLACE in said
    assert f"> {MOORING}" in said
    assert "<https://harbour.slack.com/archives/C0QUAY/p1700000000123456|#quay> \\u00b7 Bob Berth" in said
    assert "14 November 2023" in said
    (kept,) = QuotedMessage.objects.all()
    assert kept.permalink == found()["permalink"]
    assert kept.words_hash == hashlib.sha256(MOORING.encode()).hexdigest()
    assert (event.state, event.action_token, event.reply.state) == ("answered", "", "posted")
    (called,) = searched.called(SEARCH)
    assert (called["query"], called["action_token"]) == (ASK_MOORING, LEAVE)
    assert (called["channel_types"], called["content_types"], called["context_channel_id"]) == (
        "public_channel",
        "messages",
        DIRECT,
    )
    assert (called["include_bots"], called["limit"]) == ("0", "20")
    assert MOORING not in searched.messages[DIRECT][0]["text"]


def test_it_stands_apart_from_the_documents(searched: SlackServer, send: Send) -> None:
    """Below the answer and its sources, under a heading of its own."""
    searched.found = [found("The canteen in the harbour office serves soup at noon, but not in August.")]
    ask_directly(send, ASK_NOON)
    said = shown(searched)
    assert said.index("[1] <https://library.example/canteen-rules") < said.index(BESIDE_ANSWER)
    assert said.index(BESIDE_ANSWER) < said.index("but not in August")


def test_what_does_not_answer_is_not_quoted(searched: SlackServer, send: Send) -> None:
    """Slack finds what is near; at most three messages are shown, and those that answer alone."""
    searched.found = [found("Lunch, anyone?"), found("We end at five.")]
    ask_directly(send)
    assert IN_ITS_PLACE not in shown(searched)
    searched.messages.clear()
    searched.found = [
        found(f"The mooring of the barge Petunia ends on {day} May.", permalink=f"{found()['permalink']}{day}")
        for day in range(3, 9)
    ]
    ask_directly(send)
    assert shown(searched).count("archives/C0QUAY") == QuotedMessage.objects.count() == 3


LEFT_OUT = {
    "another host": found(permalink="https://evil.example/archives/C0QUAY/p1700000000123456"),
    "a host that begins so": found(permalink="https://harbour.slack.com.evil.example/archives/C0QUAY/p1"),
    "another workspace": found(permalink="https://other.slack.com/archives/C0QUAY/p1700000000123456"),
    "another port": found(permalink="https://harbour.slack.com:8443/archives/C0QUAY/p1700000000123456"),
    "a name in front": found(permalink="https://harbour.slack.com@evil.example/archives/C0QUAY/p1"),
    "without encryption": found(permalink="http://harbour.slack.com/archives/C0QUAY/p1700000000123456"),
    "no address": found(permalink="https://[harbour.slack.com/archives"),
    "a long address": found(permalink=f"https://harbour.slack.com/{'a' * 300}"),
    "without an address": found(permalink=None),
    "a bot's": found(is_author_bot=True),
    "no time": found(message_ts="yesterday"),
    "a time beyond all days": found(message_ts="999999999999.000000"),
    "without words": found(content=None),
    "no words": found(content=["no text"]),
    "no message": "no message",
    "nothing": None,
}


@pytest.mark.parametrize("message", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_cannot_be_quoted_is_left_out(searched: SlackServer, send: Send, message: Any) -> None:
    """Addresses elsewhere, what bots said, and whatever has not the form of Slack's messages; the others are shown."""
    searched.found = [message]
    ask_directly(send)
    assert IN_ITS_PLACE not in shown(searched)
    searched.messages.clear()
    searched.found = [message, found()]
    ask_directly(send)
    assert shown(searched).count("archives/C0QUAY") == 1


def test_words_cannot_mention_or_link(searched: SlackServer, send: Send) -> None:
    """The only links of the part are its citations; a mention without a name is marked as left out."""
    told = "The mooring of the barge Petunia ends on 3 May, <@U0BOB>, see <https://evil.example|here> &lt;!channel&gt;."
    searched.found = [found(told, channel_name="quay|<!here>", author_name="<@U0BOB>")]
    ask_directly(send)
    said = shown(searched)
    assert "ends on 3 May, [\\u2026], see here &lt;!channel&gt;." in said
    assert "evil.example" not in said
    assert "<@U0BOB>" not in said
    assert "<!here>" not in said


FAILURES = [
    Failure(error="missing_scope"),
    Failure(error="invalid_action_token"),
    Failure(error="feature_not_enabled"),
    Failure(error="assistant_search_context_disabled"),
    Failure(error="rate_limited", status=429, headers={"Retry-After": "60"}),
    Failure(error="", status=503, raw=b"<html>"),
    Failure(error="", raw=b"no JSON"),
    Failure(error="", raw=b'{"ok": true, "results": []}'),
    Failure(error="", raw=b'{"ok": true, "results": {"messages": {"a": 1}}}'),
    Failure(error="", hang_up=True),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.error or str(failure.raw))
def test_without_a_search_documents_answer(searched: SlackServer, send: Send, failure: Failure) -> None:
    """Once, and as if there were no messages, however Slack refuses."""
    searched.fail(SEARCH, failure)
    event = ask_directly(send, ASK_NOON)
    assert "soup" in shown(searched)
    assert BESIDE_ANSWER not in shown(searched)
    assert len(searched.called(SEARCH)) == event.reply.attempts == 1
    assert (event.state, event.action_token) == ("answered", "")
    assert not QuotedMessage.objects.exists()


def test_nobody_waits_longer_than_the_budget(
    searched: SlackServer, send: Send, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that takes longer is not shown."""
    monkeypatch.setattr(messages, "SEARCH_BUDGET_S", 0.2)
    searched.delay_s[SEARCH] = 5.0
    started = time.monotonic()
    ask_directly(send)
    assert time.monotonic() - started < 5.0
    assert IN_ITS_PLACE not in shown(searched)


@pytest.mark.parametrize("fields", [{"action_token": ""}, {"action_token": None}, {"action_token": "never given"}])
def test_no_leave_no_search(searched: SlackServer, send: Send, fields: dict[str, Any]) -> None:
    """Without a token Slack is not asked; with one that it does not know it refuses."""
    ask_directly(send, **fields)
    assert bool(searched.called(SEARCH)) == bool(fields["action_token"])
    assert IN_ITS_PLACE not in shown(searched)


def test_the_token_of_apps_of_before_counts_as_well(searched: SlackServer, send: Send) -> None:
    """It is in the event's description of the assistant's thread."""
    ask_directly(send, action_token=None, assistant_thread={"action_token": LEAVE})
    assert IN_ITS_PLACE in shown(searched)


def test_somebody_elses_token_finds_nothing(searched: SlackServer, send: Send) -> None:
    """Slack gets the question's place; the token's owner is not there."""
    body = direct(ASK_MOORING, user=BOB, channel="D0BOB", action_token=LEAVE)
    send(body)
    deliver(the_event().pk)
    assert len(searched.called(SEARCH)) == 1
    assert IN_ITS_PLACE not in shown(searched, "D0BOB")


@pytest.mark.parametrize(
    "account",
    [{"is_restricted": True}, {"is_ultra_restricted": True}, {"is_stranger": True}, {"team_id": "T0OTHER"}],
    ids=str,
)
def test_guests_and_others_search_nothing(searched: SlackServer, send: Send, account: dict[str, Any]) -> None:
    """Whatever leave came with what they write."""
    searched.users[ALICE] |= account
    ask_directly(send)
    assert searched.called(SEARCH) == []
    assert IN_ITS_PLACE not in shown(searched)


def test_a_member_whom_footnote_does_not_know_may_search(searched: SlackServer, send: Send) -> None:
    """Slack's rights decide about Slack's messages: no role of ours is asked."""
    searched.leaves[LEAVE] = (CHARLIE, "D0CHARLIE")
    searched.users[CHARLIE]["is_email_confirmed"] = False
    send(direct(ASK_MOORING, user=CHARLIE, channel="D0CHARLIE", action_token=LEAVE))
    deliver(the_event().pk)
    assert IN_ITS_PLACE in shown(searched, "D0CHARLIE")


def test_an_event_of_another_team_is_not_searched_for(searched: SlackServer, send: Send) -> None:
    """With the one token any team finds the same client; the switch of the own workspace is not the other's."""
    SlackWorkspace.objects.create(team_id="T0OTHER", searches_messages=True)
    body = direct(ASK_MOORING, action_token=LEAVE) | {"team_id": "T0OTHER"}
    body["authorizations"][0]["team_id"] = "T0OTHER"
    send(body)
    deliver(the_event().pk)
    assert searched.called(SEARCH) == []


@pytest.mark.parametrize(
    "body",
    [
        mention(ASK_MOORING, action_token=LEAVE),
        mention(ASK_MOORING, action_token=LEAVE, channel="G0GROUP", channel_type="mpim"),
        direct(f"<@U0BOT> {ASK_MOORING}", action_token=LEAVE, channel="G0GROUP", channel_type="mpim"),
    ],
    ids=["channel", "group", "group message"],
)
def test_nothing_is_searched_for_others_to_read(searched: SlackServer, send: Send, body: dict[str, Any]) -> None:
    """The token of a message in a channel or a group is not even kept."""
    searched.members["G0GROUP"] = searched.members[CHANNEL]
    send(body)
    event = the_event()
    assert event.action_token == ""
    deliver(event.pk)
    assert searched.called(SEARCH) == []
    assert IN_ITS_PLACE not in shown(searched, body["event"]["channel"])


def test_a_leave_that_stands_beside_a_mention_is_not_used(searched: SlackServer, send: Send) -> None:
    """However it came there: where others read the answer, Slack is not asked."""
    send(mention(ASK_MOORING))
    SlackEvent.objects.update(action_token=LEAVE)
    deliver(the_event().pk)
    assert searched.called(SEARCH) == []
    assert IN_ITS_PLACE not in shown(searched, CHANNEL)


@pytest.mark.parametrize("off", ["setting", "switch", "no workspace"])
def test_it_is_off_until_an_administrator_turns_it_on(
    searched: SlackServer, send: Send, settings: Settings, off: str
) -> None:
    """No token is kept and Slack is not asked; a workspace that nobody knew is shown to the administrators."""
    if off == "setting":
        settings.SLACK_SEARCH = False
    elif off == "switch":
        SlackWorkspace.objects.update(searches_messages=False)
    else:
        SlackWorkspace.objects.all().delete()
    body = direct(ASK_MOORING, action_token=LEAVE)
    send(body)
    assert the_event().action_token == ""
    deliver(the_event().pk)
    assert searched.called(SEARCH) == []
    assert IN_ITS_PLACE not in shown(searched)
    assert SlackWorkspace.objects.filter(team_id=TEAM, searches_messages=off == "setting").exists()


def test_switched_off_between_question_and_answer(searched: SlackServer, send: Send) -> None:
    """The switch of the moment counts."""
    send(direct(ASK_MOORING, action_token=LEAVE))
    assert the_event().action_token == LEAVE
    SlackWorkspace.objects.update(searches_messages=False)
    deliver(the_event().pk)
    assert searched.called(SEARCH) == []
    assert the_event().action_token == ""


def test_a_doubled_event_is_answered_once(searched: SlackServer, send: Send) -> None:
    """One reply, and one search."""
    body = direct(ASK_MOORING, action_token=LEAVE)
    for _ in range(2):
        assert send(body).status == 200
    deliver(the_event().pk)
    deliver(the_event().pk)
    assert len(searched.messages[DIRECT]) == len(searched.called(SEARCH)) == QuotedMessage.objects.count() == 1


def test_an_attempt_that_takes_over_shows_links_alone_where_it_finds_nothing(searched: SlackServer, send: Send) -> None:
    """The words are gone with the attempt that had them; what was kept of them leads to Slack."""
    searched.fail("chat.update", Failure(error="internal_error"), Failure(error="internal_error"))
    searched.fail(SEARCH, None, Failure(error="invalid_action_token"))
    body = direct(ASK_MOORING, action_token=LEAVE)
    send(body)
    with pytest.raises(Exception, match="Slack could not be reached"):
        deliver(the_event().pk)
    assert QuotedMessage.objects.count() == 1
    searched.failures["chat.update"].clear()
    deliver(the_event().pk)
    said = shown(searched)
    assert "Petunia ends" not in said
    assert "I do not keep their words" in said
    assert "<https://harbour.slack.com/archives/C0QUAY/p1700000000123456|message 1>" in said
    assert QuotedMessage.objects.count() == 1


def test_one_that_finds_again_replaces_what_was_kept(searched: SlackServer, send: Send) -> None:
    """No link stays of an attempt that was not shown."""
    searched.fail("chat.update", Failure(error="internal_error"))
    send(direct(ASK_MOORING, action_token=LEAVE))
    with pytest.raises(Exception, match="Slack could not be reached"):
        deliver(the_event().pk)
    deliver(the_event().pk)
    assert f"> {MOORING}" in shown(searched)
    assert QuotedMessage.objects.count() == 1


def test_a_failed_reply_keeps_no_leave(searched: SlackServer, send: Send) -> None:
    """Its question is kept to be tried again, and is answered then from documents alone."""
    send(direct(ASK_MOORING, action_token=LEAVE))
    give_up(the_event().pk, code="broken")
    assert (the_event().state, the_event().action_token) == ("failed", "")
    assert take_up_again(Reply.objects.get().pk)
    deliver(the_event().pk)
    assert searched.called(SEARCH) == []


def test_nothing_stands_below_what_a_person_verified(searched: SlackServer, send: Send, cast: Cast) -> None:
    """A verified answer is the organisation's own word."""
    quotes = (SourceQuote(document="Canteen rules", quote="serves soup at noon"),)
    verify_answer(Content(question=ASK_NOON, text=NOON, quotes=quotes, owner=cast.alice), by=cast.alice)
    searched.found = [found("The canteen in the harbour office serves soup at noon, but not in August.")]
    ask_directly(send, ASK_NOON)
    assert "Verified" in shown(searched)
    assert "August" not in shown(searched)


def test_links_go_with_the_texts(searched: SlackServer, send: Send, cast: Cast) -> None:
    """The links go when a person's questions are erased, and not with those of others."""
    ask_directly(send)
    erase_texts(before=timezone.now(), of=cast.bob)
    assert QuotedMessage.objects.count() == 1
    erase_texts(before=timezone.now(), of=cast.alice)
    assert not QuotedMessage.objects.exists()


def test_the_leave_of_an_unanswered_question_goes_with_its_text(searched: SlackServer, send: Send, cast: Cast) -> None:
    """As what never became a query."""
    send(direct(ASK_MOORING, action_token=LEAVE))
    SlackEvent.objects.update(received_at="2020-01-01T00:00Z", text="")
    erase_texts(before=timezone.now())
    assert the_event().action_token == ""
