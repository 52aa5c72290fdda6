"""Fields that serializers share."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core import serialization
from core.serialization import Day, Id, list_fields, split_nullable

_FIELDS: dict[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    Id: serializers.UUIDField,
    Day: serializers.DateField,
}
MOST_NAMES, LONGEST_NAME = 5, 50  # unknown names that an error repeats, and characters of each


class TextField(serializers.CharField):
    """Text as it was sent: no number is taken for text, and nothing is trimmed."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Return the text. ValidationError for any other JSON value."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


def refuse_unknown(given: Any, known: Iterable[str]) -> None:
    """ValidationError that names what is given and not known, and what is known."""
    unknown = [str(name) for name in given if name not in known] if isinstance(given, Mapping) else []
    if unknown:
        message = f"There is no such field. The fields are: {', '.join(known)}."
        raise serializers.ValidationError({name[:LONGEST_NAME]: [message] for name in unknown[:MOST_NAMES]})


def choice_error(choices: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the message for a value that is not among the choices: it names them."""
    named = ", ".join(value for value, _label in choices)
    return {"invalid_choice": f"This must be one of: {named}."}


class GivenSerializer(serializers.Serializer[Any]):
    """The fields of a request. An unknown field is an error that names it: ignored, it would not be missed."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the values. ValidationError for a field that there is not."""
        refuse_unknown(data, self.fields)
        return super().to_internal_value(data)


class FormSerializer(serializers.Serializer[Any]):
    """A JSON form of core.serialization: what REST says of a field is declared, the other fields follow the form."""

    form: ClassVar[type[Any]]

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields of the form by name, in its order."""
        declared = super().get_fields()
        return {name: declared.get(name) or _make_field(kind) for name, kind in list_fields(self.form).items()}


def _make_field(kind: Any) -> serializers.Field[Any, Any, Any, Any]:
    part, is_nullable = split_nullable(kind)
    return _FIELDS[part](allow_null=is_nullable)


class FiltersSerializer(serializers.Serializer[Any]):
    """The filters of a search; for the schema. core.api.parse_filters checks the values."""

    source = serializers.CharField(  # type: ignore[assignment]  # a Field has an attribute of this name
        required=False, help_text="Part of a document's title, address or arXiv id."
    )
    document_type = serializers.CharField(required=False)
    collection = serializers.CharField(required=False)
    collections = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Only from these collections."
    )
    chapter = serializers.CharField(required=False)
    section = serializers.CharField(required=False)
    date_from = serializers.DateField(required=False)
    date_to = serializers.DateField(required=False)
    max_results = serializers.IntegerField(required=False, min_value=1, max_value=10, help_text="Default: 5.")


@extend_schema_field(FiltersSerializer)
class FiltersField(serializers.DictField):
    """A JSON object of filters."""


class AudienceJson(FormSerializer):
    """For whom a program was given something."""

    form = serialization.AudienceJson
    kind = serializers.ChoiceField(
        [(each, each) for each in ("person", "people", "channel")],
        help_text="For the token's person alone, or also for the people, or the Slack channel, that the token names.",
    )
    label = serializers.CharField(  # type: ignore[assignment]  # a Field has an attribute of this name
        allow_null=True, help_text="How many people there are besides the token's person, or which channel it is."
    )
    problem = serializers.CharField(allow_null=True, help_text="Why nothing can be shown to them; otherwise null.")
