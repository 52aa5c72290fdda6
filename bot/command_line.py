"""Parse the text behind the slash command: help, sources, why, a research, or a question. Pure."""

import calendar
import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from bot.slack.markup import extract_question
from core.errors import InvalidFilterError
from core.language.i18n.translation import say
from core.language.nlp.document_types import TYPES, type_from_word

COMMAND = "/footnote"  # as the manifest names it
MOST_RESULTS = 10
_LONGEST_VALUE = 300  # characters of a filter
_LONGEST_LINE = 4_000  # characters: the longest question with a value for each filter

_OPENING, _CLOSING = '"“„«', '"”“»'
# A filter begins a word: `name:value` or `name:"several words"`. What stands in quotation marks is never one.
_PIECE = re.compile(
    rf"""
      (?P<name>[A-Za-z]+):(?:[{_OPENING}](?P<quoted>[^{_CLOSING}]*)(?P<closed>[{_CLOSING}])?|(?P<value>\S*))
    | [{_OPENING}][^{_CLOSING}]*[{_CLOSING}]
    | \S+
    """,
    re.VERBOSE,
)
# As chat.getPermalink makes them: https://docs.slack.dev/reference/methods/chat.getPermalink
_MESSAGE_LINK = re.compile(
    r"<?https://[\w.-]{1,100}/archives/(?P<channel>[A-Z0-9]{1,32})/p(?P<second>\d{10})(?P<part>\d{6})"
    r"(?:\?[^\s<>|]{0,200})?(?:\|[^>]{0,300})?>?"
)
_WISH = re.compile(
    r"\s*(?:research(?::|\s)|(?:please\s)?(?:(?:can|could)\syou\s)?(?:please\s)?"
    r"(?:write|make|give|prepare|compile|draft)\s(?:me\s)?an?\s(?:page|report|dossier|briefing)\s(?:on|about)\s)",
    re.IGNORECASE,
)
_DAY, _MONTH, _YEAR = re.compile(r"\d{4}-\d{1,2}-\d{1,2}"), re.compile(r"(\d{4})-(\d{1,2})"), re.compile(r"\d{4}")


@dataclass(frozen=True, slots=True)
class Help:
    """A request for help, or for nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """A request for the list of sources. filters: the JSON form of core.types.Filters."""

    filters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, as it was typed without its filters, and these. filters: the JSON form of core.types.Filters."""

    text: str
    filters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """A request to explain an answer: that of the message in a channel, or else the last one."""

    channel_id: str = ""
    ts: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Research:
    """A topic to be looked into, and filters. filters: the JSON form of core.types.Filters."""

    text: str
    filters: dict[str, Any] = field(default_factory=dict)


CommandLine = Help | Sources | Question | Why | Research


def parse(text: str) -> CommandLine:
    """Parse the text behind the command. InvalidFilterError names an unusable part, and what can be used.

    A text too long to be a question with filters is not taken apart: it will be refused as a question.
    """
    if len(text) > _LONGEST_LINE:
        return Question(text=text)
    words, filters = _split_text(text)
    first = words[0].casefold() if words else ""
    if not filters and (not words or (len(words) == 1 and first in {"help", "?", "research"})):
        return Help()
    if not filters and (why := _read_why(words)):
        return why
    if first in {"research", "research:"} and len(words) > 1:
        return Research(text=" ".join(words[1:]), filters=filters)
    if first == "sources" and not words[-1].endswith("?"):
        return Sources(filters=_read_list_filters(words[1:], filters))
    if not words:
        raise InvalidFilterError(say("There are filters but no question. Write what you want to know."))
    return Question(text=" ".join(words), filters=filters)


def find_topic(message: str) -> str:
    """Return the topic of a direct message that wishes a page about one; empty for every other message.

    message: on one line.
    """
    wish = _WISH.match(message)
    return message[wish.end() :].strip() if wish else ""


def _split_text(text: str) -> tuple[list[str], dict[str, Any]]:
    """Split a text into the words of the question and the filters among them."""
    words: list[str] = []
    given: dict[str, str] = {}
    for piece in _PIECE.finditer(text):
        name = (piece["name"] or "").casefold()
        if name not in _FILTERS:
            _refuse_near_miss(name, piece)
            words.append(piece.group())
            continue
        if name in given:
            raise InvalidFilterError(say("{filter}: is given twice. Give it once.", filter=name))
        given[name] = _read_value(name, piece)
    filters: dict[str, Any] = {}
    for name, value in given.items():
        field_name, read = _FILTERS[name]
        filters[field_name] = read(value)
    if filters.get("date_from", "") > filters.get("date_to", "9999-12-31"):
        raise InvalidFilterError(
            say("{first} is after {last}.", first=f"since:{given['since']}", last=f"until:{given['until']}")
        )
    return words, filters


