"""Write follow-ups so that they need no earlier turn, as far as the present audience may know the conversation."""

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from core.access.audiences import is_within_roles, may_read_all, readable_editions
from core.asking.answering.clarification import options_in
from core.asking.generation.markup import make_inert
from core.asking.generation.modes import is_extractive
from core.asking.generation.prompts import prompt, prompt_hash
from core.asking.history.visibility import list_cited
from core.asking.reading import reader
from core.errors import ModelConfigurationError, ModelUnavailableError
from core.language.i18n.translation import say, translatable
from core.language.nlp.small_talk import is_small_talk
from core.language.nlp.text import one_line
from core.language.query_understanding.destinations import adds_destination
from core.language.query_understanding.follow_ups import (
    Turn,
    find_whole,
    says_again,
    stand_alone,
    without_change_of_subject,
)
from core.language.query_understanding.meanings import asks_about_answer, list_meanings
from core.llm.client import ModelSettings
from core.llm.completion import complete
from core.models import Conversation, Query
from core.types import Audience, ContextMode, Edition, RefusalReason, Usage

NOTHING_MORE = translatable("I have just said this. I found nothing more about it.")
MOST_TURNS = 5
LONGEST = 1000  # characters of a question
LONGEST_ANSWER = 1500  # characters of an earlier answer that the model is shown
MOST_TOKENS = 200  # of a rewritten question

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A question as it stands alone."""

    text: str
    named: tuple[Edition, ...] = ()  # whose words may stand in it
    lacks: bool = False  # it refers to something, and there is nothing to which it could
    usage: Usage | None = None  # of the model that rewrote it
    is_foreign: bool = False  # it is in another language than English
    corrected: tuple[tuple[str, str], ...] = ()  # words as they were typed, and as they stand in the text
    meanings: tuple["Asked", ...] = ()  # what it may mean besides, likeliest first
    is_joined: bool = False  # it stands behind another question, which a reader may answer in its place
    before: Turn | None = None  # the turn before it, as far as it may be used
    cited_before: tuple[Edition, ...] = ()  # by the answer of that turn


@dataclass(frozen=True, kw_only=True, slots=True)
class _Past:
    """An earlier turn, and the editions whose words what is used of it may hold."""

    turn: Turn
    asked_of: tuple[Edition, ...]  # of its question
    answered_from: tuple[Edition, ...]  # of its answer or options


def make_self_contained(
    question: str,
    conversation: Conversation | None,
    *,
    before: Query | None,
    audience: Audience,
    selection: str | None,
    model: ModelSettings,
    today: dt.date,
) -> Asked:
    """Return the question in words that need no earlier turn; as it is where it stands alone.

    before: the question itself, as it is stored; turns before it are used.
    Of earlier turns their questions are used, and their answers only where the audience may read, now, all editions
    that they cite. A question about a selected text follows only those of its asker about the same text.
    """
    past = _read_past(conversation, before, audience=audience, selection=selection) if conversation and before else []
    asked = _make_from_past(question, past, selection=selection, model=model, today=today)
    return replace(asked, cited_before=past[0].answered_from) if past else asked


def _make_from_past(
    question: str, past: list[_Past], *, selection: str | None, model: ModelSettings, today: dt.date
) -> Asked:
    if (anew := without_change_of_subject(question)) != question:
        return Asked(text=anew)
    turns = [one.turn for one in past]
    newest = turns[0] if turns else None
    if newest and is_extractive(model) and asks_about_answer(question):  # it is answered again
        return Asked(text=newest.question, named=past[0].asked_of)
    by_rules = stand_alone(question, turns, today=today)
    is_read = past and is_extractive(model) and selection is None and not by_rules.used_option and reader.is_on()
    meanings = _list_meanings(question, past, today) if is_read else ()
    if not past or by_rules.text == question:
        return Asked(text=question, lacks=by_rules.lacks, before=newest, meanings=meanings)
    usage: Usage | None = None
    if not is_extractive(model) and not by_rules.used_option:
        written, usage = _rewrite_by_model(question, past, model)
        if written:
            shown = {edition for one in past for edition in one.asked_of + one.answered_from}  # to the model
            return Asked(text=written, named=tuple(sorted(shown)), usage=usage, before=newest)
    last = past[0]
    named = past[by_rules.turn].asked_of + (last.answered_from if by_rules.used_answer else ())
    return Asked(
        text=by_rules.text[:LONGEST],
        named=named,
        usage=usage,
        before=newest,
        meanings=meanings,
        is_joined=by_rules.is_joined,
    )


def _list_meanings(question: str, past: Sequence[_Past], today: dt.date) -> tuple[Asked, ...]:
    """Return what a question may mean; the words of earlier ones in it may be those of documents."""
    turns = [one.turn for one in past]
    named = (*past[0].asked_of, *past[find_whole(turns)].asked_of)
    return tuple(
        Asked(text=text, named=() if text == question else named, cited_before=past[0].answered_from)
        for text in list_meanings(question, turns, today=today)
    )


def repeat_asked(question: str, earlier: UUID, *, audience: Audience) -> Asked | None:
    """Return a question that is asked once more as it stood alone then, or None where it has to be made to anew.

    earlier: the question of then. The words in which it stood alone may be those of documents: they are used where the
    audience may read all of these editions, which the question then names as well.
    """
    query = Query.objects.filter(pk=earlier, erased_at=None, question_text=question).first()
    if query is None or not query.standalone_question or not may_read_all(query.named_editions, audience):
        return None
    return Asked(text=query.standalone_question, named=query.named_editions)


def note_told_before(asked: Asked, text: str) -> str:
    """Say of an answer that another question of the conversation has just had it; nothing of a new one.

    Where the question was put behind another, that may have been answered again. In the meaning that was chosen for it,
    the same answer is the right one.
    """
    is_again = asked.is_joined and asked.before and says_again(asked.text, text, asked.before)
    return say(NOTHING_MORE) if is_again else ""


def _read_past(conversation: Conversation, before: Query, *, audience: Audience, selection: str | None) -> list[_Past]:
    """Return the turns that may be used, the newest first. Nothing of a question about another text is among them."""
    rows = Query.objects.filter(conversation=conversation, erased_at=None).exclude(pk=before.pk).order_by("-created_at")
    if selection is None:
        rows = rows.filter(context_mode=ContextMode.FULL_CORPUS)
    else:
        rows = rows.filter(context_mode=ContextMode.SELECTED_TEXT, selected_text=selection, user=before.user)
    newest = rows.select_related("answer").prefetch_related("answer__citations")[:MOST_TURNS]
    queries = [query for query in newest if not is_small_talk(query.question_text)]
    quoted = (edition for query in queries for edition in (*query.named_editions, *_list_cited(query)))
    readable = readable_editions(quoted, audience)
    return [_make_usable(query, readable, audience) for query in queries]


def _list_cited(query: Query) -> list[Edition | None]:
    answer = getattr(query, "answer", None)
    return list_cited(answer) if answer else []


def _make_usable(query: Query, readable: set[Edition], audience: Audience) -> _Past:
    """Keep what may be used of an earlier turn. A citation whose document is gone can be shown to nobody."""
    answer = getattr(query, "answer", None)
    is_selection = query.context_mode == ContextMode.SELECTED_TEXT
    names_readable = readable.issuperset(query.named_editions)
    question = query.standalone_question if names_readable and query.standalone_question else query.question_text
    text = ""
    options: tuple[str, ...] = ()
    cited = _list_cited(query)
    is_within = answer is None or is_within_roles(answer.verified_answer_id, audience)
    may_use = is_selection or (all(edition in readable for edition in cited) and is_within)
    if answer and answer.answer_text and may_use:
        text = answer.answer_text
    elif answer and answer.refusal_reason == RefusalReason.AMBIGUOUS and names_readable:
        options = options_in(answer.message)
    return _Past(
        turn=Turn(question=one_line(question), answer=text, options=options),
        asked_of=query.named_editions if names_readable else (),
        answered_from=tuple(edition for edition in cited if edition) if text else (),
    )


def _rewrite_by_model(question: str, past: list[_Past], model: ModelSettings) -> tuple[str, Usage | None]:
    """Return the question as the answer model rewrites it, and what that took; empty where the rules must do.

    The rules take words of the conversation alone. They do where the model puts in an address or a mention.
    """
    turns = "\n\n".join(
        f"Question: {one.turn.question}\nAnswer: {one.turn.answer[:LONGEST_ANSWER] or '(none)'}" for one in past[::-1]
    )
    filled = prompt("follow_up").format(turns=make_inert(turns), question=make_inert(question))
    try:
        text, usage = complete(filled, model=model, max_tokens=MOST_TOKENS)
    except (ModelUnavailableError, ModelConfigurationError) as error:
        logger.warning("follow_up_by_rules", extra={"error": error.message, "prompt_hash": prompt_hash("follow_up")})
        return "", None
    logger.info("follow_up_by_model", extra={"prompt_hash": prompt_hash("follow_up")})
    line = one_line(text).strip('"“”')
    if not 3 <= len(line) <= LONGEST:
        return "", usage
    if adds_destination(line, question, *(part for one in past for part in (one.turn.question, one.turn.answer))):
        logger.warning("follow_up_refused", extra={"prompt_hash": prompt_hash("follow_up")})
        return "", usage
    return line, usage
