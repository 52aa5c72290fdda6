"""Cutting text into pieces that the embedding model reads whole."""

from core.library.embedding import EmbeddingProvider

SPECIAL_TOKENS = 2  # the model's own tokens at both ends
HEADROOM = 34  # 256 - 2 - 34 = 220: the length under which nothing was seen to be cut


def split(text: str, provider: EmbeddingProvider, *, reserved_tokens: int = 0) -> list[tuple[int, str]]:
    """Cut text at paragraphs, sentences and words into (offset in characters, piece), none longer than the model reads.

    reserved_tokens: room kept for what is embedded along with each piece, its headings for example.
    The method is semantic-text-splitter's: the largest whole units that fit.
    """
    from semantic_text_splitter import TextSplitter

    capacity = max(provider.max_tokens - SPECIAL_TOKENS - HEADROOM - reserved_tokens, 32)
    splitter = TextSplitter.from_huggingface_tokenizer(provider.tokenizer, capacity)
    return [(offset, piece) for offset, piece in splitter.chunk_indices(text) if piece.strip()]
