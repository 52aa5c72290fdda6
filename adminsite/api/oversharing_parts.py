"""The JSON of risks that too many read something: what is asked for, and what is shown of them."""

from typing import Any

from rest_framework import serializers

from adminsite.api.change_check_parts import CitedJson, PersonJson
from adminsite.api.fields import FormSerializer, GivenSerializer, TextField, choice_error
from core.quality.oversharing.deciding import LONGEST_REASON
from core.quality.reports.oversharing import OpenRisks, OversharingRow
from core.values.oversharing import SUBJECTS_IN_WORDS, Level, RiskKind, RiskState

MOST_CHOSEN = 1000  # roles or places of one decision
_KINDS = [(kind.value, kind.name) for kind in RiskKind]
_STATES = [(state.value, state.name) for state in RiskState]
_LEVELS = [(level.value, level.name) for level in Level]
_SUBJECTS = [(subject, subject) for subject in SUBJECTS_IN_WORDS]


def _list_values(choices: list[tuple[str, str]]) -> str:
    return ", ".join(value for value, _ in choices)


class RisksRequest(GivenSerializer):
    """Holds what the list of risks is narrowed to."""

    state = serializers.ChoiceField(_STATES, required=False, error_messages=choice_error(_STATES))
    kind = serializers.ChoiceField(_KINDS, required=False, error_messages=choice_error(_KINDS))
    level = serializers.ChoiceField(_LEVELS, required=False, error_messages=choice_error(_LEVELS))
    subject = serializers.ChoiceField(
        _SUBJECTS, required=False, error_messages=choice_error(_SUBJECTS), help_text="What was found in the documents."
    )
    collection = TextField(required=False, help_text="By name.")
    search = TextField(required=False, help_text="Part of a title, or of the name of a role, source or collection.")
    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class NarrowRequest(GivenSerializer):
    """Chooses the roles that a risk's documents are taken away from."""

    roles = serializers.ListField(
        child=serializers.UUIDField(),
        required=False,
        allow_empty=False,
        max_length=MOST_CHOSEN,
        help_text="Of those in `narrowing`. Without them: those that are suggested.",
    )


class RiskReasonRequest(GivenSerializer):
    """Says why a risk is right so."""

    reason = TextField(max_length=LONGEST_REASON)


class ShowSecretsRequest(RiskReasonRequest):
    """Chooses the passwords or keys that are meant to be read, and says why."""

    places = serializers.ListField(
        child=serializers.UUIDField(), allow_empty=False, max_length=MOST_CHOSEN, help_text="Of the risk's `places`."
    )


