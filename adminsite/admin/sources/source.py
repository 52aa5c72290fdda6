"""The pages of data sources: where one is set up, tried before its first run, asked, and ended."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST
from unfold.admin import TabularInline
from unfold.decorators import display

from adminsite.admin.access.readership import find_readership
from adminsite.admin.audited import AuditedChanges
from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, ReadOnlyInline, Way, record, viewer
from adminsite.admin.sources.form import REMOVAL, SECRET, SETTING, UNTESTED, DataSourceForm, form_for, settings_of
from adminsite.admin.sources.rhythm import EXAMPLES, write_schedule
from adminsite.admin.sources.runs import RUN_LABELS, progress_of
from adminsite.figures import count_of
from core.errors import FootnoteError
from core.library.sync.connector import Kind
from core.library.sync.kinds import MODULES, kind_of
from core.library.sync.probing import LONGEST_S, ChangesRefusedError, Found, probe
from core.library.sync.removals import end
from core.library.sync.runs import apply_readers_soon, next_run, start
from core.models import AuditEvent, Collection, DataSource, Role, SourceGroup, SyncItem, SyncRun


class GroupInline(DecidesWhoReads, TabularInline):
    """The groups that the source listed, and the role of each."""

    model = SourceGroup
    fields = ("name", "role")
    readonly_fields = ("name",)
    autocomplete_fields = ("role",)
    extra = 0
    max_num = 0
    can_delete = False
    tab = True  # beside the fields: without it nobody reads what the source brings
    hide_title = True  # the name has a column of its own
    verbose_name_plural = "Groups and their roles"


class RunInline(ReadOnlyInline):
    """The latest runs."""

    model = SyncRun
    fields = ("created_at", "show_state", "listed", "to_load", "finished_at", "error")
    verbose_name_plural = "Runs"
    show_change_link = True
    per_page = 10

    @display(description="State", label=RUN_LABELS)
    def show_state(self, run: SyncRun) -> str:
        """Return the outcome of the run."""
        return run.get_state_display()


@admin.register(DataSource)
class DataSourceAdmin(DecidesWhoReads, AuditedChanges, AuditedDeletion, FootnoteAdmin):
    """Data sources. What one brings is read by the roles that are chosen here, so setting one up decides who reads."""

    when_empty = (
        "No source yet. Add one, and its documents come in by themselves, change when they change there, and are "
        "withdrawn when they are gone there."
    )
    list_display = (
        *("name", "show_kind", "collection", "show_documents", "show_failing", "show_state"),
        *("listed_at", "next_run_at"),
    )
    list_select_related = ("collection",)
    search_fields = ("name",)
    autocomplete_fields = ("collection",)
    readonly_fields = ("show_kind", "listed_at", "next_run_at", "next_readers_at")
    change_form_outer_before_template = "adminsite/sources/source.html"
    change_form_after_template = "adminsite/sources/test.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataSource]:
        """Return sources with the numbers of their documents and of what failed, and the state of their latest run."""
        latest = SyncRun.objects.filter(source=OuterRef("pk")).order_by("-created_at").values("state")[:1]
        readable = Count("documents", filter=Q(documents__withdrawn_at=None))
        items = SyncItem.objects.filter(source=OuterRef("pk"), is_gone=False, next_try_at__isnull=False)
        failing = items.order_by().values("source").annotate(n=Count("pk")).values("n")  # as find_failing counts
        return (
            super()
            .get_queryset(request)
            .annotate(readable=readable, latest_state=Subquery(latest), failing=Coalesce(Subquery(failing), 0))
        )

    def list_ways_instead(self, row: DataSource) -> list[Way]:
        """Say how a source stops without being deleted, and what comes before it can be."""
        change = reverse("admin:core_datasource_change", args=[row.pk])
        ways = [
            Way(words="Turn it off, and keep what it brought.", link="Change this source", address=change),
            Way(
                words="Withdraw all that it brought, which nobody reads then.",
                link="Withdraw everything",
                address=reverse("admin:core_datasource_end", args=[row.pk]),
            ),
        ]
        if row.documents.exists():
            said = (
                "Delete it later: withdraw everything first. What is withdrawn is erased in the night after "
                f"{count_of(row.erase_days, 'day')}, as “erase after” says, and then nothing keeps the source."
            )
            ways.append(Way(words=said, link="Change how long that is", address=change))
        return ways

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Require no permission of its own for deleting a source's runs and contents with it.

        A source of which something is left in the library is not deleted: ending it comes first. That is counted rather
        than named.
        """
        holding = DataSource.objects.filter(pk__in=[row.pk for row in objs], documents__isnull=False)
        counted = holding.annotate(held=Count("documents")).order_by("name").values_list("name", "held")
        if kept := [f"{name}: {count_of(held, 'document')}, withdrawn ones included" for name, held in counted]:
            return [str(row) for row in objs], {}, set(), kept
        shown, counts, _, protected = super().get_deleted_objects(objs, request)
        return shown, counts, set(), protected

    def get_urls(self) -> list[Any]:
        """Return the pages of sources, with what can be done to one."""
        site = self.admin_site.admin_view
        return [
            path("test/", site(self.test_view), name="core_datasource_test"),
            path("<uuid:source_id>/test/", site(self.test_view), name="core_datasource_test"),
            path("<uuid:source_id>/ask/", site(self.ask_view), name="core_datasource_ask"),
            path("<uuid:source_id>/end/", site(self.end_view), name="core_datasource_end"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask first which kind of source it is, then what that kind asks for."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        if request.GET.get("kind") not in MODULES:
            return self._choose_kind(request)
        extra = {**(extra_context or {}), "title": "Add source", "schedules": EXAMPLES, "may_run": True}
        response: HttpResponse = super().add_view(request, form_url, extra)
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a source with its latest run."""
        source = self.get_object(request, object_id)
        run = source.runs.first() if source is not None else None
        extra = {
            **(extra_context or {}),
            "source": source,
            "progress": progress_of(run, request) if run else None,
            "schedules": EXAMPLES,
            "may_run": self.has_change_permission(request),
        }
        response: HttpResponse = super().change_view(request, object_id, form_url, extra)
        return response

    def get_form(self, request: HttpRequest, obj: DataSource | None = None, change: bool = False, **kw: Any) -> Any:
        """Return the form of the source's kind."""
        form = form_for(_find_kind(request, obj), obj)
        return super().get_form(request, obj, change=change, **{**kw, "form": form})

    def get_fieldsets(self, request: HttpRequest, obj: DataSource | None = None) -> Any:
        """Return the common fields of sources, and those of this source's kind."""
        kind = _find_kind(request, obj)
        is_fixed = obj is None and kind.named_readers_only  # there is nothing to choose
        told = (*(() if is_fixed else ("takes_readers",)), "readers_hours", "readers_minutes")
        readers = told if kind.tells_readers else ()
        chosen = () if is_fixed or (obj is not None and obj.takes_readers) else ("roles",)
        where = [f"{SETTING}{name}" for name in settings_of(kind)]
        where += [f"{SECRET}{name}" for name in kind.secrets]
        where += [REMOVAL] if obj is not None and obj.secrets else []
        where += [UNTESTED]
        state = ["listed_at", "next_run_at"] if obj else []
        state += ["next_readers_at"] if obj and obj.takes_readers and obj.readers_minutes else []
        shown = ("show_kind",) if obj else ()
        return (
            (None, {"fields": (*shown, "name", "collection", "document_type")}),
            (kind.label, {"fields": where, "description": _describe_kind(kind)}),
            ("Who reads it", {"fields": (*readers, *chosen)}),
            ("When it is asked", {"fields": ("schedule", "is_enabled", "requests_per_minute", *state)}),
            ("What is gone there", {"fields": ("most_withdrawn_percent", "erase_days")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: DataSource | None = None) -> Any:
        """Keep the collection and the choice of readers as they were when the source was added."""
        fixed = ("collection", "takes_readers") if obj is not None else ()
        return (*super().get_readonly_fields(request, obj), *fixed)

    def get_inlines(self, request: HttpRequest, obj: DataSource | None) -> Any:
        """Return groups where the source lists readers; runs once there are some."""
        if obj is None:
            return ()
        return (GroupInline, RunInline) if obj.takes_readers else (RunInline,)

    def save_model(self, request: HttpRequest, obj: DataSource, form: Any, change: bool) -> None:
        """Save the source, and when it is asked next."""
        if not change:
            obj.kind, obj.created_by = _find_kind(request, None).name, viewer(request)
        # By itself it is read once somebody has seen what comes in, and for whom, and begun the first run.
        obj.next_run_at = next_run(obj, timezone.now()) if change and obj.runs.exists() else None
        super().save_model(request, obj, form, change)

    def change_details(self, form: Any, formsets: Any, change: bool) -> dict[str, Any]:
        """Tell which fields and groups changed, what became of the credentials, and whether they go elsewhere now."""
        details = super().change_details(form, formsets, change)
        if not details:
            return {}
        hidden = (SECRET, REMOVAL, UNTESTED)
        fields = sorted(name for name in details.pop("fields", ()) if not name.startswith(hidden))
        said = {"credentials": form.credentials_were, "destination_changed": form.destination_changed}
        return {**({"fields": fields} if fields else {}), **said, **details}

    def deletion_details(self, row: DataSource) -> dict[str, Any]:
        """Return the roles of its documents, and the role of each of its groups."""
        groups = dict(row.groups.exclude(role=None).values_list("pk", "role_id"))
        return {
            "roles": sorted(str(pk) for pk in row.roles.values_list("pk", flat=True)),
            "groups": {str(group): str(role) for group, role in groups.items()},
        }

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Apply roles and groups as they are now to what is there."""
        super().save_related(request, form, formsets, change)
        if change:
            apply_readers_soon(form.instance)

    def response_add(self, request: HttpRequest, obj: DataSource, post_url_continue: str | None = None) -> HttpResponse:
        """Lead to the page of the source, which shows what the first run will bring, and to whom."""
        self.message_user(request, f"{obj} was added. Nothing has been read yet.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_datasource_change", args=[obj.pk]))

    @method_decorator(require_POST)
    def test_view(self, request: HttpRequest, source_id: Any = None) -> HttpResponse:
        """Try the source of a form, or, of a source that is saved, as it is. Nothing is stored."""
        source = self._find_source(request, source_id) if source_id else None
        if source is None and (not self.has_add_permission(request) or request.GET.get("kind") not in MODULES):
            raise PermissionDenied
        if source is not None and "first" in request.GET:
            context = describe_saved(source)
        else:
            form = self.get_form(request, source, change=source is not None)(request.POST, instance=source)
            context = describe_form(form)
        return TemplateResponse(request, "adminsite/sources/trial.html", context)

    @method_decorator(require_POST)
    def ask_view(self, request: HttpRequest, source_id: Any) -> HttpResponse:
        """Ask the source now."""
        source = self._find_source(request, source_id)
        try:
            run = start(source, by=viewer(request))
        except FootnoteError as error:
            self.message_user(request, error.message, messages.WARNING)
            return HttpResponseRedirect(reverse("admin:core_datasource_change", args=[source.pk]))
        return HttpResponseRedirect(reverse("admin:core_syncrun_change", args=[run.pk]))

    def end_view(self, request: HttpRequest, source_id: Any) -> HttpResponse:
        """Withdraw all that came from the source, once somebody has said that this is meant."""
        source = self._find_source(request, source_id)
        if request.method != "POST":
            context = {
                **self.admin_site.each_context(request),
                "title": "Withdraw everything",
                "opts": self.opts,
                "form": forms.Form(),
                "source": source,
                "documents": source.documents.filter(withdrawn_at=None).count(),
            }
            return TemplateResponse(request, "adminsite/sources/end.html", context)
        count = end(source)
        record(request, AuditEvent.Action.REVOKE, source, withdrawn=count)
        said = (
            f"Nobody reads the {count} documents of {source} any more. They are erased after {source.erase_days} days; "
            "until then, asking the source again brings back what it still holds."
        )
        self.message_user(request, said, messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_datasource_change", args=[source.pk]))

    def _find_source(self, request: HttpRequest, source_id: Any) -> DataSource:
        if not self.has_change_permission(request):
            raise PermissionDenied
        return get_object_or_404(DataSource, pk=source_id)

    def _choose_kind(self, request: HttpRequest) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": "Add source",
            "opts": self.opts,
            "kinds": [kind_of(name) for name in MODULES],
        }
        return TemplateResponse(request, "adminsite/sources/kinds.html", context)

    @display(description="Kind")
    def show_kind(self, source: DataSource) -> str:
        """In words."""
        return kind_of(source.kind).label if source.kind in MODULES else source.kind or "–"

    @display(description="Documents", ordering="readable")
    def show_documents(self, source: DataSource) -> int:
        """Return the number of documents that can be read."""
        return int(getattr(source, "readable", 0))

    @display(description="Failing", ordering="failing")
    def show_failing(self, source: DataSource) -> SafeString | str:
        """Return the number of things there that failed and have not gone well since, linked to their reasons."""
        failing = getattr(source, "failing", 0)
        if not failing:
            return "0"
        narrowed = urlencode({"source__id__exact": source.pk, "next_try_at__isempty": 0, "is_gone__exact": 0})
        page = reverse("admin:core_syncitem_changelist")
        return format_html('<a class="text-link" href="{}?{}">{}</a>', page, narrowed, failing)

    @display(description="Latest run", label=RUN_LABELS)
    def show_state(self, source: DataSource) -> str:
        """Return the state of the latest run."""
        state = getattr(source, "latest_state", None)
        return str(SyncRun.State(state).label) if state else "–"


def _describe_kind(kind: Kind) -> str:
    """Return a kind's description; of folders with those that the setting allows."""
    if kind.name != "folder":
        return kind.help
    allowed = ", ".join(settings.SOURCE_FOLDERS)
    said = (
        f"The setting SOURCE_FOLDERS allows: {allowed}."
        if allowed
        else ("No folder is allowed yet: whoever runs Footnote names them in the setting SOURCE_FOLDERS.")
    )
    return f"{kind.help} {escape(said)}"


def _find_kind(request: HttpRequest, source: DataSource | None) -> Kind:
    """Return the kind of a source; of one that is being added, as chosen. Of none that this version has: the first."""
    name = source.kind if source is not None else request.GET.get("kind", "")
    return kind_of(name if name in MODULES else next(iter(MODULES)))


def describe_form(form: DataSourceForm) -> dict[str, Any]:
    """Try the source of a form that was sent, and return the context of what is wrong or what was found."""
    form.always_tests = True
    form.is_valid()
    if form.found is None:
        return {"problems": list(_list_problems(form)), "refuses_changes": form.refuses_changes}
    cleaned = form.cleaned_data
    takes = bool(cleaned.get("takes_readers", form.instance.takes_readers))
    collection = cleaned.get("collection") or (form.instance.collection if form.instance.collection_id else None)
    schedule = str(cleaned.get("schedule", ""))
    return _describe_trial(form.found, takes, cleaned.get("roles") or [], collection, schedule)


def describe_saved(source: DataSource) -> dict[str, Any]:
    """Try a source as it is stored."""
    try:
        found = probe(source)
    except FootnoteError as error:
        return {"problems": [error.message], "refuses_changes": isinstance(error, ChangesRefusedError)}
    roles = list(source.roles.all())
    return _describe_trial(found, source.takes_readers, roles, source.collection, source.schedule)


def _list_problems(form: DataSourceForm) -> list[str]:
    """Return what keeps the source from being tried, each with the name of its field."""
    problems = []
    for name, errors in form.errors.items():
        if name == NON_FIELD_ERRORS:
            problems += [str(error) for error in errors]
        elif name.startswith((SETTING, SECRET)):
            problems += [f"{form.fields[name].label}: {error}" for error in errors]
    return problems


def _describe_trial(
    found: Found, takes_readers: bool, roles: list[Role], collection: Collection | None, schedule: str
) -> dict[str, Any]:
    chosen = {*roles, *(collection.default_roles.all() if collection is not None else ())}
    return {
        "found": found,
        "seconds": LONGEST_S,
        "takes_readers": takes_readers,
        "readership": find_readership(chosen),
        "collection": collection,
        "schedule": write_schedule(schedule),
    }
