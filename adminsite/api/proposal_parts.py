"""The JSON of proposed changes: what is asked for, and what is told of them."""

from typing import Any

from rest_framework import serializers

from adminsite.api.fields import FormSerializer, GivenSerializer, TextField, choice_error
from core.quality.reports.proposals import ProposalRow
from core.values.proposals import (
    LONGEST_PLACE,
    LONGEST_QUESTION,
    LONGEST_TEXT,
    LONGEST_TITLE,
    ChangeWay,
    ProposalState,
)

_STATES = [(state.value, state.name) for state in ProposalState]
_WAYS = [(way.value, way.name) for way in ChangeWay]


class ProposalsRequest(GivenSerializer):
    """Holds what the list is narrowed to."""

    state = serializers.ChoiceField(_STATES, required=False, error_messages=choice_error(_STATES))
    gap = serializers.UUIDField(required=False, help_text="For which it was proposed.")
    contradiction = serializers.UUIDField(required=False, help_text="For which it was proposed.")
    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class TargetsRequest(GivenSerializer):
    """Holds what is looked for besides the documents that are near."""

    search = TextField(
        required=False, default="", allow_blank=True, max_length=200, help_text="Words of titles of other documents."
    )
    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class GoalRequest(GivenSerializer):
    """Holds what is to be changed: a document, or a source that gets a new one."""

    document_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    source_id = serializers.UUIDField(
        required=False, allow_null=True, default=None, help_text="Of the source that gets a new document."
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that one of the two is named."""
        if (given["document_id"] is None) == (given["source_id"] is None):
            raise serializers.ValidationError("Name a document or a source, and not both.")
        return given


class ProposedChangeRequest(GoalRequest):
    """A change as it is written."""

    gap = serializers.UUIDField(required=False, allow_null=True, default=None)
    contradiction = serializers.UUIDField(required=False, allow_null=True, default=None)
    version = serializers.IntegerField(
        required=False, default=0, min_value=0, help_text="Of the document for which the text was written."
    )
    place = TextField(
        required=False,
        default="",
        allow_blank=True,
        help_text=f"Of a new document: its path, of at most {LONGEST_PLACE} characters, or the key of a space.",
    )
    title = TextField(allow_blank=True, help_text=f"One line of at most {LONGEST_TITLE} characters.")
    question = TextField(
        required=False,
        default="",
        allow_blank=True,
        help_text=f"That goes along, in at most {LONGEST_QUESTION} characters.",
    )
    text = TextField(
        allow_blank=True,
        help_text="The whole new file where the draft has `edits_file`, else what is to be added. At most "
        f"{LONGEST_TEXT:,} characters; lines end with a line feed, however they were sent.",
    )
    quotes_nearest = serializers.BooleanField(
        required=False, default=True, help_text="The nearest passage of the document goes along."
    )

    def validate_text(self, given: str) -> str:
        """Return the text with one kind of ends of lines."""
        return given.replace("\r\n", "\n").replace("\r", "\n")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that one occasion is named, and one thing to change."""
        if (given["gap"] is None) == (given["contradiction"] is None):
            raise serializers.ValidationError("Name a gap or a contradiction, and not both.")
        return super().validate(given)


class ProposedChangeJson(serializers.Serializer[Any]):
    """A proposed change, as the caller may see it."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(_STATES, help_text="done: it is in the library, and those who asked are told.")
    way = serializers.ChoiceField(_WAYS)
    gap_id = serializers.UUIDField(allow_null=True)
    contradiction_id = serializers.UUIDField(allow_null=True)
    document_id = serializers.UUIDField(allow_null=True, help_text="Null: a new document was proposed.")
    document_name = serializers.CharField(allow_null=True)
    source_name = serializers.CharField(allow_null=True)
    place = serializers.CharField(allow_null=True, help_text="Of a new document: its path, or the key of a space.")
    branch = serializers.CharField(allow_null=True)
    url = serializers.CharField(allow_null=True, help_text="Of the merge request or draft.")
    recipient = serializers.CharField(allow_null=True, help_text="Whom it was sent to, of a mail.")
    error = serializers.CharField(allow_null=True, help_text="Why it could not be sent.")
    people = serializers.IntegerField(help_text="Who had asked.")
    answered = serializers.IntegerField(help_text="Of whom have an answer now.")
    told = serializers.IntegerField(help_text="Of whom were told.")
    others = serializers.IntegerField(help_text="Who had asked something else, which the change answers as well.")
    proposed_by = serializers.CharField(allow_null=True)
    is_own = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    merged_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    may_decide = serializers.BooleanField(help_text="The caller may withdraw it, or say what became of it.")
    may_send_again = serializers.BooleanField(help_text="It could not be sent, and the caller may have it tried again.")


class ChangeTargetJson(serializers.Serializer[Any]):
    """A document that can be changed, or a source that takes new ones."""

    way = serializers.ChoiceField(_WAYS, allow_null=True, help_text="Null: it cannot be changed from here.")
    why_not = serializers.CharField(allow_null=True)
    document_id = serializers.UUIDField(allow_null=True, help_text="Null: a source that takes new documents.")
    document_name = serializers.CharField(allow_null=True)
    source_id = serializers.UUIDField(allow_null=True)
    source_name = serializers.CharField(allow_null=True)
    place = serializers.CharField(allow_null=True, help_text="Its path or name at the source.")
    recipient = serializers.CharField(allow_null=True, help_text="Of a mail: the document's owner.")
    is_near = serializers.BooleanField(help_text="Near to the questions, or a side of the contradiction.")


class NearestPassageJson(serializers.Serializer[Any]):
    """The passage of a document that is nearest to the questions."""

    chunk_id = serializers.UUIDField()
    section = serializers.CharField(allow_blank=True)
    quote = serializers.CharField()
    start = serializers.IntegerField(help_text="In characters of its chunk.")
    end = serializers.IntegerField()


class ChangeDraftJson(serializers.Serializer[Any]):
    """Holds what a change is written from."""

    target = ChangeTargetJson()
    title = serializers.CharField(allow_blank=True)
    question = serializers.CharField(allow_blank=True)
    people = serializers.IntegerField(help_text="Who asked.")
    nearest = NearestPassageJson(allow_null=True)
    text = serializers.CharField(allow_blank=True, help_text="All of the file as it is in the library; else empty.")
    edits_file = serializers.BooleanField(help_text="The text of the change is the whole file.")
    version = serializers.IntegerField(help_text="Of the document, to be sent with the change; 0 for a new one.")
    unread_people = serializers.IntegerField(
        help_text="Who had asked and may not read the document now; 0 for callers who do not decide who reads."
    )


class FoundJson(serializers.Serializer[Any]):
    """The probability that the text would answer a question that was asked."""

    question = serializers.CharField()
    probability = serializers.FloatField(allow_null=True, help_text="Null without a reader.")


class ChangePreviewJson(serializers.Serializer[Any]):
    """A change as it would be sent. Nothing is stored."""

    way = serializers.ChoiceField(_WAYS)
    description = serializers.CharField(help_text="Markdown, as who decides about it will read it.")
    diff = serializers.ListField(child=serializers.CharField(), help_text="Lines of a unified diff.")
    found = FoundJson(many=True)


class ProposalRowJson(FormSerializer):
    """The figures of the changes that were proposed in one month."""

    form = ProposalRow
    merged = serializers.IntegerField(help_text="At their sources, in the library or not yet.")
    done = serializers.IntegerField(help_text="In the library.")
    median_days = serializers.FloatField(allow_null=True, help_text="From the proposal to the library.")
    people = serializers.IntegerField(help_text="Who had asked; for contradictions none are counted.")
    asked_again = serializers.IntegerField(help_text="For whom their question was asked again.")
    answered = serializers.IntegerField(help_text="Of whom have an answer now.")
    told = serializers.IntegerField(help_text="Of whom were told.")
    others_answered = serializers.IntegerField(help_text="Who had asked something else that a change answers as well.")


class ProposalsReportJson(serializers.Serializer[Any]):
    """The changes that were proposed in some days, in figures."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = ProposalRowJson(many=True, help_text="Months in which any was proposed.")
