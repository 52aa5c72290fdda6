"""Run parsers in a process of their own.

`core.library.ingestion.sandbox.child MEMORY_MB CPU_SECONDS OUTPUT_MB [WITHOUT,... [SCANS [ONCE]]]` starts it.

This process is a template: it loads the parsers, gives up its rights, and never sees a file. For each file it makes a
copy of itself (fork), which is given two pipes of its own, by the orders of `core.library.ingestion.sandbox.frames` on
standard input. A copy gives up the rights that are left, and says first what holds it, as
`core.library.ingestion.sandbox.layers.Report` has it. Then it reads one request {"name"} with the file as attachment,
and writes one reply {"documents", "problems"} or {"error", "message"}, and ends. A request {"name", "form", "base"} is
for markup, and its reply is that of `core.library.ingestion.markup.parsing`.

SCANS is "scans" where it recognises the text of pictures, and "" where it leaves them out, which takes far less time
and memory. ONCE is "once" where it makes no copy but parses the first file itself, and ends. Django is not set up, and
no secret is in its environment. `core.library.ingestion.sandbox.template` is the other end.
"""

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO, NoReturn

from core.errors import IngestionError
from core.library.ingestion.errors import make_too_deep_error, make_unreadable_error
from core.library.ingestion.loading import load_parsers
from core.library.ingestion.markup.parsing import read_markup
from core.library.ingestion.parsers import parse
from core.library.ingestion.recognition import Recogniser, load_recogniser
from core.library.ingestion.sandbox.closing import Enclosure, allow_cpu, enclose, seal
from core.library.ingestion.sandbox.frames import EXIT_CODE, frame, read_frame
from core.library.ingestion.sandbox.layers import Layer
from core.values.sizes import MEGABYTE

SCANS, ONCE = "scans", "once"
TOO_MUCH = "too much"  # in place of an error's name: the file went over a limit
OUT_OF_MEMORY = 99  # the exit code when there is not even memory to say so

_Serve = Callable[[BinaryIO, BinaryIO], None]  # one request from the first pipe, to the second


def main() -> None:
    """Make copies until the parent closes the socket."""
    memory_mb, cpu_seconds, output_mb = map(int, sys.argv[1:4])
    left_out, scans, once = [*sys.argv[4:7], "", "", ""][:3]
    without = {Layer(name) for name in left_out.split(",") if name}
    orders = socket.socket(fileno=sys.stdin.fileno())
    load_parsers()
    recogniser = load_recogniser() if scans == SCANS else None
    enclosure = enclose(memory_mb=memory_mb, without=without)
    serve = partial(_serve_request, enclosure, cpu_seconds, output_mb, recogniser)
    if once == ONCE:
        _, pipes, _, _ = socket.recv_fds(orders, 1, 2)
        _be_the_copy(orders, pipes, serve)
    _make_copies(orders, serve)


def _make_copies(orders: socket.socket, serve: _Serve) -> None:
    """Make a copy on request, and end it on request, whatever it does, before there is another one."""
    gc.collect()
    gc.freeze()  # a collection in a copy would write to all that was loaded, and so have the kernel copy it
    while True:
        _, pipes, _, _ = socket.recv_fds(orders, 1, 2)
        if not pipes:
            return
        copy = os.fork()
        if copy == 0:
            _be_the_copy(orders, pipes, serve)
        for pipe in pipes:
            os.close(pipe)
        os.read(orders.fileno(), 1)
        os.kill(copy, signal.SIGKILL)  # its number is its own until it is waited for
        _, status = os.waitpid(copy, 0)
        os.write(orders.fileno(), EXIT_CODE.pack(os.waitstatus_to_exitcode(status)))


def _be_the_copy(orders: socket.socket, pipes: list[int], serve: _Serve) -> NoReturn:
    """Serve one request, and end. Whatever happens, this process never does the work of a template."""
    code = 1
    try:
        orders.close()  # over it come the pipes of others
        requests, replies = pipes
        serve(os.fdopen(requests, "rb"), os.fdopen(replies, "wb"))
        code = 0
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        os._exit(code)


def _serve_request(
    enclosure: Enclosure,
    cpu_seconds: int,
    output_mb: int,
    recogniser: Recogniser | None,
    requests: BinaryIO,
    replies: BinaryIO,
) -> None:
    _send_reply(frame(seal(enclosure).as_json()), replies)
    request = read_frame(requests)
    if request is None:
        return
    message, content = request
    allow_cpu(cpu_seconds)
    reply = frame(_make_reply(content, message, recogniser))
    if len(reply) > output_mb * MEGABYTE:
        reply = frame({"error": TOO_MUCH, "message": "its text is too long"})
    _send_reply(reply, replies)


def _send_reply(reply: bytes, replies: BinaryIO) -> None:
    replies.write(reply)
    replies.flush()


def _make_reply(content: bytes, message: dict[str, Any], recogniser: Recogniser | None) -> dict[str, Any]:
    name = message["name"]
    try:
        if "form" in message:
            return read_markup(message["form"], content, message["base"], name)
        parsed = parse(content, name, recogniser)
    except IngestionError as error:
        return {"error": type(error).__name__, "message": error.message}
    except RecursionError:
        failure = make_too_deep_error(name)
        return {"error": type(failure).__name__, "message": failure.message}
    except MemoryError:
        return {"error": TOO_MUCH, "message": "reading it takes more memory than is allowed"}
    except Exception as error:  # noqa: BLE001 - libraries raise anything on files made to break them; this is the edge
        failure = make_unreadable_error(name, "it is damaged, or in a form that its parser does not understand")
        return {"error": type(failure).__name__, "message": failure.message, "cause": type(error).__name__}
    return {"documents": [document.as_json() for document in parsed.documents], "problems": list(parsed.problems)}


if __name__ == "__main__":
    main()
