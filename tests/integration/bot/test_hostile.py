"""Hostile requests in Slack's name: each is refused or acknowledged, none is a fault of ours, and none leaves a row."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from slack_bolt.lazy_listener.thread_runner import ThreadLazyListenerRunner

from bot import app as bot_app
from bot.blocks.asker_notes import ANSWER_PRIVATELY
from bot.blocks.buttons import FEEDBACK_DOWN, FEEDBACK_UP, SHARE, SHOW_QUOTES
from bot.blocks.feedback import FEEDBACK_MODAL
from bot.blocks.handoff import RESOLVE
from bot.blocks.owners import OWNER_WROTE
from bot.blocks.question_windows import ASK_ABOUT_MESSAGE, QUESTION, TEXT
from bot.blocks.research import PLAN_CHANGED
from bot.blocks.uploads import ADD_FILES
from bot.models import SlackEvent
from tests.integration.bot.conftest import ALICE, BOB, CHANNEL, _AtOnce, direct, event_body, mention, signed
from tests.integration.bot.slack_server import BOT_USER, TEAM, SlackServer
from tests.integration.hostile import (
    MARK,
    assert_alive,
    assert_not_logged,
    assert_says_nothing_internal,
    nothing_written,
)

pytestmark = pytest.mark.django_db
Json = dict[str, Any]
FORM = "application/x-www-form-urlencoded"
UNKNOWN = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request to Slack's address, and what it has to get."""

    what: str
    raw: Callable[[], str | bytes]
    status: frozenset[int]
    content_type: str = FORM
    headers: dict[str, str] = field(default_factory=dict)
    age_s: int = 0  # how long ago it was signed
    is_signed: bool = True


def form(payload: Any) -> str:
    """An interaction as Slack sends it."""
    return urlencode({"payload": json.dumps(payload)})


def pressed(action_id: str = FEEDBACK_UP, value: Any = "req_x", **changed: Any) -> Json:
    """A pressed button; None takes a part away."""
    payload = {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "test"},
        "user": {"id": ALICE, "team_id": TEAM},
        "api_app_id": "A0APP",
        "container": {"type": "message", "message_ts": "2.2", "channel_id": CHANNEL, "thread_ts": "1.1"},
        "channel": {"id": CHANNEL, "name": "general"},
        "message": {"ts": "2.2", "thread_ts": "1.1", "text": MARK},
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.invalid/actions/1",
        "actions": [{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
    } | changed
    return {name: part for name, part in payload.items() if part is not None}


def submitted(callback_id: str, values: Any, **changed: Any) -> Json:
    """A window that was sent."""
    view = {
        "id": "V0",
        "type": "modal",
        "callback_id": callback_id,
        "private_metadata": "",
        "state": {"values": values},
    }
    return {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "test"},
        "user": {"id": ALICE, "team_id": TEAM},
        "api_app_id": "A0APP",
        "trigger_id": "1.2.abc",
        "view": view | changed,
    }


def asked_about(question: Any = f"What is {MARK}?", text: Any = f"{MARK} is a word.") -> Json:
    """Build the entries of the window that asks about a message."""
    return {QUESTION: {QUESTION: {"value": question}}, TEXT: {TEXT: {"value": text}}}


def chosen(collection: Any, roles: Any = ()) -> Json:
    """Build the choices in the window for files."""
    return {
        "collection": {"chosen": {"selected_option": {"value": collection}}},
        "roles": {"chosen": {"selected_options": [{"value": role} for role in roles]}},
    }


def shortcut(**changed: Any) -> Json:
    """ "Ask about this message", chosen."""
    payload = {
        "type": "message_action",
        "callback_id": ASK_ABOUT_MESSAGE,
        "team": {"id": TEAM, "domain": "test"},
        "user": {"id": ALICE, "team_id": TEAM},
        "channel": {"id": CHANNEL, "name": "general"},
        "message": {"type": "message", "text": MARK, "ts": "2.2"},
        "message_ts": "2.2",
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.invalid/app/1",
    } | changed
    return {name: part for name, part in payload.items() if part is not None}


