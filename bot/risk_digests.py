"""The weekly digest of risks: once for each person and week, in a direct message, or by mail for who is not in Slack.

The digests that are due are stored with their job in one transaction. What is in one is gathered when it is sent, by
the rights that its person has at that moment.
"""

import datetime as dt
import logging
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.risk_digest import risk_digest_message, write_risk_digest
from bot.channels.settings import find_language
from bot.digests import find_last_week
from bot.handoff.people_to_ask import Account, find_account
from bot.identity.people import find_person
from bot.models import RiskDigest
from bot.slack.addresses import open_direct_messages
from bot.slack.idempotent import IdempotentMessage
from bot.slack.workspace import UnknownTeamError, find_client
from core.infrastructure import mail, queue
from core.language.i18n.translation import speak_language
from core.models import User
from core.quality.oversharing.digest import gather_week, may_get_digest
from core.values.risk_digests import RiskWeek

logger = logging.getLogger(__name__)

_State, _Way = RiskDigest.State, RiskDigest.Way


def queue_due(now: dt.datetime | None = None) -> int:
    """Queue the digests of the last week that their people have not got yet; how many these are.

    Whoever calls it again, or in another process, queues nothing twice: there is one row for each person and week.
    """
    monday = find_last_week(now or timezone.now())
    if monday is None or not settings.OVERSHARING_ENABLED:
        return 0
    queued = 0
    done = RiskDigest.objects.filter(week=monday).values("user")
    for user in User.objects.filter(is_active=True, is_staff=True, gets_risk_digest=True).exclude(pk__in=done):
        if not may_get_digest(user):
            continue
        with transaction.atomic():
            row, is_new = RiskDigest.objects.get_or_create(user=user, week=monday)
            if is_new:
                queue.enqueue(queue.RISK_DIGEST, digest=str(row.pk))
        queued += is_new
    return queued


def send(digest_id: UUID) -> None:
    """Send a digest, unless an earlier attempt did, its person may get none any more, or there is nothing to say.

    SlackUnavailableError or MailNotSentError when a later attempt may succeed.
    """
    row = _begin_attempt(digest_id)
    if row is None:
        return
    if _is_posted(row):
        _end_sent(row, _Way.SLACK)
    elif _gather(row) is None:
        _end_silent(row, "nothing_to_say")
    elif account := find_account(row.user, first=row.team_id):
        _post(row, account)
    else:
        _send_mail(row)


def fail(digest_id: UUID, *, code: str) -> None:
    """End a digest that could not be sent. The next week has another one."""
    waiting = RiskDigest.objects.filter(pk=digest_id, state=_State.WAITING)
    waiting.update(state=_State.FAILED, error_code=code)
    logger.warning("risk_digest_failed", extra={"digest": str(digest_id), "code": code})


def _begin_attempt(digest_id: UUID) -> RiskDigest | None:
    """Return a digest that waits, with an attempt counted; None where it has ended."""
    with transaction.atomic():
        waiting = RiskDigest.objects.select_for_update().filter(pk=digest_id, state=_State.WAITING)
        row = waiting.first()
        if row is not None:
            row.attempts += 1
            row.save(update_fields=["attempts"])
    return row


def _is_posted(row: RiskDigest) -> bool:
    """Return True if an earlier attempt has posted the message, to whatever account it was then."""
    if row.ts or not row.channel_id:
        return bool(row.ts)
    try:
        client = find_client(row.team_id)
    except UnknownTeamError:
        return False
    return _build_message(client, row).is_there()


def _gather(row: RiskDigest) -> RiskWeek | None:
    """Gather what a digest says to its person by their rights of now; None where that is nothing."""
    user = User.objects.filter(pk=row.user_id).first()  # read again: what was asked before is kept on the object
    return gather_week(user, row.week) if user else None


def _post(row: RiskDigest, account: Account) -> None:
    """Post the message, if the account is its person's, and they may see it, at this moment."""
    row.team_id = account.team_id
    row.channel_id = open_direct_messages(account.client, account.slack_user_id)
    row.save(update_fields=["team_id", "channel_id"])
    week = _gather(row)
    is_theirs = find_person(account.client, account.team_id, account.slack_user_id).user_id == row.user_id
    if week is None or not is_theirs:
        _end_silent(row, "nothing_to_say" if is_theirs else "account_changed")
        return
    with speak_language(find_language(row.team_id, row.channel_id)):
        said = risk_digest_message(week)
    _build_message(account.client, row).ensure(lambda: said)
    _end_sent(row, _Way.SLACK)


def _send_mail(row: RiskDigest) -> None:
    """Send the mail, where mail is set up and the person has an address."""
    week = _gather(row)
    has_way = mail.is_configured() and "@" in row.user.email
    if week is None or not has_way:
        _end_silent(row, "nothing_to_say" if has_way else "no_way")
        return
    with speak_language(str(settings.SLACK_LANGUAGE)):
        subject, text = write_risk_digest(week)
    message_id = mail.name_message(f"risk-digest-{row.pk}")
    mail.send(mail.Mail(to=row.user.email, subject=subject, text=text, message_id=message_id))
    _end_sent(row, _Way.MAIL)


def _build_message(client: WebClient, row: RiskDigest) -> IdempotentMessage:
    def record(ts: str) -> None:
        row.ts = ts
        row.save(update_fields=["ts"])

    return IdempotentMessage(
        client=client,
        team_id=row.team_id,
        channel_id=row.channel_id,
        thread_ts="",
        marker=f"risk-digest-{row.pk}",
        ts=row.ts,
        since=f"{row.created_at.timestamp():.6f}" if row.attempts > 1 else "",
        record=record,
    )


def _end_sent(row: RiskDigest, way: RiskDigest.Way) -> None:
    RiskDigest.objects.filter(pk=row.pk).update(state=_State.SENT, way=way, sent_at=timezone.now())
    logger.info("risk_digest_sent", extra={"digest": str(row.pk), "way": way.value})


def _end_silent(row: RiskDigest, code: str) -> None:
    RiskDigest.objects.filter(pk=row.pk).update(state=_State.SILENT, error_code=code)
