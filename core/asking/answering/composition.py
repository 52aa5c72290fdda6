"""Compose an answer from a question and its passages: what is shown, how sure it is, and how it begins.

Used by core.asking.answering.decision, for answering and for replays.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache

from django.conf import settings

from core.asking.answering.closest import closest_passages
from core.asking.answering.relevance import (
    ANSWERS,
    IS_ABOUT_SOMETHING_ELSE,
    NEEDLESS,
    NEEDLESS_OF_DOCUMENTS,
    Beside,
    leave_out_needless,
    put_answer_first,
    read_answer,
)
from core.asking.answering.repair import fit_all, with_own_words
from core.asking.answering.series import put_newest_first
from core.asking.confidence.endings import Ending, confidence_of_answer, confidence_of_refusal, is_close, is_sure
from core.asking.confidence.judgement import Judgement, are_of_whole, judge
from core.asking.generation.draft import Draft, Heard, draft_answer
from core.asking.generation.modes import can_judge, is_extractive, key_free
from core.asking.generation.tools import Search
from core.asking.reading.reader import recall
from core.asking.verification.entailment import get_usage, make_judge
from core.asking.verification.refusals import drop_refusals
from core.asking.verification.statements import Claim, Verified, list_complaints, verify
from core.language.nlp.answer_types import (
    find_kind_asked,
    holds_new,
    is_certain,
    lacks_count,
    lacks_name,
    lacks_reason,
    lacks_time,
)
from core.language.nlp.text import content_stems
from core.language.query_understanding.languages import is_foreign
from core.language.query_understanding.synonyms import reword
from core.language.query_understanding.values import Kind, Understood
from core.library.embedding.similarity import similarities
from core.llm.client import ModelSettings, provider_of
from core.types import Citation, Passage, Statement, Usage

Timed = Callable[[str], AbstractContextManager[None]]

# Called with the beginning of an answer, longer each time.
Preview = Callable[[Verified], None]
# Leaves out the statements of a draft that do not belong to its answer.
Shorten = Callable[[Sequence[Statement]], Sequence[Statement]]


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
        """Return the confidence that is shown, 0..1."""
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

    search: further passages for a query, under the audience's rights. drafted: called with the unchecked draft.
    preview: called with the verified statements while the model still writes. The key-free model writes at once.
    Raises ModelUnavailableError or ModelConfigurationError when the model cannot be called.
    """
    first = _judge_passages(understood, passages, timed)

    @cache
    def quoted() -> Verified | None:
        return _quote_surely(understood, first, timed)

    is_small = not (is_extractive(model) or can_judge(model))
    if is_small and not is_foreign(understood.bare) and not quoted():
        # It answers only where the documents do by themselves: nobody waits for what cannot be shown.
        model, is_small = key_free(), False
    is_own = is_extractive(model)
    asked = _choose_asked(understood, first.judged) if is_own else understood.bare
    # Of several things, or a whole document, a reader of single answers knows too little.
    is_wide = bool(understood.whole or understood.reading.sub_questions)
    beside = Beside(asked, quote=quoted, is_small=is_small)

    def answers(verified: Verified, read: _Read = first) -> bool:
        is_one = verified.citations and _is_answer(asked, verified, read.judged.confidence, model, is_wide=is_wide)
        return bool(is_one) and (is_own or is_wide or not beside.is_outdone(verified))

    shorten = _make_shorten(understood, asked, first, model)
    heard = None
    if preview and not is_own:
        heard = make_previewer(preview, question=asked, answers=answers, shorten=shorten)
    written = _write_statements(
        asked, passages, search=search, model=model, timed=timed, drafted=drafted, heard=heard, shorten=shorten
    )
    draft, verified = written.draft, written.verified
    if draft.model != model.model:
        model = replace(model, model=draft.model, provider=provider_of(draft.model))
    last = _judge_passages(understood, draft.passages, timed) if len(draft.passages) > len(passages) else first
    if answers(verified, last):
        judged = last.judged if is_own else _without_what_is_told(last.judged, verified)
        return _compose_answer(written, model, judged)
    best = max(first, last, key=lambda read: read.judged.confidence)
    own_words = None if is_own else quoted() or (_quote_surely(understood, last, timed) if last is not first else None)
    return _in_its_place(understood, best, written, own_words, model=model, timed=timed)


def _compose_answer(written: _Written, model: ModelSettings, judged: Judgement) -> Composed:
    return Composed(
        ending=Ending.ANSWER,
        draft=written.draft,
        model=model,
        verified=written.verified,
        left_out=written.left_out,
        judged=judged,
        judging=written.judging,
    )


def _is_answer(
    question: str, verified: Verified, estimate: float, model: ModelSettings, *, is_wide: bool = False
) -> bool:
    """Return True if verified statements are an answer: those of a model that can say no nearly always are.

    The key-free model always says something and a small one nearly always does. The passages have to be sure for the
    one and near for the other, and a statement of the kind that is asked for: without a price nothing says a cost. What
    a small model says has to be read as an answer, where it can be read. The kind is held to the key-free model, which
    says whole sentences, only where it is certain. A question for a reason is not answered by what it asks about, one
    for a count not by measures, and one for a time or a name not without one.
    """
    if can_judge(model):
        read = None if is_wide else read_answer(question, verified.text)
        return read is None or read > IS_ABOUT_SOMETHING_ELSE
    kind = find_kind_asked(question)
    if not is_extractive(model):
        if not (is_close(estimate) and holds_new(kind, verified.text, question)):
            return False
        read = None if is_wide else read_answer(question, verified.text)
        return read is None or read > ANSWERS
    asked = reword(question, verified.text)  # the count of holidays may be one of days of annual leave
    if any(lacks(asked, verified.text) for lacks in (lacks_reason, lacks_count, lacks_name)):
        return False
    if lacks_time(question, verified.text):  # in other words "where do we meet when ..." asks for a place no more
        return False
    return is_sure(estimate) and (not is_certain(kind) or holds_new(kind, verified.text, question))


