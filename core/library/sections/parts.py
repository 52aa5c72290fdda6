"""The parts of a document as they are stored: read, made, noted and given up. The caller holds the document's row."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from core.library.sections.matching import Partition, Piece, Rule, RuleSet, digest_name, name_section
from core.models import (
    AuditEvent,
    Chunk,
    Citation,
    Document,
    RoleDocumentAccess,
    SectionPart,
    SectionRule,
    SectionRuleRole,
    User,
    VerifiedSource,
    WithdrawnGrant,
)
from core.models.masking import read_unmasked
from core.models.section_rules import MOST_NAMES
from core.values.sections import SectionKind

_LONGEST_TITLE = 500  # characters, the column's length
_OPEN: RuleSet = frozenset()
# What sections are matched by, as it is kept: a masked text differs from that of a new file, which has its secrets.
MATCHED = ("chapter_name", "section_title", "content")
State = SectionPart.State


@dataclass(slots=True)
class Parted:
    """Holds a document with its rules and parts as they are before a change."""

    document: Document
    rules: list[Rule]
    roles: dict[UUID, frozenset[UUID]]  # by rule
    parts: dict[UUID, tuple[RuleSet, SectionPart]]  # by the part's document
    made: dict[RuleSet, UUID] = field(default_factory=dict)  # the parts that hold the new arrangement

    @property
    def sets(self) -> set[RuleSet]:
        """Return the sets of rules that there is a part for."""
        return {rules for rules, _ in self.parts.values() if rules}

    def rules_of(self, document_id: UUID) -> RuleSet:
        """Return the rules of a part; none for the document itself."""
        return self.parts[document_id][0] if document_id in self.parts else _OPEN

    def lose_by(self, before: RuleSet, after: RuleSet) -> Callable[[UUID], bool]:
        """Build a function that tests if a role read a section under some rules and does not under others."""
        return lambda role: self._names(before, role) and not self._names(after, role)

    def _names(self, rules: RuleSet, role: UUID) -> bool:
        return all(role in self.roles.get(rule, ()) for rule in rules)


def read_parts(document: Document) -> Parted:
    """Read the rules and parts of a whole document.

    A rule of another collection that has parted the document becomes a rule of its own: it was moved from there.
    """
    noted = list(SectionPart.objects.filter(part__part_of=document).select_related("part").prefetch_related("rules"))
    for one in noted:
        for rule in one.rules.all():
            if rule.collection_id not in (None, document.collection_id):
                _adopt(one, rule, document)
    parts = {one.part_id: (frozenset(one.rules.values_list("pk", flat=True)), one) for one in noted}
    rows = list(SectionRule.objects.filter(Q(document=document) | Q(collection=document.collection_id)))
    roles: defaultdict[UUID, set[UUID]] = defaultdict(set)
    if rows:
        for rule_id, role in SectionRuleRole.objects.filter(rule__in=rows).values_list("rule_id", "role_id"):
            roles[rule_id].add(role)
    return Parted(
        document=document,
        rules=[Rule(rule_id=row.pk, kind=SectionKind(row.kind), pattern=row.pattern) for row in rows],
        roles={rule_id: frozenset(held) for rule_id, held in roles.items()},
        parts=parts,
    )


def list_rows(document: Document) -> list[UUID]:
    """Return the document and its parts, by their ids."""
    return [document.pk, *document.parts.values_list("pk", flat=True)]


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPassage:
    """Holds a passage of a document or of a part, with its words as they are kept: to compare, never to show."""

    pk: UUID
    document_id: UUID
    chunk_index: int
    piece: Piece

    @property
    def digest(self) -> str:
        """Return the name of its section as it is kept."""
        return digest_name(self.piece.chapter, self.piece.section)


def list_chunks(document: Document) -> list[StoredPassage]:
    """Return the passages of a document and of its parts, in the order of its text."""
    chunks = Chunk.objects.filter(document__in=list_rows(document)).order_by("start_offset", "chunk_index")
    rows = chunks.values_list("pk", "document_id", "chunk_index", *map(read_unmasked, MATCHED))
    return [
        StoredPassage(
            pk=pk,
            document_id=own,
            chunk_index=index,
            piece=Piece(chapter=chapter, section=section, content=content),
        )
        for pk, own, index, chapter, section, content in rows
    ]


def make_parts(parted: Parted, rules: Collection[RuleSet]) -> dict[RuleSet, UUID]:
    """Return the document that holds the passages for each set of rules, made where there is none yet."""
    holders: dict[RuleSet, UUID] = {_OPEN: parted.document.pk}
    for pk, (own, _) in parted.parts.items():
        if own in rules:
            holders.setdefault(own, pk)
    for wanted in sorted(set(rules) - holders.keys(), key=sorted):
        part = Document.objects.create(
            part_of=parted.document,
            collection_id=parted.document.collection_id,
            title=f"{parted.document.title}: "[:_LONGEST_TITLE],
            content_hash=parted.document.content_hash,
            ingested_at=parted.document.ingested_at or timezone.now(),
        )
        noted = SectionPart.objects.create(part=part)
        noted.rules.set(SectionRule.objects.filter(pk__in=wanted))
        parted.parts[part.pk] = (wanted, noted)
        holders[wanted] = part.pk
    parted.made = holders
    return holders


def note_parts(parted: Parted, pieces: Sequence[Piece], placed: Partition, *, is_new_text: bool) -> None:
    """Note what each part holds now and whether it is to be decided, and give up those that hold nothing."""
    document = parted.document
    names: dict[RuleSet, list[str]] = {}
    flagged: defaultdict[RuleSet, set[str]] = defaultdict(set)
    counts: defaultdict[RuleSet, int] = defaultdict(int)
    for piece, rules in zip(pieces, placed.rules, strict=True):
        counts[rules] += 1
        flagged[rules] |= {digest_name(piece.chapter, piece.section)} & placed.flagged
        name = name_section(piece.chapter, piece.section)
        if name and name not in names.setdefault(rules, []):
            names[rules].append(name)
    for rules, pk in parted.made.items():
        if rules == _OPEN:
            continue
        noted = parted.parts[pk][1]
        noted.names = names.get(rules, [])[:MOST_NAMES]
        noted.state = State.UNRECOGNISED if rules in placed.undecided else State.RECOGNISED
        noted.is_all = placed.is_all
        noted.flagged = sorted(flagged[rules])
        noted.save(update_fields=["names", "state", "is_all", "flagged", "opened", "since", "decided_at"])
        changed: dict[str, Any] = {"ingested_at": document.ingested_at} if is_new_text else {}
        title = f"{document.title}: {', '.join(noted.names)}"[:_LONGEST_TITLE]
        Document.objects.filter(pk=pk).update(title=title, chunk_count=counts[rules], **changed)
    _give_up([pk for pk in parted.parts if pk not in parted.made.values()], parted)


def close_earlier(parted: Parted, roles: Collection[UUID]) -> None:
    """Close the editions before the current one to some roles, which do not read all of them any more."""
    for model in (RoleDocumentAccess, WithdrawnGrant):
        model.objects.filter(document=parted.document, role__in=roles).update(since_version=parted.document.version)


def admit_from_now(noted: SectionPart, roles: Collection[UUID]) -> None:
    """Let roles that a part's rules are about to name read it from its current edition on, and no earlier one."""
    held = set(RoleDocumentAccess.objects.filter(document=noted.part).values_list("role_id", flat=True))
    noted.since |= {str(role): noted.part.version for role in roles if role not in held}
    noted.save(update_fields=["since"])


