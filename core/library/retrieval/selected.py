"""Search of a text that the asker selected: that text alone is the corpus."""

import time
from functools import cached_property

import numpy as np

from core.library import embedding
from core.library.retrieval.splitting import split
from core.types import Passage, RetrievalResult

SELECTED_NAME = "Selected text"


class SelectedText:
    """A text that was selected for one question, which may be searched several times: it is embedded once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def pieces(self) -> list[str]:
        """The text in passages."""
        return [piece for _, piece in split(self._text, embedding.provider())]

    @cached_property
    def vectors(self) -> np.ndarray:
        """The embedding of each passage, shape (passages, dimension)."""
        return embedding.provider().embed(self.pieces)


def search_selected(text: SelectedText, vector: np.ndarray, *, limit: int) -> RetrievalResult:
    """Find the passages of the text that fit a query best, in the order of the text.

    vector: the query's embedding, shape (dimension,), unit length. Passages have no chunk or document id.
    """
    started = time.perf_counter()
    pieces = text.pieces
    similarities = text.vectors @ vector if pieces else np.zeros(0)
    best = sorted(np.argsort(-similarities)[:limit].tolist())
    passages = tuple(_passage(i, pieces[i], float(similarities[i]), rank) for rank, i in enumerate(best, 1))
    return RetrievalResult(
        passages=passages,
        strategy="selected_text",
        reason="only the selected text was searched",
        took_ms=(time.perf_counter() - started) * 1000,
    )


def _passage(index: int, content: str, similarity: float, rank: int) -> Passage:
    similarity = min(max(similarity, 0.0), 1.0)
    return Passage(
        chunk_id=None,
        document_id=None,
        document_name=SELECTED_NAME,
        document_type="",
        document_date=None,
        source_url="",
        page_number=None,
        chapter="",
        section="",
        content=content,
        similarity=similarity,
        score=similarity,
        rank=rank,
        chunk_index=index,
    )
