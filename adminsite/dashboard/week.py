"""Count what Footnote did in the last seven days, for whoever has to say whether it is worth it."""

from typing import Any

from django.apps import apps
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse

from adminsite.dashboard.tiles import Tile
from adminsite.figures import count_of
from core.asking.alerts import REFUSAL, REFUSAL_READ
from core.models import Alert, ContentGap, QueryLog
from core.quality.reports.figures import make_total
from core.quality.reports.period import Period
from core.types import NOBODY_ASKED

DAYS = 7


def list_week(request: HttpRequest) -> list[Tile]:
    """Return people helped, answers without a person, what was refused wrongly, what to write next, and the cost.

    A fixed number of queries, however much was asked; no words of a question.
    """
    period = Period.last(DAYS)
    total = make_total(period)
    logs = QueryLog.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    asked = logs.exclude(query__conversation__origin__in=NOBODY_ASKED).exclude(query__is_overheard=True)
    answered: dict[str, Any] = asked.filter(refusal_reason="").aggregate(people=Count("user", distinct=True))
    handed = apps.get_model("bot", "HandOver").objects.filter(created_at__gte=period.start, query__isnull=False)
    by_people = handed.filter(query__log__refusal_reason="").count()
    alone = max(total.answered - by_people, 0)
    share = f"{alone / total.questions:.0%}" if total.questions else "–"
    reports = reverse("admin:core_querylog_reports")
    return [
        Tile(
            title="People helped",
            value=f"{answered['people']:,}",
            note="got an answer this week",
            icon="group",
            link=reports,
        ),
        Tile(
            title="Without a person",
            value=share,
            note=f"{alone:,} of {total.questions:,} questions answered, and not handed to a colleague",
            icon="verified",
            link=reports,
        ),
        _tell_refused(period),
        *_list_to_write(request),
        Tile(
            title="Cost",
            value=f"US$ {total.cost_usd:,.2f}",
            note=f"{total.prompt_tokens + total.completion_tokens:,} tokens of language models",
            icon="payments",
            link=reports + "?by=model",
        ),
    ]


def _tell_refused(period: Period) -> Tile:
    refused = Alert.objects.filter(metric__in=(REFUSAL, REFUSAL_READ), created_at__gte=period.start).count()
    return Tile(
        title="Refused, though it is there",
        value=f"{refused:,}",
        note="the documents seem to answer these",
        icon="report",
        link=reverse("admin:core_alert_changelist"),
        bad=refused > 0,
    )


def _list_to_write(request: HttpRequest) -> list[Tile]:
    """For those who may see which questions are asked in vain."""
    if not request.user.has_perm("core.view_gaps"):
        return []
    waiting = ContentGap.objects.filter(state=ContentGap.State.OPEN)
    found: dict[str, Any] = waiting.aggregate(n=Count("pk"), asked=Sum("asked"))
    return [
        Tile(
            title="To write next",
            value=f"{found['n']:,}",
            note=f"subjects, asked in vain {count_of(found['asked'] or 0, 'time')}",
            icon="edit_note",
            link=reverse("admin:core_contentgap_changelist"),
        )
    ]
