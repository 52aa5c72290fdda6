"""Gather a week's risks for one person: figures, and the highest open ones by name. No word of a document."""

import datetime as dt

from django.conf import settings

from core.infrastructure.public_address import build_risk_address, build_risk_digest_address
from core.models import User
from core.quality.oversharing.deciding import may_view
from core.quality.oversharing.listing import Wanted, list_risks, name_subject, select_risks
from core.quality.reports.period import Period
from core.values.oversharing import Level, RiskKind, RiskState
from core.values.risk_digests import NamedRisk, RiskWeek

NAMED = 5


def may_get_digest(user: User) -> bool:
    """Return True if a user wants a digest of risks, may see risks, and may use the admin, to whose pages it links."""
    return user.gets_risk_digest and user.is_staff and may_view(user)


def gather_week(viewer: User, monday: dt.date) -> RiskWeek | None:
    """Gather the risks of the week that began on this Monday, by the viewer's rights of now.

    None where they may get no digest, nobody looks for risks, or there is nothing to say.
    """
    if not settings.OVERSHARING_ENABLED or not may_get_digest(viewer):
        return None
    week = Period(since=monday, until=monday + dt.timedelta(days=6))
    risks = select_risks(viewer).order_by()
    decided = risks.filter(decided_at__gte=week.start, decided_at__lt=week.end)
    open_now = list_risks(viewer, Wanted(), limit=NAMED)
    found = RiskWeek(
        since=week.since,
        until=week.until,
        opened=risks.filter(opened_at__gte=week.start, opened_at__lt=week.end).count(),
        narrowed=decided.filter(state=RiskState.NARROWED).count(),
        accepted=decided.filter(state=RiskState.ACCEPTED).count(),
        by_level={level: open_now.by_level[level] for level in Level},
        highest=tuple(
            NamedRisk(
                name=name_subject(risk),
                kind=RiskKind(risk.kind),
                people=risk.people,
                address=build_risk_address(risk.pk),
            )
            for risk in open_now.rows
        ),
        settings_address=build_risk_digest_address(),
    )
    return None if found.is_empty else found
