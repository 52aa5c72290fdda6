"""assistant.search.context of the local page: with leave alone, in public channels alone; and the bot that asks it."""

import json
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from pytest_django import Settings
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.blocks.quoted_messages import IN_ITS_PLACE
from bot.delivery import messages, streams
from bot.models import QuotedMessage, SlackEvent
from bot.slack.workspace import LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import SlackWorkspace, User
from core.testing import Cast, make_document
from slack_emulator import features
from slack_emulator.models import add_message
from slack_emulator.payloads.events import build_message_events
from slack_emulator.webapi.search import make_action_token
from tests.integration.bot.message_search import ASK_MOORING, MOORING
from tests.integration.bot.worker import run_worker
from tests.integration.slack_emulator.conftest import (
    GENERAL,
    OWNERS,
    STAFF,
    channel,
    direct_id,
    page_post,
    page_state,
    say,
)


@pytest.fixture(autouse=True)
def _may_search(settings: Settings) -> None:
    settings.SLACK_SEARCH = True


def search(slack: WebClient, **arguments: Any) -> list[dict[str, Any]]:
    """Return the results of a search."""
    found = slack.api_call("assistant.search.context", params=arguments)
    return list(found["results"]["messages"])


def refusal(slack: WebClient, **arguments: Any) -> str:
    """Return the error of a refused search."""
    with pytest.raises(SlackApiError) as caught:
        search(slack, **arguments)
    return str(caught.value.response["error"])


def test_messages_of_public_channels_are_found(slack: WebClient, workspace: Cast) -> None:
    """Those with most words first, in the form of Slack's messages; of private channels and direct messages none."""
    less = say(workspace.bob, "A barge!", GENERAL)
    best = say(workspace.bob, MOORING, STAFF)
    for place in (OWNERS, direct_id(workspace.alice)):
        say(workspace.alice, MOORING, place)
    add_message(channel(GENERAL), author=None, text=MOORING)
    leave = make_action_token(workspace.charlie)
    told = search(slack, query=ASK_MOORING, action_token=leave)
    assert [one["message_ts"] for one in told] == [best.ts, less.ts]
    assert told[0] | {"permalink": "", "author_user_id": ""} == {
        "author_name": workspace.bob.display_name,
        "author_user_id": "",
        "is_author_bot": False,
        "team_id": LOCAL_TEAM_ID,
        "channel_id": STAFF,
        "channel_name": "staff",
        "message_ts": best.ts,
        "content": MOORING,
        "permalink": "",
    }
    assert told[0]["permalink"] == slack.chat_getPermalink(channel=STAFF, message_ts=best.ts)["permalink"]
    assert told[0]["permalink"].startswith(slack.auth_test()["url"])
    with_bots = search(slack, query=ASK_MOORING, action_token=leave, include_bots=True)
    assert [one["is_author_bot"] for one in with_bots] == [False, True, False]
    assert search(slack, query="Unheard", action_token=leave) == []