def list_granted(document: Document) -> set[UUID]:
    """Return the roles with a grant of a document, and those whose grants are put aside while it is withdrawn."""
    return {
        role
        for model in (RoleDocumentAccess, WithdrawnGrant)
        for role in model.objects.filter(document=document).values_list("role_id", flat=True)
    }


def write_audit(parted: Parted, by: User | None, *, closed_to: Collection[UUID]) -> None:
    """Leave a row in the audit trail: which parts there are now, and for whom earlier editions are closed."""
    parts = {rules: pk for rules, pk in parted.made.items() if rules}
    AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.SPLIT_SECTIONS,
        object_type="document",
        object_id=str(parted.document.pk),
        details={
            "version": parted.document.version,
            "parts": sorted(str(pk) for pk in parts.values()),
            "rules": sorted({str(rule) for rules in parts for rule in rules}),
            "closed_to": sorted(str(role) for role in closed_to),
        },
    )


def _give_up(unused: Collection[UUID], parted: Parted) -> None:
    """Delete parts that hold nothing. One that answers cite is left without rules, and read by nobody."""
    for pk in unused:
        noted = parted.parts.pop(pk)[1]
        noted.rules.clear()
        cited = Citation.objects.filter(document=pk).exists() or VerifiedSource.objects.filter(document=pk).exists()
        if cited:
            Document.objects.filter(pk=pk).update(chunk_count=0)
            SectionPart.objects.filter(pk=noted.pk).update(names=[], state=State.RECOGNISED, is_all=False)
        else:
            Document.objects.filter(pk=pk).delete()


def _adopt(noted: SectionPart, rule: SectionRule, document: Document) -> None:
    """Let a rule of a collection that a document has left hold for the document alone."""
    own, is_new = SectionRule.objects.get_or_create(
        document=document, kind=rule.kind, pattern=rule.pattern, defaults={"created_by": rule.created_by}
    )
    if is_new:
        own.roles.set(rule.roles.all())
    else:
        SectionRuleRole.objects.filter(rule=own).exclude(role__in=rule.roles.all()).delete()
    noted.rules.add(own)
    noted.rules.remove(rule)
