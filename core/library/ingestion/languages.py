"""Documents in languages that the embedding model does not know: found by their words alone, which people are told."""

from collections import Counter
from collections.abc import Iterable, Mapping

from core.errors import EmbeddingError
from core.language.query_understanding.languages import name_language
from core.library import embedding
from core.library.embedding.provider import MULTILINGUAL, knows_only_english
from core.library.ingestion.document import ParsedDocument
from core.models import Chunk, Document, EmbeddingModel
from core.models.row_security import bypass_row_security

ENGLISH = "English or not recognised"  # such as a table of figures
_MOST_READ = 8  # chunks of a document, by which its language is known
_MOST_BLOCKS = 200  # of a document, for the same
_SAMPLE = 300  # chunks of the library; ids are random, so the first ones are a sample


def advise(model: str) -> str:
    """Say what a model of English misses, and name models that know more."""
    return (
        f"The embedding model {model} knows only English: documents in other languages are found by their words "
        f"alone, and answered only in these. Models that know more: {', '.join(MULTILINGUAL)}. To change it: set "
        "EMBEDDING_MODEL, then run manage.py reembed."
    )


def name_language_of(document: ParsedDocument) -> str:
    """Name the language that the beginning of a document is in; ENGLISH where no other one is found."""
    return name_language("\n".join(block.text for block in document.blocks[:_MOST_BLOCKS])) or ENGLISH


def count_languages(counted: Iterable[Mapping[str, int]]) -> tuple[str, str]:
    """Describe the languages of documents, the commonest first, and what the library's embedding model misses of them.

    counted: for each file the number of its documents by their language. Both are empty where nothing is known or
    missed.
    """
    counts: Counter[str] = Counter()
    for one in counted:
        counts.update(one)
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    said = ", ".join(f"{language} ({count:,})" for language, count in ordered)
    model = EmbeddingModel.objects.first()
    is_missed = model is not None and knows_only_english(model.name) and not counts.keys() <= {ENGLISH}
    return said, advise(model.name) if model is not None and is_missed else ""


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
