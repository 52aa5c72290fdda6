"""Run the agent once: from a question and its first passages to a draft."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import DatabaseError
from smolagents import ActionStep, ChatMessage, LogLevel, ToolCallingAgent
from smolagents.agents import EMPTY_PROMPT_TEMPLATES
from smolagents.models import MessageRole
from smolagents.utils import AgentError, AgentGenerationError

from core.asking.generation.agent import ReadingModel, WritingModel, read_begun_statements
from core.asking.generation.markup import render_question
from core.asking.generation.modes import PROMPTS, Mode, ModeChoice, is_extractive, mode_for
from core.asking.generation.prompts import prompt, prompt_hash
from core.asking.generation.streamed import read_written_statements
from core.asking.generation.tools import (
    Check,
    FinalAnswer,
    PassageRegistry,
    PgvectorRetriever,
    Search,
    fit_screen,
    statement_of,
)
from core.errors import FootnoteError, ModelUnavailableError, RepairRequestedError, StepLimitError
from core.llm.client import ModelSettings, check_key, cost_of, translate_error
from core.types import Passage, Statement, Usage

LONGEST_MEMORY = 8_000  # characters of one step that the model is shown again
LONGEST_REASON = 500  # characters of why something could not be used

# Told the statements that a model has written so far, each time there is one more, and the passages it was shown.
Heard = Callable[[Sequence[Statement], Sequence[Passage]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTrace:
    """One step of the agent, without any text."""

    number: int
    tool: str  # the tools it called, also those whose call failed
    chunk_ids: tuple[UUID, ...]  # that its searches found, those known before included
    error: str  # the class of the error, if the step failed
    took_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A model's answer before verification."""

    statements: tuple[Statement, ...]
    passages: tuple[Passage, ...]  # all that the model was shown, in the order of their numbers
    steps: tuple[StepTrace, ...]
    usage: Usage
    model: str  # that wrote it: the one that was asked, or its fallback
    prompt_hash: str  # of the prompts that were used
    mode: ModeChoice


class _StrictAgent(ToolCallingAgent):
    """A ToolCallingAgent that does not force an answer when its steps are used up.

    smolagents would make one more model call there, whose answer passes no check.
    """

    def provide_final_answer(self, task: str) -> Any:
        """Refuse. StepLimitError always."""
        raise StepLimitError

    def write_memory_to_messages(self, summary_mode: bool = False) -> list[ChatMessage]:
        """Build the messages about the model's work so far; for a failed step, its reply and our words on it.

        smolagents itself would ask the model to try something completely different.
        """
        messages: list[ChatMessage] = self.memory.system_prompt.to_messages(summary_mode=summary_mode)
        for step in self.memory.steps:
            failed = isinstance(step, ActionStep) and step.error is not None
            messages += _build_repair_messages(step) if failed else step.to_messages(summary_mode=summary_mode)
        return messages


def _build_repair_messages(step: ActionStep) -> list[ChatMessage]:
    said = step.model_output if isinstance(step.model_output, str) else ""
    reason = str(step.error)
    if step.error is not None and isinstance(step.error.__cause__, RepairRequestedError):
        told = prompt("repair").format(complaints=reason)
    else:
        told = prompt("unreadable").format(reason=reason[:LONGEST_REASON])
    roles = [(MessageRole.ASSISTANT, said.strip()), (MessageRole.USER, told)]
    return [ChatMessage(role=role, content=[{"type": "text", "text": text}]) for role, text in roles if text]


