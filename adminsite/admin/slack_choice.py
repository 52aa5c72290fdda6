"""Choose channels and usergroups by the names that Slack gave; by id where it has not named one."""

from typing import Any, ClassVar

from django import forms
from django.db.models import Exists, Model, OuterRef
from unfold.widgets import UnfoldAdminSelect2Widget

from core.infrastructure import queue
from core.models import ChannelSetting, SlackChannel, SlackUsergroup, UsergroupRole

BY_ID = {"description": "Only where the list above does not have it.", "classes": ["collapse"]}
_HELP = "Slack is asked each time that this page opens: if one is missing, load the page again in a moment."


class KnownChoiceForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic when run
    """A new row for something of Slack's: chosen by name, or named by its team and id."""

    known: forms.ModelChoiceField  # type: ignore[type-arg]  # not generic when run
    own_id: ClassVar[str]  # the field that holds its id, in the row and in Slack's description

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("team_id", self.own_id):
            if name in self.fields:
                self.fields[name].required = False
        if "known" in self.fields and not self.is_bound:
            queue.take_stock()

    def clean(self) -> dict[str, Any]:
        """With team and id from what was chosen."""
        cleaned = super().clean() or {}
        known: Model | None = cleaned.get("known")
        for name in ("team_id", self.own_id):
            if known is not None:
                cleaned[name] = getattr(known, name)
            elif name in self.fields and not cleaned.get(name):
                raise forms.ValidationError("Choose one from the list, or give its team and its id.")
        self.fill_in(cleaned, known)
        return cleaned

    def fill_in(self, cleaned: dict[str, Any], known: Any) -> None:
        """Fill in the other fields that follow from the choice."""


class ChannelForm(KnownChoiceForm):
    """A channel whose settings are to be made."""

    own_id = "channel_id"
    known = forms.ModelChoiceField(
        SlackChannel.objects.none(), label="Channel", required=False, widget=UnfoldAdminSelect2Widget, help_text=_HELP
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "known" in self.fields:
            same = ChannelSetting.objects.filter(team_id=OuterRef("team_id"), channel_id=OuterRef("channel_id"))
            self.fields["known"].queryset = SlackChannel.objects.filter(~Exists(same))  # type: ignore[attr-defined]

    def fill_in(self, cleaned: dict[str, Any], known: SlackChannel | None) -> None:
        """Its name, where none was typed."""
        if known is not None and not cleaned.get("name"):
            cleaned["name"] = known.name


class UsergroupForm(KnownChoiceForm):
    """A usergroup whose members are to hold a role."""

    own_id = "usergroup_id"
    known = forms.ModelChoiceField(
        SlackUsergroup.objects.all(),
        label="Usergroup",
        required=False,
        widget=UnfoldAdminSelect2Widget,
        help_text=_HELP,
    )

    class Meta:
        model = UsergroupRole
        fields = ("team_id", "usergroup_id", "role")
