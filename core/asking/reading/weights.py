"""Load the folder of a reader: its card, its weights and its tokenizer, which makes the input.

The input for a question and a passage is `<s> question </s> title. passage </s>`.
Large matrices are kept as int8 with a scale for each row (`name.int8`, `name.scale`), the rest in half precision.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from core.asking.reading import CARD
from core.asking.reading.int8 import list_matrices
from core.asking.reading.network import Network, Shape
from core.errors import ReaderError

VERSION = 1  # of the card's form


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """Holds the numbers of a reader's own tokens, and how far its words are from the tokenizer's numbers."""

    first: int
    separator: int
    padding: int
    shift: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """Holds a passage beside a question, as a reader takes it."""

    ids: list[int]
    begins: int  # the place of the passage's first token
    offsets: list[tuple[int, int]]  # of each of the passage's tokens, in characters of the passage


class Encoder:
    """Encodes for a reader by its tokenizer. What is longer than the reader takes is cut."""

    def __init__(self, tokenizer: Tokenizer, marks: Marks, *, question_tokens: int, passage_tokens: int) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer, self._marks = tokenizer, marks
        self._question_tokens, self._passage_tokens = question_tokens, passage_tokens

    def encode(self, question: str, texts: Sequence[str]) -> list[Encoded]:
        """Encode each text beside the question."""
        asked = self._shift_ids(self._tokenizer.encode(question, add_special_tokens=False).ids[: self._question_tokens])
        marks = self._marks
        encoded = []
        for each in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            words = self._shift_ids(each.ids[: self._passage_tokens])
            encoded.append(
                Encoded(
                    ids=[marks.first, *asked, marks.separator, *words, marks.separator],
                    begins=len(asked) + 2,
                    offsets=each.offsets[: self._passage_tokens],
                )
            )
        return encoded

    def _shift_ids(self, ids: Sequence[int]) -> list[int]:
        return [each + self._marks.shift for each in ids]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: int = Field(ge=1, le=4096)
    heads: int = Field(ge=1, le=64)
    layers: int = Field(ge=1, le=64)
    inner: int = Field(ge=1, le=16384)
    words: int = Field(ge=1, le=500_000)
    positions: int = Field(ge=3, le=10_000)
    norm_epsilon: float = Field(default=1e-5, gt=0)
    parted_at: int | None = Field(default=None, ge=0)


class _Marks(BaseModel):
    model_config = ConfigDict(extra="forbid")

    first: int = Field(ge=0)
    separator: int = Field(ge=0)
    padding: int = Field(ge=0)
    shift: int = Field(default=0, ge=0)


class Card(BaseModel):
    """Validates what a reader's folder says of itself, in reader.json."""

    model_config = ConfigDict(extra="forbid")

    version: int
    name: str = Field(pattern=r"^[\w.-]{1,60}$")
    question_tokens: int = Field(ge=1, le=1000)
    passage_tokens: int = Field(ge=1, le=10_000)
    shape: _Shape
    marks: _Marks
    tokenizer: str
    weights: list[str] = Field(min_length=1)
    activations: str | None = None  # the file of the largest activations, for `core.asking.reading.int8`
    sha256: dict[str, str]  # of each file by its name


@dataclass(frozen=True, kw_only=True, slots=True)
class Loaded:
    """Holds a reader as it was loaded."""

    name: str
    network: Network
    encoder: Encoder
    activations: dict[str, Tensor] | None  # the largest of each input of each matrix, by the matrix's name


def load(folder: Path, card_name: str = CARD) -> Loaded:
    """Load a reader. ReaderError, saying which file and what to do, for a folder that holds none that is whole.

    card_name: the file that describes it, of a folder that holds several.
    """
    card = _read_card(folder / card_name)
    for name in (card.tokenizer, *card.weights, *([card.activations] if card.activations else [])):
        _check_file(folder / card_name, name, card.sha256.get(name, ""))
    network = Network(Shape(**card.shape.model_dump()))
    state: dict[str, Any] = {}
    for name in card.weights:
        state |= _load_tensors(folder / name)
    try:
        network.load_state_dict(_restore_weights(state))
        tokenizer = Tokenizer.from_file(str(folder / card.tokenizer))
    except Exception as error:  # noqa: BLE001 - torch and tokenizers raise RuntimeError, KeyError and plain Exception
        raise ReaderError(f"The weights in {folder} are not those of its {card_name}: {error}"[:500]) from None
    activations = _load_tensors(folder / card.activations) if card.activations else None
    if activations is not None and {name: len(each) for name, each in activations.items()} != {
        name: matrix.in_features for name, matrix in list_matrices(network).items()
    }:
        raise ReaderError(f"{folder / str(card.activations)} is of another reader than the weights beside it.")
    encoder = Encoder(
        tokenizer,
        Marks(**card.marks.model_dump()),
        question_tokens=card.question_tokens,
        passage_tokens=card.passage_tokens,
    )
    return Loaded(name=card.name, network=network.eval(), encoder=encoder, activations=activations)


def _load_tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise ReaderError(f"{path} cannot be read as weights ({type(error).__name__}).") from None


def _read_card(path: Path) -> Card:
    try:
        raw = json.loads(path.read_text())
    except OSError:
        raise ReaderError(f"There is no reader in {path.parent}: {path.name} is missing.") from None
    except ValueError:
        raise ReaderError(f"{path} is no JSON.") from None
    if isinstance(raw, dict) and raw.get("version") != VERSION:
        raise ReaderError(
            f"{path} is of version {raw.get('version')}, and this release reads version {VERSION}. Take a reader of "
            "the same release."
        )
    try:
        return Card.model_validate(raw)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReaderError(f"{path} is no card of a reader: {where}: {error.errors()[0]['msg']}.") from None


def _check_file(card: Path, name: str, sha256: str) -> None:
    path = card.parent / name
    if Path(name).name != name:
        raise ReaderError(f"{card} names a file outside of its folder: {name}.")
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise ReaderError(f"{path} is missing.") from None
    if digest != sha256:
        raise ReaderError(f"{path} is not the file that {card.name} names: it is damaged, cut off or another one.")


def _restore_weights(kept: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights in float32 by their names in the network."""
    restored = {}
    for name, value in kept.items():
        if name.endswith(".int8"):
            whole = name.removesuffix(".int8")
            restored[whole] = value.float() * kept[f"{whole}.scale"].float()
        elif not name.endswith(".scale"):
            restored[name] = value.float()
    return restored
