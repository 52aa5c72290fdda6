"""Make, change and remove rules, and decide where no section was recognised: each with its row in the audit trail."""

from uuid import UUID

from core.models import User
from core.values.sections import Decision, SectionKind


def restrict_section(document_id: UUID, kind: SectionKind, pattern: str, roles: frozenset[UUID], *, by: User) -> UUID:
    """Make or change a rule of one document, and split it."""
    raise NotImplementedError


def add_rule(collection_id: UUID, kind: SectionKind, pattern: str, roles: frozenset[UUID], *, by: User) -> UUID:
    """Make a rule of a collection, and have its documents split."""
    raise NotImplementedError


def change_rule(rule_id: UUID, roles: frozenset[UUID], *, by: User) -> None:
    """Give a rule other roles."""
    raise NotImplementedError


def remove_rule(rule_id: UUID, *, by: User) -> None:
    """Remove a rule, and put its sections back."""
    raise NotImplementedError


def decide_unrecognised(part_id: UUID, decision: Decision, kind: SectionKind, pattern: str, *, by: User) -> None:
    """Decide about a part of which the section could not be recognised."""
    raise NotImplementedError
