"""Make, change and remove rules, and decide where no section was recognised: each with its row in the audit trail."""

from collections.abc import Iterable
from functools import reduce
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.errors import InvalidFilterError, NotFoundError
from core.infrastructure import queue
from core.library.sections.matching import Rule, RuleSet, partition, simplify
from core.library.sections.parts import admit_from_now, list_chunks
from core.library.sections.splitting import Release, split_document
from core.models import AuditEvent, Collection, Document, Role, SectionPart, SectionRule, SectionRuleRole, User
from core.models.row_security import bypass_row_security
from core.values.sections import Decision, SectionKind

LONGEST_PATTERN = 300  # characters, the column's length
_NOTHING_NAMED = "No section of this document is called like that. Look at its sections, and name one of them."


def check_pattern(pattern: str) -> str:
    """Return a pattern as it is stored. InvalidFilterError for one that names nothing, or anything."""
    stored = " ".join(pattern.replace("\0", "").split())
    if not simplify(stored).strip("*"):
        raise InvalidFilterError("Name a heading, a sheet or a label. * stands for anything, but not alone.")
    if len(stored) > LONGEST_PATTERN:
        raise InvalidFilterError(f"A heading, a sheet or a label has at most {LONGEST_PATTERN} characters here.")
    return stored


def restrict_section(document_id: UUID, kind: SectionKind, pattern: str, roles: frozenset[UUID], *, by: User) -> UUID:
    """Make a rule of one document and split it at once, or give the one that is there other roles."""
    pattern = check_pattern(pattern)
    with bypass_row_security():
        document = _lock_document(document_id)
        _require_named(document, kind, pattern)
        there = _find_rule(SectionRule.objects.filter(document=document), kind, pattern)
        if there is not None:
            change_rule(there.pk, roles, by=by)
            return there.pk
        rule = _make_rule(kind, pattern, roles, by, document=document)
        split_document(document.pk, by=by)
    return rule.pk


def add_rule(collection_id: UUID, kind: SectionKind, pattern: str, roles: frozenset[UUID], *, by: User) -> UUID:
    """Make a rule of a collection, and queue that its documents are split; or give the one that is there other roles.

    Whoever writes documents into the collection holds it meanwhile: all that they wrote is found here.
    """
    pattern = check_pattern(pattern)
    with transaction.atomic():
        collection = Collection.objects.select_for_update().filter(pk=collection_id).first()
        if collection is None:
            raise NotFoundError
        there = _find_rule(SectionRule.objects.filter(collection=collection), kind, pattern)
        if there is not None:
            change_rule(there.pk, roles, by=by)
            return there.pk
        rule = _make_rule(kind, pattern, roles, by, collection=collection)
        _split_later(rule.pk, Document.objects.whole().filter(collection=collection).values_list("pk", flat=True))
    return rule.pk


def change_rule(rule_id: UUID, roles: frozenset[UUID], *, by: User) -> None:
    """Give a rule other roles. Those that it names no more have the earlier editions of its documents closed."""
    with transaction.atomic():
        rule = _lock_rule(rule_id)
        wanted = _check_roles(roles)
        held = set(rule.roles.values_list("pk", flat=True))
        if wanted == held:
            return
        parts = list(SectionPart.objects.filter(rules=rule).select_related("part"))
        for noted in parts:
            admit_from_now(noted, wanted - held)
        SectionRuleRole.objects.filter(rule=rule, role__in=held - wanted).delete()
        SectionRuleRole.objects.bulk_create(SectionRuleRole(rule=rule, role_id=role) for role in sorted(wanted - held))
        _write_audit(AuditEvent.Action.RESTRICT_SECTION, rule, by, roles=wanted, before=held)
        if held - wanted:
            for document in _list_wholes(parts):
                split_document(document, by=by, closed_to=frozenset(held - wanted))


def remove_rule(rule_id: UUID, *, by: User) -> None:
    """Remove a rule and put its sections back: at once for one document, by the worker for those of a collection.

    Until then nobody reads them but who reads them by other rules.
    """
    with bypass_row_security():
        rule = _lock_rule(rule_id)
        parts = list(SectionPart.objects.filter(rules=rule).select_related("part"))
        for noted in parts:
            admit_from_now(noted, _list_common_roles(noted.rules.exclude(pk=rule.pk)))
        _write_audit(AuditEvent.Action.OPEN_SECTION, rule, by, roles=(), before=rule.roles.values_list("pk", flat=True))
        rule.delete()
        if rule.document_id is None:
            _split_later(rule_id, _list_wholes(parts))
        for document in _list_wholes(parts) if rule.document_id else ():
            split_document(document, by=by)


def decide_unrecognised(part_id: UUID, decision: Decision, kind: SectionKind, pattern: str, *, by: User) -> None:
    """Decide about a part with a section that could not be recognised. NotFoundError where nothing is to be decided."""
    pattern = check_pattern(pattern) if decision is Decision.SECTION else ""
    with bypass_row_security():
        whole = SectionPart.objects.filter(part=part_id).values_list("part__part_of", flat=True).first()
        document = _lock_document(whole)
        rows = SectionPart.objects.filter(part=part_id, state=SectionPart.State.UNRECOGNISED)
        noted = rows.prefetch_related("rules").first()
        if noted is None:
            raise NotFoundError
        rules = list(noted.rules.all())
        if decision is Decision.KEEP:
            rows.update(state=SectionPart.State.RECOGNISED, flagged=[], decided_at=timezone.now())
        else:
            _replace_rules(document, rules, kind, pattern, by)
            sections = None if noted.is_all else frozenset(noted.flagged)
            named = frozenset(rule.pk for rule in rules)
            split_document(document.pk, by=by, released=Release(rules=named, sections=sections))
            SectionPart.objects.filter(part__part_of=document).update(decided_at=timezone.now())
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.DECIDE_SECTION,
            object_type="document",
            object_id=str(document.pk),
            details={"decision": str(decision), "rules": sorted(str(rule.pk) for rule in rules)},
        )


