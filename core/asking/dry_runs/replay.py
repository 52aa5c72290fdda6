"""Ask a logged question once more: as a replay for its asker, or as a trial for another audience.

A replay takes the passages of then, with the model and the prompts of now. The asker's rights are asked for as they
are now: what they may not read any more is neither used nor shown, to whoever runs the replay either. A trial reveals
nothing that its audience may not read: the viewer sees what that audience would.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from core.access.audiences import audience_of, may_read_all, readable_editions
from core.asking.answering.preparation import Asking, prepare
from core.asking.answering.searches import Searching
from core.asking.dry_runs.running import RecordedPassages, run_dry
from core.asking.generation.modes import prompts_of
from core.asking.history.results import renumber, stored_citations, stored_result
from core.asking.history.retention import ERASED
from core.errors import NotFoundError, NotReplayableError
from core.filters import filters_from_json
from core.library import embedding
from core.library.retrieval.chunk_lookup import passages_again
from core.llm.client import ModelSettings, model_settings
from core.models import Answer, AuditEvent, Chunk, Query, QueryLog, ResearchLine
from core.models.row_security import bypass_row_security
from core.serialization import identify_citation
from core.types import FINAL_STATES, Audience, Citation, Passage, QueryState, Replay, RetrievalResult, Run, Trial
from core.types import Answer as AnswerValue
from core.values.research import Outcome

SAME_CONFIDENCE = 0.0005  # two confidences that are nearer than this are the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Logged:
    """All that was kept of a question."""

    log: QueryLog
    query: Query
    answer: Answer
    chunks: tuple[tuple[UUID, float], ...]  # that the model was shown, with their similarities, in their order

    @classmethod
    def of(cls, request_id: str) -> "Logged":
        """Load a logged question. NotFoundError for an unknown id, NotReplayableError when a part of it is missing."""
        query = Query.objects.select_related("log", "answer", "conversation").filter(request_id=request_id).first()
        if query is None:
            if QueryLog.objects.filter(request_id=request_id).exists():
                raise NotReplayableError(
                    "The question was refused before it was stored, or it has been deleted. Only its figures are left."
                )
            raise NotFoundError("There is no question with this request id.")
        if query.erased_at is not None:
            raise NotReplayableError(ERASED)
        if query.state not in FINAL_STATES or not hasattr(query, "log") or not hasattr(query, "answer"):
            raise NotReplayableError("This question is still being answered.")
        line = ResearchLine.objects.filter(query=query).first()
        if line and line.outcome == Outcome.QUOTED:
            raise NotReplayableError(
                "A page about a topic quotes a section here, whether it answers the question or not."
            )
        shown = zip(query.log.chunk_ids, query.log.similarity_scores, strict=True)
        chunks = tuple((pk, similarity) for pk, similarity in shown if pk is not None)
        if query.state == QueryState.FAILED and not chunks and query.selected_text is None:
            raise NotReplayableError(
                f"This question failed ({query.answer.refusal_reason.replace('_', ' ')}) before any passage was found."
            )
        return cls(log=query.log, query=query, answer=query.answer, chunks=chunks)

    def ask_again(self, audience: Audience) -> Asking:
        """Build the standalone question of then, for this audience now.

        It is the question as typed if the standalone words may come from documents that the audience may not read.
        """
        may_reword = may_read_all(self.query.named_editions, audience)
        return Asking(
            text=self.query.question_text,
            audience=audience,
            filters=filters_from_json(self.query.filters),
            selection=self.query.selected_text,
            today=self.query.created_at.date(),
            standing_alone=(may_reword and self.query.standalone_question) or self.query.question_text,
        )


def replay_question(request_id: str, *, by: UUID | None = None) -> Replay:
    """Return the question once more; see core.api.replay."""
    logged = Logged.of(request_id)
    audience = audience_of([logged.query.user_id])
    model, asking = model_settings(), logged.ask_again(audience)
    found = _search_anew(asking, model)
    if logged.query.selected_text is not None or logged.answer.verified_answer_id:
        # Of a selected text no passage is kept, and for a verified answer none was read.
        passages, recorded = found.passages, len(found.passages)
        gone = forbidden = 0
    else:
        passages = _restore_openings(passages_again(logged.chunks, audience=audience), found.passages)
        recorded = len(logged.chunks)
        gone = recorded - _count_alive(logged.chunks)
        forbidden = recorded - gone - len(passages)
    then, is_hidden = _recall_end(logged, audience)
    now = run_dry(asking, searching=RecordedPassages(passages, audience=audience, found=found)).run
    changed = _list_changed_settings(logged.log, model)
    kept = {pk for pk, _ in logged.chunks}
    differing = [
        *(name for name, _, _ in changed),
        *(["access"] if forbidden or is_hidden else []),
        *(["passages"] if gone else []),
        *_list_differences(then, now),
    ]
    result = Replay(
        request_id=request_id,
        passages=recorded,
        gone=gone,
        forbidden=forbidden,
        is_hidden=is_hidden,
        settings=changed,
        differing=tuple(differing),
        retrieval=(logged.log.retrieval_strategy, found.strategy),
        found_again=sum(passage.chunk_id in kept for passage in found.passages) if kept else len(found.passages),
        then=then,
        now=now,
    )
    AuditEvent.objects.create(
        actor_id=by,
        action=AuditEvent.Action.REPLAY,
        object_type="query_log",
        object_id=str(logged.log.pk),
        details={"differing": differing},
    )
    return result


def answer_now(request_id: str) -> Run:
    """Answer a logged question again, from the documents of today; see core.api.answer_now."""
    logged = Logged.of(request_id)
    audience = audience_of([logged.query.user_id])
    return run_dry(logged.ask_again(audience)).run


def recall_and_ask(request_id: str) -> tuple[Run, Run, bool]:
    """Return what was answered and what is answered from the documents of today, both as the asker may see them now.

    The last value is True where the earlier answer has to be hidden from them. Errors as of `replay_question`; nothing
    is stored.
    """
    logged = Logged.of(request_id)
    audience = audience_of([logged.query.user_id])
    then, is_hidden = _recall_end(logged, audience)
    return then, run_dry(logged.ask_again(audience)).run, is_hidden


def _search_anew(asking: Asking, model: ModelSettings) -> RetrievalResult:
    """Return what a search would find today."""
    searching = Searching(audience=asking.audience, selection=asking.selection, timed=lambda step: nullcontext())
    return searching.all_aspects(prepare(asking, model).understood, embedded=lambda: None)


def _restore_openings(passages: Sequence[Passage], found: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages of then.

    Those that open a part of a document which was asked about as a whole still say so.
    """
    opens = {passage.chunk_id: passage.opens for passage in found}
    return tuple(replace(passage, opens=opens.get(passage.chunk_id, "")) for passage in passages)


