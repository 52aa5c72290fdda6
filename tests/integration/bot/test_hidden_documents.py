"""Test that whatever Bob does in Slack, replies and statements are the same with and without forbidden documents."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings
from slack_bolt import App, BoltRequest

from bot.assistant import suggest_questions
from bot.blocks.asker_notes import ANSWER_PRIVATELY
from bot.blocks.buttons import ASK_A_PERSON, ASK_IN_OTHER_WORDS, FEEDBACK_DOWN, FEEDBACK_UP, SHARE, SHOW_QUOTES, WHY
from bot.blocks.home import ASK_AT_HOME
from bot.blocks.question_windows import ASK_ABOUT_MESSAGE, ASK_REWORDED, QUESTION, TEXT
from bot.delivery.engine import deliver
from bot.identity import membership
from bot.links import show_links
from bot.models import Reply, SlackEvent, Unfurl, Upload
from bot.uploads.steps import advance
from core.asking.confidence.threshold_values import forget_thresholds
from core.models import ChannelSetting, Collection, Query
from core.testing import Cast
from tests.integration.bot.conftest import (
    ALICE,
    BOB,
    CHANNEL,
    CHARLIE,
    DIRECT,
    _AtOnce,
    direct,
    event_body,
    mention,
    signed,
)
from tests.integration.bot.ends import refused
from tests.integration.bot.posted import BASE, details_requested, link_shared, post
from tests.integration.bot.slack_server import TEAM, SlackServer
from tests.integration.leaks.addresses import first_difference, shape_of, without_random
from tests.integration.leaks.hidden import CANTEEN_QUESTION, SHELF, VAULT_QUESTION, Hidden, stock, with_hidden

pytestmark = pytest.mark.usefixtures("fast", "workspace")
NEAR = "What is kept in the vault and the canteen of the harbour office?"  # neither text answers it
MISSPELT = "What of the quagmyre and the Lokwork in the harbour office?"  # words that the hidden text alone has
# What a button tells of somebody else's answer is read from the answer. Slack alone can say that one was pressed, and
# Bob has no such button where nothing is shown to him: so the bytes count here, and not the statements.
BY_BYTES_ALONE = {"shows quotes"}
MESSAGE_TS = "1600000000.000100"
_RANDOM = (
    (re.compile(r"\b\d{10}\.\d{6}\b"), "<ts>"),
    (re.compile(r"(?<= )[0-9a-f]{64}\b"), "<digest of the Home tab, with its press>"),
    (re.compile(r"\bp\d{16}\b|\b[0-9a-f]{24}\b"), "<press>"),
    (re.compile(r"\b(?:Ev|EvQ|V)\d+\b"), "<event>"),
    (re.compile(r"\b\d{10}(?:\.\d+)?\b"), "<second>"),
)


@dataclass(kw_only=True)
class Stage:
    """Slack with its bot, where everything is done at once and in one transaction."""

    app: App
    slack: SlackServer
    cast: Cast
    hidden: Hidden  # also where it is gone
    heard: list[str] = field(default_factory=list)  # what the bot answered to requests

    def send(self, body: dict[str, Any]) -> None:
        """An event."""
        self._dispatch(json.dumps(body), {})

    def interact(self, user: str = BOB, **fields: Any) -> None:
        """Send a press or a submission."""
        payload = {"team": {"id": TEAM}, "user": {"id": user, "team_id": TEAM}, "trigger_id": "1.2.a", **fields}
        self._dispatch(urlencode({"payload": json.dumps(payload)}), _FORM)

    def command(self, text: str) -> None:
        """The slash command."""
        given = {"team_id": TEAM, "user_id": BOB, "channel_id": CHANNEL, "command": "/footnote", "trigger_id": "1.3.a"}
        self._dispatch(urlencode({**given, "text": text, "response_url": self.slack.response_url}), _FORM)

    def press(self, action_id: str, value: str, user: str = BOB) -> None:
        """A button below a message of the channel."""
        self.interact(
            user,
            type="block_actions",
            container={"type": "message", "message_ts": "2.2", "channel_id": CHANNEL, "thread_ts": "1.1"},
            channel={"id": CHANNEL},
            message={"ts": "2.2", "thread_ts": "1.1"},
            response_url="https://hooks.slack.invalid/actions/1",
            actions=[{"type": "button", "action_id": action_id, "block_id": "b", "value": value}],
        )

    def submit(self, callback_id: str, values: dict[str, Any], metadata: str) -> None:
        """A window."""
        view = {"id": "V0", "type": "modal", "callback_id": callback_id, "private_metadata": metadata}
        self.interact(type="view_submission", view={**view, "state": {"values": values}})

    def work(self, **asking: Any) -> None:
        """Answer what waits, as the worker does."""
        for event in SlackEvent.objects.filter(state=SlackEvent.State.RECEIVED).order_by("received_at"):
            deliver(event.pk, **asking)
        for row in Unfurl.objects.filter(state=Unfurl.State.WAITING).order_by("created_at"):
            show_links(row.pk)

    def _dispatch(self, raw: str, kind: dict[str, list[str]]) -> None:
        response = self.app.dispatch(BoltRequest(body=raw, headers=signed(raw) | kind))
        self.heard.append(f"{response.status} {response.body}")

    @property
    def hidden_links(self) -> list[str]:
        """Return the addresses of the hidden document and of a citation of it."""
        cited = self.hidden.first("core.citation")
        return [f"{BASE}/documents/{self.hidden.document.pk}/", f"{BASE}/citations/{cited}/"]

    @property
    def own(self) -> str:
        """The request of Bob's own question."""
        return Query.objects.get(question_text=CANTEEN_QUESTION).request_id


