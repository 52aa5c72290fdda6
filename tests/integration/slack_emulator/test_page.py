"""Test the page's views for each person, and its requests to the bot."""

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings
from slack_sdk import WebClient

from bot.app import get_app
from bot.models import SlackEvent
from bot.slack.workspace import LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import User
from core.testing import Cast, make_document
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalMessage, add_message
from slack_emulator.page.writing import write_as_sent
from slack_emulator.webapi.blocks import check_blocks
from tests.integration.slack_emulator.conftest import GENERAL, OWNERS, STAFF, channel, direct_id, say


def _state(browser: Client, person: User, channel_id: str = "", thread: str = "") -> dict[str, Any]:
    response = browser.get("/local/state", {"as": find_slack_id(person), "channel": channel_id, "thread": thread})
    assert response.status_code == 200
    return dict(response.json())


def _post(browser: Client, path: str, person: User, **body: Any) -> tuple[int, dict[str, Any]]:
    response = browser.post(f"/local/{path}", {"as": find_slack_id(person), **body}, content_type="application/json")
    return response.status_code, response.json()


def test_the_page_loads_nothing_from_elsewhere(workspace: Cast, browser: Client) -> None:
    """Its policy names this server alone, and no address in it leads away."""
    response = browser.get("/local/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert b"//" not in response.content.replace(b"<!doctype html>", b"")


def test_without_people_the_page_says_so(db: None, browser: Client) -> None:
    """A newcomer who has not seeded anything learns what to do."""
    assert b"There are no people yet" in browser.get("/local/").content


def test_a_person_sees_their_channels_and_nobody_elses(workspace: Cast, browser: Client) -> None:
    """Alice's private channel and her direct messages do not exist for Bob."""
    say(workspace.alice, "a secret of the owners", OWNERS)
    say(workspace.alice, "a private question", direct_id(workspace.alice))
    say(workspace.alice, "hello all", GENERAL)
    assert [c["id"] for c in _state(browser, workspace.alice)["channels"]] == [
        GENERAL,
        OWNERS,
        STAFF,
        direct_id(workspace.alice),
    ]
    assert [c["id"] for c in _state(browser, workspace.bob)["channels"]] == [GENERAL, STAFF, direct_id(workspace.bob)]
    for hidden in (OWNERS, direct_id(workspace.alice), "CNONE"):
        state = _state(browser, workspace.bob, hidden)
        assert (state["channel"], state["messages"], state["thread"]) == (None, [], [])
        assert "secret" not in json.dumps(state)
    assert [m["text"] for m in _state(browser, workspace.bob, GENERAL)["messages"]] == ["hello all"]


def test_everybody_is_shown_with_their_roles(workspace: Cast, browser: Client) -> None:
    """Also before a person is chosen."""
    people = browser.get("/local/state").json()["people"]
    assert {(p["name"], tuple(p["roles"])) for p in people} == {
        ("Alice", ("owners", "staff")),
        ("Bob", ("staff",)),
        ("Charlie", ()),
    }


def test_an_ephemeral_message_is_for_one_person(slack: WebClient, workspace: Cast, browser: Client) -> None:
    """In the channel and in a thread, and it is not counted among the replies that others see."""
    root = say(workspace.alice, "question")
    slack.chat_postMessage(channel=GENERAL, thread_ts=root.ts, text="answer")
    for thread_ts in ("", root.ts):
        slack.chat_postEphemeral(channel=GENERAL, user=find_slack_id(workspace.bob), thread_ts=thread_ts, text="psst")
    bobs, charlies = (_state(browser, p, GENERAL, root.ts) for p in (workspace.bob, workspace.charlie))
    assert [(m["text"], m["only_you"], m["reply_count"]) for m in bobs["messages"]] == [
        ("question", False, 2),
        ("psst", True, 0),
    ]
    assert [m["text"] for m in bobs["thread"]] == ["question", "answer", "psst"]
    assert [(m["text"], m["reply_count"]) for m in charlies["messages"]] == [("question", 1)]
    assert [m["text"] for m in charlies["thread"]] == ["question", "answer"]


def test_an_unchanged_state_is_not_sent_again(workspace: Cast, browser: Client) -> None:
    """The ETag stays until something happens."""
    url = f"/local/state?as={find_slack_id(workspace.alice)}&channel={GENERAL}"
    tag = browser.get(url)["ETag"]
    assert browser.get(url, headers={"if-none-match": tag}).status_code == 304
    say(workspace.bob, "news")
    assert browser.get(url, headers={"if-none-match": tag}).status_code == 200


def test_a_mention_is_stored_once_as_a_question(workspace: Cast, browser: Client) -> None:
    """The two events that Slack sends of a mention pass the signature check and become one question."""
    status, sent = _post(browser, "messages", workspace.alice, channel=GENERAL, text="@Footnote how warm is it?")
    assert (status, set(sent)) == (200, {"ts"})
    event = SlackEvent.objects.get()
    assert (event.team_id, event.channel_id, event.user_id, event.ts, event.thread_ts, event.kind) == (
        LOCAL_TEAM_ID,
        GENERAL,
        find_slack_id(workspace.alice),
        sent["ts"],
        sent["ts"],
        SlackEvent.Kind.MENTION,
    )
    assert event.text == f"<@{LOCAL_BOT_USER_ID}> how warm is it?"


def test_talk_among_people_is_no_question(workspace: Cast, browser: Client) -> None:
    """Without a mention the bot hears the message and leaves it alone."""
    assert _post(browser, "messages", workspace.alice, channel=GENERAL, text="lunch?")[0] == 200
    assert not SlackEvent.objects.exists()
    assert channel(GENERAL).messages.get().text == "lunch?"


def test_a_direct_message_is_a_question_in_its_thread(workspace: Cast, browser: Client) -> None:
    """No mention is needed, and a reply names the thread that it is in."""
    place = direct_id(workspace.bob)
    first = _post(browser, "messages", workspace.bob, channel=place, text="how warm is it?")[1]["ts"]
    _post(browser, "messages", workspace.bob, channel=place, text="and in winter?", thread_ts=first)
    events = SlackEvent.objects.order_by("ts")
    assert [(e.kind, e.thread_ts, e.text) for e in events] == [
        (SlackEvent.Kind.DIRECT, first, "how warm is it?"),
        (SlackEvent.Kind.DIRECT, first, "and in winter?"),
    ]


@pytest.mark.parametrize(
    ("who", "body", "status"),
    [
        ("bob", {"channel": OWNERS, "text": "let me in"}, 404),
        ("bob", {"channel": "CNONE", "text": "x"}, 404),
        ("bob", {"channel": GENERAL, "text": "x", "thread_ts": "1.000001"}, 404),
        ("bob", {"channel": GENERAL, "text": "  "}, 400),
        ("bob", {"channel": GENERAL, "text": "x" * 12_001}, 400),
        ("bob", {"as": "UNOBODY", "channel": GENERAL, "text": "x"}, 404),
    ],
)
def test_a_message_that_cannot_be_posted_says_why(
    workspace: Cast, browser: Client, who: str, body: dict[str, Any], status: int
) -> None:
    """Nothing is stored, and a channel of others is as one that is not there."""
    answered, said = _post(browser, "messages", getattr(workspace, who), **body)
    assert answered == status
    assert said["error"]
    assert not LocalMessage.objects.exists()


def test_a_foreign_page_cannot_post(workspace: Cast) -> None:
    """The page's own requests carry Django's token; without it they are refused."""
    strict = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1"})
    assert _post_raw(strict, workspace.alice, "") == 403
    strict.get("/local/", {"token": "a-token-for-tests"}, follow=True)
    assert _post_raw(strict, workspace.alice, strict.cookies["csrftoken"].value) == 200
    assert LocalMessage.objects.count() == 1


def _post_raw(client: Client, person: User, token: str) -> int:
    body = {"as": find_slack_id(person), "channel": GENERAL, "text": "hello"}
    headers = {"x-csrftoken": token}
    return client.post("/local/messages", body, content_type="application/json", headers=headers).status_code


def test_what_is_not_json_is_refused(workspace: Cast, browser: Client) -> None:
    """With words, not with an error of the server's."""
    for body in ("{", "[]"):
        response = browser.post("/local/messages", body, content_type="application/json")
        assert (response.status_code, "error" in response.json()) == (400, True)


def test_a_message_that_the_bot_refuses_stands_and_says_so(
    workspace: Cast, browser: Client, settings: Settings
) -> None:
    """As in Slack the message is posted; the page hears that nobody will answer it."""
    get_app()  # built with today's secret
    settings.SECRET_KEY = "another-secret-so-that-the-signature-is-wrong"
    status, sent = _post(browser, "messages", workspace.alice, channel=GENERAL, text="@Footnote hello")
    assert status == 200
    assert "401" in sent["undelivered"]
    assert LocalMessage.objects.filter(ts=sent["ts"]).exists()
    assert not SlackEvent.objects.exists()


def test_typed_text_becomes_slack_text(workspace: Cast) -> None:
    """Names after an @ become accounts, whatever their case; special characters become entities."""
    bob = find_slack_id(workspace.bob)
    assert write_as_sent("@footnote is a<b & c?") == f"<@{LOCAL_BOT_USER_ID}> is a&lt;b &amp; c?"
    assert write_as_sent("@Bob, ask @Bobby or bob@Bob") == f"<@{bob}>, ask @Bobby or bob@Bob"


def test_a_press_on_what_is_not_there_is_refused(workspace: Cast, browser: Client) -> None:
    """Another button, another message, or a message that the person cannot see."""
    button = {"type": "button", "action_id": "show_quotes", "text": {"type": "plain_text", "text": "Show"}}
    blocks = check_blocks([{"type": "actions", "block_id": "b", "elements": [button]}], surface="message")
    message = add_message(channel(OWNERS), text="answer", blocks=blocks)
    right = {"channel": OWNERS, "ts": message.ts, "block_id": "b", "action_id": "show_quotes"}
    assert _post(browser, "actions", workspace.alice, **right)[0] == 200
    assert _post(browser, "actions", workspace.bob, **right)[0] == 404
    for wrong in ({"action_id": "other"}, {"action_id": None}, {"block_id": "c"}, {"ts": "1.000001"}):
        assert _post(browser, "actions", workspace.alice, **(right | wrong))[0] == 404


def test_it_begins_as_somebody_who_has_something_to_ask(workspace: Cast, browser: Client) -> None:
    """A reader with suggested questions comes before one without, or one who runs the place; else anybody."""

    def started() -> str:
        return str(browser.get("/local/state").json()["start"])

    make_document("House rules", "The vault has codes.", roles=[workspace.owners])
    assert started() == find_slack_id(workspace.alice)
    make_document("Staff guide", "Soup at noon.", roles=[workspace.staff])
    assert started() == find_slack_id(workspace.bob)  # Alice has no questions to start with
    workspace.bob.is_staff = True
    workspace.bob.save()
    assert started() == find_slack_id(workspace.alice)
    assert "start" not in _state(browser, workspace.alice)
