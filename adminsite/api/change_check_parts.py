"""The JSON of checks of changes, of limits and of thresholds: what is asked for, and what is told of them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from adminsite.api.caller import caller
from adminsite.api.fields import FormSerializer, GivenSerializer
from adminsite.api.grants import GrantsRequest
from core.models import ChangeCheck, ChangeLimit, User
from core.quality.reports.change_checks import ChangeCheckRow
from core.values.change_checks import AskedFor, ChangeKind, CheckState, Limit, Outcome

_KINDS = [(kind.value, kind.name) for kind in ChangeKind]
_STATES = ", ".join(CheckState)
_OUTCOMES = ", ".join(Outcome)


class ThresholdsRequest(GivenSerializer):
    """Both thresholds, or those of the settings."""

    answer_from = serializers.FloatField(required=False, min_value=0, max_value=1)
    closest_from = serializers.FloatField(required=False, min_value=0, max_value=1)
    settings = serializers.BooleanField(required=False, default=False, help_text="Those of the settings again.")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that there are both thresholds, or none and those of the settings."""
        named = {"answer_from", "closest_from"} & set(given)
        if len(named) != (0 if given["settings"] else 2):
            raise serializers.ValidationError("Give both thresholds, or settings alone.")
        return given


class NewThresholdsRequest(GivenSerializer):
    """Both thresholds."""

    answer_from = serializers.FloatField(min_value=0, max_value=1, help_text="From which there is an answer.")
    closest_from = serializers.FloatField(
        min_value=0, max_value=1, help_text="From which the closest passages are shown; not above answer_from."
    )


class CheckRequest(GivenSerializer):
    """A change that is to be checked: of grants, or of thresholds."""

    grants = GrantsRequest(required=False)
    thresholds = ThresholdsRequest(required=False)
    gate = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Make the change where it crosses no limit, and let it wait for a yes otherwise. A limit that is "
        "switched off is never crossed. False: only look.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """Check that there is one change."""
        if ("grants" in given) == ("thresholds" in given):
            raise serializers.ValidationError("Give grants or thresholds, and not both.")
        return given


class CheckDetailsRequest(GivenSerializer):
    """Holds what of a check is shown."""

    all = serializers.BooleanField(required=False, default=False, help_text="With questions that stay the same.")


class PersonJson(serializers.Serializer[Any]):
    """A person."""

    id = serializers.UUIDField()
    name = serializers.CharField()


class CitedJson(serializers.Serializer[Any]):
    """A document that the caller may know of."""

    id = serializers.UUIDField()
    title = serializers.CharField()


class ChangedRoleJson(serializers.Serializer[Any]):
    """A role, and the documents that it gets or loses."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="Null without the right to see roles.")
    documents = CitedJson(many=True, help_text="The first 100 of those that the caller may know of.")


class CheckedChangeJson(serializers.Serializer[Any]):
    """The change of a check. What its kind does not have is null."""

    action = serializers.ChoiceField([("grant", "grant"), ("revoke", "revoke")], allow_null=True)
    until = serializers.DateTimeField(allow_null=True, help_text="When the grants end by themselves.")
    roles = ChangedRoleJson(many=True)
    answer_from = serializers.FloatField(allow_null=True, help_text="Null, of thresholds: those of the settings.")
    closest_from = serializers.FloatField(allow_null=True)
    model = serializers.CharField(allow_null=True)
    source = serializers.UUIDField(allow_null=True)  # type: ignore[assignment]  # a Field has an attribute of this name
    job = serializers.UUIDField(allow_null=True, help_text="Of an upload.")


