"""Tell embedding models that know English alone by their names. Pure."""

import re

# Models that know more, to name to people: each is free, runs on processors, and has at most 1,900 dimensions.
MULTILINGUAL = (
    "intfloat/multilingual-e5-small",
    "BAAI/bge-m3",
    "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
)

_MORE = re.compile(r"multi-?lingual|arctic-embed-[a-z]-v2|nomic-embed-text-v2|english-and|xlm|labse", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\ball-(?:minilm|mpnet|distilroberta|roberta)|multi-qa-|msmarco|-en\b|\b(?:e5|gte)-(?:small|base|large)\b|english"
    r"|nomic-embed-text|mxbai-embed|arctic-embed|\bgtr-|sentence-t5|\binstructor\b|uae-large|text-embedding-ada-001",
    re.IGNORECASE,
)


def knows_only_english(model: str) -> bool:
    """Return True if an embedding model of this name is known to know no language but English."""
    return bool(_ENGLISH.search(model)) and not _MORE.search(model)
