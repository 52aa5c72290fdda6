"""Write the folder of a reader, as core.asking.reading.weights loads it."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from core.asking.reading import CARD, SCANNER_CARD
from core.asking.reading.weights import VERSION, load
from core.errors import ReaderError
from readers.starting import Start

DESCRIPTION = "README.md"
TOKENIZER = "tokenizer.json"
ACTIVATIONS = "activations.safetensors"
OF_SCANNER = "scanner-"  # before the names of the scanner's files, which lie beside the reader's
_LARGE = 20_000  # weights of a matrix that is kept as int8
_HIGHEST = 127  # of int8
_READABLE = 0o644  # safetensors writes for the owner alone, and another account may run Footnote
_MOST_BYTES = 60_000_000  # of a file, so that repositories take it


def export(
    folder: Path, start: Start, state: Mapping[str, Tensor], *, name: str, activations: Mapping[str, Tensor]
) -> None:
    """Write a reader with these weights, and load it again. ReaderError where that fails, in words.

    The card is written last: a folder that was broken off holds no reader. activations: the largest of each input of
    each matrix, as of `measure_activations`.
    """
    try:
        files = _write_weights(folder, pack(state))
        if start.tokenizer.resolve() != (folder / TOKENIZER).resolve():
            shutil.copyfile(start.tokenizer, folder / TOKENIZER)
        _write_tensors(folder / ACTIVATIONS, activations)
        card = {
            "version": VERSION,
            "name": name,
            "question_tokens": start.question_tokens,
            "passage_tokens": start.passage_tokens,
            "shape": asdict(start.shape),
            "marks": asdict(start.marks),
            "tokenizer": TOKENIZER,
            "weights": files,
            "activations": ACTIVATIONS,
            "sha256": {each: _hash(folder / each) for each in (TOKENIZER, *files, ACTIVATIONS)},
        }
        _write_card(folder, card)
    except OSError as error:
        raise ReaderError(f"{folder} cannot be written ({error.strerror}).") from None
    load(folder)


def replace_activations(folder: Path, activations: Mapping[str, Tensor], card_name: str = CARD) -> None:
    """Write the largest activations of a reader that has its weights, and load it again. ReaderError as of `export`.

    card_name: of the network in the folder that is meant.
    """
    name = ACTIVATIONS if card_name == CARD else OF_SCANNER + ACTIVATIONS
    try:
        card = json.loads((folder / card_name).read_text(encoding="utf-8"))
        _write_tensors(folder / name, activations)
        card["activations"] = name
        card["sha256"][name] = _hash(folder / name)
        _write_card(folder, card, card_name)
    except OSError as error:
        raise ReaderError(f"{folder} cannot be written ({error.strerror}).") from None
    load(folder, card_name)


def attach_scanner(folder: Path, scanner: Path) -> None:
    """Copy a small reader into the folder of another one as its scanner, in place of one that it had.

    ReaderError, in words, where either folder holds no whole reader. The card is written last, as of `export`.
    """
    load(folder)
    load(scanner)
    try:
        card = json.loads((scanner / CARD).read_text(encoding="utf-8"))
        (folder / SCANNER_CARD).unlink(missing_ok=True)
        copied = {name: OF_SCANNER + name for name in card["sha256"]}
        for name, copy in copied.items():
            shutil.copyfile(scanner / name, folder / copy)
        card |= {
            "tokenizer": copied[card["tokenizer"]],
            "weights": [copied[name] for name in card["weights"]],
            "activations": copied.get(card.get("activations")),
            "sha256": {copied[name]: digest for name, digest in card["sha256"].items()},
        }
        _write_card(folder, card, SCANNER_CARD)
    except OSError as error:
        raise ReaderError(f"{folder} cannot be written ({error.strerror}).") from None
    load(folder, SCANNER_CARD)


def _write_card(folder: Path, card: Mapping[str, Any], name: str = CARD) -> None:
    (folder / name).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


def pack(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return large matrices as int8 with a scale for each row, the rest in half precision."""
    packed: dict[str, Tensor] = {}
    for name, value in state.items():
        value = value.detach().float().cpu()
        if value.dim() == 2 and value.numel() > _LARGE:
            scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / _HIGHEST
            packed[f"{name}.int8"] = (value / scale).round().to(torch.int8)
            packed[f"{name}.scale"] = scale
        else:
            packed[name] = value.half()
    return packed


def _write_weights(folder: Path, packed: Mapping[str, Tensor]) -> list[str]:
    """Write the weights in files that are not too large, and return their names. A matrix's scale is in its file."""
    parts: list[dict[str, Tensor]] = [{}]
    filled = 0
    for name, value in packed.items():
        size = value.numel() * value.element_size()
        if parts[-1] and filled + size > _MOST_BYTES and not name.endswith(".scale"):
            parts.append({})
            filled = 0
        parts[-1][name] = value
        filled += size
    files = [f"weights-{number}.safetensors" for number in range(1, len(parts) + 1)]
    for file, part in zip(files, parts, strict=True):
        _write_tensors(folder / file, part)
    return files


def _write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    save_file({name: value.contiguous() for name, value in tensors.items()}, path)
    path.chmod(_READABLE)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
