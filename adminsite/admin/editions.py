"""The page that shows what new editions of documents did to answers."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from adminsite.admin.base import viewer
from adminsite.admin.reports import DaysForm
from core.models import SourceChange
from core.quality.reports.editions import EditionRow, may_report_editions, report_editions
from core.quality.reports.period import Period

SHOWN_ROWS = 200
_KINDS = {
    SourceChange.Kind.REPLACED.value: "new edition",
    SourceChange.Kind.WITHDRAWN.value: "withdrawn",
    SourceChange.Kind.DELETED.value: "deleted",
}


def editions_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show how changes of documents affected earlier answers, to viewers of both reports and documents."""
    if not may_report_editions(request.user):
        raise PermissionDenied
    usual = Period.of(None, None)
    given = {"since": usual.since.isoformat(), "until": usual.until.isoformat()}
    given |= {name: value for name, value in request.GET.dict().items() if name in given and value}
    form = DaysForm(data=given)
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "What new editions did",
        "opts": model_admin.opts,
        "form": form,
    }
    if not form.is_valid():
        return TemplateResponse(request, "adminsite/editions.html", context, status=400)
    rows = report_editions(form.cleaned_data["period"], viewer=viewer(request)).rows
    shown = {
        "rows": [(row, _describe(row)) for row in rows[:SHOWN_ROWS]],
        "left_out": max(0, len(rows) - SHOWN_ROWS),
        "is_shown": True,
    }
    return TemplateResponse(request, "adminsite/editions.html", {**context, **shown})


def _describe(row: EditionRow) -> str:
    """Describe the change of a document in words."""
    return f"{_KINDS[row.kind]} {row.version}" if row.kind == SourceChange.Kind.REPLACED else _KINDS[row.kind]
