"""The pages of runs: how far one is, what it did with each document, and the decision that one waits for."""

import datetime as dt
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, IntegerField, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, ReadOnlyInline, viewer
from adminsite.admin.change_checks.shown import find_check_line
from core.access.audiences import may_decide_who_reads
from core.errors import FootnoteError
from core.library.ingestion.languages import count_languages
from core.library.sync.readers import count_groups
from core.library.sync.removals import count_gone, find_gone
from core.library.sync.runs import decide, stop
from core.models import Document, SyncChange, SyncItem, SyncRun

State = SyncRun.State
RUN_LABELS = {
    State.QUEUED.label: "info",
    State.LISTING.label: "primary",
    State.ASKING.label: "warning",
    State.CHECKING.label: "warning",
    State.APPLYING.label: "primary",
    State.INGESTING.label: "primary",
    State.DONE.label: "success",
    State.PARTLY_FAILED.label: "warning",
    State.FAILED.label: "danger",
    State.STOPPED.label: "info",
}
REFRESH_SECONDS = 3
MOST_GONE = 20  # documents that are named before a decision
_FEWEST_DONE = 5  # before there is an estimate
_ORDER = ("failed", "gone", "added", "changed", "returned", "readers", "left_out")
CHANGE_LABELS = {
    SyncChange.Outcome.FAILED.label: "danger",
    SyncChange.Outcome.GONE.label: "warning",
    SyncChange.Outcome.ADDED.label: "success",
    SyncChange.Outcome.CHANGED.label: "primary",
    SyncChange.Outcome.RETURNED.label: "success",
    SyncChange.Outcome.READERS.label: "info",
    SyncChange.Outcome.WAITS.label: "warning",
    SyncChange.Outcome.LEFT_OUT.label: "info",
}


def progress_of(run: SyncRun, request: HttpRequest) -> dict[str, Any]:
    """Build a run's panel for its viewer. `share` is in per cent, `left` None or words."""
    running, asking = run.state in SyncRun.ACTIVE, run.state == State.ASKING
    pending = run.source.items.filter(is_pending=True).count() if running else 0
    done = max(run.to_load - pending, 0)
    counts = dict(run.changes.values_list("outcome").annotate(count=Count("pk")).order_by())
    gone = count_gone(run) if asking else counts.get(SyncChange.Outcome.GONE, 0)
    touched = {SyncChange.Outcome.ADDED, SyncChange.Outcome.CHANGED, SyncChange.Outcome.RETURNED}
    languages, missed = count_languages([run.languages] if run.languages else [])
    changed = sum(counts.get(outcome, 0) for outcome in touched) + counts.get(SyncChange.Outcome.FAILED, 0)
    return {
        "run": run,
        "source": run.source,
        "state": run.get_state_display(),
        "state_label": RUN_LABELS[run.get_state_display()],
        "running": running,
        "asking": asking,
        "checking": run.state == State.CHECKING,
        "gone": gone,
        "gone_named": _name_gone(run, request) if asking else [],
        "gone_more": max(gone - MOST_GONE, 0),
        # What a run that waits, failed or was stopped left marked, it has not read.
        "tells_read": running or run.state in (State.DONE, State.PARTLY_FAILED),
        "counts": [(outcome.value, outcome.label, counts.get(outcome, 0)) for outcome in SyncChange.Outcome],
        "unread": _explain_unread(run, request),
        "languages": languages,
        "missed": missed,
        "unchanged": max(run.listed - changed, 0) if run.finished_at and run.lists else None,
        "done": done,
        "to_load": run.to_load,
        "share": round(100 * done / run.to_load) if run.to_load else 0,
        "left": _time_left(run, done, pending) if running else None,
        "refresh_seconds": REFRESH_SECONDS,
    }


def _explain_unread(run: SyncRun, request: HttpRequest) -> str:
    """Say that groups of a source stand for no role here, for who may look at groups; "" where there is none to map.

    A run is done without them, and nobody reads what it brought.
    """
    source = run.source
    if not source.takes_readers or source.listed_at is None or not request.user.has_perm("core.view_sourcegroup"):
        return ""
    named, unmapped = count_groups(source)
    if named and not unmapped:
        return ""
    if unmapped < named:
        return f"{unmapped} of {named} groups at the source stand for no role here, and read nothing."
    why = "none of its groups stands for a role here" if named else "it named no group that reads them"
    return f"Nobody reads the documents of this source yet: {why}. Only what somebody grants by hand is read."


def _name_gone(run: SyncRun, request: HttpRequest) -> list[tuple[str, str]]:
    """Return the names of the first items that are gone, each with the address of its document, "" for no link.

    Names are for who may look at the changes of runs, which name the same items later; links for who may look at
    documents.
    """
    if not request.user.has_perm("core.view_syncchange"):
        return []
    items = list(find_gone(run)[:MOST_GONE])
    documents: dict[Any, Any] = {}
    if request.user.has_perm("core.view_document"):
        documents = dict(Document.objects.filter(sync_item__in=items).values_list("sync_item", "pk"))
    pages = {item: reverse("admin:core_document_change", args=[document]) for item, document in documents.items()}
    return [(item.name, pages.get(item.pk, "")) for item in items]


