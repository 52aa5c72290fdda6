"""A sentence is said in the language that is spoken, and in that alone."""

import datetime as dt
import threading
from contextvars import copy_context

import pytest

from core.language.i18n.translation import LANGUAGES, day, month, number, say, speak_language
from core.language.wording import describe_filters
from core.types import Filters

SPRING = dt.date(2024, 3, 20)
LATER = dt.date(2024, 4, 2)


def test_english_is_spoken_unless_told_otherwise() -> None:
    """And again after another language, also when something went wrong in it."""
    with pytest.raises(KeyError), speak_language("de"):
        raise KeyError
    assert say("Show quotes") == "Show quotes"


@pytest.mark.parametrize(
    ("code", "said"),
    [("en", "Show quotes"), ("de", "Zitate zeigen"), ("fr", "Voir les citations"), ("es", "Ver citas")],
)
def test_a_sentence_in_each_language(code: str, said: str) -> None:
    """Every language that can be chosen has words of its own."""
    with speak_language(code):
        assert say("Show quotes") == said


def test_the_languages_are_those_of_this_file() -> None:
    """None can be chosen that is not tried above."""
    assert set(LANGUAGES) == {"en", "de", "fr", "es"}


@pytest.mark.parametrize("code", ["it", "DE", ""])
def test_a_language_that_there_is_not(code: str) -> None:
    """It is refused when it is to be spoken, not when something is said."""
    with pytest.raises(ValueError, match="a language is one of en, de, fr, es"), speak_language(code):
        pass


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_has_no_translation_is_said_as_it_is(code: str) -> None:
    """Braces stay what they are where no value is put in, and values are not read as sentences."""
    with speak_language(code):
        assert say("Nobody {has} translated this.") == "Nobody {has} translated this."
        assert say("") == ""
        assert "{question} & %s" in say("Looked only in: {filters}", filters="{question} & %s")


def test_the_inner_language_is_spoken() -> None:
    """Blocks may be nested."""
    with speak_language("de"), speak_language("fr"):
        assert say("Quotes") == "Citations"
    with speak_language("de"):
        with speak_language("fr"):
            pass
        assert say("Quotes") == "Zitate"


def test_two_threads_speak_two_languages_at_once() -> None:
    """Neither hears the other, though each speaks while the other does."""
    both_speak, said = threading.Barrier(2, timeout=10), {}

    def work(code: str) -> None:
        with speak_language(code):
            both_speak.wait()
            said[code] = [say("Quotes"), say("page {number}", number=3)]
            both_speak.wait()

    threads = [threading.Thread(target=work, args=(code,)) for code in ("de", "es")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"de": ["Zitate", "Seite 3"], "es": ["Citas", "página 3"]}
    assert say("Quotes") == "Quotes"


def test_a_thread_speaks_it_in_a_copy_of_the_context() -> None:
    """That is how one speaks the language of who started it."""
    said: list[str] = []

    def work() -> None:
        said.append(say("Quotes"))

    with speak_language("de"):
        thread = threading.Thread(target=copy_context().run, args=(work,))
        thread.start()
        thread.join()
    assert said == ["Zitate"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", ("20 March 2024", "2 April 2024", "March 2024", "12,345")),
        ("de", ("20. März 2024", "2. April 2024", "März 2024", "12.345")),
        ("fr", ("20 mars 2024", "2 avril 2024", "mars 2024", "12\u202f345")),
        ("es", ("20 de marzo de 2024", "2 de abril de 2024", "marzo de 2024", "12.345")),
    ],
)
def test_dates_and_numbers(code: str, words: tuple[str, ...]) -> None:
    """As they are written where the language is spoken."""
    with speak_language(code):
        assert (day(SPRING), day(LATER), month(SPRING), number(12345)) == words


def test_filters_in_words() -> None:
    """The description of a search is in the reader's language; names stay as they are."""
    filters = Filters(collections=("Harbour", "Safety rules"), date_from=SPRING, date_to=LATER)
    assert describe_filters(filters) == "Harbour or Safety rules, 20 March 2024 to 2 April 2024"
    with speak_language("de"):
        assert describe_filters(filters) == "Harbour oder Safety rules, 20. März 2024 bis 2. April 2024"
