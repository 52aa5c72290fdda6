"""The messages between the parent, a template and its copies.

Between a copy and its parent: frames of a length, JSON, and a file's bytes behind it. To a template: orders of one
byte, over a socket that no copy holds.
"""

import json
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")
COPY = b"c"  # with two pipes: where the copy reads, and where it writes
END = b"e"  # of the copy that was made last, whatever it does; answered with EXIT_CODE once it is gone
EXIT_CODE = struct.Struct(">i")  # as subprocess has it: the number of a signal is negative


def frame(message: dict[str, Any], attachment: bytes = b"") -> bytes:
    """Return a message as bytes: the length of its JSON, the JSON, the length of the attachment, the attachment."""
    body = json.dumps(message).encode("ascii")
    return b"".join((LENGTH.pack(len(body)), body, LENGTH.pack(len(attachment)), attachment))


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """Return the next message and its attachment; None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    message = json.loads(stream.read(LENGTH.unpack(head)[0]))
    return message, stream.read(LENGTH.unpack(stream.read(LENGTH.size))[0])
