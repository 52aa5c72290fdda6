"""From a question and its passages to verified statements and how sure they are; for answering and for replays."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from core.agent.drafting import Draft, draft_answer
from core.agent.tools import Search
from core.answering.confidence import REFUSE_BELOW
from core.answering.entailment import consumed, judge_for
from core.answering.judging import Judgement, judge
from core.answering.understanding import Understood
from core.citations.verification import Verified, complaints, verify
from core.embedding.similarity import similarities
from core.llm.client import ModelSettings
from core.types import Passage, Usage


@dataclass(frozen=True, kw_only=True, slots=True)
class Composed:
    """What came of a question's passages."""

    draft: Draft
    verified: Verified
    judged: Judgement
    judging: Usage = field(default_factory=Usage)  # what the judge of its statements consumed

    @property
    def holds(self) -> bool:
        """Whether there is an answer: statements that stood the check, from passages that are sure enough."""
        return bool(self.verified.citations) and self.judged.confidence >= REFUSE_BELOW


def compose(
    understood: Understood,
    passages: Sequence[Passage],
    *,
    search: Search,
    model: ModelSettings,
    timed: Callable[[str], AbstractContextManager[None]],
    drafted: Callable[[Draft], None] = lambda draft: None,
) -> Composed:
    """Judge what the passages are worth, let the model write from them, and verify what it wrote.

    search: further passages for a query, under the audience's rights. drafted: told of the draft before it is checked.
    Raises ModelUnavailableError or ModelConfigurationError when the model cannot be called.
    """
    judge_of_claims = judge_for(model, question=understood.bare)
    with timed("judge"):
        judged = judge(understood, passages, similarities)
    with timed("agent"):
        draft = draft_answer(
            _asked(understood, judged),
            passages,
            search=search,
            model=model,
            max_steps=settings.AGENT_MAX_STEPS,
            check=partial(complaints, question=understood.bare, judge=judge_of_claims),
        )
    drafted(draft)
    with timed("verify"):
        verified = verify(draft.statements, draft.passages, question=understood.bare, judge=judge_of_claims)
    if len(draft.passages) > len(passages):
        with timed("judge"):
            judged = judge(understood, draft.passages, similarities)
    return Composed(draft=draft, verified=verified, judged=judged, judging=consumed(judge_of_claims))


def _asked(understood: Understood, judged: Judgement) -> str:
    """What the model is asked: the one side that can be answered where the others cannot, else the question."""
    return judged.found[0].query if len(judged.found) == 1 else understood.bare
