"""A model that says what a test tells it to, and remembers what it was asked."""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.test import override_settings
from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import ModelResponse

from core.llm.client import litellm_ready, register

PROVIDER = "scripted"


class Script:
    """A queue of replies for the model `scripted/model`, and the messages it was sent."""

    def __init__(self, replies: Sequence[Any]) -> None:
        self.replies = deque(replies)
        self.asked: list[list[dict[str, Any]]] = []

    def reply(self, messages: list[dict[str, Any]]) -> Any:
        """The next reply. AssertionError when the script is over."""
        self.asked.append(messages)
        if not self.replies:
            raise AssertionError("the model was asked more often than the script has replies")
        return self.replies.popleft()


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    """The reply that calls one tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "call", "type": "function", "function": function}]}


def answers(*statements: tuple[str, int, str]) -> dict[str, Any]:
    """The reply that ends with statements, each (text, passage number, quote)."""
    return calls(
        "final_answer",
        statements=[{"text": text, "quotes": [{"passage": n, "text": quote}]} for text, n, quote in statements],
    )


@contextmanager
def scripted_model(*replies: Any) -> Iterator[Script]:
    """Within the block the answer model gives these replies: `calls`, `answers`, plain text, or an exception."""
    litellm = litellm_ready()
    script = Script(replies)

    class ScriptedModel(CustomLLM):
        def completion(self, *args: Any, **kwargs: Any) -> Any:
            reply = script.reply(kwargs.get("messages") or args[1])
            if isinstance(reply, Exception):
                raise reply
            message = {"role": "assistant", "content": reply if isinstance(reply, str) else None}
            if isinstance(reply, dict):
                message |= reply
            return ModelResponse(
                model="model",
                choices=[{"index": 0, "finish_reason": "stop", "message": message}],
                usage={"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            )

    register(PROVIDER, ScriptedModel(), litellm)
    with override_settings(LLM_MODEL=f"{PROVIDER}/model", LLM_RETRIES=0):
        yield script
