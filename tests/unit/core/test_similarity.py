"""Test the similarity of sentences to a question, and that no text is embedded twice."""

from collections.abc import Iterator, Sequence
from uuid import uuid4

import numpy as np
import pytest

from core.library import embedding
from core.library.embedding.similarity import similarities
from core.testing import HashingProvider
from tests.precision import SAME_SCORE

QUESTION = "When does the ferry to Holm leave?"
TEXTS = ["The ferry to Holm leaves at seven.", "Dogs travel free.", "The ferry to Holm leaves at seven."]


class Counting(HashingProvider):
    """Remembers what it embedded. Each is a model of another name."""

    def __init__(self, *, turned: bool = False) -> None:
        self.name = f"counting-{uuid4()}"
        self.embedded: list[str] = []
        self._turned = turned

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts, the dimensions in the other order where turned."""
        self.embedded += texts
        vectors = super().embed(texts)
        return vectors * np.where(np.arange(self.dimension) % 2, -1, 1).astype(np.float32) if self._turned else vectors


@pytest.fixture
def model() -> Iterator[Counting]:
    """The model of the corpus, which has embedded nothing yet."""
    counting = Counting()
    with embedding.use(counting):
        yield counting


def test_they_are_the_cosines_of_the_model(model: Counting) -> None:
    """In the order of the texts, the same text twice being as near twice."""
    near = similarities(QUESTION, TEXTS)
    vectors = HashingProvider().embed([QUESTION, *TEXTS])
    assert near == pytest.approx([float(vectors[0] @ vector) for vector in vectors[1:]], abs=SAME_SCORE)
    assert near[0] == pytest.approx(near[2], abs=SAME_SCORE)
    assert near[0] > near[1]


def test_what_is_known_is_not_embedded_again(model: Counting) -> None:
    """Of a second call only what is new; the figures are those of the first."""
    first = similarities(QUESTION, TEXTS)
    assert sorted(model.embedded) == sorted({QUESTION, *TEXTS})
    model.embedded.clear()
    assert similarities(QUESTION, TEXTS) == pytest.approx(first, abs=SAME_SCORE)
    assert model.embedded == []
    assert similarities("Do dogs pay?", [*TEXTS, "Cats pay."])[1] > first[1]
    assert model.embedded == ["Do dogs pay?", "Cats pay."]


def test_nothing_is_near_for_no_texts(model: Counting) -> None:
    """The question is not embedded for it."""
    assert similarities(QUESTION, []) == []
    assert model.embedded == []


def test_another_model_knows_nothing_of_it(model: Counting) -> None:
    """Vectors of two models are never compared with each other."""
    before = similarities(QUESTION, TEXTS)
    other = Counting(turned=True)
    with embedding.use(other):
        assert similarities(QUESTION, TEXTS) == pytest.approx(before, abs=SAME_SCORE)
    assert sorted(other.embedded) == sorted({QUESTION, *TEXTS})
