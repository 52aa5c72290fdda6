"""Preview a rule: what it would restrict, and for whom."""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from uuid import UUID

from django.db.models import Count, QuerySet

from core.access.audiences import audience_of
from core.errors import InvalidFilterError, NotFoundError
from core.library.sections.deciding import check_pattern
from core.library.sections.matching import Piece, Rule, name_section, partition
from core.library.sections.parts import MATCHED
from core.models import Chunk, Document, Role, RoleDocumentAccess, User, UserRole
from core.models.masking import mask_words, read_unmasked
from core.models.row_security import bypass_row_security
from core.models.section_rules import MOST_NAMES
from core.values.sections import LosingRole, MatchedDocument, NamedRole, RulePreview, SectionKind

_MOST_DOCUMENTS = 200  # that are named
_AT_ONCE = 200  # documents of which the passages are in memory


def preview(
    kind: SectionKind,
    pattern: str,
    roles: frozenset[UUID],
    *,
    by: User,
    document_id: UUID | None = None,
    collection_id: UUID | None = None,
) -> RulePreview:
    """Return what a rule would restrict, of documents that who asks may see. Changes nothing."""
    rule = Rule(rule_id=UUID(int=0), kind=kind, pattern=check_pattern(pattern))
    documents = _select(by, document_id, collection_id)
    rows = documents.iterator(chunk_size=_AT_ONCE)
    matched = [found for some in iter(lambda: list(islice(rows, _AT_ONCE)), []) for found in _match_all(some, rule)]
    return RulePreview(
        documents=tuple(matched[:_MOST_DOCUMENTS]),
        document_count=len(matched),
        checked=documents.count(),
        section_count=sum(one.section_count for one in matched),
        losing=tuple(_list_losing([one.document_id for one in matched], roles)),
    )


def _select(by: User, document_id: UUID | None, collection_id: UUID | None) -> QuerySet[Document]:
    """Return the documents that a rule is about: those whose titles who asks is shown in the admin."""
    if (document_id is None) == (collection_id is None):
        raise InvalidFilterError("A rule for sections is for one document or one collection.")
    rows = Document.objects.whole().select_related("collection").order_by("title", "pk")
    rows = rows.filter(pk=document_id) if document_id else rows.filter(collection=collection_id)
    if not by.has_perm("core.view_document"):
        rows = rows.visible_to(audience_of([by.pk]))
    if document_id and not rows.exists():
        raise NotFoundError
    return rows


def _match_all(documents: Iterable[Document], rule: Rule) -> Iterator[MatchedDocument]:
    by_id = {document.pk: document for document in documents}
    fields = MATCHED if rule.kind is SectionKind.LABEL else MATCHED[:2]
    wholes = dict.fromkeys(by_id) | dict(Document.objects.filter(part_of__in=by_id).values_list("pk", "part_of"))
    found: dict[UUID, list[Piece]] = {}
    with bypass_row_security():
        rows = (
            Chunk.objects.filter(document__in=list(wholes))
            .order_by("start_offset")
            .values_list("document_id", *map(read_unmasked, fields))
        )
        for own, chapter, section, *content in rows:
            piece = Piece(chapter=chapter, section=section, content=content[0] if content else "")
            found.setdefault(wholes[own] or own, []).append(piece)
    for pk, document in by_id.items():
        pieces = found.get(pk, [])
        named = [piece for piece, rules in zip(pieces, partition(pieces, [rule]).rules, strict=True) if rules]
        names = [mask_words(name) for name, _ in groupby(name_section(one.chapter, one.section) for one in named)]
        if named:
            yield MatchedDocument(
                document_id=pk,
                title=document.title,
                collection=document.collection.name,
                sections=tuple(names[:MOST_NAMES]),
                section_count=len(names),
                chunk_count=len(named),
            )


def _list_losing(documents: list[UUID], roles: frozenset[UUID]) -> list[LosingRole]:
    """Return the roles that read some of the documents, and would not read those sections."""
    grants = RoleDocumentAccess.objects.in_force().filter(document__in=documents).exclude(role__in=roles)
    counted = dict(grants.order_by().values_list("role").annotate(n=Count("pk")))
    named = Role.objects.in_bulk(list(counted))
    reading_on = UserRole.objects.filter(role__in=roles).values("user")
    held = UserRole.objects.filter(role__in=counted, user__is_active=True).exclude(user__in=reading_on)
    people = dict(held.order_by().values_list("role").annotate(n=Count("user", distinct=True)))
    losing = [
        LosingRole(role=NamedRole(role_id=pk, name=named[pk].name), documents=count, people=people.get(pk, 0))
        for pk, count in counted.items()
    ]
    return sorted(losing, key=lambda one: (-one.documents, one.role.name))
