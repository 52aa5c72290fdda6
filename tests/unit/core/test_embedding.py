"""The local embedding model: what it gives, and how it fails."""

import contextvars
import json
import os
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from core.errors import EmbeddingError
from core.library.embedding import PACKAGED_NAME, SentenceTransformerProvider
from core.library.embedding.local import in_bulk, locate_packaged_model

TEXTS = [" ".join(f"word{n}" for n in range(length)) for length in (3, 120, 1, 40, 9, 77, 300, 5, 60, 2, 2)]


@pytest.fixture(scope="module")
def model() -> SentenceTransformerProvider:
    """The packaged model, with small batches."""
    return SentenceTransformerProvider(batch_size=2)


def test_the_vectors_are_those_of_sentence_transformers(model: SentenceTransformerProvider) -> None:
    """In the order of the texts, of unit length, whichever thread made them and whatever was beside them."""
    from sentence_transformers import SentenceTransformer

    vectors = model.embed(TEXTS)
    bare = SentenceTransformer(locate_packaged_model(), device="cpu").encode(TEXTS, normalize_embeddings=True)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), 384), np.float32)
    np.testing.assert_allclose(vectors, bare, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(model.embed(TEXTS[:1]), vectors[:1], atol=1e-5)


def test_many_threads_leave_torch_as_it_was(model: SentenceTransformerProvider) -> None:
    """A question that is embedded alone still has all processors, in this thread and in new ones."""
    from concurrent.futures import ThreadPoolExecutor

    import torch

    before = torch.get_num_threads()
    model.embed(TEXTS)
    with ThreadPoolExecutor(1) as fresh:
        assert (torch.get_num_threads(), fresh.submit(torch.get_num_threads).result()) == (before, before)


def test_what_is_not_urgent_goes_after_what_is(model: SentenceTransformerProvider) -> None:
    """It has threads of its own that yield, pauses after each batch, and gives the same vectors."""
    took: list[tuple[float, int]] = []

    def pause(seconds: float) -> None:
        took.append((seconds, os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
        if len(took) == 1:  # while it pauses, a question is embedded, which comes from elsewhere
            np.testing.assert_allclose(contextvars.Context().run(model.embed, TEXTS), vectors, atol=1e-5)

    vectors = model.embed(TEXTS)
    with in_bulk(pause):
        np.testing.assert_allclose(model.embed(TEXTS), vectors, atol=1e-5)
    assert len(took) == 6
    assert all(seconds > 0 for seconds, _ in took)
    if sys.platform == "linux":
        mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        assert {niceness for _, niceness in took} == {min(mine + 10, 19)}


def test_what_the_model_is(model: SentenceTransformerProvider) -> None:
    """Name, dimension and length of the packaged one."""
    assert (model.name, model.dimension, model.max_tokens) == (PACKAGED_NAME, 384, 256)


@pytest.mark.parametrize("texts", [[], [""], ["Fine.", " \t\n"]])
def test_nothing_is_not_embedded(model: SentenceTransformerProvider, texts: list[str]) -> None:
    """It is a fault of the caller."""
    with pytest.raises(ValueError, match="empty text"):
        model.embed(texts)


def _missing(folder: Path) -> None:
    shutil.rmtree(folder)


def _without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def _cut_off(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def _no_json(folder: Path) -> None:
    (folder / "config.json").write_text("{")


def _other_shape(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"hidden_size": 96}))


def _empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


@pytest.mark.parametrize("damage", [_missing, _empty, _without_weights, _cut_off, _no_json, _other_shape])
def test_a_model_that_is_not_there_or_damaged(tmp_path: Path, damage: object) -> None:
    """One error that names the setting and the folder, whatever the libraries make of it."""
    assert callable(damage)
    folder = tmp_path / "model"
    shutil.copytree(locate_packaged_model(), folder)
    damage(folder)
    with pytest.raises(EmbeddingError, match=r"model'.* could not be loaded\. Check the setting EMBEDDING_MODEL"):
        SentenceTransformerProvider(str(folder)).embed(["Text."])


def test_sixteen_bits_give_almost_the_same(model: SentenceTransformerProvider) -> None:
    """Near enough that the vectors of both may be compared."""
    shorter = SentenceTransformerProvider(batch_size=2, bfloat16=True).embed(TEXTS)
    assert shorter.dtype == np.float32
    assert ((shorter * model.embed(TEXTS)).sum(axis=1) > 0.999).all()
    assert not np.array_equal(shorter, model.embed(TEXTS))