class NamedJson(serializers.Serializer[Any]):
    """Something with a name."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class RiskJson(serializers.Serializer[Any]):
    """A risk that more people read something than anybody expects, in figures."""

    id = serializers.UUIDField()
    kind = serializers.CharField(help_text=f"One of: {_list_values(_KINDS)}.")
    level = serializers.CharField(help_text=f"One of: {_list_values(_LEVELS)}.")
    score = serializers.IntegerField(help_text="Sensitivity times reach, 1 to 25.")
    sensitivity = serializers.IntegerField(help_text="1 to 5.")
    reach = serializers.IntegerField(help_text="1, a few people, to 5, everyone.")
    state = serializers.CharField(help_text=f"One of: {_list_values(_STATES)}.")
    of = serializers.CharField(help_text="What is read: a title, or the name of a usergroup, source or collection.")
    document = CitedJson(allow_null=True, help_text="Null where it is of a source, a collection or a usergroup.")
    restricted_sections = serializers.BooleanField(help_text="It is of sections of the document that few roles read.")
    role = NamedJson(allow_null=True, help_text="The odd role, or the one that the usergroup brings.")
    usergroup = serializers.CharField(allow_null=True)
    source = NamedJson(allow_null=True)  # type: ignore[assignment]  # a Field has an attribute of this name
    collection = NamedJson(allow_null=True)
    subjects = serializers.ListField(
        child=serializers.CharField(), help_text="What was found, the most sensitive first. No words."
    )
    people = serializers.IntegerField(help_text="Active people who may read it, or who came by it.")
    people_before = serializers.IntegerField(allow_null=True, help_text="Without it, or before it.")
    documents = serializers.IntegerField(help_text="That are read so.")
    since = serializers.DateField(allow_null=True, help_text="Of more readers: the day they are compared with.")
    reason = serializers.CharField(allow_null=True, help_text="Why it is right so.")
    decided_by = PersonJson(allow_null=True, help_text="Null without the right to see people.")
    decided_at = serializers.DateTimeField(allow_null=True)
    found_at = serializers.DateTimeField()
    opened_at = serializers.DateTimeField(help_text="When it was found, or opened again because it grew.")
    gone_at = serializers.DateTimeField(allow_null=True)


class SensitivePlaceJson(serializers.Serializer[Any]):
    """A place that tells why a document is a risk."""

    id = serializers.UUIDField()
    subject = serializers.CharField()
    readable = serializers.BooleanField(help_text="The caller may read the document.")
    quote = serializers.CharField(allow_null=True, help_text="Secrets in it are masked. Null where it is not readable.")
    marked = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="First character of the quote that tells, and end."
    )
    section = serializers.CharField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    opens_at = serializers.CharField(allow_null=True)
    secret = serializers.BooleanField()
    shown = serializers.BooleanField(help_text="Of a secret: it is meant to be read, and not masked.")


class NarrowingRoleJson(serializers.Serializer[Any]):
    """A role by which a risk's documents are read."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    people = serializers.IntegerField(help_text="Active, who hold it.")
    documents = serializers.IntegerField(help_text="Of the risk's that are read by it.")
    suggested = serializers.BooleanField(help_text="To be taken away.")


class NarrowingJson(serializers.Serializer[Any]):
    """Holds what can be taken away for a risk."""

    roles = NarrowingRoleJson(many=True, help_text="The most people first.")
    people = serializers.IntegerField(help_text="Who read it now.")
    people_after = serializers.IntegerField(help_text="When what is suggested is taken away.")
    obstacle = serializers.CharField(allow_null=True, help_text="Why it cannot be narrowed here, and where it can.")


class RiskDetailsJson(RiskJson):
    """A risk, with the places that tell and how it can be narrowed."""

    may_decide = serializers.BooleanField()
    places = SensitivePlaceJson(many=True, help_text="The surest first; of documents with sensitive words or secrets.")
    narrowing = NarrowingJson(allow_null=True, help_text="Null where the risk is over.")


class ShownSecretJson(serializers.Serializer[Any]):
    """A password or key that is meant to be read, and so is not masked. Nothing of it is shown here."""

    id = serializers.CharField(help_text="The beginning of a keyed hash of it.")
    reason = serializers.CharField()
    shown_by = PersonJson(allow_null=True, help_text="Null without the right to see people.")
    shown_at = serializers.DateTimeField()
    documents = CitedJson(many=True, help_text="That hold it now.")


class OversharingRowJson(FormSerializer):
    """Counts what was found and decided in one month."""

    form = OversharingRow
    found = serializers.IntegerField(help_text="For the first time.")
    opened = serializers.IntegerField(help_text="Found, or opened again because they grew; by the last time.")
    found_right = serializers.IntegerField(help_text="That somebody said are right so.")
    gone = serializers.IntegerField(help_text="Without anybody's decision: the words or the readers are others now.")
    open = serializers.IntegerField(help_text="At the end of the month, or of the period where that ends before.")
    open_high = serializers.IntegerField(help_text="Of those, of a high level by their score now.")


class OpenRisksJson(FormSerializer):
    """The risks of one kind that are open now, by level."""

    form = OpenRisks
    kind = serializers.CharField(help_text=f"One of: {_list_values(_KINDS)}.")


class OversharingReportJson(serializers.Serializer[Any]):
    """Risks that too many read something, in figures."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = OversharingRowJson(many=True, help_text="The months of the period.")
    open = OpenRisksJson(many=True, help_text="Now, whatever the period. JSON alone.")
