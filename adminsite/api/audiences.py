"""The JSON that says for whom a program was given something."""

from rest_framework import serializers

from adminsite.api.fields import FormSerializer
from core import serialization


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
