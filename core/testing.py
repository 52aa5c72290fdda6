"""Doubles and a small library for tests: of this project, and of programs that build on it."""

import datetime as dt
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from django.utils import timezone

from core.access.audiences import audience_of
from core.access.grants import grant
from core.language.nlp.text import content_stems
from core.library import embedding
from core.library.embedding.local import load_packaged_tokenizer
from core.library.ingestion.store import build_searched_context
from core.models import Chunk, Collection, Document, Role, User, UserRole
from core.models.library import EMBEDDING_DIMENSION
from core.models.row_security import bypass_row_security
from core.types import Audience

if TYPE_CHECKING:
    from tokenizers import Tokenizer


# What all texts have in common: it brings a question as near to its sentence as the packaged model does, about 0.65,
# and to a text about something else about 0.15.
COMMON = 0.035


@cache
def _packaged_tokenizer() -> "Tokenizer":
    """Loaded once: it takes a twentieth of a second, and hundreds of tests make a provider of their own."""
    return load_packaged_tokenizer()


class HashingProvider:
    """An embedding without a model: each word stem votes for one dimension. Texts that share words are near.

    Fast and deterministic, for tests in which ranking does not matter. It counts word pieces as the packaged model.
    """

    name = "hashing-test-double"
    dimension = EMBEDDING_DIMENSION
    max_tokens = 256

    @property
    def tokenizer(self) -> "Tokenizer":
        """The packaged model's tokenizer."""
        return _packaged_tokenizer()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see core.library.embedding.EmbeddingProvider."""
        embedding.check_texts(texts)
        vectors = np.full((len(texts), self.dimension), COMMON, dtype=np.float32)
        for row, text in enumerate(texts):
            for stem in content_stems(text):
                place = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:4]) % self.dimension
                vectors[row, place] += 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """Alice owns, Bob shares, Charlie must not."""

    alice: User
    bob: User
    charlie: User
    owners: Role  # Alice's alone
    staff: Role  # Alice's and Bob's

    def audience(self, *people: User | None) -> Audience:
        """The audience that these people are."""
        return audience_of([person.pk if person else None for person in people])


def make_cast() -> Cast:
    """The three people and their two roles. Charlie has none."""
    owners, staff = Role.objects.bulk_create([Role(name="owners"), Role(name="staff")])
    people = [User(email=f"{name.casefold()}@example.com", display_name=name) for name in ("Alice", "Bob", "Charlie")]
    for person in people:
        person.set_unusable_password()
    alice, bob, charlie = User.objects.bulk_create(people)
    UserRole.objects.bulk_create(
        UserRole(user=user, role=role) for user, role in ((alice, owners), (alice, staff), (bob, staff))
    )
    return Cast(alice=alice, bob=bob, charlie=charlie, owners=owners, staff=staff)


def make_document(
    title: str,
    *texts: str,
    roles: Sequence[Role] = (),
    collection: str = "Test library",
    document_type: str = "page",
    document_date: dt.date | None = None,
    section: str = "",
    part_of: Document | None = None,
) -> Document:
    """A document of one chunk per text, embedded by the provider in use and granted to the roles.

    part_of: the document of which it is a part, whose readers its rules name; those are the caller's to make.
    """
    shelf, _ = Collection.objects.get_or_create(name=collection)
    document = Document.objects.create(
        part_of=part_of,
        collection=shelf,
        source=title,
        source_url=f"https://library.example/{title.casefold().replace(' ', '-')}",
        title=title,
        document_type=document_type,
        document_date=document_date,
        content_hash=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        chunk_count=len(texts),
        ingested_at=timezone.now(),
    )
    provider = embedding.provider()
    embedding.claim(provider)
    start = 0
    chunks = []
    for index, (text, vector) in enumerate(zip(texts, provider.embed(texts), strict=True)):
        chunks.append(
            Chunk(
                document=document,
                chunk_index=index,
                content=text,
                token_count=len(provider.tokenizer.encode(text).ids),
                embedding=vector,
                embedding_model=provider.name,
                section_title=section,
                context=build_searched_context(document, "", section, text),
                start_offset=start,
                end_offset=start + len(text),
            )
        )
        start += len(text) + 1
    with bypass_row_security():
        Chunk.objects.bulk_create(chunks)
    for role in roles:
        grant(role, [document], by=None)
    return document


def fetch_chunks(*documents: Document) -> list[Chunk]:
    """The chunks of some documents, or of all when none is named, in their order, whoever may read them."""
    chunks = Chunk.objects.filter(document__in=documents) if documents else Chunk.objects.all()
    with bypass_row_security():
        return list(chunks.select_related("document").order_by("document__title", "chunk_index"))


@contextmanager
def fast_embedding() -> Iterator[None]:
    """Embed with HashingProvider within the block."""
    with embedding.use(HashingProvider()):
        yield
