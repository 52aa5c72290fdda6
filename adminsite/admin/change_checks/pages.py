"""Changes before they are live: the list of their checks, the page of each, and the decision about it."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.decorators import display

from adminsite.admin.access.matrix import may_see_matrix
from adminsite.admin.base import ReadOnlyAdmin, record, viewer, viewer_audience
from adminsite.admin.change_checks.limits import CHANGE_LIMITS, limits_page
from adminsite.admin.change_checks.shown import (
    LABELS_IN_WORDS,
    STATE_LABELS,
    chart_outcomes,
    describe_change,
    describe_crossed,
    describe_decision,
    describe_progress,
    have_readers_changed,
    list_documents,
    list_people_rows,
    list_question_rows,
    list_tiles,
    name_roles,
)
from core.errors import FootnoteError
from core.models import AuditEvent, ChangeCheck
from core.quality.change_checks.deciding import approve, decline, may_check, may_decide, stop
from core.quality.change_checks.listing import Viewer
from core.quality.change_checks.submitting import check_again
from core.quality.examination.deciding import VIEW as VIEW_EXAMINATIONS
from core.quality.reports.grouping import VIEW_REPORTS
from core.values.change_checks import DECIDABLE, ChangeKind, CheckState

PAGE = "admin:core_changecheck_"
_WAITING_FIRST = Case(When(state=CheckState.HELD, then=Value(0)), default=Value(1))


@admin.register(ChangeCheck)
class ChangeCheckAdmin(ReadOnlyAdmin):
    """Checks of changes, those first that wait for a yes."""

    when_empty = (
        "A change is listed here once its answers are checked: press Check first where grants or thresholds are "
        "changed, or where a model was examined; or switch a limit on, and Footnote checks such changes by itself."
    )
    list_display = ("kind", "show_state", "show_asked", "show_worse", "asked_by", "created_at")
    list_filter = (("state", ChoicesDropdownFilter), ("kind", ChoicesDropdownFilter))
    list_filter_submit = True
    list_select_related = ("run__source", "job", "examination", "asked_by")
    list_before_template = "adminsite/change_checks/about.html"
    ordering = (_WAITING_FIRST.asc(), "-created_at", "pk")
    fields: ClassVar = ("kind",)

    @display(description="State", label=LABELS_IN_WORDS, ordering="state")
    def show_state(self, row: ChangeCheck) -> str:
        """Return the state in words."""
        is_replaced = row.state == CheckState.DECLINED and row.decided_at is None
        return "checked again later" if is_replaced else row.get_state_display()

    @display(description="Questions asked")
    def show_asked(self, row: ChangeCheck) -> str:
        """Return how many of its questions were asked."""
        return f"{row.asked} of {row.total}" if row.total else "–"

    @display(description="Worse")
    def show_worse(self, row: ChangeCheck) -> str:
        """Return how many answers get worse."""
        return str(row.figures.get("worse", "–"))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, below what belongs there."""
        about = {"may_change_limits": request.user.has_perm(CHANGE_LIMITS), "places": _list_places(request)}
        return super().changelist_view(request, {**(extra_context or {}), **about})

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the columns; the change is in words, with the names that this viewer may see."""

        @display(description="Change")
        def show_change(row: ChangeCheck) -> str:
            return describe_change(request, row).words

        return (show_change, *self.list_display[1:])

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one check: figures for all who may see it, people and questions as far as the viewer may know them."""
        if request.method == "POST":  # each step has an address of its own
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None or not self.has_view_permission(request, row):
            return super().change_view(request, object_id, form_url, extra_context)
        described = describe_change(request, row, name_roles(request, row))
        context = {
            **self.admin_site.each_context(request),
            "title": described.words,
            "opts": self.opts,
            "check": row,
            "described": described,
            **list_documents(request, row),
            "state_words": row.get_state_display(),
            "state_label": STATE_LABELS[CheckState(row.state)],
            "by_model": row.kind == ChangeKind.MODEL,
            "progress": describe_progress(row) if row.is_under_way else None,
            **_describe_rights(request, row),
            **(self._describe_end(request, row) if row.figures else {}),
        }
        return TemplateResponse(request, "adminsite/change_checks/check.html", context)

    def _describe_end(self, request: HttpRequest, row: ChangeCheck) -> dict[str, Any]:
        """Describe what a check found. That another person's question is shown is recorded."""
        seen_by = Viewer.of(viewer(request), viewer_audience(request))
        questions = list_question_rows(request, row, seen_by)
        if questions.shows_others:
            record(request, AuditEvent.Action.READ_TEXT, row)
        return {
            "tiles": list_tiles(row),
            "crossed": describe_crossed(row),
            **chart_outcomes(row),
            "people": list_people_rows(row, seen_by),
            "sees_people": seen_by.sees_people,
            "questions": questions.rows,
            "more_questions": questions.more,
            "hidden_questions": questions.hidden,
            "has_lines": row.lines.exists(),
        }

    def get_urls(self) -> list[Any]:
        """Return the pages, with what can be done."""
        view, name = self.admin_site.admin_view, "core_changecheck_{}"
        return [
            path("limits/", view(partial(limits_page, self)), name=name.format("limits")),
            path("<uuid:pk>/progress/", view(self.progress_view), name=name.format("progress")),
            path("<uuid:pk>/approve/", view(self.approve_view), name=name.format("approve")),
            path("<uuid:pk>/decline/", view(self.decline_view), name=name.format("decline")),
            path("<uuid:pk>/stop/", view(self.stop_view), name=name.format("stop")),
            path("<uuid:pk>/again/", view(self.again_view), name=name.format("again")),
            *super().get_urls(),
        ]

    def progress_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Show how far a check is, fetched again and again while it runs; then the page is loaded afresh."""
        row = self._find(request, pk)
        context = {"progress": describe_progress(row), **_describe_rights(request, row)}
        response = TemplateResponse(request, "adminsite/change_checks/progress.html", context)
        if not row.is_under_way:
            response["HX-Refresh"] = "true"
        return response

    def approve_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Put the change live."""
        return self._act(request, pk, approve, "The change is live.")

    def decline_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Say no."""
        return self._act(request, pk, decline, "Declined: the change is not made.")

    def stop_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Stop asking."""
        return self._act(request, pk, stop, "The check is being stopped. Its change is not made.")

    def again_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Check the same change anew, and lead to its new check."""
        row = self._find(request, pk)
        if not may_decide(viewer(request), row):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            row = check_again(row, by=viewer(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        else:
            self.message_user(request, "It is checked again. This page shows the progress.", messages.SUCCESS)
        return HttpResponseRedirect(address_of(row))

    def _act(self, request: HttpRequest, pk: UUID, act: Callable[..., None], said: str) -> HttpResponse:
        """Do something with a check that the viewer may see, or say why not."""
        row = self._find(request, pk)
        if not (may_check(viewer(request)) or row.asked_by_id == viewer(request).pk):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        try:
            act(row, by=viewer(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.ERROR)
        else:
            self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(address_of(row))

    def _find(self, request: HttpRequest, pk: UUID) -> ChangeCheck:
        """Return a check. PermissionDenied for who may see none, Http404 without one."""
        row: ChangeCheck | None = self.get_object(request, str(pk))
        if row is None:
            raise Http404
        return row


def address_of(check: ChangeCheck) -> str:
    """Return the address of a check's page."""
    return reverse(f"{PAGE}change", args=[check.pk])


def _list_places(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the pages on which the viewer can have a change checked, by name and address."""
    places = (
        ("Who reads what", "admin:core_role_matrix", may_see_matrix(request)),
        ("Thresholds", "admin:core_querylog_thresholds", request.user.has_perm(VIEW_REPORTS)),
        ("Model examinations", "admin:core_modelexamination_changelist", request.user.has_perm(VIEW_EXAMINATIONS)),
    )
    return [(name, reverse(page)) for name, page, may in places if may]


def _describe_rights(request: HttpRequest, row: ChangeCheck) -> dict[str, Any]:
    """Say what the viewer may do with a check as it is now."""
    person = viewer(request)
    decides = may_decide(person, row)
    is_decidable = row.state in DECIDABLE
    has_changed = is_decidable and have_readers_changed(row)
    is_unfinished = row.state in (CheckState.STOPPED, CheckState.FAILED)
    return {
        "may_decide": decides and is_decidable,
        "is_decidable": is_decidable,
        "may_stop": row.is_under_way and (decides or row.asked_by_id == person.pk),
        "has_changed": has_changed,
        "may_check_again": decides and is_decidable and (has_changed or is_unfinished),
        **(describe_decision(row) if is_decidable else {}),
    }
