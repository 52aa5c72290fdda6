"""Issue receipts: to who asked, and of others' answers to who has the right. What they may not see is withheld.

A receipt is issued in three steps: what is kept of the answer is compared with its seal, the receipt is recorded in the
audit trail and chained there, and it is signed together with that event.
"""

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from uuid import uuid4

import jwt
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.access import audit
from core.asking.history.deleted_documents import GONE
from core.asking.history.results import stored_result
from core.asking.history.visibility import Visibility
from core.asking.receipts.keys import find_public_bytes, read_signing_key
from core.asking.receipts.parts import list_parts, name_edition
from core.asking.receipts.sealing import collect_facts, make_salt, write_seal
from core.asking.receipts.verify_receipt import (
    ALGORITHM,
    DIGEST,
    OF_ANSWER,
    OF_RECEIPT,
    TYPE,
    describe_key,
    disclose,
    find_thumbprint,
    hash_disclosure,
    hash_payload,
    seal_digests,
)
from core.errors import NotFoundError, ReceiptError
from core.infrastructure.version import VERSION
from core.models import Answer, AnswerSeal, AuditEvent, Citation, CitationWords, Document, Query, QueryLog, User
from core.models.row_security import showing_quotes_to
from core.types import Answer as AnswerValue
from core.types import Audience, Refusal, RefusalReason
from core.values.receipts import OPTIONAL, IssuedReceipt, ReceiptPreview, is_left_out

logger = logging.getLogger(__name__)

ISSUE_FOR_OTHERS = ("core.view_query", "core.view_answer", "core.issue_receipts")
_SEE_ROLES = "core.view_role"
_LIKE_NOTHING = frozenset({RefusalReason.NOTHING_FOUND, RefusalReason.INSUFFICIENT})  # as closest passages are hidden
_CHANGED = (
    "This answer is not as it was recorded when it was given, so that no receipt of it is issued. Somebody changed it "
    "in the database: look into it with the audit trail (manage.py verify_audit)."
)
_ERASED = (
    "Words of this answer were erased with a document that they came from, so that no receipt of it is issued any more."
)


def may_issue(user: User, query: Query) -> bool:
    """Return True if a user may take a receipt of what came of a question: their own, or others' by right."""
    return user.is_active and query.erased_at is None and (query.user_id == user.pk or user.has_perms(ISSUE_FOR_OTHERS))


def preview_receipt(request_id: str, *, audience: Audience, viewer: User, by_right: bool = False) -> ReceiptPreview:
    """Return what a receipt would be of, without issuing one; see core.api.preview_receipt."""
    query = _find_query(request_id, viewer, by_right=by_right)
    result = stored_result(request_id, audience=audience, viewer=viewer.pk)
    answer = result if isinstance(result, AnswerValue) else None
    missing = set() if by_right and viewer.has_perm(_SEE_ROLES) else {"readers"}
    missing |= set() if answer and answer.citations else {"files", "readers"}
    missing |= set() if answer and answer.verified else {"verified"}
    return ReceiptPreview(
        request_id=request_id,
        question=query.question_text,
        result=result,
        asked_at=query.created_at,
        is_own=query.user_id == viewer.pk,
        can_leave_out={name: label for name, label in OPTIONAL.items() if name not in missing},
        key=find_thumbprint(find_public_bytes(read_signing_key())),
    )


