"""Where parsers run: `core.ingestion.sandbox.child MEMORY_MB CPU_SECONDS OUTPUT_MB [WITHOUT,... [SCANS]]`.

It first says what holds it, as `core.ingestion.sandbox.layers.Report` has it. Then it reads requests {"name"} with the
file as attachment from standard input, and writes replies {"documents", "problems"} or {"error", "message", "final"} to
standard output; final says that another process would fail as well. SCANS is "scans" where it recognises the text of
pictures, and "" where it leaves them out, which takes far less time and memory. Django is not set up, and no secret is
in its environment. `core.ingestion.sandbox.process` is the other end.
"""

import os
import sys
from typing import Any, BinaryIO

from core.errors import IngestionError
from core.ingestion.errors import make_unreadable_error
from core.ingestion.loading import load_parsers
from core.ingestion.parsers import parse
from core.ingestion.recognition import Recogniser, load_recogniser
from core.ingestion.sandbox.closing import shut_in
from core.ingestion.sandbox.frames import frame, read_frame
from core.ingestion.sandbox.layers import Layer
from core.ingestion.sandbox.limits import allow_cpu
from core.sizes import MEGABYTE

SCANS = "scans"
TOO_MUCH = "too much"  # in place of an error's name: the file went over a limit
OUT_OF_MEMORY = 99  # the exit code when there is not even memory to say so


def main() -> None:
    """Serve requests until the parent closes the pipe."""
    memory_mb, cpu_seconds, output_mb = map(int, sys.argv[1:4])
    left_out, scans = [*sys.argv[4:6], "", ""][:2]
    without = {Layer(name) for name in left_out.split(",") if name}
    requests, replies = _pipes()
    load_parsers()
    recogniser = load_recogniser() if scans == SCANS else None
    report = shut_in(memory_mb=memory_mb, without=without)
    try:
        _send(frame(report.as_json()), replies)
        while (request := read_frame(requests)) is not None:
            message, content = request
            allow_cpu(cpu_seconds)
            reply = frame(_reply(content, message["name"], recogniser))
            if len(reply) > output_mb * MEGABYTE:
                reply = frame({"error": TOO_MUCH, "message": "its text is too long", "final": True})
            _send(reply, replies)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def _send(reply: bytes, replies: BinaryIO) -> None:
    replies.write(reply)
    replies.flush()


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two ends to the parent. Whatever a library prints goes to standard error, which nobody reads."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies


def _reply(content: bytes, name: str, recogniser: Recogniser | None) -> dict[str, Any]:
    try:
        parsed = parse(content, name, recogniser)
    except IngestionError as error:
        return {"error": type(error).__name__, "message": error.message}
    except RecursionError:
        return {"error": TOO_MUCH, "message": "it is nested too deeply", "final": True}
    except MemoryError:
        return {"error": TOO_MUCH, "message": "reading it takes more memory than is allowed"}
    except Exception as error:  # noqa: BLE001 - libraries raise anything on files made to break them; this is the edge
        failure = make_unreadable_error(name, "it is damaged, or in a form that its parser does not understand")
        return {"error": type(failure).__name__, "message": failure.message, "cause": type(error).__name__}
    return {"documents": [document.as_json() for document in parsed.documents], "problems": list(parsed.problems)}


if __name__ == "__main__":
    main()
