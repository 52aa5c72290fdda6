"""Collections, and the roles that receive what is ingested into them."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.admin import TabularInline
from unfold.decorators import action, display

from adminsite.admin.access.change import offer_existing
from adminsite.admin.access.readership import CountedRoles, count_people, find_readership
from adminsite.admin.audited import AuditedChanges
from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, Way, record
from adminsite.admin.sections.planning import address_of, may_see_sections
from core.access.audiences import may_decide_who_reads
from core.library.sync.listing import load_again
from core.models import AuditEvent, Collection, CollectionRole, IngestionJob, SectionRule

_WHOLE = Q(documents__part_of=None)  # parts of documents have readers of their own, and are in no count
_ENDED = (IngestionJob.State.DONE, IngestionJob.State.PARTLY_FAILED, IngestionJob.State.FAILED)


@admin.register(Collection)
class CollectionAdmin(DecidesWhoReads, AuditedChanges, AuditedDeletion, FootnoteAdmin):
    """Collections, with the roles that receive what is ingested into them.

    By its name ingestion finds a collection, and so the readers of what comes in: a name is not changed by everyone.
    """

    when_empty = (
        "No collection yet. Every document belongs to one: add a collection such as Handbook, then upload documents "
        "into it."
    )

    class RoleInline(DecidesWhoReads, TabularInline):
        """A role that receives what is ingested into the collection."""

        model = CollectionRole
        fields = ("role",)
        extra = 0
        hide_title = True
        verbose_name = "default role"
        verbose_name_plural = (
            "default roles: they read each document that comes in from now on; without one, nobody reads it until "
            "somebody grants it"
        )

        def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
            """A role is added or removed, so that the audit trail says which."""
            return False

        def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
            """Return one empty row for a new collection, whose readers are to be thought of."""
            return 0 if obj is not None else 1

        def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
            """Name each role with how many people have it."""
            if db_field.name == "role":
                kwargs |= {"form_class": CountedRoles, "queryset": count_people().order_by("name")}
            return super().formfield_for_foreignkey(db_field, request, **kwargs)

    inlines = (RoleInline,)
    recorded_apart = (CollectionRole,)
    list_display = ("name", "description", "document_count", "chunk_count", "show_roles")
    search_fields = ("name",)
    autocomplete_fields = ("owner",)
    readonly_fields = ("document_count", "chunk_count")
    actions_detail = ("list_section_rules",)
    change_form_outer_before_template = "adminsite/collection.html"

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of a collection, or of a new one, with who will read what comes in."""
        row = self.get_object(request, object_id) if object_id else None
        readership = find_readership(row.default_roles.all() if row is not None else [])
        extra = {**(extra_context or {}), "readership": readership}
        response: HttpResponse = super().changeform_view(request, object_id, form_url, extra)
        return response

    def has_add_permission(self, request: HttpRequest) -> bool:
        """A new collection has no readers: it takes the right to add one alone."""
        return bool(FootnoteAdmin.has_add_permission(self, request))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Collection]:
        """Collections with their counts and roles."""
        return (
            super()
            .get_queryset(request)
            .annotate(
                documents_held=Count("documents", filter=_WHOLE),
                chunks_held=Coalesce(Sum("documents__chunk_count", filter=_WHOLE), 0),
            )
            .prefetch_related("default_roles")
        )

    def list_ways_instead(self, row: Collection) -> list[Way]:
        """Say where what is in the collection, and what fills it, is taken care of."""
        documents = f"{reverse('admin:core_document_changelist')}?collection__id__exact={row.pk}"
        return [
            Way(
                words="Choose another collection on the page of each document, or delete those that should go.",
                link="The documents of this collection",
                address=documents,
            ),
            Way(
                words="A source that fills it is ended and deleted first.",
                link="Sources",
                address=reverse("admin:core_datasource_changelist"),
            ),
            Way(
                words="If only its name is wrong, or nothing more should come in, keep it and change it.",
                link="Change this collection",
                address=reverse("admin:core_collection_change", args=[row.pk]),
            ),
        ]

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Let its rules go with a collection, and what is left of uploads that have ended if it holds nothing else."""
        shown, counts, needed, protected = super().get_deleted_objects(objs, request)
        # Nobody may delete these by themselves here, so it says nothing.
        needed = set(needed) - {IngestionJob._meta.verbose_name, SectionRule._meta.verbose_name}
        rows = Collection.objects.filter(pk__in=[row.pk for row in objs])
        holds = rows.filter(Q(documents__isnull=False) | Q(data_sources__isnull=False)).exists()
        if holds or IngestionJob.objects.filter(collection__in=rows).exclude(state__in=_ENDED).exists():
            return shown, counts, needed, protected
        return shown, counts, needed, []

    def delete_model(self, request: HttpRequest, obj: Collection) -> None:
        """Delete a collection, and what is left of uploads into it."""
        with transaction.atomic():
            IngestionJob.objects.filter(collection=obj, state__in=_ENDED).delete()
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Collection]) -> None:
        """Delete several, likewise."""
        with transaction.atomic():
            IngestionJob.objects.filter(collection__in=queryset.values("pk"), state__in=_ENDED).delete()
            super().delete_queryset(request, queryset)

    @display(description="Documents", ordering="documents_held")
    def document_count(self, collection: Collection) -> int:
        """Return the number of documents in the collection."""
        return int(getattr(collection, "documents_held", 0))

    @display(description="Passages", ordering="chunks_held")
    def chunk_count(self, collection: Collection) -> int:
        """Return the number of its documents' chunks."""
        return int(getattr(collection, "chunks_held", 0))

    @display(description="Default roles")
    def show_roles(self, collection: Collection) -> str:
        """The roles that receive what is ingested."""
        return ", ".join(role.name for role in collection.default_roles.all()) or "–"

    def has_sections_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who may say who reads sections."""
        return may_see_sections(request)

    @action(description="Rules for sections", permissions=["sections"], icon="segment")
    def list_section_rules(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Go to the rules that restrict sections of the collection's documents."""
        collection = self.get_object(request, object_id)
        if collection is None:
            return redirect("admin:core_collection_changelist")
        return redirect(address_of(collection=collection.pk))

    def response_change(self, request: HttpRequest, obj: Collection) -> HttpResponse:
        """After a new default role: whether it should also read what is in the collection already."""
        response: HttpResponse = super().response_change(request, obj)
        if not getattr(request, "gains_roles", False) or not may_decide_who_reads(request.user):
            return response
        return offer_existing(self, request, obj) or response

    def save_model(self, request: HttpRequest, obj: Collection, form: Any, change: bool) -> None:
        """Save the collection; with another choice about comments, what its data sources hold is read again."""
        super().save_model(request, obj, form, change)
        if "reads_comments" in form.changed_data:
            load_again(obj)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the default roles and say in the audit trail which came and went."""
        super().save_formset(request, form, formset, change)
        added = [str(row.role_id) for row in formset.new_objects]
        removed = [str(row.role_id) for row in formset.deleted_objects]
        request.gains_roles = bool(added)  # type: ignore[attr-defined]  # for response_change
        if added or removed:
            record(request, AuditEvent.Action.CHANGE_DEFAULT_ROLES, form.instance, added=added, removed=removed)
