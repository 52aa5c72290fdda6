"""Store a proposal, take it back, send it again, and note what became of it. Each leaves its row in the audit trail."""

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from core.errors import NotFoundError
from core.infrastructure import queue
from core.library.sync.runs import RunGoesOnError, start
from core.models import AuditEvent, ProposalWords, ProposedChange, User
from core.models.row_security import bypass_row_security
from core.quality.proposals.drafting import Goal, check_written, choose_passage
from core.quality.proposals.listing import may_decide, select_visible
from core.quality.proposals.rights import Reason, find_reason
from core.quality.proposals.targets import find_recipient
from core.types import Audience
from core.values.proposals import Occasion, ProposalState, WrittenChange


def propose_change(reason: Reason, goal: Goal, written: WrittenChange, viewer: User, audience: Audience) -> UUID:
    """Store a change, let the worker send it, and return its id; once for its key. Errors as of `check_written`."""
    check_written(written, goal, audience)
    document = goal.document
    nearest = choose_passage(reason, goal, written, viewer, audience)
    item = document.sync_item if document and goal.source else None
    key = written.key
    if key and ProposedChange.objects.filter(pk=key).exclude(proposed_by=viewer).exists():
        key = None  # another's: nothing is told of it
    with transaction.atomic():
        row, is_new = ProposedChange.objects.get_or_create(
            pk=key or uuid4(),
            proposed_by=viewer,
            defaults={
                "gap": reason.gap,
                "contradiction": reason.pair,
                "way": goal.way,
                "document": document,
                "document_version": document.version if document else 0,
                "chunk_id": nearest.chunk_id if nearest else None,
                "quote_start": nearest.start if nearest else 0,
                "quote_end": nearest.end if nearest else 0,
                "source": goal.source,
                "place": "" if document else written.place,
                "base_fingerprint": item.fingerprint if item else "",
                "recipient": None if goal.source or document is None else find_recipient(document),
                "people": reason.gap.people if reason.gap else 0,
            },
        )
        if not is_new:
            return row.pk
        with bypass_row_security():
            ProposalWords.objects.create(
                proposal=row, title=written.title.strip(), question=written.question.strip(), text=written.text
            )
        _note(row, viewer, AuditEvent.Action.PROPOSE, way=row.way)
        queue.enqueue(queue.SEND_PROPOSAL, proposal=str(row.pk))
    return row.pk


def withdraw(proposal_id: UUID, viewer: User, audience: Audience) -> None:
    """Take a proposal back; what is at its source stays there. NotFoundError where it is over, or not theirs."""
    states = (ProposalState.WAITING, ProposalState.SENT, ProposalState.FAILED)
    with _locked(proposal_id, viewer, audience, states) as row:
        _end(row, ProposalState.WITHDRAWN, viewer)


def say_merged(proposal_id: UUID, viewer: User, audience: Audience) -> None:
    """Note that a proposal was accepted where nobody but people can tell, and have its source read."""
    with _locked(proposal_id, viewer, audience, (ProposalState.SENT,)) as row:
        row.state, row.merged_at, row.decided_by = ProposalState.MERGED, timezone.now(), viewer
        row.save(update_fields=["state", "merged_at", "decided_by"])
        _note(row, viewer, AuditEvent.Action.CHANGE, state=row.state)
        source = row.source
    if source is not None:
        with contextlib.suppress(RunGoesOnError):
            start(source)


def say_declined(proposal_id: UUID, viewer: User, audience: Audience) -> None:
    """Note that a proposal was declined."""
    with _locked(proposal_id, viewer, audience, (ProposalState.SENT, ProposalState.MERGED)) as row:
        _end(row, ProposalState.DECLINED, viewer)


def send_again(proposal_id: UUID, viewer: User, audience: Audience) -> None:
    """Let the worker try again to send a proposal of one's own. NotFoundError where its text is not kept any more."""
    with _locked(proposal_id, viewer, audience, (ProposalState.FAILED,)) as row:
        read_words(row, viewer)
        row.state, row.error, row.error_code, row.ended_at = ProposalState.WAITING, "", "", None
        row.save(update_fields=["state", "error", "error_code", "ended_at"])
        _note(row, viewer, AuditEvent.Action.CHANGE, state=row.state)
        queue.enqueue(queue.SEND_PROPOSAL, proposal=str(row.pk))


def write_again(proposal_id: UUID, viewer: User, audience: Audience) -> tuple[Occasion, WrittenChange]:
    """Return what somebody wrote for a proposal of their own that could not be sent, to begin from.

    The version is that for which it was written. NotFoundError where the text is not kept any more, or is another's.
    """
    visible = select_visible(viewer, audience).filter(pk=proposal_id, state=ProposalState.FAILED)
    row = visible.first()
    if row is None:
        raise NotFoundError
    occasion = Occasion(gap=row.gap_id, contradiction=row.contradiction_id)
    find_reason(occasion, viewer, audience)
    words = read_words(row, viewer)
    return occasion, WrittenChange(
        title=words.title,
        question=words.question,
        text=words.text,
        document_id=row.document_id,
        version=row.document_version,
        source_id=None if row.document_id else row.source_id,
        place=row.place,
        quotes_nearest=row.chunk_id is not None,
    )


def read_words(row: ProposedChange, viewer: User) -> ProposalWords:
    """Return what the author of a visible proposal wrote. NotFoundError for all others, and where it is not kept."""
    if row.proposed_by_id != viewer.pk:
        raise NotFoundError
    with bypass_row_security():  # of a new document: no edition says who may read it but its author
        words = ProposalWords.objects.filter(proposal=row.pk).first()
    if words is None:
        raise NotFoundError
    return words


def erase_words(proposals: Any) -> None:
    """Erase what was written for some proposals, given by their ids or by a query of them."""
    with bypass_row_security():
        ProposalWords.objects.filter(proposal__in=proposals).delete()


@contextmanager
def _locked(
    proposal_id: UUID, viewer: User, audience: Audience, states: tuple[ProposalState, ...]
) -> Iterator[ProposedChange]:
    """Lock a proposal that somebody may decide about in one of these states. NotFoundError for every other."""
    with transaction.atomic():
        rows = select_visible(viewer, audience).select_for_update(of=("self",))
        row = rows.filter(pk=proposal_id, state__in=states).first()
        if row is None or not may_decide(viewer, row):
            raise NotFoundError
        yield row


def _end(row: ProposedChange, state: ProposalState, viewer: User) -> None:
    row.state, row.ended_at, row.decided_by = state, timezone.now(), viewer
    row.save(update_fields=["state", "ended_at", "decided_by"])
    erase_words([row.pk])
    _note(row, viewer, AuditEvent.Action.CHANGE, state=row.state)


def _note(row: ProposedChange, viewer: User, action: AuditEvent.Action, **details: str) -> None:
    held = {"document": str(row.document_id)} if row.document_id else {}
    AuditEvent.objects.create(
        actor=viewer, action=action, object_type="proposedchange", object_id=str(row.pk), details={**details, **held}
    )