def _read_why(words: list[str]) -> Why | None:
    """Read `why`, alone or with the link of a message. More words are a question."""
    if not words or words[0].casefold() not in {"why", "why?"} or len(words) > 2:
        return None
    if len(words) == 1:
        return Why()
    linked = _MESSAGE_LINK.fullmatch(words[1])
    return Why(channel_id=linked["channel"], ts=f"{linked['second']}.{linked['part']}") if linked else None


def _read_value(name: str, piece: re.Match[str]) -> str:
    """Format a filter's value for display."""
    if piece["quoted"] is not None and not piece["closed"]:
        raise InvalidFilterError(say("The quotation mark after {filter}: is not closed.", filter=name))
    raw = piece["quoted"] if piece["quoted"] is not None else piece["value"]
    value = extract_question(raw, own_user_id="")
    if not value:
        raise InvalidFilterError(
            say(
                "{filter}: needs a value right after the colon, such as {example}. If you meant the word itself, "
                "leave out the colon.",
                filter=name,
                example=_EXAMPLES[name],
            )
        )
    if len(value) > _LONGEST_VALUE:
        raise InvalidFilterError(
            say("The value of {filter}: is longer than {most} characters.", filter=name, most=_LONGEST_VALUE)
        )
    return value


def _refuse_near_miss(name: str, piece: re.Match[str]) -> None:
    """Refuse a misspelt filter, which would silently become a part of the question."""
    meant = get_close_matches(name, _FILTERS, n=1, cutoff=0.8) if name and (piece["value"] or piece["quoted"]) else []
    if meant:
        raise InvalidFilterError(
            say(
                "I do not know the filter {filter}: – did you mean {example}? If you meant the word itself, leave "
                "out the colon.",
                filter=name,
                example=_EXAMPLES[meant[0]],
            )
        )


def _read_list_filters(words: list[str], filters: dict[str, Any]) -> dict[str, Any]:
    """Read the filters of a list: words behind `sources` are looked for as a source is."""
    named = extract_question(" ".join(words), own_user_id="").strip(_OPENING + _CLOSING)
    if named and "source" in filters:
        raise InvalidFilterError(say("Use either words after sources or source:, not both."))
    if len(named) > _LONGEST_VALUE:
        raise InvalidFilterError(say("The words after sources are longer than {most} characters.", most=_LONGEST_VALUE))
    return filters | ({"source": named} if named else {})


def _read_type(value: str) -> str:
    found = type_from_word(value)
    if not found:
        raise InvalidFilterError(
            say(
                "{given} is not a document type. The types are: {types}.", given=f"type:{value}", types=", ".join(TYPES)
            )
        )
    return found


def _read_first_day(value: str) -> str:
    return _read_days("since", value)[0]


def _read_last_day(value: str) -> str:
    return _read_days("until", value)[1]


def _read_days(name: str, value: str) -> tuple[str, str]:
    """Read the first and the last day of a day, a month or a year."""
    try:
        if _DAY.fullmatch(value):
            year, month, day = map(int, value.split("-"))
            first = last = dt.date(year, month, day)
        elif _MONTH.fullmatch(value):
            year, month = map(int, value.split("-"))
            first, last = dt.date(year, month, 1), dt.date(year, month, calendar.monthrange(year, month)[1])
        elif _YEAR.fullmatch(value):
            first, last = dt.date(int(value), 1, 1), dt.date(int(value), 12, 31)
        else:
            raise ValueError
    except ValueError:
        raise InvalidFilterError(
            say(
                "{given} is not a date. Write it like {filter}:2024-03-20, {filter}:2024-03 or {filter}:2024.",
                given=f"{name}:{value}",
                filter=name,
            )
        ) from None
    return first.isoformat(), last.isoformat()


def _read_results(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or not 1 <= int(value[:3]) <= MOST_RESULTS or len(value) > 2:
        raise InvalidFilterError(
            say("{given} must be a whole number from 1 to {most}.", given=f"results:{value}", most=MOST_RESULTS)
        )
    return int(value)


def _keep_value(value: str) -> str:
    return value


_FILTERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "type": ("document_type", _read_type),
    "since": ("date_from", _read_first_day),
    "until": ("date_to", _read_last_day),
    "source": ("source", _keep_value),
    "collection": ("collection", _keep_value),
    "chapter": ("chapter", _keep_value),
    "section": ("section", _keep_value),
    "results": ("max_results", _read_results),
}
_EXAMPLES = {
    "type": "type:minutes",
    "since": "since:2024-01-01",
    "until": "until:2024-12-31",
    "source": "source:handbook",
    "collection": 'collection:"Safety rules"',
    "chapter": 'chapter:"Lifting gear"',
    "section": 'section:"Opening hours"',
    "results": "results:8",
}
