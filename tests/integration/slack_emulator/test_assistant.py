"""Test the bot's messages beside a thread, and chats that a person begins."""

from typing import Any

import pytest
from django.test import Client
from slack_bolt import App
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from core.testing import Cast
from slack_emulator import features
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import assistant
from tests.integration.slack_emulator.conftest import GENERAL, OWNERS, Hearing, direct_id, page_post, page_state, say

Json = dict[str, Any]
PROMPTS = [{"title": "Inspection", "message": "When is the boiler inspected?"}]
NO_SESSION = {"title": "", "is_working": False, "can_stop": False}


@pytest.fixture
def assistant_app(monkeypatch: pytest.MonkeyPatch) -> None:
    """The app was made before there were agents."""
    monkeypatch.setattr(features, "IS_AGENT", False)


def _refusal(call: Any, **arguments: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call(**arguments)
    return str(caught.value.response["error"])


def test_a_status_stands_below_its_thread_until_a_message_comes(
    slack: WebClient, workspace: Cast, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or until it is taken away, or has grown old. A message elsewhere leaves it."""
    root, other = say(workspace.alice, "question"), say(workspace.bob, "another")
    thread: Json = {"channel_id": GENERAL, "thread_ts": root.ts}

    def status() -> str:
        beside = page_state(browser, workspace.bob, GENERAL, root.ts)["assistant"]
        return str(beside["status"]) if beside else ""

    assert status() == ""
    slack.assistant_threads_setStatus(**thread, status="is searching…")
    slack.chat_postMessage(channel=GENERAL, thread_ts=other.ts, text="answer")
    assert status() == "Footnote is searching…"
    slack.chat_postMessage(channel=GENERAL, thread_ts=root.ts, text="answer")
    assert status() == ""
    slack.assistant_threads_setStatus(**thread, status="is reading…", loading_messages=["Reading", "Still reading"])
    slack.assistant_threads_setStatus(**thread, status="")
    assert status() == ""
    slack.assistant_threads_setStatus(**thread, status="is checking…")
    monkeypatch.setattr(assistant, "STATUS_LIFETIME", -assistant.STATUS_LIFETIME)
    assert status() == ""
    assert _refusal(slack.assistant_threads_setStatus, channel_id=GENERAL, thread_ts="1.1", status="x") == (
        "thread_not_found"
    )


@pytest.mark.usefixtures("assistant_app")
def test_a_chat_begins_with_questions_to_choose_from(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing
) -> None:
    """The bot hears that it begins; what it offers goes away when the person has written something."""
    place = direct_id(workspace.bob)

    def on_start(event: Json, client: WebClient) -> None:
        thread = event["assistant_thread"]
        assert thread["user_id"] == find_slack_id(workspace.bob)
        at = {"channel_id": thread["channel_id"], "thread_ts": thread["thread_ts"]}
        client.assistant_threads_setSuggestedPrompts(**at, prompts=PROMPTS, title="Ask me:")
        client.assistant_threads_setTitle(**at, title="Boilers")

    def register(app: App) -> None:
        app.event("assistant_thread_started")(on_start)
        app.event("message")(lambda: None)

    hearing(register)
    status, begun = page_post(browser, "chats", workspace.bob)
    assert (status, set(begun)) == (200, {"ts"})
    shown = page_state(browser, workspace.bob, place, begun["ts"])
    assert [(m["text"], m["subtype"]) for m in shown["thread"]] == [("Boilers", "assistant_app_thread")]
    assert shown["assistant"] == {"status": "", "prompts": PROMPTS, "prompts_title": "Ask me:", **NO_SESSION}
    page_post(browser, "messages", workspace.bob, channel=place, text="Hello", thread_ts=begun["ts"])
    assert page_state(browser, workspace.bob, place, begun["ts"])["assistant"]["prompts"] == []


@pytest.mark.usefixtures("assistant_app")
def test_prompts_and_titles_are_for_direct_messages(slack: WebClient, workspace: Cast) -> None:
    """And of prompts there are at most four, each with a title and a message."""
    public: Json = {"channel_id": GENERAL, "thread_ts": say(workspace.alice, "question").ts}
    private: Json = {
        "channel_id": direct_id(workspace.alice),
        "thread_ts": say(workspace.alice, "question", direct_id(workspace.alice)).ts,
    }
    wrong = "method_not_supported_for_channel_type"
    assert _refusal(slack.assistant_threads_setSuggestedPrompts, **public, prompts=PROMPTS) == wrong
    assert _refusal(slack.assistant_threads_setTitle, **public, title="x") == wrong
    for prompts in ([], PROMPTS * 5, [{"title": "x"}]):
        refusal = _refusal(slack.assistant_threads_setSuggestedPrompts, **private, prompts=prompts)
        assert refusal == "invalid_arguments"
    assert slack.assistant_threads_setSuggestedPrompts(**private, prompts=PROMPTS * 4)["ok"]
    private.pop("thread_ts")
    assert _refusal(slack.assistant_threads_setSuggestedPrompts, **private, prompts=PROMPTS) == "not_agent_app"


def test_the_messages_with_an_agent_have_prompts_above_all_threads(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing
) -> None:
    """It hears who opens them. What it sets for a thread is taken without a word and shown nowhere."""
    place = direct_id(workspace.bob)
    heard: list[Json] = []

    def on_open(event: Json, client: WebClient) -> None:
        heard.append(event)
        client.assistant_threads_setSuggestedPrompts(channel_id=event["channel"], prompts=PROMPTS, title="Ask me:")

    def register(app: App) -> None:
        app.event("app_home_opened")(on_open)
        app.event("message")(lambda: None)

    hearing(register)
    assert page_post(browser, "messages/open", workspace.bob) == (200, {})
    (event,) = heard
    assert (event["user"], event["channel"], event["tab"]) == (find_slack_id(workspace.bob), place, "messages")
    beside = {"status": "", "prompts": PROMPTS, "prompts_title": "Ask me:", **NO_SESSION}
    assert page_state(browser, workspace.bob, place)["opening"] == beside
    assert page_state(browser, workspace.alice, direct_id(workspace.alice))["opening"] is None
    root = say(workspace.bob, "question", place)
    assert page_state(browser, workspace.bob, place)["opening"]["prompts"] == []
    assert slack.assistant_threads_setSuggestedPrompts(channel_id=place, thread_ts=root.ts, prompts=PROMPTS)["ok"]
    assert page_state(browser, workspace.bob, place, root.ts)["assistant"] is None
    wrong = "method_not_supported_for_channel_type"
    assert _refusal(slack.assistant_threads_setSuggestedPrompts, channel_id=GENERAL, prompts=PROMPTS) == wrong


def test_an_agent_works_in_a_session_until_it_says_otherwise(
    slack: WebClient, workspace: Cast, browser: Client, hearing: Hearing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first status begins the session and names it. Who stops it ends what streams, and no more by itself."""
    place = direct_id(workspace.alice)
    at: Json = {"channel_id": place, "thread_ts": say(workspace.alice, "question", place).ts}
    in_stream: Json = {"channel": place, "thread_ts": at["thread_ts"]}
    heard: list[Json] = []
    hearing(lambda app: app.event("agent_session_stopped")(_hear(heard)))

    def beside() -> Json:
        shown = page_state(browser, workspace.alice, place, at["thread_ts"])["assistant"] or {}
        return {name: shown.get(name) for name in ("title", "is_working", "can_stop")}

    def stop() -> int:
        return page_post(browser, "sessions/stop", workspace.alice, channel=place, thread_ts=at["thread_ts"])[0]

    assert _refusal(slack.agents_sessions_rename, **at, title="x") == "session_not_found"
    assert stop() == 404
    answered = slack.agents_sessions_setStatus(
        **at, status="processing", title="Boilers", initiator_user_id=find_slack_id(workspace.alice)
    )
    assert (answered["agent_status"], "response_metadata" in answered.data) == ("processing", False)
    assert beside() == {"title": "Boilers", "is_working": True, "can_stop": True}
    assert page_post(browser, "sessions/stop", workspace.bob, channel=place, thread_ts=at["thread_ts"])[0] == 404
    ts = slack.chat_startStream(**in_stream, markdown_text="It is")["ts"]
    assert stop() == 200
    (event,) = heard
    assert {name: event[name] for name in ("channel", "thread_ts", "user", "streaming_message_ts")} == {
        "channel": place,
        "thread_ts": at["thread_ts"],
        "user": find_slack_id(workspace.alice),
        "streaming_message_ts": [ts],
    }
    assert _refusal(slack.chat_appendStream, channel=place, ts=ts, markdown_text="warm") == "stopped_by_user"
    assert beside()["is_working"]
    slack.agents_sessions_setStatus(**at, status="active", title="ignored")
    slack.agents_sessions_rename(**at, title="Kettles")
    assert beside() == {"title": "Kettles", "is_working": False, "can_stop": False}
    slack.agents_sessions_setStatus(**at, status="processing")
    ts = slack.chat_startStream(**in_stream, markdown_text="It is")["ts"]
    slack.chat_stopStream(channel=place, ts=ts, markdown_text=" warm", session_status="closed")
    assert not beside()["is_working"]
    monkeypatch.setattr(features, "HEARS_STOPS", False)
    warned = slack.agents_sessions_setStatus(**at, status="processing")
    assert warned["response_metadata"]["warnings"] == ["missing_agent_session_stopped_event_subscription"]
    assert beside() == {"title": "Kettles", "is_working": True, "can_stop": False}
    assert stop() == 404


def _hear(heard: list[Json]) -> Any:
    def on_stop(event: Json) -> None:
        heard.append(event)

    return on_stop


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"status": "is thinking…"}, "invalid_arguments"),
        ({"status": ""}, "invalid_arguments"),
        ({"title": "x" * 201}, "invalid_arguments"),
        ({"thread_ts": "1.1"}, "thread_not_found"),
        ({"thread_ts": ""}, "invalid_arguments"),
        ({"channel_id": "CNOWHERE"}, "channel_not_found"),
        ({"channel_id": OWNERS, "initiator_user_id": "bob"}, "user_not_in_channel"),
        ({"initiator_user_id": "UNOBODY"}, "user_not_found"),
    ],
    ids=str,
)
def test_a_status_that_is_none_is_refused(slack: WebClient, workspace: Cast, arguments: Json, code: str) -> None:
    """As is every status of an app that is no agent."""
    place = OWNERS if arguments.get("channel_id") == OWNERS else GENERAL
    given = {"status": "active", "channel_id": place, "thread_ts": say(workspace.alice, "x", place).ts, **arguments}
    if given.get("initiator_user_id") == "bob":
        given["initiator_user_id"] = find_slack_id(workspace.bob)
    assert _refusal(slack.agents_sessions_setStatus, **given) == code


@pytest.mark.usefixtures("assistant_app")
def test_only_an_agent_has_sessions(slack: WebClient, workspace: Cast) -> None:
    """An app of the time before gets an error."""
    at = {"channel_id": GENERAL, "thread_ts": say(workspace.alice, "question").ts}
    assert _refusal(slack.agents_sessions_setStatus, **at, status="processing") == "not_agent_app"
    assert _refusal(slack.agents_sessions_rename, **at, title="x") == "not_agent_app"
