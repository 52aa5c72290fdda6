"""The pages of reports: figures of a period in groups, also as a file, and what new editions of documents did."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminSelectWidget

from adminsite.admin.base import DayInput, viewer
from adminsite.dashboard.reports import SORTS, charts, table
from adminsite.dashboard.scores import explain_current
from adminsite.downloads import FILES, file_name, record_export
from core.errors import ReportError
from core.models import SourceChange
from core.quality.reports.editions import EditionRow, may_report_editions, report_editions
from core.quality.reports.figures import make_report
from core.quality.reports.grouping import VIEW_REPORTS, Grouping, list_groupings
from core.quality.reports.period import Period

_LABELS = {
    Grouping.DAY: "Day",
    Grouping.WEEK: "Week",
    Grouping.ROLE: "Role of who asked",
    Grouping.CHANNEL: "Channel, or where else it was asked",
    Grouping.COLLECTION: "Collection of the documents shown",
    Grouping.PERSON: "Person",
    Grouping.MODEL: "Model",
}
SHOWN_ROWS = 200
_CHANGES = {
    SourceChange.Kind.REPLACED.value: "new edition",
    SourceChange.Kind.WITHDRAWN.value: "withdrawn",
    SourceChange.Kind.DELETED.value: "deleted",
}


class DaysForm(forms.Form):
    """The days that a report covers."""

    since = forms.DateField(label="From", required=False, widget=DayInput)
    until = forms.DateField(label="To", required=False, widget=DayInput)

    def clean(self) -> dict[str, Any]:
        """Add the period. ValidationError for days that make no report."""
        given = self.cleaned_data
        if "since" in given and "until" in given:
            try:
                given["period"] = Period.of(given["since"], given["until"])
            except ReportError as error:
                self.add_error("since", error.message)
        return given


class ReportForm(DaysForm):
    """A form for the groups and days of the report."""

    by = forms.ChoiceField(label="By", widget=UnfoldAdminSelectWidget)

    def __init__(self, groupings: list[Grouping], **options: Any) -> None:
        super().__init__(**options)
        choices = forms.ChoiceField(choices=[(by.value, _LABELS[by]) for by in groupings]).choices
        self.fields["by"].choices = choices  # type: ignore[attr-defined]  # it is a choice field


def reports_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show figures in groups, to who may read reports; with `format` in the address as a file, which is recorded."""
    if not request.user.has_perm(VIEW_REPORTS):
        raise PermissionDenied
    usual = Period.of(None, None)
    given = {"by": Grouping.DAY.value, "since": usual.since.isoformat(), "until": usual.until.isoformat()}
    given |= {name: value for name, value in request.GET.dict().items() if name in given and value}
    form = ReportForm(list_groupings(request.user), data=given)
    context = {**model_admin.admin_site.each_context(request), "title": "Reports", "opts": model_admin.opts}
    if not form.is_valid():
        return TemplateResponse(request, "adminsite/reports.html", {**context, "form": form}, status=400)
    report = make_report(form.cleaned_data["period"], Grouping(form.cleaned_data["by"]), viewer=viewer(request))
    if request.GET.get("format") in FILES:
        file = FILES[request.GET["format"]]
        record_export(viewer(request), report, file)
        headers = {"Content-Disposition": f'attachment; filename="{file_name(report, file)}"'}
        return HttpResponse(file.write(report), content_type=file.content_type, headers=headers)
    sort = request.GET.get("sort", "")
    sort = sort if sort.removeprefix("-") in SORTS else ""
    shown = {
        "form": form,
        "report": report,
        "table": table(report, sort),
        **charts(report),
        "may_see_editions": may_report_editions(request.user),
        "scores_tell": explain_current(settings.EVALUATION_MODEL),
        "address": {
            "by": str(report.by),
            "since": report.period.since.isoformat(),
            "until": report.period.until.isoformat(),
        },
    }
    return TemplateResponse(request, "adminsite/reports.html", {**context, **shown})


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
        "rows": [(row, _describe_change(row)) for row in rows[:SHOWN_ROWS]],
        "left_out": max(0, len(rows) - SHOWN_ROWS),
        "is_shown": True,
    }
    return TemplateResponse(request, "adminsite/editions.html", {**context, **shown})


def _describe_change(row: EditionRow) -> str:
    """Describe the change of a document in words."""
    return f"{_CHANGES[row.kind]} {row.version}" if row.kind == SourceChange.Kind.REPLACED else _CHANGES[row.kind]