def _count_alive(chunks: Sequence[tuple[UUID, float]]) -> int:
    """Count the chunks that still exist. The result does not say which."""
    with bypass_row_security():
        return Chunk.objects.filter(pk__in=[pk for pk, _ in chunks]).count()


def _recall_end(logged: Logged, audience: Audience) -> tuple[Run, bool]:
    """Return the recorded end, as the asker may see it now, and whether its text has to be hidden from them."""
    request_id, viewer = logged.query.request_id, logged.query.user_id
    text, contradiction, is_hidden = None, None, False
    try:
        result = stored_result(request_id, audience=audience, viewer=viewer)
        text = logged.answer.answer_text
        contradiction = result.contradiction if isinstance(result, AnswerValue) else None
    except NotFoundError:
        is_hidden = True
    shown = stored_citations(request_id, audience=audience, viewer=viewer)
    run = Run(
        text=text,
        refusal=logged.answer.refusal_reason,
        confidence=logged.answer.confidence,
        citations=() if logged.answer.answer_text is None else shown,
        closest=shown if logged.answer.answer_text is None else (),
        steps=tuple(logged.answer.steps.values_list("tool", flat=True)),
        dropped=logged.log.dropped_statements,
        reasons=dict(logged.log.dropped_reasons),
        contradiction=contradiction,
    )
    return run, is_hidden


