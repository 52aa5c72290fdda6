"""Candidates from vectors of eight bits a number, against numpy's exact answer."""

from uuid import UUID

import numpy as np
import pytest

from core.library.retrieval.quantised import QuantisedVectors, SelectedRows

ROWS, DIMENSION, DOCUMENTS = 2000, 48, 200
WANTED, CANDIDATES = 20, 42  # as many candidates as a search for 20 asks for


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), dtype=np.float32)


@pytest.fixture(scope="module")
def exact() -> np.ndarray:
    """Unit vectors in clusters, as those of a library on some topics are."""
    chance = np.random.default_rng(7)
    topics = chance.normal(size=(25, DIMENSION))
    return unit(topics[chance.integers(0, 25, ROWS)] + 0.7 * chance.normal(size=(ROWS, DIMENSION)))


@pytest.fixture(scope="module")
def ids() -> list[UUID]:
    """One a row; some with zero bytes at an end."""
    return [UUID(int=number << 64 | number) for number in range(ROWS)]


@pytest.fixture(scope="module")
def vectors(exact: np.ndarray, ids: list[UUID]) -> QuantisedVectors:
    """The rows, quantised."""
    return QuantisedVectors.of(exact, ids, [row % DOCUMENTS for row in range(ROWS)])


def nearest(vectors: QuantisedVectors, question: np.ndarray, mask: np.ndarray, limit: int) -> list[UUID]:
    return [UUID(pk) for pk in vectors.nearest(question, SelectedRows.of(mask), limit)]


def questions() -> np.ndarray:
    return unit(np.random.default_rng(8).normal(size=(20, DIMENSION)))


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.02])
def test_the_candidates_hold_the_true_neighbours(
    exact: np.ndarray, ids: list[UUID], vectors: QuantisedVectors, share: float
) -> None:
    """All of the nearest twenty, at any share of rows, and never a row that was not offered."""
    rows = np.random.default_rng(9).random(ROWS) < share
    offered = {ids[row] for row in np.flatnonzero(rows)}
    for question in questions():
        similarity = np.where(rows, exact @ question, -np.inf)
        true = {ids[row] for row in np.argsort(-similarity)[: min(WANTED, len(offered))]}
        found = nearest(vectors, question, rows, CANDIDATES)
        assert len(found) == len(set(found)) == min(CANDIDATES, len(offered))
        assert true <= set(found) <= offered


def test_a_limit_larger_than_the_rows_gives_each_once(ids: list[UUID], vectors: QuantisedVectors) -> None:
    """Ten rows offered and 500 asked for: those ten."""
    rows = np.zeros(ROWS, dtype=bool)
    rows[5:15] = True
    found = nearest(vectors, questions()[0], rows, 500)
    assert sorted(found) == sorted(ids[5:15])
    assert sorted(nearest(vectors, questions()[0], np.ones(ROWS, dtype=bool), ROWS + 1)) == sorted(ids)


def test_no_row_offered_gives_nothing(vectors: QuantisedVectors) -> None:
    """However many are asked for."""
    assert nearest(vectors, questions()[0], np.zeros(ROWS, dtype=bool), 10) == []


def test_a_copy_without_rows_gives_nothing(vectors: QuantisedVectors) -> None:
    """As it is left by the deletion of all documents."""
    none = vectors.only(np.zeros(ROWS, dtype=bool))
    assert nearest(none, questions()[0], np.zeros(0, dtype=bool), 10) == []


def test_no_limit_gives_nothing(vectors: QuantisedVectors) -> None:
    """However many are offered."""
    assert nearest(vectors, questions()[0], np.ones(ROWS, dtype=bool), 0) == []


def test_joined_parts_are_the_whole(exact: np.ndarray, ids: list[UUID], vectors: QuantisedVectors) -> None:
    """Each row with its own vector, id and document."""
    documents = [row % DOCUMENTS for row in range(ROWS)]
    cuts = [(0, 700), (700, 701), (701, ROWS)]
    parts = [QuantisedVectors.of(exact[a:b], ids[a:b], documents[a:b]) for a, b in cuts]
    joined = QuantisedVectors.join_parts(parts)
    assert len(joined) == ROWS
    for name in ("codes", "scales", "ids", "documents"):
        assert np.array_equal(getattr(joined, name), getattr(vectors, name)), name


def test_only_some_rows_stay(ids: list[UUID], vectors: QuantisedVectors) -> None:
    """Removed rows are not found any more."""
    kept = vectors.documents % 2 == 0
    some = vectors.only(kept)
    assert len(some) == ROWS // 2
    found = nearest(some, questions()[0], np.ones(len(some), dtype=bool), ROWS)
    assert sorted(found) == sorted(ids[row] for row in np.flatnonzero(kept))
    assert len(vectors) == ROWS


def test_the_error_of_a_similarity_is_small(exact: np.ndarray, vectors: QuantisedVectors) -> None:
    """Under 0.006 for unit vectors of 48 numbers, zero vectors included."""
    again = vectors.codes.astype(np.float32) * vectors.scales[:, np.newaxis]
    assert np.abs(again @ exact[:50].T - exact @ exact[:50].T).max() < 0.006
    zero = QuantisedVectors.of(np.zeros((1, DIMENSION), dtype=np.float32), [UUID(int=1)], [0])
    assert nearest(zero, questions()[0], np.ones(1, dtype=bool), 5) == [UUID(int=1)]
