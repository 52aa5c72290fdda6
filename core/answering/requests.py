"""What a question must be before anything is done with it, and the ids it gets."""

import datetime as dt
import re
import secrets
import uuid
from typing import Any

from core.errors import InvalidFilterError, InvalidQuestionError
from core.language import number, say
from core.models import Document
from core.nlp.text import one_line
from core.types import TEXT_FILTERS, Filters

SHORTEST_QUESTION, LONGEST_QUESTION = 3, 1000  # characters on one line
LONGEST_SELECTION = 10_000  # characters of selected text: ten to fifteen passages, embedded once, in about a second
LEAST_RESULTS, MOST_RESULTS = 1, 10
LONGEST_FILTER = 300  # characters of a text in a filter
MOST_NAMES = 50  # collections in a filter
KNOWN_FILTERS = frozenset({*TEXT_FILTERS, "collections", "date_from", "date_to", "max_results"})
MOST_SHOWN, LONGEST_SHOWN = 5, 50  # unknown names that an error repeats, and characters of each

# Control characters, and halves of surrogate pairs: JSON can escape them, and no database stores them.
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def new_request_id() -> str:
    """`req_YYYYMMDD_xxxxxxxx`, the eight places being random hexadecimal."""
    return f"req_{dt.datetime.now(dt.UTC):%Y%m%d}_{secrets.token_hex(4)}"


def new_trace_id() -> str:
    """32 hexadecimal places, the form of a W3C trace id."""
    return uuid.uuid4().hex


def checked_question(question: str) -> str:
    """The question on one line, without control characters. InvalidQuestionError when it cannot be one.

    Whatever stands for white space in Unicode becomes single spaces here, before any rule reads the question.
    """
    if not isinstance(question, str):
        raise InvalidQuestionError(say("A question must be text."))
    text = one_line(_CONTROL.sub("", question))
    if not text:
        raise InvalidQuestionError(say("There is no question. Write what you want to know."))
    if len(text) < SHORTEST_QUESTION:
        raise InvalidQuestionError(
            say("The question is too short: write at least {least} characters.", least=SHORTEST_QUESTION)
        )
    if len(text) > LONGEST_QUESTION:
        raise InvalidQuestionError(
            say(
                "The question has {count} characters; the most is {most}. Ask for one thing at a time.",
                count=number(len(text)),
                most=number(LONGEST_QUESTION),
            )
        )
    if not any(character.isalnum() for character in text):
        raise InvalidQuestionError(say("There are no words in the question. Write what you want to know."))
    return text


def checked_selection(selected_text: str | None) -> str | None:
    """The selected text without control characters, or None. InvalidQuestionError when it is blank or too long."""
    if selected_text is None:
        return None
    text = _CONTROL.sub("", selected_text)
    if not text.strip():
        raise InvalidQuestionError(say("The selected text is empty. Select the text that the question is about."))
    if len(text) > LONGEST_SELECTION:
        raise InvalidQuestionError(
            say(
                "The selected text has {count} characters; the most is {most}. Select less.",
                count=number(len(text)),
                most=number(LONGEST_SELECTION),
            )
        )
    return text


def parse_filters(raw: dict[str, Any] | None) -> Filters:
    """Filters from the JSON form that somebody gave, at whichever door.

    InvalidFilterError names the part that cannot be used: an unknown one, one that no document can have, a list or text
    that is empty or too long.
    """
    if raw is None:
        return Filters()
    if not isinstance(raw, dict):
        raise InvalidFilterError('Filters must be an object such as {"document_type": "minutes"}.')
    unknown = sorted(str(name)[:LONGEST_SHOWN] for name in raw.keys() - KNOWN_FILTERS)
    if unknown:
        raise InvalidFilterError(f"Unknown filter: {', '.join(unknown[:MOST_SHOWN])}.")
    texts = {name: _text(name, raw[name]) for name in TEXT_FILTERS if raw.get(name) is not None}
    filters = Filters(
        **texts,
        collections=_names("collections", raw.get("collections")),
        date_from=_date("date_from", raw.get("date_from")),
        date_to=_date("date_to", raw.get("date_to")),
        max_results=_max_results(raw.get("max_results")),
    )
    if filters.document_type and filters.document_type not in Document.Type.values:
        raise InvalidFilterError(f"document_type must be one of: {', '.join(Document.Type.values)}.")
    if filters.date_from and filters.date_to and filters.date_from > filters.date_to:
        raise InvalidFilterError("date_from is after date_to.")
    return filters


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_FILTER:
        raise InvalidFilterError(f"{name} must be text of at most {LONGEST_FILTER} characters.")
    text = one_line(_CONTROL.sub("", value))
    if not text:
        raise InvalidFilterError(f"{name} is empty. Leave it out, or say what it is to be.")
    return text


def _names(name: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not 1 <= len(value) <= MOST_NAMES:
        raise InvalidFilterError(f"{name} must be a list of 1 to {MOST_NAMES} names.")
    return tuple(dict.fromkeys(_text(name, each) for each in value))


def _date(name: str, value: Any) -> dt.date | None:
    if value is None:
        return None
    if isinstance(value, dt.date):
        return value
    try:
        if not _DAY.fullmatch(value):
            raise ValueError
        return dt.date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidFilterError(f"{name} must be a date like 2024-03-20.") from error


def _max_results(value: Any) -> int:
    if value is None:
        return Filters().max_results
    if not isinstance(value, int) or isinstance(value, bool) or not LEAST_RESULTS <= value <= MOST_RESULTS:
        raise InvalidFilterError(f"max_results must be a whole number from {LEAST_RESULTS} to {MOST_RESULTS}.")
    return value
