"""The extractive model as a LiteLLM custom provider, `extractive/sentences`."""

import json
import re
from collections.abc import Sequence
from typing import Any

from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import ModelResponse

from core.llm.extractive.selection import select
from core.llm.markup import read_passages, read_question

PROVIDER = "extractive"


class ExtractiveModel(CustomLLM):
    """Answers a prompt with one call of the tool `final_answer`, each statement being its own quote."""

    def completion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """One completion; LiteLLM passes model, messages and its own arguments."""
        messages = kwargs.get("messages") or args[1]
        prompt = "\n".join(_texts(messages))
        statements = [
            {"text": _readable(chosen.text), "quotes": [{"passage": chosen.passage, "text": chosen.text}]}
            for chosen in select(read_question(prompt), read_passages(prompt))
        ]
        return ModelResponse(
            model=kwargs.get("model", PROVIDER),
            choices=[{"index": 0, "finish_reason": "tool_calls", "message": _call(statements)}],
            usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        )

    async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """The same for asynchronous callers; it takes milliseconds."""
        return self.completion(*args, **kwargs)


def _call(statements: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "final",
                "type": "function",
                "function": {"name": "final_answer", "arguments": json.dumps({"statements": statements})},
            }
        ],
    }


def _texts(messages: Sequence[dict[str, Any]]) -> list[str]:
    texts: list[str] = []
    for message in messages:
        content = message.get("content") or ""
        parts = content if isinstance(content, list) else [{"text": content}]
        texts.extend(part.get("text", "") for part in parts)
    return texts


def _readable(sentence: str) -> str:
    """A sentence on one line, without the bullet it stood behind."""
    return re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", " ".join(sentence.split()))
