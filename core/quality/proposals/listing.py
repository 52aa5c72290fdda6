"""List proposals for a viewer: those of documents that they may read, and what concerns no document of the library."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from core.library.contradictions.listing import select_visible as select_visible_pairs
from core.library.sync.proposing import EDITS_FILES
from core.models import Document, LateAnswer, ProposalWords, ProposedChange, User
from core.models.row_security import bypass_row_security
from core.quality.proposals.rights import PROPOSE, may_propose, may_see_gaps
from core.types import Audience
from core.values.proposals import ChangeWay, ListedProposal, ProposalList, ProposalState

_OF_SOURCES = ("core.view_datasource", "core.view_syncitem")  # names at sources are shown to these anyway


def select_visible(viewer: User, audience: Audience) -> "QuerySet[ProposedChange]":
    """Return the proposals that a viewer may see.

    Those of a document that they may read whole, and their own that add to one of which they may read a part; those of
    a new document where they wrote it, or see what is at sources. Of a document that came of it, they have to be a
    reader.
    """
    if not may_propose(viewer):
        return ProposedChange.objects.none()
    readable = Document.objects.readable_in_full_by(audience)
    came = Document.objects.filter(data_source=OuterRef("source"), sync_item__key=OuterRef("item_key"))
    is_new = Q(document=None) & (Q(item_key="") | ~Exists(came) | Exists(came.filter(pk__in=readable.values("pk"))))
    if not viewer.has_perms(_OF_SOURCES):
        is_new &= Q(proposed_by=viewer)
    visible = Document.objects.visible_to(audience)
    own = Q(proposed_by=viewer, document__in=visible.values("pk")) & ~Q(way__in=EDITS_FILES)  # no text of the file
    return ProposedChange.objects.filter(Q(document__in=readable.values("pk")) | own | is_new)


def may_decide(viewer: User, row: ProposedChange) -> bool:
    """Return True if a viewer who may see a proposal may say how it ends: its author, or who looks after gaps."""
    return viewer.has_perm(PROPOSE) and (row.proposed_by_id == viewer.pk or viewer.has_perm("core.manage_gaps"))


def list_proposals(
    viewer: User,
    audience: Audience,
    *,
    states: Sequence[str] = (),
    gap: UUID | None = None,
    contradiction: UUID | None = None,
    ids: Sequence[UUID] = (),
    limit: int = 20,
    offset: int = 0,
) -> ProposalList:
    """List the proposals that a viewer may see, the last made first. states, gap, contradiction, ids: only such."""
    visible = select_visible(viewer, audience)
    rows = visible
    for name, value in (("gap", gap), ("contradiction", contradiction)):
        if value:
            rows = rows.filter(**{name: value})
    if states:
        rows = rows.filter(state__in=states)
    if ids:
        rows = rows.filter(pk__in=ids)
    has_answer, is_beside = Q(late_answers__asked_again__isnull=False), Q(late_answers__is_beside=True)
    found = rows.select_related("document", "source", "recipient", "proposed_by").annotate(
        answered=Count("late_answers", filter=has_answer & ~is_beside),
        told=Count("late_answers", filter=Q(late_answers__state=LateAnswer.State.TOLD) & ~is_beside),
        others=Count("late_answers", filter=has_answer & is_beside),
    )
    page = list(found.order_by("-created_at", "pk")[offset : offset + limit])
    states_of = Counter(visible.order_by().values_list("state", flat=True))
    return ProposalList(
        rows=tuple(_describe(page, viewer, audience)),
        total=rows.count(),
        by_state={state.value: states_of[state.value] for state in ProposalState},
    )


def _describe(rows: Sequence[ProposedChange], viewer: User, audience: Audience) -> list[ListedProposal]:
    pairs = {row.contradiction_id for row in rows if row.contradiction_id}
    pairs &= set(select_visible_pairs(viewer, audience).filter(pk__in=pairs).values_list("pk", flat=True))
    own = [row.pk for row in rows if row.proposed_by_id == viewer.pk and row.state == ProposalState.FAILED]
    with bypass_row_security():
        kept = set(ProposalWords.objects.filter(proposal__in=own).values_list("proposal_id", flat=True))
    sees_gaps = may_see_gaps(viewer)
    return [
        ListedProposal(
            proposal_id=row.pk,
            state=ProposalState(row.state),
            way=ChangeWay(row.way),
            gap_id=row.gap_id if sees_gaps else None,
            contradiction_id=row.contradiction_id if row.contradiction_id in pairs else None,
            document_id=row.document_id,
            document_name=row.document.title if row.document else "",
            source_name=row.source.name if row.source else "",
            place=row.place,
            branch=row.branch,
            url=row.url,
            recipient=row.recipient.name_without_address if row.recipient else "",
            error=row.error,
            people=row.people,
            answered=row.answered,  # type: ignore[attr-defined]  # annotated
            told=row.told,  # type: ignore[attr-defined]
            others=row.others,  # type: ignore[attr-defined]
            proposed_by=row.proposed_by.name_without_address if row.proposed_by else "",
            is_own=row.proposed_by_id == viewer.pk,
            created_at=row.created_at,
            sent_at=row.sent_at,
            merged_at=row.merged_at,
            ended_at=row.ended_at,
            may_decide=may_decide(viewer, row),
            may_write_again=row.pk in kept,
        )
        for row in rows
    ]
