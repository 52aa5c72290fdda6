"""From a question and its passages to what is shown, and how sure it is; for answering and for replays."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from django.conf import settings

from core.answering.closest import closest_passages
from core.answering.preview import Preview, make_previewer
from core.answering.repair import fit_all, with_own_words
from core.confidence.decision import Ending, confidence_of_answer, confidence_of_refusal, is_close, is_sure
from core.confidence.judgement import Judgement, are_of_whole, judge
from core.embedding.similarity import similarities
from core.generation.draft import Draft, Heard, draft_answer
from core.generation.modes import can_judge, is_extractive, key_free
from core.generation.tools import Search
from core.llm.client import ModelSettings, provider_of
from core.nlp.answer_types import find_kind_asked, holds_new, is_certain, lacks_count, lacks_name
from core.nlp.reasons import lacks_reason
from core.nlp.text import content_stems
from core.query_understanding.plan import Understood
from core.reading.reader import recall
from core.types import Citation, Passage, Statement, Usage
from core.verification.entailment import get_usage, make_judge
from core.verification.refusals import drop_refusals
from core.verification.statements import Verified, list_complaints, verify

Timed = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Composed:
    """Holds the result of composing an answer from passages."""

    ending: Ending
    draft: Draft  # of the model that was asked
    model: ModelSettings  # whose words are shown: that model, or the key-free one in its place
    verified: Verified  # what is shown of an answer
    left_out: Verified  # what came of the draft, with what was dropped of it
    judged: Judgement
    judging: Usage = field(default_factory=Usage)  # what the judge of the draft's statements consumed
    closest: tuple[Citation, ...] = ()

    @property
    def confidence(self) -> float:
        """The confidence that is shown, 0..1."""
        estimate = self.judged.confidence
        return confidence_of_answer(estimate) if self.ending is Ending.ANSWER else confidence_of_refusal(estimate)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """Passages, and what they are worth for the question."""

    passages: Sequence[Passage]
    judged: Judgement


@dataclass(frozen=True, kw_only=True, slots=True)
class _Written:
    """Holds a model's draft, and what is left of it after verification."""

    draft: Draft
    verified: Verified  # what may be shown of it
    left_out: Verified  # what came of its own words
    judging: Usage


def compose(
    understood: Understood,
    passages: Sequence[Passage],
    *,
    search: Search,
    model: ModelSettings,
    timed: Timed,
    drafted: Callable[[Draft], None] = lambda draft: None,
    preview: Preview | None = None,
) -> Composed:
    """Judge what the passages are worth, let the model write from them, verify what it wrote, and decide.

    search: further passages for a query, under the audience's rights. drafted: told of the draft before it is checked.
    preview: told of the statements that stand while the model still writes. The key-free model writes at once.
    Raises ModelUnavailableError or ModelConfigurationError when the model cannot be called.
    """
    first = _read(understood, passages, timed)
    is_own = is_extractive(model)
    asked = _choose_asked(understood, first.judged) if is_own else understood.bare

    def answers(verified: Verified) -> bool:
        return _answers(asked, verified, first.judged.confidence, model)

    heard = make_previewer(preview, question=asked, answers=answers) if preview and not is_own else None
    written = _write_statements(asked, passages, search=search, model=model, timed=timed, drafted=drafted, heard=heard)
    draft, verified = written.draft, written.verified
    if draft.model != model.model:
        model = replace(model, model=draft.model, provider=provider_of(draft.model))
    last = _read(understood, draft.passages, timed) if len(draft.passages) > len(passages) else first
    if verified.citations and _answers(asked, verified, last.judged.confidence, model):
        judged = last.judged if is_own else _without_what_is_told(last.judged, verified)
        return Composed(
            ending=Ending.ANSWER,
            draft=draft,
            model=model,
            verified=verified,
            left_out=written.left_out,
            judged=judged,
            judging=written.judging,
        )
    best = max(first, last, key=lambda read: read.judged.confidence)
    return _in_its_place(understood, best, written, model=model, timed=timed)


def _answers(question: str, verified: Verified, estimate: float, model: ModelSettings) -> bool:
    """Return True if verified statements are an answer: those of a model that can say no always are.

    The key-free model always says something and a small one nearly always does. The passages have to be sure for the
    one and near for the other, and a statement of the kind that is asked for: without a price nothing says a cost. To
    the key-free model, which says whole sentences, that is held only where it is certain. A question for a reason is
    not answered by what it asks about, one for a count not by measures, and one for a name not without one.
    """
    if can_judge(model):
        return True
    kind = find_kind_asked(question)
    if not is_extractive(model):
        return is_close(estimate) and holds_new(kind, verified.text, question)
    if any(lacks(question, verified.text) for lacks in (lacks_reason, lacks_count, lacks_name)):
        return False
    return is_sure(estimate) and (not is_certain(kind) or holds_new(kind, verified.text, question))


