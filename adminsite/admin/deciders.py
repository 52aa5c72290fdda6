"""Everyone who can decide who reads documents, and through what."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Count, Prefetch, Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html

from core.access.audiences import DECIDE_WHO_READS
from core.models import AuthToken, User

HEADINGS = ("Person", "Through", "Also", "Account", "Last sign-in", "Tokens")
ALSO = "admin groups, and passwords and tokens of others"  # what a superuser may besides


@dataclass(frozen=True, kw_only=True, slots=True)
class Decider:
    """Somebody who can decide who reads."""

    person: User
    paths: tuple[str, ...]  # in words: what gives them the right
    tokens: int  # REST tokens that are in force: each acts as the person

    @property
    def account(self) -> str:
        """Return the state of the account, which decides if the right can be used now."""
        if not self.person.is_active:
            return "inactive"
        return "administrator" if self.person.is_staff else "may not use the admin"


def deciders() -> list[Decider]:
    """Return all accounts that hold the permission by any path, superusers first; also those that cannot use it now.

    An inactive account or one without the admin gets the right's use back with one click.
    """
    app, codename = DECIDE_WHO_READS.split(".")
    permission = Permission.objects.filter(content_type__app_label=app, codename=codename)
    giving = Group.objects.filter(permissions__in=permission).order_by("name")
    people = (
        User.objects.filter(Q(is_superuser=True) | Q(user_permissions__in=permission) | Q(groups__in=giving))
        .distinct()
        .order_by("-is_superuser", "email")
        .prefetch_related(
            Prefetch("groups", giving, to_attr="giving_groups"),
            Prefetch("user_permissions", permission, to_attr="own_right"),
        )
    )
    tokens = _count_tokens(people)
    return [Decider(person=person, paths=_list_paths(person), tokens=tokens.get(person.pk, 0)) for person in people]


def _list_paths(person: Any) -> tuple[str, ...]:
    paths = ["superuser"] if person.is_superuser else []
    paths += ["permission of their own"] if person.own_right else []
    return (*paths, *(f"admin group “{group}”" for group in person.giving_groups))


def _count_tokens(people: Iterable[User]) -> dict[Any, int]:
    in_force = Q(expiry=None) | Q(expiry__gt=timezone.now())
    rows = AuthToken.objects.filter(in_force, user__in=people).order_by().values("user")
    return {row["user"]: row["n"] for row in rows.annotate(n=Count("pk"))}


def deciders_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the page that lists them, with what else decides and is no account."""
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Who decides",
        "opts": model_admin.opts,
        "table": {"headers": HEADINGS, "rows": [_make_row(decider) for decider in deciders()]},
    }
    return TemplateResponse(request, "adminsite/deciders.html", context)


def _make_row(decider: Decider) -> tuple[Any, ...]:
    person = decider.person
    page = reverse("admin:core_user_change", args=[person.pk])
    signed_in = person.last_login
    return (
        format_html('<a href="{}" class="text-link">{}</a> {}', page, person, person.email),
        ", ".join(decider.paths),
        ALSO if person.is_superuser else "–",
        decider.account,
        date_format(timezone.localtime(signed_in), "j M Y H:i") if signed_in else "never",
        decider.tokens or "–",
    )
