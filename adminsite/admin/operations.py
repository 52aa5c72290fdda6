"""Show background jobs and the audit trail."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Case, Model, Q, QuerySet, When
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.urls import reverse
from django.utils import timezone
from procrastinate.contrib.django import app as jobs_app
from procrastinate.contrib.django.models import ProcrastinateEvent, ProcrastinateJob
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import action, display

from adminsite.admin.base import ReadOnlyAdmin, ReadOnlyInline, viewer
from core.access.audiences import may_decide_who_reads
from core.access.audit import export
from core.models import AuditEvent, Collection, Document, QueryLog, Role, User

FAILED = ("failed", "aborted")
JOB_LABELS = {"todo": "info", "doing": "primary", "succeeded": "success", "failed": "danger", "aborted": "warning"}
# What the trail is mostly about, and the field that names it; a question's is its id, for its text is its asker's.
NAMED: dict[str, tuple[type[Model], str]] = {
    "user": (User, "display_name"),
    "role": (Role, "name"),
    "document": (Document, "title"),
    "collection": (Collection, "name"),
    "query_log": (QueryLog, "request_id"),
}

# Kinds that are stored as the name of their table.
KINDS = {model._meta.model_name: str(model._meta.verbose_name) for model in apps.get_app_config("core").get_models()}

UNDOABLE = (AuditEvent.Action.GRANT, AuditEvent.Action.REVOKE)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def names_of(things: Iterable[tuple[str, str]], request: HttpRequest) -> dict[tuple[str, str], str]:
    """The names of (type, id) pairs, of those types whose pages the viewer may see."""
    ids: dict[str, list[str]] = defaultdict(list)
    for kind, pk in things:
        if (
            kind in NAMED
            and _UUID.fullmatch(pk)
            and request.user.has_perm(f"core.view_{NAMED[kind][0]._meta.model_name}")
        ):
            ids[kind].append(pk)
    return {
        (kind, str(pk)): name
        for kind, pks in ids.items()
        for pk, name in NAMED[kind][0]._default_manager.filter(pk__in=pks).values_list("pk", NAMED[kind][1])
    }


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """Events that access or answers depend on, with their actors."""

    when_empty = "Nothing is on record yet. Sign-ins, grants, changes and looks at other people's texts stand here."

    list_display = ("created_at", "show_actor", "show_action", "show_object", "show_kind", "number")
    list_filter = ("action", "object_type", ("created_at", RangeDateTimeFilter))
    list_filter_submit = True
    search_fields = ("=object_id", "actor__email")
    fields = (
        "created_at",
        "show_actor",
        "show_action",
        "object_type",
        "object_id",
        "details",
        "number",
        "digest",
    )
    readonly_fields = ("show_actor", "show_action", "number", "digest")
    actions_list = ("export_jsonl", "export_csv")
    actions_detail = ("undo",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        """Events with who did them, or with nobody where the person is deleted."""
        return super().get_queryset(request).select_related("actor")

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, with what its rows are about by name: one query for each kind of thing on the page."""
        changelist = super().get_changelist_instance(request)
        events = changelist.result_list = list(changelist.result_list)
        named = names_of({(event.object_type, event.object_id) for event in events}, request)
        for event in events:
            event.object_name = named.get((event.object_type, event.object_id), "")
        return changelist

    @action(description="Export as JSON lines", permissions=["view"], icon="download")
    def export_jsonl(self, request: HttpRequest) -> StreamingHttpResponse:
        """The whole trail with its chain of hashes, a JSON object per line."""
        return _export_trail(request, "jsonl", "application/jsonl")

    @action(description="Export as CSV", permissions=["view"], icon="download")
    def export_csv(self, request: HttpRequest) -> StreamingHttpResponse:
        """The whole trail with its chain of hashes, for a spreadsheet."""
        return _export_trail(request, "csv", "text/csv")

    def has_undo_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """A grant or a revocation is undone by who decides who reads."""
        undoable = AuditEvent.objects.filter(action__in=UNDOABLE, object_type="role")
        named = object_id is None or undoable.filter(pk=object_id).exists()
        return may_decide_who_reads(request.user) and named

    @action(description="Undo …", permissions=["undo"], icon="undo")
    def undo(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """To the page that says what undoing it does."""
        return HttpResponseRedirect(reverse("admin:core_role_undo", args=[object_id]))

    @display(description="Actor", ordering="actor__email")
    def show_actor(self, event: AuditEvent) -> str:
        """Return the actor: by address, or by id once the person is deleted."""
        return str(event.actor or event.actor_id or "–")

    @display(description="About", ordering="object_id")
    def show_object(self, event: Any) -> str:
        """Return the event's object, by name if it exists and the viewer may see such objects; else by id."""
        return event.object_name or event.object_id or "–"

    @display(description="Kind", ordering="object_type")
    def show_kind(self, event: AuditEvent) -> str:
        """Of what it was done to, in a word."""
        return KINDS.get(event.object_type) or event.object_type.replace("_", " ")

    @display(description="Action", label=True, ordering="action")
    def show_action(self, event: AuditEvent) -> str:
        """Return the action in words."""
        return event.get_action_display()


def _export_trail(request: HttpRequest, form: str, content_type: str) -> StreamingHttpResponse:
    name = f"footnote-audit-{timezone.now():%Y%m%dT%H%M%SZ}.{form}"
    return StreamingHttpResponse(
        export(form, by=viewer(request)),
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


class JobEventInline(ReadOnlyInline):
    """The events of a job, in order of time."""

    model = ProcrastinateEvent
    fields = ("type", "at")
    ordering = ("at",)


class HousekeepingFilter(admin.SimpleListFilter):
    """Filters the jobs: those that somebody waits for, with whatever failed; or all of them.

    What Footnote does by the clock, each minute or night, would otherwise fill the list.
    """

    title = "housekeeping"
    parameter_name = "jobs"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The choice beside the first one."""
        return [("all", "With housekeeping")]

    def choices(self, changelist: Any) -> Any:
        """The first choice leaves housekeeping out."""
        first, *rest = super().choices(changelist)
        return [{**first, "display": "Without, unless it failed"}, *rest]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Narrow the list, unless all are wanted."""
        if self.value() == "all":
            return queryset
        by_the_clock = {task.task.name for task in jobs_app.periodic_registry.periodic_tasks.values()}
        return queryset.exclude(~Q(status__in=FAILED), task_name__in=by_the_clock)


admin.site.unregister(ProcrastinateJob)


@admin.register(ProcrastinateJob)
class JobAdmin(ReadOnlyAdmin):
    """Background jobs. The worker alone changes them."""

    called = "background job"
    inlines = (JobEventInline,)
    list_display = ("id", "show_task", "show_status", "attempts", "queue_name", "scheduled_at")
    list_filter = (HousekeepingFilter, "status", "task_name")
    exclude = ("worker",)
    when_empty = (
        "Nothing is waiting, and nothing failed. The worker's jobs stand here: uploads, answers, evaluations. What it "
        "does by the clock is listed by the filter."
    )

    def get_ordering(self, request: HttpRequest) -> Any:
        """Return the order of the jobs: failed ones first, then the newest."""
        return (Case(When(status__in=FAILED, then=0), default=1).asc(), "-id")

    @display(description="Task", ordering="task_name")
    def show_task(self, job: Any) -> str:
        """Name the task in words; its page has the name that it has in logs."""
        return str(job.task_name).rpartition(".")[2].replace("_", " ").capitalize()

    @display(description="Status", label=JOB_LABELS, ordering="status")
    def show_status(self, job: Any) -> str:
        """Return the state of the job."""
        return str(job.status)
