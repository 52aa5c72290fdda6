"""Share code among the admin's pages: allowed narrowing, read-only pages, audiences, audit rows and fields of days."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.apps import apps
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import PermissionDenied
from django.db import DataError, transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from unfold.admin import ModelAdmin, TabularInline
from unfold.views import ChangeList
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminDateWidget

from adminsite.admin.facts import column_of, is_structured
from core import api
from core.access.audiences import audience_of, may_decide_who_reads
from core.errors import NotFoundError
from core.models import AuditEvent, Query, User
from core.types import Answer, Audience, Refusal

ERASED = "Erased: the text is no longer kept."
WITHHELD = "Withheld: you may not read every document that this text comes from."
PREVIEW_TEXTS = "core.preview_texts"
_MOST_INSTEAD = 5  # rows to be deleted of which it is said what can be done instead
_LOOK = ("view", "change")  # what lets one look at the rows of a model


# What goes with a deleted row, where people call it otherwise than the code: one of it, and several.
_GOES_WITH = {
    "user role": "role held",
    "user roles": "roles held",
    "role document access": "right to read a document",
    "section rule": "rule for sections",
    "section rules": "rules for sections",
    "section rule role": "role that reads sections by a rule",
    "section rule roles": "roles that read sections by rules",
    "collection role": "right to read what comes into a collection",
    "collection roles": "rights to read what comes into collections",
}
OUTCOME_LABELS = {"answered": "success", "closest": "info", "refused": "warning"}


def no_text(query: Query) -> str:
    """Explain why a text from a question is not shown."""
    return WITHHELD if query.erased_at is None else ERASED


class DeclaredChangeList(ChangeList):
    """A list that its address narrows by the declared filters and by the key alone.

    Django lets an address filter by every field of a model (`?answer_text__startswith=`). The number of rows would then
    reveal, character by character, a text that the page itself withholds.
    """

    def get_filters(self, request: HttpRequest) -> Any:
        """Read the address as Django does; DisallowedModelAdminLookup when no declared filter took a part of it."""
        read = super().get_filters(request)
        taken_by_no_filter = read[2]
        # A key that is itself a secret, as a token's digest, has another name, and so is not searched for here.
        undeclared = set(taken_by_no_filter) - {"id", "id__exact", "id__in"}
        if undeclared:
            raise DisallowedModelAdminLookup("This list cannot be filtered in the way that its address asks for.")
        return read

    def get_results(self, request: HttpRequest) -> None:
        """Return the rows; IncorrectLookupParameters, which shows the whole list, for a value that no row can have."""
        try:
            with transaction.atomic():
                super().get_results(request)
        except (DataError, ValueError) as error:
            raise IncorrectLookupParameters(error) from error


class FootnoteAdmin(ModelAdmin):
    """The base of every page of the admin: an address asks for nothing that the page does not offer."""

    called = ""  # a row, of a model of a library that has another name for it; empty: as the model is named

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """Return the list that refuses undeclared filters."""
        return DeclaredChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, under the name that the menu has for it."""
        from adminsite.admin.navigation import title_of  # it names pages that are built on this class

        title = title_of(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))
        response: HttpResponse = super().changelist_view(request, {"title": title, **(extra_context or {})})
        return response

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show the page of a row, titled by the name that people have for it."""
        if not self.called:
            return super().changeform_view(request, object_id, form_url, extra_context)
        act = "Add" if object_id is None else "Change" if self.has_change_permission(request) else "View"
        return super().changeform_view(
            request, object_id, form_url, {"title": f"{act} {self.called}", **(extra_context or {})}
        )

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Find the row of a page, or None. PermissionDenied for who may look at no such row, before any is looked for.

        Django asks afterwards, and on some pages says then that there is none: which ids there are could be tried out.
        """
        may = (self.has_view_permission, self.has_change_permission, self.has_delete_permission)
        if not any(one(request) for one in may):
            raise PermissionDenied
        return super().get_object(request, object_id, from_field)

    def get_ordering(self, request: HttpRequest) -> Any:
        """Return the declared order, said outright: rows that are counted together lose the order of their model."""
        return super().get_ordering(request) or self.opts.ordering or ("pk",)

    def to_field_allowed(self, request: HttpRequest, to_field: str) -> bool:
        """Let an address name a row by its key alone."""
        return bool(to_field == self.opts.pk.name)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what goes with the rows, in words for people and without rows that do nothing but link two others."""
        shown, counts, needed, protected = super().get_deleted_objects(objs, request)
        _, links = _name_links()
        told = {_GOES_WITH.get(str(name), name): count for name, count in counts.items() if str(name) not in links}
        return list(_tell_deleted(shown)), told, needed, protected

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the declared ones, and what shows those of several parts."""
        return (*super().get_readonly_fields(request, obj), *self._column_functions.values())

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the page's fields; those of several parts that are only looked at as tables in place of their JSON."""
        fixed = set(super().get_readonly_fields(request, obj))
        is_fixed = obj is not None and not self.has_change_permission(request, obj)
        tables = {name: table for name, table in self._column_functions.items() if is_fixed or name in fixed}
        extra = set(self._column_functions.values())
        return [
            (title, {**options, "fields": [tables.get(one, one) for one in options["fields"] if one not in extra]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    @cached_property
    def _column_functions(self) -> dict[Any, Any]:
        """Map each structured field to the function that displays it."""
        return {field.name: column_of(field) for field in self.opts.concrete_fields if is_structured(field)}

    def get_search_fields(self, request: HttpRequest) -> Any:
        """List the declared fields. To look for a part of another model's text one must be allowed to see its page."""
        return [name for name in super().get_search_fields(request) if self._may_search(request, name)]

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Show several rows as boxes, but for those searched for: in Django's list one needs to hold a key down."""
        if db_field.name not in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", UnfoldAdminCheckboxSelectMultipleWidget)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def _may_search(self, request: HttpRequest, name: str) -> bool:
        if name.startswith("=") or "__" not in name:  # the whole of an id, or a field of the page's own
            return True
        searched = get_fields_from_path(self.model, name)[-1].model._meta
        return any(request.user.has_perm(f"{searched.app_label}.{may}_{searched.model_name}") for may in _LOOK)


@cache
def _name_links() -> tuple[frozenset[str], frozenset[str]]:
    """The names of the tables behind many-to-many fields, one row and several: no person has heard of them."""
    tables = [model._meta for model in apps.get_models(include_auto_created=True) if model._meta.auto_created]
    singular, plural = ([str(getattr(one, name)) for one in tables] for name in ("verbose_name", "verbose_name_plural"))
    return frozenset(map(capfirst, singular)), frozenset(plural)


def _tell_deleted(shown: Iterable[Any]) -> Iterator[Any]:
    """Yield what Django lists as deleted, each "Kind: name", in words for people; within a list, what goes with it."""
    links, _ = _name_links()
    for one in shown:
        if isinstance(one, list):
            yield list(_tell_deleted(one))
            continue
        kind, colon, name = str(one).partition(": ")
        if kind not in links:
            told = _GOES_WITH.get(kind.lower())
            rest = SafeString(name) if isinstance(one, SafeString) else name  # a link stays one, and a text a text
            yield format_html("{}: {}", capfirst(told), rest) if told and colon else one


class ReadOnly:
    """For rows that other code owns: they can be looked at and nothing else. Viewing needs the view permission."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Return False: nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: nobody deletes."""
        return False


class ReadOnlyAdmin(ReadOnly, FootnoteAdmin):
    """The page of a model that is only looked at."""

    list_per_page = 50
    show_full_result_count = False


class ChartedAdmin(ReadOnlyAdmin):
    """A list with charts of the rows that its filters leave, in the template before the list."""

    def charts(self, rows: QuerySet[Any]) -> dict[str, Any]:
        """Return the template's context for the charts."""
        raise NotImplementedError

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, with the charts where there is one: not when the filters cannot be used."""
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context and "cl" in context:
            context.update(self.charts(context["cl"].queryset))
        return response


class ReadOnlyInline(ReadOnly, TabularInline):
    """Rows of another model on a page, only looked at."""

    extra = 0
    max_num = 0
    per_page = 50
    tab = True
    hide_title = True

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return every field, also those that have no form field."""
        return self.fields


def viewer(request: HttpRequest) -> User:
    """Return the person who looks at the page. The admin site lets nobody else in."""
    if not isinstance(request.user, User):
        raise TypeError("an admin page has a signed-in viewer")
    return request.user


def viewer_audience(request: HttpRequest) -> Audience:
    """Return the viewer's audience, by their own roles; being an administrator adds no document."""
    return audience_of([viewer(request).pk])


def audience_tried(request: HttpRequest, audience: Audience) -> Audience:
    """Return the audience for trying as another person: without the right to preview texts it includes the viewer.

    So nothing is found, counted or decided by documents that the viewer may not read, and no question reveals their
    text.
    """
    if request.user.has_perm(PREVIEW_TEXTS):
        return audience
    return Audience.of([*audience.role_sets, *viewer_audience(request).role_sets])


def readable_result(request: HttpRequest, query: Query) -> Answer | Refusal | None:
    """Return a question's result as the viewer may see it; None if it is unfinished or cites what they may not read."""
    try:
        return api.stored_result(query.request_id, audience=viewer_audience(request), viewer=viewer(request).pk)
    except NotFoundError:
        return None


def record(request: HttpRequest, action: AuditEvent.Action, row: Model, *, object_id: str = "", **details: Any) -> None:
    """Write the audit row of a change that the viewer made. Call it in the transaction of the change.

    object_id: what names the row, if not its primary key.
    details: ids, counts and flags; no text of people or documents.
    """
    AuditEvent.objects.create(
        actor=viewer(request),
        action=action,
        object_type=str(row._meta.model_name),
        object_id=object_id or str(row.pk),
        details=details,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    """Something that can be done in place of deleting, for the page that asks whether to delete."""

    words: str  # a sentence
    link: str  # the words of the link behind it
    address: str


class AuditedDeletion:
    """Leaves an audit row for each deletion, in its transaction. Stands before ModelAdmin in the bases."""

    def list_ways_instead(self, row: Any) -> list[Way]:
        """Return what can be done in place of deleting a row, the best first."""
        return []

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask whether to delete a row, and say what can be done instead."""
        row = self.get_object(request, object_id)  # type: ignore[attr-defined]
        ways = [] if row is None else self.list_ways_instead(row)
        response: HttpResponse = super().delete_view(  # type: ignore[misc]
            request, object_id, {**(extra_context or {}), "instead": ways}
        )
        return response

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        """Do what was chosen for some rows; where that is to delete them, say as well what can be done instead."""
        response: HttpResponse = super().response_action(request, queryset)  # type: ignore[misc]
        context = getattr(response, "context_data", None) or {}
        if "deletable_objects" in context:
            rows = context["queryset"][:_MOST_INSTEAD]
            context["instead"] = [(row, ways) for row in rows if (ways := self.list_ways_instead(row))]
        return response

    def audit_id(self, row: Any) -> str:
        """Return the id that names the row in the audit trail."""
        return str(row.pk)

    def deletion_details(self, row: Any) -> dict[str, Any]:
        """Return the audit row's details of a deletion; ids and counts."""
        return {}

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        """Delete one row."""
        with transaction.atomic():
            record(request, AuditEvent.Action.DELETE, obj, object_id=self.audit_id(obj), **self.deletion_details(obj))
            super().delete_model(request, obj)  # type: ignore[misc]

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete the selected rows."""
        with transaction.atomic():
            for row in queryset:
                record(
                    request, AuditEvent.Action.DELETE, row, object_id=self.audit_id(row), **self.deletion_details(row)
                )
            super().delete_queryset(request, queryset)  # type: ignore[misc]


class DecidesWhoReads:
    """Rows that decide who reads documents: changed by those alone who may decide it. Stands before what it guards.

    For pages and inlines. The permission of the model is needed besides.
    """

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Return True if the viewer may add such rows, and may decide who reads."""
        return may_decide_who_reads(request.user) and bool(super().has_add_permission(request, *args))  # type: ignore[misc]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may change such rows, and may decide who reads."""
        return may_decide_who_reads(request.user) and bool(super().has_change_permission(request, obj))  # type: ignore[misc]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may delete such rows, and may decide who reads."""
        return may_decide_who_reads(request.user) and bool(super().has_delete_permission(request, obj))  # type: ignore[misc]


class AuditedReading:
    """Leaves an audit row each time that a page shows what somebody else wrote. Stands before the page's base."""

    def shows_text_of_another(self, request: HttpRequest, row: Any) -> bool:
        """Return True if a row's page shows the viewer text that is not their own."""
        raise NotImplementedError

    def render_change_form(self, request: HttpRequest, *args: Any, obj: Any = None, **options: Any) -> HttpResponse:
        """Show the page of a row."""
        if obj is not None and self.shows_text_of_another(request, obj):
            record(request, AuditEvent.Action.READ_TEXT, obj)
        response: HttpResponse = super().render_change_form(request, *args, obj=obj, **options)  # type: ignore[misc]
        return response


class DayInput(UnfoldAdminDateWidget):
    """A day by the browser's own calendar; the theme's needs a catalogue of words that pages of ours do not load."""

    class Media:
        extend = False

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs={"type": "date", **(attrs or {})}, format="%Y-%m-%d")  # as browsers want it
