"""A report: the figures of a period by group, computed by the database in five queries, however much was asked.

The queries are over the views of the schema `reporting`, which hold no text. No input becomes a part of a query: it is
chosen from the parts here, and the days are parameters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from core.errors import ReportForbiddenError
from core.models import ChannelSetting, User
from core.quality.reports.grouping import Grouping, explain_lacking, list_permissions, may_group
from core.quality.reports.period import Period
from core.types import NOBODY_ASKED, FeedbackReason

_PLACES = {"direct": "Direct messages", "slack": "Slack", "rest": "REST", "mcp": "MCP", "command": "Command line"}
_NOTHING = {
    Grouping.ROLE: "No role",
    Grouping.CHANNEL: "Not known",
    Grouping.COLLECTION: "No document shown",
    Grouping.PERSON: "Not known, or deleted",
    Grouping.MODEL: "No model",
}

# Of each grouping, the key of a row, and the joins that it needs.
KEYS = {
    Grouping.DAY: ("(asked.asked_at AT TIME ZONE %(zone)s)::date::text", ""),
    Grouping.WEEK: ("date_trunc('week', asked.asked_at AT TIME ZONE %(zone)s)::date::text", ""),
    Grouping.ROLE: (
        "coalesce(held.role, '')",
        "LEFT JOIN reporting.person_roles AS held ON held.person_id = asked.person_id",
    ),
    # A direct message has a channel of its own, whose id would reveal the person.
    Grouping.CHANNEL: (
        """CASE WHEN asked.slack_channel IS NULL THEN coalesce(asked.origin, '')
                WHEN left(asked.slack_channel, 1) = 'D' THEN 'direct'
                ELSE asked.slack_team || '/' || asked.slack_channel END""",
        "",
    ),
    Grouping.COLLECTION: (
        "coalesce(read.collection, '')",
        """LEFT JOIN (
               SELECT DISTINCT citation.request_id, document.collection
                 FROM reporting.citations AS citation
                 JOIN reporting.documents AS document ON document.document_id = citation.document_id
           ) AS read ON read.request_id = asked.request_id""",
    ),
    Grouping.PERSON: ("coalesce(asked.person_id::text, '')", ""),
    Grouping.MODEL: ("asked.model", ""),
}
ALL = ("''", "")

# What nobody asked is no use of Footnote, nor is what it overheard and said nothing to.
_NOBODY_ASKED = ", ".join(f"'{origin}'" for origin in NOBODY_ASKED)
_PERIOD = (
    "asked.asked_at >= %(start)s AND asked.asked_at < %(end)s "
    f"AND coalesce(asked.origin, '') NOT IN ({_NOBODY_ASKED}) AND NOT asked.is_overheard"
)
# An abstention has no scores to average, and is not among what was scored.
_FIGURES = """
SELECT {key} AS key,
       count(*) AS questions,
       count(*) FILTER (WHERE asked.outcome = 'answered') AS answered,
       count(*) FILTER (WHERE asked.outcome = 'closest') AS closest,
       count(*) FILTER (WHERE asked.outcome = 'refused') AS refused,
       count(scored.request_id) AS evaluated,
       avg(scored.relevance_score) AS relevance,
       avg(scored.groundedness_score) AS groundedness,
       avg(scored.answer_relevance_score) AS answer_relevance,
       avg(asked.confidence) AS confidence,
       avg(asked.mean_similarity) AS mean_similarity,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY asked.response_time_ms) AS latency_p50_ms,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY asked.response_time_ms) AS latency_p95_ms,
       coalesce(sum(asked.prompt_tokens), 0) AS prompt_tokens,
       coalesce(sum(asked.completion_tokens), 0) AS completion_tokens,
       coalesce(sum(asked.cost_usd), 0) AS cost_usd
  FROM reporting.questions AS asked
  LEFT JOIN reporting.evaluations AS scored ON scored.request_id = asked.request_id AND NOT scored.abstained
  {joined}
 WHERE {period}
 GROUP BY 1
"""
_VOTES = """
SELECT {key} AS key,
       count(*) FILTER (WHERE vote.verdict = 'up') AS up,
       count(*) FILTER (WHERE vote.verdict = 'down') AS down,
       {reasons}
  FROM reporting.questions AS asked
  JOIN reporting.votes AS vote ON vote.request_id = asked.request_id
  {joined}
 WHERE {period}
 GROUP BY 1