def _make_shorten(understood: Understood, asked: str, first: _Read, model: ModelSettings) -> Shorten:
    """Make what leaves out the sentences that do not belong to the answer to one question for one thing.

    A model that steers is asked to answer that alone; the others say what else they have read. Where the documents are
    not sure, nothing of it is shown, and nothing is read for it. Of the documents' own sentences those of the newest
    document come first where it is asked how things are now.
    """
    is_wide = understood.whole or understood.reading.sub_questions or understood.reading.kind is not Kind.SINGLE
    if is_wide or can_judge(model) or not is_sure(first.judged.confidence):
        return tuple
    if not is_extractive(model):
        return lambda said: leave_out_needless(asked, said, least=NEEDLESS)

    def shorten(said: Sequence[Statement]) -> Sequence[Statement]:
        kept = leave_out_needless(asked, said, least=NEEDLESS_OF_DOCUMENTS)
        return put_newest_first(kept, first.passages) if understood.newest else kept

    return shorten


def _quote_surely(understood: Understood, read: _Read, timed: Timed) -> Verified | None:
    """Return the key-free model's answer, as it would be given without another model; None where it gives none."""
    estimate = read.judged.confidence
    if not is_sure(estimate):
        return None
    own, asked = key_free(), _choose_asked(understood, read.judged)
    shorten = _make_shorten(understood, asked, read, own)
    quoted = _write_statements(
        asked, read.passages, search=lambda query: (), model=own, timed=timed, shorten=shorten
    ).verified
    return quoted if quoted.citations and _is_answer(asked, quoted, estimate, own) else None


def _in_its_place(
    understood: Understood,
    read: _Read,
    written: _Written,
    own_words: Verified | None,
    *,
    model: ModelSettings,
    timed: Timed,
) -> Composed:
    """Compose what is shown where the model gives no answer, or a worse one: as much as without that model."""
    shown, shown_by, ending = written.verified, model, Ending.REFUSAL
    estimate = read.judged.confidence
    if own_words:
        shown, shown_by, ending = own_words, key_free(), Ending.ANSWER
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
    shorten: Shorten = tuple,
) -> _Written:
    """Let a model write from the passages, leave out what `shorten` does, and verify the rest."""
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
    said: Sequence[Statement] = shorten(drop_refusals(draft.statements))
    if not (heard or is_extractive(model)):  # what was shown while the model wrote keeps its order
        said = put_answer_first(question, said)
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


def _judge_passages(understood: Understood, passages: Sequence[Passage], timed: Timed) -> _Read:
    with timed("judge"):
        return _Read(passages=passages, judged=judge(understood, passages, similarities, read=recall))


def _choose_asked(understood: Understood, judged: Judgement) -> str:
    """Return what the key-free model is asked: the question, or its one sub-question with an answer.

    A real model is asked the whole question: it says by itself what it does not find.
    """
    return judged.found[0].query if len(judged.found) == 1 else understood.bare


def _without_what_is_told(judged: Judgement, verified: Verified) -> Judgement:
    """Return the judgement without sub-questions of which the answer's words or its sources speak all the same."""
    told = set(content_stems(" ".join((verified.text, *map(_describe_place, verified.citations)))))
    shared = {stem for part in judged.found for stem in content_stems(part.label)}
    lacking = tuple(label for label in judged.lacking if not told & (set(content_stems(label)) - shared))
    return replace(judged, lacking=lacking)


def _describe_place(citation: Citation) -> str:
    """Describe the place of a citation in words."""
    date = f"{citation.document_date:%B %Y}" if citation.document_date else ""
    return f"{citation.document_name} {citation.section} {date}"


def make_previewer(preview: Preview, *, question: str, answers: Callable[[Verified], bool], shorten: Shorten) -> Heard:
    """Make a listener to a draft that passes on its first statements, as long as they need no judge.

    A statement for which a judge would be asked ends what is told, and so does one that does not stand: in the answer
    something else may be in its place. answers: whether what is verified is an answer to the question.
    """
    shown = ""

    def heard(statements: Sequence[Statement], passages: Sequence[Passage]) -> None:
        nonlocal shown
        said = shorten(drop_refusals(statements))
        verified = verify(said, passages, question=question, judge=_refuse_all)
        if verified.places:
            verified = verify(said[: verified.places[0]], passages, question=question, judge=_refuse_all)
        if verified.text != shown and verified.citations and answers(verified):
            shown = verified.text
            preview(verified)

    return heard


def _refuse_all(claims: Sequence[Claim]) -> list[bool | None]:
    """Return the judge in whose place nothing is shown that one would be asked about."""
    return [False] * len(claims)
