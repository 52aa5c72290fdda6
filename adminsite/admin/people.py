"""People, and the roles that they have."""

from http import HTTPStatus
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import Field
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.decorators import action, display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm

from adminsite.admin.access.membership import HandGivenInline, change_membership
from adminsite.admin.access.why import may_see_why, readable_page
from adminsite.admin.audited import AuditedChanges
from adminsite.admin.base import AuditedDeletion, FootnoteAdmin, Way, record, viewer
from adminsite.admin.deciders import deciders_page
from adminsite.admin.new_people import NewPersonForm, NewPersonWithRolesForm, several_page
from adminsite.admin.tokens import create_token_for
from adminsite.figures import count_of
from core.access.audiences import may_decide_who_reads
from core.access.grants import change_members
from core.api import count_erasable_texts, erase_texts
from core.models import AuditEvent, User, UserRole

# What turns an account into an administrator's; only a superuser may hand it out.
PRIVILEGES = ("is_staff", "is_superuser", "groups")
# Their labels and help, in place of Django's.
PRIVILEGE_WORDS = {
    "is_staff": ("May use the admin", "Opens these pages. What they may do here, their admin groups say."),
    "is_superuser": ("Superuser", "May do everything in the admin, whatever their admin groups say."),
    "groups": ("Admin groups", "Each gives its rights in the admin."),
    "is_active": ("Active", "Whoever is not active can neither sign in nor read anything."),
}
# What says whose roles an account's are: Slack's accounts find their person by address, and who is inactive has none.
IDENTITY = ("email", "is_active")


