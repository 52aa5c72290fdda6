"""Ask a question again because a source of its answer has changed, and decide what its readers may learn.

An audience with a member who may not read the document as it is now learns nothing. Of a deleted document they learn
only the deletion, and only if all of them could read it until then.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from core import api
from core.access.audiences import asker_for, audience_of, may_read_all
from core.asking.verified_answers.quoting import MOST_QUOTES, SourceQuote, find_sources, hold_against_quotes
from core.errors import NotFoundError
from core.filters import filters_from_json
from core.language.nlp.text import content_stems
from core.models import Answer as AnswerRow
from core.models import Document, FootnoteChange, Query, SourceChange
from core.models.row_security import bypass_row_security
from core.types import Answer, Asker, Audience, Citation, Origin, Refusal, RefusalReason

Ask = Callable[..., Answer | Refusal]  # the signature of core.api.ask

_NOT_ASKED = (RefusalReason.MODEL_UNAVAILABLE, RefusalReason.OVER_QUOTA)  # they say nothing of the library
_Kind, _Verdict, _State = SourceChange.Kind, FootnoteChange.Verdict, FootnoteChange.State


@dataclass(frozen=True, kw_only=True, slots=True)
class Recheck:
    """The comparison of an answer with the one after its source changed.

    It shows what its readers may read, and no more.
    """

    kind: SourceChange.Kind
    verdict: str  # a value of FootnoteChange.Verdict; empty where the question could not be asked again
    asked: str  # the question
    title: str  # of the source; empty when it is gone
    source_url: str
    document_id: UUID
    said: Answer | None  # the answer of then; None when its source is gone
    now: Answer | None  # the answer of now, where there is one


def ask_again(change: FootnoteChange, *, asker: Asker, audience: Audience, ask: Ask = api.ask) -> Recheck | None:
    """Ask the question of a changed answer again, once however often this is called. None if nothing may be announced.

    change: with its source_change, answer, query and asked_again.
    """
    if not may_be_told(change.source_change, audience):
        return None
    if change.source_change.kind == _Kind.DELETED:
        _note_verdict(change, None, _Verdict.NOT_FOUND)
    elif change.asked_again is None:
        query = change.answer.query
        result = ask(
            query.question_text,
            asker=asker,
            audience=audience,
            conversation=api.open_conversation(origin=Origin.RECHECK, asker=asker),
            filters=filters_from_json(query.filters),
            again=query.pk,
        )
        _note_verdict(
            change, Query.objects.filter(request_id=result.request_id).first(), _judge_change(change, result, audience)
        )
    return read_recheck(change, audience=audience)


def read_recheck(change: FootnoteChange, *, audience: Audience) -> Recheck | None:
    """Return the parts of a recheck that an audience may read; None when it may read none."""
    source = change.source_change
    if not may_be_told(source, audience):
        return None
    document = find_source(source, audience)
    said = _find_answer(change.answer.query, audience)
    if not source.is_gone and (document is None or said is None):
        return None
    is_answered = change.verdict in (_Verdict.HOLDS, _Verdict.SAYS_OTHERWISE)
    now = _find_answer(change.asked_again, audience) if is_answered else None
    if now is None and is_answered:
        return None  # what it says now is not for all of them any more
    return Recheck(
        kind=_Kind(source.kind),
        verdict=change.verdict,
        asked=_find_question(change.answer.query, audience),
        title=document.title if document else "",
        source_url=document.source_url if document else "",
        document_id=source.document_id,
        said=said,
        now=now,
    )


def may_be_told(source: SourceChange, audience: Audience) -> bool:
    """Return True if everyone of an audience may learn that a document has changed: they may read its current text.

    Only its last readers may learn that a document was deleted or withdrawn.
    """
    if not source.is_gone:
        return find_source(source, audience) is not None
    last_readers = frozenset(source.last_readers)
    return all(roles & last_readers for roles in audience.role_sets)


def find_source(source: SourceChange, audience: Audience) -> Document | None:
    """Return the document that has changed, if it is there and the whole audience may read it."""
    return Document.objects.visible_to(audience).filter(pk=source.document_id).first()


def recheck_elsewhere(change_id: UUID) -> None:
    """Ask the question of an answer that was not given in Slack again, as its asker, for the report alone."""
    change = select_changes().filter(pk=change_id, state=_State.QUEUED).first()
    if change is None:
        return
    user = change.answer.query.user
    if user is None or ask_again(change, asker=asker_for(user), audience=audience_of([user.pk])) is None:
        end(change, FootnoteChange.Silence.NOT_READABLE)
    else:
        end(change, FootnoteChange.Silence.ELSEWHERE)


def select_changes() -> QuerySet[FootnoteChange]:
    """Select changes with the rows that an announcement needs."""
    return FootnoteChange.objects.select_related("source_change", "answer__query__user", "asked_again")


def end(change: FootnoteChange, silence: str = "") -> None:
    """Record that a change was announced, or why it was not."""
    change.state = _State.SILENT if silence else _State.TOLD
    change.silence, change.ended_at = silence, timezone.now()
    change.save(update_fields=["state", "silence", "ended_at"])


def _note_verdict(change: FootnoteChange, asked_again: Query | None, verdict: str) -> None:
    change.asked_again, change.verdict = asked_again, verdict
    change.save(update_fields=["asked_again", "verdict"])


def _find_question(query: Query, audience: Audience) -> str:
    """Return the standalone question if this audience may read its words; else the question as it was typed."""
    return (may_read_all(query.named_editions, audience) and query.standalone_question) or query.question_text


def _find_answer(query: Query | None, audience: Audience) -> Answer | None:
    """Return an answer as an audience may see it now."""
    if query is None:
        return None
    try:
        result = api.stored_result(query.request_id, audience=audience)
    except NotFoundError:
        return None
    return result if isinstance(result, Answer) else None


def _judge_change(change: FootnoteChange, result: Answer | Refusal, audience: Audience) -> str:
    """Judge if an answer still holds, by what its question gets now; "" when no model was available."""
    if isinstance(result, Refusal):
        return "" if result.reason in _NOT_ASKED else _Verdict.NOT_FOUND
    if result.verified is not None and result.verified.outdated is not None:
        return _Verdict.NOT_FOUND  # it quotes what its sources said once
    quotes = [_make_quote(citation) for citation in result.citations]
    said = _find_answer(change.answer.query, audience)
    for citation in said.citations if said else ():
        kept = _make_quote(citation)
        if kept not in quotes and not find_sources([kept], writer=audience).problems:
            quotes.append(kept)
    quotes = quotes[:MOST_QUOTES]
    # The words of then, also where they may not be shown any more: only whether they hold is shown.
    text = change.answer.answer_text or ""
    if _list_lost_words(change.answer, text, quotes):
        return _Verdict.SAYS_OTHERWISE
    held = hold_against_quotes(text, quotes, question=result.asked, writer=audience)
    return _Verdict.SAYS_OTHERWISE if held.problems else _Verdict.HOLDS


def _list_lost_words(answer: AnswerRow, text: str, quotes: list[SourceQuote]) -> set[str]:
    """Return the words that an answer took from its quotes and that no quote has any more.

    Verification lets a word differ that is no figure, name or negation, because a reader sees the quote beside it. Here
    it may be the very word that has changed, and nobody reads an answer again that is said to hold.
    """
    with bypass_row_security():
        said = list(answer.citations.filter(words__isnull=False).values_list("words__quoted_excerpt", flat=True))
    taken = set(content_stems(text)) & _list_stems(said)
    return taken - _list_stems(one.quote for one in quotes)


def _list_stems(texts: Iterable[str]) -> set[str]:
    return {stem for text in texts for stem in content_stems(text)}


def _make_quote(citation: Citation) -> SourceQuote:
    return SourceQuote(document=str(citation.document_id), quote=citation.quoted_excerpt)
