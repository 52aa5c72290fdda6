"""Ingestion jobs: handing documents in, watching them being read, and trying again."""

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Case, Count, Q, QuerySet, Sum, When
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateTimeFilter, RelatedDropdownFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, ReadOnlyInline, record, viewer
from adminsite.admin.change_checks.shown import find_check_line
from adminsite.admin.uploads import UploadForm
from core.access.audiences import may_decide_who_reads
from core.library.ingestion.languages import count_languages
from core.library.ingestion.sandbox.probe import probe
from core.models import AuditEvent, Collection, Document, IngestionFile, IngestionJob

STATE_LABELS = {
    "queued": "info",
    "checked before it is live": "warning",
    "running": "primary",
    "done": "success",
    "partly failed": "warning",
    "failed": "danger",
}
REFRESH_SECONDS = 2
MOST_NAMED = 10  # of the documents that one file replaced


class FileInline(ReadOnlyInline):
    """The files of a job, and what went wrong with which."""

    model = IngestionFile
    fields = (
        "name",
        "show_state",
        "error",
        "attempts",
        "show_documents",
        "passage_count",
        "show_replaced",
        "finished_at",
    )
    verbose_name_plural = "files"
    tab = False

    @display(description="Documents")
    def show_documents(self, file: IngestionFile) -> int:
        """Return the number of documents that the file became."""
        return file.document_count

    @display(description="Passages")
    def passage_count(self, file: IngestionFile) -> int:
        """Return the number of passages that the file's text is cut into."""
        return file.chunk_count

    def get_queryset(self, request: HttpRequest) -> QuerySet[IngestionFile]:
        """Return files without their bytes, the failed ones first."""
        failed_first = Case(When(state=IngestionFile.State.FAILED, then=0), default=1)
        self.names = partial(_names_of_replaced, may_view=request.user.has_perm("core.view_document"))
        return super().get_queryset(request).defer("content").order_by(failed_first, "name")

    @display(description="State", label=STATE_LABELS)
    def show_state(self, file: IngestionFile) -> str:
        """Return the state of the file."""
        return file.get_state_display().lower()

    @display(description="Replaced")
    def show_replaced(self, file: IngestionFile) -> str:
        """Return the documents whose text the file took the place of."""
        return self.names(file) if file.replaced else "–"


def _names_of_replaced(file: IngestionFile, *, may_view: bool) -> str:
    """Count the documents with new text from a file; with their names for viewers who may see documents."""
    count = f"{len(file.replaced)} document{'' if len(file.replaced) == 1 else 's'}"
    if not may_view:
        return count
    found = Document.objects.filter(pk__in=file.replaced[:MOST_NAMED]).order_by("title")
    names = "; ".join(f"{document.title} (now version {document.version})" for document in found)
    more = " and others" if len(file.replaced) > MOST_NAMED else ""
    return f"{names}{more}" if names else f"{count}, deleted since"


def progress_of(job: IngestionJob) -> dict[str, Any]:
    """Return the figures of a job's progress panel. `share` is in per cent."""
    counts = job.files.aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state=IngestionFile.State.DONE)),
        failed=Count("pk", filter=Q(state=IngestionFile.State.FAILED)),
        documents=Coalesce(Sum("document_count"), 0),
        chunks=Coalesce(Sum("chunk_count"), 0),
    )
    counted = job.files.values_list("languages", flat=True)
    languages, missed = count_languages(each for each in counted if each is not None)
    return {
        **counts,
        "job": job,
        "languages": languages,
        "missed": missed,
        "state": job.get_state_display().lower(),
        "state_label": STATE_LABELS[job.get_state_display().lower()],
        "held": job.state == IngestionJob.State.HELD,
        "running": job.state in {IngestionJob.State.QUEUED, IngestionJob.State.RUNNING},
        "share_done": round(100 * counts["done"] / max(counts["total"], 1)),
        "share_failed": round(100 * counts["failed"] / max(counts["total"], 1)),
        "refresh_seconds": REFRESH_SECONDS,
    }


def _hand_in(request: HttpRequest, given: dict[str, Any]) -> IngestionJob:
    """Create the job of a valid upload form, and the collection if the form names a new one."""
    from core.library.ingestion.jobs import create_job

    with transaction.atomic():
        collection = given["collection"]
        if collection is None:
            collection = Collection.objects.create(name=given["new_collection"])
            record(request, AuditEvent.Action.CREATE, collection, fields=["name"])
        return create_job(
            files=((file.name, file.read()) for file in given["files"]),
            urls=given["addresses"],
            collection=collection,
            roles=given.get("roles", ()),
            document_type=given["document_type"],
            by=viewer(request),
        )


