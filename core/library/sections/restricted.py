"""List what is restricted now: document by document, with its readers and rules, for who decides who reads."""

import uuid
from collections.abc import Collection

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Value, When

from core.library.sections.listing import list_readers
from core.models import RoleDocumentAccess, SectionPart, SectionRule
from core.models.masking import mask_words
from core.values.sections import NamedRole, RestrictedList, RestrictedPart, RuleName, SectionKind, SectionState


def list_restricted(
    *,
    document_ids: Collection[uuid.UUID] | None = None,
    collection_id: uuid.UUID | None = None,
    role_id: uuid.UUID | None = None,
    state: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> RestrictedList:
    """List the parts of documents that hold restricted sections, those to be decided first. Five queries."""
    found = select_restricted().annotate(
        order=Case(When(state=SectionPart.State.UNRECOGNISED, then=Value(0)), default=Value(1))
    )
    if document_ids is not None:
        found = found.filter(part__part_of__in=document_ids)
    if collection_id:
        found = found.filter(part__collection=collection_id)
    if role_id:
        reads = RoleDocumentAccess.objects.in_force().filter(role=role_id, document=OuterRef("part"))
        found = found.filter(Exists(reads))
    if state:
        found = found.filter(state=state)
    rows = found.select_related("part__part_of__collection").prefetch_related("rules")
    rows = rows.order_by("order", "part__collection__name", "part__part_of__title", "part__part_of", "pk")
    shown = list(rows[offset : None if limit is None else offset + limit])
    readers = list_readers(row.part_id for row in shown)
    return RestrictedList(
        total=found.count(), rows=tuple(_describe(row, readers.get(row.part_id, ())) for row in shown)
    )


def select_restricted() -> QuerySet[SectionPart]:
    """Return the parts that restrict something. One whose restriction was lifted may be left, empty and without rules.

    It is there for answers that cite it, and tells nothing.
    """
    return SectionPart.objects.filter(
        Q(part__chunk_count__gt=0) | Exists(SectionRule.objects.filter(parts=OuterRef("pk")))
    )


def count_undecided() -> int:
    """Count the parts that wait for a decision."""
    return select_restricted().filter(state=SectionPart.State.UNRECOGNISED).count()


def _describe(row: SectionPart, readers: tuple[NamedRole, ...]) -> RestrictedPart:
    whole = row.part.part_of
    if whole is None:
        raise TypeError("a part is of a document")
    return RestrictedPart(
        part_id=row.part_id,
        document_id=whole.pk,
        title=whole.title,
        collection_id=whole.collection_id,
        collection=whole.collection.name,
        sections=tuple(map(mask_words, row.names)),
        chunk_count=row.part.chunk_count,
        rules=tuple(
            RuleName(
                rule_id=rule.pk,
                kind=SectionKind(rule.kind),
                pattern=rule.pattern,
                is_of_collection=rule.collection_id is not None,
            )
            for rule in row.rules.all()
        ),
        readers=readers,
        state=SectionState(row.state),
        since=row.part.created_at,
    )
