"""Let a model answer only where it may: of those that have to be examined, the one that an administrator let in."""

from django.conf import settings

from core.asking.generation.modes import is_extractive, key_free, prompts_of
from core.llm.client import ModelSettings, identify, model_settings
from core.llm.local_model.setting_up import LOCAL_PROVIDERS
from core.models import ModelExamination

OFF, AUTO, REQUIRED = "off", "auto", "required"  # of the setting MODEL_ADMISSION


def choose_model() -> ModelSettings:
    """Return the model that answers now: the one that is set, or the key-free one until it is let in."""
    model = model_settings()
    return model if not needs_admission(model) or is_admitted(model) else key_free()


def needs_admission(model: ModelSettings) -> bool:
    """Return True if a model answers nobody before an administrator lets it in.

    By default that is a model of this machine that `manage.py model` set up: a model that an installation had set
    before there were examinations goes on answering. Decision 0086.
    """
    if is_extractive(model) or settings.MODEL_ADMISSION == OFF:
        return False
    local = settings.LOCAL_MODEL
    if settings.LOCAL_MODEL_PROBLEM and model.provider in LOCAL_PROVIDERS:
        return True  # it may be the very model that the damaged file names
    return settings.MODEL_ADMISSION == REQUIRED or (local is not None and local.model == model.model)


def is_admitted(model: ModelSettings) -> bool:
    """Return True if an administrator let in this very model, led by the prompts of now."""
    admitted = ModelExamination.objects.filter(state=ModelExamination.State.ADMITTED)
    return admitted.filter(identity=identify(model), prompt_hash=prompts_of(model)).exists()
