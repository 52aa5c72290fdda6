"""Roles: who is in them, what they may read, when somebody last said that it is right, and grants that nobody used."""

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import DropdownFilter
from unfold.decorators import action, display

from adminsite.admin.access.change import change_page, undo_page
from adminsite.admin.access.matrix import matrix_page, may_see_matrix
from adminsite.admin.access.membership import HandGivenInline
from adminsite.admin.access.preview import preview_page
from adminsite.admin.audited import AuditedChanges
from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, Way, record, viewer
from adminsite.admin.conversation.links import read_id
from core.access.audiences import may_decide_who_reads
from core.access.reviews import DAYS, approve, count_unused, describe_role, find_unused, has_old_grants
from core.models import AuditEvent, Role, RoleDocumentAccess, UserRole

GRANTS_PER_PAGE = 100


class DueFilter(DropdownFilter):
    """Roles that somebody should look at."""

    title = "review"
    parameter_name = "review"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return one choice."""
        return [("due", "due")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Role]) -> QuerySet[Role]:
        """Return those that are due, where that is asked for."""
        return queryset.filter(pk__in=Role.objects.due_for_review()) if self.value() == "due" else queryset


@admin.register(Role)
class RoleAdmin(DecidesWhoReads, AuditedChanges, AuditedDeletion, FootnoteAdmin):
    """Roles: who is in them and how much they may read."""

    when_empty = (
        "No role yet. People read what their roles may read: add a role such as Staff, put people in it, and grant it "
        "documents."
    )

    list_display = ("name", "description", "member_count", "document_count", "show_review")
    list_filter = (DueFilter,)
    actions_detail = ("review",)
    search_fields = ("name",)
    readonly_fields = ("member_count", "document_count", "members_through_usergroups", "show_review")

    def list_ways_instead(self, row: Role) -> list[Way]:
        """Say how people and documents leave a role that stays."""
        change = reverse("admin:core_role_change", args=[row.pk])
        return [
            Way(
                words="Remove people from it, or rename it, and keep what it may read.",
                link="Change this role",
                address=change,
            ),
            Way(
                words="Take documents away from it in the matrix, which first shows who would lose what.",
                link="The matrix of rights",
                address=reverse("admin:core_role_matrix"),
            ),
        ]

    class MemberInline(HandGivenInline):
        """The people who have a role."""

        fields = ("user", "created_at")
        readonly_fields = ("created_at",)
        autocomplete_fields = ("user",)
        ordering = ("user__email",)
        extra = 0
        per_page = 50
        tab = True
        hide_title = True
        verbose_name = "member"
        verbose_name_plural = "members"

        def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
            """Return False: a member comes or goes, so that the audit trail says who."""
            return False

    inlines = (MemberInline,)
    recorded_apart = (UserRole,)

    def get_urls(self) -> list[Any]:
        """Return the pages of roles, with those on who reads what."""
        guard = self.admin_site.admin_view
        return [
            path("matrix/", guard(partial(matrix_page, self)), name="core_role_matrix"),
            path("change-access/", guard(partial(change_page, self)), name="core_role_change_access"),
            path("preview/", guard(partial(preview_page, self)), name="core_role_preview"),
            path("unused/", guard(partial(unused_page, self)), name="core_role_unused"),
            path("undo/<uuid:event_id>/", guard(partial(undo_page, self)), name="core_role_undo"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Role]:
        """Return roles with their counts; each count in a subquery, since two joins would multiply each other."""
        members = UserRole.objects.filter(role=OuterRef("pk"), user__is_active=True).order_by().values("role")
        grants = RoleDocumentAccess.objects.decided().filter(role=OuterRef("pk")).order_by().values("role")
        return (
            super()
            .get_queryset(request)
            .annotate(
                members=Coalesce(Subquery(members.annotate(n=Count("user", distinct=True)).values("n")), 0),
                documents_granted=Coalesce(Subquery(grants.annotate(n=Count("pk")).values("n")), 0),
                is_due=Exists(Role.objects.due_for_review().filter(pk=OuterRef("pk"))),
            )
        )

    @display(description="Members", ordering="members")
    def member_count(self, role: Role) -> SafeString | str:
        """Return the number of active people in the role, linked to them."""
        return _link_count("user", f"roles__id__exact={role.pk}&is_active__exact=1", getattr(role, "members", 0))

    @display(description="Through usergroups")
    def members_through_usergroups(self, role: Role) -> str:
        """Return the usergroups of Slack's whose members have the role, and how many those are."""
        groups = role.usergroups.annotate(n=Count("user_roles"))
        return ", ".join(f"{group}: {group.n}" for group in groups) or "–"

    @display(description="Documents", ordering="documents_granted")
    def document_count(self, role: Role) -> SafeString | str:
        """Return the number of documents that the role may read, linked to them."""
        return _link_count("document", f"roles__id__exact={role.pk}", getattr(role, "documents_granted", 0))

    @display(description="Review", ordering="reviewed_at", label={"due": "warning"})
    def show_review(self, role: Role) -> str:
        """Return "due" if the role should be reviewed, else the day of its last review."""
        if getattr(role, "is_due", False):
            return "due"
        return f"{timezone.localtime(role.reviewed_at):%Y-%m-%d}" if role.reviewed_at else "–"

    def has_review_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who decides who reads: they say whether it is still right."""
        return may_decide_who_reads(request.user)

    @action(description="Review access", permissions=["review"], icon="fact_check")
    def review(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Look at the role, and say that it is still right."""
        return review_page(self, request, self.get_object(request, object_id))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the members and say in the audit trail who came and went."""
        super().save_formset(request, form, formset, change)
        given = [str(row.user_id) for row in formset.new_objects]
        taken = [str(row.user_id) for row in formset.deleted_objects]
        if given or taken:
            record(request, AuditEvent.Action.CHANGE_MEMBERS, form.instance, given=given, taken=taken)

    def deletion_details(self, row: Role) -> dict[str, Any]:
        """Count the grants and members that go with the role."""
        return {
            "documents": RoleDocumentAccess.objects.decided().filter(role=row).count(),
            "members": row.user_roles.values("user").distinct().count(),
        }


def review_page(model_admin: Any, request: HttpRequest, role: Role | None) -> HttpResponse:
    """Show who is in a role and what it may read; and, when that is still right, say so. Http404 without one."""
    if not may_decide_who_reads(request.user):
        raise PermissionDenied
    if role is None:
        raise Http404
    if request.method == "POST":
        approve(role, by=viewer(request))
        model_admin.message_user(request, f"{role} is reviewed: its access is still right.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_role_changelist"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Review access",
        "subtitle": str(role),
        "opts": model_admin.opts,
        "role": role,
        "seen": describe_role(role),
    }
    return TemplateResponse(request, "adminsite/review.html", context)


def unused_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """List the grants that nobody used: by role and collection; or of one role or collection, document by document."""
    if not may_see_matrix(request):
        raise PermissionDenied
    role, collection = (read_id(request.GET.get(name, "")) for name in ("role", "collection"))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Unused grants",
        "days": DAYS,
        "opts": model_admin.opts,
        "may_change": may_decide_who_reads(request.user),
        **(
            _list_unused(request, role, collection) if role else {"groups": count_unused(), "has_old": has_old_grants()}
        ),
    }
    return TemplateResponse(request, "adminsite/unused.html", context)


def _list_unused(request: HttpRequest, role: UUID, collection: UUID | None) -> dict[str, Any]:
    grants = find_unused().filter(role=role).select_related("document").order_by("document__title", "pk")
    if collection:
        grants = grants.filter(document__collection=collection)
    return {
        "role": Role.objects.filter(pk=role).first(),
        "collection": collection,
        "page": Paginator(grants, GRANTS_PER_PAGE).get_page(request.GET.get("page")),
    }


def _link_count(model: str, narrowed: str, count: int) -> SafeString | str:
    """Return a count, linked to the list of what is counted."""
    if not count:
        return "0"
    return format_html(
        '<a class="text-link" href="{}?{}">{}</a>', reverse(f"admin:core_{model}_changelist"), narrowed, count
    )
