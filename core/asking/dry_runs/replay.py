"""A logged question once more: on the passages of then, by the model and the prompts of now, for its asker alone.

The asker's rights are asked for as they are now. What they may not read any more is neither used nor shown, to
whoever runs the replay either.
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any
from uuid import UUID

from core.access.audiences import audience_of
from core.asking.answering.preparation import Asking, prepare
from core.asking.answering.searches import Searching
from core.asking.dry_runs.logged import Logged
from core.asking.dry_runs.running import RecordedPassages, run_dry
from core.asking.generation.modes import prompts_of
from core.asking.history.results import stored_citations, stored_result
from core.errors import NotFoundError
from core.library import embedding
from core.library.retrieval.chunk_lookup import passages_again
from core.llm.client import ModelSettings, model_settings
from core.models import AuditEvent, Chunk, QueryLog
from core.models.row_security import bypass_row_security
from core.serialization import identify_citation
from core.types import Audience, Passage, Replay, RetrievalResult, Run

SAME_CONFIDENCE = 0.0005  # two confidences that are nearer than this are the same


def replay_question(request_id: str, *, by: UUID | None = None) -> Replay:
    """The question once more; see core.api.replay."""
    logged = Logged.of(request_id)
    audience = audience_of([logged.query.user_id])
    model, asking = model_settings(), logged.ask_again(audience)
    found = _search(asking, model)
    if logged.query.selected_text is not None or logged.answer.verified_answer_id:
        # Of a selected text no passage is kept, and for a verified answer none was read.
        passages, recorded = found.passages, len(found.passages)
        gone = forbidden = 0
    else:
        passages = _restore_openings(passages_again(logged.chunks, audience=audience), found.passages)
        recorded = len(logged.chunks)
        gone = recorded - _alive(logged.chunks)
        forbidden = recorded - gone - len(passages)
    then, is_hidden = _then(logged, audience)
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
    then, is_hidden = _then(logged, audience)
    return then, run_dry(logged.ask_again(audience)).run, is_hidden


def _search(asking: Asking, model: ModelSettings) -> RetrievalResult:
    """Return what a search would find today."""
    searching = Searching(audience=asking.audience, selection=asking.selection, timed=lambda step: nullcontext())
    return searching.all_aspects(prepare(asking, model).understood, embedded=lambda: None)


def _restore_openings(passages: Sequence[Passage], found: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages of then; those that open a part of a document which was asked about as a whole still say so."""
    opens = {passage.chunk_id: passage.opens for passage in found}
    return tuple(replace(passage, opens=opens.get(passage.chunk_id, "")) for passage in passages)


def _alive(chunks: Sequence[tuple[UUID, float]]) -> int:
    """Count the chunks that still exist. The result does not say which."""
    with bypass_row_security():
        return Chunk.objects.filter(pk__in=[pk for pk, _ in chunks]).count()


def _then(logged: Logged, audience: Audience) -> tuple[Run, bool]:
    """The recorded end, as the asker may see it now, and whether its text has to be hidden from them."""
    request_id, viewer = logged.query.request_id, logged.query.user_id
    text, is_hidden = None, False
    try:
        stored_result(request_id, audience=audience, viewer=viewer)
        text = logged.answer.answer_text
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
        "steps": (then.steps, now.steps),
        "dropped": (then.dropped, now.dropped),
    }
    names = [name for name, (before, after) in pairs.items() if before != after]
    return names + (["confidence"] if abs(then.confidence - now.confidence) >= SAME_CONFIDENCE else [])