_FORM = {"content-type": ["application/x-www-form-urlencoded"]}
Scene = Callable[[Stage], None]


def mentions(text: str, **asking: Any) -> Scene:
    """Bob asks in the channel."""

    def play(stage: Stage) -> None:
        stage.send(mention(text, user=BOB))
        stage.work(**asking)

    return play


def writes(text: str, **asking: Any) -> Scene:
    """Bob asks in his direct messages, and once more in their thread."""

    def play(stage: Stage) -> None:
        stage.send(direct(text, user=BOB))
        stage.work(**asking)
        stage.send(direct("And who knows that?", user=BOB, thread_ts="1700000000.000001"))
        stage.work(**asking)

    return play


def overheard(text: str) -> Scene:
    """Bob says something in a channel that answers without being asked."""

    def play(stage: Stage) -> None:
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, answers_unasked=True)
        stage.send(event_body("message", text=text, user=BOB, channel_type="channel"))
        stage.work()

    return play


def reacts(text: str) -> Scene:
    """Bob puts the emoji on a message."""

    def play(stage: Stage) -> None:
        stage.slack.messages[CHANNEL].append({"ts": MESSAGE_TS, "user": CHARLIE, "text": text, "type": "message"})
        body = event_body("reaction_added", text="", user=BOB)
        item = {"type": "message", "channel": CHANNEL, "ts": MESSAGE_TS}
        told = {"type": "reaction_added", "user": BOB, "reaction": "eyes", "item_user": CHARLIE, "event_ts": "1.1"}
        stage.send({**body, "event": {**told, "item": item}})
        stage.work()

    return play


def presses(action_id: str) -> Scene:
    """Bob presses a button with the number of Alice's question, which somebody has shown him, and with his own."""

    def play(stage: Stage) -> None:
        ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL).answering_people.add(stage.cast.alice)
        for request_id in (stage.hidden.query.request_id, stage.own):
            stage.press(action_id, request_id)
        stage.work()

    return play


def opens_home(stage: Stage) -> None:
    """Bob opens the Home tab, and asks there."""
    event = {"type": "app_home_opened", "user": BOB, "channel": DIRECT, "tab": "home", "event_ts": "1.1"}
    stage.send({**event_body("app_home_opened", text=""), "event": event})
    block = next(one["block_id"] for one in stage.slack.homes[BOB]["blocks"] if one["type"] == "input")
    asked = {"type": "plain_text_input", "value": VAULT_QUESTION}
    stage.interact(
        type="block_actions",
        container={"type": "view", "view_id": "V0HOME"},
        view={**stage.slack.homes[BOB], "id": "V0HOME", "state": {"values": {block: {ASK_AT_HOME: asked}}}},
        actions=[{**asked, "action_id": ASK_AT_HOME, "block_id": block}],
    )
    stage.work()