class PersonForm(UserChangeForm):
    """A person, in plain words, and without Django's explanation of how passwords are stored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "password" in self.fields:
            self.fields["password"].help_text = "Needed only to sign in to the admin without single sign-on."
        if "display_name" in self.fields:
            self.fields["display_name"].label = "Name"


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
        """Return False: a role is given or taken, so that the audit trail says which."""
        return False


@admin.register(User)
class UserAdmin(AuditedChanges, AuditedDeletion, DjangoUserAdmin, FootnoteAdmin):  # type: ignore[type-arg]  # not generic when run
    """People. What they read follows from their roles; the admin's permissions are apart from it."""

    form = PersonForm
    when_empty = "Nobody is known yet. Add one person, or paste the addresses of several."
    add_form = NewPersonForm
    change_password_form = AdminPasswordChangeForm
    add_form_template = "admin/change_form.html"  # the theme's; Django's promises more options afterwards
    change_form_template = "adminsite/person.html"  # roles first
    inlines = (UserRoleInline,)
    recorded_apart = (UserRole,)
    list_display = ("show_person", "show_roles", "show_state", "show_admin", "last_login")
    list_filter = (("roles", RelatedDropdownFilter), "is_active", "is_staff")
    list_filter_submit = True
    search_fields = ("email", "display_name")
    ordering = ("email",)
    filter_horizontal = ()
    readonly_fields = ("last_login", "created_at", "roles_through_usergroups", "show_state", "show_admin")
    actions_list = ("add_several",)
    actions = ("give_role", "take_role", "deactivate", "activate")
    actions_detail = ("list_readable", "create_token", "list_programs", "erase_texts")
    fieldsets = (
        (None, {"fields": ("display_name", "email", "roles_through_usergroups", "is_active", "last_login")}),
        (
            "Advanced",
            {
                "classes": ("collapse",),
                "fields": (*PRIVILEGES, "gets_risk_digest", "password", "created_at"),
                "description": "What the person may do in this admin. None of it lets anyone read a document: only "
                "roles do.",
            },
        ),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": ("display_name", "email", "given_roles"),
                "description": "The person needs no password: in Slack, and with single sign-on, Footnote knows them "
                "by this address. Nobody gets an e-mail.",
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return people with their roles, in two queries."""
        return super().get_queryset(request).prefetch_related("roles")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Only a superuser makes administrators, and only who decides who reads says who somebody is."""
        own = super().get_readonly_fields(request, obj)
        own = own if request.user.is_superuser else (*own, *PRIVILEGES)
        return own if obj is None or may_decide_who_reads(request.user) else (*own, *IDENTITY)

    def get_form(self, request: HttpRequest, obj: User | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form of a person; of a new one with roles, if the viewer decides who reads."""
        if obj is None and may_decide_who_reads(request.user):
            kwargs["form"] = NewPersonWithRolesForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Return the fields that the viewer may fill in; where they may only look, words in place of switches."""
        left_out = set() if may_decide_who_reads(request.user) else {"given_roles"}
        in_words: dict[str, str] = {}
        if obj is not None and not request.user.is_superuser:
            left_out |= {"is_superuser", "password"}
            in_words["is_staff"] = "show_admin"
        if obj is not None and "is_active" in self.get_readonly_fields(request, obj):
            in_words["is_active"] = "show_state"
        return [
            (title, {**rest, "fields": [in_words.get(str(one), one) for one in rest["fields"] if one not in left_out]})
            for title, rest in super().get_fieldsets(request, obj)
        ]

    def get_inline_instances(self, request: HttpRequest, obj: User | None = None) -> list[Any]:
        """Return the roles as rows; a new person's are boxes of the form."""
        return [] if obj is None else super().get_inline_instances(request, obj)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Django's own help speaks of designating; Footnote says what somebody may do."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if isinstance(field, Field) and db_field.name in PRIVILEGE_WORDS:
            field.label, field.help_text = PRIVILEGE_WORDS[db_field.name]
        return field

    def response_add(self, request: HttpRequest, obj: User, post_url_continue: str | None = None) -> HttpResponse:
        """Lead back to the list: with name, address and roles the person is complete.

        Django goes on to the person's page, for what its form for new accounts leaves out.
        """
        return super(DjangoUserAdmin, self).response_add(request, obj, post_url_continue)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Save what belongs to a person; a new one gets the roles that were chosen."""
        super().save_related(request, form, formsets, change)
        if not change:
            for role in form.cleaned_data.get("given_roles", ()):
                change_members(role, [form.instance], give=True, by=viewer(request))

    def get_urls(self) -> list[Any]:
        """Return the pages of people, with the one of those who decide who reads."""
        deciders = path("deciders/", self.admin_site.admin_view(self.deciders_view), name="core_user_deciders")
        several = path("several/", self.admin_site.admin_view(self.several_view), name="core_user_several")
        return [deciders, several, *super().get_urls()]

    @action(description="Add several people", permissions=["add"], icon="group_add")
    def add_several(self, request: HttpRequest) -> HttpResponse:
        """Lead to the page on which addresses are pasted."""
        return HttpResponseRedirect(reverse("admin:core_user_several"))

    def several_view(self, request: HttpRequest) -> HttpResponse:
        """Add people by a list of addresses."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return several_page(self, request)

    def deciders_view(self, request: HttpRequest) -> HttpResponse:
        """Show everyone who can decide who reads, by any path."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return deciders_page(self, request)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002 - Django's
        """Set somebody's password, which superusers alone may: who knows it is that person. One's own is set above."""
        if not request.user.is_superuser:
            raise PermissionDenied
        with transaction.atomic():
            response: HttpResponse = super().user_change_password(request, id, form_url)
            person = self.get_object(request, id) if response.status_code == HTTPStatus.FOUND else None
            if person is not None:
                record(request, AuditEvent.Action.CHANGE, person, fields=["password"])
        return response

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """A superuser's account is changed by superusers alone, or else its password would be theirs to take."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return bool(super().has_change_permission(request, obj))

    def list_ways_instead(self, row: User) -> list[Way]:
        """Say how somebody who has left is shut out while the records stay."""
        return [
            Way(
                words="Take the tick from Active: the person can neither sign in nor ask, and the records stay.",
                link="Change this person",
                address=reverse("admin:core_user_change", args=[row.pk]),
            )
        ]

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """A superuser's account is deleted by superusers alone, and nobody's without deciding who reads."""
        if isinstance(obj, User) and obj.is_superuser and not request.user.is_superuser:
            return False
        return may_decide_who_reads(request.user) and bool(super().has_delete_permission(request, obj))

    def has_activate_permission(self, request: HttpRequest) -> bool:
        """Return True if the viewer may change people and decide who reads: an inactive person reads nothing."""
        return may_decide_who_reads(request.user) and self.has_change_permission(request)

    @display(description="Person", header=True, ordering="email")
    def show_person(self, person: User) -> list[str]:
        """Name and address."""
        name = person.display_name or person.email.split("@")[0]
        return [name, person.email, "".join(word[0] for word in name.split()[:2]).upper()]

    @display(description="Roles")
    def show_roles(self, person: User) -> str:
        """Return the names of the person's roles."""
        return ", ".join(dict.fromkeys(role.name for role in person.roles.all())) or "–"

    @display(description="Roles through usergroups")
    def roles_through_usergroups(self, person: User) -> str:
        """Return the roles that the person has through Slack usergroups, for as long as they are members."""
        held = person.user_roles.exclude(usergroup=None).select_related("usergroup", "role").order_by("role__name")
        return ", ".join(f"{row.role} ({row.usergroup})" for row in held) or "–"

    @display(description="Account", label={"active": "success", "inactive": "danger"}, ordering="is_active")
    def show_state(self, person: User) -> str:
        """Return the state of the account."""
        return "active" if person.is_active else "inactive"

    @display(description="Admin", ordering="is_staff")
    def show_admin(self, person: User) -> str:
        """Return what somebody is in the admin, and nothing for those who only ask."""
        if person.is_staff:
            return "superuser" if person.is_superuser else "may use the admin"
        return ""

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
        self.message_user(request, f"{count_of(len(affected), 'account')} {done}.", messages.SUCCESS)

    def has_membership_permission(self, request: HttpRequest) -> bool:
        """Return True for who decides who reads: they say who is in a role."""
        return may_decide_who_reads(request.user)

    @action(description="Give a role", permissions=["membership"], icon="group_add")
    def give_role(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        """Give the selected people roles."""
        return change_membership(self, request, queryset, giving=True)

    @action(description="Take a role away", permissions=["membership"], icon="group_remove")
    def take_role(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        """Take roles from the selected people."""
        return change_membership(self, request, queryset, giving=False)

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

    def has_programs_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who may look at connected programs."""
        return bool(request.user.has_perm("core.view_connectedprogram"))

    @action(description="Connected programs", permissions=["programs"], icon="cable")
    def list_programs(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Go to the programs that the person has connected."""
        person = self.get_object(request, object_id)
        narrowed = f"?user__id__exact={person.pk}" if person else ""
        return HttpResponseRedirect(reverse("admin:core_connectedprogram_changelist") + narrowed)

    def has_why_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True for who may look at people, roles and documents."""
        return may_see_why(request)

    @action(description="What they may read", permissions=["why"], icon="menu_book")
    def list_readable(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Show everything that the person may read, and by which way."""
        return readable_page(self, request, self.get_object(request, object_id))

    def has_erase_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True if the viewer may erase texts, as for deleting questions."""
        return bool(request.user.has_perm("core.delete_query"))

    @action(description="Erase texts", permissions=["erase"], icon="ink_eraser")
    def erase_texts(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then erase the text of what the person asked."""
        person = self.get_object(request, object_id)
        if person is None:
            self.message_user(request, "There is no such person.", messages.ERROR)
            return HttpResponseRedirect(reverse("admin:core_user_changelist"))
        return erase_texts_of(self, request, person)


def erase_texts_of(model_admin: Any, request: HttpRequest, person: User) -> HttpResponse:
    """Ask for confirmation, with the number of questions; then erase them and return to the person."""
    now = timezone.now()
    if request.method == "POST":
        erased = erase_texts(before=now, of=person, by=viewer(request))
        model_admin.message_user(request, f"The text of {erased:,} question(s) is erased.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:core_user_change", args=[person.pk]))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Erase texts",
        "opts": model_admin.opts,
        "person": person,
        "count": count_erasable_texts(before=now, of=person),
    }
    return TemplateResponse(request, "adminsite/erase_texts.html", context)