def _in_its_place(
    understood: Understood, read: _Read, written: _Written, *, model: ModelSettings, timed: Timed
) -> Composed:
    """Compose what is shown where nothing of the model is verified: as much as without that model."""
    shown, shown_by, ending = written.verified, model, Ending.REFUSAL
    estimate = read.judged.confidence
    if is_sure(estimate) and not is_extractive(model):
        own = key_free()
        asked = _choose_asked(understood, read.judged)
        quoted = _write_statements(asked, read.passages, search=lambda query: (), model=own, timed=timed).verified
        if quoted.citations:
            shown, shown_by, ending = quoted, own, Ending.ANSWER
    closest: tuple[Citation, ...] = ()
    if ending is Ending.REFUSAL and is_close(estimate):
        with timed("judge"):
            closest = closest_passages(understood.bare, read.passages, similarities, read=recall)
        ending = Ending.CLOSEST if closest else ending
    return Composed(
        ending=ending,
        draft=written.draft,
        model=shown_by,
        verified=shown,
        left_out=written.left_out,
        judged=read.judged,
        judging=written.judging,
        closest=closest,
    )


def _write_statements(
    question: str,
    passages: Sequence[Passage],
    *,
    search: Search,
    model: ModelSettings,
    timed: Timed,
    drafted: Callable[[Draft], None] = lambda draft: None,
    heard: Heard | None = None,
) -> _Written:
    """Let a model write from the passages, and verify what it wrote."""
    judge_of_claims = make_judge(model, question=question)

    def check(statements: Sequence[Statement], shown: Sequence[Passage]) -> Sequence[str]:
        return list_complaints(drop_refusals(statements), shown, question=question, judge=judge_of_claims)

    with timed("agent"):
        draft = draft_answer(
            question,
            passages,
            search=search,
            model=model,
            max_steps=settings.AGENT_MAX_STEPS,
            check=check,
            heard=heard,
        )
    drafted(draft)
    said = drop_refusals(draft.statements)
    with timed("verify"):
        verified = verify(said, draft.passages, question=question, judge=judge_of_claims)
        shown = verified
        if verified.dropped and _is_mended(verified, draft.passages, model):
            near = fit_all if are_of_whole(draft.passages) else similarities
            mended = with_own_words(said, verified, draft.passages, question=question, near=near)
            shown = verify(mended.statements, draft.passages, question=question, judge=mended.judge(judge_of_claims))
    return _Written(draft=draft, verified=shown, left_out=verified, judging=get_usage(judge_of_claims))


def _is_mended(verified: Verified, passages: Sequence[Passage], model: ModelSettings) -> bool:
    """Return True if unverified statements are replaced by the documents' own words.

    The key-free model says nothing but those, and of a document as a whole puts headings before them, which may not
    stand: "Working Alone: Nobody works alone" reads as a denial of its heading.
    """
    if is_extractive(model):
        return are_of_whole(passages)
    return not (verified.citations and can_judge(model))


def _read(understood: Understood, passages: Sequence[Passage], timed: Timed) -> _Read:
    with timed("judge"):
        return _Read(passages=passages, judged=judge(understood, passages, similarities, read=recall))


def _choose_asked(understood: Understood, judged: Judgement) -> str:
    """Return what the key-free model is asked: the question, or its one sub-question with an answer.

    A real model is asked the whole question: it says by itself what it does not find.
    """
    return judged.found[0].query if len(judged.found) == 1 else understood.bare


def _without_what_is_told(judged: Judgement, verified: Verified) -> Judgement:
    """The judgement without sub-questions of which the answer speaks all the same, as its words or its sources show."""
    told = set(content_stems(" ".join((verified.text, *map(_place, verified.citations)))))
    shared = {stem for part in judged.found for stem in content_stems(part.label)}
    lacking = tuple(label for label in judged.lacking if not told & (set(content_stems(label)) - shared))
    return replace(judged, lacking=lacking)


def _place(citation: Citation) -> str:
    """Describe the place of a citation in words."""
    date = f"{citation.document_date:%B %Y}" if citation.document_date else ""
    return f"{citation.document_name} {citation.section} {date}"