class CheckedPersonJson(serializers.Serializer[Any]):
    """Holds what a change does to one person's questions of the last month."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    questions = serializers.IntegerField()
    outcomes = serializers.DictField(child=serializers.IntegerField(), help_text="How many questions, by outcome.")
    worse = serializers.IntegerField()
    gaining = serializers.IntegerField(help_text="Answers from documents that they cannot read now.")


class CheckLineJson(serializers.Serializer[Any]):
    """One question, asked without the change and with it."""

    number = serializers.IntegerField()
    asked_for = serializers.ChoiceField([(one.value, one.name) for one in AskedFor])
    outcome = serializers.CharField(help_text=f"The worst first: {_OUTCOMES}.")
    worse = serializers.BooleanField(help_text="It fails, vanishes, or was right and is not any more.")
    gains = serializers.IntegerField(help_text="Documents cited that its reader cannot read now.")
    person = PersonJson(allow_null=True, help_text="Who asked it; null without the right to see people.")
    role = serializers.CharField(allow_null=True, help_text="As whose member the library asks.")
    question = serializers.CharField(allow_null=True, help_text="Null where the caller may not read it.")
    before_text = serializers.CharField(allow_null=True, help_text="Of the library's own questions alone.")
    after_text = serializers.CharField(allow_null=True)
    before = CitedJson(many=True, help_text="What the answer of now cites, as far as the caller may know of it.")
    after = CitedJson(many=True)


class ChangeCheckJson(serializers.ModelSerializer[ChangeCheck]):
    """A check of a change, in figures."""

    kind = serializers.ChoiceField(_KINDS)
    state = serializers.CharField(help_text=f"One of: {_STATES}.")
    gate = serializers.BooleanField(source="is_gate", help_text="The change is made where it crosses no limit.")
    stopping = serializers.BooleanField(source="is_stopping")
    limits = serializers.DictField(
        child=serializers.IntegerField(allow_null=True), help_text="That held when it was asked for; {} for none."
    )
    crossed = serializers.ListField(child=serializers.ChoiceField([(one.value, one.name) for one in Limit]))
    figures = serializers.DictField(child=serializers.IntegerField(), help_text="{} until its end.")
    asked_by = serializers.SerializerMethodField(help_text="Null without the right to see people.")
    decided_by = serializers.SerializerMethodField(help_text="Null without the right to see people.")

    class Meta:
        model = ChangeCheck
        fields = (
            "id",
            "kind",
            "state",
            "gate",
            "stopping",
            "reason",
            "limits",
            "crossed",
            "figures",
            "total",
            "asked",
            "asked_by",
            "decided_by",
            "decided_at",
            "created_at",
            "started_at",
            "finished_at",
        )

    @extend_schema_field(PersonJson(allow_null=True))
    def get_asked_by(self, check: ChangeCheck) -> Any:
        """Return who asked for the check, for those who may see people."""
        return self._name(check.asked_by)

    @extend_schema_field(PersonJson(allow_null=True))
    def get_decided_by(self, check: ChangeCheck) -> Any:
        """Return who decided, for those who may see people."""
        return self._name(check.decided_by)

    def _name(self, person: User | None) -> dict[str, Any] | None:
        viewer = caller(self.context["request"])
        if person is None or (person != viewer and not viewer.has_perm("core.view_user")):
            return None
        return {"id": str(person.pk), "name": str(person)}


class ChangeCheckDetailsJson(ChangeCheckJson):
    """A check of a change, with what the caller may see of its people and questions."""

    may_decide = serializers.BooleanField(read_only=True)
    change = CheckedChangeJson(read_only=True)
    people = CheckedPersonJson(many=True, read_only=True, help_text="Whose answers change; none without the right.")
    lines = CheckLineJson(many=True, read_only=True, help_text="The worst first. Kept of the last 20 checks.")

    class Meta(ChangeCheckJson.Meta):
        fields = (*ChangeCheckJson.Meta.fields, "may_decide", "change", "people", "lines")  # type: ignore[assignment]


class ChangeLimitJson(serializers.ModelSerializer[ChangeLimit]):
    """From where on a change of one kind waits for a yes."""

    kind = serializers.ChoiceField(_KINDS)
    is_on = serializers.BooleanField(help_text="Changes of this kind are checked before they are live.")

    class Meta:
        model = ChangeLimit
        fields = ("kind", "is_on", "from_documents", "most_worse", "most_moved", "most_changed", "most_people")


class ChangeLimitRequest(GivenSerializer):
    """The limit of one kind, with everything that it says: nothing that is left out keeps its value."""

    kind = serializers.ChoiceField(_KINDS)
    is_on = serializers.BooleanField()
    from_documents = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    most_worse = serializers.IntegerField(min_value=0, max_value=100, help_text="Percent of the questions asked.")
    most_moved = serializers.IntegerField(
        min_value=0, max_value=100, help_text="Percent of the questions asked, answered from other documents."
    )
    most_changed = serializers.IntegerField(
        min_value=0, max_value=100, allow_null=True, help_text="Percent of the questions asked. Null: no limit."
    )
    most_people = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, allow_null=True, help_text="Of grants. Null: no limit."
    )


class ThresholdsJson(serializers.Serializer[Any]):
    """The thresholds of answers."""

    answer_from = serializers.FloatField(help_text="The estimate, 0 to 1, from which there is an answer.")
    closest_from = serializers.FloatField(help_text="From which the closest passages are shown.")
    is_put_live = serializers.BooleanField(help_text="By a person; false for those of the settings.")
    check = serializers.UUIDField(
        allow_null=True, help_text="Of the change that is checked before it is live; null where it was made at once."
    )


class ChangeCheckRowJson(FormSerializer):
    """The figures of the checks that were asked for in one month."""

    form = ChangeCheckRow
    held = serializers.IntegerField(help_text="That waited, or wait, for a yes.")
    made_by_itself = serializers.IntegerField(help_text="That crossed no limit.")
    worse = serializers.IntegerField(help_text="Answers that got worse or vanished in the checks.")


class ChangeChecksReportJson(serializers.Serializer[Any]):
    """The checks that were asked for in some days, in figures."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = ChangeCheckRowJson(many=True, help_text="Months in which any was asked for.")
