"""A server of chat completions on the loopback address, in OpenAI's form, that answers by a script."""

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

Reply = tuple[int, bytes | dict[str, Any]]  # status, and the body


@dataclass
class Chats:
    """What the server was asked, and its replies by the name of the model."""

    address: str = ""
    asked: list[str] = field(default_factory=list)  # models, in order
    replies: dict[str, deque[Reply | Callable[[], Reply]]] = field(default_factory=dict)


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


@contextmanager
def serving(**replies: list[Any]) -> Iterator[Chats]:
    """A running server. The last reply of a model is repeated."""
    known = Chats(replies={name: deque(queue) for name, queue in replies.items()})

    class Handler(_Handler):
        chats: ClassVar = known

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        known.address = f"http://127.0.0.1:{server.server_address[1]}/v1"
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield known
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    chats: ClassVar[Chats]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = str(request["model"])
        self.chats.asked.append(name)
        queue = self.chats.replies[name]
        reply = queue.popleft() if len(queue) > 1 else queue[0]
        status, body = reply() if callable(reply) else reply
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            return  # the client waits no longer

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal."""
