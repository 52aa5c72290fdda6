"""Give people roles by hand: as rows on the pages of a person and of a role, or to all people chosen in the list."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.admin import TabularInline
from unfold.forms import PaginationInlineFormSet
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from adminsite.admin.base import DecidesWhoReads, viewer
from adminsite.figures import count_of
from core.access.grants import change_members
from core.models import Role, User, UserRole

SHOWN = 10


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
        """Return the roles given by hand."""
        return super().get_queryset(request).filter(usergroup=None)


class _RoleField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic when run
    """Roles, each with how many of the chosen people have it."""

    def label_from_instance(self, obj: Any) -> str:
        """`Analysts - 3 of them have it now; it reads 120 documents`."""
        return f"{obj.name} – {obj.held:,} of them have it now; it may read {obj.documents_granted:,} documents"


class MembershipForm(forms.Form):
    """A form to choose the roles that the chosen people gain or lose."""

    roles = _RoleField(queryset=Role.objects.none(), widget=UnfoldAdminCheckboxSelectMultipleWidget)

    def __init__(self, *args: Any, people: QuerySet[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = people.order_by().values("pk")
        by_hand = Q(user_roles__user__in=chosen, user_roles__usergroup=None)
        self.fields["roles"].queryset = Role.objects.annotate(  # type: ignore[attr-defined]  # of a field of models
            held=Count("user_roles", filter=by_hand, distinct=True),
            documents_granted=Count("document_access", distinct=True),
        ).order_by("name")


def change_membership(
    model_admin: Any, request: HttpRequest, people: QuerySet[User], *, giving: bool
) -> HttpResponse | None:
    """Ask which roles; then give or take them and say how much changed.

    Called as a bulk action: the form posts back to the same action with the same selection, and None returns the
    viewer to the list.
    """
    applied = "apply" in request.POST
    form = MembershipForm(request.POST if applied else None, people=people)
    if applied and form.is_valid():
        with transaction.atomic():
            changed = sum(
                change_members(role, people, give=giving, by=viewer(request)) for role in form.cleaned_data["roles"]
            )
        done = "given" if giving else "taken away"
        said = f"{count_of(changed, 'role')} {done}. What somebody holds through a Slack usergroup stays as it is."
        model_admin.message_user(request, said, messages.SUCCESS)
        return None
    count = people.count()
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Give a role" if giving else "Take a role away",
        "opts": model_admin.opts,
        "form": form,
        "giving": giving,
        "count": count,
        "people": list(people[:SHOWN]),
        "more": max(count - SHOWN, 0),
        "action": request.POST["action"],
        "checkbox": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
    }
    return TemplateResponse(request, "adminsite/membership.html", context)
