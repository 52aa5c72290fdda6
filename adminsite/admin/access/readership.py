"""Say who will read something, before it is there: roles, and how many people have them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet

from core.models import Role, User


@dataclass(frozen=True, kw_only=True, slots=True)
class Readership:
    """Roles, and the people who have one of them."""

    roles: tuple[tuple[Role, int], ...]  # each with its people
    people: int  # who have one or several of them


def find_readership(roles: Iterable[Role]) -> Readership:
    """Return the roles by name, with the number of active people in each and in all of them together."""
    chosen = [role.pk for role in roles]
    people = User.objects.filter(is_active=True, user_roles__role__in=chosen).distinct().count() if chosen else 0
    counted = count_people().filter(pk__in=chosen).order_by("name")
    return Readership(roles=tuple((role, role.readers) for role in counted), people=people)  # type: ignore[attr-defined]


def count_people() -> QuerySet[Role]:
    """All roles, with the number of active people in each as `readers`."""
    active = Q(user_roles__user__is_active=True)
    return Role.objects.annotate(readers=Count("user_roles__user", filter=active, distinct=True))


class CountedRoles(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic when run
    """One role of those that `count_people` gives, each with its number of people."""

    def label_from_instance(self, obj: Any) -> str:
        """Name the role, and how many people have it."""
        return label_role(obj)


def label_role(role: Any) -> str:
    """Return a counted role's name with its number of people."""
    return f"{role.name} ({role.readers} {'person' if role.readers == 1 else 'people'})"
