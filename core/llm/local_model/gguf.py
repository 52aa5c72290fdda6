"""Read the head of a GGUF file, to tell before it is loaded whether it is whole and whether it fits.

The format is ggml's docs/gguf.md: magic, version, counts, metadata, the table of tensors, their data.
"""

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import FootnoteError

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_ENTRIES = 10_000  # of metadata
_MOST_TENSORS = 100_000
_LONGEST_KEY = 1_000  # bytes
_LONGEST_STRING = 16_000_000
_LONGEST_ARRAY = 4_000_000  # values; vocabularies have some 250,000
_MOST_HEAD = 512_000_000  # bytes of the head in all
_DEEPEST = 2  # arrays in an array
_MOST_DIMENSIONS = 8
_STRING, _ARRAY = 8, 9
# Of each simple type of values: its form for struct.
_SIMPLE = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
# Of each type of tensors: how many values a block has, and its bytes (ggml's type_traits).
_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 36),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
}
_ALIGNMENT = 32  # bytes, where the file says nothing else


class ModelFileError(FootnoteError):
    """The file is no model that can be used."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """Holds what the head of a model file says."""

    architecture: str
    name: str
    licence: str
    parameters: int  # the values of all tensors
    size: int  # bytes of the file
    context: int  # tokens that the model was made for; 0 where the file does not say
    layers: int
    memory_per_token: int  # bytes of the cache for each token of a conversation, with 16 bits a value

    def memory(self, context: int) -> int:
        """Return about how many bytes serving it takes, with a conversation of so many tokens.

        The weights, the cache of the conversation, and room to compute: a tenth of the weights and 300 MB.
        """
        return self.size + self.memory_per_token * context + self.size // 10 + 300_000_000


def read_head(path: Path) -> Head:
    """Return what the head of a file says. ModelFileError, in words, for a file that is no whole model."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            return _read_head(_Reader(file), size)
    except OSError as error:
        raise ModelFileError(f"The file cannot be read: {error.strerror}.") from error


class _Reader:
    """Reads values one after the other, within bounds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.read_bytes = file, 0

    def take(self, count: int) -> bytes:
        self.read_bytes += count
        if self.read_bytes > _MOST_HEAD:
            raise ModelFileError("The head of the file is larger than that of any model.")
        taken = self._file.read(count)
        if len(taken) != count:
            raise ModelFileError("The file is cut off: it ends within its head. Fetch it again.")
        return taken

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def string(self, longest: int) -> str:
        length = self.number("<Q")
        if length > longest:
            raise ModelFileError("The head of the file is damaged: it has a text that is too long. Fetch it again.")
        return self.take(length).decode("utf-8", errors="replace")

    def skip(self, count: int) -> None:
        self.read_bytes += count
        if self.read_bytes > _MOST_HEAD:
            raise ModelFileError("The head of the file is larger than that of any model.")
        self._file.seek(count, os.SEEK_CUR)

    def value(self, kind: int, depth: int = 0) -> Any:
        """Return a value; of an array its length, since no array is needed."""
        if kind in _SIMPLE:
            return self.number(_SIMPLE[kind])
        if kind == _STRING:
            return self.string(_LONGEST_STRING)
        if kind != _ARRAY or depth > _DEEPEST:
            raise ModelFileError("The head of the file is damaged: it has a value of an unknown kind. Fetch it again.")
        inner, length = self.number("<I"), self.number("<Q")
        if length > _LONGEST_ARRAY:
            raise ModelFileError("The head of the file is damaged: it has a list that is too long. Fetch it again.")
        if inner in _SIMPLE:
            self.skip(length * struct.calcsize(_SIMPLE[inner]))
            return length
        for _ in range(length):
            self.value(inner, depth + 1)
        return length


def _read_head(reader: _Reader, size: int) -> Head:
    if size < len(MAGIC) or reader.take(len(MAGIC)) != MAGIC:
        raise ModelFileError("The file is not in the GGUF format. Choose a file whose name ends in .gguf.")
    version = reader.number("<I")
    if version not in _VERSIONS:
        raise ModelFileError(f"The file is in version {version} of the GGUF format, which is not known here.")
    tensors, entries = reader.number("<Q"), reader.number("<Q")
    if tensors > _MOST_TENSORS or entries > _MOST_ENTRIES:
        raise ModelFileError("The head of the file is damaged: it announces more than any model has. Fetch it again.")
    known = {reader.string(_LONGEST_KEY): reader.value(reader.number("<I")) for _ in range(entries)}
    parameters, end = _read_tensors(reader, tensors)
    alignment = _limit_to_whole(known.get("general.alignment")) or _ALIGNMENT
    start = -(-reader.read_bytes // alignment) * alignment
    if size < start + end:
        missing = start + end - size
        raise ModelFileError(f"The file is cut off: {missing:,} bytes are missing at its end. Fetch it again.")
    return _describe_model(known, parameters=parameters, size=size)


def _read_tensors(reader: _Reader, count: int) -> tuple[int, int]:
    """Return how many values all tensors have, and where the data of the last one ends."""
    parameters = end = 0
    for _ in range(count):
        reader.string(_LONGEST_KEY)
        dimensions = reader.number("<I")
        if dimensions > _MOST_DIMENSIONS:
            raise ModelFileError("The head of the file is damaged: it has a tensor of no shape. Fetch it again.")
        values = 1
        for _ in range(dimensions):
            values *= reader.number("<Q")
        kind, offset = reader.number("<I"), reader.number("<Q")
        block, size = _BLOCKS.get(kind, (1, 0))  # of a kind that is new, the server says whether it knows it
        parameters += values
        end = max(end, offset + values // block * size)
    return parameters, end


def _describe_model(known: dict[str, Any], *, parameters: int, size: int) -> Head:
    architecture = str(known.get("general.architecture", ""))
    if not architecture or not parameters:
        raise ModelFileError("The file holds no model: it names no architecture, or has no weights.")

    def of_model(name: str) -> int:
        return _limit_to_whole(known.get(f"{architecture}.{name}"))

    layers, heads = of_model("block_count"), of_model("attention.head_count")
    shared = of_model("attention.head_count_kv") or heads
    width = of_model("embedding_length") // heads if heads else 0
    keys, values = of_model("attention.key_length") or width, of_model("attention.value_length") or width
    return Head(
        architecture=architecture,
        name=str(known.get("general.name", ""))[:200],
        licence=str(known.get("general.license", ""))[:100],
        parameters=parameters,
        size=size,
        context=of_model("context_length"),
        layers=layers,
        memory_per_token=layers * shared * (keys + values) * 2,
    )


def _limit_to_whole(value: Any) -> int:
    """Return a value as a whole number that can be one of a model; 0 for anything else."""
    return value if isinstance(value, int) and 0 < value < 1 << 32 else 0
