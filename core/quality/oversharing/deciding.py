"""Say that a risk is right so, open it again, and let a secret be read that is meant to be."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone

from core.access.audiences import SEE_WHO_READS, audience_of, may_decide_who_reads, readable_among
from core.errors import FootnoteError
from core.models import AuditEvent, OversharingRisk, SensitivePlace, ShownSecret, User, forget_shown
from core.quality.oversharing.refreshing import refresh_document
from core.values.oversharing import RiskKind, RiskState

VIEW = "core.view_oversharing"
NEEDED = (VIEW, *SEE_WHO_READS)  # to see risks
LONGEST_REASON = 300


class RiskDecisionError(FootnoteError):
    """This cannot be decided about the risk as it is now."""


def may_view(user: User) -> bool:
    """Return True if a user may see risks: by their own right, and those to see who reads what."""
    return user.is_active and user.has_perms(NEEDED)


def may_decide(user: User) -> bool:
    """Return True if a user may take decisions about risks: who reads what is theirs to decide, too."""
    return may_view(user) and may_decide_who_reads(user)


def accept(risk: OversharingRisk, *, by: User | None, reason: str) -> None:
    """Say that a risk is right so, until it grows. RiskDecisionError without a reason, or where it is over already.

    by: None for who runs the server, on the shell.
    """
    words = reason.strip()[:LONGEST_REASON]
    if not words:
        raise RiskDecisionError("Say why it is right that so many may read it: whoever looks next will want to know.")
    with transaction.atomic():
        row = OversharingRisk.objects.select_for_update().get(pk=risk.pk)
        if row.state == RiskState.GONE:
            raise RiskDecisionError("This risk is gone by now: there is nothing to decide.")
        row.state, row.reason, row.decided_by, row.decided_at = RiskState.ACCEPTED, words, by, timezone.now()
        row.accepted_score, row.accepted_people = row.score, row.people
        row.save()
        write_risk_audit(AuditEvent.Action.ACCEPT_RISK, row, by)


def reopen(risk: OversharingRisk, *, by: User) -> None:
    """Open a risk again that was found right. RiskDecisionError for another one."""
    with transaction.atomic():
        row = OversharingRisk.objects.select_for_update().get(pk=risk.pk)
        if row.state != RiskState.ACCEPTED:
            raise RiskDecisionError("Only a risk that was found right can be opened again.")
        row.state, row.reason, row.decided_by, row.decided_at = RiskState.OPEN, "", None, None
        row.opened_at = timezone.now()
        row.save()
        write_risk_audit(AuditEvent.Action.ACCEPT_RISK, row, by, taken_back=True)


def show_secrets(risk: OversharingRisk, places: Collection[SensitivePlace], *, by: User, reason: str) -> int:
    """Let secrets be read that are meant to be, wherever the same words are; how many are new.

    places: of the risk's document. RiskDecisionError without a reason, for places that are no secrets of it any more,
    and for who may not read the document: nobody vouches for what they cannot see.
    """
    words = reason.strip()[:LONGEST_REASON]
    if not words:
        raise RiskDecisionError("Say why these are meant to be read.")
    document = risk.document
    if risk.kind != RiskKind.SECRET or document is None or not places:
        raise RiskDecisionError("Choose the passwords or keys that are meant to be read.")
    if any(
        one.document_id != document.pk or one.document_version != document.version or not one.fingerprint
        for one in places
    ):
        raise RiskDecisionError("The document has changed since: look at it again.")
    if document.pk not in readable_among([document.pk], audience_of([by.pk])):
        raise RiskDecisionError(
            "Only somebody who may read the document can say that its passwords are meant to be read."
        )
    new = 0
    with transaction.atomic():
        for fingerprint in sorted({one.fingerprint for one in places}):
            row, is_new = ShownSecret.objects.get_or_create(
                fingerprint=fingerprint, defaults={"reason": words, "shown_by": by}
            )
            new += is_new
            if is_new:
                write_risk_audit(AuditEvent.Action.SHOW_SECRET, risk, by, secret=row.pk[:12])
    forget_shown()
    refresh_document(document.pk)
    return new


def hide_secret(secret: ShownSecret, *, by: User) -> None:
    """Mask a secret again that was let be read."""
    with transaction.atomic():
        documents = list(
            SensitivePlace.objects.filter(fingerprint=secret.pk).values_list("document_id", flat=True).distinct()
        )
        AuditEvent.objects.create(
            actor=by, action=AuditEvent.Action.HIDE_SECRET, object_type="secret", object_id=secret.pk[:12]
        )
        secret.delete()
    forget_shown()
    for document in documents:
        refresh_document(document)


def write_risk_audit(action: AuditEvent.Action, risk: OversharingRisk, by: User | None, **details: object) -> None:
    """Write what was done about a risk into the audit trail. details: ids and numbers, no words."""
    AuditEvent.objects.create(
        actor=by,
        action=action,
        object_type="oversharing_risk",
        object_id=str(risk.pk),
        details={"kind": risk.kind, "score": risk.score, "people": risk.people, **details},
    )
