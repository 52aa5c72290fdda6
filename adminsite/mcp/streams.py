"""The response to a call whose client wants to hear of its progress: events, the last of which is the result.

The call is worked on in a thread of its own, while the thread of the request writes. Writing also shows whether the
client is still there: a write to a connection that is closed fails, and then the work is stopped.
"""

import json
import logging
import queue
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context

from django.db import connections
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from core.mcp.server import Hearing, Progress
from core.mcp.transports import EVENT_STREAM

logger = logging.getLogger(__name__)

# Seconds between comments in a quiet stream. The first write after a client has gone still succeeds, the next fails: so
# it is noticed after two of them at most.
PING_EVERY_S = 2.0
_PING = b": ping\r\n\r\n"

Work = Callable[[Hearing], HttpResponse]


def stream_progress(work: Work, progress_token: str | int) -> HttpResponseBase:
    """Work, and report progress to the client under its token.

    work: given functions to report progress and to learn that the client is gone. Where it ends before it has reported
    any, as with most refusals, its response is given as it is.
    """
    told: queue.SimpleQueue[bytes | HttpResponse | Exception] = queue.SimpleQueue()
    is_gone = threading.Event()
    hearing = Hearing(
        on_progress=lambda progress: told.put(_frame_progress(progress, progress_token)), is_stopped=is_gone.is_set
    )

    def run() -> None:
        try:
            told.put(work(hearing))
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            told.put(error)
        finally:
            connections.close_all()  # this thread's own

    threading.Thread(target=copy_context().run, args=(run,), name="mcp-call", daemon=True).start()
    connections.close_all()  # this thread only writes from here on: it need not keep a connection from others
    first = told.get()
    if isinstance(first, Exception):
        raise first
    if isinstance(first, HttpResponse):
        return first
    response = StreamingHttpResponse(_write_events(first, told, is_gone), content_type=EVENT_STREAM)
    response["Cache-Control"] = "no-cache, no-transform"
    response["X-Accel-Buffering"] = "no"  # nginx would keep the events back
    return response


def _write_events(
    first: bytes, told: "queue.SimpleQueue[bytes | HttpResponse | Exception]", is_gone: threading.Event
) -> Iterator[bytes]:
    """Return the events as they come. The server closes it when a write has failed."""
    try:
        yield first
        while True:
            try:
                event = told.get(timeout=PING_EVERY_S)
            except queue.Empty:
                yield _PING
                continue
            if isinstance(event, Exception):
                raise event
            if isinstance(event, HttpResponse):
                yield _frame_message(event.content)
                return
            yield event
    except GeneratorExit:
        logger.info("mcp_client_gone")
        raise
    finally:
        is_gone.set()


def _frame_progress(progress: Progress, token: str | int) -> bytes:
    params = {
        "progressToken": token,
        "progress": progress.done,
        "total": progress.total,
        "message": progress.message,
    }
    return _frame_message(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode())


def _frame_message(message: bytes) -> bytes:
    """Return a message, which JSON keeps on one line, as an event."""
    return b"event: message\r\ndata: " + message + b"\r\n\r\n"
