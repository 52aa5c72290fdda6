"""Scores by a language model that reads and judges: TruLens's LiteLLM provider and its own prompts."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from django.conf import settings

from core.errors import EvaluationError, OverBudgetError
from core.llm.calls import Call, estimate_tokens, read_usage
from core.llm.client import UNKNOWN_PROVIDER, litellm_ready, provider_of
from core.quality.evaluation.triad.importing import import_trulens, make_with_event_loop
from core.quality.evaluation.triad.metrics import NAMES

PREFIX = "trulens-litellm:"
MOST_METHOD = 100  # characters that EvaluationResult.method holds

# Tokens sent and written by each call that is made for a score.
_calls: ContextVar[list[tuple[int, int]] | None] = ContextVar("footnote_judge_calls", default=None)
# The same, as servers report it, within one of TruLens's calls, which may be several of LiteLLM's.
_told: ContextVar[list[tuple[int, int]] | None] = ContextVar("footnote_judge_usage", default=None)


class JudgeScorer:
    """Scores by the LiteLLM model of the setting EVALUATION_MODEL. Its keys come from the environment, as LiteLLM's."""

    def __init__(self, model: str) -> None:
        self._model = model
        self._made: list[tuple[int, int]] = []  # of each call, the tokens sent and written

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the calls of the block, at its end: TruLens makes them in threads that have no database.

        EvaluationError when none may be made.
        """
        call = Call(self._model, {})
        try:
            call.begin()
        except OverBudgetError as error:
            raise EvaluationError(f"{error.message} The answer was not scored.") from error
        try:
            yield
        finally:
            for sent, written in self._made:
                call.count(sent, written)
            self._made.clear()

    @property
    def method(self) -> str:
        """`trulens-litellm:MODEL`."""
        return f"{PREFIX}{self._model}"[:MOST_METHOD]

    def measures(self, question: str) -> tuple[str, ...]:
        """Return all three."""
        return NAMES

    def relevance(self, question: str, passages: Sequence[str]) -> float:
        """Question against all passages at once, in one call."""
        return self._ask_judge(lambda judge: judge.context_relevance(question=question, context="\n\n".join(passages)))

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """Return the mean over the answer's statements: one call splits it, then one call for each.

        TruLens's own splitting into sentences needs nltk data that would be downloaded, so the model splits.
        """
        import_trulens()
        from trulens.core.metric.metric import GroundednessConfigs

        configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=False)
        return self._ask_judge(
            lambda judge: judge.groundedness_measure_with_cot_reasons(
                source="\n\n".join(passages), statement=answer, groundedness_configs=configs
            )[0]
        )

    def answer_relevance(self, question: str, answer: str) -> float:
        """Question against answer, in one call."""
        return self._ask_judge(lambda judge: judge.relevance(prompt=question, response=answer))

    def _ask_judge(self, ask: Callable[[Any], float]) -> float:
        if provider_of(self._model) == UNKNOWN_PROVIDER:
            raise EvaluationError(f"EVALUATION_MODEL {self._model!r} names no provider that LiteLLM knows.")
        judge = _keep_provider(self._model, min(settings.LLM_TIMEOUT_S, settings.TRULENS_FEEDBACK_TIMEOUT))
        with _suspend_recording(), _note_calls(_calls, self._made):
            try:
                return float(ask(judge))
            # RuntimeError: the call failed. ValueError: the reply could not be read. Either may quote what was sent.
            except (RuntimeError, ValueError) as error:
                raise EvaluationError(
                    f"The judging model returned no score ({type(error).__name__}). Check EVALUATION_MODEL and its "
                    "key, and that the model can be reached."
                ) from None


@cache
def _keep_provider(model: str, timeout: int) -> Any:
    return make_with_event_loop(lambda: _trulens_provider(model, timeout))


def _trulens_provider(model: str, timeout: int) -> Any:
    import_trulens()
    from trulens.providers.litellm import LiteLLM, provider

    # TruLens does not pass on the usage that a server reports; this is the function that its provider calls.
    provider.completion = _noting_usage(litellm_ready().completion)  # type: ignore[attr-defined]  # LiteLLM's name

    class Judge(LiteLLM):
        """A judge with a time limit. TruLens drops it for models named `provider/model`, unless it is in this list."""

        _LITELLM_ROUTING_PARAMS = LiteLLM._LITELLM_ROUTING_PARAMS | {"timeout"}

        def _create_chat_completion(self, *args: Any, **kwargs: Any) -> Any:
            """Make one call, and note its usage: as the server reports it, or estimated."""
            told: list[tuple[int, int]] = []
            with _note_calls(_told, told):
                reply = super()._create_chat_completion(*args, **kwargs)
            given = (*args, kwargs.get("prompt"), kwargs.get("messages"))
            sent = estimate_tokens([str(part) for part in given if part])
            made = _calls.get()
            if made is not None:
                made.extend(told or [(sent, estimate_tokens([str(reply)]))])
            return reply

    judge: Any = Judge(model_engine=model)  # type: ignore[call-arg]  # its constructor fills the others in
    judge.completion_args["timeout"] = timeout
    judge.endpoint.retries = 0  # the job is tried again as a whole, and later
    return judge


def _noting_usage(complete: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap LiteLLM's completion to note the usage that the server reports."""

    def completion(*args: Any, **kwargs: Any) -> Any:
        response = complete(*args, **kwargs)
        told, usage = _told.get(), read_usage(response)
        if told is not None and usage is not None:
            told.append(usage)
        return response

    return completion


@contextmanager
def _note_calls(where: ContextVar[list[tuple[int, int]] | None], calls: list[tuple[int, int]]) -> Iterator[None]:
    """Note the calls of the block in a list, in whichever thread TruLens makes them."""
    token = where.set(calls)
    try:
        yield
    finally:
        where.reset(token)


@contextmanager
def _suspend_recording() -> Iterator[None]:
    """Leave the tracing context of the recording, else TruLens stores the judge's prompts with their texts."""
    from opentelemetry import context

    token = context.attach(context.Context())
    try:
        yield
    finally:
        context.detach(token)
