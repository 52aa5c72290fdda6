"""Frame the messages between the sandboxed process and its parent: a length, JSON, and a file's bytes behind it."""

import json
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct(">Q")


def frame(message: dict[str, Any], attachment: bytes = b"") -> bytes:
    """A message as bytes: the length of its JSON, the JSON, the length of the attachment, the attachment."""
    body = json.dumps(message).encode("ascii")
    return b"".join((LENGTH.pack(len(body)), body, LENGTH.pack(len(attachment)), attachment))


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next message and its attachment; None at the end of the stream."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    message = json.loads(stream.read(LENGTH.unpack(head)[0]))
    return message, stream.read(LENGTH.unpack(stream.read(LENGTH.size))[0])