def typed(text: Any = f"What is {MARK}?", **changed: Any) -> str:
    """The slash command."""
    body = {
        "command": "/footnote",
        "text": text,
        "team_id": TEAM,
        "user_id": ALICE,
        "channel_id": CHANNEL,
        "trigger_id": "1.2.abc",
        "response_url": "https://hooks.slack.invalid/commands/1",
    } | changed
    return urlencode({name: part for name, part in body.items() if part is not None})


def changed_event(body: Json, **parts: Any) -> str:
    """An event of which some parts are others; None takes a part away."""
    event = {name: part for name, part in (body["event"] | parts).items() if part is not None}
    return json.dumps(body | {"event": event})


def by_json(what: str, raw: Callable[[], str | bytes], *status: int, **how: Any) -> Sent:
    """A case whose body is JSON, as events are."""
    return Sent(what=what, raw=raw, status=frozenset(status), content_type="application/json", **how)


def by_form(what: str, raw: Callable[[], str | bytes], *status: int, **how: Any) -> Sent:
    """A case whose body is a form, as interactions and commands are."""
    return Sent(what=what, raw=raw, status=frozenset(status), **how)


def question() -> str:
    return json.dumps(mention(f"What is {MARK}?"))


NOT_BELIEVED = (
    by_json("no signature", question, 401, is_signed=False),
    by_json("a signature of another version", question, 401, headers={"x-slack-signature": "v9=00"}),
    by_json("a signature of zeros", question, 401, headers={"x-slack-signature": "v0=" + "0" * 64}),
    by_json("a signature of letters beyond ASCII", question, 401, headers={"x-slack-signature": "v0=é"}),
    by_json("two signatures in one header", question, 401, headers={"x-slack-signature": "v0=0,v0=0"}),
    by_json("a huge signature", question, 401, headers={"x-slack-signature": "v0=" + "a" * 100_000}),
    by_json("signed an hour ago", question, 401, age_s=3600),
    by_json("signed in an hour", question, 401, age_s=-3600),
    by_json("a time in other digits", question, 401, headers={"x-slack-request-timestamp": "١٢٣"}),
    by_json("a time with a sign", question, 401, headers={"x-slack-request-timestamp": "+1"}),
    by_json("a time without end", question, 401, headers={"x-slack-request-timestamp": "9" * 5000}),
    by_json("the signature of another body", question, 401, headers={"x-slack-signature": "v0=" + "ab" * 32}),
    by_json(
        "a challenge that nobody signed", lambda: '{"type":"url_verification","challenge":"c"}', 401, is_signed=False
    ),
)
NOT_READ = (
    by_json("no body", lambda: "", 400, 404),
    by_json("half a body", lambda: '{"type": "event_callback"', 400),
    by_json("JSON nested 100,000 deep", lambda: "[" * 100_000, 400),
    by_json("an object nested 20,000 deep", lambda: '{"a":' * 20_000 + "1" + "}" * 20_000, 400),
    by_json("not UTF-8", lambda: b'{"type": "event_callback", "x": "\xff\xfe"}', 400),
    by_json(
        "a number of 5,000 digits", lambda: '{"type": "event_callback", "event_time": ' + "9" * 5000 + "}", 200, 400
    ),
    by_json("NaN for an object", lambda: "NaN", 400, 404),
    by_json("a body of 2 MB", lambda: json.dumps(mention(MARK * 150_000)), 413),
    by_form("a payload that is no JSON", lambda: urlencode({"payload": "{"}), 400),
    by_form("a payload that is a list", lambda: form([]), 400, 404),
    by_form("a payload that is null", lambda: form(None), 400, 404),
    by_form("an empty payload", lambda: "payload=", 400, 404),
    by_form("two payloads", lambda: form(pressed(user={"id": BOB, "team_id": TEAM})) + "&" + form([]), 400, 404),
    by_form("a form of 10,000 fields", lambda: "&".join(f"a{n}={n}" for n in range(10_000)), 400, 404),
    by_form("a form with half an escape", lambda: "payload=%7B%", 400),
)
ACKNOWLEDGED_EVENTS = (
    by_json("an event that is null", lambda: json.dumps(mention("x") | {"event": None}), 200, 400),
    by_json("an event that is a list", lambda: json.dumps(mention("x") | {"event": []}), 200, 400),
    by_json("an event that is text", lambda: json.dumps(mention("x") | {"event": MARK}), 200, 400),
    by_json("an event without a type", lambda: changed_event(mention("x"), type=None), 200),
    by_json("a type that is a number", lambda: changed_event(mention("x"), type=7), 200),
    by_json("a user who is a number", lambda: changed_event(mention(MARK), user=7), 200, 400),
    by_json("a user who is an object", lambda: changed_event(mention(MARK), user={"id": ALICE}), 200),
    by_json("a user who is a list", lambda: changed_event(direct(MARK), user=[ALICE]), 200),
    by_json("a user's id of 10,000 characters", lambda: changed_event(mention(MARK), user="U" * 10_000), 200),
    by_json("a channel of 10,000 characters", lambda: changed_event(mention(MARK), channel="C" * 10_000), 200),
    by_json("a channel that is an object", lambda: changed_event(mention(MARK), channel={"id": CHANNEL}), 200),
    by_json("a channel with NUL", lambda: changed_event(mention(MARK), channel="C\x00"), 200),
    by_json("a ts of 10,000 digits", lambda: changed_event(mention(MARK), ts="1" * 10_000), 200),
    by_json("a ts that is a number", lambda: changed_event(mention(MARK), ts=1.5), 200),
    by_json("a thread that is an object", lambda: changed_event(mention(MARK), thread_ts={"a": MARK}), 200),
    by_json("text that is a list", lambda: changed_event(mention("x"), text=[MARK]), 200),
    by_json("text that is an object", lambda: changed_event(direct("x"), text={"a": MARK}), 200),
    by_json("files that are no list", lambda: changed_event(direct("x"), files=MARK), 200),
    by_json("files that are numbers", lambda: changed_event(direct("x"), files=[1, 2]), 200),
    by_json("files with ids of another kind", lambda: changed_event(direct("x"), files=[{"id": {"a": 1}}]), 200),
    by_json("an event's id of 10,000 characters", lambda: json.dumps(mention(MARK) | {"event_id": "E" * 10_000}), 200),
    by_json("an event's id that is a list", lambda: json.dumps(mention(MARK) | {"event_id": [1]}), 200),
    by_json("an event's id with NUL", lambda: json.dumps(mention(MARK) | {"event_id": "Ev\x00"}), 200),
    by_json("authorizations that are text", lambda: json.dumps(mention(MARK) | {"authorizations": MARK}), 200, 400),
    by_json("authorizations that are numbers", lambda: json.dumps(mention(MARK) | {"authorizations": [1]}), 200, 400),
    by_json("an event of an unknown type", lambda: changed_event(mention(MARK), type="file_deleted_for_ever"), 200),
    by_json("our own message", lambda: changed_event(direct(MARK), user=BOT_USER), 200),
    by_json(
        "an account that changed without an id", lambda: json.dumps(event_body("user_change", text="", user={})), 200
    ),  # type: ignore[arg-type]
    by_json("an account that is text", lambda: changed_event(event_body("user_change", text=""), user=MARK), 200),
    by_json(
        "a usergroup without an id", lambda: changed_event(event_body("subteam_updated", text=""), subteam={}), 200
    ),
    by_json(
        "a usergroup that is text", lambda: changed_event(event_body("subteam_updated", text=""), subteam=MARK), 200
    ),
    by_json(
        "a usergroup's members without an id", lambda: json.dumps(event_body("subteam_members_changed", text="")), 200
    ),
    by_json(
        "a thread of the assistant that is text",
        lambda: changed_event(event_body("assistant_thread_started", text=""), assistant_thread=MARK),
        200,
    ),
    by_json(
        "a thread of the assistant without anything",
        lambda: changed_event(event_body("assistant_thread_started", text=""), assistant_thread={}),
        200,
    ),
    by_json(
        "a Home tab of nobody",
        lambda: changed_event(event_body("app_home_opened", text="", tab="home"), user=None),
        200,
    ),
    by_json(
        "a Home tab whose view is text",
        lambda: changed_event(event_body("app_home_opened", text="", tab="home"), view=MARK),
        200,
    ),
    by_json(
        "tokens revoked in no list", lambda: changed_event(event_body("tokens_revoked", text=""), tokens=MARK), 200
    ),
    by_json(
        "an app that ended in the year 99999",
        lambda: json.dumps(event_body("app_uninstalled", text="") | {"event_time": 10**15}),
        200,
    ),
    by_json(
        "an app that ended at no time",
        lambda: json.dumps(event_body("app_uninstalled", text="") | {"event_time": MARK}),
        200,
    ),
    by_json(
        "a team that is a list",
        lambda: json.dumps(mention(MARK) | {"team_id": [TEAM], "authorizations": []}),
        200,
        400,
        404,
    ),
)
REFUSED_INTERACTIONS = (
    by_form("a click without an action", lambda: form(pressed(actions=[])), 400, 404),
    by_form("a click whose actions are text", lambda: form(pressed(actions=MARK)), 400, 404),
    by_form("a click whose action is a number", lambda: form(pressed(actions=[7])), 400, 404),
    by_form("a click of nobody", lambda: form(pressed(user=None)), 400),
    by_form("a click of a user who is text", lambda: form(pressed(user=ALICE)), 400),
    by_form("a click of a user without an id", lambda: form(pressed(user={"team_id": TEAM})), 400),
    by_form("a click whose value is an object", lambda: form(pressed(value={"a": MARK})), 400),
    by_form("a click whose value has 100,000 characters", lambda: form(pressed(value="r" * 100_000)), 400),
    by_form("a click whose container is text", lambda: form(pressed(container=MARK)), 400),
    by_form("a click in a channel that is a number", lambda: form(pressed(container={"channel_id": 7})), 400),
    by_form("a click whose message is text", lambda: form(pressed(message=MARK)), 400),
    by_form("a click whose trigger is a list", lambda: form(pressed(FEEDBACK_DOWN, trigger_id=[MARK])), 400),
    by_form("a click without a trigger", lambda: form(pressed(SHOW_QUOTES, trigger_id=None)), 400),
    by_form("a click that answers to a number", lambda: form(pressed(response_url=7)), 400),
    by_form(
        "a resolved question without a message",
        lambda: form(pressed(RESOLVE, UNKNOWN, container={"channel_id": CHANNEL})),
        400,
    ),
    by_form("a window that is null", lambda: form(submitted(FEEDBACK_MODAL, {}) | {"view": None}), 400, 404),
    by_form("a window without values", lambda: form(submitted(FEEDBACK_MODAL, {})), 400),
    by_form("a window whose values are text", lambda: form(submitted(FEEDBACK_MODAL, MARK)), 400),
    by_form(
        "a feedback form about nothing",
        lambda: form(submitted(FEEDBACK_MODAL, {"reasons": {"reasons": {}}, "comment": {"comment": {}}})),
        400,
    ),
    by_form(
        "a feedback form about what is no JSON",
        lambda: form(
            submitted(FEEDBACK_MODAL, {"reasons": {"reasons": {}}, "comment": {"comment": {}}}, private_metadata="{")
        ),
        400,
    ),
    by_form(
        "a feedback form about other parts",
        lambda: form(
            submitted(
                FEEDBACK_MODAL, {"reasons": {"reasons": {}}, "comment": {"comment": {}}}, private_metadata='{"a": 1}'
            )
        ),
        400,
    ),
    by_form("an owner's words without their field", lambda: form(submitted(OWNER_WROTE, {})), 400),
    by_form(
        "an owner's words about nothing",
        lambda: form(submitted(OWNER_WROTE, {"words": {"words": {"value": MARK}}})),
        400,
    ),
    by_form(
        "an owner's words about a number",
        lambda: form(
            submitted(
                OWNER_WROTE,
                {"words": {"words": {"value": MARK}}},
                private_metadata='{"question": 7, "channel": ""}',
            )
        ),
        400,
    ),
    by_form(
        "a plan without its limits", lambda: form(submitted(PLAN_CHANGED, {"plan_0": {"plan_0": {"value": MARK}}})), 400
    ),
    by_form(
        "a plan with a piece of another name",
        lambda: form(
            submitted(
                PLAN_CHANGED,
                {name: {name: {"value": "1"}} for name in ("plan_0", "minutes", "dollars")} | {"plan_1": {}},
                private_metadata='{"message": "1", "channel": ""}',
            )
        ),
        400,
    ),
    by_form("a selection without its fields", lambda: form(submitted(ASK_ABOUT_MESSAGE, {})), 400),
    by_form(
        "a selection whose question is a list", lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about([MARK]))), 400
    ),
    by_form(
        "a selection in a channel of 10,000 characters",
        lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about(), private_metadata="C" * 10_000)),
        400,
    ),
    by_form(
        "a selection whose window has no id", lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about(), id=None)), 400
    ),
    by_form(
        "a selection whose window has an id of 10,000 characters",
        lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about(), id="V" * 10_000)),
        400,
    ),
    by_form(
        "files whose collection is no id",
        lambda: form(submitted(ADD_FILES, chosen(MARK), private_metadata=UNKNOWN)),
        200,
        400,
    ),
    by_form(
        "files whose collection is a list",
        lambda: form(submitted(ADD_FILES, chosen([1]), private_metadata=UNKNOWN)),
        400,
    ),
    by_form(
        "files whose role is no id",
        lambda: form(submitted(ADD_FILES, chosen(UNKNOWN, [MARK]), private_metadata=UNKNOWN)),
        200,
        400,
    ),
    by_form(
        "files of an upload that is an object",
        lambda: form(submitted(ADD_FILES, chosen(UNKNOWN), private_metadata={"a": 1})),
        400,
    ),
    by_form("a shortcut without a channel", lambda: form(shortcut(channel=None)), 400),
    by_form("a shortcut whose message is text", lambda: form(shortcut(message=MARK)), 400),
    by_form("a shortcut without a trigger", lambda: form(shortcut(trigger_id=None)), 400),
    by_form("a command without a trigger", lambda: typed(trigger_id=None), 400),
    by_form("a command of nobody", lambda: typed(user_id=None), 400),
    by_form("a command in a channel of 10,000 characters", lambda: typed(channel_id="C" * 10_000), 400),
    by_form("a command with a trigger of 10,000 characters", lambda: typed(trigger_id="1" * 10_000), 400),
    by_form("an interaction of an unknown type", lambda: form(pressed(type="dialog_of_the_future")), 404),
    by_form("an interaction whose type is a list", lambda: form(pressed(type=["block_actions"])), 400, 404),
    by_form("a button that is not ours", lambda: form(pressed("delete_everything")), 404),
    by_form("a window that is not ours", lambda: form(submitted("somebody_elses", {})), 404),
)
# In order, but about nothing that there is, or that is theirs: acknowledged, and told to the one who pressed.
WITHOUT_EFFECT = (
    by_form("a vote on an answer that is not there", lambda: form(pressed(FEEDBACK_UP, "req_20990101_00000000")), 200),
    by_form("a vote with NUL", lambda: form(pressed(FEEDBACK_UP, "req_\x00")), 200, 400),
    by_form("quotes of an answer that is SQL", lambda: form(pressed(SHOW_QUOTES, "' OR 1=1 --")), 200),
    by_form(
        "a private answer to nobody's question", lambda: form(pressed(ANSWER_PRIVATELY, "req_20990101_00000000")), 200
    ),
    by_form("sharing nobody's answer", lambda: form(pressed(SHARE, "req_20990101_00000000")), 200),
    by_form("a hand-over that is not there", lambda: form(pressed(RESOLVE, UNKNOWN)), 200),
    by_form("a hand-over that is no id", lambda: form(pressed(RESOLVE, "../../etc/passwd")), 200),
    by_form("files that nobody shared", lambda: form(pressed(ADD_FILES, UNKNOWN)), 200),
    by_form(
        "an answer to a foreign host",
        lambda: form(
            pressed(
                FEEDBACK_UP,
                "req_x",
                container={"type": "message", "message_ts": "2.2", "channel_id": CHANNEL, "is_ephemeral": True},
                response_url="http://169.254.169.254/latest",
            )
        ),
        200,
    ),
    by_form(
        "an answer to a host that looks like Slack's",
        lambda: form(
            pressed(
                FEEDBACK_UP,
                "req_x",
                container={"type": "message", "message_ts": "2.2", "channel_id": CHANNEL, "is_ephemeral": True},
                response_url="https://slack.com@evil.example/x",
            )
        ),
        200,
    ),
    by_form(
        "a click in a message that is not ours",
        lambda: form(
            pressed(
                FEEDBACK_UP,
                "req_x",
                message={"ts": "9.9", "text": MARK, "user": BOB, "blocks": [{"type": "divider"}] * 10_000},
            )
        ),
        200,
    ),
    by_form(
        "a feedback form about somebody's answer",
        lambda: form(
            submitted(
                FEEDBACK_MODAL,
                {"reasons": {"reasons": {}}, "comment": {"comment": {"value": MARK}}},
                private_metadata=json.dumps(
                    {
                        "request_id": "req_20990101_00000000",
                        "channel_id": CHANNEL,
                        "thread_ts": "",
                        "response_url": "http://evil.example",
                    }
                ),
            )
        ),
        200,
    ),
    by_form(
        "files of an upload that is not there",
        lambda: form(submitted(ADD_FILES, chosen(UNKNOWN), private_metadata=UNKNOWN)),
        200,
    ),
    by_form(
        "a selection of 60,000 characters",
        lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about(text=MARK + "é" * 60_000))),
        200,
    ),
    by_form(
        "a selection without a question", lambda: form(submitted(ASK_ABOUT_MESSAGE, asked_about("\u200b \u200b"))), 200
    ),
    by_form("a command with an unknown filter", lambda: typed(f"type:{MARK} what?"), 200),
)
CASES = (
    *NOT_BELIEVED,
    *NOT_READ,
    *ACKNOWLEDGED_EVENTS,
    *REFUSED_INTERACTIONS,
    *WITHOUT_EFFECT,
)


