"""A server of chat completions on the loopback address, in OpenAI's form, that answers by a script."""

import json
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

_WORD = re.compile(r"\S+\s*+|\A\s++")

Reply = tuple[int, bytes | dict[str, Any]]  # status, and the body


@dataclass
class Chats:
    """The requests to the server, and its replies by the name of the model."""

    address: str = ""
    asked: list[str] = field(default_factory=list)  # models, in order
    streamed: list[str] = field(default_factory=list)  # those of them that were asked for a stream
    knows_streams: bool = True  # one that does not sends the whole reply all the same
    before_piece: Callable[[str], None] = lambda sent: None  # called in a stream with what was sent; may raise
    replies: dict[str, deque[Reply | Callable[[], Reply]]] = field(default_factory=dict)
    compose: Callable[[dict[str, Any]], Reply] | None = None  # makes the reply to a request, in the place of those
    headers: dict[str, str] = field(default_factory=dict)  # of replies that are not streamed


def completion(content: str | None, **message: Any) -> Reply:
    """The reply with one message."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content} | message}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return 200, {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def failure(status: int, message: str, code: str = "x") -> Reply:
    """A failure as OpenAI reports it."""
    return status, {"error": {"message": message, "type": "x", "code": code}}


def late(seconds: float) -> Callable[[], Reply]:
    """A reply that comes too late."""

    def reply() -> Reply:
        time.sleep(seconds)
        return completion("NOTHING")

    return reply


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that was killed says nothing about this server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(**replies: list[Any]) -> Iterator[Chats]:
    """A running server. The last reply of a model is repeated."""
    known = Chats(replies={name: deque(queue) for name, queue in replies.items()})

    class Handler(_Handler):
        chats: ClassVar = known

    with _Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        known.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield known
        finally:
            server.shutdown()


def _pieces(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The text of a message in words, then its calls, and the arguments of those in words too."""
    for piece in _WORD.findall(message.get("content") or ""):
        yield piece, {"content": piece}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield "", {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]}
        for piece in _WORD.findall(call["function"]["arguments"]):
            yield piece, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


class _Handler(BaseHTTPRequestHandler):
    chats: ClassVar[Chats]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = str(request["model"])
        self.chats.asked.append(name)
        status, body = self.chats.compose(request) if self.chats.compose else self._next_reply(name)
        if request.get("stream"):
            self.chats.streamed.append(name)
            if self.chats.knows_streams and status == 200 and isinstance(body, dict) and body.get("choices"):
                self._stream(body)
                return
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for header, value in self.chats.headers.items():
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            return  # the client waits no longer

    def _next_reply(self, name: str) -> Reply:
        queue = self.chats.replies[name]
        reply = queue.popleft() if len(queue) > 1 else queue[0]
        return reply() if callable(reply) else reply

    def _stream(self, body: dict[str, Any]) -> None:
        """Send a completion in pieces, as events; what `before_piece` raises breaks the connection off."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")  # so that a client notices where it breaks off
        self.end_headers()
        sent = ""
        try:
            for piece, delta in _pieces(body["choices"][0]["message"]):
                self.chats.before_piece(sent)
                sent += piece
                self._event(body, choices=[{"index": 0, "finish_reason": None, "delta": delta}])
            self._event(body, choices=[{"index": 0, "finish_reason": "stop", "delta": {}}])
            self._event(body, choices=[], usage=body["usage"])
            self._chunk(b"data: [DONE]\n\n")
            self._chunk(b"")
        except ConnectionError:
            self.close_connection = True

    def _event(self, body: dict[str, Any], **chunk: Any) -> None:
        event = {"id": body["id"], "object": "chat.completion.chunk", "created": 0, "model": body["model"], **chunk}
        self._chunk(f"data: {json.dumps(event)}\n\n".encode())

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""
