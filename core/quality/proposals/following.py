"""Follow proposals: ask their sources what became of them, have the library read what was merged, and go on from there.

A change is in the library when the item that has it was read since: with the fingerprint that was sent, or in any later
state once the source, or a person, says that it was merged. Then its gap is asked again, and those who had asked are
told.
"""

import contextlib
import datetime as dt
import logging
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.errors import FootnoteError
from core.library.sync.connecting import connect_for_changes
from core.library.sync.proposing import ChangeOutcome, SentChange
from core.library.sync.runs import RunGoesOnError, start
from core.models import Document, ProposedChange, SyncItem
from core.quality.gaps.assigning import record_answered
from core.quality.gaps.checking import check_gap
from core.quality.proposals.late_answers import queue_late_answers
from core.quality.proposals.proposing import erase_words
from core.values.proposals import ChangeWay, ProposalState

logger = logging.getLogger(__name__)

_ASKED_AFTER = dt.timedelta(minutes=5)  # between two looks at a source for one proposal
_BRANCH_ASKED_AFTER = dt.timedelta(hours=1)  # for a branch alone, of which the whole commit is fetched
_ASKED_RARELY_AFTER = dt.timedelta(hours=6)  # for one that is older than a week
_WEEK = dt.timedelta(days=7)
_WORDS_KEPT = dt.timedelta(days=7)  # of a proposal that could not be sent


def follow_all() -> int:
    """Look at all proposals that are under way; return how many came into the library."""
    done = 0
    for row in _select_sent():
        if is_in_library(row):
            finish(row)
            done += 1
        elif row.state == ProposalState.SENT and row.source is not None and _is_due(row):
            _ask_source(row)
    old = ProposedChange.objects.filter(state=ProposalState.FAILED, ended_at__lt=timezone.now() - _WORDS_KEPT)
    erase_words(old.values("pk"))
    return done


def is_in_library(row: ProposedChange) -> bool:
    """Return True if the library has what was proposed, as it was merged."""
    if row.way == ChangeWay.MAIL:
        return _has_new_edition(row)
    item = SyncItem.objects.filter(source=row.source_id, key=row.item_key, is_stored=True, is_gone=False).first()
    if item is None or item.is_stale or item.is_pending or item.fingerprint == row.base_fingerprint:
        return False
    if row.fingerprint and item.fingerprint == row.fingerprint:
        return True
    listed_at = row.source.listed_at if row.source else None
    return row.state == ProposalState.MERGED and bool(listed_at and row.merged_at and listed_at > row.merged_at)


def finish(row: ProposedChange) -> None:
    """Note that a change is in the library, ask its gap again, and have those told who had asked. Once."""
    now = timezone.now()
    if row.gap is not None and row.sent_at is not None:
        record_answered(since=row.sent_at)  # who has asked again meanwhile, and was answered, needs no answer
    with transaction.atomic():
        under_way = ProposedChange.objects.filter(pk=row.pk, state__in=(ProposalState.SENT, ProposalState.MERGED))
        if not under_way.update(state=ProposalState.DONE, merged_at=row.merged_at or now, ended_at=now):
            return
        queued = queue_late_answers(row)
    logger.info("proposal_done", extra={"proposal": str(row.pk), "askers": queued})
    if row.gap is not None:
        check_gap(row.gap)


def _select_sent() -> Iterable[ProposedChange]:
    sent = ProposedChange.objects.filter(state__in=(ProposalState.SENT, ProposalState.MERGED))
    return list(sent.select_related("source", "gap", "document").order_by(F("looked_at").asc(nulls_first=True))[:500])


def _is_due(row: ProposedChange) -> bool:
    now = timezone.now()
    after = _BRANCH_ASKED_AFTER if row.way == ChangeWay.BRANCH else _ASKED_AFTER
    if row.sent_at is None or row.sent_at < now - _WEEK:
        after = _ASKED_RARELY_AFTER
    if row.looked_at is None or row.looked_at < now - after:
        return True
    return bool(row.source and row.source.listed_at and row.source.listed_at > row.looked_at)


def _ask_source(row: ProposedChange) -> None:
    """Ask the source what became of a proposal. Where it cannot be asked, it is asked again later."""
    ProposedChange.objects.filter(pk=row.pk).update(looked_at=timezone.now())
    if row.source is None:
        return
    sent = SentChange(
        item_key=row.item_key, url=row.url, number=row.number, branch=row.branch, fingerprint=row.fingerprint
    )
    try:
        outcome = connect_for_changes(row.source).find_outcome(sent)
    except FootnoteError as error:
        logger.warning("proposal_not_followed", extra={"proposal": str(row.pk), "code": type(error).__name__})
        return
    if outcome == ChangeOutcome.MERGED:
        ProposedChange.objects.filter(pk=row.pk, state=ProposalState.SENT).update(
            state=ProposalState.MERGED, merged_at=timezone.now()
        )
        with contextlib.suppress(RunGoesOnError):
            start(row.source)
    elif outcome == ChangeOutcome.DECLINED:
        declined = ProposedChange.objects.filter(pk=row.pk, state=ProposalState.SENT)
        is_new = declined.update(state=ProposalState.DECLINED, ended_at=timezone.now())
        if is_new and row.way == ChangeWay.DRAFT_PAGE and _has_new_edition(row):
            queue_late_answers(row)  # an editor may have put the words into the page itself


def _has_new_edition(row: ProposedChange) -> bool:
    if row.document_id is None or row.sent_at is None:
        return False
    newer = Q(version__gt=row.document_version, ingested_at__gt=row.sent_at)
    return Document.objects.filter(newer, pk=row.document_id, withdrawn_at=None).exists()
