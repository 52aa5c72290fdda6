"""List pairs of documents that contradict each other, and decide about them. Re-exported by `core.api`.

A viewer sees the pairs of which everyone who is shown them may read both documents, and of those all with the
permission, else those that concern a document of their own. Whatever they may not see is counted nowhere.
"""

from collections.abc import Sequence
from uuid import UUID

from core.api.audiences import require_audience
from core.infrastructure.database_errors import translate_database_errors
from core.models import User
from core.types import Audience
from core.values.contradictions import ContradictionList


@translate_database_errors()
def list_contradictions(
    viewer: User,
    *,
    audience: Audience,
    states: Sequence[str] = (),
    collection: UUID | None = None,
    ids: Sequence[UUID] = (),
    limit: int = 20,
    offset: int = 0,
) -> ContradictionList:
    """List the pairs that a viewer may see, the last found first, with their quotes as they stand there now.

    audience: everyone who is shown them, the viewer among them. states, collection, ids: only such; none: all.
    """
    require_audience(audience)
    from core.library.contradictions import listing

    wanted = listing.Wanted(states=tuple(states), collection=collection, ids=tuple(ids))
    return listing.list_contradictions(viewer, audience, wanted, limit=limit, offset=offset)


@translate_database_errors()
def may_see_contradictions(viewer: User) -> bool:
    """Return True if a person may have the list: by a permission, or as an owner of documents. It may be empty."""
    from core.library.contradictions import listing

    return listing.may_see_any(viewer)


@translate_database_errors()
def say_that_one_holds(contradiction_id: UUID, side: str, *, by: User) -> None:
    """Note which of two documents holds: side is "newer" or "older", as the pair has it.

    NotFoundError for what the person may not see, or not decide about, and for what is gone; so with all of these.
    """
    from core.library.contradictions import deciding

    deciding.say_that_one_holds(contradiction_id, side, by=by)


@translate_database_errors()
def say_that_both_hold(contradiction_id: UUID, reason: str, *, by: User) -> None:
    """Note that two documents only seem to contradict each other, and why. NoReasonError without a reason."""
    from core.library.contradictions import deciding

    deciding.say_that_both_hold(contradiction_id, reason, by=by)


@translate_database_errors()
def ask_owner(contradiction_id: UUID, side: str, *, by: User) -> User:
    """Ask the owner of a side's document which holds, and return them. NobodyToAskError where nobody can be asked."""
    from core.library.contradictions import deciding

    return deciding.ask_owner(contradiction_id, side, by=by)


@translate_database_errors()
def open_contradiction_again(contradiction_id: UUID, *, by: User) -> None:
    """Take back what was decided about a pair."""
    from core.library.contradictions import deciding

    deciding.open_again(contradiction_id, by=by)
