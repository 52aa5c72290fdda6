"""Decide who may propose a change for which gap or contradiction. Whatever they may not see is not there for them."""

from dataclasses import dataclass

from core.errors import FootnoteError, NotFoundError
from core.library.contradictions.listing import select_visible
from core.models import ContentGap, SourceContradiction, User
from core.types import Audience
from core.values.proposals import Occasion

PROPOSE = "core.propose_changes"
_SEES_GAPS = ("core.view_gaps", "core.manage_gaps")


class InvalidChangeError(FootnoteError):
    """This change cannot be proposed."""


class DocumentChangedError(FootnoteError):
    """The document has a new edition since you began. Compare your text with it, and propose it again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reason:
    """Holds the gap or contradiction for which somebody proposes a change, once they may."""

    gap: ContentGap | None = None
    pair: SourceContradiction | None = None


def may_propose(user: User) -> bool:
    """Return True if a person may propose changes at all."""
    return user.is_active and user.has_perm(PROPOSE)


def may_see_gaps(user: User) -> bool:
    """Return True if a person may see what others asked in vain."""
    return any(user.has_perm(permission) for permission in _SEES_GAPS)


def find_reason(occasion: Occasion, viewer: User, audience: Audience) -> Reason:
    """Find what a change is for. NotFoundError unless the viewer may see it and may propose changes."""
    if not may_propose(viewer):
        raise NotFoundError
    gap, pair = None, None
    if occasion.gap and may_see_gaps(viewer):
        gap = ContentGap.objects.select_related("label_query").filter(pk=occasion.gap).first()
    elif occasion.contradiction:
        visible = select_visible(viewer, audience).exclude(state=SourceContradiction.State.GONE)
        pair = visible.filter(pk=occasion.contradiction).select_related("newer", "older").first()
    if gap is None and pair is None:
        raise NotFoundError
    return Reason(gap=gap, pair=pair)
