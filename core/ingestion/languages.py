"""Documents in languages that the embedding model does not know: found by their words alone, which people are told."""

from collections import Counter
from collections.abc import Iterable

from core import embedding
from core.embedding.languages import MULTILINGUAL, knows_only_english
from core.errors import EmbeddingError
from core.models import Chunk, Document
from core.models.row_security import bypass_row_security
from core.query_understanding.languages import name_language

_MOST_READ = 8  # chunks of a document, by which its language is known
_SAMPLE = 300  # chunks of the library; ids are random, so the first ones are a sample


def advise(model: str) -> str:
    """Say what a model of English misses, and name models that know more."""
    return (
        f"The embedding model {model} knows only English: such documents are found by their words alone, and answered "
        f"only in these. Models that know more: {', '.join(MULTILINGUAL)}. To change it: set EMBEDDING_MODEL, then run "
        "manage.py reembed."
    )


def find_unknown_language(texts: Iterable[str], model: str) -> str:
    """Name the language of a document's texts, if the embedding model of this name does not know it; else ""."""
    return name_language("\n".join(texts)) if knows_only_english(model) else ""


def describe_language(document: Document) -> str:
    """Say in which language a document is, and whether the embedding model knows it; "" for English."""
    with bypass_row_security():
        first = list(document.chunks.order_by("chunk_index").values_list("content", "embedding_model")[:_MOST_READ])
    language = name_language("\n".join(content for content, _ in first))
    if not language:
        return ""
    model = first[0][1]
    return f"{language}. {advise(model)}" if knows_only_english(model) else f"{language}."


def list_unknown_languages() -> tuple[str, list[str]]:
    """Name the library's embedding model, and the languages of a sample of its texts that it does not know.

    The commonest language first. What a single text of the sample is in may be a mistake, and is left out.
    """
    try:
        model = embedding.provider().name
    except EmbeddingError:
        return "", []
    if not knows_only_english(model):
        return model, []
    with bypass_row_security():
        texts = list(Chunk.objects.order_by("pk").values_list("content", flat=True)[:_SAMPLE])
    counts = Counter(filter(None, map(name_language, texts)))
    return model, [language for language, count in counts.most_common() if count > 1 or len(texts) == 1]
