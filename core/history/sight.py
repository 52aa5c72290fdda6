"""What one audience may see of some earlier results: the rule of access, asked once for all of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from core.access.audiences import readable_among, within_roles_among
from core.filters import filters_from_json
from core.models import Answer, Citation, Query
from core.retrieval.catalogue import Catalogue
from core.types import Audience, ContextMode, Filters


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """Who looks, and what of these results they may read now."""

    audience: Audience
    viewer: UUID | None  # the one person who looks, where there is one
    readable: frozenset[UUID]  # documents
    held: frozenset[Filters]  # those that leave something that the audience may read
    within_roles: frozenset[UUID]  # verified answers that are not narrowed to roles that the audience lacks

    @classmethod
    def of(cls, rows: Sequence[Answer], *, audience: Audience, viewer: UUID | None) -> "Sight":
        """What is needed for these rows, in as many queries for many as for one."""
        readable = readable_among(_list_documents(rows), audience)
        in_corpus = [row.query for row in rows if row.query.context_mode != ContextMode.SELECTED_TEXT]
        understood = {_read_applied(query) for query in in_corpus} - {filters_from_json(q.filters) for q in in_corpus}
        held = Catalogue(audience).list_held(understood)
        return cls(
            audience=audience,
            viewer=viewer,
            readable=frozenset(readable),
            held=frozenset(held),
            within_roles=frozenset(within_roles_among((row.verified_answer_id for row in rows), audience)),
        )

    def list_visible(self, row: Answer) -> list[Citation]:
        """The citations that may be shown. Those of selected text point into no document: they are its asker's."""
        citations = list(row.citations.all())
        if row.query.context_mode == ContextMode.SELECTED_TEXT:
            return citations if self._is_asker(row.query) else []
        if row.verified_answer_id is not None and row.verified_answer_id not in self.within_roles:
            return []
        return [citation for citation in citations if citation.document_id in self.readable]

    def is_wording_readable(self, query: Query) -> bool:
        """Whether what was made of a question may be shown: the words in which it stood alone, and what was asked back.

        They may be words of documents, which the audience must all be able to read, or of a selected text, which is its
        asker's alone.
        """
        if query.context_mode == ContextMode.SELECTED_TEXT:
            return self._is_asker(query)
        return self.readable.issuperset(query.named_documents)

    def find_applied_filters(self, query: Query) -> Filters:
        """The filters as they were applied; those given alone, where they would not be applied for this audience."""
        given = filters_from_json(query.filters)
        if query.context_mode == ContextMode.SELECTED_TEXT:
            return Filters(max_results=given.max_results)
        applied = _read_applied(query)
        return applied if applied == given or applied in self.held else given

    def _is_asker(self, query: Query) -> bool:
        return self.viewer is not None and self.viewer == query.user_id


def _list_documents(rows: Iterable[Answer]) -> set[UUID | None]:
    """The documents that these results cite, or name in the question that was made of them."""
    named = {document for row in rows for document in row.query.named_documents}
    return named | {citation.document_id for row in rows for citation in row.citations.all()}


def _read_applied(query: Query) -> Filters:
    return filters_from_json(query.applied_filters or query.filters)
