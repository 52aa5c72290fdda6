"""Add people: one by a form, or several by a list of addresses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminTextareaWidget

from adminsite.admin.base import viewer
from core.access.audiences import may_decide_who_reads
from core.access.grants import change_members
from core.models import AuditEvent, Role, User
from core.values.addresses import fold_address

ROLE_HELP = "What the person may read. Roles can be given later as well."
EXAMPLE = "Ada Example <ada@example.com>\nben@example.com, carol@example.com"
MOST = 1000  # people of one list
LONGEST_ADDRESS, LONGEST_NAME = 254, 200  # characters, as the columns hold them
_QUOTES = "\"'"


@dataclass(frozen=True, kw_only=True, slots=True)
class PastedPerson:
    """Holds one person of a list."""

    name: str  # empty where there was an address alone
    email: str  # folded


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """Holds an entry of a list that is nobody's address, and why."""

    text: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pasted:
    """Holds the people of a list, each address once and in its order, and the entries that could not be read."""

    people: tuple[PastedPerson, ...]
    unread: tuple[Unread, ...]


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
        """Return the person; nobody can sign in as them."""
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
    form = _make_form(request, request.POST or None)
    added: list[User] = []
    present: list[User] = []
    pasted: Pasted | None = None
    if form.is_valid():
        pasted, roles = read_people(form.cleaned_data["people"]), list(form.cleaned_data.get("roles", ()))
        added, present = _add_people(request, pasted, roles)
        form = _make_form(request, initial={"people": "\n".join(one.text for one in pasted.unread), "roles": roles})
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


def _make_form(request: HttpRequest, data: Any = None, **options: Any) -> SeveralPeopleForm:
    """Return the form; without roles for those who do not decide who reads."""
    form = SeveralPeopleForm(data, **options)
    if not may_decide_who_reads(request.user):
        del form.fields["roles"]
    return form


def _add_people(request: HttpRequest, pasted: Pasted, roles: list[Role]) -> tuple[list[User], list[User]]:
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


def read_people(text: str) -> Pasted:
    """Read a list of addresses, with names or without.

    Entries end with a line, a semicolon or a comma; within quotes or angle brackets neither separates. In a line with
    semicolons a comma belongs to the name, as in "Doe, Jane <jane@example.com>; ...".
    """
    people: dict[str, PastedPerson] = {}
    unread: list[Unread] = []
    for entry in _list_entries(text):
        name, address = _split_name(entry)
        try:
            person = _check_entry(name, address) if len(people) < MOST else None
        except ValidationError as error:
            unread.append(Unread(text=entry, reason=" ".join(error.messages)))
            continue
        if person is None:
            unread.append(Unread(text=entry, reason=f"More than {MOST:,} people at once."))
        elif person.email not in people:
            people[person.email] = person
    return Pasted(people=tuple(people.values()), unread=tuple(unread))


def _list_entries(text: str) -> Iterator[str]:
    for line in text.replace("\0", "").splitlines():
        parts = _split_line(line, ";")
        for part in parts:
            has_comma_in_name = len(parts) > 1 and part.count("@") < 2 and "<" in part
            for entry in [part] if has_comma_in_name else _split_line(part, ","):
                yield from _split_bare(entry.strip())


def _split_line(line: str, mark: str) -> list[str]:
    """Split a line at a mark outside of double quotes and angle brackets; an unclosed one ends with the line."""
    parts, begin, closing = [], 0, ""
    last = {'"': line.rfind('"'), "<": line.rfind(">")}  # where what each opens can be closed at the latest
    for place, letter in enumerate(line):
        if closing:
            closing = "" if letter == closing else closing
        elif last.get(letter, -1) > place:
            closing = '"' if letter == '"' else ">"
        elif letter == mark:
            parts.append(line[begin:place])
            begin = place + 1
    return [*parts, line[begin:]]


def _split_bare(entry: str) -> list[str]:
    """Split an entry of several addresses with nothing but spaces between them."""
    words = entry.split()
    return words if len(words) > 1 and all("@" in word and "<" not in word for word in words) else words and [entry]


def _split_name(entry: str) -> tuple[str, str]:
    """Split "Name <address>" and, as in a table, "Name address"."""
    if entry.endswith(">") and "<" in entry:
        name, _bracket, address = entry[:-1].rpartition("<")
    else:
        words = entry.split()
        is_named = len(words) > 1 and "@" in words[-1] and not any("@" in word for word in words[:-1])
        name, address = (" ".join(words[:-1]), words[-1]) if is_named else ("", entry)
    return " ".join(name.split()).strip(_QUOTES).strip(), address.strip().removeprefix("mailto:")


def _check_entry(name: str, address: str) -> PastedPerson:
    """Return the person; ValidationError with the reason if this is no address, or the name is too long."""
    if "@" not in address:
        raise ValidationError("There is no e-mail address in it.")
    if len(address) > LONGEST_ADDRESS:
        raise ValidationError("The address is too long.")
    try:
        validate_email(address)
    except ValidationError as error:
        raise ValidationError("This is not an e-mail address.") from error
    if len(name) > LONGEST_NAME:
        raise ValidationError("The name is too long.")
    return PastedPerson(name=name, email=fold_address(address))