@admin.register(IngestionJob)
class IngestionJobAdmin(ReadOnlyAdmin):
    """Ingestion jobs. Adding one is the upload page; the worker alone changes it afterwards."""

    when_empty = (
        "Nothing has been uploaded yet. What manage.py ingest reads goes straight into the library and is not "
        "listed here."
    )

    inlines = (FileInline,)
    change_form_outer_before_template = "adminsite/job.html"
    list_display = (
        "show_name",
        "collection",
        "show_state",
        "show_progress",
        "failed_count",
        "created_by",
        "created_at",
    )
    list_filter = (
        ("state", ChoicesDropdownFilter),
        ("collection", RelatedDropdownFilter),
        ("created_at", RangeDateTimeFilter),
    )
    list_filter_submit = True
    list_select_related = ("collection", "created_by")
    search_fields = ("files__name",)
    fields = ("collection", "document_type", "show_roles", "created_by", "created_at", "started_at", "finished_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[IngestionJob]:
        """Return jobs with the counts of their files, newest first."""
        files = {
            "total_files": Count("files"),
            "done_files": Count("files", filter=Q(files__state=IngestionFile.State.DONE)),
            "failed_files": Count("files", filter=Q(files__state=IngestionFile.State.FAILED)),
        }
        return super().get_queryset(request).annotate(**files).order_by("-created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Whoever may add jobs may upload."""
        return bool(request.user.has_perm("core.add_ingestionjob"))

    def get_urls(self) -> list[Any]:
        """Return the job pages, with the progress panel and the retry beside them."""
        site = self.admin_site.admin_view
        return [
            path("<uuid:job_id>/progress/", site(self.progress_view), name="core_ingestionjob_progress"),
            path("<uuid:job_id>/retry/", site(self.retry_view), name="core_ingestionjob_retry"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the upload page. Handing in creates a job and goes to its page."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        may_grant = may_decide_who_reads(request.user)
        may_add = request.user.has_perm("core.add_collection")
        form = UploadForm(request.POST or None, request.FILES or None, may_grant=may_grant, may_add_collection=may_add)
        if request.method == "POST" and form.is_valid():
            job = _hand_in(request, form.cleaned_data)
            self.message_user(request, "Submitted. This page shows the progress.", messages.SUCCESS)
            return redirect("admin:core_ingestionjob_change", job.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": "Upload documents",
            "opts": self.opts,
            "form": form,
            "fence": probe(),
        }
        return TemplateResponse(request, "adminsite/upload.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a job with its progress."""
        job = self.get_object(request, object_id)
        progress = progress_of(job) if job is not None else None
        extra = {**(extra_context or {}), "progress": progress, "may_retry": self.has_add_permission(request)}
        if job is not None:
            extra |= find_check_line(request, job.checks)
        response: HttpResponse = super().change_view(request, object_id, form_url, extra)
        return response

    def progress_view(self, request: HttpRequest, job_id: Any) -> HttpResponse:
        """Show the progress panel alone, fetched again and again while the job runs; then the page is loaded afresh."""
        job = self._find_job(request, job_id)
        progress = progress_of(job)
        response = TemplateResponse(request, "adminsite/progress.html", {"progress": progress})
        if not progress["running"]:
            response["HX-Refresh"] = "true"
        return response

    @method_decorator(require_POST)
    def retry_view(self, request: HttpRequest, job_id: Any) -> HttpResponse:
        """Try the failed files again."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        from core.library.ingestion.jobs import retry

        job = self._find_job(request, job_id)
        retry(job, by=viewer(request))
        self.message_user(request, "The failed files are being tried again.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_ingestionjob_change", args=[job.pk]))

    def _find_job(self, request: HttpRequest, job_id: Any) -> IngestionJob:
        job = self.get_object(request, str(job_id))
        if job is None or not self.has_view_permission(request, job):
            raise Http404
        return job

    @display(description="Job", ordering="created_at")
    def show_name(self, job: IngestionJob) -> str:
        """Return the number of uploaded files."""
        total = getattr(job, "total_files", 0)
        return f"{total} file" if total == 1 else f"{total} files"

    @display(description="State", label=STATE_LABELS, ordering="state")
    def show_state(self, job: IngestionJob) -> str:
        """Return the state of the job."""
        return job.get_state_display().lower()

    @display(description="Progress")
    def show_progress(self, job: IngestionJob) -> SafeString:
        """Done and failed files as a bar."""
        total = max(getattr(job, "total_files", 0), 1)
        done, failed = getattr(job, "done_files", 0), getattr(job, "failed_files", 0)
        return format_html(
            '<span class="fn-score"><span class="fn-score-track fn-wide">'
            '<span class="fn-score-fill" style="width:{}%"></span>'
            '<span class="fn-score-fill fn-bad" style="width:{}%"></span></span>{} of {}</span>',
            round(100 * done / total),
            round(100 * failed / total),
            done + failed,
            getattr(job, "total_files", 0),
        )

    @display(description="Failed", ordering="failed_files")
    def failed_count(self, job: IngestionJob) -> int:
        """Return the number of files that could not be ingested."""
        return int(getattr(job, "failed_files", 0))

    @display(description="Granted to")
    def show_roles(self, job: IngestionJob) -> str:
        """Return the roles that are granted every document of the job."""
        return ", ".join(role.name for role in job.roles.all()) or "the collection's default roles"
