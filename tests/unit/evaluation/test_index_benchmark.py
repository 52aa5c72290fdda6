"""Test how benchmark_index draws and judges, without a database."""

from itertools import combinations
from uuid import UUID

import numpy as np
import pytest

from core.models.library import EMBEDDING_DIMENSION
from core.quality.benchmarks.drawing import (
    CHUNKS_PER_DOCUMENT,
    PEOPLE_IN_CHANNEL,
    DrawnReaders,
    Grants,
    SyntheticVectors,
    World,
    draw,
    find_permitted,
    make_world,
    near,
)
from core.quality.benchmarks.measuring import (
    LEAST_QUESTIONS,
    WARM_UP,
    Case,
    Found,
    Measurement,
    Way,
    judge,
    measure,
    truths,
)
from core.types import Audience

DOCUMENTS, QUESTIONS = 400, 30
SHARES = (100.0, 50.0, 10.0, 1.0, 0.1)
IDS = [UUID(int=number) for number in range(1, 41)]


@pytest.fixture(scope="module")
def vectors() -> SyntheticVectors:
    """A drawn library."""
    return draw(DOCUMENTS, QUESTIONS, np.random.default_rng(7))


@pytest.fixture(scope="module")
def world(vectors: SyntheticVectors) -> World:
    """Its readers."""
    return make_world(vectors.topics, SHARES, np.random.default_rng(7))


def case(truth: frozenset[UUID], *, permitted: int = 30) -> Case:
    """Readers of the first thirty ids, and one true answer for every question."""
    return Case(
        grants="random",
        share=75.0,
        readers="one",
        audience=Audience.nobody(),
        permitted=permitted,
        may_read=set(IDS[:permitted]).__contains__,
        truths=[truth] * QUESTIONS,
    )


def measured(*results: list[UUID], truth: frozenset[UUID], k: int = 4) -> Measurement:
    """Measure a way that gives these results in turn, over and over, also while it warms up."""
    given = iter([*results] * (QUESTIONS + WARM_UP))
    way = Way(
        strategy="test",
        find=lambda vector, audience: Found(ids=next(given), index_type="list"),
        candidates=k,
        memory_mb=1.0,
        build_s=2.0,
    )
    questions = np.zeros((QUESTIONS, 2), dtype=np.float32)
    return measure(way, case(truth), questions, k=k, corpus_size=40, seed=7, step=lambda done: None)


def test_the_same_seed_draws_the_same(vectors: SyntheticVectors) -> None:
    """And another one others."""
    again, other = (draw(DOCUMENTS, QUESTIONS, np.random.default_rng(seed)) for seed in (7, 8))
    assert np.array_equal(vectors.chunks, again.chunks)
    assert np.array_equal(vectors.questions, again.questions)
    assert np.array_equal(vectors.topics, again.topics)
    assert not np.allclose(vectors.chunks, other.chunks)


def test_vectors_are_like_those_of_texts(vectors: SyntheticVectors) -> None:
    """Of unit length; nearest within a document, farther within a topic, and nearly unrelated across topics."""
    assert vectors.chunks.shape == (DOCUMENTS * CHUNKS_PER_DOCUMENT, EMBEDDING_DIMENSION)
    assert vectors.questions.shape == (QUESTIONS, EMBEDDING_DIMENSION)
    for rows in (vectors.chunks, vectors.questions):
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    by_document = vectors.chunks.reshape(DOCUMENTS, CHUNKS_PER_DOCUMENT, -1)
    first, second = by_document[:, 0], by_document[:, 1]
    same_document = np.sum(first * second, axis=1).mean()
    mates = [np.flatnonzero(vectors.topics == topic) for topic in np.unique(vectors.topics)]
    same_topic = np.mean([first[one] @ first[other] for one, other in mates])
    apart = np.mean(first @ first.T)
    assert same_document > 0.4 > same_topic > 0.1 > abs(apart)


def test_questions_of_the_live_library_are_near_its_chunks(vectors: SyntheticVectors) -> None:
    """About as near as a question is to a passage that answers it, and never the passage itself."""
    asked = near(vectors.chunks[:50] * 3, np.random.default_rng(7))
    similarity = np.sum(asked * vectors.chunks[:50], axis=1)
    assert np.allclose(np.linalg.norm(asked, axis=1), 1, atol=1e-5)
    assert np.all((similarity > 0.7) & (similarity < 0.9))


def test_every_share_is_granted_to_a_person_and_to_a_channel(world: World) -> None:
    """Both may read exactly the same documents: as many as the share says, and at least one."""
    expected = {(grants, share, readers) for grants in Grants for share in SHARES for readers in DrawnReaders}
    assert {(group.grants, group.share, group.readers) for group in world.groups} == expected
    assert len(world.groups) == len(expected)
    readable = {
        (group.grants, group.share, group.readers): find_permitted(world, group.people).tobytes()
        for group in world.groups
    }
    for grants in Grants:
        for share in SHARES:
            assert readable[grants, share, DrawnReaders.ONE] == readable[grants, share, DrawnReaders.CHANNEL]
            count = np.frombuffer(readable[grants, share, DrawnReaders.ONE], dtype=bool).sum()
            assert count == max(1, round(DOCUMENTS * share / 100))


