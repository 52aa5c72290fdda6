"""Prepare a question: make it stand alone, put it in the documents' words, and find out what it asks for.

A follow-up may mean several things: the meaning is chosen that a passage answers best which everybody here may read.
"""

import datetime as dt
import math
import time
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from core.asking.answering.follow_ups import Asked, make_self_contained, repeat_asked
from core.asking.answering.query_rewriting import reword
from core.asking.answering.searches import Searching
from core.asking.answering.understanding import understand, understand_selection
from core.asking.reading.reader import read
from core.asking.reading.readings import find_most
from core.language.query_understanding.values import Understood
from core.llm.client import ModelSettings
from core.models import Conversation, Query
from core.types import Audience, Edition, Filters

TRIED_OF_MEANING = 3  # passages that are read of each meaning
SURE_OF_MEANING = 3.0  # logit from which a meaning is taken without looking at those behind it
# Logit by which a follow-up has to be answered better alone: many a passage answers "at what time?".
AHEAD_ALONE = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """A question that is to be decided, and for whom.

    Nothing of it is changed on the way. A logged question is asked again in the words in which it stood alone then.
    """

    text: str  # as it was typed, checked
    audience: Audience
    filters: Filters = field(default_factory=Filters)  # as given
    selection: str | None = None  # the text that is searched in place of the library
    today: dt.date = field(default_factory=timezone.localdate)  # from which "last year" is counted
    conversation: Conversation | None = None  # that it continues
    row: Query | None = None  # as it is stored; turns before it are used
    again: UUID | None = None  # an earlier question that is asked once more
    standing_alone: str | None = None  # the words in which it stood alone when it was logged, or was planned
    made_of: tuple[Edition, ...] = ()  # whose words may be in those


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A question in words that stand alone, and what it asks for."""

    asked: Asked
    understood: Understood
    others: tuple["Prepared", ...] = ()  # what it may mean besides, likeliest first: reading chooses among them


def prepare(asking: Asking, model: ModelSettings) -> Prepared:
    """Resolve a follow-up, translate or correct the question, and split it into filters and searches.

    Filters narrow no selected text. Raises no error of the model: the question stays as it is where that fails.
    """
    if asking.standing_alone is not None:
        asked = Asked(text=asking.standing_alone, named=asking.made_of)
    else:
        repeated = repeat_asked(asking.text, asking.again, audience=asking.audience) if asking.again else None
        asked = repeated or make_self_contained(
            asking.text,
            asking.conversation,
            before=asking.row,
            audience=asking.audience,
            selection=asking.selection,
            model=model,
            today=asking.today,
        )
        if asking.selection is None:
            asked = reword(asked, audience=asking.audience, model=model)
    others = [reword(other, audience=asking.audience, model=model) for other in asked.meanings]
    return Prepared(
        asked=asked,
        understood=_understand_asked(asked, asking),
        others=tuple(Prepared(asked=other, understood=_understand_asked(other, asking)) for other in others),
    )


def _understand_asked(asked: Asked, asking: Asking) -> Understood:
    if asking.selection is None:
        return understand(asked.text, given=asking.filters, audience=asking.audience, today=asking.today)
    return understand_selection(asked.text, given=asking.filters, today=asking.today)


def choose_meaning(prepared: Prepared, searching: Searching, *, typed: str) -> Prepared:
    """Return the question in the meaning that is answered best; as the rules made it where nothing is read.

    typed: the question as it was typed.
    """
    if not prepared.others:
        return prepared
    asked = prepared.asked  # as the rules made it: it may be one of its meanings, or a worse form of one
    is_among_others = asked.is_joined or asked.text in {meaning.text for meaning in asked.meanings}
    meanings = list(prepared.others) if is_among_others else [prepared, *prepared.others]
    found = searching.search_each([meaning.understood.sub_queries[-1] for meaning in meanings], limit=TRIED_OF_MEANING)
    deadline = time.monotonic() + settings.READER_BUDGET_MS / 1000
    best, most = prepared, -math.inf
    for meaning, passages in zip(meanings, found, strict=True):
        left = max(deadline - time.monotonic(), 0.0)
        texts = [(passage.source, passage.content) for passage in passages]
        answers = find_most(read(meaning.understood.bare, texts, budget_s=left))
        handicap = AHEAD_ALONE if meaning.asked.text == typed and meaning is not meanings[0] else 0.0
        if answers is not None and answers - handicap > most:
            best, most = meaning, answers - handicap
        if most >= SURE_OF_MEANING:
            break
    return best
