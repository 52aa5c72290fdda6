"""Preview a rule: what it would restrict, and for whom."""

from uuid import UUID

from core.values.sections import RulePreview, SectionKind


def preview(
    kind: SectionKind,
    pattern: str,
    roles: frozenset[UUID],
    *,
    document_id: UUID | None = None,
    collection_id: UUID | None = None,
) -> RulePreview:
    """Return what a rule would restrict. Changes nothing."""
    raise NotImplementedError
