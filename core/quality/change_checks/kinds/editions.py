"""Try new and replaced documents before they are live, whatever brings them.

What is slow is done once, before anything is asked: loading, parsing, splitting, embedding. The drafts stay in memory
of the process that asks, and are written anew into each transaction that is rolled back. No file is written.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any
from uuid import UUID

from django.db import OperationalError
from django.db.models import Q

from core.library.ingestion.checked import Tried
from core.library.ingestion.jobs import sandbox_from_settings
from core.library.ingestion.pipeline import PreparedSource, prepare_drafts
from core.library.ingestion.sources import Source
from core.library.ingestion.store import DocumentDraft, write
from core.library.ingestion.target import IngestTarget
from core.llm.stopping import check_stopped
from core.models import ChangeCheck, CitationWords, Document, Query
from core.models.masking import mask_words
from core.models.row_security import bypass_row_security
from core.quality.change_checks.kinds.change import Change
from core.quality.change_checks.kinds.nearness import measure_nearness
from core.quality.change_checks.waiting import is_waited_for

# That are tried. Writing so many takes about half a minute, and each time leaves as many dead rows behind.
MOST_DOCUMENTS, MOST_CHUNKS = 1_000, 20_000
_AT_ONCE = 50  # documents written together, between two looks if somebody waits for what is held
_EFFECT = "effect"  # in what the check keeps


class Editions(Change):
    """Documents that come in: new ones, and other texts of those that are there."""

    def __init__(self, check: ChangeCheck) -> None:
        """check: names what brings the documents."""
        self._check = check
        self._prepared: list[PreparedSource] = []
        self._replaced: set[UUID] = set()

    @abstractmethod
    def list_sources(self) -> Iterator[tuple[UUID, Source]]:
        """Yield what waits to be ingested, each with the id of its item or file."""

    @abstractmethod
    def find_target(self) -> IngestTarget:
        """Return where the documents go."""

    @abstractmethod
    def open_to_readers(self, written: Sequence[tuple[PreparedSource, Sequence[DocumentDraft]]]) -> None:
        """Give what was just written to its readers, in the transaction that is rolled back."""

    @abstractmethod
    def count_waiting(self) -> int:
        """Return how many items or files wait to be ingested."""

    def prepare(self) -> None:
        """Load, parse and embed what waits, up to a bound, and note with the check what that is."""
        digests: dict[str, str] = {}
        names: dict[str, UUID] = {}
        chunks = documents = 0

        def note_names() -> Iterator[Source]:
            for pk, source in self.list_sources():
                check_stopped()
                names[source.name] = pk
                yield source

        is_all = True
        with sandbox_from_settings() as sandbox:
            for prepared in prepare_drafts(note_names(), self.find_target(), sandbox):
                if max(documents, len(digests)) >= MOST_DOCUMENTS or chunks >= MOST_CHUNKS:
                    is_all = False
                    break
                self._prepared.append(prepared)
                digests[str(names[prepared.source.name])] = prepared.digest
                documents += len(prepared.drafts)
                chunks += sum(len(drafted.chunks) for drafted in prepared.drafts)
        tried = Tried(
            digests={pk: digest for pk, digest in digests.items() if digest},
            failed=frozenset(pk for pk, digest in digests.items() if not digest),
            is_all=is_all,
        )
        effect = {**self._count_effect(), "unread": len(tried.failed), "untried": self.count_waiting() - len(digests)}
        self._check.change = {**tried.as_json(), _EFFECT: effect}
        ChangeCheck.objects.filter(pk=self._check.pk).update(change=self._check.change)

    def enter(self) -> None:
        """Write the documents, and let their readers read them."""
        target = self.find_target()
        written = [(prepared, [replace(drafted) for drafted in prepared.drafts]) for prepared in self._prepared]
        drafts = list(chain.from_iterable(copies for _, copies in written))
        for start in range(0, len(drafts), _AT_ONCE):
            write(drafts[start : start + _AT_ONCE], target)
            if is_waited_for():
                raise OperationalError("another session waits for what is held")  # it goes first
        self.open_to_readers(written)
        self._replaced |= {one.document.pk for one in drafts if one.document is not None and one.was_replaced}

    def list_touched(self) -> frozenset[UUID]:
        """Return the documents that are there already of what was loaded."""
        return frozenset(self._find_earlier().values())

    def prefer(self, asked: Sequence[Query], cited: set[UUID]) -> Sequence[Query]:
        """Return first the questions that were answered by words that a document has no more, then those nearest.

        Before the nearest come the others that were answered from a document with a new text. A new text can crowd out
        what answered a question before, or answer it otherwise.
        """
        drafts = chain.from_iterable(prepared.drafts for prepared in self._prepared)
        vectors = [one.embeddings for one in drafts if one.embeddings is not None and len(one.embeddings)]
        near, lost = measure_nearness(asked, vectors), self._find_lost(cited)
        return sorted(asked, key=lambda query: (query.pk not in lost, query.pk not in cited, -near[query.pk]))

    def _find_earlier(self) -> dict[str, UUID]:
        """Return the documents that are there already of what was loaded, by their sources."""
        target = self.find_target()
        keys = [drafted.source for prepared in self._prepared for drafted in prepared.drafts]
        place = Q(collection=target.collection) if target.data_source is None else Q(data_source=target.data_source)
        return dict(Document.objects.filter(place, source__in=keys).values_list("source", "pk"))

    def _find_lost(self, cited: set[UUID]) -> set[UUID]:
        """Return the questions of whose quotes one is not in the new text of its document. No word leaves this."""
        earlier, texts = self._find_earlier(), dict[UUID, str]()
        for drafted in chain.from_iterable(prepared.drafts for prepared in self._prepared):
            if drafted.source in earlier:
                texts[earlier[drafted.source]] = _join_words(
                    " ".join(mask_words(one.content) for one in drafted.chunks)
                )
        quotes = CitationWords.objects.filter(citation__answer__query__in=cited, citation__document__in=texts)
        with bypass_row_security():
            rows = list(quotes.values_list("citation__answer__query", "citation__document", "quoted_excerpt"))
        return {query for query, document, quote in rows if _join_words(quote) not in texts[document]}

    def list_replaced(self) -> frozenset[UUID]:
        """Return the documents that get another text, and their parts: what was in one may be in another."""
        parts = Document.objects.filter(part_of__in=self._replaced).values_list("pk", flat=True)
        return frozenset(self._replaced.union(parts))

    def count_documents(self) -> int:
        """Return how many documents are new or get another text, of those that were tried."""
        effect = self.measure_effect()
        return effect.get("new", 0) + effect.get("replaced", 0)

    def measure_effect(self) -> Mapping[str, int]:
        """Count what is new, replaced, left as it is, could not be read, and was not tried."""
        effect: dict[str, int] = self._check.change.get(_EFFECT, {})
        return effect

    def _count_effect(self) -> dict[str, Any]:
        counts = Counter(
            "new" if drafted.is_new else "as_before" if drafted.is_unchanged else "replaced"
            for prepared in self._prepared
            for drafted in prepared.drafts
        )
        return {kind: counts[kind] for kind in ("new", "replaced", "as_before")}


def _join_words(text: str) -> str:
    """Return the words of a text with one space between them."""
    return " ".join(text.split())
