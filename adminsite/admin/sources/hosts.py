"""The hosts inside that data sources may ask."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, record
from core.models import AuditEvent, IntranetHost


@admin.register(IntranetHost)
class IntranetHostAdmin(DecidesWhoReads, AuditedDeletion, FootnoteAdmin):
    """Hosts that are not on the public Internet. Without a row, no data source asks one."""

    when_empty = "Data sources ask hosts of the public Internet alone. Add those inside that documents may come from."
    list_display = ("name", "note")
    search_fields = ("name",)
    fields = ("name", "note")

    def save_model(self, request: HttpRequest, obj: IntranetHost, form: Any, change: bool) -> None:
        """Save the host and say so in the audit trail."""
        super().save_model(request, obj, form, change)
        record(request, AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE, obj, host=obj.name)
