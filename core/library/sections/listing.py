"""List sections, rules and what is to be decided, for who decides who reads."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby
from uuid import UUID

from django.db.models import Count, Q
from procrastinate.contrib.django.models import ProcrastinateJob

from core.errors import NotFoundError
from core.infrastructure.queue import SPLIT_SECTIONS
from core.library.sections.matching import BELOW, name_section
from core.library.sections.parts import Parted, State, StoredPassage, list_chunks, read_parts
from core.models import Document, RoleDocumentAccess, SectionPart, SectionRule
from core.models.masking import mask_words
from core.models.row_security import bypass_row_security
from core.values.secrets import MASK
from core.values.sections import NamedRole, RuleView, SectionKind, SectionState, SectionView, UndecidedPart

_MASKED = re.compile(f"{MASK}+")  # a pattern says of a secret that anything may be in its place


def list_sections(document_id: UUID, *, workbooks: tuple[str, ...]) -> tuple[SectionView, ...]:
    """List the sections of a whole document in their order, restricted ones among them.

    workbooks: endings of files whose sections are sheets.
    """
    document = Document.objects.whole().filter(pk=document_id).first()
    if document is None:
        raise NotFoundError
    with bypass_row_security():
        parted, chunks = read_parts(document), list_chunks(document)
    readers = list_readers([document.pk, *parted.parts])
    has_sheets = any(name.casefold().endswith(workbooks) for name in (document.original_name, document.source))
    runs = groupby(chunks, key=lambda chunk: (_name_of(chunk, has_sheets=has_sheets), chunk.document_id))
    return tuple(_describe(list(run), name, parted, readers, has_sheets=has_sheets) for (name, _), run in runs)


def list_readers(documents: Iterable[UUID]) -> dict[UUID, tuple[NamedRole, ...]]:
    """Return the roles that read each of some documents now, by name."""
    found: dict[UUID, list[NamedRole]] = {}
    rows = RoleDocumentAccess.objects.in_force().filter(document__in=list(documents)).order_by("role__name")
    for document, role, name in rows.values_list("document_id", "role_id", "role__name"):
        found.setdefault(document, []).append(NamedRole(role_id=role, name=name))
    return {document: tuple(roles) for document, roles in found.items()}


def _name_of(chunk: StoredPassage, *, has_sheets: bool) -> str:
    if has_sheets and chunk.piece.section:
        return mask_words(chunk.piece.section.partition(BELOW)[0])
    return mask_words(name_section(chunk.piece.chapter, chunk.piece.section))


def _describe(
    chunks: list[StoredPassage],
    name: str,
    parted: Parted,
    readers: dict[UUID, tuple[NamedRole, ...]],
    *,
    has_sheets: bool,
) -> SectionView:
    holder = chunks[0].document_id
    rules, noted = parted.parts.get(holder, (frozenset[UUID](), None))
    state = SectionState.OPEN
    if noted is not None:
        digests = {chunk.digest for chunk in chunks}
        is_open = noted.state == State.UNRECOGNISED and (noted.is_all or digests & set(noted.flagged))
        state = SectionState.UNRECOGNISED if is_open else SectionState.RECOGNISED
    is_sheet = has_sheets and bool(chunks[0].piece.section)
    return SectionView(
        name=name,
        kind=SectionKind.SHEET if is_sheet else SectionKind.HEADING,
        pattern=_MASKED.sub("*", name),
        chunk_count=len(chunks),
        rules=tuple(sorted(rules)),
        readers=readers.get(holder, ()),
        state=state,
        part_id=holder if noted is not None else None,
    )


def list_rules(*, document_id: UUID | None = None, collection_id: UUID | None = None) -> tuple[RuleView, ...]:
    """List rules: of a document with those of its collection, of a collection, or all."""
    rows = SectionRule.objects.select_related("document", "collection", "created_by").prefetch_related("roles")
    if document_id is not None:
        rows = rows.filter(Q(document=document_id) | Q(collection__documents=document_id)).distinct()
    if collection_id is not None:
        rows = rows.filter(collection=collection_id)
    rules = list(rows)
    restricted, waiting = _count_restricted(rules), _count_waiting(rules)
    return tuple(_describe_rule(rule, *restricted[rule.pk], waiting[rule.pk]) for rule in rules)


def _count_restricted(rules: list[SectionRule]) -> defaultdict[UUID, tuple[int, int]]:
    """Return in how many documents each rule restricts something, and how many of its parts are to be decided."""
    parts = SectionPart.objects.filter(rules__in=rules, part__chunk_count__gt=0).order_by().values_list("rules")
    open_now = Count("pk", filter=Q(state=State.UNRECOGNISED))
    counted = parts.annotate(documents=Count("part__part_of", distinct=True), undecided=open_now)
    return defaultdict(lambda: (0, 0), {rule: (documents, undecided) for rule, documents, undecided in counted})


def _count_waiting(rules: list[SectionRule]) -> Counter[UUID]:
    """Count the documents that the worker has still to split by each rule."""
    jobs = ProcrastinateJob.objects.filter(
        task_name=SPLIT_SECTIONS, status__in=("todo", "doing"), args__rule__in=[str(rule.pk) for rule in rules]
    )
    counted = jobs.order_by().values_list("args__rule").annotate(n=Count("pk"))
    return Counter({UUID(rule): count for rule, count in counted})


def _describe_rule(rule: SectionRule, documents: int, undecided: int, waiting: int) -> RuleView:
    place = rule.document or rule.collection
    return RuleView(
        rule_id=rule.pk,
        kind=SectionKind(rule.kind),
        pattern=rule.pattern,
        document_id=rule.document_id,
        collection_id=rule.collection_id,
        place=str(place),
        roles=tuple(NamedRole(role_id=role.pk, name=role.name) for role in sorted(rule.roles.all(), key=str)),
        documents=documents,
        undecided=undecided,
        waiting=waiting,
        created_by=rule.created_by.name_without_address if rule.created_by else "",
        created_at=rule.created_at,
    )


def list_undecided() -> tuple[UndecidedPart, ...]:
    """List the parts that are to be decided, by the titles of their documents."""
    rows = SectionPart.objects.filter(state=State.UNRECOGNISED).select_related("part__part_of__collection")
    noted = list(rows.prefetch_related("rules").order_by("part__part_of__title", "pk"))
    readers = list_readers(one.part_id for one in noted)
    return tuple(
        UndecidedPart(
            part_id=one.part_id,
            document_id=one.part.part_of.pk,
            title=one.part.part_of.title,
            collection=one.part.part_of.collection.name,
            sections=tuple(map(mask_words, one.names)),
            is_all=one.is_all,
            rules=tuple(sorted(rule.pk for rule in one.rules.all())),
            readers=readers.get(one.part_id, ()),
        )
        for one in noted
        if one.part.part_of
    )
