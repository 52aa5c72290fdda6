"""The figures at the top of the dashboard, each with a link to what it counts."""

from dataclasses import dataclass

from django.apps import apps
from django.http import HttpRequest
from django.urls import reverse

from adminsite.dashboard.scores import NOT_A_MEASUREMENT
from adminsite.figures import count_of, score_in_words
from core.models import Alert, Chunk, ContentGap, Document, IngestionFile
from core.models.row_security import bypass_row_security
from core.quality.reports.figures import ReportRow


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
            value=_seconds(total.latency_p50_ms),
            note=f"95 % within {_seconds(total.latency_p95_ms)}",
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
    """For who may look at them."""
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
        documents, chunks = Document.objects.count(), Chunk.objects.count()
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


def _seconds(milliseconds: float | None) -> str:
    return "–" if milliseconds is None else f"{milliseconds / 1000:.1f} s"
