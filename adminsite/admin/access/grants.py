"""The page between choosing documents and changing who may read them, and the form for the last day of grants."""

import datetime as dt
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from adminsite.admin.base import DayInput, viewer
from adminsite.figures import count_of
from core.access.grants import find_end, grant, revoke
from core.errors import InvalidFilterError
from core.models import Document, Role

SHOWN_TITLES = 10


class UntilForm(forms.Form):
    """The last day of grants that end by themselves."""

    until = forms.DateField(
        label="Last day",
        required=False,
        widget=DayInput,
        help_text="When it is over, the grants end by themselves. Without a day they have no end. Those that exist "
        "already can become longer by this, and never shorter.",
    )

    def clean_until(self) -> dt.datetime | None:
        """Return the moment at which that day is over."""
        last_day: dt.date | None = self.cleaned_data["until"]
        try:
            return None if last_day is None else find_end(last_day)
        except InvalidFilterError as error:
            raise forms.ValidationError(error.message) from error


class _RoleChoiceField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic when run
    """Roles, each with how much of the selection it may read now."""

    selected: int = 0

    def label_from_instance(self, obj: Any) -> str:
        """`Analysts - may read 3 of 7 now`."""
        return f"{obj.name} – may read {obj.held} of {self.selected} now"


class RoleChoiceForm(UntilForm):
    """A form to choose the roles that gain or lose the selected documents."""

    roles = _RoleChoiceField(queryset=Role.objects.none(), widget=UnfoldAdminCheckboxSelectMultipleWidget)

    def __init__(self, *args: Any, documents: QuerySet[Document], revoking: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields(["roles", "until"])
        if revoking:
            del self.fields["until"]
        chosen = documents.order_by().values("pk")
        field = cast(_RoleChoiceField, self.fields["roles"])
        field.selected = documents.count()
        field.queryset = Role.objects.annotate(
            held=Count("document_access", filter=Q(document_access__document__in=chosen))
        ).order_by("name")


def change_grants(
    model_admin: Any, request: HttpRequest, documents: QuerySet[Document], *, revoking: bool
) -> HttpResponse | None:
    """Ask which roles, with the number of documents to confirm; then change the grants and say how many changed.

    Called as a bulk action: the form posts back to the same action with the same selection, and None returns the
    viewer to the list.
    """
    applied = "apply" in request.POST
    form = RoleChoiceForm(request.POST if applied else None, documents=documents, revoking=revoking)
    if applied and form.is_valid():
        given = {"by": viewer(request)} if revoking else {"by": viewer(request), "until": form.cleaned_data["until"]}
        change = revoke if revoking else grant
        with transaction.atomic():
            changed = sum(change(role, documents, **given) for role in form.cleaned_data["roles"])
        done = "revoked" if revoking else "given"
        model_admin.message_user(request, f"{count_of(changed, 'grant')} {done}.", messages.SUCCESS)
        return None
    count = documents.count()
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Revoke a role" if revoking else "Grant a role",
        "opts": model_admin.opts,
        "form": form,
        "media": form.media,
        "revoking": revoking,
        "count": count,
        "titles": list(documents.values_list("title", flat=True)[:SHOWN_TITLES]),
        "more": max(count - SHOWN_TITLES, 0),
        "action": request.POST["action"],
        "checkbox": ACTION_CHECKBOX_NAME,
        "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
    }
    return TemplateResponse(request, "adminsite/grants.html", context)