def _list_changed_settings(log: QueryLog, model: ModelSettings) -> tuple[tuple[str, str, str], ...]:
    """List the settings of an answer that have changed since: the model, its arguments, the prompts.

    The model is the one that was set; where the key-free one answered in its place, the log's settings name it.
    """
    then: dict[str, Any] = {"model": log.model, **log.model_settings}
    now: dict[str, Any] = {"model": model.model, **model.for_the_log()}
    if log.prompt_hash:  # no prompt was sent when nothing was found
        then["prompt"], now["prompt"] = log.prompt_hash, prompts_of(model)
    if log.embedding_model:  # nothing was embedded when nothing was searched
        then["embedding model"], now["embedding model"] = log.embedding_model, embedding.provider().name
    if not log.model_settings:  # a question from before they were logged
        now = {name: value for name, value in now.items() if name in then}
    names = dict.fromkeys([*then, *now])
    return tuple(
        (name, _format_setting(then.get(name)), _format_setting(now.get(name)))
        for name in names
        if then.get(name) != now.get(name)
    )


def _format_setting(value: Any) -> str:
    return "" if value is None else str(value)


def _list_differences(then: Run, now: Run) -> list[str]:
    pairs = {
        "answer": (then.text or "", now.text or ""),
        "refusal": (then.refusal, now.refusal),
        "citations": ({identify_citation(c) for c in then.citations}, {identify_citation(c) for c in now.citations}),
        "closest": ({identify_citation(c) for c in then.closest}, {identify_citation(c) for c in now.closest}),
        "contradiction": (_identify_contradiction(then), _identify_contradiction(now)),
        "steps": (then.steps, now.steps),
        "dropped": (then.dropped, now.dropped),
    }
    names = [name for name, (before, after) in pairs.items() if before != after]
    return names + (["confidence"] if abs(then.confidence - now.confidence) >= SAME_CONFIDENCE else [])


def _identify_contradiction(run: Run) -> set[tuple[UUID | None, str]]:
    return {identify_citation(quote) for quote in run.contradiction.quotes} if run.contradiction else set()


def try_as(request_id: str, *, audience: Audience, viewer: UUID, details: dict[str, Any]) -> Trial:
    """Return the question for an audience as it is now; see core.api.ask_as."""
    logged = Logged.of(request_id)
    if logged.query.selected_text is not None and logged.query.user_id != viewer:
        raise NotReplayableError("The question is about a selected text, which is its asker's alone.")
    dry = run_dry(logged.ask_again(audience))
    AuditEvent.objects.create(
        actor_id=viewer,
        action=AuditEvent.Action.REPLAY,
        object_type="query_log",
        object_id=str(logged.log.pk),
        details=details,
    )
    return Trial(
        request_id=request_id,
        asked=dry.progress.asked,
        filters=dry.progress.filters,
        passages=dry.progress.found.passages if dry.progress.found else (),
        strategy=dry.progress.found.strategy if dry.progress.found else "",
        run=dry.run,
    )


def readable_run(run: Run, *, reads: Audience, is_asker: bool) -> tuple[Run, bool]:
    """Return a run as far as a viewer may see it; see core.api.readable_run."""
    compared = run.contradiction.quotes if run.contradiction else ()
    readable = readable_editions((one.edition for one in (*run.citations, *run.closest, *compared)), reads)

    def may_read(citation: Citation) -> bool:
        return is_asker if citation.edition is None else citation.edition in readable

    if not all(may_read(one) for one in run.citations):
        return replace(run, text=None, citations=(), contradiction=None), True
    closest = renumber(one for one in run.closest if may_read(one))
    # Without a hint that there is one: whoever may read one side alone does not learn of the other.
    contradiction = run.contradiction if all(may_read(one) for one in compared) else None
    return replace(run, closest=closest, contradiction=contradiction), len(closest) < len(run.closest)
