"""Run the searches of one question, for one audience: their vectors made at once, their passages merged."""

import itertools
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from uuid import UUID

import numpy as np
from django.conf import settings

from core.asking.answering.ordering import READ, order_asked_last_behind, read_in_steps
from core.asking.answering.series import leave_out_superseded, newest_of_each
from core.asking.answering.understanding import WIDE
from core.asking.reading import reader
from core.language.query_understanding.synonyms import list_synonyms
from core.language.query_understanding.values import SubQuery, Understood
from core.library import embedding
from core.library.embedding.similarity import count_kept, vectors_of
from core.library.retrieval.outline import outline
from core.library.retrieval.search import search_corpus
from core.library.retrieval.selected import SelectedText, search_selected
from core.types import Audience, Filters, Passage, RetrievalResult

DEPTH = 40  # passages among which the newest of a series are looked for
NEAR = 0.2  # of the best similarity: what is preferred and this near to it fits about as well

logger = logging.getLogger(__name__)

Timed = Callable[[str], AbstractContextManager[None]]


class Searching:
    """Searches for one question: of the corpus under the rights of its audience, or of the selected text alone."""

    def __init__(
        self, *, audience: Audience, selection: str | None, timed: Timed, reading_s: float | None = None
    ) -> None:
        """Prepare. reading_s: seconds for reading what one search finds, where less than READER_BUDGET_MS is wanted."""
        self._audience, self._timed = audience, timed
        most = settings.READER_BUDGET_MS / 1000
        self._reading_s = most if reading_s is None else min(reading_s, most)
        self._selection = None if selection is None else SelectedText(selection)
        self._model = embedding.provider()
        self.is_short = False  # whether any search came back with less than was wanted, though there is more

    @property
    def embedding_model(self) -> str:
        """Return the name of the model that embeds what is searched for."""
        return self._model.name

    def all_aspects(self, understood: Understood, *, embedded: Callable[[], None]) -> RetrievalResult:
        """Return the passages for every sub-query of a question, merged.

        embedded: called when the vectors are there.
        """
        vectors = self._embed_queries([search.query for search in understood.sub_queries])
        embedded()
        started = time.perf_counter()
        if understood.whole and self._selection is None:
            with self._timed("retrieve"):
                return outline(
                    understood.whole,
                    vectors[-1],
                    audience=self._audience,
                    filters=understood.filters,
                    limit=understood.limit,
                )
        is_read = self._selection is None and reader.is_on()
        depth = DEPTH if understood.newest else max(understood.limit, 2 * READ if is_read else 0)
        with self._timed("retrieve"):
            found = [
                self._search_once(search.query, vector, search.filters, depth)
                for search, vector in zip(understood.sub_queries, vectors, strict=True)
            ]
        if understood.newest:
            found = [replace(result, passages=newest_of_each(result.passages)) for result in found]
        deadline = time.monotonic() + self._reading_s
        if is_read:
            with self._timed("read"):
                found = self._order_found(understood, found, deadline)
        elif self._selection is not None:  # whose passages keep the order of the text
            self.read_in_place(understood, found[-1].passages)
        passages = merge_passages(understood.sub_queries, found, limit=understood.limit, diversify=understood.diversify)
        if is_read and understood.reading.sub_questions:
            # What was found for one part may answer another, where that one's own search found no answer.
            self.read_in_place(understood, passages, deadline=deadline)
        took_ms = (time.perf_counter() - started) * 1000
        return replace(found[-1], passages=passages, took_ms=took_ms, is_short=self.is_short)

    def _order_found(
        self, understood: Understood, found: Sequence[RetrievalResult], deadline: float
    ) -> list[RetrievalResult]:
        """Order the passages of each search by reading, until a time of time.monotonic()."""
        parts = {part.query for part in understood.reading.sub_questions}
        ordered = []
        for number, (search, result) in enumerate(zip(understood.sub_queries, found, strict=True)):
            left = max(deadline - time.monotonic(), 0) / (len(found) - number)
            is_part = search.query in parts
            asked = search.query if is_part else understood.bare
            is_wide = understood.reading.kind in WIDE and not is_part
            passages = order_asked_last_behind(asked, result.passages, budget_s=left, is_wide=is_wide)
            if understood.reading.future:
                left = max(deadline - time.monotonic(), 0) / (len(found) - number)
                passages = leave_out_superseded(asked, passages, budget_s=left)
            ordered.append(replace(result, passages=passages))
        return ordered

    def read_in_place(
        self, understood: Understood, passages: Sequence[Passage], *, deadline: float | None = None
    ) -> None:
        """Read passages without ordering them, for each part of a question or for the whole.

        deadline: of time.monotonic(); the time for reading from now where it is None.
        """
        if deadline is None:
            deadline = time.monotonic() + self._reading_s
        asked = [part.query for part in understood.reading.sub_questions] or [understood.bare]
        with self._timed("read"):
            for number, question in enumerate(asked):
                left = max(deadline - time.monotonic(), 0) / (len(asked) - number)
                read_in_steps(question, passages[:READ], budget_s=left)

    def once(self, query: str, filters: Filters) -> tuple[Passage, ...]:
        """Return the passages for one further query."""
        [vector] = self._embed_queries([query])
        with self._timed("retrieve"):
            return self._search_once(query, vector, filters, filters.max_results).passages

    def search_each(self, searches: Sequence[SubQuery], *, limit: int) -> list[tuple[Passage, ...]]:
        """Return the passages for each of several searches, in the order of the search alone."""
        vectors = self._embed_queries([search.query for search in searches])
        with self._timed("retrieve"):
            return [
                self._search_once(search.query, vector, search.filters, limit).passages
                for search, vector in zip(searches, vectors, strict=True)
            ]

    def embed(self, query: str) -> np.ndarray:
        """Return the vector of one query, of unit length."""
        return np.asarray(self._embed_queries([query])[0])

    def _embed_queries(self, queries: Sequence[str]) -> np.ndarray:
        """Embed queries. The log says how many of them were not embedded anew: those took no time."""
        started, from_cache = time.perf_counter(), count_kept(self._model, queries)
        with self._timed("embed"):
            vectors = vectors_of(self._model, queries)
        logger.info(
            "embedding_generated",
            extra={
                "texts": len(queries),
                "from_cache": from_cache,
                "model": self._model.name,
                "dimension": vectors.shape[1],
                "took_ms": round((time.perf_counter() - started) * 1000, 1),
            },
        )
        return vectors

    def _search_once(self, query: str, vector: np.ndarray, filters: Filters, limit: int) -> RetrievalResult:
        if self._selection is not None:
            return search_selected(self._selection, vector, limit=limit)
        found = search_corpus(
            query,
            vector,
            model=self._model.name,
            audience=self._audience,
            filters=filters,
            limit=limit,
            also=list_synonyms(query),
        )
        self.is_short |= found.is_short
        return found