@pytest.fixture
def endpoint(workspace: SlackServer) -> Callable[[Sent], Any]:
    """Sends to Slack's address of the web process, whose app does at once what it usually does in other threads."""
    bot_app.get_app.cache_clear()
    runner = bot_app.get_app().listener_runner
    runner.lazy_listener_runner = ThreadLazyListenerRunner(logger=runner.logger, executor=_AtOnce())
    client = Client()

    def send(case: Sent) -> Any:
        raw = case.raw()
        body = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")
        headers = {}
        if case.is_signed:
            shown = signed(body.decode("utf-8", "replace"), at=time.time() - case.age_s)
            headers = {name: values[0] for name, values in shown.items() if name != "content-type"}
        return client.post(
            "/slack/events", body, content_type=case.content_type, headers=headers | case.headers, secure=True
        )

    return send


@pytest.mark.parametrize("case", CASES, ids=[case.what.replace(" ", "-") for case in CASES])
def test_a_hostile_request_in_slacks_name_changes_nothing(
    case: Sent, endpoint: Callable[[Sent], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever it holds, it has the status of its kind, and the process answers the next one."""
    with nothing_written("core_slackidentity"):
        response = endpoint(case)
    assert response.status_code in case.status
    assert_says_nothing_internal(response.content.decode())
    assert_not_logged(caplog)
    assert_alive()


def test_after_all_of_them_a_question_is_taken(endpoint: Callable[[Sent], Any]) -> None:
    """One app hears them all, and then somebody asks."""
    for case in CASES:
        assert endpoint(case).status_code in case.status
    assert endpoint(by_json("a question", question)).status_code == 200
    assert SlackEvent.objects.count() == 1
