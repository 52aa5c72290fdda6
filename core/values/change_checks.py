"""Checks of a change before it is live: its kinds, states and outcomes. Pure."""

from enum import StrEnum


class ChangeKind(StrEnum):
    """Lists the kinds of changes that are checked."""

    GRANTS = "grants"  # of many documents at once
    EDITIONS = "editions"  # what a source's run or an upload brings: new documents, new editions, documents gone
    THRESHOLDS = "thresholds"
    MODEL = "model"  # an examined answer model, before it is admitted


KINDS_IN_WORDS = {
    ChangeKind.GRANTS: "grants",
    ChangeKind.EDITIONS: "documents of a source or an upload",
    ChangeKind.THRESHOLDS: "answer thresholds",
    ChangeKind.MODEL: "answer model",
}


class CheckState(StrEnum):
    """Lists the steps of a check."""

    WAITING = "waiting"  # for the worker
    RUNNING = "running"
    TRIED = "tried"  # asked for a look alone: nothing waits for it
    HELD = "held"  # the change waits for a yes
    MADE = "made"  # the change is live
    DECLINED = "declined"
    STOPPED = "stopped"
    FAILED = "failed"


STATES_IN_WORDS = {
    CheckState.WAITING: "waiting for the worker",
    CheckState.RUNNING: "asking questions",
    CheckState.TRIED: "checked",
    CheckState.HELD: "waits for a yes",
    CheckState.MADE: "live",
    CheckState.DECLINED: "declined",
    CheckState.STOPPED: "stopped",
    CheckState.FAILED: "failed",
}
UNDER_WAY = (CheckState.WAITING, CheckState.RUNNING)
# From which somebody may say yes: what was not checked to its end is theirs to judge.
DECIDABLE = (CheckState.TRIED, CheckState.HELD, CheckState.STOPPED, CheckState.FAILED)


class AskedFor(StrEnum):
    """Lists where a question of a check comes from."""

    PERSON = "person"  # somebody asked it in the last month
    LIBRARY = "library"  # written from the library's own passages, as for an examination


class Side(StrEnum):
    """Lists the texts of a question that name an edition."""

    QUESTION = "question"
    BEFORE = "before"
    AFTER = "after"


class Outcome(StrEnum):
    """Lists the differences between the answer of now and that after the change, the worst first."""

    FAILED = "failed"
    VANISHED = "vanished"
    DISPUTED = "disputed"  # another document answers the question differently, which the answer then says
    SOURCES = "sources"
    WORDING = "wording"
    ANSWERED = "answered"
    SAME = "same"


OUTCOMES_IN_WORDS = {
    Outcome.FAILED: "fails",
    Outcome.VANISHED: "no longer answered",
    Outcome.DISPUTED: "disputed, by another document",
    Outcome.SOURCES: "from other documents",
    Outcome.WORDING: "other words, same documents",
    Outcome.ANSWERED: "newly answered",
    Outcome.SAME: "the same",
}


class Limit(StrEnum):
    """Lists the limits that a change can cross."""

    WORSE = "worse"  # the share of questions whose answers get worse or vanish
    MOVED = "moved"  # the share of questions whose answers come from other documents altogether, or from gained ones
    CHANGED = "changed"  # the share of questions whose answers are others
    PEOPLE = "people"  # people who gain or lose documents
    UNCHECKED = "unchecked"  # there was nothing to ask: nobody knows what it does


LIMITS_IN_WORDS = {
    Limit.WORSE: "more answers get worse or vanish than the limit allows",
    Limit.MOVED: "more answers come from other documents than the limit allows",
    Limit.CHANGED: "more answers change than the limit allows",
    Limit.PEOPLE: "more people gain or lose documents than the limit allows",
    Limit.UNCHECKED: "no question could be asked, so what it does to answers is not known",
}