def opens_the_pane(stage: Stage) -> None:
    """Bob opens a thread in the assistant pane, and is suggested questions."""
    thread = {"user_id": BOB, "channel_id": DIRECT, "thread_ts": "1.1", "context": {}}
    event = {"type": "assistant_thread_started", "assistant_thread": thread, "event_ts": "1.1"}
    stage.send({**event_body("assistant_thread_started", text=""), "event": event})
    suggest_questions(team_id=TEAM, channel_id=DIRECT, thread_ts="1.1", slack_user_id=BOB)


def asks_about_a_message(stage: Stage) -> None:
    """By the shortcut of a message, and in the window that it opens."""
    shortcut = {"type": "message_action", "callback_id": ASK_ABOUT_MESSAGE, "message": {"ts": "1.1", "text": NEAR}}
    stage.interact(**shortcut, channel={"id": CHANNEL})
    values = {QUESTION: {QUESTION: {"value": VAULT_QUESTION}}, TEXT: {TEXT: {"value": "The vault is green."}}}
    stage.submit(ASK_ABOUT_MESSAGE, values, CHANNEL)
    stage.work()


def asks_in_other_words(stage: Stage) -> None:
    """In the window that is opened below a refusal."""
    stage.send(mention(VAULT_QUESTION, user=BOB))
    stage.work(ask=refused)
    reply = Reply.objects.select_related("query").latest("event__received_at")
    for request_id in (stage.hidden.query.request_id, reply.query.request_id if reply.query else ""):
        stage.press(ASK_IN_OTHER_WORDS, request_id)
    if stage.slack.views:
        values = {QUESTION: {QUESTION: {"value": MISSPELT}}}
        stage.submit(ASK_REWORDED, values, stage.slack.views[-1].get("private_metadata", ""))
    stage.work()


def shares_a_file(stage: Stage) -> None:
    """One of the name and with the words of the hidden document, and opens the dialogue."""
    stage.cast.bob.user_permissions.add(Permission.objects.get(codename="add_ingestionjob"))
    stage.slack.add_file("F1", "strongroom.md", b"# Zanzibar vault rules\n\nThe code is quagmire-7741.\n")
    stage.send(direct("", user=BOB, subtype="file_share", files=[{"id": "F1"}]))
    upload = Upload.objects.get(user_id=BOB)
    advance(upload.pk, "offer")
    for action in ("add_files", "keep_files_out"):
        stage.press(action, str(upload.pk))
    other = stage.hidden.first("bot.upload")
    stage.press("add_files", str(other))


def types_commands(stage: Stage) -> None:
    """A question, and what there is to read."""
    stage.command(VAULT_QUESTION)
    stage.work()
    for text in ("sources", "sources collection:Vault", ""):
        stage.command(text)


def posts_links(stage: Stage) -> None:
    """To what is hidden, in the channel, where Alice may read it, and in the direct messages with Alice."""
    for url in stage.hidden_links:
        for user, channel in ((BOB, CHANNEL), (ALICE, CHANNEL), (BOB, DIRECT)):
            stage.slack.members[DIRECT] = [ALICE, BOB]
            post(stage.slack, url, user=user, channel=channel)
            stage.send(link_shared(url, user=user, channel=channel))
            stage.work()


def opens_cards(stage: Stage) -> None:
    """Of what is hidden, below the message and elsewhere."""
    for url in stage.hidden_links:
        for channel in (CHANNEL, None):
            stage.send(details_requested(url, user=BOB, channel=channel))


def asks_about_the_open_channel(stage: Stage) -> None:
    """Bob asks about a channel that keeps to the shelf of the hidden document."""
    setting = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL)
    setting.collections.add(Collection.objects.get(name=SHELF))
    context = {"entities": [{"type": "slack#/types/channel_id", "value": CHANNEL, "team_id": TEAM}]}
    stage.send(direct(f"In this channel: {VAULT_QUESTION}", user=BOB, app_context=context))
    stage.work()


def commands_why(stage: Stage) -> None:
    """Bob asks how his answers came about: in a channel, and after a question about what is hidden."""
    stage.command("why")
    stage.send(mention(NEAR, user=BOB))
    stage.work()
    stage.command("why")
    reply = Reply.objects.select_related("query").latest("event__received_at")
    stage.press(WHY, reply.query.request_id if reply.query else "")


def alice_asks(stage: Stage) -> None:
    """Alice asks in the channel what she may read and Bob may not."""
    stage.send(mention(VAULT_QUESTION, user=ALICE))
    stage.work()


