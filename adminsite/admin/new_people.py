"""Add people: one by a form, or several by a list of addresses."""

from typing import Any, ClassVar

from django import forms
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextareaWidget

from adminsite.admin.base import viewer
from adminsite.admin.pasted_people import MOST, Pasted, read_people
from core.access.audiences import may_decide_who_reads
from core.access.members import change_members
from core.models import AuditEvent, Role, User

ROLE_HELP = "What the person may read. Roles can be given later as well."
EXAMPLE = "Ada Example <ada@example.com>\nben@example.com, carol@example.com"


class RolesField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic when run
    """Roles as boxes."""

    def __init__(self, **options: Any) -> None:
        widget = UnfoldAdminCheckboxSelectMultipleWidget
        super().__init__(queryset=Role.objects.order_by("name"), required=False, widget=widget, **options)


class NewPersonForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """A person without a password, as everyone is who only asks."""

    class Meta:
        model = User
        fields = ("display_name", "email")
        labels: ClassVar = {"display_name": "Name"}

    def save(self, commit: bool = True) -> Any:
        """The person; nobody can sign in as them."""
        self.instance.set_unusable_password()
        return super().save(commit)


class NewPersonWithRolesForm(NewPersonForm):
    """A new person with roles, for those who decide who reads."""

    given_roles = RolesField(label="Roles", help_text=ROLE_HELP)


class SeveralPeopleForm(forms.Form):
    """Addresses, and the roles of all of them."""

    people = forms.CharField(
        label="Addresses",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 10, "placeholder": EXAMPLE}),
        help_text="One in each line, or separated by commas or semicolons; with a name before it, if you like: "
        f"Name &lt;address&gt;. At most {MOST:,} at once.",
    )
    roles = RolesField(label="Roles", help_text="Each of these people gets them.")


def several_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Add the people whose addresses were pasted, say which were there already, and keep what could not be read."""
    form = _form(request, request.POST or None)
    added: list[User] = []
    present: list[User] = []
    pasted: Pasted | None = None
    if form.is_valid():
        pasted, roles = read_people(form.cleaned_data["people"]), list(form.cleaned_data.get("roles", ()))
        added, present = _add(request, pasted, roles)
        form = _form(request, initial={"people": "\n".join(one.text for one in pasted.unread), "roles": roles})
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Add several people",
        "opts": model_admin.opts,
        "form": form,
        "added": added,
        "present": present,
        "unread": pasted.unread if pasted else (),
    }
    return TemplateResponse(request, "adminsite/several_people.html", context)


def _form(request: HttpRequest, data: Any = None, **options: Any) -> SeveralPeopleForm:
    """The form; without roles for those who do not decide who reads."""
    form = SeveralPeopleForm(data, **options)
    if not may_decide_who_reads(request.user):
        del form.fields["roles"]
    return form


def _add(request: HttpRequest, pasted: Pasted, roles: list[Role]) -> tuple[list[User], list[User]]:
    """Return who was added and who was there already; the latter stay as they are, their roles included."""
    with transaction.atomic():
        present = {one.email: one for one in User.objects.filter(email__in=[one.email for one in pasted.people])}
        new = [User(email=one.email, display_name=one.name) for one in pasted.people if one.email not in present]
        for person in new:
            person.set_unusable_password()
        User.objects.bulk_create(new)
        AuditEvent.objects.bulk_create(
            AuditEvent(
                actor=viewer(request),
                action=AuditEvent.Action.CREATE,
                object_type="user",
                object_id=str(person.pk),
                details={"fields": ["email", "display_name"] if person.display_name else ["email"]},
            )
            for person in new
        )
        for role in roles:
            change_members(role, new, give=True, by=viewer(request))
    return new, [present[one.email] for one in pasted.people if one.email in present]
