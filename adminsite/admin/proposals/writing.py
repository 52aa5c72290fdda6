"""The form of a proposed change: what it begins with, and what was written. Core says what is wrong with it."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.http import QueryDict
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from core.library.sync.proposing import EDITS_FILES
from core.quality.proposals.targets import WRITTEN_ENDINGS
from core.values.proposals import ChangeForm, ChangeTarget, ChangeWay, WrittenChange

_READ_BY = {
    ChangeWay.BRANCH: "Everybody who reads the repository",
    ChangeWay.MERGE_REQUEST: "Everybody who reads the repository",
    ChangeWay.DRAFT_PAGE: "Everybody who may edit the page",
    ChangeWay.MAIL: "Whoever gets the mail",
}
_ROWS_OF_FILE, _ROWS_OF_ADDITION = 28, 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """Holds a form that was sent: what was written, and the way that it was written for."""

    written: WrittenChange
    way: str


class _WholeText(UnfoldAdminTextareaWidget):
    """A field whose text may begin with an empty line: Django's template keeps that line, the theme's loses it."""

    template_name = "django/forms/widgets/textarea.html"


class WritingForm(forms.Form):
    """Write a change. Its values are those that are given; whether they will do is for core to say."""

    title = forms.CharField(required=False, widget=UnfoldAdminTextInputWidget)
    question = forms.CharField(
        label="The question that goes along", required=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 2})
    )
    quotes_nearest = forms.BooleanField(
        label="The passage above goes along", required=False, widget=UnfoldBooleanWidget
    )
    place = forms.CharField(required=False, widget=UnfoldAdminTextInputWidget)
    text = forms.CharField(required=False, widget=_WholeText)
    version = forms.IntegerField(widget=forms.HiddenInput)
    way = forms.CharField(widget=forms.HiddenInput)
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, written: WrittenChange, start: ChangeForm | None, *, way: str = "") -> None:
        """written: the values. start: what it began from; None where that cannot be found now. way: without it."""
        target = start.target if start else None
        version = start.version if start else written.version
        given = {name: getattr(written, name) for name in ("title", "question", "quotes_nearest", "place", "text")}
        hidden = {"version": version, "way": target.way if target else way, "key": written.key or uuid4()}
        super().__init__(initial=given | hidden)
        if written.document_id:
            del self.fields["place"]
        if start and start.nearest is None:
            del self.fields["quotes_nearest"]
        if target is not None and target.way is not None:
            self._name_fields(target, target.way)

    def _name_fields(self, target: ChangeTarget, way: ChangeWay) -> None:
        """Label the fields by what is changed, and in which way."""
        is_new, edits_file = target.document_id is None, way in EDITS_FILES
        question, text = self.fields["question"], self.fields["text"]
        question.help_text = f"{_READ_BY[way]} reads it. Leave out names and what is private; empty, none goes along."
        if not is_new:
            self.fields["title"].help_text = "One line: what is changed."
        elif edits_file:
            self.fields["title"].help_text = "One line: what is added."
        else:
            self.fields["title"].help_text = "The page has this title."
        if "place" in self.fields:
            place = self.fields["place"]
            place.label = "Path of the new file" if edits_file else "Key of the space"
            place.help_text = (
                f"Such as handbook/leave.md: folders, and a name that ends with {' or '.join(WRITTEN_ENDINGS)}."
                if edits_file
                else "Such as DOCS: it is in the address of the space's pages."
            )
        text.label, text.help_text = _describe_text(target, way, is_new=is_new)
        text.widget.attrs["rows"] = _ROWS_OF_FILE if edits_file and not is_new else _ROWS_OF_ADDITION
        if edits_file:
            text.widget.attrs["class"] += " fn-file"
            text.widget.attrs["spellcheck"] = "false"


def _describe_text(target: ChangeTarget, way: ChangeWay, *, is_new: bool) -> tuple[str, str]:
    """Return the label of the text, and what is to be known about it."""
    if way == ChangeWay.MAIL:
        return "What is to be changed", f"It goes to {target.recipient}, who decides what comes of it."
    if is_new:
        return "Text of the new document", "Markdown: # begins a heading, and an empty line a new paragraph."
    if way == ChangeWay.DRAFT_PAGE:
        return "What is to be added", "Markdown. It is put below the page's text in a draft, which its editors publish."
    return "The whole file", "Write what is missing, or put right what is wrong. The file is proposed as you leave it."


def begin(start: ChangeForm) -> WrittenChange:
    """Return what somebody begins with who has written nothing yet."""
    target = start.target
    return WrittenChange(
        title=start.title,
        question=start.question,
        text=start.text,
        document_id=target.document_id,
        version=start.version,
        source_id=None if target.document_id else target.source_id,
    )


def read_submission(data: QueryDict, *, document_id: UUID | None, source_id: UUID | None) -> Submission:
    """Read a form that was sent. Browsers send "\\r\\n" at the ends of lines, which no file here has."""
    version = data.get("version", "")
    written = WrittenChange(
        title=_read_text(data, "title").strip(),
        question=_read_text(data, "question").strip(),
        text=_read_text(data, "text"),
        document_id=document_id,
        version=int(version) if version.isascii() and version.isdecimal() and len(version) < 10 else 0,
        source_id=source_id,
        place=_read_text(data, "place").strip(),
        quotes_nearest=bool(data.get("quotes_nearest")),
        key=_read_key(data.get("key", "")),
    )
    return Submission(written=written, way=data.get("way", ""))


def _read_key(written: str) -> UUID | None:
    try:
        return UUID(written)
    except ValueError:
        return None


def _read_text(data: QueryDict, name: str) -> str:
    return str(data.get(name, "")).replace("\r\n", "\n").replace("\r", "\n")


def list_hidden(sent: Submission) -> dict[str, Any]:
    """Return what the preview carries along, as the form has it."""
    written = sent.written
    carried = {name: getattr(written, name) for name in ("title", "question", "place", "text", "version", "key")}
    return {**carried, "way": sent.way, **({"quotes_nearest": "on"} if written.quotes_nearest else {})}
