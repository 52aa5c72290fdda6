"""The head of a model file tells whether it is whole and how much memory it takes, and harms nobody."""

import struct
from pathlib import Path

import pytest

from core.llm.local_model.gguf import ModelFileError, read_head
from tests.unit.local_model.files import ENTRIES, make_gguf, text, value


def written(folder: Path, content: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return path


def test_a_whole_file_says_what_it_is(tmp_path: Path) -> None:
    head = read_head(written(tmp_path, make_gguf()))
    assert (head.architecture, head.name, head.licence, head.parameters) == ("llama", "Tiny", "mit", 256)
    assert (head.context, head.layers) == (4096, 2)
    assert head.memory_per_token == 2 * 2 * (16 + 16) * 2
    assert head.memory(1000) > head.size + head.memory_per_token * 1000


@pytest.mark.parametrize("missing", [1, 500, 1023])
def test_a_file_that_is_cut_off_in_its_data_is_refused_with_what_is_missing(tmp_path: Path, missing: int) -> None:
    with pytest.raises(ModelFileError, match=f"cut off: {missing:,} bytes"):
        read_head(written(tmp_path, make_gguf()[:-missing]))


def test_a_file_that_is_cut_off_anywhere_in_its_head_is_refused(tmp_path: Path) -> None:
    whole = make_gguf()
    for length in range(0, len(whole) - 1024, 7):
        with pytest.raises(ModelFileError):
            read_head(written(tmp_path, whole[:length]))


@pytest.mark.parametrize(
    "content", [b"", b"GG", b"PK\x03\x04" + b"x" * 100, b"<html>Sign in</html>", b"GGML" + b"\0" * 99]
)
def test_what_is_no_gguf_is_refused_in_words(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ModelFileError, match="not in the GGUF format"):
        read_head(written(tmp_path, content))


def _announce(tensors: int, entries: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, entries)


@pytest.mark.parametrize(
    "content",
    [
        make_gguf(version=9),
        _announce(2**60, 1),
        _announce(1, 2**60),
        _announce(1, 1) + struct.pack("<Q", 2**62),
        _announce(1, 1) + text("k") + struct.pack("<IQ", 8, 2**62),
        _announce(1, 1) + text("k") + struct.pack("<IIQ", 9, 8, 2**62),
        _announce(1, 1) + text("k") + struct.pack("<I", 77),
        _announce(1, 1) + text("k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 200,
        _announce(1, 0) + text("t") + struct.pack("<I", 2**31),
        make_gguf({}),
        make_gguf(tensors=0),
        make_gguf({"general.architecture": 7}, tensors=0),
    ],
    ids=[
        "version",
        "tensors",
        "entries",
        "key",
        "text",
        "list",
        "kind",
        "lists in lists",
        "shape",
        "no name",
        "empty",
        "n",
    ],
)
def test_a_damaged_or_hostile_head_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ModelFileError):
        read_head(written(tmp_path, content))


def test_figures_that_are_none_are_no_figures(tmp_path: Path) -> None:
    """Texts in the place of numbers, and nothing at all."""
    strange = ENTRIES | {"llama.block_count": "many", "llama.context_length": 0}
    head = read_head(written(tmp_path, make_gguf(strange)))
    assert (head.layers, head.context, head.memory_per_token) == (0, 0, 0)
    assert value("x")


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_head(tmp_path)
