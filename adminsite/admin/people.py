"""People, their roles, and the admin's permission groups."""

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import action, display
from unfold.forms import AdminPasswordChangeForm, PaginationInlineFormSet, UserChangeForm, UserCreationForm

from adminsite.admin.access.change import change_page, undo_page
from adminsite.admin.access.matrix import matrix_page
from adminsite.admin.access.why import may_see_why, readable_page
from adminsite.admin.base import AuditedDeletion, DecidesWhoReads, FootnoteAdmin, record, viewer
from adminsite.admin.deciders import deciders_page
from adminsite.admin.erasure import erase_texts_of, may_erase
from adminsite.admin.tokens import create_token_for
from core.access.audiences import may_decide_who_reads
from core.models import AuditEvent, Role, RoleDocumentAccess, User, UserRole

# What turns an account into an administrator's; only a superuser may hand it out.
PRIVILEGES = ("is_staff", "is_superuser", "groups")
# What says whose roles an account's are: Slack's accounts find their person by address, and who is inactive has none.
IDENTITY = ("email", "is_active")


class GivenByHand(PaginationInlineFormSet):
    """Roles that administrators give. A person may hold the same role through a usergroup besides."""

    def clean(self) -> None:
        """Refuse what is there already: the database would, without saying which row it means."""
        super().clean()
        known = set()
        for form in self.forms:
            row = form.instance
            if form in self.deleted_forms or not row.user_id or not row.role_id:
                continue
            pair = (row.user_id, row.role_id)
            given = UserRole.objects.filter(user_id=row.user_id, role_id=row.role_id, usergroup=None)
            if pair in known or (row._state.adding and given.exists()):
                raise ValidationError("This person already has this role.")
            known.add(pair)


class HandGivenInline(DecidesWhoReads, TabularInline):
    """Roles and people as administrators put them together; what usergroups give is shown apart."""

    model = UserRole
    formset = GivenByHand

    def get_queryset(self, request: HttpRequest) -> QuerySet[UserRole]:
        """What was given by hand."""
        return super().get_queryset(request).filter(usergroup=None)


class NewPersonForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """A person without a password, as everyone is who only asks."""

    class Meta:
        model = User
        fields = ("email", "display_name")

    def save(self, commit: bool = True) -> Any:
        """The person; nobody can sign in as them."""
        self.instance.set_unusable_password()
        return super().save(commit)


