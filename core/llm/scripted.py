"""Script a model: it gives the replies that a test has set, and records the requests."""

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.test import override_settings
from litellm.llms.custom_llm import CustomLLM
from litellm.types.llms.openai import ChatCompletionUsageBlock
from litellm.types.utils import GenericStreamingChunk, ModelResponse

from core.llm.client import litellm_ready, register

PROVIDER = "scripted"

_CLAIM = re.compile(r'<claim code="([0-9a-f]{6})">\n<statement>\n([^<]*)\n</statement>')

# Takes each claim's code and statement, gives the judge's reply or an exception.
Judging = Callable[[list[tuple[str, str]]], Any]


class Script:
    """A queue of replies for the model `scripted/model`, and the messages it was sent."""

    def __init__(self, replies: Sequence[Any], judge: Judging | None = None) -> None:
        self.replies = deque(replies)
        self.asked: list[list[dict[str, Any]]] = []
        self.judged: list[str] = []  # the prompts of which it was the judge
        self._judge = judge

    def reply(self, messages: list[dict[str, Any]]) -> Any:
        """Return the next reply, or that of a judge. AssertionError when the script is over.

        A reply that can be called is what it makes of the messages.
        """
        claims = claims_in(str(messages[-1]["content"]))
        if self._judge and claims:
            self.judged.append(str(messages[-1]["content"]))
            return self._judge(claims)
        self.asked.append(messages)
        if not self.replies:
            raise AssertionError("the model was asked more often than the script has replies")
        reply = self.replies.popleft()
        return reply(messages) if callable(reply) else reply


def calls(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the reply that calls one tool."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "call", "type": "function", "function": function}]}


def answers(*statements: tuple[str, int, str]) -> dict[str, Any]:
    """Return the reply that ends with statements, each (text, passage number, quote)."""
    return calls(
        "final_answer",
        statements=[{"text": text, "quotes": [{"passage": n, "text": quote}]} for text, n, quote in statements],
    )


def claims_in(prompt: str) -> list[tuple[str, str]]:
    """Return the code and the statement of each claim that a judge is asked about; nothing in another prompt."""
    return _CLAIM.findall(prompt)


def verdicts(said: str) -> Judging:
    """Return the judge that says the same word of every claim."""
    return lambda claims: "\n".join(f"{code}: {said}" for code, _ in claims)


@contextmanager
def script_model(
    *replies: Any, judge: Judging | None = None, before_word: Callable[[str], object] = lambda written: None
) -> Iterator[Script]:
    """Within the block the answer model gives these replies: `calls`, `answers`, plain text, or an exception.

    It streams plain text word by word, where it is asked to.
    judge: what it says as the judge of its statements; without one it is no judge.
    before_word: called before each word that is streamed with what was streamed before it.
    """
    litellm = litellm_ready()
    script = Script(replies, judge)

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

        def streaming(self, *args: Any, **kwargs: Any) -> Iterator[GenericStreamingChunk]:
            reply = script.reply(kwargs.get("messages") or args[1])
            if not isinstance(reply, str):
                raise reply if isinstance(reply, Exception) else AssertionError("only plain text is streamed")
            written = ""
            for word in re.findall(r"\S+\s*+", reply):
                before_word(written)
                written += word
                yield GenericStreamingChunk(text=word, is_finished=False, finish_reason="", usage=None)
            usage = ChatCompletionUsageBlock(prompt_tokens=10, completion_tokens=5, total_tokens=15)
            yield GenericStreamingChunk(text="", is_finished=True, finish_reason="stop", usage=usage)

    register(PROVIDER, ScriptedModel(), litellm)
    verifying = "always" if judge else "never"
    with override_settings(LLM_MODEL=f"{PROVIDER}/model", LLM_RETRIES=0, VERIFY_WITH_MODEL=verifying):
        yield script
