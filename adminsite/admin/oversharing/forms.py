"""The forms of risks: what the list is narrowed to, and reasons."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from adminsite.admin.access.matrix import natural
from core.models import Collection
from core.quality.oversharing.deciding import LONGEST_REASON
from core.quality.oversharing.listing import RiskList
from core.values.oversharing import RISKS_IN_WORDS, STATES_IN_WORDS, SUBJECTS_IN_WORDS, Level, RiskKind, RiskState

ALL = "all"
NARROWED = ("state", "kind", "level", "subject", "collection", "q", "sensitivity", "reach")


class NarrowForm(forms.Form):
    """Narrow the list of risks."""

    state = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    kind = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    level = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    subject = forms.ChoiceField(required=False, label="Found", widget=UnfoldAdminSelectWidget)
    collection = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    q = forms.CharField(required=False, label="Search by name", widget=UnfoldAdminTextInputWidget)

    def __init__(self, found: RiskList, **options: Any) -> None:
        """found: the list, of which the states are counted."""
        super().__init__(**options)
        states = [
            (one.value, f"{STATES_IN_WORDS[one].capitalize()} ({found.by_state.get(one, 0)})") for one in RiskState
        ]
        anything: Any = [("", "All")]
        choices: dict[str, Any] = {
            "state": [*states, (ALL, f"All ({sum(found.by_state.values())})")],
            "kind": [*anything, *((one.value, RISKS_IN_WORDS[one].capitalize()) for one in RiskKind)],
            "level": [*anything, *((one.value, one.value.capitalize()) for one in Level)],
            "subject": [*anything, *((name, words.capitalize()) for name, words in SUBJECTS_IN_WORDS.items())],
            "collection": [
                *anything,
                *(
                    (str(pk), name)
                    for pk, name in Collection.objects.order_by(*natural("name")).values_list("pk", "name")
                ),
            ],
        }
        for name, offered in choices.items():
            self.fields[name].widget.choices = offered


class ReasonForm(forms.Form):
    """Say why something is right."""

    reason = forms.CharField(
        max_length=LONGEST_REASON, widget=UnfoldAdminTextInputWidget(attrs={"required": True, "autocomplete": "off"})
    )

    def __init__(self, question: str, name: str, **options: Any) -> None:
        """question: the label. name: of the form, where there are several on one page."""
        super().__init__(auto_id=f"id_{name}_%s", **options)
        self.fields["reason"].label = question