def test_it_is_refused_as_slack_documents(
    slack: WebClient, workspace: Cast, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each wrong token, each scope that a bot cannot have, and each wrong argument."""
    leave = make_action_token(workspace.alice)
    asked = {"query": ASK_MOORING, "action_token": leave}
    assert search(slack, **asked, context_channel_id=direct_id(workspace.alice)) == []
    for kind in ("private_channel", "mpim", "im", "public_channel,private_channel"):
        assert refusal(slack, **asked, channel_types=kind) == "missing_scope"
    assert refusal(slack, **asked, channel_types="everything") == "invalid_arguments"
    assert refusal(slack, **asked, limit=21) == "invalid_arguments"
    assert refusal(slack, **asked, cursor="none") == "invalid_cursor"
    assert refusal(slack, action_token=leave) == "missing_query"
    assert refusal(slack, query="x" * 1_001, action_token=leave) == "query_too_long"
    for token in ("", "12345.98765.abcd2358fdea", f"{leave}x", signing.dumps("U1", salt="slack_emulator.action_token")):
        assert refusal(slack, query=ASK_MOORING, action_token=token) == "invalid_action_token"
    for place in (direct_id(workspace.bob), "DNOBODY"):
        assert refusal(slack, **asked, context_channel_id=place) == "context_channel_not_found"
    settings.SLACK_SEARCH = False
    assert refusal(slack, **asked) == "missing_scope"
    settings.SLACK_SEARCH = True
    monkeypatch.setattr("slack_emulator.webapi.search.LIFETIME_S", -1)
    assert refusal(slack, **asked) == "invalid_action_token"


def test_a_token_of_who_has_left_is_worth_nothing(slack: WebClient, workspace: Cast) -> None:
    """Nobody searches for a closed account."""
    leave = make_action_token(workspace.bob)
    User.objects.filter(pk=workspace.bob.pk).update(is_active=False)
    assert refusal(slack, query=ASK_MOORING, action_token=leave) == "invalid_action_token"


def test_leave_comes_with_the_events_that_slack_names(
    slack: WebClient, workspace: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Direct messages, private channels and mentions, for apps that are agents; not with the talk of others."""

    def tokens(place: str, text: str) -> list[bool]:
        events = build_message_events(say(workspace.alice, text, place), workspace.alice)
        return ["action_token" in envelope["event"] for envelope in events]

    mentioned = f"<@{LOCAL_BOT_USER_ID}> hello"
    assert tokens(direct_id(workspace.alice), "hello") == [True]
    assert tokens(OWNERS, "hello") == [True]
    assert tokens(GENERAL, mentioned) == [True, True]
    assert tokens(GENERAL, "hello") == [False]
    monkeypatch.setattr(features, "IS_AGENT", False)
    assert tokens(GENERAL, mentioned) == [False, False]


@pytest.fixture
def searched(slack: WebClient, workspace: Cast, fast: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """A workspace that may be searched in whatever time it takes, with a message about the barge in #general."""
    monkeypatch.setattr(messages, "SEARCH_BUDGET_S", 30.0)
    streams._refused.clear()
    make_document("Canteen rules", "The canteen serves soup at noon.", roles=[workspace.staff])
    SlackWorkspace.objects.update_or_create(team_id=LOCAL_TEAM_ID, defaults={"searches_messages": True})
    say(workspace.bob, MOORING, GENERAL)
    return workspace


def ask_at(browser: Client, person: User, place: str, text: str = ASK_MOORING) -> str:
    """Ask as a person in that place; return the page's view of the answer."""
    assert page_post(browser, "messages", person, channel=place, text=text)[0] == 200
    run_worker()
    asked = SlackEvent.objects.latest("received_at")
    assert (asked.state, asked.action_token) == ("answered", "")
    return json.dumps(page_state(browser, person, place, asked.thread_ts)["thread"])


def test_a_question_in_direct_messages_is_answered_with_messages(searched: Cast, browser: Client) -> None:
    """By the bot's own listeners, the worker and the page, to somebody who may read no document."""
    said = ask_at(browser, searched.charlie, direct_id(searched.charlie))
    assert IN_ITS_PLACE in said
    assert f"> {MOORING}" in said
    assert f"#//{GENERAL}/" in QuotedMessage.objects.get().permalink


def test_private_channels_are_quoted_to_nobody(searched: Cast, browser: Client) -> None:
    """Nor to those who are in them: a bot's token does not search there."""
    say(searched.alice, "The mooring of the barge Violet ends on 9 May.", OWNERS)
    said = ask_at(browser, searched.alice, direct_id(searched.alice), "When does the mooring of the barge Violet end?")
    assert "9 May" not in said


@pytest.mark.parametrize("place", [GENERAL, OWNERS])
def test_a_channel_is_told_nothing_of_messages(searched: Cast, browser: Client, place: str) -> None:
    """Though Slack gives leave with a mention."""
    said = ask_at(browser, searched.alice, place, f"@Footnote {ASK_MOORING}")
    assert "3 May" not in said
    assert not QuotedMessage.objects.exists()
