"""Documents. Whoever may not read a document sees its title and figures here and never its text."""

from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Substr
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateFilter, RelatedDropdownFilter
from unfold.decorators import action, display

from adminsite.admin.access.grants import change_grants
from adminsite.admin.access.why import explain_page, may_see_why, readers_page
from adminsite.admin.audited import describe_changes
from adminsite.admin.base import AuditedDeletion, FootnoteAdmin, ReadOnlyInline, record, viewer, viewer_audience
from adminsite.admin.conversation.links import read_id
from adminsite.admin.oversharing.words import list_line
from adminsite.admin.sections.planning import address_of, may_see_sections
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.api import count_answers_with_words_of
from core.library.ingestion import extent
from core.library.ingestion.document import RECOGNISED_PAGES, UNREAD_PAGES, pages_under
from core.library.ingestion.extent import Extent, Loss
from core.library.ingestion.languages import describe_language
from core.library.ingestion.store import save_description
from core.library.sync.removals import find_erasure
from core.models import AuditEvent, Collection, Document, RoleDocumentAccess
from core.models.masking import mask_words
from core.quality.oversharing.deciding import may_view

NOT_KNOWN = "not known"
_ACCESS = "Access"
_UNKNOWN = f"{NOT_KNOWN}: it was ingested before this was counted. Ingest it again to know."
# Of one, and of several, and why.
_LEFT_OUT = {
    Loss.SCANNED_PAGES: ("page that is a picture", "pages that are pictures", "text recognition is not installed"),
    Loss.GARBLED_PAGES: ("page", "pages", "their fonts do not say which letters they show"),
    Loss.HIDDEN_PAGES: ("slide or sheet", "slides or sheets", "hidden in the file"),
    Loss.PICTURES: ("picture", "pictures", "without words in the file that describe them"),
    Loss.CHARTS: ("chart", "charts", "without their figures in the file"),
    Loss.DIAGRAMS: ("diagram", "diagrams", "without their words in the file"),
    Loss.CUT_OFF: (
        "missing end",
        "missing ends",
        "the file was cut off before it was ingested; read as far as it goes",
    ),
    Loss.COMMENTS: ("comment", "comments", "resolved, or its collection does not read comments"),
}


class GrantInline(ReadOnlyInline):
    """The readers of a document: its roles, who granted them, and the number of people in each."""

    model = RoleDocumentAccess
    fields = ("role", "people", "granted_by", "granted_at", "show_since", "expires_at")
    verbose_name_plural = "who may read it"

    def get_queryset(self, request: HttpRequest) -> QuerySet[RoleDocumentAccess]:
        """Return grants with the number of active people of their role."""
        return (
            super()
            .get_queryset(request)
            .select_related("role", "granted_by", "document")
            .annotate(
                readers=Count("role__user_roles__user", filter=Q(role__user_roles__user__is_active=True), distinct=True)
            )
            .order_by("role__name")
        )

    @display(description="From version")
    def show_since(self, grant: RoleDocumentAccess) -> str:
        """Name the first edition that the role may read, in answers that quote an earlier one."""
        return str(grant.since_version)

    @display(description="People")
    def people(self, grant: RoleDocumentAccess) -> int:
        """Return the number of active people in the role."""
        return int(getattr(grant, "readers", 0))


OPEN_AGAIN = "The document has changed since this page was opened. Nothing was saved. Open the page again."


class DocumentForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """Describe a document, in the version of which the page was opened."""

    opened_version = forms.IntegerField(label="", widget=forms.HiddenInput, required=False)

    class Meta:
        labels: ClassVar = {"source_url": "Web address", "arxiv_id": "ID on arXiv"}

    def __init__(self, *args: Any, **options: Any) -> None:
        """Let the page remember which version it shows."""
        super().__init__(*args, **options)
        self.initial["opened_version"] = self.instance.version

    def clean(self) -> dict[str, Any]:
        """Refuse what was opened before another version came: its fields hold words that are for other readers.

        The document is locked until the end of the request, so that none comes before this is saved.
        """
        current = Document.objects.select_for_update().only("version").get(pk=self.instance.pk)
        if self.cleaned_data.get("opened_version") != current.version:
            raise forms.ValidationError(OPEN_AGAIN)
        return self.cleaned_data

    def clean_collection(self) -> Collection:
        """Accept another collection, unless it has a document of this source already."""
        collection: Collection = self.cleaned_data["collection"]
        same = Document.objects.filter(collection=collection, source=self.instance.source)
        if same.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(f"{collection} already has a document with the same source.")
        return collection


