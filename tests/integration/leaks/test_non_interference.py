"""A result is the same as in a library that holds nothing but what the audience may read."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from core.access.audiences import asker_for
from core.api import ask, search
from core.library import embedding
from core.library.retrieval import dense
from core.library.retrieval.access_filter import count_permitted, select_permitted_chunks
from core.library.retrieval.lexical import Worded, by_words
from core.library.retrieval.planner import Plan, Strategy
from core.library.retrieval.vector_copy import current_copy, drop_copy, load_copy
from core.models import Chunk, Document
from core.models.row_security import as_audience, bypass_row_security
from core.models.versions import current_versions
from core.serialization import search_as_json
from core.types import Answer, Audience, Filters, RetrievalResult
from tests.integration.leaks.worlds import (
    IN_SECTIONS,
    NO_COMMON_ROLE,
    ONE_READER,
    QUESTION,
    Built,
    World,
    built,
    code,
    logged,
    tried,
    without_ids,
    without_times,
    worlds,
)

pytestmark = pytest.mark.usefixtures("floors", "fast")
STRATEGIES = (Strategy.EXACT, Strategy.INDEX, Strategy.QUANTISED)


def without_the_forbidden(here: Built) -> None:
    """Delete every document that the audience may not read."""
    Document.objects.exclude(pk__in=here.readable()).delete()


def searches(world: World) -> list[tuple[str, Filters]]:
    """Queries by words that all documents have, by a document's own, and by none's; with and without filters."""
    last = code(len(world.documents) - 1)
    return [
        (QUESTION, Filters()),
        (f"{code(0)} and {last}", Filters()),
        ("walrus keys", Filters()),
        (QUESTION, Filters(source=last)),
        ("keys and maps", Filters(document_type=Document.Type.PAGE)),
        ("Section ropes", Filters(section=code(0))),
    ]


def exact_figures(result: RetrievalResult) -> list[tuple[Any, ...]]:
    return [(p.chunk_id, p.rank, p.similarity, p.score) for p in result.passages]


def retrieved_lines(lines: list[str]) -> int:
    return sum(line.startswith("chunks_retrieved") for line in lines)


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(25)
def test_what_may_not_be_read_changes_nothing_that_is_found(world: World) -> None:
    """Neither ids, nor order, nor scores to the last bit, nor the JSON, nor the reason for the plan."""
    with built(world) as here, logged() as lines:
        audience = here.audience()
        asked = searches(world)
        before = [search(query, audience=audience, filters=filters, k=50) for query, filters in asked]
        without_the_forbidden(here)
        after = [search(query, audience=audience, filters=filters, k=50) for query, filters in asked]
        for (query, _), full, reduced in zip(asked, before, after, strict=True):
            assert exact_figures(full) == exact_figures(reduced)
            assert without_times(search_as_json(query, full)) == without_times(search_as_json(query, reduced))
            assert (full.strategy, full.reason, full.is_short) == (reduced.strategy, reduced.reason, reduced.is_short)
        if not audience.reads_nothing:
            assert retrieved_lines(lines) == 2 * len(asked)


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(15)
def test_what_may_not_be_read_changes_no_answer(world: World) -> None:
    """Text, message, confidence, citations and the passages behind them are the same."""

    def said(here: Built) -> str:
        result = ask(QUESTION, asker=asker_for(here.asker()), audience=here.audience())
        text = [result.text, str(without_ids(result.citations))] if isinstance(result, Answer) else [result.message]
        return json.dumps([text, result.confidence, str(result.retrieved), result.state, result.agent_steps])

    with built(world) as here:
        before = said(here)
        without_the_forbidden(here)
        assert said(here) == before


def nearest(
    audience: Audience, filters: Filters, strategy: Strategy, vector: np.ndarray, limit: int
) -> dict[Any, float]:
    """Search by a strategy chosen by hand: in small worlds the planner would always compare exactly."""
    model = embedding.provider().name
    with as_audience(audience) as versions:
        asked = dense.Search(
            vector=vector, model=model, audience=audience, filters=filters, versions=versions, limit=limit
        )
        permitted = count_permitted(audience, filters, versions)
        copy = current_copy(versions, model)
        assert copy is not None
        return asked.follow(Plan(strategy, ""), permitted=permitted, copy=copy).similarities


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(20)
def test_every_strategy_finds_the_nearest_of_what_may_be_read(world: World) -> None:
    """The similarities are those of an exact comparison in numpy of the readable chunks alone, for any limit."""
    with built(world) as here:
        load_copy(embedding.provider().name)
        try:
            _compare_strategies(here)
        finally:
            drop_copy()


def _compare_strategies(here: Built) -> None:
    audience, readable = here.audience(), here.readable()
    vector = embedding.provider().embed([QUESTION + " keys"])[0]
    for filters, documents in (
        (Filters(), readable),
        (Filters(source=code(0)), readable & here.with_parts(here.documents[0])),
    ):
        with bypass_row_security():
            rows = Chunk.objects.filter(document__in=documents).values_list("pk", "embedding")
            exact = {pk: float(np.dot(np.asarray(stored), vector)) for pk, stored in rows}
        best = sorted(exact.values(), reverse=True)
        for strategy in STRATEGIES:
            for limit in (1, 3, 50):
                found = {} if audience.reads_nothing else nearest(audience, filters, strategy, vector, limit)
                assert found.keys() <= exact.keys()
                assert list(found.values()) == pytest.approx(best[:limit], abs=1e-5), (strategy, limit)
                assert [exact[pk] for pk in found] == pytest.approx(list(found.values()), abs=1e-5)


@given(world=worlds())
@example(world=NO_COMMON_ROLE)
@example(world=IN_SECTIONS)
@example(world=ONE_READER)
@tried(25)
def test_words_are_counted_among_what_may_be_read(world: World) -> None:
    """BM25's scores are those of the reduced library, for the queryset alone as for the whole search."""

    def scores(here: Built) -> Worded:
        audience = here.audience()
        versions = current_versions()
        with as_audience(audience):
            permitted = count_permitted(audience, Filters(), versions)
            return by_words(
                select_permitted_chunks(audience, Filters()), f"keys {code(0)} maps", permitted=permitted, limit=50
            )

    with built(world) as here:
        before = scores(here)
        without_the_forbidden(here)
        assert scores(here) == before
