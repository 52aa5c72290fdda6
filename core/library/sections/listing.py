"""List sections, rules and what is to be decided, for who decides who reads."""

from uuid import UUID

from core.values.sections import RuleView, SectionView, UndecidedPart


def list_sections(document_id: UUID) -> tuple[SectionView, ...]:
    """List the sections of a whole document in their order, restricted ones among them."""
    raise NotImplementedError


def list_rules(*, document_id: UUID | None = None, collection_id: UUID | None = None) -> tuple[RuleView, ...]:
    """List rules: of a document with those of its collection, of a collection, or all."""
    raise NotImplementedError


def list_undecided() -> tuple[UndecidedPart, ...]:
    """List the parts that are to be decided."""
    raise NotImplementedError
