"""What runs and what was done: background jobs and the audit trail."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from procrastinate.contrib.django.models import ProcrastinateEvent, ProcrastinateJob
from unfold.contrib.filters.admin import RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, ReadOnlyInline
from core.models import AuditEvent

JOB_LABELS = {"todo": "info", "doing": "primary", "succeeded": "success", "failed": "danger", "aborted": "warning"}


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """Who did what that access or answers depend on."""

    list_display = ("created_at", "actor", "shown_action", "object_type", "object_id")
    list_filter = ("action", "object_type", ("created_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_select_related = ("actor",)
    search_fields = ("=object_id", "actor__email")

    @display(description="Action", label=True, ordering="action")
    def shown_action(self, event: AuditEvent) -> str:
        """What was done."""
        return event.action.replace("_", " ")


class JobEventInline(ReadOnlyInline):
    """What happened to a job, and when."""

    model = ProcrastinateEvent
    fields = ("type", "at")
    ordering = ("at",)


admin.site.unregister(ProcrastinateJob)


@admin.register(ProcrastinateJob)
class JobAdmin(ReadOnlyAdmin):
    """Background jobs. The worker alone changes them."""

    inlines = (JobEventInline,)
    list_display = ("id", "task_name", "shown_status", "attempts", "queue_name", "scheduled_at")
    list_filter = ("status", "task_name")
    ordering = ("-id",)
    exclude = ("worker",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Jobs, newest first."""
        return super().get_queryset(request).order_by("-id")

    @display(description="Status", label=JOB_LABELS, ordering="status")
    def shown_status(self, job: Any) -> str:
        """Where the job stands."""
        return str(job.status)