def merge_passages(
    sub_queries: Sequence[SubQuery], found: Sequence[RetrievalResult], *, limit: int, diversify: bool
) -> tuple[Passage, ...]:
    """Return the best passages of each search in turn, each once, numbered anew; preferred ones first."""
    lists = [_spread_documents(result.passages) if diversify else list(result.passages) for result in found]
    preferred = [passages for search, passages in zip(sub_queries, lists, strict=True) if search.preferred]
    others = [passages for search, passages in zip(sub_queries, lists, strict=True) if not search.preferred]
    first = _take_in_turn(preferred)[: _count_preferred(preferred, others, limit)]
    chosen = _take_each_once([*first, *_take_in_turn(others)])[:limit]
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(chosen, 1))


def _count_preferred(preferred: Sequence[list[Passage]], others: Sequence[list[Passage]], limit: int) -> int:
    """Count the passages taken from where they are preferred: all but one if they fit about as well, else half."""
    best = max((passages[0].similarity for passages in preferred if passages), default=0.0)
    best_other = max((passages[0].similarity for passages in others if passages), default=0.0)
    return limit - 1 if best >= best_other - NEAR else limit // 2


def _take_in_turn(lists: Sequence[list[Passage]]) -> list[Passage]:
    """Return the first of each list, then the second of each, and so on, each passage once."""
    return _take_each_once(passage for turn in itertools.zip_longest(*lists) for passage in turn if passage is not None)


def _take_each_once(passages: Iterable[Passage]) -> list[Passage]:
    """Return passages in the order of their first places, of several copies that which is nearest to its query."""
    kept: dict[tuple[UUID | None, str], Passage] = {}
    for passage in passages:
        key = passage.chunk_id, passage.content
        if key not in kept or kept[key].similarity < passage.similarity:
            kept[key] = passage
    return list(kept.values())


def _spread_documents(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages with the best of each document before the second best of any."""
    seen: Counter[UUID | None] = Counter()
    turns: list[tuple[int, Passage]] = []
    for passage in passages:
        turns.append((seen[passage.document_id], passage))
        seen[passage.document_id] += 1
    return [passage for _, passage in sorted(turns, key=lambda turn: turn[0])]
