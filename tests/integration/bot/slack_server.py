"""A small server that plays the Web API methods the bot calls, over HTTP, strict where Slack is strict."""

import base64
import json
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

TEAM = "T0TEST"
BOT_USER = "U0BOT"
TOKEN = "xoxb-of-the-tests"
WORKSPACE_URL = "https://harbour.slack.com/"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A failure of the next call of a method. `done` fails only after the call took effect, as a lost answer does."""

    error: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    done: bool = False
    hang_up: bool = False
    raw: bytes | None = None  # what it sends in the place of JSON


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """The response at a file's address for a client with the bot's token."""

    content: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class SlackServer:
    """The state of a workspace: accounts, channels with members, and messages by channel."""

    def __init__(self) -> None:
        self.tokens: dict[str, str] = {TOKEN: TEAM}  # whose bot's token it is
        self.codes: dict[str, dict[str, Any]] = {}  # what oauth.v2.access answers to a code, once
        self.client = "client-id:client-secret"  # what it asks for
        self.used: list[tuple[str, str]] = []  # which method was called with which token
        self.usergroups: dict[str, dict[str, Any]] = {}
        self.usergroup_users: dict[str, list[str]] = {}
        self.socket_url = ""  # where Socket Mode is, for apps.connections.open
        self.users: dict[str, dict[str, Any]] = {}
        self.members: dict[str, list[str]] = {}
        self.channels: dict[str, dict[str, Any]] = {}  # what of a channel is not as `_conversations_info` has it
        self.untold: set[str] = set()  # channels of whose kind it says nothing
        self.messages: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.ephemeral: list[dict[str, Any]] = []
        self.streams: set[str] = set()  # the ts of those that have not ended
        self.views: list[dict[str, Any]] = []  # as they stand, by the number of their id
        self.responses: list[dict[str, Any]] = []  # what was sent to a response_url
        self.homes: dict[str, dict[str, Any]] = {}
        self.prompts: list[dict[str, Any]] = []
        self.unfurls: dict[tuple[str, str], list[dict[str, Any]]] = {}  # cards by channel and ts of their message
        self.details: list[dict[str, Any]] = []  # what was shown to whom opened a card
        self.sessions: dict[tuple[str, str], dict[str, Any]] = {}  # by channel and thread: status and title
        self.leaves: dict[str, tuple[str, str]] = {}  # action tokens: whose each is, and in which direct messages
        self.found: list[Any] = []  # what a search finds, whatever is asked
        self.is_agent = False  # its manifest has agent_view; an app of the time before has assistant_view
        self.canvases: dict[str, dict[str, Any]] = {}  # by their ids, each with the accounts that may open it
        self.files: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, StoredFile] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.failures: dict[str, list[Failure | None]] = defaultdict(list)
        self.refuses: frozenset[str] = frozenset()  # types of blocks that it takes nowhere
        self.delay_s: dict[str, float] = {}
        self.page_size = 2  # small, so that every list has pages
        self._last_us = 0  # the last ts that was given, in microseconds
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.slack = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> "SlackServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address of the methods."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/api/"

    @property
    def response_url(self) -> str:
        """The address for an answer to one person: recorded in `responses`, and refused after `fail("respond")`."""
        return self.url.replace("/api/", "/respond")

    def add_file(self, file_id: str, name: str, content: bytes, **fields: Any) -> dict[str, Any]:
        """A file that is kept here."""
        address = f"{self.url.removesuffix('api/')}files/{file_id}"
        described = {"id": file_id, "name": name, "size": len(content), "mode": "hosted", "url_private": address}
        self.files[file_id] = described | fields
        self.contents[file_id] = StoredFile(content=content)
        return self.files[file_id]

    def add_user(self, user: str, email: str | None, **fields: Any) -> str:
        """An account, ordinary unless the fields say otherwise."""
        profile = {"email": email} if email else {}
        self.users[user] = {"id": user, "team_id": TEAM, "profile": profile, "is_bot": False, "deleted": False} | fields
        self.users[user].setdefault("is_email_confirmed", not self.users[user]["is_bot"])
        return user

    def add_usergroup(self, usergroup: str, handle: str, *users: str, **fields: Any) -> None:
        """A usergroup with these members, enabled unless the fields say otherwise."""
        self.usergroups[usergroup] = {"id": usergroup, "team_id": TEAM, "handle": handle, "date_delete": 0} | fields
        self.usergroup_users[usergroup] = list(users)

    def add_code(self, code: str, *, team: str, token: str, **fields: Any) -> None:
        """A code that Slack gave to an administrator of a team, worth this token."""
        self.codes[code] = {
            "ok": True,
            "access_token": token,
            "token_type": "bot",
            "scope": "chat:write,app_mentions:read",
            "bot_user_id": BOT_USER,
            "app_id": "A0APP",
            "team": {"id": team, "name": f"Workspace {team}"},
            "enterprise": None,
            "authed_user": {"id": "U0INSTALLER"},
            "is_enterprise_install": False,
        } | fields
        self.tokens[token] = team

    def fail(self, method: str, *failures: Failure | None) -> None:
        """The next calls of a method fail in this way, one after the other; None is a call that does not."""
        self.failures[method] += failures

    def failure_of(self, method: str, arguments: dict[str, Any]) -> Failure | None:
        """Return the failure of this call, if it fails."""
        return self.failures[method].pop(0) if self.failures[method] else None

    def called(self, method: str) -> list[dict[str, Any]]:
        """The arguments of each call of a method so far."""
        return [arguments for name, arguments in self.calls if name == method]

    def call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return Slack's response."""
        shown = arguments.get("blocks") or (arguments.get("view") or {}).get("blocks") or []
        if any(block["type"] in self.refuses for block in shown):
            return {"ok": False, "error": "invalid_arguments" if "view" in arguments else "invalid_blocks"}
        handler = getattr(self, "_" + method.replace(".", "_"), None)
        return handler(arguments) if handler else {"ok": False, "error": "unknown_method"}

    def _auth_test(self, arguments: dict[str, Any]) -> dict[str, Any]:
        team = self.tokens[arguments["token"]]
        return {
            "ok": True,
            "url": WORKSPACE_URL,
            "team_id": team,
            "team": f"Workspace {team}",
            "user_id": BOT_USER,
            "bot_id": "B0BOT",
        }

    def _apps_connections_open(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "url": self.socket_url}

    def _oauth_v2_access(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if base64.b64decode(arguments["token"]).decode() != self.client:
            return {"ok": False, "error": "bad_client_secret"}
        return self.codes.pop(arguments["code"], {"ok": False, "error": "invalid_code"})

    def _usergroups_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        groups = [
            group
            for group in self.usergroups.values()
            if not group["date_delete"] or arguments.get("include_disabled") in ("1", "true", True)
        ]
        return {"ok": True, "usergroups": groups}

    def _usergroups_users_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["usergroup"] not in self.usergroup_users:
            return {"ok": False, "error": "no_such_subteam"}
        return {"ok": True, "users": self.usergroup_users[arguments["usergroup"]]}

    def _users_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        user = self.users.get(arguments["user"])
        return {"ok": True, "user": user} if user else {"ok": False, "error": "user_not_found"}

    def _users_list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._page(arguments, "members", list(self.users.values()))

    def _users_conversations(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Every channel that has members, or of an account those that it is in, with what `channels` says of each."""
        if not arguments["form"]:
            return {"ok": False, "error": "invalid_arguments"}
        user = arguments.get("user")
        own = [one for one, members in self.members.items() if user is None or user in members]
        told = [{"id": one, "name": one.casefold()} | self.channels.get(one, {}) for one in own]
        return self._page(arguments, "channels", told)

    def _conversations_members(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if not arguments["form"]:
            return {"ok": False, "error": "invalid_arguments"}
        if arguments["channel"] not in self.members:
            return {"ok": False, "error": "channel_not_found"}
        return self._page(arguments, "members", self.members[arguments["channel"]])

    def _conversations_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """A private channel that is shared with nobody, unless `channels` says otherwise."""
        channel = arguments["channel"]
        if not arguments["form"]:
            return {"ok": False, "error": "invalid_arguments"}
        if channel not in self.members or channel in self.untold:
            return {"ok": False, "error": "channel_not_found"}
        kinds = {"is_channel": True, "is_group": False, "is_im": False, "is_mpim": False, "is_private": True}
        shared = {"is_ext_shared": False, "is_pending_ext_shared": False, "is_org_shared": False}
        return {"ok": True, "channel": {"id": channel} | kinds | shared | self.channels.get(channel, {})}

    def _conversations_replies(self, arguments: dict[str, Any]) -> dict[str, Any]:
        thread = [
            message
            for message in self.messages[arguments["channel"]]
            if arguments["ts"] in (message["ts"], message.get("thread_ts")) and message["ts"] >= arguments["oldest"]
        ]
        return self._page(arguments, "messages", thread)

    def _conversations_history(self, arguments: dict[str, Any]) -> dict[str, Any]:
        since = arguments.get("oldest", "0")
        found = [m for m in self.messages[arguments["channel"]] if not m.get("thread_ts") and m["ts"] >= since]
        return self._page(arguments, "messages", found[::-1])

    def _conversations_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"ok": True, "channel": {"id": "D" + arguments["users"][1:]}}

    def _respond(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.responses.append(arguments)
        return {"ok": True}

    def _chat_startStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        message = {
            "ts": self._ts(),
            "thread_ts": arguments["thread_ts"],
            "user": BOT_USER,
            "text": "",
            "streaming_state": "in_progress",
            "tasks": {},
        }
        self.messages[arguments["channel"]].append(message)
        self.streams.add(message["ts"])
        self._append(message, arguments)
        return {"ok": True, "channel": arguments["channel"], "ts": message["ts"]}

    def _chat_appendStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        if arguments["ts"] not in self.streams:
            return {"ok": False, "error": "message_not_in_streaming_state"}
        self._append(self._message(arguments), arguments)
        return {"ok": True}

    def _chat_stopStream(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        answer = self._chat_appendStream(arguments)
        if answer["ok"]:
            self.streams.discard(arguments["ts"])
            self._message(arguments).update(blocks=arguments.get("blocks") or [], streaming_state="completed")
        return answer

    def _append(self, message: dict[str, Any], arguments: dict[str, Any]) -> None:
        for chunk in arguments.get("chunks") or []:
            if chunk["type"] == "markdown_text":
                message["text"] += chunk["text"]
            elif chunk["type"] == "plan_update":
                message["plan"] = chunk["title"]
            else:
                message["tasks"][chunk["id"]] = chunk["status"]
                said = message.setdefault("details", {})
                said[chunk["id"]] = said.get(chunk["id"], "") + chunk.get("details", "")

    def _message(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return next(m for m in self.messages[arguments["channel"]] if m["ts"] == arguments["ts"])

    def _chat_postMessage(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        message = {**arguments, "ts": self._ts(), "user": BOT_USER, "bot_id": "B0BOT"}
        self.messages[arguments["channel"]].append(message)
        return {"ok": True, "channel": arguments["channel"], "ts": message["ts"], "message": message}

    def _chat_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        for message in self.messages[arguments["channel"]]:
            if message["ts"] == arguments["ts"]:
                message.update({"text": arguments["text"], "blocks": arguments["blocks"]})
                return {"ok": True, "channel": arguments["channel"], "ts": arguments["ts"], "text": arguments["text"]}
        return {"ok": False, "error": "message_not_found"}

    def _chat_getPermalink(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        channel, ts = arguments["channel"], arguments["message_ts"]
        if not any(message["ts"] == ts for message in self.messages[channel]):
            return {"ok": False, "error": "message_not_found"}
        link = f"https://test.slack.com/archives/{channel}/p{ts.replace('.', '')}"
        return {"ok": True, "channel": channel, "permalink": link}

    def _chat_postEphemeral(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        self.ephemeral.append(arguments)
        return {"ok": True, "message_ts": self._ts()}

    def _views_open(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.views.append(arguments["view"])
        return {"ok": True, "view": {**arguments["view"], "id": f"V{len(self.views) - 1}"}}

    def _views_update(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self.views[int(arguments["view_id"][1:])] = arguments["view"]
        return {"ok": True, "view": {**arguments["view"], "id": arguments["view_id"]}}

    def _users_lookupByEmail(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        for user in self.users.values():
            if str(user["profile"].get("email")).casefold() == arguments["email"].casefold():
                return {"ok": True, "user": user}
        return {"ok": False, "error": "users_not_found"}

    def _views_publish(self, arguments: dict[str, Any]) -> dict[str, Any]:
        published = self.homes.get(arguments["user_id"])
        if published and arguments.get("hash", published["hash"]) != published["hash"]:
            return {"ok": False, "error": "hash_conflict"}
        self.homes[arguments["user_id"]] = {**arguments["view"], "hash": self._ts()}
        return {"ok": True, "view": self.homes[arguments["user_id"]]}

    def _assistant_search_context(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments.get("channel_types") != "public_channel":
            return {"ok": False, "error": "missing_scope", "needed": "search:read.private"}
        if arguments.get("action_token") not in self.leaves:
            return {"ok": False, "error": "invalid_action_token"}
        if arguments.get("context_channel_id") != self.leaves[arguments["action_token"]][1]:
            return {"ok": False, "error": "context_channel_not_found"}
        return {"ok": True, "results": {"messages": self.found}, "response_metadata": {"next_cursor": ""}}

    def _assistant_threads_setSuggestedPrompts(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's
        if not self.is_agent and not arguments.get("thread_ts"):
            return {"ok": False, "error": "not_agent_app"}
        if not (self.is_agent and arguments.get("thread_ts")):  # an agent is not told that this does nothing
            self.prompts.append(arguments)
        return {"ok": True}

    def _agents_sessions_setStatus(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        if not self.is_agent:
            return {"ok": False, "error": "not_agent_app"}
        known = arguments["status"] in ("active", "processing", "suspended", "closed")
        if not known or len(arguments.get("title", "")) > 200 or not arguments.get("thread_ts"):
            return {"ok": False, "error": "invalid_arguments"}
        place = (arguments["channel_id"], arguments["thread_ts"])
        session = self.sessions.setdefault(place, {"title": arguments.get("title", ""), "statuses": []})
        session["statuses"].append(arguments["status"])
        return {"ok": True, "status": arguments["status"], "agent_status": arguments["status"]}

    def _agents_sessions_rename(self, arguments: dict[str, Any]) -> dict[str, Any]:
        session = self.sessions.get((arguments["channel_id"], arguments["thread_ts"]))
        if session is None:
            return {"ok": False, "error": "session_not_found"}
        if not 0 < len(arguments["title"]) <= 200:
            return {"ok": False, "error": "invalid_arguments"}
        session["title"] = arguments["title"]
        return {"ok": True, "title": arguments["title"]}

    def _chat_unfurl(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The cards of a message: those of a later call take the place of the earlier ones."""
        place = (arguments.get("channel", ""), arguments.get("ts", ""))
        if not all(place) or arguments["form"]:
            return {"ok": False, "error": "invalid_arguments"}
        message = next((one for one in self.messages[place[0]] if one["ts"] == place[1]), None)
        if message is None:
            return {"ok": False, "error": "cannot_find_message"}
        entities = (arguments.get("metadata") or {}).get("entities")
        if not entities:
            return {"ok": False, "error": "missing_unfurls"}
        if any(entity["app_unfurl_url"] not in message["text"] for entity in entities):
            return {"ok": False, "error": "cannot_unfurl_url"}
        self.unfurls[place] = entities
        return {"ok": True}

    def _entity_presentDetails(self, arguments: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        if not arguments.get("trigger_id"):
            return {"ok": False, "error": "invalid_trigger_id"}
        if ("metadata" in arguments) == ("error" in arguments):
            return {"ok": False, "error": "invalid_metadata"}
        self.details.append({key: arguments[key] for key in ("metadata", "error") if key in arguments})
        return {"ok": True}

    def _canvases_create(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if (arguments.get("document_content") or {}).get("type") != "markdown":
            return {"ok": False, "error": "invalid_arguments"}
        canvas_id = f"F{len(self.canvases):08d}"
        self.canvases[canvas_id] = {**arguments, "readers": []}
        return {"ok": True, "canvas_id": canvas_id}

    def _canvases_access_set(self, arguments: dict[str, Any]) -> dict[str, Any]:
        canvas = self.canvases.get(arguments["canvas_id"])
        if canvas is None or arguments["access_level"] not in ("read", "write"):
            return {"ok": False, "error": "canvas_not_found" if canvas is None else "invalid_arguments"}
        canvas["readers"] = arguments["user_ids"].split(",")
        return {"ok": True}

    def _files_info(self, arguments: dict[str, Any]) -> dict[str, Any]:
        described = self.files.get(arguments["file"])
        return {"ok": True, "file": described} if described else {"ok": False, "error": "file_not_found"}

    def _page(self, arguments: dict[str, Any], name: str, items: list[Any]) -> dict[str, Any]:
        start = int(arguments.get("cursor") or 0)
        end = start + self.page_size
        cursor = str(end) if end < len(items) else ""
        return {"ok": True, name: items[start:end], "response_metadata": {"next_cursor": cursor}}

    def _ts(self) -> str:
        self._last_us = max(self._last_us + 1, time.time_ns() // 1000)
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"


class _Server(ThreadingHTTPServer):
    slack: SlackServer
    request_queue_size = 128  # callers that connect at once

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that was killed says nothing about this server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One call of a method: checked, recorded, and answered, or failed as planned."""

    server: _Server

    def do_POST(self) -> None:
        """Answer a call."""
        slack = self.server.slack
        method = self.path.rpartition("/")[2]
        arguments = self._arguments()
        _, _, token = (self.headers["Authorization"] or "").partition(" ")
        if token not in slack.tokens and method not in ("oauth.v2.access", "respond"):
            self._send(200, {"ok": False, "error": "invalid_auth"}, {})
            return
        slack.used.append((method, token))
        slack.calls.append((method, arguments))
        time.sleep(slack.delay_s.get(method, 0))
        failure = slack.failure_of(method, arguments)
        result = slack.call(method, {**arguments, "token": token}) if failure is None or failure.done else {}
        if failure is None:
            refused = method == "respond" and not result["ok"]  # which says so by its status
            self._send(400 if refused else 200, result, {})
        elif failure.hang_up:
            self.close_connection = True
        else:
            self._send(failure.status, {"ok": False, "error": failure.error}, failure.headers, raw=failure.raw)

    def do_GET(self) -> None:
        """Give a file to who shows the bot's token."""
        slack = self.server.slack
        file_id = self.path.rpartition("/")[2]
        slack.calls.append(("GET", {"file": file_id, "authorization": self.headers["Authorization"]}))
        known = slack.contents.get(file_id)
        if known is None or self.headers["Authorization"] != f"Bearer {TOKEN}":
            self._send(404, {}, {})
            return
        self.send_response(known.status)
        for name, value in {"Content-Length": str(len(known.content)), **known.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(known.content)

    def _arguments(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
        if "json" in self.headers["Content-Type"]:
            return {**json.loads(raw or "{}"), "form": False}
        return {**{name: values[0] for name, values in parse_qs(raw).items()}, "form": True}

    def _send(self, status: int, payload: dict[str, Any], headers: dict[str, str], *, raw: bytes | None = None) -> None:
        body = json.dumps(payload).encode() if raw is None else raw
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""
