"""List sections of documents, restrict who reads them, and decide where none could be recognised. `core.api` has it.

Only for who decides who reads documents (core.decide_who_reads): everybody else is told that there is nothing, so with
NotFoundError for what does not exist. Each change is in the audit trail, by ids and numbers.
"""

from collections.abc import Collection, Iterable
from uuid import UUID

from core.access.audiences import may_decide_who_reads
from core.errors import InvalidFilterError, NotFoundError
from core.infrastructure.database_errors import translate_database_errors
from core.models import User
from core.values.sections import (
    Decision,
    RestrictedList,
    RulePreview,
    RuleView,
    SectionKind,
    SectionState,
    SectionView,
    UndecidedPart,
)


def may_decide_sections(user: User) -> bool:
    """Return True if a user may see and change who reads sections."""
    return user.is_active and may_decide_who_reads(user)


@translate_database_errors()
def list_sections(document_id: UUID, *, by: User) -> tuple[SectionView, ...]:
    """List the sections of a whole document in their order, restricted ones among them, with their readers."""
    _require(by)
    from core.library.ingestion.formats import FileKind
    from core.library.sections import listing

    workbooks = (*FileKind.XLSX.value.endings, *FileKind.ODS.value.endings)
    return listing.list_sections(document_id, workbooks=workbooks)


@translate_database_errors()
def list_section_rules(
    *, by: User, document_id: UUID | None = None, collection_id: UUID | None = None
) -> tuple[RuleView, ...]:
    """List the rules of a document, those of its collection among them; of a collection; or, of neither, all."""
    _require(by)
    from core.library.sections import listing

    return listing.list_rules(document_id=document_id, collection_id=collection_id)


@translate_database_errors()
def list_undecided_parts(*, by: User) -> tuple[UndecidedPart, ...]:
    """List what is restricted because no section could be recognised, until an administrator decides."""
    _require(by)
    from core.library.sections import listing

    return listing.list_undecided()


@translate_database_errors()
def list_restricted_sections(
    *,
    by: User,
    document_ids: Collection[UUID] | None = None,
    collection_id: UUID | None = None,
    role_id: UUID | None = None,
    state: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> RestrictedList:
    """List what is restricted in any document, or of some documents, a collection, a reader or a state.

    What is to be decided comes first. InvalidFilterError for a state that nothing restricted has.
    """
    _require(by)
    from core.library.sections import restricted

    if state not in ("", SectionState.RECOGNISED, SectionState.UNRECOGNISED):
        raise InvalidFilterError("Restricted sections are recognised or unrecognised.")
    return restricted.list_restricted(
        document_ids=document_ids,
        collection_id=collection_id,
        role_id=role_id,
        state=state,
        limit=limit,
        offset=offset,
    )


@translate_database_errors()
def preview_rule(
    kind: str,
    pattern: str,
    *,
    by: User,
    roles: Iterable[UUID] = (),
    document_id: UUID | None = None,
    collection_id: UUID | None = None,
) -> RulePreview:
    """Return what a rule would restrict, in one document or a collection, and for whom. Changes nothing.

    InvalidFilterError for a pattern that names nothing, or one with an unknown kind.
    """
    _require(by)
    from core.library.sections import previewing

    return previewing.preview(
        _read_kind(kind), pattern, frozenset(roles), by=by, document_id=document_id, collection_id=collection_id
    )


@translate_database_errors()
def restrict_section(document_id: UUID, kind: str, pattern: str, roles: Iterable[UUID], *, by: User) -> UUID:
    """Let only these roles read the sections of one document that a pattern names, at once. Returns the rule.

    A rule for the same pattern that is there gets these roles. InvalidFilterError where nothing matches.
    """
    _require(by)
    from core.library.sections import deciding

    return deciding.restrict_section(document_id, _read_kind(kind), pattern, frozenset(roles), by=by)


@translate_database_errors()
def add_rule(collection_id: UUID, kind: str, pattern: str, roles: Iterable[UUID], *, by: User) -> UUID:
    """Let only these roles read the sections that a pattern names in any document of a collection. Returns the rule.

    It holds for all that is ingested from now on. The worker splits the documents that are there; `RuleView.waiting`
    counts those which are still open.
    """
    _require(by)
    from core.library.sections import deciding

    return deciding.add_rule(collection_id, _read_kind(kind), pattern, frozenset(roles), by=by)


@translate_database_errors()
def change_rule(rule_id: UUID, roles: Iterable[UUID], *, by: User) -> None:
    """Give a rule other roles, at once. Whom that closes sections to is not shown quotes of earlier editions either."""
    _require(by)
    from core.library.sections import deciding

    deciding.change_rule(rule_id, frozenset(roles), by=by)


@translate_database_errors()
def remove_rule(rule_id: UUID, *, by: User) -> None:
    """Remove a rule: its sections are for all readers of their document again, but for what other rules say.

    For one document at once; the worker does so for a collection's, whose sections stay restricted until then.
    """
    _require(by)
    from core.library.sections import deciding

    deciding.remove_rule(rule_id, by=by)


@translate_database_errors()
def decide_unrecognised(
    part_id: UUID, decision: str, *, by: User, kind: str = SectionKind.HEADING, pattern: str = ""
) -> None:
    """Decide about a part of which the section could not be recognised.

    kind, pattern: for Decision.SECTION, what the section is called now. InvalidFilterError where nothing matches them.
    """
    _require(by)
    from core.library.sections import deciding

    deciding.decide_unrecognised(part_id, _read_decision(decision), _read_kind(kind), pattern, by=by)


def _require(by: User) -> None:
    if not may_decide_sections(by):
        raise NotFoundError


def _read_kind(kind: str) -> SectionKind:
    try:
        return SectionKind(kind)
    except ValueError:
        raise InvalidFilterError(f"A rule for sections is one of {', '.join(SectionKind)}.") from None


def _read_decision(decision: str) -> Decision:
    try:
        return Decision(decision)
    except ValueError:
        raise InvalidFilterError(f"A decision about a section is one of {', '.join(Decision)}.") from None
