"""The page that says what other thresholds would have done to the last days' questions, from logs without text."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from adminsite.admin.threshold_form import describe_now, open_form, take_form
from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, REFUSED, bars
from core.models import Feedback, QueryLog
from core.quality.reports.promises import KEY_FREE, answer_from, in_hundredths, list_promises, read_thresholds
from core.types import Origin, RefusalReason

DAYS = 30
ENDS = ("Answered", "Closest", "Refused")
SHOWN = range(5, 100, 5)  # values, in hundredths
# Ends that a threshold decides: all others are the same whatever is set.
_DECIDED = ("", RefusalReason.UNSURE, RefusalReason.NOTHING_FOUND, RefusalReason.INSUFFICIENT)
_SHARES = (0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionsByConfidence:
    """Holds questions by how sure the passages made an answer, in hundredths, with the votes on what people got."""

    title: str
    note: str
    questions: Counter[int]
    helpful: Counter[int]
    not_helpful: Counter[int]
    settled: int = 0  # answers besides, of which no threshold decides

    def ends(self, *, answer_from: int, closest_from: int) -> tuple[int, int, int]:
        """Count answers, closest passages and refusals under these thresholds, in hundredths."""
        total = self.questions.total()
        answered = sum(count for sure, count in self.questions.items() if sure >= answer_from)
        shown = sum(count for sure, count in self.questions.items() if sure >= min(closest_from, answer_from))
        return answered + self.settled, shown - answered, total - shown


def thresholds_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show counts by threshold, for questions without and with a language model; take the form that changes them."""
    form = open_form(request)
    if request.method == "POST":
        answer = take_form(model_admin, request, form)
        if answer is not None:
            return answer
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Thresholds",
        "opts": model_admin.opts,
        "days": DAYS,
        **describe_now(request, form),
        "promises": show_promises(),
        "kinds": [page_of(kind) for kind in count_asked()],
    }
    return TemplateResponse(request, "adminsite/thresholds.html", context)


def count_asked() -> list[QuestionsByConfidence]:
    """Count the questions of the last days: those without a language model and those with one, where there are any."""
    since = timezone.now() - dt.timedelta(days=DAYS)
    logs = QueryLog.objects.order_by().filter(created_at__gte=since, refusal_reason__in=_DECIDED)
    # A page about a topic quotes sections that no estimate let through.
    logs = logs.exclude(query__conversation__origin=Origin.RESEARCH)
    own, stands = Q(model_provider=KEY_FREE), Q(refusal_reason="")
    kinds = [
        _count_questions("Without a language model", "Only the estimate decided.", logs.filter(own)),
        _count_questions(
            "With a language model",
            "If the model's statements were verified, there was an answer whatever the estimate was, and no "
            "threshold changes that. The estimate decided the others.",
            logs.filter(~own & ~stands),
            settled=logs.filter(~own & stands).count(),
        ),
    ]
    return [kind for kind in kinds if kind.questions or kind.settled]


def page_of(kind: QuestionsByConfidence) -> dict[str, Any]:
    """Build the template's context for questions of one kind."""
    answered_from, closest_from = _to_hundredths(answer_from()), _to_hundredths(read_thresholds().closest_from)
    answers = _list_values(answered_from)
    closest = [value for value in _list_values(closest_from) if value <= answered_from]
    by_answer = [kind.ends(answer_from=value, closest_from=closest_from) for value in answers]
    by_closest = [kind.ends(answer_from=answered_from, closest_from=value) for value in closest]
    return {
        "title": kind.title,
        "note": kind.note,
        "settled": kind.settled,
        "options": json.dumps(BAR_OPTIONS),
        "answer_chart": json.dumps(_build_chart(answers, by_answer)),
        "answer_table": _build_table("ANSWER_FROM", ENDS, kind, answers, by_answer, answered_from),
        "closest_chart": json.dumps(_build_chart(closest, by_closest)),
        "closest_table": _build_table("CLOSEST_FROM", ENDS[1:], kind, closest, by_closest, closest_from),
    }


def show_promises() -> dict[str, Any]:
    """Return a table of the shares that ANSWERS_RIGHT may ask for, and from which estimate each is kept."""
    rows = []
    for promise in list_promises(sorted({*_SHARES, settings.ANSWERS_RIGHT} - {0})):
        kept = ("never", "–")
        if promise.count:
            right = promise.right / promise.count
            kept = (f"{promise.threshold:.2f}", f"{promise.right:,} of {promise.count:,} ({right:.0%})")
        rows.append((f"{promise.share:.0%}{' (current)' if promise.share == settings.ANSWERS_RIGHT else ''}", *kept))
    return {"headers": ("ANSWERS_RIGHT", "Answers from", "Known answers that were right"), "rows": rows}


def _count_questions(title: str, note: str, logs: QuerySet[QueryLog], *, settled: int = 0) -> QuestionsByConfidence:
    votes = Feedback.objects.order_by().filter(answer__query__log__in=logs)
    said = votes.values("verdict").annotate(sure=_find_estimate("answer__query__log__"), count=Count("pk"))
    by_verdict: dict[str, Counter[int]] = {verdict: Counter() for verdict in Feedback.Verdict.values}
    for row in said:
        by_verdict[row["verdict"]][row["sure"]] += row["count"]
    counted = logs.annotate(sure=_find_estimate("")).values("sure").annotate(count=Count("pk"))
    return QuestionsByConfidence(
        title=title,
        note=note,
        questions=Counter({row["sure"]: row["count"] for row in counted}),
        helpful=by_verdict["up"],
        not_helpful=by_verdict["down"],
        settled=settled,
    )


def _find_estimate(log: str) -> Cast:
    """Return the estimate in hundredths. Questions from before it was logged have the confidence that was shown."""
    return in_hundredths(Coalesce(F(f"{log}estimate"), F(f"{log}confidence")))


def _to_hundredths(threshold: float) -> int:
    return round(threshold * 100)


def _list_values(current: int) -> list[int]:
    return sorted({*SHOWN, current})


def _build_chart(values: Sequence[int], ends: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    counts = zip(*ends, strict=True)
    stacks = zip(ENDS, counts, (ANSWERED, CLOSEST, REFUSED), strict=True)
    return {"labels": [_format_threshold(value) for value in values], "datasets": [bars(*stack) for stack in stacks]}


def _build_table(
    setting: str,
    shown: Sequence[str],
    kind: QuestionsByConfidence,
    values: Sequence[int],
    ends: Sequence[tuple[int, int, int]],
    current: int,
) -> dict[str, Any]:
    """Build a row for each value, with the last of the ENDS, and the votes from that value up to the next."""
    rows = []
    for value, until, end in zip(values, [*values[1:], 101], ends, strict=True):
        named = f"{_format_threshold(value)} (current)" if value == current else _format_threshold(value)
        rows.append((named, *(f"{count:,}" for count in end[-len(shown) :]), _count_votes(kind, value, until)))
    return {"headers": (setting, *shown, "Votes"), "rows": rows}


def _count_votes(kind: QuestionsByConfidence, value: int, until: int) -> str:
    """Count the votes on results whose estimate lies from one value to the next."""
    helpful, not_helpful = (
        sum(count for sure, count in votes.items() if value <= sure < until)
        for votes in (kind.helpful, kind.not_helpful)
    )
    return f"{helpful:,} up, {not_helpful:,} down" if helpful or not_helpful else "–"


def _format_threshold(value: int) -> str:
    return f"{value / 100:.2f}"
