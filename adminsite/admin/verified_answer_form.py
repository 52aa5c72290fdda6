"""The form in which a verified answer is written."""

from collections.abc import Iterator
from typing import Any

from django import forms
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminEmailInputWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from adminsite.admin.day_input import DayInput
from core.asking.verified_answers.editing import Content
from core.asking.verified_answers.quoting import MOST_QUOTES, SourceQuote
from core.models import Document, Role, User
from core.models.verified_answers import LONGEST_ANSWER, LONGEST_QUESTION
from core.types import Audience

LEAST_SHOWN = 2  # sources for which there is room in an empty form


class VerifiedAnswerForm(forms.Form):
    """A question, its answer, the words of documents that carry it, and who answers for it."""

    question = forms.CharField(
        max_length=LONGEST_QUESTION,
        min_length=3,
        help_text="In words that stand alone, with its date and its names.",
        widget=UnfoldAdminTextInputWidget,
    )
    phrasings = forms.CharField(
        required=False,
        label="Other ways to ask",
        help_text="One per line. What is asked in other words than these gets an answer that is made for it.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    )
    text = forms.CharField(
        required=False,
        max_length=LONGEST_ANSWER,
        label="Answer",
        help_text="Each sentence has to be carried by the words of a source below. Numbers are set by themselves.",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6}),
    )
    owner = forms.EmailField(
        required=False, help_text="Who looks after it, by e-mail address.", widget=UnfoldAdminEmailInputWidget
    )
    review_on = forms.DateField(
        required=False,
        label="Review on",
        help_text="From the day after, it is shown as outdated. Empty: in half a year.",
        widget=DayInput,
    )
    roles = forms.ModelMultipleChoiceField(
        queryset=Role.objects.all(),
        required=False,
        label="Only for",
        help_text="None: for everyone who may read all its sources. A role never lets anybody read a source.",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, sources: int = 0, **kwargs: Any) -> None:
        """sources: how many are filled in."""
        super().__init__(*args, **kwargs)
        self._places = range(1, min(MOST_QUOTES, max(LEAST_SHOWN, sources + 1)) + 1)
        for place in self._places:
            self.fields[f"document_{place}"] = forms.CharField(
                required=False,
                max_length=500,
                label=f"Source {place}: document",
                help_text="Its title or its id in the library." if place == 1 else "",
                widget=UnfoldAdminTextInputWidget,
            )
            self.fields[f"quote_{place}"] = forms.CharField(
                required=False,
                max_length=4000,
                label=f"Source {place}: its words",
                help_text="Copied word for word." if place == 1 else "",
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            )
        self.order_fields(["question", "phrasings", "text", *self._names(), "owner", "review_on", "roles"])

    def clean_owner(self) -> User | None:
        """The active person with that address."""
        address = self.cleaned_data["owner"]
        if not address:
            return None
        person = User.objects.filter(email__iexact=address, is_active=True).first()
        if person is None:
            raise forms.ValidationError("Nobody active has this e-mail address.")
        return person

    def clean(self) -> dict[str, Any]:
        """Each source names its document and its words."""
        cleaned = super().clean() or {}
        for place in self._places:
            document, quote = cleaned.get(f"document_{place}"), cleaned.get(f"quote_{place}")
            if bool(document) != bool(quote):
                lacking = "quote" if document else "document"
                self.add_error(f"{lacking}_{place}", "A source is a document and the words in it.")
        return cleaned

    def content(self) -> Content:
        """Return the entered content of a valid form."""
        given = self.cleaned_data
        quotes = [
            SourceQuote(document=given[f"document_{place}"], quote=given[f"quote_{place}"])
            for place in self._places
            if given.get(f"document_{place}")
        ]
        return Content(
            question=given["question"],
            text=given["text"],
            quotes=tuple(quotes),
            phrasings=tuple(line.strip() for line in given["phrasings"].splitlines() if line.strip()),
            owner=given["owner"],
            review_on=given["review_on"],
            roles=tuple(given["roles"]),
        )

    def _names(self) -> Iterator[str]:
        for place in self._places:
            yield from (f"document_{place}", f"quote_{place}")


def count_sources(posted: Any) -> int:
    """Count the sources in a posted form, without the one that is left empty."""
    return sum(1 for place in range(1, MOST_QUOTES + 1) if f"document_{place}" in posted) - 1


def fill_in(content: Content, *, reader: Audience) -> dict[str, Any]:
    """The form's values for what was written. Documents are called by their titles, where these say which is meant."""
    filled: dict[str, Any] = {
        "question": content.question,
        "phrasings": "\n".join(content.phrasings),
        "text": content.text,
        "owner": content.owner.email if content.owner else "",
        "review_on": content.review_on,
        "roles": [role.pk for role in content.roles],
    }
    for place, quote in enumerate(content.quotes[:MOST_QUOTES], 1):
        filled |= {f"document_{place}": _call(quote.document, reader), f"quote_{place}": quote.quote}
    return filled


def _call(document: str, reader: Audience) -> str:
    """A document's title, or its id where another readable one has the same."""
    readable = Document.objects.visible_to(reader)
    title = readable.filter(pk=document).values_list("title", flat=True).first()
    return title if title and readable.filter(title__iexact=title).count() == 1 else document
