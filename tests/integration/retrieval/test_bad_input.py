"""Test unusable searches: clear errors, or an honest empty result."""

import numpy as np
import pytest

from core.access.audiences import asker_for
from core.api import ask, search
from core.errors import EmbeddingError, InvalidFilterError, InvalidQuestionError
from core.library import embedding
from core.library.retrieval.search import search_corpus
from core.library.retrieval.vector_copy import load_copy
from core.testing import Cast, make_document
from core.types import Audience, Filters, Refusal, RefusalReason
from tests.integration.retrieval.library import Work, fill

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def canteen(cast: Cast, fast: None) -> None:
    """One document of one chunk."""
    make_document("Canteen", "The canteen opens at noon.", roles=[cast.staff])


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize("k", [-1, 0, 51, 10_000])
def test_k_outside_of_1_to_50_is_an_error_that_says_so(cast: Cast, k: int) -> None:
    """In words, for whoever asks."""
    for person in (cast.bob, cast.charlie):
        with pytest.raises(InvalidFilterError, match="from 1 to 50"):
            search("canteen", audience=cast.audience(person), k=k)


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize("k", [1, 50])
def test_k_from_1_to_50_is_none(cast: Cast, k: int) -> None:
    """Both ends included."""
    assert len(search("canteen", audience=cast.audience(cast.bob), k=k).passages) == 1


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize("query", ["?" * 1000, "-'\"\\&|!<>:*()" * 76, "—…“”" * 250])
def test_a_thousand_signs_are_no_question(cast: Cast, query: str) -> None:
    """The error says that words are missing."""
    with pytest.raises(InvalidQuestionError, match="no words"):
        search(query, audience=cast.audience(cast.bob))


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize(
    "query", ["x" + "?" * 999, "a-'b\"\\ &|!<->:*()" * 58, "9/" * 500, '"' * 499 + "canteen", "é" * 1000]
)
def test_a_word_among_a_thousand_signs_is_searched_for(cast: Cast, query: str) -> None:
    """However PostgreSQL would read the signs: the one chunk that there is comes back."""
    assert [p.content for p in search(query, audience=cast.audience(cast.bob)).passages] == [
        "The canteen opens at noon."
    ]


@pytest.mark.usefixtures("canteen")
def test_an_audience_of_nobody_finds_nothing(cast: Cast) -> None:
    """An empty result and no error, for search and for a question."""
    for audience in (Audience.nobody(), cast.audience(cast.charlie), cast.audience(cast.bob, None)):
        found = search("canteen", audience=audience, k=50)
        assert (found.passages, found.strategy, found.is_short) == ((), "none", False)
        asked = ask("When does the canteen open?", asker=asker_for(cast.charlie), audience=audience)
        assert isinstance(asked, Refusal)
        assert (asked.reason, asked.retrieved) == (RefusalReason.NOTHING_FOUND, ())


@pytest.mark.parametrize("has_copy", [False, True])
def test_a_corpus_without_a_chunk_gives_nothing(cast: Cast, has_copy: bool) -> None:
    """Nor does a document without one, also with filters and with a copy in memory."""
    for works in ([], [Work(title="Empty", texts=[], roles=[cast.staff])]):
        fill(works)
        if has_copy:
            load_copy(embedding.provider().name)
        for filters in (Filters(), Filters(source="Empty"), Filters(section="One")):
            found = search("canteen", audience=cast.audience(cast.bob), filters=filters, k=50)
            assert (found.passages, found.strategy, found.is_short) == ((), "none", False)


@pytest.mark.usefixtures("canteen")
@pytest.mark.parametrize("dimension", [1, 383, 385, 768])
def test_a_vector_of_another_dimension_is_an_error_of_ours(cast: Cast, dimension: int) -> None:
    """It names the vector's dimension, and not what PostgreSQL said."""
    vector = np.ones(dimension, dtype=np.float32) / np.sqrt(np.float32(dimension))
    with pytest.raises(EmbeddingError) as raised:
        search_corpus(
            "canteen",
            vector,
            model=embedding.provider().name,
            audience=cast.audience(cast.bob),
            filters=Filters(),
            limit=5,
        )
    assert str(dimension) in raised.value.message
    assert "EMBEDDING_MODEL" in raised.value.message
    assert "different vector dimensions" not in raised.value.message
