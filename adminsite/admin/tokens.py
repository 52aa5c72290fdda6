"""REST tokens. A token is shown once, when it is made; here it can only be taken back."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from adminsite.admin.base import AuditedDeletion, ReadOnlyAdmin, viewer
from adminsite.tokens import default_days, issue, read_audience
from core.models import AuthToken, User
from core.models.tokens import check_network, read_only

MOST_NETWORKS = 20
MOST_DAYS = 3650


class TokenForm(forms.Form):
    """A form for a new token: its purpose, its scopes, its networks and its lifetime."""

    name = forms.CharField(
        max_length=100,
        help_text="What the token is for, such as the program that uses it.",
        widget=UnfoldAdminTextInputWidget,
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=AuthToken.Scope.choices,
        initial=read_only,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
    networks = forms.CharField(
        label="From these addresses",
        required=False,
        help_text="One address or network per line, such as 192.0.2.7 or 192.0.2.0/24. Empty: from anywhere.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    for_people = forms.CharField(
        label="On behalf of these people",
        required=False,
        help_text="One e-mail address per line. The program is only given what all of them, and the token's person, "
        "may read: for a program that tells several people what it hears. Empty: of the token's person alone.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    for_channel = forms.CharField(
        label="Or of a Slack channel",
        required=False,
        help_text="Its workspace and its id, such as T0123ABCD/C0123ABCD. The program is only given what everyone who "
        "reads the channel, and the token's person, may read. Slack is asked at each request who that is.",
        widget=UnfoldAdminTextInputWidget,
    )
    days = forms.IntegerField(
        label="Valid for (days)",
        min_value=1,
        max_value=MOST_DAYS,
        initial=default_days,
        widget=UnfoldAdminIntegerFieldWidget,
    )

    def clean_networks(self) -> list[str]:
        """The networks as a list. ValidationError for what is none, or for too many."""
        networks = str(self.cleaned_data["networks"]).split()
        if len(networks) > MOST_NETWORKS:
            raise forms.ValidationError(
                f"These are more than {MOST_NETWORKS} entries. Give the networks that contain them."
            )
        for network in networks:
            check_network(network)
        return networks

    def clean(self) -> dict[str, Any]:
        """The values, with for whom the token asks as `asks_for`. ValidationError for what cannot be one token."""
        cleaned = super().clean() or {}
        people, channel = cleaned.pop("for_people", "").split(), cleaned.pop("for_channel", "").strip()
        if not self.errors:
            cleaned["asks_for"] = read_audience(people, channel, cleaned["scopes"])
        return cleaned


def create_token_for(model_admin: Any, request: HttpRequest, person: User) -> HttpResponse:
    """Ask what the token is for, then make it and show it, this once."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    token = issue(person, by=viewer(request), **form.cleaned_data) if form.is_bound and form.is_valid() else None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "REST token",
        "opts": model_admin.opts,
        "person": person,
        "form": TokenForm() if token else form,
        "token": token,
        "is_for_others": bool(token and form.cleaned_data["asks_for"]),
    }
    # The admin lets no cache keep its pages, so none keeps the token.
    return TemplateResponse(request, "adminsite/token.html", context)


@admin.register(AuthToken)
class TokenAdmin(AuditedDeletion, ReadOnlyAdmin):
    """REST tokens, by their first characters."""

    when_empty = "Nobody has a token. Create one on a person's page, or with: manage.py create_token EMAIL."

    list_display = ("token_key", "name", "user", "show_scopes", "show_audience", "last_used_at", "show_state", "expiry")
    list_select_related = ("user",)
    search_fields = ("user__email", "name")
    ordering = ("-created",)
    fields = (
        "token_key",
        "name",
        "user",
        "show_scopes",
        "show_networks",
        "show_audience",
        "created",
        "last_used_at",
        "expiry",
    )
    readonly_fields = ("show_scopes", "show_networks", "show_audience")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A token can be taken back."""
        return bool(request.user.has_perm("core.delete_authtoken"))

    def audit_id(self, row: AuthToken) -> str:
        """The token's first characters, by which people know it."""
        return str(row.token_key)

    @display(description="May")
    def show_scopes(self, token: AuthToken) -> str:
        """Return the token's scopes."""
        return ", ".join(token.scopes)

    @display(description="From")
    def show_networks(self, token: AuthToken) -> str:
        """Return the networks from which it works."""
        return ", ".join(token.networks) or "anywhere"

    @display(description="On behalf of")
    def show_audience(self, token: AuthToken) -> str:
        """Return who must be able to read what it is given, besides its person."""
        if token.for_channel:
            return f"{token.for_team}/{token.for_channel}"
        known = dict(User.objects.filter(pk__in=token.for_people).values_list("pk", "email"))
        return ", ".join(known.get(pk, f"{pk} (deleted)") for pk in token.for_people) or "its person alone"

    @display(description="State", label={"valid": "success", "expired": "danger"})
    def show_state(self, token: AuthToken) -> str:
        """Return "valid" or "expired"."""
        return "valid" if token.expiry is None or token.expiry > timezone.now() else "expired"