class _Run:
    """One run: the agent, its tools, and what each step found."""

    def __init__(
        self,
        registry: PassageRegistry,
        search: Search,
        check: Check | None,
        model: ModelSettings,
        mode: Mode,
        max_steps: int,
        heard: Heard | None,
    ) -> None:
        self._registry, self._mode, self._heard = registry, mode, heard
        self._found: list[tuple[UUID, ...]] = []
        self._told = 0  # how many statements have been reported
        written = mode is not Mode.TOOL_CALLING
        self._final = FinalAnswer(
            registry,
            check,
            is_last_step=lambda: bool(self.agent.step_number >= max_steps),
            fit=tuple if is_extractive(model) else fit_screen,  # the key-free model has bounds of its own
        )
        model_class = WritingModel if written else ReadingModel
        self.agent = _StrictAgent(
            tools=[self._final] if written else [PgvectorRetriever(search, registry), self._final],
            # retry=False: smolagents' own retry waits a minute; LiteLLM's num_retries does it better.
            model=model_class(
                model_id=model.model,
                fallbacks=model.fallbacks,
                retry=False,
                hear=self._report_statements if heard else None,
                first_words_s=model.first_words_s,
                **model.arguments,
            ),
            prompt_templates={**EMPTY_PROMPT_TEMPLATES, "system_prompt": prompt(PROMPTS[mode][0])},
            max_steps=max_steps,
            max_tool_threads=1,
            verbosity_level=LogLevel.OFF,
            step_callbacks=[self._note_step],
        )

    def statements(self, task: str) -> tuple[Statement, ...]:
        """Let the agent work. The draft that was sent back for repair counts when no other comes."""
        try:
            result = self.agent.run(task)
        except StepLimitError:
            return self._final.first or ()
        except AgentError as error:
            if self._final.first is not None:
                return self._final.first
            if isinstance(error, AgentGenerationError):
                cause = error.__cause__ or error
                is_ours = isinstance(cause, FootnoteError | DatabaseError)  # no fault of the model's
                raise (cause if is_ours else translate_error(cause)) from error
            raise ModelUnavailableError from error
        if not isinstance(result, tuple):
            return ()
        self.agent.model.keep_replies()
        return result

    @property
    def steps(self) -> list[ActionStep]:
        """Return the steps taken."""
        return [step for step in self.agent.memory.steps if isinstance(step, ActionStep)]

    def traces(self) -> tuple[StepTrace, ...]:
        """Return the steps taken, without any text."""
        return tuple(
            StepTrace(
                number=number,
                tool=_name_tools(step),
                chunk_ids=chunk_ids,
                error=type(step.error.__cause__ or step.error).__name__ if step.error else "",
                took_ms=(step.timing.duration or 0.0) * 1000,
            )
            for number, (step, chunk_ids) in enumerate(zip(self.steps, self._found, strict=True), 1)
        )

    def _report_statements(self, text: str, arguments: str) -> None:
        """Tell of the statements of a reply that is being written, when there is another."""
        written = read_written_statements(arguments) if self._mode is Mode.TOOL_CALLING else read_begun_statements(text)
        try:
            statements = fit_screen([statement_of(raw) for raw in written])
        except ValueError:
            return  # the model gets the complaint when its reply has ended
        if self._heard and len(statements) > self._told:
            self._told = len(statements)
            self._heard(statements, self._registry.passages)

    def _note_step(self, step: ActionStep, agent: Any = None) -> None:
        """Note what a step found, and keep short what the model is shown of it again."""
        found = (passage.chunk_id for passage in self._registry.take_newly_found())
        self._found.append(tuple(dict.fromkeys(chunk_id for chunk_id in found if chunk_id)))
        if isinstance(step.model_output, str):
            step.model_output = step.model_output[:LONGEST_MEMORY]
        if step.error is not None:
            # smolagents repeats the arguments of the call before the reason, which is what helps.
            reason = step.error.__cause__ or step.error.__context__ or step.error
            step.error.args = (str(reason)[:LONGEST_MEMORY],)


def draft_answer(
    question: str,
    passages: Sequence[Passage],
    *,
    search: Search,
    model: ModelSettings,
    max_steps: int,
    check: Check | None = None,
    heard: Heard | None = None,
) -> Draft:
    """Let the model answer a question from passages, with further searches if it wants them and its mode allows.

    search: finds passages for a query under the audience's rights; the model sees only its results.
    check: says what is wrong with a draft; a model that steers then may mend it once. The extractive model would say
    the same again, and so did small models in each of the cases that were recorded: they are not asked.
    heard: called with statements while the model writes, which may differ from the final ones.
    A model that does not end within its steps gives no statements. Raises ModelUnavailableError or
    ModelConfigurationError when it cannot be called.
    """
    check_key(model)
    choice = mode_for(model)
    registry = PassageRegistry(passages)
    mends = choice.mode is Mode.TOOL_CALLING and not is_extractive(model)
    run = _Run(registry, search, check if mends else None, model, choice.mode, max_steps, heard)
    task = prompt(PROMPTS[choice.mode][1]).format(
        passages=registry.render(range(1, len(registry.passages) + 1)), question=render_question(question)
    )
    statements = run.statements(task)
    written_by = run.agent.model.model_id
    return Draft(
        statements=statements,
        passages=tuple(registry.passages),
        steps=run.traces(),
        model=written_by,
        usage=_sum_usage(run.steps, written_by, saved_tokens=run.agent.model.saved_tokens),
        prompt_hash=prompt_hash(*PROMPTS[choice.mode]),
        mode=choice,
    )


def _name_tools(step: ActionStep) -> str:
    if step.tool_calls:
        return ", ".join(call.name for call in step.tool_calls)
    asked = (step.model_output_message.tool_calls if step.model_output_message else None) or ()
    known = (PgvectorRetriever.name, FinalAnswer.name)
    return ", ".join(call.function.name if call.function.name in known else "unknown tool" for call in asked[:3])


def _sum_usage(steps: Sequence[ActionStep], model: str, *, saved_tokens: int) -> Usage:
    used = [step.token_usage for step in steps if step.token_usage]
    prompt_tokens = sum(usage.input_tokens for usage in used)
    completion_tokens = sum(usage.output_tokens for usage in used)
    return Usage(
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        cost_usd=cost_of(model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens),
        saved_tokens=saved_tokens,
    )
