"""The hosts inside that data sources may ask."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, record
from core.errors import UnsafeUrlError
from core.library.ingestion.sources.addresses import check_url
from core.models import AuditEvent, IntranetHost


class IntranetHostForm(forms.ModelForm):  # type: ignore[type-arg]  # Django's class takes none
    """A host by its name alone."""

    class Meta:
        model = IntranetHost
        fields = ("name", "note")

    def clean_name(self) -> str:
        """The name in the form in which addresses are compared. ValidationError for a whole address."""
        name = str(self.cleaned_data["name"]).strip()
        shown = f"[{name}]" if ":" in name else name
        try:
            parts = urlsplit(check_url(f"https://{shown}/"))
        except UnsafeUrlError:
            parts = urlsplit("")
        if parts.path != "/" or parts.query or not parts.hostname or parts.port:
            raise forms.ValidationError("Write the name of the host alone, such as wiki.example.internal.")
        return parts.hostname


@admin.register(IntranetHost)
class IntranetHostAdmin(DecidesWhoReads, AuditedDeletion, FootnoteAdmin):
    """Hosts that are not on the public Internet. Without a row, no data source asks one."""

    when_empty = "Sources ask hosts of the public Internet alone. Add those inside that documents may come from."
    list_display = ("name", "note")
    search_fields = ("name",)
    form = IntranetHostForm

    def save_model(self, request: HttpRequest, obj: IntranetHost, form: Any, change: bool) -> None:
        """Save the host and say so in the audit trail."""
        super().save_model(request, obj, form, change)
        record(request, AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE, obj, host=obj.name)
