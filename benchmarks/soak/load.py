"""Act as people and programs: ask, click, upload, delete, grant, revoke, change roles, synchronise."""

import http.client
import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

from django.db import connection

from benchmarks.installation.requests import SLACK_WAITS_S, Endpoint, button_click, event_callback, submission
from benchmarks.soak.judging import Asked, Shared
from benchmarks.soak.played import PlayedSlack
from benchmarks.soak.timeline import Timeline
from benchmarks.soak.world import ROLES, SHELF, SOURCE, Folder, Text, World, email_of
from bot.blocks.buttons import FEEDBACK_UP, SHOW_QUOTES
from bot.blocks.uploads import CHOSEN, COLLECTION
from bot.blocks.uploads import ROLES as READERS
from tests.integration.bot.slack_server import BOT_USER
from tests.integration.bot.socket_server import SocketServer

_RESENT_AFTER_S = (1.0, 8.0, 30.0)  # Slack: at once, after a minute, after five
_OVER_SOCKET = 0.4  # of the events: to the bot, over Socket Mode; the others go to the web process
_SENT_TWICE = 0.15  # of the events that were acknowledged, as Slack does when the 200 is lost
_REST_S = 20.0
_OK = 200
_WRONG = 400  # the first status that means a failure
_SENDERS = 16
_PRESSES = 4  # of a button whose window does not open
_PATIENCE_S = 90.0  # of somebody who waits for the bot to ask what is to become of a file
_Found = TypeVar("_Found")
# How often what is done, in relation to each other.
_WEIGHTS = {
    "ask_in_channel": 30,
    "ask_in_thread": 8,
    "ask_directly": 22,
    "click": 14,
    "upload": 3,
    "share": 3,
    "delete": 2,
    "grant": 6,
    "revoke": 6,
    "change_role": 4,
    "synchronise": 4,
}


