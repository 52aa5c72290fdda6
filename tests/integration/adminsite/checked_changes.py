"""Share addresses, rights, figures and browsers among the tests of checked changes."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from core.access.audiences import audience_of
from core.models import ChangeCheck, Document, User
from core.values.change_checks import CheckState

LIST, LIMITS = reverse("admin:core_changecheck_changelist"), reverse("admin:core_changecheck_limits")
THRESHOLDS, CHANGE = reverse("admin:core_querylog_thresholds"), reverse("admin:core_role_change_access")
VIEW, DECIDE, READS = "core.view_changecheck", "core.decide_changes", "core.decide_who_reads"
ACTS = ("approve", "decline", "stop", "again")
FIGURES = {
    "questions": 40,
    "of_people": 30,
    "failed": 1,
    "vanished": 2,
    "disputed": 0,
    "sources": 4,
    "wording": 3,
    "answered": 5,
    "same": 25,
    "worse": 3,
    "worse_of_people": 2,
    "moved": 2,
    "gaining": 1,
    "people_changed": 6,
    "people_worse": 2,
    "people": 12,
}
Staff = Callable[..., Client]


def page_of(check: ChangeCheck, name: str = "change") -> str:
    """Return an address of a check."""
    return reverse(f"admin:core_changecheck_{name}", args=[check.pk])


def read(client: Client, address: str) -> str:
    """Return what a page shows."""
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def post(client: Client, address: str, form: dict[str, Any] | None = None) -> str:
    """Return what is shown once a form was sent."""
    return client.post(address, form or {}, follow=True).content.decode()


def let(person: User, *rights: str) -> Client:
    """Return the browser of a person of the cast who may work in the admin."""
    names = [right.partition(".")[2] for right in rights]
    person.user_permissions.set(Permission.objects.filter(codename__in=names))
    User.objects.filter(pk=person.pk).update(is_staff=True)
    client = Client()
    client.force_login(User.objects.get(pk=person.pk))
    return client


def reads(person: User, document: Document) -> bool:
    """Return True if a person may read a document."""
    return Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()


def become(check: ChangeCheck, state: CheckState, **more: Any) -> None:
    """Put a check into a state."""
    ChangeCheck.objects.filter(pk=check.pk).update(state=state, **more)


def state_of(check: ChangeCheck) -> str:
    """Return the state that a check has by now."""
    return ChangeCheck.objects.get(pk=check.pk).state
