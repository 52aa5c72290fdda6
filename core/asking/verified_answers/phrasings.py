"""The ways to ask for a verified answer, each with its embedding by the corpus's model."""

from collections.abc import Iterable

from django.db import transaction

from core.language.nlp.text import one_line
from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.library.embedding.similarity import vectors_of
from core.models import VerifiedAnswer, VerifiedPhrasing

_AT_ONCE = 200  # phrasings that are embedded in one transaction
MOST_PHRASINGS = 50  # of one answer


def write_phrasings(row: VerifiedAnswer, others: Iterable[str]) -> None:
    """Put the question and other ways to ask it in the place of those that an answer has. One query or none each."""
    texts = list(dict.fromkeys(one_line(text) for text in (row.question, *others)))[: MOST_PHRASINGS + 1]
    model = embedding.provider()
    vectors = vectors_of(model, texts)
    with transaction.atomic():
        row.phrasings.all().delete()
        VerifiedPhrasing.objects.bulk_create(
            VerifiedPhrasing(verified_answer=row, text=text, embedding=vector, embedding_model=model.name)
            for text, vector in zip(texts, vectors, strict=True)
        )


def list_other_phrasings(row: VerifiedAnswer) -> list[str]:
    """The ways to ask besides the question itself."""
    question = one_line(row.question)
    return [text for text in row.phrasings.values_list("text", flat=True) if text != question]


def embed_again(model: EmbeddingProvider) -> int:
    """Embed the phrasings that another model has embedded; how many. Until then they match no question."""
    rows = VerifiedPhrasing.objects.exclude(embedding_model=model.name).order_by("pk")
    done = 0
    while batch := list(rows[:_AT_ONCE]):
        for row, vector in zip(batch, model.embed([row.text for row in batch]), strict=True):
            row.embedding, row.embedding_model = vector, model.name
        VerifiedPhrasing.objects.bulk_update(batch, ["embedding", "embedding_model"])
        done += len(batch)
    return done