def _time_left(run: SyncRun, done: int, pending: int) -> str | None:
    """Estimate the remaining time at the rate so far, in words."""
    if done < _FEWEST_DONE or run.listed_at is None:
        return None
    left = (timezone.now() - run.listed_at) / done * pending
    if left < dt.timedelta(minutes=1):
        return "less than a minute"
    minutes = round(left.total_seconds() / 60)
    return f"about {minutes} min" if minutes < 120 else f"about {round(minutes / 60)} h"


class ChangeInline(ReadOnlyInline):
    """The changes that the run made, failures first."""

    model = SyncChange
    fields = ("show_outcome", "show_name", "message")
    verbose_name_plural = "What it did"
    tab = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[SyncChange]:
        """Order the changes that need attention first."""
        places = [When(outcome=outcome, then=Value(place)) for place, outcome in enumerate(_ORDER)]
        order = Case(*places, default=Value(len(_ORDER)), output_field=IntegerField())
        return super().get_queryset(request).order_by(order, "name")

    @display(description="Outcome", label=CHANGE_LABELS)
    def show_outcome(self, change: SyncChange) -> str:
        """In words."""
        return change.get_outcome_display()

    @display(description="Document")
    def show_name(self, change: SyncChange) -> SafeString | str:
        """Return what the source calls it; a link while there is a document of it."""
        if change.document_id is None:
            return change.name
        return format_html(
            '<a class="text-link" href="{}">{}</a>',
            reverse("admin:core_document_change", args=[change.document_id]),
            change.name,
        )


@admin.register(SyncRun)
class SyncRunAdmin(ReadOnlyAdmin):
    """Runs of data sources."""

    when_empty = "No source has been asked yet."
    inlines = (ChangeInline,)
    change_form_outer_before_template = "adminsite/sources/run_page.html"
    list_display = ("source", "show_state", "scope", "created_at", "listed", "to_load", "finished_at", "error")
    list_filter = (
        ("source", RelatedDropdownFilter),
        ("state", ChoicesDropdownFilter),
        ("scope", ChoicesDropdownFilter),
    )
    list_filter_submit = True
    list_select_related = ("source",)
    fields = ("source", "scope", "started_by", "created_at", "started_at", "listed_at", "finished_at", "error")

    def get_urls(self) -> list[Any]:
        """Return the pages of runs, with the panel and what can be decided."""
        site = self.admin_site.admin_view
        return [
            path("<uuid:run_id>/progress/", site(self.progress_view), name="core_syncrun_progress"),
            path("<uuid:run_id>/decide/", site(self.decide_view), name="core_syncrun_decide"),
            *super().get_urls(),
        ]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a run with its panel."""
        run = self.get_object(request, object_id)
        extra = {
            **(extra_context or {}),
            "progress": progress_of(run, request) if run is not None else None,
            "may_run": _may_run(request),
            **(find_check_line(request, run.checks) if run is not None else {}),
        }
        response: HttpResponse = super().change_view(request, object_id, form_url, extra)
        return response

    def progress_view(self, request: HttpRequest, run_id: Any) -> HttpResponse:
        """Show the panel alone, fetched again and again while the run goes on; then the page is loaded afresh."""
        run = self.get_object(request, str(run_id))
        if run is None or not self.has_view_permission(request, run):
            raise Http404
        progress = progress_of(run, request)
        context = {"progress": progress, "may_run": _may_run(request)}
        response = TemplateResponse(request, "adminsite/sources/run.html", context)
        if not progress["running"]:
            response["HX-Refresh"] = "true"
        return response

    @method_decorator(require_POST)
    def decide_view(self, request: HttpRequest, run_id: Any) -> HttpResponse:
        """Let a run withdraw what is gone, or stop it."""
        if not _may_run(request):
            raise PermissionDenied
        run = get_object_or_404(SyncRun, pk=run_id)
        try:
            if run.state == SyncRun.State.ASKING:
                decide(run, withdraw=request.POST.get("withdraw") == "yes", by=viewer(request))
            else:
                stop(run, by=viewer(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.WARNING)
        return HttpResponseRedirect(reverse("admin:core_syncrun_change", args=[run.pk]))

    @display(description="State", label=RUN_LABELS)
    def show_state(self, run: SyncRun) -> str:
        """Return the state of the run."""
        return run.get_state_display()


@admin.register(SyncItem)
class SyncItemAdmin(ReadOnlyAdmin):
    """Items of data sources as last listed, with those that failed and those that are missing."""

    when_empty = "No source has been listed yet."
    list_display = ("name", "source", "show_state", "error", "attempts", "next_try_at")
    list_filter = (
        ("source", RelatedDropdownFilter),
        "is_stored",
        "is_gone",
        ("next_try_at", admin.EmptyFieldListFilter),
    )
    list_filter_submit = True
    list_select_related = ("source",)
    search_fields = ("name",)
    fields = ("source", "name", "key", "show_state", "groups", "error", "attempts", "next_try_at", "seen_in")

    @display(description="State", label={"in the library": "success", "failed": "danger", "gone": "warning"})
    def show_state(self, item: SyncItem) -> str:
        """In words."""
        if item.is_gone:
            return "gone"
        if item.error:
            return "failed"
        return "in the library" if item.is_stored else "not read yet"


def _may_run(request: HttpRequest) -> bool:
    """Return True if the viewer may run sources, since a run's additions and withdrawals decide who reads."""
    return request.user.has_perm("core.change_datasource") and may_decide_who_reads(request.user)