@admin.register(Document)
class DocumentAdmin(AuditedDeletion, FootnoteAdmin):
    """Documents: found, granted, revoked, deleted. They come in through ingestion alone."""

    when_empty = "The library is empty. Upload documents, or ingest them with: manage.py ingest PATH --grant ROLE."

    inlines = (GrantInline,)
    list_display = (
        "title",
        "collection",
        "show_type",
        "document_date",
        "passage_count",
        "show_left_out_count",
        "show_roles",
    )
    list_filter = (
        ("collection", RelatedDropdownFilter),
        ("document_type", ChoicesDropdownFilter),
        ("roles", RelatedDropdownFilter),
        ("document_date", RangeDateFilter),
    )
    list_filter_submit = True
    form = DocumentForm
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}
    list_per_page = 50
    list_select_related = ("collection",)
    autocomplete_fields = ("owner",)
    search_fields = ("title", "source_url", "source", "arxiv_id")
    show_full_result_count = False
    actions = ("grant_role", "revoke_role")
    actions_list = ("upload",)
    actions_detail = ("explain_access", "list_readers", "list_sections")
    readonly_fields = (
        "source",
        "show_withdrawn",
        "show_data_source",
        "show_source",
        "show_original",
        "arxiv_id",
        "version",
        "show_hash",
        "ingested_at",
        "show_chunks",
        "reader_count",
        "show_oversharing",
        "show_found",
        "show_losses",
        "show_pictures",
        "show_language",
        "show_metadata",
        "show_confirmed",
    )
    fieldsets: ClassVar = (
        (
            None,
            {
                "fields": (
                    *("title", "collection", "document_type", "document_date", "source_url", "full_citation"),
                    *("owner", "show_confirmed"),
                )
            },
        ),
        (_ACCESS, {"fields": ("reader_count",)}),
        (
            "Text",
            {
                "fields": (
                    *("show_chunks", "show_found", "show_losses", "show_pictures", "show_language"),
                    *("version", "ingested_at", "show_metadata"),
                )
            },
        ),
        ("Source", {"fields": ("show_data_source", "show_source", "show_original", "source", "arxiv_id", "show_hash")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        """Return whole documents with the roles that may read them. Their parts are on the page of their sections."""
        return super().get_queryset(request).filter(part_of=None).prefetch_related("roles")

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the page of a document. A part of one has none: it is looked after with its document."""
        part = self._find_part(request, object_id)
        if part is None:
            return super().changeform_view(request, object_id, form_url, extra_context)
        if may_see_sections(request):
            return HttpResponseRedirect(address_of(document=part.part_of_id))
        return HttpResponseRedirect(reverse("admin:core_document_change", args=[part.part_of_id]))

    def _find_part(self, request: HttpRequest, object_id: str | None) -> Document | None:
        """Find a part, for who may know of it: who decides who reads, and its own readers."""
        pk = read_id(object_id or "")
        if pk is None or not self.has_view_permission(request):
            return None
        part = Document.objects.filter(pk=pk, part_of__isnull=False).first()
        if part is None or may_see_sections(request):
            return part
        return part if Document.objects.visible_to(viewer_audience(request)).filter(pk=pk).exists() else None

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Document | None:
        """Return one document, marked with what of its text the viewer may read, and look at its data source."""
        document: Document | None = super().get_object(request, object_id, from_field)
        if document is not None:
            rows, audience = Document.objects.filter(pk=document.pk), viewer_audience(request)
            may_look = request.user.has_perm("core.view_chunk")
            document.may_view_text = may_look and rows.visible_to(audience).exists()  # type: ignore[attr-defined]
            document.may_view_all_text = may_look and rows.readable_in_full_by(audience).exists()  # type: ignore[attr-defined]
            document.may_view_data_source = request.user.has_perm("core.view_datasource")  # type: ignore[attr-defined]
        return document

    def get_readonly_fields(self, request: HttpRequest, obj: Document | None = None) -> Any:
        """Return collection and address too, which say which readers a new version of the document gets."""
        own = super().get_readonly_fields(request, obj)
        return own if may_decide_who_reads(request.user) else (*own, "collection", "source_url")

    def get_fieldsets(self, request: HttpRequest, obj: Document | None = None) -> Any:
        """Say first that a document is withdrawn; add the version that is shown, for who may change something.

        Risks are for who may see them.
        """
        shown = super().get_fieldsets(request, obj)
        if may_view(viewer(request)):
            shown = [
                (
                    title,
                    {**options, "fields": [*options["fields"], "show_oversharing"]} if title == _ACCESS else options,
                )
                for title, options in shown
            ]
        if obj is not None and obj.withdrawn_at is not None:
            shown = ((None, {"fields": ("show_withdrawn",)}), *shown)
        if not self.has_change_permission(request, obj):
            return shown
        return (*shown, (None, {"fields": ("opened_version",)}))

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Return False: documents are uploaded, not typed in."""
        return False

    @display(description="Type", label=True, ordering="document_type")
    def show_type(self, document: Document) -> str:
        """Return the document's type."""
        return document.get_document_type_display()

    @display(description="May be read by")
    def show_roles(self, document: Document) -> str:
        """Return the names of the roles that may read it."""
        nobody = "nobody" if document.withdrawn_at is None else "nobody: withdrawn"
        return ", ".join(sorted(role.name for role in document.roles.all())) or nobody

    @display(description="Withdrawn")
    def show_withdrawn(self, document: Document) -> str:
        """Say since when nobody reads the document, why, and what becomes of it."""
        if document.withdrawn_at is None:
            return "–"
        since = f"On {timezone.localtime(document.withdrawn_at):%-d %B %Y, %H:%M}. Nobody reads it"
        erased = find_erasure(document)
        if erased is None:
            return f"{since}, because its source could not be asked. It comes back when the source names it again."
        last = f"{timezone.localtime(erased):%-d %B %Y, %H:%M}"
        return f"{since}, because it is gone at its source. It is erased after {last}, unless it comes back there."

    @display(description="Data source")
    def show_data_source(self, document: Document) -> SafeString | str:
        """Return the data source that looks after the document; a link for who may look at sources."""
        if document.data_source is None:
            return "none: it was handed in"
        if not getattr(document, "may_view_data_source", False):
            return "a data source"
        page = reverse("admin:core_datasource_change", args=[document.data_source.pk])
        return format_html('<a href="{}" class="text-link">{}</a>', page, document.data_source)

    @display(description="Link")
    def show_source(self, document: Document) -> SafeString | str:
        """Return a link to the source, if it is on the web."""
        if not document.source_url.startswith(("http://", "https://")):
            return "–"
        return format_html(
            '<a href="{0}" class="text-link" target="_blank" rel="noopener noreferrer">{0}</a>', document.source_url
        )

    @display(description="Original")
    def show_original(self, document: Document) -> SafeString | str:
        """Return the file that is kept; for a viewer who may read the document a link to where it is opened."""
        name = document.original_name or "not kept"
        if not getattr(document, "may_view_text", False):
            return name
        return format_html('<a href="{}" class="text-link">{}</a>', reverse("document", args=[document.pk]), name)

    @display(description="SHA-256")
    def show_hash(self, document: Document) -> str:
        """Return the hash of the source's bytes, for who may read them: it would confirm to others what they guess."""
        return document.content_hash if getattr(document, "may_view_all_text", False) else "–"

    @display(description="Passages", ordering="chunk_count")
    def passage_count(self, document: Document) -> int:
        """Return the number of passages that the document's text is cut into."""
        return document.chunk_count

    @display(description="Passages")
    def show_chunks(self, document: Document) -> SafeString | str:
        """Return the number of chunks; a link to their text for a viewer who may read it."""
        if not getattr(document, "may_view_text", False):
            return f"{document.chunk_count}. Their text is shown only to people who may read the document."
        url = f"{reverse('admin:core_chunk_changelist')}?document__id__exact={document.pk}"
        return format_html('<a href="{}" class="text-link">{}</a>', url, count_of(document.chunk_count, "passage"))

    @display(description="Left out", ordering=F("left_out_count").asc(nulls_first=True))
    def show_left_out_count(self, document: Document) -> str:
        """Return the number of things in the file that were not read."""
        return NOT_KNOWN if document.left_out_count is None else str(document.left_out_count)

    @display(description="In the file")
    def show_found(self, document: Document) -> str:
        """Count the pages, tables, pictures and so on that the file holds."""
        if document.extent is None:
            return _UNKNOWN
        return extent.describe_found(Extent.from_json(document.extent).found) or "–"

    @display(description="Left out")
    def show_losses(self, document: Document) -> str:
        """Count what was not read, and say why."""
        if document.extent is None:
            return _UNKNOWN
        left_out = Extent.from_json(document.extent).left_out
        said = (
            f"{extent.describe_count(left_out[kind], one, several)} ({why})"
            for kind, (one, several, why) in _LEFT_OUT.items()
            if kind in left_out
        )
        return "; ".join(said) or "nothing that is known of"

    @display(description="Pictures of text")
    def show_pictures(self, document: Document) -> str:
        """Count the pages that are pictures, and say if their text was recognised."""
        recognised, unread = (len(pages_under(document.metadata, key)) for key in (RECOGNISED_PAGES, UNREAD_PAGES))
        if recognised:
            return f"The text of {recognised} pages was recognised on pictures, and may hold errors."
        if unread:
            return f"{unread} pages are pictures and were not read. Install text recognition (make ocr) and try again."
        return "–"

    @display(description="Language")
    def show_language(self, document: Document) -> str:
        """Name a language other than English, and say if the embedding model does not know it."""
        return describe_language(document) or "–"

    @display(description="Metadata")
    def show_metadata(self, document: Document) -> str:
        """Return the source's own metadata; it may quote the text, of restricted sections too."""
        if not getattr(document, "may_view_all_text", False):
            return "–"
        return mask_words("\n".join(f"{name}: {value}" for name, value in document.metadata.items())) or "–"

    @display(description="Confirmed by its owner")
    def show_confirmed(self, document: Document) -> str:
        """Say when the owner last said that it still holds."""
        return f"{timezone.localtime(document.confirmed_at):%-d %B %Y}" if document.confirmed_at else "–"

    @display(description="People who may read it")
    def reader_count(self, document: Document) -> int:
        """Count the active people with at least one role that is granted the document."""
        readers = document.roles.filter(users__is_active=True)
        return int(readers.aggregate(n=Count("users", distinct=True))["n"])

    @display(description="Oversharing risk")
    def show_oversharing(self, document: Document) -> SafeString | str:
        """Name its open risks that more people read it than expected, each with a link."""
        return list_line(document)

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        """Save the changed fields, and no others, and say in the audit trail which they are.

        The text may have been replaced since the form was opened.
        """
        save_description(obj, form.changed_data)
        if form.changed_data:
            record(request, AuditEvent.Action.CHANGE, obj, **describe_changes(form, change))

    def deletion_details(self, row: Document) -> dict[str, Any]:
        """Count the chunks that are deleted with it, and the answers that lose their text."""
        answers = count_answers_with_words_of([row.pk])
        return {"chunks": row.chunk_count, "answers": answers, "collection": str(row.collection_id)}

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Log them by their ids: a title is a word of the document too, also in earlier lines of the admin's log."""
        logged = super().log_deletions(request, queryset)
        lines = LogEntry.objects.filter(
            content_type=ContentType.objects.get_for_model(Document), object_id__in=[str(row.pk) for row in queryset]
        )
        lines.update(object_repr=Substr("object_id", 1, 200))
        return logged

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Count the rows that a deletion takes along, in the database rather than by loading every chunk."""
        chosen = [document.pk for document in objs]
        counts = {
            "documents": len(chosen),
            "passages": sum(document.chunk_count for document in objs),
            "grants": RoleDocumentAccess.objects.decided().filter(document__in=chosen).count(),
            "answers that cite them, whose text is erased for good": count_answers_with_words_of(chosen),
        }
        lacking = set() if self.has_delete_permission(request) else {"document"}
        return [str(document) for document in objs], counts, lacking, []

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        """Delete the selected documents."""
        super().delete_queryset(request, Document.objects.filter(pk__in=queryset.values("pk")))

    def has_grant_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may give and take access."""
        return may_decide_who_reads(request.user)

    @action(description="Grant a role", permissions=["grant"], icon="key")
    def grant_role(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse | None:
        """Let roles read the selected documents."""
        return change_grants(self, request, queryset, revoking=False)

    @action(description="Revoke a role", permissions=["grant"], icon="key_off")
    def revoke_role(self, request: HttpRequest, queryset: QuerySet[Document]) -> HttpResponse | None:
        """Take the selected documents away from roles."""
        return change_grants(self, request, queryset, revoking=True)

    def has_upload_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may upload documents."""
        return bool(request.user.has_perm("core.add_ingestionjob"))

    @action(description="Upload documents", permissions=["upload"], icon="upload_file")
    def upload(self, request: HttpRequest) -> HttpResponse:
        """Go to the upload page."""
        return redirect("admin:core_ingestionjob_add")

    def has_explain_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """A method, because unfold looks a permission's name up in the database, which may not be migrated yet."""
        return bool(request.user.has_perm("core.view_user"))

    @action(description="Explain access", permissions=["view", "explain"], icon="visibility")
    def explain_access(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Say why a person may or may not read the document."""
        return explain_page(self, request, self.get_object(request, object_id))

    def has_why_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who may look at people, roles and documents."""
        return may_see_why(request)

    @action(description="Who may read it", permissions=["why"], icon="group")
    def list_readers(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Show everybody who may read the document, and by which way."""
        return readers_page(self, request, self.get_object(request, object_id))

    def has_sections_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who may say who reads sections."""
        return may_see_sections(request)

    @action(description="Sections", permissions=["sections"], icon="segment")
    def list_sections(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Go to the sections of the document, and who reads each."""
        document = self.get_object(request, object_id)
        if document is None:
            return redirect("admin:core_document_changelist")
        return redirect(address_of(document=document.pk))
