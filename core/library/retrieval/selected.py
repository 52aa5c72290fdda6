"""Search of a text that the asker selected: that text alone is the corpus, in pieces that the model reads whole."""

import time
from functools import cached_property

import numpy as np

from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.types import Passage, RetrievalResult

SPECIAL_TOKENS = 2  # the model's own tokens at both ends
HEADROOM = 34  # 256 - 2 - 34 = 220: the length under which nothing was seen to be cut

SELECTED_NAME = "Selected text"


def split(text: str, provider: EmbeddingProvider, *, reserved_tokens: int = 0) -> list[tuple[int, str]]:
    """Cut text at paragraphs, sentences and words into (offset in characters, piece), none longer than the model reads.

    reserved_tokens: room kept for what is embedded along with each piece, its headings for example.
    The method is semantic-text-splitter's: the largest whole units that fit.
    """
    from semantic_text_splitter import TextSplitter

    capacity = max(provider.max_tokens - SPECIAL_TOKENS - HEADROOM - reserved_tokens, 32)
    splitter = TextSplitter.from_huggingface_tokenizer(provider.tokenizer, capacity)
    return [(offset, piece) for offset, piece in splitter.chunk_indices(text) if piece.strip()]


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
    passages = tuple(_make_passage(i, pieces[i], float(similarities[i]), rank) for rank, i in enumerate(best, 1))
    return RetrievalResult(
        passages=passages,
        strategy="selected_text",
        reason="only the selected text was searched",
        took_ms=(time.perf_counter() - started) * 1000,
    )


def _make_passage(index: int, content: str, similarity: float, rank: int) -> Passage:
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
