"""Send a proposal: the worker's part. It is sent in the name of its author, by what they may do and read by then."""

import logging
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access.audiences import audience_of
from core.errors import FootnoteError, NotFoundError, SourceError
from core.infrastructure import mail
from core.infrastructure.public_address import build_document_address
from core.library.retrieval.chunk_lookup import passages_again
from core.library.sync.connecting import connect_for_changes
from core.library.sync.proposing import Change, SentChange
from core.models import ProposalWords, ProposedChange, User
from core.quality.proposals.drafting import describe_change
from core.quality.proposals.proposing import erase_words, read_words
from core.quality.proposals.rights import DocumentChangedError, may_propose
from core.quality.proposals.targets import find_document, readers_include
from core.values.proposals import LONGEST_TITLE, ChangeWay, NearestPassage, ProposalState

logger = logging.getLogger(__name__)

_LONGEST_ERROR = 500


class NoRightError(FootnoteError):
    """Whoever proposed this may not any more, or may not read the document any more."""


class NoRecipientError(FootnoteError):
    """The owner of the document has no account, or may not read it any more. Set another owner."""


def send(proposal_id: UUID, *, is_last_try: bool) -> None:
    """Send a proposal that waits, once however often this is called; note why where it cannot be sent.

    An error that says `retry` is raised for a later attempt, unless this is the last.
    """
    row = _select().filter(pk=proposal_id, state=ProposalState.WAITING).first()
    if row is None:
        return
    try:
        author, words = _find_author(row)
        sent = _send_by_mail(row, author, words) if row.way == ChangeWay.MAIL else _send_to_source(row, author, words)
    except FootnoteError as error:
        if error.retry and not is_last_try:
            raise
        _note_failure(row, error)
        return
    with transaction.atomic():
        fields = {
            "state": ProposalState.SENT,
            "sent_at": timezone.now(),
            "item_key": sent.item_key,
            "url": sent.url,
            "number": sent.number,
            "branch": sent.branch,
            "fingerprint": sent.fingerprint,
        }
        ProposedChange.objects.filter(pk=row.pk, state=ProposalState.WAITING).update(**fields)
        erase_words([row.pk])
    logger.info("proposal_sent", extra={"proposal": str(row.pk), "way": row.way})


def _select() -> "QuerySet[ProposedChange]":
    return ProposedChange.objects.select_related("document", "source", "proposed_by", "recipient", "gap")


def _find_author(row: ProposedChange) -> tuple[User, ProposalWords]:
    """Return the author and their text. NoRightError where they may not propose this any more."""
    author = row.proposed_by
    if author is None or not may_propose(author):
        raise NoRightError
    if row.document is not None:
        try:
            find_document(row.document.pk, audience_of([author.pk]))
        except NotFoundError:
            raise NoRightError from None
        if row.document.version != row.document_version:
            raise DocumentChangedError
    return author, read_words(row, author)


def _send_to_source(row: ProposedChange, author: User, words: ProposalWords) -> SentChange:
    if row.source is None:
        raise SourceError("The source of the document is not there any more.")
    item = row.document.sync_item if row.document else None
    change = Change(
        proposal_id=row.pk.hex,
        key=item.key if item else row.place,
        is_new=item is None,
        fingerprint=row.base_fingerprint,
        title=words.title[:LONGEST_TITLE],
        description=_describe(row, author, words, readers=[author]),
        text=words.text,
    )
    return connect_for_changes(row.source).propose(change)


def _send_by_mail(row: ProposedChange, author: User, words: ProposalWords) -> SentChange:
    document, recipient = row.document, row.recipient
    if document is None or recipient is None or not recipient.is_active:
        raise NoRecipientError
    if not readers_include(recipient, [document.pk]):
        raise NoRecipientError
    opened = build_document_address(document.pk)
    about = f"{document.title}{f' ({opened})' if opened else ''}"
    lines = [
        f"{author.name_without_address} suggests a change of a document that you look after: {about}.",
        _describe(row, author, words, readers=[author, recipient]),
        "Suggested text:",
        words.text,
        "Once the document has a new edition, those who asked get their answer.",
    ]
    mail.send(
        mail.Mail(
            to=recipient.email,
            subject=words.title,
            text="\n\n".join(line.strip() for line in lines) + "\n",
            message_id=mail.name_message(f"proposal-{row.pk}"),
            reply_to=author.email,
        )
    )
    return SentChange(item_key="")


def _describe(row: ProposedChange, author: User, words: ProposalWords, *, readers: list[User]) -> str:
    """Describe a change, with the nearest passage where all of these readers may read it."""
    return describe_change(
        way=ChangeWay(row.way),
        question=words.question,
        people=row.people,
        nearest=_find_passage(row, readers),
        is_contradicted=row.contradiction_id is not None,
        author=author.name_without_address,
    )


def _find_passage(row: ProposedChange, readers: list[User]) -> NearestPassage | None:
    if row.chunk_id is None:
        return None
    audience = audience_of([reader.pk for reader in readers])
    found = passages_again([(row.chunk_id, 0.0)], audience=audience)
    if not found:
        return None
    start, end = row.quote_start, row.quote_end
    quote = found[0].content[start:end]
    return NearestPassage(chunk_id=row.chunk_id, section=found[0].section, quote=quote, start=start, end=end)


def _note_failure(row: ProposedChange, error: FootnoteError) -> None:
    ProposedChange.objects.filter(pk=row.pk, state=ProposalState.WAITING).update(
        state=ProposalState.FAILED,
        error_code=type(error).__name__,
        error=error.message[:_LONGEST_ERROR],
        ended_at=timezone.now(),
    )
    logger.warning("proposal_not_sent", extra={"proposal": str(row.pk), "code": type(error).__name__})
