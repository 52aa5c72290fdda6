"""The form through which documents are handed in."""

from collections import Counter
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import URLValidator
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
)

from core.models import Collection, Document, Role

ACCEPTED = ".md,.markdown,.html,.htm,.pdf,.txt,.docx,.json,.jsonl"
MEGABYTE = 1024 * 1024


class _FilesInput(forms.ClearableFileInput):
    """A file input that takes many and lists their names."""

    allow_multiple_selected = True
    template_name = "adminsite/files_input.html"


class FilesField(forms.FileField):
    """Several uploaded files, each within the limit INGEST_MAX_MB and under a name of its own."""

    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        """The files. ValidationError names every one that cannot be taken."""
        files = [file for file in (data or []) if file]
        limit = settings.INGEST_MAX_MB
        problems = [
            f"{file.name} has {file.size / MEGABYTE:.1f} MB; the setting INGEST_MAX_MB allows {limit}."
            for file in files
            if (file.size or 0) > limit * MEGABYTE
        ]
        names = Counter(file.name for file in files)
        problems += [
            f"{name} was chosen {count} times; send one of them." for name, count in names.items() if count > 1
        ]
        if problems:
            raise forms.ValidationError(problems)
        return files


class UploadForm(forms.Form):
    """Files and addresses, where they go, and who may read them."""

    files = FilesField(
        required=False,
        help_text="Markdown, HTML, PDF, text, DOCX, JSON or JSONL. Several at once, if you like.",
        widget=_FilesInput(attrs={"accept": ACCEPTED}),
    )
    addresses = forms.CharField(
        required=False,
        help_text="One web address per line, http or https.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    collection = forms.ModelChoiceField(queryset=Collection.objects.all(), widget=UnfoldAdminSelectWidget)
    document_type = forms.ChoiceField(
        required=False,
        label="Type",
        choices=[("", "As each file says"), *Document.Type.choices],
        widget=UnfoldAdminSelectWidget,
    )
    roles = forms.ModelMultipleChoiceField(
        queryset=Role.objects.all(),
        required=False,
        label="Who may read them",
        help_text="These roles are granted every document, besides the collection's default roles.",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, may_grant: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_grant:
            del self.fields["roles"]

    def clean_addresses(self) -> list[str]:
        """The addresses. ValidationError names the first that is none."""
        addresses = list(dict.fromkeys(self.cleaned_data["addresses"].split()))
        is_address = URLValidator(schemes=["http", "https"])
        for address in addresses:
            try:
                is_address(address)
            except forms.ValidationError as error:
                raise forms.ValidationError(f"{address} is not an http or https address.") from error
        return addresses

    def clean(self) -> dict[str, Any]:
        """There is something to ingest."""
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("files") and not cleaned.get("addresses"):
            raise forms.ValidationError("Choose at least one file, or give an address.")
        return cleaned
