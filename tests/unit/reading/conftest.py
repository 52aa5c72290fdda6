"""A tiny reader with chance weights, in a folder as a real one's."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer

from core.asking.reading import CARD, SCANNER_CARD
from core.asking.reading.int8 import list_matrices
from core.asking.reading.network import Network, Shape
from core.asking.reading.weights import VERSION

SHAPE = {"width": 32, "heads": 4, "layers": 2, "inner": 64, "words": 40, "positions": 64}
WORDS = ["[UNK]", "when", "does", "the", "canteen", "open", "opens", "at", "noon", "?", "."]


def pack(network: Network) -> dict[str, Any]:
    """Large matrices as int8 with a scale for each row, the rest in half precision."""
    packed = {}
    for name, value in network.state_dict().items():
        if value.dim() == 2 and value.numel() > 1000:
            scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            packed[f"{name}.int8"], packed[f"{name}.scale"] = (value / scale).round().to(torch.int8), scale
        else:
            packed[name] = value.half()
    return packed


def sign(folder: Path, card: dict[str, Any]) -> None:
    """Write the card with the hashes of the files in the folder."""
    _sign(folder / CARD, card)


def add_scanner(folder: Path) -> None:
    """Give a reader's folder a scanner: a network of its own, that tells a question's tokens from a passage's."""
    torch.manual_seed(11)
    card = json.loads((folder / CARD).read_text()) | {"name": "scanner", "weights": ["scanner.safetensors"]}
    card["shape"] |= {"layers": 1, "parted_at": card["marks"]["separator"]}
    del card["activations"]
    packed = pack(Network(Shape(**card["shape"])))
    save_file({name: value.contiguous() for name, value in packed.items()}, folder / "scanner.safetensors")
    _sign(folder / SCANNER_CARD, card)


def _sign(path: Path, card: dict[str, Any]) -> None:
    named = filter(None, (card["tokenizer"], *card["weights"], card.get("activations")))
    card["sha256"] = {name: hashlib.sha256((path.parent / name).read_bytes()).hexdigest() for name in named}
    path.write_text(json.dumps(card))


def make_folder(path: Path, *, question_tokens: int = 8, passage_tokens: int = 16) -> Path:
    """Write a reader with weights in two files."""
    torch.manual_seed(7)
    network = Network(Shape(**SHAPE))
    packed = pack(network)
    largest = {name: torch.full([matrix.in_features], 4.0).half() for name, matrix in list_matrices(network).items()}
    save_file(largest, path / "activations.safetensors")
    names = sorted(packed)
    for number, part in enumerate((names[:10], names[10:]), 1):
        save_file({name: packed[name].contiguous() for name in part}, path / f"weights-{number}.safetensors")
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.save(str(path / "tokenizer.json"))
    sign(
        path,
        {
            "version": VERSION,
            "name": "tiny",
            "question_tokens": question_tokens,
            "passage_tokens": passage_tokens,
            "shape": SHAPE,
            "marks": {"first": 0, "separator": 2, "padding": 1, "shift": 4},
            "tokenizer": "tokenizer.json",
            "weights": ["weights-1.safetensors", "weights-2.safetensors"],
            "activations": "activations.safetensors",
        },
    )
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a reader with weights in two files."""
    return make_folder(tmp_path)