SCENES: dict[str, Scene] = {
    "asks in the channel": mentions(CANTEEN_QUESTION),
    "asks in the channel for what is hidden": mentions(VAULT_QUESTION),
    "is shown what comes closest": mentions(NEAR),
    "is told how it may be spelt": mentions(MISSPELT),
    "is offered what could be asked instead": mentions(NEAR, ask=refused),
    "asks in private": writes(VAULT_QUESTION),
    "misspells in private": writes(MISSPELT),
    "is overheard": overheard(CANTEEN_QUESTION),
    "is overheard on what is hidden": overheard(VAULT_QUESTION),
    "reacts": reacts(CANTEEN_QUESTION),
    "reacts to what is hidden": reacts(VAULT_QUESTION),
    "shows quotes": presses(SHOW_QUOTES),
    "asks why": presses(WHY),
    "asks why by the command": commands_why,
    "shares": presses(SHARE),
    "is answered privately": presses(ANSWER_PRIVATELY),
    "votes up": presses(FEEDBACK_UP),
    "votes down": presses(FEEDBACK_DOWN),
    "asks a person": presses(ASK_A_PERSON),
    "opens the home tab": opens_home,
    "opens the pane": opens_the_pane,
    "asks about a message": asks_about_a_message,
    "asks in other words": asks_in_other_words,
    "shares a file": shares_a_file,
    "types commands": types_commands,
    "posts links": posts_links,
    "opens cards": opens_cards,
    "asks about the open channel": asks_about_the_open_channel,
}


@pytest.fixture(autouse=True)
def _address(settings: Settings) -> None:
    settings.PUBLIC_URL = BASE


@pytest.fixture
def stage_app(prompt_app: App) -> App:
    """The app, which does its work in the thread of the test."""
    prompt_app.listener_runner.listener_executor = _AtOnce()
    return prompt_app


@pytest.fixture(autouse=True)
def _emoji(settings: Settings) -> None:
    settings.SLACK_ASK_EMOJI = "eyes"


def played(scene: Scene, stage: Stage) -> tuple[str, list[str]]:
    """Return what a scene posted, in order and as sent, with its statements, and undo the scene."""
    slack = stage.slack
    stage.heard, slack.ephemeral, slack.responses, slack.homes, slack.views, slack.prompts = [], [], [], {}, [], []
    slack.calls.clear()
    slack.messages.clear()
    membership.forget()
    forget_thresholds()  # that are kept for some seconds: whichever scene comes after these reads them again
    connection.queries_log.clear()
    with transaction.atomic():
        with CaptureQueriesContext(connection) as captured:
            scene(stage)
        transaction.set_rollback(True)
    told = plain([stage.heard, slack.calls, slack.responses])
    return told, [shape_of(query["sql"]) for query in captured.captured_queries]


def plain(told: Any) -> str:
    """Strip from what was posted whatever is random in each run."""
    text = json.dumps(told, default=str)
    for pattern, stand_in in _RANDOM:
        text = pattern.sub(stand_in, text)
    return without_random(text)


def settle(stage: Stage) -> None:
    """Let this process keep what it keeps of a library for as long as nothing in that changes: once in each world."""
    for name in ("asks in private", "asks in the channel"):
        played(SCENES[name], stage)


def _compare(name: str, one: tuple[str, list[str]], other: tuple[str, list[str]]) -> Iterator[str]:
    """In which places two tellings of a scene differ."""
    for a, b in zip(one[: 1 if name in BY_BYTES_ALONE else 2], other, strict=False):
        if a != b:
            yield f"{name}, {len(a)} or {len(b)}: {first_difference(a, b)}"


def test_no_scene_tells_of_it(stage_app: App, workspace: SlackServer, cast: Cast) -> None:
    """Every byte that is posted and every statement are as if the document had never been there."""
    stock(cast)
    with with_hidden(cast) as hidden:
        stage = Stage(app=stage_app, slack=workspace, cast=cast, hidden=hidden)
        settle(stage)
        there = {name: played(scene, stage) for name, scene in SCENES.items()}
        played(alice_asks, stage)
        seen = plain(workspace.messages[CHANNEL])
    settle(stage)
    absent = {name: played(scene, stage) for name, scene in SCENES.items()}
    assert [told for name in SCENES for told in _compare(name, there[name], absent[name])] == []
    played(alice_asks, stage)
    assert plain(workspace.messages[CHANNEL]) == seen
    assert not any("404" in told[:12] for told, _ in there.values()), "a scene is not heard"
