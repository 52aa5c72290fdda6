"""Choose who leads: the model, which calls tools, or the code, which gives it the passages and lets it write."""

import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings

from core.asking.generation.extractive import PROVIDER
from core.asking.generation.prompts import prompt_hash
from core.llm.client import ModelSettings

LARGEST_SMALL = 9.0  # billion parameters; up to there models often cannot end a run of tool calls

_LOCAL_PROVIDERS = frozenset({"ollama", "ollama_chat", "lm_studio", "llamafile", "docker_model_runner"})
_OPEN_PROVIDERS = frozenset({"openai", "hosted_vllm", "vllm", "text-completion-openai", "custom_openai"})
_PARAMETERS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)


class Mode(StrEnum):
    """The ways in which the agent works."""

    TOOL_CALLING = "tool_calling"  # the model calls the tools: it may search again, and ends with final_answer
    PLAIN_TEXT = "plain_text"  # code searches; the model writes its answer as plain text
    QUOTED = "quoted"  # the same, with a quote below each sentence


PROMPTS = {  # by name, the first leads the model and the second asks
    Mode.TOOL_CALLING: ("system", "task", "repair", "unreadable"),
    Mode.PLAIN_TEXT: ("write", "write_task", "unreadable"),
    Mode.QUOTED: ("write_quoted", "write_quoted_task", "unreadable"),
}


@dataclass(frozen=True, slots=True)
class ModeChoice:
    """A mode and why it was chosen, in a word or two; both are logged."""

    mode: Mode
    reason: str


def mode_for(model: ModelSettings) -> ModeChoice:
    """Return the mode that AGENT_MODE names, or with "auto" the one that suits the model."""
    if settings.AGENT_MODE != "auto":
        return ModeChoice(Mode(settings.AGENT_MODE), "setting")
    if is_extractive(model):
        return ModeChoice(Mode.TOOL_CALLING, "extractive")  # it calls the tool by itself, in milliseconds
    small, reason = _is_small(model)
    return ModeChoice(Mode.PLAIN_TEXT if small else Mode.TOOL_CALLING, reason)


def prompts_of(model: ModelSettings) -> str:
    """Return the hash of the prompts that a model is led by now."""
    return prompt_hash(*PROMPTS[mode_for(model).mode])


def key_free() -> ModelSettings:
    """Return the model that needs nothing: it quotes the documents' own words."""
    return ModelSettings(model=f"{PROVIDER}/sentences", provider=PROVIDER)


def can_judge(model: ModelSettings) -> bool:
    """Return True for a model that is large enough to say what a text supports; small ones say yes to nearly all."""
    return not is_extractive(model) and not _is_small(model)[0]


def _is_small(model: ModelSettings) -> tuple[bool, str]:
    """Return True if a model is small enough to need leading, with the reason."""
    size = _PARAMETERS.search(model.model)
    if size:
        small = float(size.group(1)) <= LARGEST_SMALL
        return small, "small model" if small else "large model"
    if model.provider in _LOCAL_PROVIDERS:
        return True, "local provider"
    if model.provider in _OPEN_PROVIDERS and _is_loopback(str(model.arguments.get("api_base", ""))):
        return True, "local server"
    return False, "hosted model"


def is_extractive(model: ModelSettings) -> bool:
    """Return True for Footnote's own model, which says the same each time it is asked."""
    return model.provider == PROVIDER


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
