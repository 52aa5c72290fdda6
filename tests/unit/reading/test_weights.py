"""The folder of a reader: what is whole is loaded, and of what is not it is said which file, and why."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.asking.reading import CARD
from core.asking.reading.weights import load
from core.errors import ReaderError
from tests.unit.reading.conftest import sign


def change_card(folder: Path, **changed: object) -> None:
    """Write other values into the card."""
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps(card | changed))


def test_a_whole_folder_is_loaded(folder: Path) -> None:
    """From as many files as its card names."""
    assert load(folder).name == "tiny"


def test_activations_are_no_must(folder: Path) -> None:
    """Load a reader that has none, of before or fitted elsewhere."""
    change_card(folder, activations=None)
    assert load(folder).activations is None


def cut(folder: Path) -> None:
    path = folder / "weights-2.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def cut_and_sign(folder: Path) -> None:
    cut(folder)
    sign(folder, json.loads((folder / CARD).read_text()))


def replace_activations(folder: Path, activations: dict[str, torch.Tensor]) -> None:
    save_file(activations, folder / "activations.safetensors")
    sign(folder, json.loads((folder / CARD).read_text()))


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no card": (lambda folder: (folder / CARD).unlink(), "reader.json is missing"),
    "a card that is no JSON": (lambda folder: (folder / CARD).write_text("{"), "is no JSON"),
    "a card that is a list": (lambda folder: (folder / CARD).write_text("[]"), "is no card of a reader"),
    "another version": (lambda folder: change_card(folder, version=2), "is of version 2, and this release reads"),
    "a size that is text": (lambda folder: change_card(folder, passage_tokens="many"), "passage_tokens"),
    "a file outside": (lambda folder: change_card(folder, weights=["../secret"]), "outside of its folder"),
    "no weights": (lambda folder: (folder / "weights-1.safetensors").unlink(), "weights-1.safetensors is missing"),
    "weights that are cut off": (cut, "weights-2.safetensors is not the file"),
    "weights that were cut off before": (cut_and_sign, "weights-2.safetensors cannot be read"),
    "weights of another shape": (
        lambda folder: change_card(folder, shape=json.loads((folder / CARD).read_text())["shape"] | {"inner": 128}),
        "are not those of its reader.json",
    ),
    "no activations": (
        lambda folder: (folder / "activations.safetensors").unlink(),
        "activations.safetensors is missing",
    ),
    "activations of another reader": (
        lambda folder: replace_activations(folder, {"layers.0.widen": torch.ones(32)}),
        "activations.safetensors is of another reader",
    ),
    "another tokenizer": (
        lambda folder: (folder / "tokenizer.json").write_text("{}"),
        "tokenizer.json is not the file",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_not_whole_is_refused_in_words(folder: Path, damage: str) -> None:
    """So that somebody can mend it."""
    break_it, said = DAMAGES[damage]
    break_it(folder)
    with pytest.raises(ReaderError, match=said):
        load(folder)