class UserRoleInline(HandGivenInline):
    """The roles of a person."""

    fields = ("role", "created_at")
    ordering = ("role__name",)
    hide_title = True
    readonly_fields = ("created_at",)
    extra = 0
    verbose_name = "role"
    verbose_name_plural = "roles"

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A role is given or taken, so that the audit trail says which."""
        return False


@admin.register(User)
class UserAdmin(AuditedDeletion, DjangoUserAdmin, FootnoteAdmin):  # type: ignore[type-arg]  # not generic when run
    """People. What they read follows from their roles; the admin's permissions are apart from it."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    inlines = (UserRoleInline,)
    list_display = ("show_person", "show_roles", "show_state", "is_staff", "last_login")
    list_filter = (("roles", RelatedDropdownFilter), "is_active", "is_staff")
    list_filter_submit = True
    search_fields = ("email", "display_name")
    ordering = ("email",)
    filter_horizontal = ()
    readonly_fields = ("last_login", "created_at", "roles_through_usergroups")
    actions = ("deactivate", "activate")
    actions_detail = ("list_readable", "create_token", "erase_texts")
    fieldsets = (
        (None, {"fields": ("email", "display_name", "password", "roles_through_usergroups")}),
        ("Account", {"fields": ("is_active", "last_login", "created_at")}),
        (
            "Admin",
            {
                "fields": PRIVILEGES,
                "description": "Permissions in this admin. They do not let anyone read a document; only roles do.",
            },
        ),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("email", "display_name", "usable_password", "password1", "password2"),
                "description": "A person who only asks in Slack needs no password.",
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """People with their roles, in two queries."""
        return super().get_queryset(request).prefetch_related("roles")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Only a superuser makes administrators, and only who decides who reads says who somebody is."""
        own = super().get_readonly_fields(request, obj)
        own = own if request.user.is_superuser else (*own, *PRIVILEGES)
        return own if obj is None or may_decide_who_reads(request.user) else (*own, *IDENTITY)

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Only a superuser gives a new person a password: who knows it could sign in as them."""
        if obj is None and not request.user.is_superuser:
            kwargs["form"] = NewPersonForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """The fields of the form that the viewer has."""
        if obj is None and not request.user.is_superuser:
            return ((None, {"fields": ("email", "display_name")}),)
        return super().get_fieldsets(request, obj)

    def get_urls(self) -> list[Any]:
        """The pages of people, with the one of those who decide who reads."""
        deciders = path("deciders/", self.admin_site.admin_view(self.deciders_view), name="core_user_deciders")
        return [deciders, *super().get_urls()]

    def deciders_view(self, request: HttpRequest) -> HttpResponse:
        """Everyone who can decide who reads, by any path."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return deciders_page(self, request)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002 - Django's
        """Set somebody's password, which superusers alone may: who knows it is that person. One's own is set above."""
        if not request.user.is_superuser:
            raise PermissionDenied
        response: HttpResponse = super().user_change_password(request, id, form_url)
        return response

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """A superuser's account is changed by superusers alone, or else its password would be theirs to take."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """A superuser's account is deleted by superusers alone, and nobody's without deciding who reads."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return may_decide_who_reads(request.user) and bool(super().has_delete_permission(request, obj))

    def has_activate_permission(self, request: HttpRequest) -> bool:
        """Who may change people, and decides who reads: an inactive person reads nothing."""
        return may_decide_who_reads(request.user) and self.has_change_permission(request)

    @display(description="Person", header=True, ordering="email")
    def show_person(self, person: User) -> list[str]:
        """Name and address."""
        name = person.display_name or person.email.split("@")[0]
        return [name, person.email, "".join(word[0] for word in name.split()[:2]).upper()]

    @display(description="Roles")
    def show_roles(self, person: User) -> str:
        """The names of the person's roles."""
        return ", ".join(dict.fromkeys(role.name for role in person.roles.all())) or "–"

    @display(description="Roles through usergroups")
    def roles_through_usergroups(self, person: User) -> str:
        """What the person holds for as long as they are in a usergroup of Slack's."""
        held = person.user_roles.exclude(usergroup=None).select_related("usergroup", "role").order_by("role__name")
        return ", ".join(f"{row.role} ({row.usergroup})" for row in held) or "–"

    @display(description="Account", label={"active": "success", "inactive": "danger"}, ordering="is_active")
    def show_state(self, person: User) -> str:
        """Whether the account is in use."""
        return "active" if person.is_active else "inactive"

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save a person and say so in the audit trail."""
        super().save_model(request, obj, form, change)
        if not change or form.changed_data:
            record(
                request,
                AuditEvent.Action.CHANGE if change else AuditEvent.Action.CREATE,
                obj,
                fields=list(form.changed_data),
            )

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the roles of a person and say in the audit trail which were given and taken."""
        super().save_formset(request, form, formset, change)
        if formset.model is not UserRole:
            return
        given = [str(row.role_id) for row in formset.new_objects]
        taken = [str(row.role_id) for row in formset.deleted_objects]
        if given or taken:
            record(request, AuditEvent.Action.CHANGE_ROLES, form.instance, given=given, taken=taken)

    @action(description="Deactivate", permissions=["activate"], icon="person_off")
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Lock people out: they can neither sign in nor read anything."""
        self._set_active(request, queryset.exclude(pk=viewer(request).pk), active=False)

    @action(description="Activate", permissions=["activate"], icon="person_check")
    def activate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Let people in again."""
        self._set_active(request, queryset, active=True)

    def _set_active(self, request: HttpRequest, people: QuerySet[User], *, active: bool) -> None:
        if not request.user.is_superuser:
            people = people.filter(is_superuser=False)
        with transaction.atomic():
            affected = list(people.filter(is_active=not active).select_for_update(of=("self",)))
            User.objects.filter(pk__in=[person.pk for person in affected]).update(is_active=active)
            for person in affected:
                record(request, AuditEvent.Action.ACTIVATE if active else AuditEvent.Action.DEACTIVATE, person)
        done = "activated" if active else "deactivated"
        self.message_user(request, f"{len(affected)} account(s) {done}.", messages.SUCCESS)

    def has_token_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """A method, because unfold looks a permission's name up in the database, which may not be migrated yet."""
        return bool(request.user.has_perm("core.add_authtoken"))

    @action(description="Create REST token", permissions=["change", "token"], icon="key")
    def create_token(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Make a REST token for the person."""
        person = self.get_object(request, object_id)
        if person is None or not person.is_active or not (request.user.is_superuser or person == request.user):
            said = "You can create a token for yourself, and as a superuser for any active person."
            self.message_user(request, said, messages.ERROR)
            return HttpResponseRedirect(reverse("admin:core_user_changelist"))
        return create_token_for(self, request, person)

    def has_why_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Whoever may look at people, roles and documents."""
        return may_see_why(request)

    @action(description="What they may read", permissions=["why"], icon="menu_book")
    def list_readable(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Everything that the person may read, and by which way."""
        return readable_page(self, request, self.get_object(request, object_id))

    def has_erase_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Who may delete questions may empty them."""
        return may_erase(request)

    @action(description="Erase texts", permissions=["erase"], icon="ink_eraser")
    def erase_texts(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then erase the text of what the person asked."""
        person = self.get_object(request, object_id)
        if person is None:
            self.message_user(request, "There is no such person.", messages.ERROR)
            return HttpResponseRedirect(reverse("admin:core_user_changelist"))
        return erase_texts_of(self, request, person)


@admin.register(Role)
class RoleAdmin(DecidesWhoReads, AuditedDeletion, FootnoteAdmin):
    """Roles: who is in them and how much they may read."""

    list_display = ("name", "description", "member_count", "document_count")
    search_fields = ("name",)
    readonly_fields = ("member_count", "document_count", "members_through_usergroups")

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
            """A member comes or goes, so that the audit trail says who."""
            return False

    inlines = (MemberInline,)

    def get_urls(self) -> list[Any]:
        """The pages of roles, with the matrix of who reads what and the page before a change of it."""
        guard = self.admin_site.admin_view
        return [
            path("matrix/", guard(partial(matrix_page, self)), name="core_role_matrix"),
            path("change-access/", guard(partial(change_page, self)), name="core_role_change_access"),
            path("undo/<uuid:event_id>/", guard(partial(undo_page, self)), name="core_role_undo"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Role]:
        """Roles with their counts; each count in a subquery, since two joins would multiply each other."""
        members = UserRole.objects.filter(role=OuterRef("pk"), user__is_active=True).order_by().values("role")
        grants = RoleDocumentAccess.objects.filter(role=OuterRef("pk")).order_by().values("role")
        return (
            super()
            .get_queryset(request)
            .annotate(
                members=Coalesce(Subquery(members.annotate(n=Count("user", distinct=True)).values("n")), 0),
                documents_granted=Coalesce(Subquery(grants.annotate(n=Count("pk")).values("n")), 0),
            )
        )

    @display(description="Members", ordering="members")
    def member_count(self, role: Role) -> SafeString | str:
        """How many active people have the role, linked to them."""
        return _link_count("user", f"roles__id__exact={role.pk}&is_active__exact=1", getattr(role, "members", 0))

    @display(description="Through usergroups")
    def members_through_usergroups(self, role: Role) -> str:
        """The usergroups of Slack's whose members have the role, and how many those are."""
        groups = role.usergroups.annotate(n=Count("user_roles"))
        return ", ".join(f"{group}: {group.n}" for group in groups) or "–"

    @display(description="Documents", ordering="documents_granted")
    def document_count(self, role: Role) -> SafeString | str:
        """How many documents the role may read, linked to them."""
        return _link_count("document", f"roles__id__exact={role.pk}", getattr(role, "documents_granted", 0))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save the members and say in the audit trail who came and went."""
        super().save_formset(request, form, formset, change)
        given = [str(row.user_id) for row in formset.new_objects]
        taken = [str(row.user_id) for row in formset.deleted_objects]
        if given or taken:
            record(request, AuditEvent.Action.CHANGE_MEMBERS, form.instance, given=given, taken=taken)

    def deletion_details(self, row: Role) -> dict[str, Any]:
        """With how many grants the role goes."""
        return {"documents": row.document_access.count(), "members": row.user_roles.values("user").distinct().count()}


def _link_count(model: str, narrowed: str, count: int) -> SafeString | str:
    """A count, linked to the list of what is counted."""
    if not count:
        return "0"
    return format_html(
        '<a class="text-link" href="{}?{}">{}</a>', reverse(f"admin:core_{model}_changelist"), narrowed, count
    )


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, FootnoteAdmin):
    """Groups of admin permissions, for administrators who are no superusers."""

    when_empty = (
        "Groups give permissions in this admin, such as changing grants. Add one, then choose it on a person's page."
    )

    filter_horizontal = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Permissions are a superuser's to give."""
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """Permissions are a superuser's to give."""
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """And a superuser's to take."""
        return bool(request.user.is_superuser)
