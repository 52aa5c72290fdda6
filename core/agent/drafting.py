"""One run of the agent: from a question and its first passages to a draft."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from smolagents import ActionStep, LiteLLMModel, LogLevel, ToolCallingAgent
from smolagents.agents import EMPTY_PROMPT_TEMPLATES
from smolagents.utils import AgentError, AgentGenerationError

from core.agent.prompts import prompt, prompt_hash
from core.agent.tools import FinalAnswer, PassageShelf, PgvectorRetriever, Search
from core.embedding.similarity import similarities
from core.errors import ModelUnavailableError, StepLimitError
from core.llm.client import ModelSettings, check_key, compare_meanings_by, cost_of, litellm_ready, translated
from core.llm.markup import render_question
from core.types import Passage, Statement, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTrace:
    """One step of the agent, without any text."""

    number: int
    tool: str
    chunk_ids: tuple[UUID, ...]  # on the shelf after the step
    error: str  # the class of the error, if the step failed
    took_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """What the model wants to say, unverified."""

    statements: tuple[Statement, ...]
    passages: tuple[Passage, ...]  # all that the model was shown, in the order of their numbers
    steps: tuple[StepTrace, ...]
    usage: Usage
    prompt_hash: str


class _StrictAgent(ToolCallingAgent):
    """A ToolCallingAgent that does not force an answer when its steps are used up.

    smolagents would make one more model call there, whose answer passes no check.
    """

    def provide_final_answer(self, task: str) -> Any:
        """Refuse. StepLimitError always."""
        raise StepLimitError


def draft_answer(
    question: str, passages: Sequence[Passage], *, search: Search, model: ModelSettings, max_steps: int
) -> Draft:
    """Let the model answer a question from passages, with further searches if it wants them.

    search: finds passages for a query under the audience's rights; the model sees only its results.
    Raises StepLimitError when the model does not end, ModelUnavailableError or ModelConfigurationError when it cannot
    be called.
    """
    check_key(model)
    shelf = PassageShelf(passages)
    agent = _agent(shelf, search, model, max_steps)
    task = prompt("task").format(
        passages=shelf.render(range(1, len(shelf.passages) + 1)), question=render_question(question)
    )
    statements = _run(agent, task)
    return Draft(
        statements=statements,
        passages=tuple(shelf.passages),
        steps=_traces(agent, shelf),
        usage=_usage(agent, model.model),
        prompt_hash=prompt_hash(),
    )


def _agent(shelf: PassageShelf, search: Search, model: ModelSettings, max_steps: int) -> _StrictAgent:
    _ready()
    return _StrictAgent(
        tools=[PgvectorRetriever(search, shelf), FinalAnswer()],
        # retry=False: smolagents' own retry waits a minute; LiteLLM's num_retries does it better.
        model=LiteLLMModel(model_id=model.model, retry=False, **model.arguments),
        prompt_templates={**EMPTY_PROMPT_TEMPLATES, "system_prompt": prompt("system")},
        max_steps=max_steps,
        max_tool_threads=1,
        verbosity_level=LogLevel.OFF,
    )


@cache
def _ready() -> None:
    litellm_ready()
    compare_meanings_by(similarities)


def _run(agent: _StrictAgent, task: str) -> tuple[Statement, ...]:
    try:
        result = agent.run(task)
    except AgentGenerationError as error:
        raise translated(error.__cause__ or error) from error
    except AgentError as error:
        raise ModelUnavailableError from error
    return result if isinstance(result, tuple) else ()


def _action_steps(agent: _StrictAgent) -> list[ActionStep]:
    return [step for step in agent.memory.steps if isinstance(step, ActionStep)]


def _traces(agent: _StrictAgent, shelf: PassageShelf) -> tuple[StepTrace, ...]:
    chunk_ids = tuple(passage.chunk_id for passage in shelf.passages if passage.chunk_id)
    return tuple(
        StepTrace(
            number=number,
            tool=", ".join(call.name for call in step.tool_calls or ()),
            chunk_ids=chunk_ids,
            error=type(step.error).__name__ if step.error else "",
            took_ms=(step.timing.duration or 0.0) * 1000,
        )
        for number, step in enumerate(_action_steps(agent), 1)
    )


def _usage(agent: _StrictAgent, model: str) -> Usage:
    used = [step.token_usage for step in _action_steps(agent) if step.token_usage]
    prompt_tokens = sum(usage.input_tokens for usage in used)
    completion_tokens = sum(usage.output_tokens for usage in used)
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=cost_of(model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens),
    )
