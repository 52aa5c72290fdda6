"""Embedding by a model behind LiteLLM, over HTTP."""

import numpy as np
import pytest
from pytest_django import Settings

from core.errors import EmbeddingError, EmbeddingUnavailableError
from core.library.embedding import LiteLLMProvider, SentenceTransformerProvider, load_provider
from tests.integration.embedding.server import Embeddings, Hashing

pytestmark = pytest.mark.django_db  # what calls cost is counted

TEXTS = ["Press the button.", "Turn the key.", "Close the door."]


@pytest.fixture
def model(server: Embeddings) -> LiteLLMProvider:
    """A model of 24 dimensions, called with two texts at a time."""
    return LiteLLMProvider("openai/hash-24", batch_size=2, api_base=server.address)


def test_texts_become_vectors_of_unit_length_in_their_order(model: LiteLLMProvider, server: Embeddings) -> None:
    """Whatever length and order the provider gives; as many texts in a call as the batch has."""
    server.change = lambda rows: rows[::-1]
    vectors = model.embed(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((3, 24), np.float32)
    np.testing.assert_allclose(vectors, Hashing(24).embed(TEXTS), atol=1e-6)
    assert [request["input"] for request in server.requests] == [TEXTS[:2], TEXTS[2:], ["dimension"]]
    assert {request["model"] for request in server.requests} == {"hash-24"}
    assert server.keys == {"Bearer key-of-the-tests"}


def test_a_value_of_the_setting_means_the_model(server: Embeddings, settings: Settings) -> None:
    """With the prefix one of LiteLLM's, kept for the process; without it one of sentence-transformers."""
    settings.EMBEDDING_BATCH_SIZE = 3
    remote = load_provider("litellm:openai/hash-24")
    assert (remote.name, remote.dimension, remote.max_tokens) == ("openai/hash-24", 24, 256)
    assert remote is load_provider("litellm:openai/hash-24")
    assert isinstance(load_provider("packaged"), SentenceTransformerProvider)
    assert remote.tokenizer.encode("the key").ids == load_provider("packaged").tokenizer.encode("the key").ids


@pytest.mark.parametrize("texts", [[], [" \n"], ["Fine.", ""]])
def test_nothing_is_not_embedded(model: LiteLLMProvider, server: Embeddings, texts: list[str]) -> None:
    """The caller's fault, found before the provider is asked."""
    with pytest.raises(ValueError, match="empty text"):
        model.embed(texts)
    assert server.requests == []


@pytest.mark.parametrize(("status", "retry"), [(401, False), (404, False), (400, False), (500, True), (429, True)])
def test_failures_say_whether_to_try_again(
    model: LiteLLMProvider, server: Embeddings, status: int, retry: bool
) -> None:
    """A refusal is for the administrator and names the setting; a fault of the server passes."""
    server.status = status
    with pytest.raises(EmbeddingError) as caught:
        model.embed(TEXTS)
    assert caught.value.retry is retry
    assert isinstance(caught.value, EmbeddingUnavailableError) is retry
    assert ("EMBEDDING_MODEL" in caught.value.message) is not retry
    assert "key-of-the-tests" not in caught.value.message


def test_a_server_that_is_away_may_come_back(server: Embeddings) -> None:
    """Nobody listens on that port."""
    with pytest.raises(EmbeddingUnavailableError):
        LiteLLMProvider("openai/hash-24", batch_size=2, api_base="http://127.0.0.1:9/v1").embed(TEXTS)


def test_a_missing_key_is_named(model: LiteLLMProvider, server: Embeddings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(EmbeddingError, match="EMBEDDING_MODEL 'openai/hash-24' needs OPENAI_API_KEY"):
        model.embed(TEXTS)
    assert server.requests == []


def test_an_unknown_provider_is_a_wrong_setting(server: Embeddings) -> None:
    """LiteLLM does not know whom to ask."""
    with pytest.raises(EmbeddingError, match="EMBEDDING_MODEL") as caught:
        LiteLLMProvider("no-such-provider/model", batch_size=2).embed(TEXTS)
    assert not caught.value.retry


def test_answers_that_are_no_vectors_are_refused(model: LiteLLMProvider, server: Embeddings) -> None:
    """Too few of them, of different lengths, without a direction: each is an error that names the setting."""
    server.change = lambda rows: rows[:1]
    with pytest.raises(EmbeddingError, match=r"1 vectors for 2.*EMBEDDING_MODEL"):
        model.embed(TEXTS)
    server.change = lambda rows: [*rows[:-1], {**rows[-1], "embedding": [1.0] * 23}] if len(rows) > 1 else rows
    with pytest.raises(EmbeddingError, match=r"different lengths.*EMBEDDING_MODEL"):
        model.embed(TEXTS)
    server.change = lambda rows: [{**row, "embedding": [0.0] * 24} for row in rows]
    with pytest.raises(EmbeddingError, match=r"without a direction.*EMBEDDING_MODEL"):
        model.embed(TEXTS)