def test_a_channel_has_twelve_role_sets_of_which_none_holds_another(world: World) -> None:
    """So that an audience cannot be made smaller, and each set reads more than what all may read."""
    for group in world.groups:
        if group.readers is DrawnReaders.ONE:
            assert [len(roles) for roles in group.people] == [1]
            continue
        assert len(group.people) == PEOPLE_IN_CHANNEL
        sets = set(group.people)
        assert len(sets) == 12
        assert not any(one <= other or other <= one for one, other in combinations(sets, 2))
        if group.share < 100:
            all_of_them = find_permitted(world, group.people).sum()
            assert all(find_permitted(world, [roles]).sum() > all_of_them for roles in sets)


def test_topics_are_granted_whole(vectors: SyntheticVectors, world: World) -> None:
    """Of all topics at most one is granted in part; at random nearly all are."""

    def in_part(name: str) -> int:
        granted = np.zeros(DOCUMENTS, dtype=bool)
        granted[world.roles[name]] = True
        shares = [granted[vectors.topics == topic].mean() for topic in np.unique(vectors.topics)]
        return sum(0 < share < 1 for share in shares)

    assert in_part("topic 50") <= 1 < 50 < in_part("random 50")


def test_nobody_reads_nothing(world: World) -> None:
    """A person without roles, alone or among others, and no people at all."""
    [group] = [group for group in world.groups if (group.grants, group.share, group.readers) == ("random", 100, "one")]
    assert find_permitted(world, group.people).all()
    for people in ([], [frozenset[str]()], [*group.people, frozenset[str]()]):
        assert not find_permitted(world, people).any()


def test_the_truth_holds_what_is_as_near_as_the_last() -> None:
    """The permitted k nearest; of rows that are equally near each counts, and a forbidden one never does."""
    similarities = np.array([[0.9, 0.8, 0.7, 0.7, 0.1]])
    everything = np.ones(5, dtype=bool)
    assert truths(similarities, everything, IDS, 2) == [{IDS[0], IDS[1]}]
    assert truths(similarities, everything, IDS, 3) == [{IDS[0], IDS[1], IDS[2], IDS[3]}]
    without_first = np.array([False, True, True, True, True])
    assert truths(similarities, without_first, IDS, 1) == [{IDS[1]}]
    assert truths(similarities, without_first, IDS, 9) == [set(IDS[1:5])]
    assert truths(similarities, np.zeros(5, dtype=bool), IDS, 3) == [frozenset()]


def test_a_right_result_has_no_fault() -> None:
    """All that was wanted, in any order; of equally near ones any."""
    truth = frozenset(IDS[:5])
    figures = measured(IDS[3::-1], IDS[1:5], truth=truth)
    assert (figures.recall_at_k, figures.recall_min) == (1.0, 1.0)
    assert (figures.short_results, figures.duplicates, figures.forbidden) == (0, 0, 0)
    assert (figures.questions, figures.index_type, figures.memory_usage_mb, figures.build_s) == (30, "list", 1.0, 2.0)
    assert 0 < figures.latency_p50_ms <= figures.latency_p95_ms


def test_each_fault_is_counted_by_itself() -> None:
    """A broken way shows: forbidden ones, ones that came twice, too few, wrong ones."""
    truth = frozenset(IDS[:4])
    forbidden = measured([IDS[0], IDS[1], IDS[30], IDS[31]], truth=truth)
    assert (forbidden.forbidden, forbidden.recall_at_k, forbidden.short_results) == (2 * QUESTIONS, 0.5, 0)
    twice = measured([IDS[0], IDS[0], IDS[1], IDS[1]], truth=truth)
    assert (twice.duplicates, twice.recall_at_k, twice.short_results) == (2 * QUESTIONS, 0.5, QUESTIONS)
    short = measured([IDS[0]], IDS[:4], truth=truth)
    assert (short.short_results, short.recall_at_k, short.recall_min) == (QUESTIONS // 2, 0.625, 0.25)
    wrong = measured(IDS[10:14], truth=truth)
    assert (wrong.recall_at_k, wrong.short_results, wrong.forbidden) == (0.0, 0, 0)


def test_fewer_than_k_are_enough_when_no_more_are_permitted() -> None:
    """Then all of them are wanted; and with none permitted nothing is."""
    two = judge(IDS[:2], frozenset(IDS[:2]), case(frozenset(), permitted=2), 4)
    assert (two.recall, two.short) == (1.0, False)
    one = judge(IDS[:1], frozenset(IDS[:2]), case(frozenset(), permitted=2), 4)
    assert (one.recall, one.short) == (0.5, True)
    nothing = judge([], frozenset(), case(frozenset(), permitted=0), 4)
    assert (nothing.recall, nothing.short, nothing.forbidden) == (1.0, False, 0)


def test_a_slow_way_is_asked_fewer_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its time is over, but never fewer than it takes for a figure."""
    monkeypatch.setattr("core.quality.benchmarks.measuring.MOST_SECONDS", 0.0)
    assert measured(IDS[:4], truth=frozenset(IDS[:4])).questions == LEAST_QUESTIONS
