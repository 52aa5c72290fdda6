"""Tiny files in the GGUF format."""

import struct
from typing import Any

_OF_NUMBERS, _OF_TEXTS, _OF_LISTS = 4, 8, 9
ENTRIES = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.license": "mit",
    "llama.block_count": 2,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.embedding_length": 64,
    "llama.context_length": 4096,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
}


def text(words: str) -> bytes:
    raw = words.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(given: Any) -> bytes:
    if isinstance(given, str):
        return struct.pack("<I", _OF_TEXTS) + text(given)
    if isinstance(given, list):
        return struct.pack("<IIQ", _OF_LISTS, _OF_TEXTS, len(given)) + b"".join(text(one) for one in given)
    return struct.pack("<II", _OF_NUMBERS, given)


def make_gguf(entries: dict[str, Any] | None = None, *, version: int = 3, tensors: int = 1, values: int = 256) -> bytes:
    """Make a file with some tensors of 32-bit numbers, whole."""
    known = ENTRIES if entries is None else entries
    head = b"GGUF" + struct.pack("<IQQ", version, tensors, len(known))
    head += b"".join(text(name) + value(given) for name, given in known.items())
    size = values * 4
    for number in range(tensors):
        head += text(f"t{number}") + struct.pack("<IQIQ", 1, values, 0, number * size)
    head += b"\0" * (-len(head) % 32)
    return head + b"\0" * (size * tensors)