def _replace_rules(document: Document, rules: list[SectionRule], kind: SectionKind, pattern: str, by: User) -> None:
    """Put a rule for the section that is named, if one is, in the place of those that name nothing any more."""
    names_something = _find_naming(document, rules)
    lost = [rule for rule in rules if rule.pk not in names_something]
    if pattern:
        _require_named(document, kind, pattern)
        if _find_rule(rules, kind, pattern) is None:
            own = _find_rule(SectionRule.objects.filter(document=document), kind, pattern)
            roles = _list_common_roles(lost or rules)
            if own is None:
                _make_rule(kind, pattern, roles, by, document=document)
            else:
                SectionRuleRole.objects.filter(rule=own).exclude(role__in=roles).delete()
    for rule in lost:
        if rule.document_id is not None:
            _write_audit(
                AuditEvent.Action.OPEN_SECTION, rule, by, roles=(), before=rule.roles.values_list("pk", flat=True)
            )
            rule.delete()


def _list_wholes(parts: Iterable[SectionPart]) -> list[UUID]:
    """Return the documents that some parts are of."""
    return sorted({noted.part.part_of_id for noted in parts if noted.part.part_of_id}, key=str)


def _find_naming(document: Document, rules: Iterable[SectionRule]) -> RuleSet:
    """Return those of some rules that name a section of a document as it is now."""
    asked = [Rule(rule_id=rule.pk, kind=SectionKind(rule.kind), pattern=rule.pattern) for rule in rules]
    found = partition([chunk.piece for chunk in list_chunks(document)], asked).rules
    return frozenset[UUID]().union(*found)


def _list_common_roles(rules: Iterable[SectionRule]) -> frozenset[UUID]:
    """Return the roles that all of some rules name."""
    held = [frozenset(rule.roles.values_list("pk", flat=True)) for rule in rules]
    return reduce(frozenset.intersection, held) if held else frozenset()


def _require_named(document: Document, kind: SectionKind, pattern: str) -> None:
    rule = Rule(rule_id=document.pk, kind=kind, pattern=pattern)
    if not any(partition([chunk.piece for chunk in list_chunks(document)], [rule]).rules):
        raise InvalidFilterError(_NOTHING_NAMED)


def _find_rule(rules: Iterable[SectionRule], kind: SectionKind, pattern: str) -> SectionRule | None:
    """Return the rule of a kind for a pattern, written in whatever capitals."""
    same = (rule for rule in rules if rule.kind == kind and simplify(rule.pattern) == simplify(pattern))
    return next(same, None)


def _make_rule(kind: SectionKind, pattern: str, roles: frozenset[UUID], by: User, **place: Any) -> SectionRule:
    wanted = _check_roles(roles)
    rule = SectionRule.objects.create(kind=kind, pattern=pattern, created_by=by, **place)
    SectionRuleRole.objects.bulk_create(SectionRuleRole(rule=rule, role_id=role) for role in sorted(wanted))
    _write_audit(AuditEvent.Action.RESTRICT_SECTION, rule, by, roles=wanted, before=())
    return rule


def _check_roles(roles: frozenset[UUID]) -> set[UUID]:
    """Return the roles. NotFoundError where one is none: it may have been deleted meanwhile."""
    found = set(Role.objects.filter(pk__in=roles).values_list("pk", flat=True))
    if len(found) < len(roles):
        raise NotFoundError
    return found


def _lock_rule(rule_id: UUID) -> SectionRule:
    """Lock a rule and before it its document or collection, as whoever writes documents does."""
    place = SectionRule.objects.filter(pk=rule_id).values_list("document_id", "collection_id").first()
    document, collection = place or (None, None)
    if document is not None:
        Document.objects.select_for_update().filter(pk=document).first()
    if collection is not None:
        Collection.objects.select_for_update().filter(pk=collection).first()
    rule = SectionRule.objects.select_for_update().filter(pk=rule_id).first()
    if rule is None:
        raise NotFoundError
    return rule


def _lock_document(document_id: UUID | None) -> Document:
    rows = Document.objects.whole().select_for_update()
    document = rows.filter(pk=document_id).first() if document_id else None
    if document is None:
        raise NotFoundError
    return document


def _split_later(rule_id: UUID, documents: Iterable[UUID]) -> None:
    for document in sorted(documents, key=str):
        queue.enqueue(queue.SPLIT_SECTIONS, lock=f"sections/{document}", document=str(document), rule=str(rule_id))


def _write_audit(
    action: AuditEvent.Action, rule: SectionRule, by: User, *, roles: Iterable[UUID], before: Iterable[UUID]
) -> None:
    place = "document" if rule.document_id else "collection"
    AuditEvent.objects.create(
        actor=by,
        action=action,
        object_type="sectionrule",
        object_id=str(rule.pk),
        details={
            place: str(rule.document_id or rule.collection_id),
            "kind": rule.kind,
            "roles": sorted(str(role) for role in roles),
            "roles_before": sorted(str(role) for role in before),
        },
    )
