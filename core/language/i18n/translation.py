"""Footnote's own words in another language. Pure.

Documents, quotes and answers stay in the words of the documents, to which every statement is held. What Footnote says
of itself, around them, is written in English here and translated where it is said: by the catalogue of the language
that is spoken, locale/<code>.po, whose message ids are the English sentences.
"""

import datetime as dt
import gettext
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import resources

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}  # by code, each in its own name
_ENGLISH = "en"

_spoken: ContextVar[str] = ContextVar("language", default=_ENGLISH)


@contextmanager
def speak_language(code: str) -> Iterator[None]:
    """Speak a language within the block, in this context alone: another thread speaks it in a copy of the context.

    ValueError for a code that is none of LANGUAGES.
    """
    if code not in LANGUAGES:
        raise ValueError(f"a language is one of {', '.join(LANGUAGES)}; not {code!r}")
    token = _spoken.set(code)
    try:
        yield
    finally:
        _spoken.reset(token)


def say(sentence: str, **values: object) -> str:
    """Translate a sentence into the current language; without a translation it stays as it is.

    values: the values of the {names} in it; without any, braces are literal.
    """
    code = _spoken.get()
    said = _load_catalogue(code).gettext(sentence) if sentence and code != _ENGLISH else sentence
    return said.format(**values) if values else said


def translatable(sentence: str) -> str:
    """Return the sentence itself: it marks one that is said elsewhere, so that the catalogues are known to need it."""
    return sentence


def day(date: dt.date) -> str:
    """Return a day in words, such as 20 March 2024."""
    if _is_english():
        return f"{date:%-d %B %Y}"
    from babel.dates import format_date

    return format_date(date, "long", locale=_spoken.get())


def month(date: dt.date) -> str:
    """Return the month of a day in words, such as March 2024."""
    if _is_english():
        return f"{date:%B %Y}"
    from babel.dates import format_skeleton

    return format_skeleton("yMMMM", dt.datetime.combine(date, dt.time()), locale=_spoken.get())


def number(value: int) -> str:
    """Return a number with its thousands apart."""
    if _is_english():
        return f"{value:,}"
    from babel.numbers import format_decimal

    return format_decimal(value, locale=_spoken.get())


def _is_english() -> bool:
    return _spoken.get() == _ENGLISH


@cache
def _load_catalogue(code: str) -> gettext.NullTranslations:
    """Return the translations into a language.

    Babel compiles them in memory, so that no compiled file has to be kept.
    """
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with resources.files(__package__).joinpath("locale", f"{code}.po").open("rb") as file:
        write_mo(compiled, read_po(file, locale=code))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
