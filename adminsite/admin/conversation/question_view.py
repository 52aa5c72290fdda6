"""Describe one question of a conversation, in the order of events, as far as its viewer may see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from adminsite.admin.agent_steps import mode_in_words, outcome_in_words
from adminsite.admin.base import no_text, viewer
from adminsite.admin.conversation.reading import Found, Rights, Rows
from adminsite.admin.conversation.words import NOT_YET, REASONS, Moment, moments_of, outcome_of
from adminsite.admin.facts import in_words
from adminsite.admin.question_texts import is_of_another, is_readable, words_of
from adminsite.figures import time_in_words, tools_in_words
from core import api, types
from core.asking.verified_answers.wording import describe_verification
from core.language.wording import describe_filters
from core.models import AgentStep, Feedback, Query, QueryLog

# What the section does not show by itself, each by a name for people.
_NAMES = {
    "estimate": "Estimate before anything was written",
    "mean_similarity": "Mean similarity of the passages",
    "has_sufficient_context": "Enough was found",
    "retrieval_strategy": "Search",
    "retrieval_is_short": "Fewer passages than wanted, a fault",
    "citation_count": "Citations",
    "dropped_statements": "Statements dropped",
    "agent_steps": "Steps",
    "model_provider": "Provider of the model",
    "model": "Model",
    "model_settings": "Settings of the model",
    "prompt_hash": "Checksum of the instructions to the model",
    "embedding_model": "Model that compared meanings",
    "trace_id": "Trace",
    "chunk_ids": "Passages",
    "timings_ms": "Milliseconds by step",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of the agent, with its documents and its outcome."""

    tool: str
    documents: tuple[str, ...]  # titles that the viewer may read, each with how many passages
    hidden: int  # passages that they may not read, or that are gone
    took: str
    outcome: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """One person's vote on the answer."""

    person: str
    is_up: bool
    reasons: str
    comment: str
    row: Feedback


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionView:
    """A question; parts that its viewer may not see are empty."""

    query: Query
    question: str
    is_readable: bool
    shows_another: bool  # words of somebody else
    rewritten: str  # the standalone question, where that differs
    filters: str
    found: tuple[Found, ...]
    steps: tuple[Step, ...]
    result: types.Answer | types.Refusal | None
    withheld: str  # why the result is not shown
    outcome: tuple[str, str]
    kept: tuple[str, ...]
    dropped: tuple[tuple[str, int], ...]
    mode: str
    votes: tuple[Vote, ...]
    alerts: tuple[Any, ...]
    moments: tuple[Moment, ...]
    verification: str  # by whom and when, where a verified answer was given
    figures: tuple[tuple[str, Any], ...]  # of the log, each with its name
    receipt_at: str  # where its signed receipt is taken; empty where the viewer gets none

    @property
    def is_reranked(self) -> bool:
        """True if a second model has ordered the passages."""
        return any(found.rerank_score is not None for found in self.found)

    @property
    def citations(self) -> tuple[types.Citation, ...]:
        """Return the verified quotes of an answer, or the passages that came closest."""
        if self.result is None:
            return ()
        return self.result.citations if isinstance(self.result, types.Answer) else self.result.closest


def view_question(request: HttpRequest, query: Query, rows: Rows, rights: Rights) -> QuestionView:
    """Return a question with its results."""
    result, answer = rows.results.get(query.request_id), getattr(query, "answer", None)
    log: Any = getattr(query, "log", None)
    votes = _tell_votes(query, result, rows)
    is_shown = rights.answers and not _is_hidden(query, result)
    asked = result.asked if result else ""
    return QuestionView(
        query=query,
        question=words_of(request, query),
        is_readable=is_readable(request, query),
        shows_another=is_of_another(request, query) or any(_is_comment_of_another(request, vote) for vote in votes),
        rewritten=asked if asked != query.question_text else "",
        filters=describe_filters(result.filters) if result else "",
        found=tuple(Found.of(row, rows.places) for row in rows.retrieved.get(query.pk, [])),
        steps=tuple(_tell_step(step, rows) for step in rows.steps.get(query.pk, [])),
        result=result if is_shown else None,
        withheld="" if result and is_shown else NOT_YET if answer is None else no_text(query),
        outcome=outcome_of(answer, state=query.state),
        kept=_list_kept(result) if rights.answers else (),
        dropped=tuple((api.why_dropped(name), count) for name, count in log.dropped_reasons.items()) if log else (),
        mode=mode_in_words(answer) if answer else "",
        votes=votes,
        alerts=tuple(rows.alerts.get(query.pk, [])),
        moments=tuple(moments_of(query)),
        verification=describe_verification(answer.verification) if answer and answer.verification else "",
        figures=tuple(list_figures(log)) if log and rights.figures else (),
        receipt_at=(
            reverse("receipt", args=[query.request_id])
            if result and is_shown and api.may_issue_receipt(viewer(request), query)
            else ""
        ),
    )


def _is_hidden(query: Query, result: types.Answer | types.Refusal | None) -> bool:
    """Return True if people were shown passages of which the viewer may read none: what is left reads as a refusal."""
    return isinstance(result, types.Refusal) and not result.closest and getattr(query, "cited", 0) > 0


def _list_kept(result: types.Answer | types.Refusal | None) -> tuple[str, ...]:
    """Return the statements of an answer."""
    return tuple(line for line in result.text.splitlines() if line.strip()) if isinstance(result, types.Answer) else ()


def _tell_step(step: AgentStep, rows: Rows) -> Step:
    titles = [rows.places[pk].title for pk in step.chunk_ids if pk in rows.places]
    counts = {title: titles.count(title) for title in dict.fromkeys(titles)}
    return Step(
        tool=tools_in_words(step.tool),
        documents=tuple(f"{title} ({count})" for title, count in counts.items()),
        hidden=len(step.chunk_ids) - len(titles),
        took=time_in_words(step.took_ms),
        outcome=outcome_in_words(step),
    )


def _tell_votes(query: Query, result: types.Answer | types.Refusal | None, rows: Rows) -> tuple[Vote, ...]:
    """List the votes. A comment may repeat the answer's words: it is for who may read all of what it is about."""
    is_whole = result is not None and not (
        isinstance(result, types.Refusal) and len(result.closest) < getattr(query, "cited", 0)
    )
    return tuple(
        Vote(
            person=str(vote.user),
            is_up=vote.verdict == Feedback.Verdict.UP,
            reasons=", ".join(REASONS.get(reason, reason) for reason in vote.reasons),
            comment=vote.comment if is_whole else no_text(query) if vote.comment else "",
            row=vote,
        )
        for vote in rows.votes.get(query.pk, [])
    )


def _is_comment_of_another(request: HttpRequest, vote: Vote) -> bool:
    return bool(vote.row.comment) and vote.comment == vote.row.comment and vote.row.user_id != viewer(request).pk


def list_figures(log: QueryLog) -> Iterator[tuple[str, Any]]:
    """Yield the figures of a question, each with its name."""
    yield "Time", time_in_words(log.response_time_ms)
    for field, name in _NAMES.items():
        yield name, in_words(getattr(log, field))
