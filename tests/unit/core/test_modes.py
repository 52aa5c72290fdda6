"""Test the choice of modes: small and local models write, large ones call tools, and a setting overrides both."""

import pytest
from pytest_django import Settings

from core.asking.generation.modes import Mode, can_judge, mode_for
from core.llm.client import ModelSettings


@pytest.mark.parametrize(
    ("model", "provider", "api_base", "mode", "reason"),
    [
        ("extractive/sentences", "extractive", "", Mode.TOOL_CALLING, "extractive"),
        ("openai/gpt-4.1-mini", "openai", "", Mode.TOOL_CALLING, "hosted model"),
        ("openai/my-model", "openai", "http://127.0.0.1:8080/v1", Mode.PLAIN_TEXT, "local server"),
        ("openai/my-model", "openai", "http://[::1]:8080/v1", Mode.PLAIN_TEXT, "local server"),
        ("hosted_vllm/my-model", "hosted_vllm", "http://localhost:8080/v1", Mode.PLAIN_TEXT, "local server"),
        ("openai/my-model", "openai", "http://10.0.0.5:8080/v1", Mode.TOOL_CALLING, "hosted model"),
        ("ollama_chat/mistral", "ollama_chat", "", Mode.PLAIN_TEXT, "local provider"),
        ("ollama_chat/qwen2.5:14b", "ollama_chat", "", Mode.TOOL_CALLING, "large model"),
        ("ollama_chat/qwen2.5:0.5b", "ollama_chat", "", Mode.PLAIN_TEXT, "small model"),
        ("groq/llama-3.1-70b-versatile", "groq", "", Mode.TOOL_CALLING, "large model"),
        ("groq/gemma2-9b-it", "groq", "", Mode.PLAIN_TEXT, "small model"),
        ("together_ai/mixtral-8x7b", "together_ai", "", Mode.TOOL_CALLING, "hosted model"),
    ],
)
def test_auto_looks_at_size_and_place(
    settings: Settings, model: str, provider: str, api_base: str, mode: Mode, reason: str
) -> None:
    """The size in a name counts before the place where the model runs."""
    settings.AGENT_MODE = "auto"
    choice = mode_for(ModelSettings(model=model, provider=provider, arguments={"api_base": api_base}))
    assert (choice.mode, choice.reason) == (mode, reason)


@pytest.mark.parametrize("mode", ["plain_text", "quoted", "tool_calling"])
def test_the_setting_decides(settings: Settings, mode: str) -> None:
    """Whatever the model is."""
    settings.AGENT_MODE = mode
    for name, provider in (("extractive/sentences", "extractive"), ("openai/gpt-4.1-mini", "openai")):
        choice = mode_for(ModelSettings(model=name, provider=provider))
        assert (choice.mode, choice.reason) == (mode, "setting")


@pytest.mark.parametrize(
    ("model", "provider", "api_base", "can"),
    [
        ("extractive/sentences", "extractive", "", False),
        ("openai/gpt-4.1-mini", "openai", "", True),
        ("groq/llama-3.1-70b-versatile", "groq", "", True),
        ("ollama_chat/qwen2.5:1.5b", "ollama_chat", "", False),
        ("ollama_chat/mistral", "ollama_chat", "", False),
        ("openai/my-model", "openai", "http://127.0.0.1:8080/v1", False),
    ],
)
def test_small_models_are_no_judges(settings: Settings, model: str, provider: str, api_base: str, can: bool) -> None:
    """Whatever the setting says of how they work."""
    for mode in ("auto", "plain_text", "tool_calling"):
        settings.AGENT_MODE = mode
        assert can_judge(ModelSettings(model=model, provider=provider, arguments={"api_base": api_base})) is can
