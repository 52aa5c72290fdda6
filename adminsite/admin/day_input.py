"""A field for a day."""

from typing import Any

from unfold.widgets import UnfoldAdminDateWidget


class DayInput(UnfoldAdminDateWidget):
    """A day by the browser's own calendar; the theme's needs a catalogue of words that pages of ours do not load."""

    class Media:
        extend = False

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs={"type": "date", **(attrs or {})}, format="%Y-%m-%d")  # as browsers want it
