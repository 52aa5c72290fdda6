"""System checks that look at the answer model of this machine."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004 - Django's name

from core.management.base import SETTINGS_TAG


@register(SETTINGS_TAG)
def local_model(**_: Any) -> list[CheckMessage]:
    """The file that names the model of this machine can be read. Without it Footnote answers, without that model."""
    if not settings.LOCAL_MODEL_PROBLEM:
        return []
    hint = "Set the model up again with manage.py model: the damaged file is kept. Its model file is not touched."
    return [Warning(settings.LOCAL_MODEL_PROBLEM, hint=hint, id="footnote.W010")]


@register(SETTINGS_TAG)
def first_words(**_: Any) -> list[CheckMessage]:
    """The first word of a model is waited for."""
    if settings.LLM_FIRST_WORDS_S > 0:
        return []
    hint = "Give the seconds after which a model that has said nothing is given up. LLM_TIMEOUT_S waits the whole time."
    return [Error(f"LLM_FIRST_WORDS_S is {settings.LLM_FIRST_WORDS_S}.", hint=hint, id="footnote.E090")]
