"""The figures at the top of the dashboard, of the last days and of the week, each with a link to what it counts."""

from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse

from adminsite.dashboard.scores import NOT_A_MEASUREMENT
from adminsite.figures import count_of, score_in_words
from core.asking.alerts import REFUSAL, REFUSAL_READ
from core.models import Alert, Chunk, ContentGap, Document, IngestionFile, QueryLog
from core.models.row_security import bypass_row_security
from core.quality.reports.figures import ReportRow, make_total
from core.quality.reports.period import Period
from core.types import NOBODY_ASKED

DAYS_OF_WEEK = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Tile:
    """One figure."""

    title: str
    value: str
    note: str
    icon: str  # of Material Symbols
    link: str
    bad: bool = False  # somebody should look into it


def list_tiles(request: HttpRequest, total: ReportRow) -> list[Tile]:
    """Use, quality and what waits for somebody. total: over the questions of the period that is shown."""
    return [*_list_use(total), *_list_gaps(request), *_list_library()]


def list_week(request: HttpRequest) -> list[Tile]:
    """Return people helped, answers without a person, what was refused wrongly, what to write next, and the cost.

    A fixed number of queries, however much was asked; no words of a question.
    """
    period = Period.last(DAYS_OF_WEEK)
    total = make_total(period)
    logs = QueryLog.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    asked = logs.exclude(query__conversation__origin__in=NOBODY_ASKED).exclude(query__is_overheard=True)
    answered: dict[str, Any] = asked.filter(refusal_reason="").aggregate(people=Count("user", distinct=True))
    handed = apps.get_model("bot", "HandOver").objects.filter(created_at__gte=period.start, query__isnull=False)
    by_people = handed.filter(query__log__refusal_reason="").count()
    alone = max(total.answered - by_people, 0)
    share = f"{alone / total.questions:.0%}" if total.questions else "–"
    refused = Alert.objects.filter(metric__in=(REFUSAL, REFUSAL_READ), created_at__gte=period.start).count()
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
        Tile(
            title="Refused, though it is there",
            value=f"{refused:,}",
            note="the documents seem to answer these",
            icon="report",
            link=_list_of("alert"),
            bad=refused > 0,
        ),
        *_list_to_write(request),
        Tile(
            title="Cost",
            value=f"US$ {total.cost_usd:,.2f}",
            note=f"{total.prompt_tokens + total.completion_tokens:,} tokens of language models",
            icon="payments",
            link=reports + "?by=model",
        ),
    ]


def _list_use(total: ReportRow) -> list[Tile]:
    answered = f"{total.answered / total.questions:.0%} answered" if total.questions else "none yet"
    if total.closest:
        answered += f", {total.closest / total.questions:.0%} closest passages"
    votes = total.up + total.down
    tokens = f"{total.prompt_tokens + total.completion_tokens:,} tokens"
    scored = f"{total.evaluated:,} scored"
    return [
        Tile(title="Questions", value=f"{total.questions:,}", note=answered, icon="help", link=_list_of("query")),
        Tile(
            title="Median time",
            value=_format_seconds(total.latency_p50_ms),
            note=f"95 % within {_format_seconds(total.latency_p95_ms)}",
            icon="timer",
            link=_list_of("query"),
        ),
        Tile(
            title="Votes",
            value=f"{total.up / votes:.0%} helpful" if votes else "–",
            note=f"{total.up:,} helpful, {total.down:,} not" if votes else "none yet",
            icon="thumbs_up_down",
            link=_list_of("feedback"),
        ),
        Tile(
            title="Groundedness",
            value=score_in_words(total.groundedness),
            note=scored if total.groundedness is not None else NOT_A_MEASUREMENT,
            icon="verified",
            link=_list_of("evaluationresult"),
        ),
        Tile(
            title="Cost",
            value=f"US$ {total.cost_usd:,.2f}",
            note=tokens,
            icon="payments",
            link=reverse("admin:core_querylog_reports") + "?by=model",
        ),
    ]


def _list_gaps(request: HttpRequest) -> list[Tile]:
    """Count the open gaps, for who may look at them."""
    if not request.user.has_perm("core.view_gaps"):
        return []
    waiting = ContentGap.objects.filter(state=ContentGap.State.OPEN).count()
    note = "questions asked in vain, by meaning"
    return [
        Tile(title="Open gaps", value=f"{waiting:,}", note=note, icon="contact_support", link=_list_of("contentgap"))
    ]


def _list_library() -> list[Tile]:
    alerts = Alert.objects.filter(acknowledged_at=None).count()
    failed = IngestionFile.objects.filter(state=IngestionFile.State.FAILED).count()
    unsaid = apps.get_model("bot", "Reply").objects.filter(state="failed").count()
    with bypass_row_security():
        documents, chunks = Document.objects.whole().count(), Chunk.objects.count()
    return [
        Tile(
            title="Open alerts",
            value=f"{alerts:,}",
            note="nobody has acknowledged",
            icon="notifications",
            link=_list_of("alert"),
            bad=alerts > 0,
        ),
        Tile(
            title="Documents",
            value=f"{documents:,}",
            note=count_of(chunks, "passage"),
            icon="description",
            link=_list_of("document"),
        ),
        Tile(
            title="Failed files",
            value=f"{failed:,}",
            note="in all ingestion jobs",
            icon="upload_file",
            link=_list_of("ingestionjob"),
            bad=failed > 0,
        ),
        Tile(
            title="Failed replies",
            value=f"{unsaid:,}",
            note="to questions from Slack",
            icon="reply",
            link=_list_of("reply", app="bot"),
            bad=unsaid > 0,
        ),
    ]


def _list_of(model: str, app: str = "core") -> str:
    return reverse(f"admin:{app}_{model}_changelist")


def _format_seconds(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def _list_to_write(request: HttpRequest) -> list[Tile]:
    """Count what is to be written next, for those who may see which questions are asked in vain."""
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