class Load:
    """Everything that is done to the installation, at a rate, by the seed."""

    def __init__(
        self,
        world: World,
        folder: Folder,
        slack: PlayedSlack,
        endpoint: Endpoint,
        sockets: SocketServer,
        rest: "Rest",
        timeline: Timeline,
        broken_off: threading.Event,
    ) -> None:
        self._broken_off = broken_off
        self._world, self._folder, self._slack = world, folder, slack
        self._endpoint, self._sockets, self._rest, self._timeline = endpoint, sockets, rest, timeline
        self._chance = random.Random(world.chance.random())
        self.asked: list[Asked] = []
        self.shared: list[Shared] = []
        self.clicks: dict[str, tuple[str, float]] = {}  # by trigger: who, and when
        self.did: Counter[str] = Counter()
        self._known: list[Text] = list(world.texts)  # that somebody may ask about
        self._noting = threading.Lock()
        self._number = 0

    def run(self, until: float, every_s: float) -> None:
        """Do something every so many seconds, until a time on the monotonic clock; then wait for what is on its way."""
        acts: dict[str, Callable[[], None]] = {name: getattr(self, f"_{name}") for name in _WEIGHTS}
        with ThreadPoolExecutor(_SENDERS, thread_name_prefix="load") as pool:
            while time.monotonic() < until and not self._broken_off.is_set():
                name = self._chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
                pool.submit(self._do, name, acts[name])
                self._broken_off.wait(self._chance.expovariate(1 / every_s))

    def ask_first(self) -> bool:
        """Ask one question before everything else. False when nobody said in time that it was taken."""
        ts, user = self._next_ts(), self._world.people[0]
        said = {"channel": f"D{user[1:]}", "user": user, "text": self._question(), "ts": ts, "event_ts": ts}
        body = event_callback(f"EvD{ts.replace('.', '')}", {"type": "message", "channel_type": "im", **said})
        at, accepted = time.time(), self._over_http(body, 0)
        self._note_asked([body], ts, at=at, accepted=accepted)  # stored it may be all the same
        return accepted

    def _do(self, name: str, act: Callable[[], None]) -> None:
        try:
            act()
            self.did[name] += 1
        except Exception as error:  # noqa: BLE001 - what was done may well fail under a fault; it is counted
            status = f" {error}" if isinstance(error, RefusedError) else ""
            self.did[f"{name}, failed: {type(error).__name__}{status}"] += 1
        finally:
            connection.close()  # it may be one to a server that was killed since

    # --- Questions --------------------------------------------------------------------------------------------------
    def _ask_in_channel(self) -> None:
        channel = self._chance.choice(sorted(self._world.channels))
        ts = self._next_ts()
        self._mention(channel, self._chance.choice(self._world.channels[channel]), ts, thread_ts=ts)

    def _ask_in_thread(self) -> None:
        with self._noting:
            earlier = [one for one in self.asked[-40:] if one.channel.startswith("C")]
        if earlier:
            place = self._chance.choice(earlier)
            person = self._chance.choice(self._world.channels[place.channel])
            self._mention(place.channel, person, self._next_ts(), thread_ts=place.thread_ts)

    def _mention(self, channel: str, user: str, ts: str, *, thread_ts: str) -> None:
        said = {"channel": channel, "user": user, "text": f"<@{BOT_USER}> {self._question()}", "ts": ts, "event_ts": ts}
        said |= {"thread_ts": thread_ts} if thread_ts != ts else {}
        number = ts.replace(".", "")
        pair = [
            event_callback(f"EvA{number}", {"type": "app_mention", **said}),
            event_callback(f"EvM{number}", {"type": "message", "channel_type": "group", **said}),
        ]
        self._chance.shuffle(pair)
        self._send(pair, thread_ts)

    def _ask_directly(self) -> None:
        user, ts = self._chance.choice(self._world.people), self._next_ts()
        said = {"channel": f"D{user[1:]}", "user": user, "text": self._question(), "ts": ts, "event_ts": ts}
        event = {"type": "message", "channel_type": "im", **said}
        self._send([event_callback(f"EvD{ts.replace('.', '')}", event)], ts)

    def _question(self) -> str:
        return self._chance.choice(self._known).question

    def _send(self, bodies: list[dict[str, Any]], thread_ts: str) -> None:
        """Send the events as Slack does: again when nobody says 200, and now and then although somebody did."""
        at = time.time()
        accepted = [self._send_one(body) for body in bodies]
        self._note_asked(bodies, thread_ts, at=at, accepted=any(accepted))

    def _note_asked(self, bodies: list[dict[str, Any]], thread_ts: str, *, at: float, accepted: bool) -> None:
        event = bodies[0]["event"]
        with self._noting:
            self.asked.append(
                Asked(
                    event_ids=tuple(body["event_id"] for body in bodies),
                    channel=event["channel"],
                    thread_ts=thread_ts,
                    ts=event["ts"],
                    user=event["user"],
                    at=at,
                    accepted=accepted,
                )
            )
        self._timeline.note("question", at=at, accepted=accepted)

    def _send_one(self, body: dict[str, Any]) -> bool:
        deliver = self._over_socket if self._chance.random() < _OVER_SOCKET else self._over_http
        if deliver(body, 0):
            if self._chance.random() < _SENT_TWICE:
                deliver(body, 1)
            return True
        for number, wait_s in enumerate(_RESENT_AFTER_S, 1):
            self._broken_off.wait(wait_s)
            if deliver(body, number):
                return True
        return False

    def _over_http(self, body: dict[str, Any], retry: int) -> bool:
        headers = {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
        return self._endpoint.event(body, **headers) == _OK

    def _over_socket(self, body: dict[str, Any], _retry: int) -> bool:
        return self._sockets.deliver(body, within_s=SLACK_WAITS_S)

    def _next_ts(self) -> str:
        with self._noting:
            self._number += 1
            return f"{int(time.time())}.{self._number:06d}"

    # --- Clicks -----------------------------------------------------------------------------------------------------
    def _click(self) -> None:
        channel = self._chance.choice(sorted(self._world.channels))
        for message in reversed(list(self._slack.messages[channel])[-20:]):
            request_ids = re.findall(r"req_\w+", str(message.get("blocks")))
            if request_ids:
                break
        else:
            return
        user = self._chance.choice(self._world.channels[channel])
        trigger = f"{uuid4().hex}.soak"
        self.clicks[trigger] = user, time.time()
        body = button_click(
            user=user,
            channel=channel,
            message_ts=message["ts"],
            thread_ts=str(message.get("thread_ts") or ""),
            action=self._chance.choice([FEEDBACK_UP, SHOW_QUOTES, SHOW_QUOTES]),
            value=request_ids[0],
            trigger=trigger,
        )
        self._endpoint.click(body)

    # --- Files that are shared in Slack -----------------------------------------------------------------------------
    def _share(self) -> None:
        """Share a file with the bot, press the button below its offer, and send the window that opens."""
        text, user, ts = self._world.new_text(), self._chance.choice(self._world.librarians), self._next_ts()
        channel, file_id = f"D{user[1:]}", f"F{ts.replace('.', '')}"
        self._slack.add_file(file_id, f"{file_id}.md", text.as_markdown(1).encode())  # whose name says nothing
        said = {"channel": channel, "user": user, "text": "", "ts": ts, "event_ts": ts, "files": [{"id": file_id}]}
        event = {"type": "message", "subtype": "file_share", "channel_type": "im", **said}
        accepted = self._send_one(event_callback(f"EvF{ts.replace('.', '')}", event))
        with self._noting:
            self.shared.append(Shared(channel=channel, ts=ts, accepted=accepted))
        offer = self._wait_for(lambda: self._slack.find_offer(channel, ts), _PATIENCE_S)
        button = next(block for block in offer["blocks"] if block["type"] == "actions")["elements"][0]
        view_id, view = self._open_window(user, channel, offer, button)
        status = self._endpoint.click(
            submission(user=user, view=view, view_id=view_id, values=self._fill_in(view["blocks"]))
        )
        if status != _OK:
            raise RefusedError(status)
        with self._noting:
            self._known.append(text)

    def _open_window(
        self, user: str, channel: str, message: dict[str, Any], button: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Press a button until a window opens, some times; the window's id, and what it shows."""
        for _ in range(_PRESSES - 1):
            trigger = self._press(user, channel, message, button)
            with suppress(NotThereError):
                return self._wait_for(partial(self._slack.find_view, trigger), _REST_S / _PRESSES)
        trigger = self._press(user, channel, message, button)
        return self._wait_for(partial(self._slack.find_view, trigger), _REST_S / _PRESSES)

    def _press(self, user: str, channel: str, message: dict[str, Any], button: dict[str, Any]) -> str:
        """Press a button; the trigger by which what it opens is known."""
        trigger = f"{uuid4().hex}.soak"
        self.clicks[trigger] = user, time.time()
        self._endpoint.click(
            button_click(
                user=user,
                channel=channel,
                message_ts=message["ts"],
                thread_ts=str(message.get("thread_ts") or ""),
                action=button["action_id"],
                value=button["value"],
                trigger=trigger,
            )
        )
        return trigger

    def _fill_in(self, blocks: list[dict[str, Any]]) -> dict[str, Any]:
        """The library's collection for uploads, and one or two roles."""
        options = {block["block_id"]: block["element"]["options"] for block in blocks if block["type"] == "input"}
        shelf = next(option for option in options[COLLECTION] if option["text"]["text"] == SHELF)
        roles = self._chance.sample(options[READERS], self._chance.randint(1, 2))
        return {COLLECTION: {CHOSEN: {"selected_option": shelf}}, READERS: {CHOSEN: {"selected_options": roles}}}

    def _wait_for(self, find: Callable[[], _Found | None], within_s: float) -> _Found:
        """Wait for something to appear in Slack. NotThereError when it does not, as happens to a person."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline and not self._broken_off.wait(0.2):
            if found := find():
                return found
        raise NotThereError

    # --- The library and who reads it ---------------------------------------------------------------------------------
    def _upload(self) -> None:
        text = self._world.new_text()
        self._rest.hand_in(f"{text.mark}.md", text.as_markdown(1), self._world.some_roles())
        with self._noting:
            self._known.append(text)

    def _delete(self) -> None:
        from core.models import Document

        documents = list(Document.objects.filter(collection__name=SHELF).values_list("pk", flat=True))
        if documents:
            self._rest.call("DELETE", f"documents/{self._chance.choice(documents)}")

    def _grant(self) -> None:
        self._change_grants("grant")

    def _revoke(self) -> None:
        self._change_grants("revoke")

    def _change_grants(self, action: str) -> None:
        from core.models import Document

        documents = list(Document.objects.filter(data_source=None).values_list("pk", flat=True))
        chosen = self._chance.sample(documents, min(2, len(documents)))
        roles = [self._chance.choice(ROLES)]
        self._rest.call("POST", "grants", {"action": action, "roles": roles, "documents": [str(pk) for pk in chosen]})

    def _change_role(self) -> None:
        from core.models import Role, UserRole

        person = self._chance.choice(self._world.people)
        role = Role.objects.get(name=self._chance.choice(ROLES))
        held = UserRole.objects.filter(user__email=email_of(person), role=role).exists()
        self._rest.call("POST", f"roles/{role.pk}/members", {"take" if held else "give": [email_of(person)]})

    def _synchronise(self) -> None:
        from core.library.sync.runs import start
        from core.models import DataSource

        with self._noting:
            self._change_folder()
            self._known = [*dict.fromkeys([*self._known, *self._world.texts])]
        start(DataSource.objects.get(name=SOURCE))

    def _change_folder(self) -> None:
        change = self._chance.choice(["readers", "readers", "rewrite", "add", "remove"])
        names = self._folder.names
        if change == "rewrite":
            self._folder.rewrite(self._chance.choice(names))
        elif change == "add" or len(names) < 4:
            self._folder.add()
            self._folder.change_readers()
        elif change == "remove":
            self._folder.remove(self._chance.choice(names))
        else:
            self._folder.change_readers()


class NotThereError(Exception):
    """Raised when something expected did not appear in Slack."""


class RefusedError(Exception):
    """The status that a request was refused with."""


class Rest:
    """The REST interface, as a program of the operator's calls it."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        """Send JSON. RefusedError, or an error of the connection."""
        self._send(method, path, json.dumps(body or {}).encode(), "application/json")

    def hand_in(self, name: str, content: str, roles: list[str]) -> None:
        """Hand a file in."""
        boundary = uuid4().hex
        fields = [("collection", SHELF), *(("roles", role) for role in roles)]
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in fields
        ]
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
            f"Content-Type: text/markdown\r\n\r\n{content}\r\n--{boundary}--\r\n"
        )
        self._send("POST", "ingestion", "".join(parts).encode(), f"multipart/form-data; boundary={boundary}")

    def _send(self, method: str, path: str, body: bytes, content_type: str) -> None:
        headers = {"Authorization": f"Token {self._token}", "Content-Type": content_type}
        server = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_REST_S)
        try:
            server.request(method, f"/api/v1/{path}", body, headers)
            status = server.getresponse().status
        finally:
            server.close()
        if status >= _WRONG:
            raise RefusedError(status)
