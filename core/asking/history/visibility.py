"""Limit stored results to what one audience may see: the rule of access, asked once for all of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from core.access.audiences import readable_editions, within_roles_among
from core.filters import filters_from_json
from core.library.retrieval.catalogue import Catalogue
from core.models import Answer, Citation, CitationWords, Query
from core.models.conversations import make_openable
from core.models.row_security import showing_quotes_to
from core.types import Audience, ContextMode, Edition, Filters
from core.types import Citation as CitationValue


@dataclass(frozen=True, kw_only=True, slots=True)
class Visibility:
    """One viewer's access to a set of stored results."""

    audience: Audience
    viewer: UUID | None  # the one person who looks, where there is one
    readable: frozenset[Edition]
    held: frozenset[Filters]  # those that leave something that the audience may read
    within_roles: frozenset[UUID]  # verified answers that are not narrowed to roles that the audience lacks
    words: Mapping[UUID, CitationWords]  # by citation

    @classmethod
    def of(cls, rows: Sequence[Answer], *, audience: Audience, viewer: UUID | None) -> "Visibility":
        """Read what is needed for these rows, in as many queries for many as for one."""
        named = {edition for row in rows for edition in (*row.query.named_editions, *list_cited(row))}
        readable = readable_editions(named, audience)
        in_corpus = [row.query for row in rows if row.query.context_mode != ContextMode.SELECTED_TEXT]
        understood = {_read_applied(query) for query in in_corpus} - {filters_from_json(q.filters) for q in in_corpus}
        held = Catalogue(audience).list_held(understood)
        citations = [one.pk for row in rows for one in row.citations.all()]
        words: Mapping[UUID, CitationWords] = {}
        if citations:
            # The database judges once more: it gives no words that the audience may not read.
            with showing_quotes_to(audience):
                words = CitationWords.objects.in_bulk(citations)
        return cls(
            audience=audience,
            viewer=viewer,
            readable=frozenset(readable),
            held=frozenset(held),
            within_roles=frozenset(within_roles_among((row.verified_answer_id for row in rows), audience)),
            words=words,
        )

    def list_visible(self, row: Answer) -> list[CitationValue]:
        """Return the citations that may be shown. Those of a selected text, which is no document, are its asker's."""
        if row.verified_answer_id is not None and row.verified_answer_id not in self.within_roles:
            return []
        is_selection = row.query.context_mode == ContextMode.SELECTED_TEXT
        return [
            make_openable(self.words[one.pk].as_value(one), one.pk)
            for one in row.citations.all()
            if one.pk in self.words and (self._is_asker(row.query) if is_selection else one.edition in self.readable)
        ]

    def is_wording_readable(self, query: Query) -> bool:
        """Return True if what was made of a question may be shown: its words on their own, and what was asked back.

        They may be words of documents, which the audience must all be able to read, or of a selected text, which is its
        asker's alone.
        """
        if query.context_mode == ContextMode.SELECTED_TEXT:
            return self._is_asker(query)
        return self.readable.issuperset(query.named_editions)

    def find_applied_filters(self, query: Query) -> Filters:
        """Return the filters as they were applied, or the given ones where this audience would have had no others."""
        given = filters_from_json(query.filters)
        if query.context_mode == ContextMode.SELECTED_TEXT:
            return Filters(max_results=given.max_results)
        applied = _read_applied(query)
        return applied if applied == given or applied in self.held else given

    def _is_asker(self, query: Query) -> bool:
        return self.viewer is not None and self.viewer == query.user_id


def list_cited(row: Answer) -> list[Edition | None]:
    """Return the editions that a result cites; None for each citation whose document is gone."""
    citations: Iterable[Citation] = row.citations.all()
    return [citation.edition for citation in citations]


def _read_applied(query: Query) -> Filters:
    return filters_from_json(query.applied_filters or query.filters)
