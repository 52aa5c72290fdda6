"""Put states, outcomes, reasons of votes and withheld texts into words for the page of a conversation."""

import datetime as dt
from dataclasses import dataclass
from itertools import pairwise

from adminsite.figures import time_in_words
from core.models import Answer, Query
from core.types import FeedbackReason, QueryState, RefusalReason

NOT_YET = "There is no answer yet."
_STATES = {
    QueryState.NEW: "Asked",
    QueryState.EMBEDDING_GENERATED: "Understood",
    QueryState.RETRIEVAL_COMPLETE: "Passages found",
    QueryState.RESPONSE_GENERATED: "Written and checked",
    QueryState.COMPLETE: "Answered",
    QueryState.NO_CONTENT_FOUND: "Ended without an answer",
    QueryState.FAILED: "Failed",
    QueryState.STOPPED: "Stopped by the asker",
}
REFUSALS = {
    RefusalReason.NOTHING_FOUND: "Nothing found",
    RefusalReason.INSUFFICIENT: "What was found did not suffice",
    RefusalReason.INVALID_QUESTION: "Not a question that can be answered",
    RefusalReason.OVER_QUOTA: "Over the quota",
    RefusalReason.MODEL_UNAVAILABLE: "The model was not available",
    RefusalReason.AMBIGUOUS: "Asked back",
    RefusalReason.UNSURE: "The closest passages",
}
REASONS = {
    FeedbackReason.WRONG.value: "wrong",
    FeedbackReason.NOT_FOUND.value: "not found, though it exists",
    FeedbackReason.BAD_SOURCE.value: "bad source",
    FeedbackReason.TOO_SLOW.value: "too slow",
    FeedbackReason.OTHER.value: "something else",
}
_ENDS_WITHOUT_ANSWER = {
    QueryState.FAILED.value: ("danger", "Failed"),
    QueryState.STOPPED.value: ("info", "Stopped by the asker"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """The time at which a question reached a state."""

    state: str
    at: dt.datetime
    after: str  # since the one before


def outcome_of(answer: Answer | None, *, state: str = "") -> tuple[str, str]:
    """Return a question's outcome, as the kind of a label and in words. state: of a question without an answer."""
    if answer is not None:
        return outcome_of_reason(answer.refusal_reason)
    return _ENDS_WITHOUT_ANSWER.get(state, ("default", "No end yet"))


def outcome_of_reason(refusal: str) -> tuple[str, str]:
    """Return what outcome_of does, given why there is no answer; nothing where there is one."""
    if not refusal:
        return "success", "Answered"
    reason = RefusalReason(refusal)
    return ("info" if reason == RefusalReason.UNSURE else "warning"), REFUSALS[reason]


def moments_of(query: Query) -> list[Moment]:
    """Return the states that a question reached, in their order."""
    read = ((name, dt.datetime.fromisoformat(at)) for name, at in query.reached_at.items() if name in set(QueryState))
    reached = sorted(((at, _STATES[QueryState(name)]) for name, at in read), key=lambda one: one[0])
    all_of_it = [(query.created_at, _STATES[QueryState.NEW]), *(one for one in reached if one[1] != "Asked")]
    first = Moment(state=all_of_it[0][1], at=all_of_it[0][0], after="")
    return [
        first,
        *(
            Moment(state=state, at=at, after=time_in_words(max((at - before).total_seconds(), 0) * 1000))
            for (before, _), (at, state) in pairwise(all_of_it)
        ),
    ]
