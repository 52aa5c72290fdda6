"""The forms of an explanation why a question got the answer that it got, for the schema of REST."""

from rest_framework import serializers

from adminsite.api.fields import FormSerializer
from adminsite.api.serializers import ReadableCollectionJson
from core import serialization


class ReadPassageJson(FormSerializer):
    """A passage that was read for a question, and that the caller may read now."""

    form = serialization.ReadPassageJson


class ExplanationJson(FormSerializer):
    """The explanation of a question's answer, as far as the caller may know it now."""

    form = serialization.ExplanationJson
    question = serializers.CharField(help_text="As it was typed.")
    understood = serializers.CharField(help_text="As it was searched for.")
    filters = serializers.DictField(help_text="What the search was narrowed to.")
    refusal = serializers.CharField(allow_null=True, help_text="Why there is no answer; null where there is one.")
    collections = ReadableCollectionJson(many=True, help_text="What the filters leave of what the caller may read.")
    passages = ReadPassageJson(many=True, help_text="That were read, the quoted ones first.")
    left_out = serializers.DictField(
        child=serializers.IntegerField(), help_text="How many drafted sentences were left out, by reason."
    )
