"""The form through which documents are handed in."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from core.errors import IngestionError
from core.library.ingestion.errors import job_too_large, make_too_many_error
from core.library.ingestion.formats import SUPPORTED, list_readable_endings
from core.models import Collection, Document, Role
from core.values.sizes import MEGABYTE

ACCEPTED = ",".join(list_readable_endings())
LONGEST_ADDRESS = 1000  # characters, the column's length
LONGEST_NAME = 100  # characters of a collection's name, as in its column


_NEW = "Its name, such as Handbook. It has no default roles: "
_NEW_WITH_ROLES = (
    f"{_NEW}what you upload now is read by the roles that you choose below and by nobody else; on the collection's "
    "page you say who reads what comes later."
)
_NEW_WITHOUT_ROLES = f"{_NEW}nobody reads what is in it until somebody who decides who reads grants it."


class _FilesInput(forms.ClearableFileInput):
    """A file input that takes many and lists their names."""

    allow_multiple_selected = True
    template_name = "adminsite/files_input.html"


class FilesField(forms.FileField):
    """Several uploaded files, each within the limit INGEST_MAX_MB."""

    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        """The files. ValidationError names every one that cannot be taken."""
        files = [file for file in (data or []) if file]
        limit, together = settings.INGEST_MAX_MB, settings.INGEST_JOB_MAX_MB
        if sum(file.size or 0 for file in files) > together * MEGABYTE:
            raise forms.ValidationError(job_too_large(together).message)
        problems = [
            f"{file.name} has {file.size / MEGABYTE:.1f} MB; the setting INGEST_MAX_MB allows {limit}."
            for file in files
            if (file.size or 0) > limit * MEGABYTE
        ]
        if problems:
            raise forms.ValidationError(problems)
        return files


class UploadForm(forms.Form):
    """Files and addresses, where they go, and who may read them."""

    files = FilesField(  # type: ignore[assignment]  # a Form has an attribute of this name
        required=False,
        help_text=f"{SUPPORTED}. You can choose several.",
        widget=_FilesInput(attrs={"accept": ACCEPTED}),
    )
    addresses = forms.CharField(
        required=False,
        help_text="One web address or arXiv id per line.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    collection = forms.ModelChoiceField(
        queryset=Collection.objects.all(), required=False, widget=UnfoldAdminSelectWidget
    )
    new_collection = forms.CharField(
        required=False,
        max_length=LONGEST_NAME,
        label="Or a new collection",
        widget=UnfoldAdminTextInputWidget,
    )
    document_type = forms.ChoiceField(
        required=False,
        label="Type",
        choices=[("", "As each file states"), *Document.Type.choices],
        widget=UnfoldAdminSelectWidget,
    )
    roles = forms.ModelMultipleChoiceField(
        queryset=Role.objects.all(),
        required=False,
        label="Who may read them",
        help_text="These roles may read every document of this upload, besides the collection's default roles.",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, may_grant: bool, may_add_collection: bool = False, **kwargs: Any) -> None:
        """Offer roles to who may decide who reads, and a new collection to who may add one."""
        super().__init__(*args, **kwargs)
        if may_add_collection:
            self.fields["new_collection"].help_text = _NEW_WITH_ROLES if may_grant else _NEW_WITHOUT_ROLES
        else:
            del self.fields["new_collection"]
            self.fields["collection"].required = True
        if not may_grant:
            del self.fields["roles"]

    def clean_new_collection(self) -> str:
        """The name of a collection that does not exist yet. ValidationError for one that does."""
        name: str = self.cleaned_data["new_collection"]
        existing = Collection.objects.filter(name__iexact=name).first()
        if existing is not None:
            raise forms.ValidationError(f"There is a collection {existing.name}. Choose it in the list above.")
        return name

    def clean_addresses(self) -> list[str]:
        """The addresses and arXiv ids. ValidationError for each that is neither."""
        # Reading documents brings libraries along that no other page needs.
        from core.library.ingestion.jobs import source_of_address

        addresses = list(dict.fromkeys(self.cleaned_data["addresses"].split()))
        problems = [f"{address[:60]}… is too long." for address in addresses if len(address) > LONGEST_ADDRESS]
        for address in addresses:
            try:
                source_of_address(address, max_mb=settings.INGEST_MAX_MB)
            except IngestionError as error:
                problems.append(error.message)
        if problems:
            raise forms.ValidationError(problems)
        return addresses

    def clean(self) -> dict[str, Any]:
        """There is something to ingest, and not too much of it."""
        cleaned = super().clean() or {}
        if "new_collection" in self.fields and not {"collection", "new_collection"} & set(self.errors):
            if not cleaned.get("collection") and not cleaned.get("new_collection"):
                self.add_error("collection", "Choose a collection, or name a new one.")
            elif cleaned.get("collection") and cleaned.get("new_collection"):
                self.add_error("new_collection", "Choose a collection or name a new one, not both.")
        if len(cleaned.get("files") or ()) + len(cleaned.get("addresses") or ()) > settings.INGEST_JOB_MAX_FILES:
            raise forms.ValidationError(make_too_many_error(settings.INGEST_JOB_MAX_FILES).message)
        if not self.errors and not cleaned.get("files") and not cleaned.get("addresses"):
            raise forms.ValidationError("Choose at least one file or enter an address.")
        return cleaned