def issue_receipt(
    request_id: str, *, audience: Audience, viewer: User, left_out: Collection[str] = (), by_right: bool = False
) -> IssuedReceipt:
    """Issue a receipt to somebody who may see the answer now; see core.api.issue_receipt."""
    if unknown := sorted({*left_out} - {*OPTIONAL}):
        raise ReceiptError(f"{', '.join(unknown)} cannot be left out. What can: {', '.join(OPTIONAL)}.")
    _find_query(request_id, viewer, by_right=by_right)
    result = stored_result(request_id, audience=audience, viewer=viewer.pk)
    answer = _find_answer(request_id)
    quotes = _read_quotes(answer, audience) if answer.answer_text is not None else []
    seal, event = _find_seal(answer, quotes)
    parts = list_parts(answer.query, answer, quotes, seal.facts)
    kept = disclose(parts, seal.salt)
    if not _is_as_recorded(seal, event, seal_digests(map(hash_disclosure, kept.values()))):
        _refuse(answer, "changed")
    shown = list_parts(answer.query, answer, quotes, seal.facts, is_shown=True)
    withheld = {name for name, value in parts.items() if shown[name] != value}
    withheld |= _list_unseen(answer, audience=audience, viewer=viewer) & {*parts}
    withheld |= _list_unseen_files(quotes, parts, seal.facts, audience=audience)
    is_own = answer.query.user_id == viewer.pk
    if isinstance(result, Refusal):
        withheld |= _list_unseen_of_refusal(answer, result, is_own=is_own) & {*parts}
    unwanted = frozenset(left_out) if by_right and viewer.has_perm(_SEE_ROLES) else frozenset({*left_out, "readers"})
    withheld |= {name for name in parts if is_left_out(name, unwanted)}
    return _sign(
        _Drafted(
            answer=answer,
            seal=seal,
            answered=event,
            is_event_shown=not isinstance(result, Refusal) or (is_own and _is_all_shown(answer, result)),
            disclosures=kept,
            withheld=frozenset(withheld),
        ),
        by=viewer,
        left_out=frozenset(left_out),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Drafted:
    """Holds what a receipt is made of."""

    answer: Answer
    seal: AnswerSeal
    answered: AuditEvent  # the event of the answer
    is_event_shown: bool  # False where it may name passages that the viewer may not see
    disclosures: Mapping[str, str]  # of all parts
    withheld: frozenset[str]


def _refuse(answer: Answer, reason: str) -> NoReturn:
    """Raise ReceiptError for an answer that was changed. Others where its words were erased meanwhile, or before."""
    now = _find_answer(answer.query.request_id)  # NotFoundError once the question is erased
    named = {*now.query.named_documents}
    if not now.answer_text and (now.answer_text is not None or now.message == GONE):
        raise ReceiptError(_ERASED)
    if Document.objects.filter(pk__in=named).count() < len(named):
        raise ReceiptError(_ERASED)
    logger.error("receipt_refused", extra={"request_id": now.query.request_id, "reason": reason})
    raise ReceiptError(_CHANGED)


def _find_query(request_id: str, viewer: User, *, by_right: bool) -> Query:
    """Return a question of which the viewer may take a receipt. NotFoundError for another as for one that is not there.

    Both are looked for in the same statements.
    """
    rows = Query.objects.filter(request_id=request_id, erased_at=None)
    if not (by_right and viewer.has_perms(ISSUE_FOR_OTHERS)):
        rows = rows.filter(user=viewer)
    row = rows.first() if viewer.is_active and "\0" not in request_id else None  # PostgreSQL refuses to look for it
    if row is None:
        raise NotFoundError
    return row


def _find_answer(request_id: str) -> Answer:
    rows = Answer.objects.select_related("query", "query__user", "query__conversation", "verified_by")
    row = rows.prefetch_related("citations").filter(query__request_id=request_id, query__erased_at=None).first()
    if row is None:
        raise NotFoundError
    return row


def _read_quotes(answer: Answer, audience: Audience) -> list[tuple[Citation, CitationWords]]:
    """Return the quotes with their words, all of which the audience may read: stored_result has said so."""
    citations = list(answer.citations.all())
    with showing_quotes_to(audience):
        words = CitationWords.objects.in_bulk([citation.pk for citation in citations])
    if len(words) < len(citations):
        raise NotFoundError
    return [(citation, words[citation.pk]) for citation in citations]


def _find_seal(answer: Answer, quotes: list[tuple[Citation, CitationWords]]) -> tuple[AnswerSeal, AuditEvent]:
    """Return the seal of an answer, made now for one that is older than receipts, and the event that it is in."""
    event = _find_event(answer)
    seal = AnswerSeal.objects.filter(answer=answer).first()
    if seal is not None and not seal.is_late:
        return seal, event
    if "sealed" in event.details:
        _refuse(answer, "seal missing")
    before = _list_earlier_seals(answer)
    if seal is not None:
        if before - {seal.sealed}:
            _refuse(answer, "another seal before")
        return seal, event
    if before:
        _refuse(answer, "late seal missing")
    origin = answer.query.conversation.origin
    with transaction.atomic():
        Answer.objects.select_for_update().get(pk=answer.pk)  # of two who ask at once, one makes it
        if there := AnswerSeal.objects.filter(answer=answer).first():
            return there, event
        cited = [citation for citation, _ in quotes]
        facts = collect_facts(answer.query, answer, cited, origin=origin, audience=None)
        return write_seal(answer.query, answer, quotes, facts, is_late=True), event


def _find_event(answer: Answer) -> AuditEvent:
    """Return the one event in which the answer was recorded, in the chain. ReceiptError unless there is exactly one.

    The trail takes new rows from whoever may write to the database: of two, nobody could say which is the answer's.
    """
    actions = [AuditEvent.Action.ANSWER, AuditEvent.Action.REFUSAL]
    logs = [str(pk) for pk in QueryLog.objects.filter(response_id=answer.pk).values_list("pk", flat=True)]
    events = list(AuditEvent.objects.filter(object_type=OF_ANSWER, object_id__in=logs, action__in=actions)[:2])
    if len(events) != 1:
        _refuse(answer, "no event" if not events else "more events than one")
    [event] = events
    if event.number is None:
        audit.seal()
        event.refresh_from_db()
    return event


def _list_earlier_seals(answer: Answer) -> set[str]:
    """List the seals of the receipts of an answer that were issued before."""
    events = AuditEvent.objects.filter(
        object_type=OF_RECEIPT, action=AuditEvent.Action.ISSUE_RECEIPT, details__query=str(answer.query_id)
    )
    return set(events.values_list("details__sealed", flat=True))


def _is_as_recorded(seal: AnswerSeal, event: AuditEvent, sealed: str) -> bool:
    """Return True if the parts, as they are kept, are those of the seal, and that is the one of the audit trail."""
    recorded = event.details.get("sealed")
    return sealed == seal.sealed and recorded == (None if seal.is_late else sealed)


def _list_unseen(answer: Answer, *, audience: Audience, viewer: User) -> set[str]:
    """List the parts that are not for this viewer: what was made of a question may hold words of documents."""
    unseen: set[str] = set()
    visibility = Visibility.of([answer], audience=audience, viewer=viewer.pk)
    if not visibility.is_wording_readable(answer.query):
        unseen |= {"understood", "message"}
    if answer.query.user_id != viewer.pk:
        unseen |= {"selected_text"}
    return unseen


def _list_unseen_files(
    quotes: list[tuple[Citation, CitationWords]],
    parts: Mapping[str, Any],
    facts: Mapping[str, Any],
    *,
    audience: Audience,
) -> set[str]:
    """List the hashes of files that are not for this audience: a few unknown words could be guessed by one.

    A hash is for who may read all of the file. Who read the restricted sections of a file that was replaced is not
    known any more, so that its hash is for nobody.
    """
    ids = {citation.document_id for citation, _ in quotes}
    # A part's file is that of its document.
    rows = Document.objects.filter(pk__in=ids).values_list(
        "pk", Coalesce("part_of", "pk"), Coalesce("part_of__content_hash", "content_hash")
    )
    files = {pk: (whole, sha256) for pk, whole, sha256 in rows}
    wholes = Document.objects.readable_in_full_by(audience).filter(pk__in=[whole for whole, _ in files.values()])
    readable = set(wholes.values_list("pk", flat=True))
    unseen = set()
    for citation, _ in quotes:
        name = f"file_{citation.number}"
        if name not in parts or citation.edition is None:
            continue
        whole, sha256 = files.get(citation.edition.document_id, (None, ""))
        is_replaced = parts[name]["sha256"] != sha256
        if whole not in readable or (is_replaced and name_edition(citation.edition) in facts.get("split", ())):
            unseen.add(name)
    return unseen


def _list_unseen_of_refusal(answer: Answer, shown: Refusal, *, is_own: bool) -> set[str]:
    """List the parts that say how close a refusal came, where nothing that came close is shown.

    Whoever asked knows what they were told, and is shown it unless that changed. To others it must look the same
    whether passages that they may not see came close, or nothing did.
    """
    is_changed = shown.reason != answer.refusal_reason
    looks_empty = shown.reason in _LIKE_NOTHING and not shown.closest
    return {"refusal", "confidence", "message"} if is_changed or (looks_empty and not is_own) else set()


def _is_all_shown(answer: Answer, shown: Refusal) -> bool:
    """Return True if all passages that came close to a refusal's question are shown."""
    return len(shown.closest) == len(answer.citations.all())


def _sign(drafted: _Drafted, *, by: User, left_out: frozenset[str]) -> IssuedReceipt:
    """Record the receipt in the audit trail, chain that, and sign both."""
    key, receipt_id, now = read_signing_key(), str(uuid4()), timezone.now()
    query, seal = drafted.answer.query, drafted.seal
    public_key = find_public_bytes(key)
    name = find_thumbprint(public_key)
    names = disclose(_name_people(drafted.answer, seal, by=by), make_salt())
    given = {
        **{name: each for name, each in drafted.disclosures.items() if name not in drafted.withheld},
        **{name: each for name, each in names.items() if not is_left_out(name, left_out)},
    }
    payload = {
        "iss": settings.PUBLIC_URL or "Footnote",
        "iat": int(now.timestamp()),
        "jti": receipt_id,
        "request_id": query.request_id,
        "footnote": VERSION,
        "_sd_alg": DIGEST,
        "_sd": sorted(map(hash_disclosure, names.values())),
        "answer": {"_sd": sorted(map(hash_disclosure, drafted.disclosures.values()))},
        "sealed": seal.sealed,
    }
    answered = _describe_answered(drafted, is_asker_named="asked_by" not in left_out)
    event = AuditEvent.objects.create(
        actor=by,
        action=AuditEvent.Action.ISSUE_RECEIPT,
        object_type=OF_RECEIPT,
        object_id=receipt_id,
        details={
            "query": str(query.pk),
            "is_own": query.user_id == by.pk,
            "sealed": seal.sealed,
            "signs": hash_payload(payload),
            "key": name,
            "parts": len(given),
            "left_out": sorted(left_out),
        },
    )
    audit.seal()
    event.refresh_from_db()
    payload |= {"answered_event": answered, "issued_event": _describe_event(event, drafted.answer)}
    signed = jwt.api_jws.encode(
        json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode(),
        key,
        algorithm=ALGORITHM,
        headers={"typ": TYPE, "kid": name, "jwk": describe_key(public_key)},
    )
    protected, content, signature = signed.split(".")
    return IssuedReceipt(
        request_id=query.request_id,
        content={
            "payload": content,
            "protected": protected,
            "signature": signature,
            "header": {"disclosures": list(given.values())},
        },
        key=name,
        withheld=tuple(sorted({*drafted.disclosures, *names} - {*given})),
        is_late=seal.is_late,
    )


def _name_people(answer: Answer, seal: AnswerSeal, *, by: User) -> dict[str, str]:
    """Return the names of people as they are called today: no seal holds them, so that a person can be forgotten."""
    found = {"issued_to_name": by.name_without_address}
    if answer.query.user and "asked_by" in seal.facts:
        found["asked_by_name"] = answer.query.user.name_without_address
    if answer.verified_by and "verified" in seal.facts:
        found["verified_by_name"] = answer.verified_by.name_without_address
    return found


def _describe_answered(drafted: _Drafted, *, is_asker_named: bool) -> dict[str, Any] | None:
    """Describe the event of the answer; None for an answer that was sealed later.

    Only its place and digest where it says more than the receipt: who asked, or ids of passages that came close.
    """
    event = drafted.answered
    if drafted.seal.is_late:
        return None
    described = _describe_event(event, drafted.answer)
    if is_asker_named and drafted.is_event_shown:
        return described
    return {"number": event.number, "digest": event.digest}


def _describe_event(event: AuditEvent, answer: Answer) -> dict[str, Any]:
    """Return what an event says, in the form that its digest is taken of. ReceiptError where the two do not fit."""
    content = audit.read_content(event)
    if audit.hash_content(content) != event.digest:
        _refuse(answer, "event changed")
    return {"content": content, "digest": event.digest}