"""
_REASONS = ", ".join(
    f"count(*) FILTER (WHERE vote.reasons @> ARRAY['{reason.value}']::varchar[]) AS {reason.value}"
    for reason in FeedbackReason
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportRow:
    """The figures of one group. Times in milliseconds, scores 0..1 and None where there is none."""

    key: str  # the day, the id of a person, the name of a role; "" where there is none, and in a total
    label: str  # the same for people to read
    questions: int
    answered: int
    closest: int  # unsure: no answer, but the passages that come closest
    refused: int
    up: int  # votes on the answers to these questions
    down: int
    reasons: dict[str, int]  # how often each reason was given, by core.types.FeedbackReason
    evaluated: int  # answers with scores; abstentions are not among them
    relevance: float | None
    groundedness: float | None
    answer_relevance: float | None
    confidence: float | None  # the mean of what was shown
    mean_similarity: float | None  # of the question with the passages that were read
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


# What the page and workbooks call the figures. CSV and JSON have the names of the fields, for programs.
HEADINGS = {
    "questions": "Questions",
    "answered": "Answered",
    "closest": "Closest",
    "refused": "Refused",
    "up": "Up",
    "down": "Down",
    "evaluated": "Scored",
    "relevance": "Context rel.",
    "groundedness": "Grounded",
    "answer_relevance": "Answer rel.",
    "confidence": "Confidence",
    "mean_similarity": "Similarity",
    "latency_p50_ms": "Median s",
    "latency_p95_ms": "95 % s",
    "prompt_tokens": "Tokens in",
    "completion_tokens": "Tokens out",
    "cost_usd": "US$",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """Figures by group, and over all questions of the period: where groups overlap that is not their sum."""

    period: Period
    by: Grouping
    total: ReportRow
    rows: tuple[ReportRow, ...]  # in time the oldest first, else the most questions first


_EMPTY: dict[str, Any] = {
    **{field.name: 0 if field.type in (int, float) else None for field in fields(ReportRow)},
    "reasons": {reason.value: 0 for reason in FeedbackReason},
}


def make_report(period: Period, by: Grouping, *, viewer: Any) -> Report:
    """The figures of a period in groups, for somebody who may have them so. ReportForbiddenError for anybody else.

    viewer: the person who will see it.
    """
    if not may_group(viewer, by):
        raise ReportForbiddenError(explain_lacking(viewer, list_permissions(by)))
    found = _find_rows(period, by)
    labels = _name_groups(by, found)
    rows = [_build_row(key, labels[key], figures) for key, figures in found.items()]
    rows.sort(key=lambda row: (0 if by.is_of_time else -row.questions, row.label))
    return Report(period=period, by=by, total=make_total(period), rows=tuple(rows))


def make_total(period: Period) -> ReportRow:
    """The figures over all questions of a period. Whoever calls this sees to it that the reader may read reports."""
    return _build_row("", "All", _find_rows(period, None).get("", {}))


def _find_rows(period: Period, by: Grouping | None) -> dict[str, dict[str, Any]]:
    """Return the figures and votes of each group, by its key. There is no vote without a question."""
    given = {"start": period.start, "end": period.end, "zone": settings.TIME_ZONE}
    found = {row.pop("key"): row for row in _run_query(figures_query(by), given)}
    for row in _run_query(votes_query(by), given):
        votes = found[row.pop("key")]
        votes |= {"up": row.pop("up"), "down": row.pop("down"), "reasons": row}
    return found


def _run_query(query: str, given: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _build_row(key: str, label: str, figures: Mapping[str, Any]) -> ReportRow:
    values = {**_EMPTY, **figures, "key": key, "label": label}
    return ReportRow(**{name: _make_plain(value) for name, value in values.items()})


def _make_plain(value: Any) -> Any:
    return round(float(value), 6) if isinstance(value, float | Decimal) else value


def _name_groups(by: Grouping, keys: Iterable[str]) -> dict[str, str]:
    """Replace keys with names for people."""
    names = {key: key or _NOTHING.get(by, "") for key in keys}
    if by is Grouping.PERSON:
        people = User.objects.in_bulk([UUID(key) for key in names if key])
        return names | {str(pk): str(person) for pk, person in people.items()}
    if by is Grouping.CHANNEL:
        settled = ChannelSetting.objects.exclude(name="").values_list("team_id", "channel_id", "name")
        named = {f"{team}/{channel}": f"#{name.removeprefix('#')}" for team, channel, name in settled}
        return {key: _PLACES.get(key) or named.get(key) or names[key].rpartition("/")[2] for key in names}
    return names


def figures_query(by: Grouping | None) -> str:
    """Figures by group; without a grouping one row over all questions, and none where there is no question."""
    key, joined = ALL if by is None else KEYS[by]
    return _FIGURES.format(key=key, joined=joined, period=_PERIOD)


def votes_query(by: Grouping | None) -> str:
    """Votes and their reasons, of the questions of the period, by group."""
    key, joined = ALL if by is None else KEYS[by]
    return _VOTES.format(key=key, joined=joined, period=_PERIOD, reasons=_REASONS)
