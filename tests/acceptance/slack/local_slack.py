"""local-slack as seen from a test: people write and click, and what the bot says can be read."""

import json
import time
import urllib.request
from collections.abc import Callable
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Mode = Literal["socket", "events"]

PORT = 3000
WEB_PORT = 8000
TEAM = "T0ACCEPT"
BOT = "U0FOOTNOTE"
ALICE, BOB, CHARLIE = "U0ALICE", "U0BOB", "U0CHARLIE"
STAFF_CHANNEL = "C0STAFF"  # Alice and Bob
MIXED_CHANNEL = "C0MIXED"  # Charlie too
PUBLIC_CHANNEL = "C0PUBLIC"  # Alice and Bob, and everyone can open it
TOKEN, APP_TOKEN, SECRET = "xoxb-acceptance", "xapp-acceptance", "signing-secret-of-the-acceptance-test"
SIGNS_OF_WORK = ("Searching the documents…", "Reading what was found…", "Checking every quote…")


def config(mode: Mode) -> dict[str, Any]:
    """local-slack's configuration: three people, three channels, our app."""
    return {
        "workspace": {"name": "Acceptance", "domain": "acceptance", "teamId": TEAM},
        "app": {
            "appId": "A0FOOTNOTE",
            "botUserId": BOT,
            "botName": "footnote",
            "botToken": TOKEN,
            "appToken": APP_TOKEN,
            "signingSecret": SECRET,
            "mode": mode,
            "requestUrl": f"http://127.0.0.1:{WEB_PORT}/slack/events",
        },
        "users": [
            {"id": ALICE, "name": "alice", "real_name": "Alice", "email": "Alice@Example.com"},
            {"id": BOB, "name": "bob", "real_name": "Bob", "email": "bob@example.com"},
            {"id": CHARLIE, "name": "charlie", "real_name": "Charlie", "email": "charlie@example.com"},
        ],
        "channels": [
            {"id": STAFF_CHANNEL, "name": "staff", "members": [ALICE, BOB, BOT], "is_private": True},
            {"id": MIXED_CHANNEL, "name": "mixed", "members": [ALICE, BOB, CHARLIE, BOT], "is_private": True},
            {"id": PUBLIC_CHANNEL, "name": "public", "members": [ALICE, BOB, BOT]},
        ],
    }


def wait_for(what: str, condition: Callable[[], T | None], *, seconds: float = 150) -> T:
    """The condition's value as soon as there is one. TimeoutError that says what was waited for."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise TimeoutError(what)


class LocalSlack:
    """local-slack's control interface."""

    def say(self, user: str, channel: str, text: str, *, thread: str | None = None) -> dict[str, Any]:
        """Somebody writes a message; a person's id as the channel is their direct message with the bot."""
        body = {"user": user, "channel": channel, "text": text} | ({"thread_ts": thread} if thread else {})
        message: dict[str, Any] = self._post("message", body)["message"]
        return message

    def edit(self, message: dict[str, Any], text: str) -> None:
        """The author edits a message."""
        self._post("edit-message", {**self._place(message), "user": message["user"], "text": text})

    def click(self, user: str, message: dict[str, Any], action_id: str) -> None:
        """Somebody clicks a button below a message."""
        action = next(a for a in buttons(message) if a["action_id"] == action_id)
        place = {"channel": message["channel"], "messageTs": message["ts"]}
        self._post("interact", {**place, "user": user, "action": {**action, "type": "button"}})

    def vote(self, user: str, message: dict[str, Any], half: str) -> None:
        """Somebody presses one of the pair of feedback buttons. half: positive or negative."""
        pair = next(a for a in buttons(message) if a["type"] == "feedback_buttons")
        place = {"channel": message["channel"], "messageTs": message["ts"]}
        action = {"type": pair["type"], "action_id": pair["action_id"], "value": pair[f"{half}_button"]["value"]}
        self._post("interact", {**place, "user": user, "action": action})

    def command(self, user: str, channel: str, text: str) -> None:
        """Somebody uses the slash command."""
        self._post("command", {"user": user, "channel": channel, "command": "/footnote", "text": text})

    def open_home(self, user: str) -> dict[str, Any]:
        """Somebody opens the Home tab; what is published for them."""
        self._post("open-home", {"user": user})
        shown = wait_for("a Home tab", lambda: [c for c in self.called("views.publish") if c["user_id"] == user])
        view: dict[str, Any] = shown[-1]["view"]
        return view

    def only_for(self, user: str, channel: str) -> list[dict[str, Any]]:
        """Return the messages in a channel that only one person sees."""
        return [m for m in self.messages(channel) if m.get("subtype") == "ephemeral" and user in json.dumps(m)]

    def messages(self, channel: str) -> list[dict[str, Any]]:
        """All messages of a channel, oldest first."""
        found: list[dict[str, Any]] = self._get(f"messages/{channel}")["messages"]
        return found

    def replies(self, question: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the bot's replies to everyone in the thread of a message."""
        thread = question.get("thread_ts") or question["ts"]
        return [
            message
            for message in self.messages(question["channel"])
            if message.get("thread_ts") == thread and message["user"] == BOT and message.get("subtype") != "ephemeral"
        ]

    def answered(self, question: dict[str, Any]) -> dict[str, Any]:
        """The bot's reply to a message, when the sign of work has become one."""

        def reply() -> dict[str, Any] | None:
            later = [message for message in self.replies(question) if message["ts"] > question["ts"]]
            return next((message for message in later if message["text"] not in SIGNS_OF_WORK), None)

        return wait_for("an answer in the thread", reply)

    def log(self) -> list[dict[str, Any]]:
        """Return the traffic to and from the bot."""
        entries: list[dict[str, Any]] = self._get("log")["log"]
        return entries

    def called(self, method: str) -> list[dict[str, Any]]:
        """The arguments of each call that the bot made of a method."""
        return [entry["detail"] for entry in self.log() if (entry["kind"], entry["summary"]) == ("web_api", method)]

    def is_connected(self) -> bool:
        """True when the bot is connected over Socket Mode."""
        return any(entry["summary"].startswith("socket connected") for entry in self.log())

    @staticmethod
    def _place(message: dict[str, Any]) -> dict[str, Any]:
        return {"channel": message["channel"], "ts": message["ts"]}

    @staticmethod
    def _get(path: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/_control/{path}", timeout=30) as response:
            return dict(json.load(response))

    @staticmethod
    def _post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{PORT}/_control/{path}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - our own address
            return dict(json.load(response))


def buttons(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The buttons below a message."""
    rows = [block for block in message.get("blocks") or [] if block["type"] in ("actions", "context_actions")]
    return [element for block in rows for element in block["elements"]]
