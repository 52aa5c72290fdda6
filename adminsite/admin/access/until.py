"""Until when a grant is given."""

import datetime as dt

from django import forms

from adminsite.admin.day_input import DayInput
from core.access.grants import find_end
from core.errors import InvalidFilterError


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
        """The moment at which that day is over."""
        last_day: dt.date | None = self.cleaned_data["until"]
        try:
            return None if last_day is None else find_end(last_day)
        except InvalidFilterError as error:
            raise forms.ValidationError(error.message) from error
