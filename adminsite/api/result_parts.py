"""The JSON of what an answer may have beside its text: who verified it, and how two documents disagree."""

from rest_framework import serializers

from adminsite.api.fields import FormSerializer
from core import serialization
from core.types import Outdated


class VerifiedJson(FormSerializer):
    """By whom and when an answer was verified."""

    form = serialization.VerifiedJson
    by = serializers.CharField(allow_null=True, help_text="The person's name; null once the person is deleted.")
    at = serializers.DateTimeField()
    outdated = serializers.ChoiceField(
        [(each.value, each.value) for each in Outdated],
        allow_null=True,
        help_text="Why it may not hold any more: the sources have changed, or its review is due. Otherwise null.",
    )


class SideJson(FormSerializer):
    """Shows what one of two documents that disagree says, word for word."""

    form = serialization.SideJson
    number = serializers.IntegerField(
        allow_null=True, help_text="Of the citation that has the words; null where the answer does not cite them."
    )


class ContradictionJson(FormSerializer):
    """Shows what two documents that disagree say, the one to go by first."""

    form = serialization.ContradictionJson
    sides = SideJson(many=True)
