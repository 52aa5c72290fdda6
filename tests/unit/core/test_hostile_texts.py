"""Test that reading costs the answering process no more than the length of a text, whatever somebody writes."""

import datetime as dt
import itertools
import time
from collections.abc import Callable, Iterator

import pytest

from bot.blocks.markdown import read_parts
from bot.blocks.streaming import render_pieces
from bot.command_line import parse
from bot.slack.markup import extract_question
from core.asking.answering.requests import LONGEST_QUESTION, check_question, check_selection
from core.asking.generation.agent import statements_in
from core.asking.generation.markup import read_passages, read_question
from core.asking.verification.cleaning import clean as clean_statement
from core.asking.verification.dates import split_dates
from core.asking.verification.numbers import find_numbers
from core.errors import FootnoteError
from core.language.nlp.text import is_code, sentences, split_questions
from core.language.query_understanding.asking import wants_answer
from core.language.query_understanding.follow_ups import Turn, list_items, stand_alone
from core.language.query_understanding.reading import read
from core.language.query_understanding.reading import split_parts as questions_joined
from core.language.query_understanding.synonyms import find_synonyms
from core.library.ingestion.cleaning import clean
from core.library.ingestion.parsers.markdown import without_noise
from tests.patterns.attacks import costs_more_than_its_length

TODAY = dt.date(2025, 3, 1)
MOST_S = 2.0  # of processor time for a question, which takes about a hundredth of it
# What a hostile text repeats, behind a beginning that makes a rule look for its end.
BEGINNINGS = ("", "compare ", "how do a and ", "What are ", "where did ", "What about the ", "what does ", "“", "<!--")
REPEATED = (
    " ", "\u00a0", "\u2003 ", "\t\n", " in", " and ", "a, ", "a and b, ", "of the ", "since the ", "in March 2024 and ",
    "[", "![a](", "<a:", "<!--", "(*a ", "'", "?", " ?", "`", "{%", "1.", "a.", "9/", "-", "“a", "x@", "\u200b",
    "type:a ",
)  # fmt: skip


def hostile(length: int) -> Iterator[str]:
    """Texts of a length: each beginning with each of what is repeated, and an end that fits nothing."""
    for beginning, repeated in itertools.product(BEGINNINGS, REPEATED):
        yield (beginning + repeated * length)[: length - 1] + "x"


def asked(text: str) -> None:
    """A question is read as it is when somebody asks it, in a conversation with the same words before it."""
    try:
        question = check_question(text)
    except FootnoteError:
        return
    read(question, today=TODAY)
    find_synonyms(question)
    turns = [Turn(question=question, answer=question, options=(question, "12 March 2024"))]
    for words in (question, "And the second one?", "And in December?", "and the board"):
        stand_alone(words, turns, today=TODAY)


def test_a_question_takes_no_time_to_speak_of() -> None:
    """ "compare", 985 spaces and an x took 16 seconds, and 700 no-break spaces 11, with the interpreter locked."""
    for text in ["compare" + 985 * " " + "x", "compare" + 985 * "\u00a0" + "x", *hostile(LONGEST_QUESTION)]:
        start = time.process_time()
        asked(text)
        assert time.process_time() - start < MOST_S, repr(text[:40])


@pytest.mark.parametrize("space", ["  ", "\n", "\t \t", "\u00a0", "\u2003\u2028", "\u3000 "])
def test_whatever_is_white_space_is_one_space(space: str) -> None:
    """In a question, at the one door where all of them come in."""
    assert check_question(f"{space}Compare{space}a{space}and b{space}") == "Compare a and b"


def _command(text: str) -> None:
    try:
        parse(text)
    except FootnoteError:
        return


def _selection(text: str) -> None:
    try:
        check_selection(text)
    except FootnoteError:
        return


def _reply(text: str) -> None:
    try:
        statements_in(text)
    except ValueError:
        return


READERS: tuple[Callable[[str], object], ...] = (
    wants_answer, questions_joined, split_questions, sentences, is_code, list_items, find_numbers, split_dates,
    clean_statement, _command, _selection, _reply, read_passages, read_question, clean, without_noise, read_parts,
)  # fmt: skip


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__.strip("_"))
def test_a_longer_text_costs_no_more_than_its_length(reader: Callable[[str], object]) -> None:
    """Messages, replies of models, documents and answers may be long."""
    slow = [
        (beginning, repeated)
        for beginning, repeated in itertools.product(BEGINNINGS[-3:], REPEATED)
        if costs_more_than_its_length(reader, lambda n, b=beginning, r=repeated: b + r * (n // len(r)) + "x")  # type: ignore[misc]
    ]
    assert slow == []


def _message(text: str) -> str:
    return extract_question(text, own_user_id="U0BOT")


def _stream(text: str) -> list[str]:
    return render_pieces(text, 3000)


@pytest.mark.parametrize("reader", [_message, _stream], ids=lambda reader: reader.__name__.strip("_"))
def test_what_comes_from_slack_and_goes_there_costs_no_more_than_its_length(reader: Callable[[str], object]) -> None:
    """A message in Slack's own writing, and an answer that is streamed."""
    slow = [r for r in REPEATED if costs_more_than_its_length(reader, lambda n, r=r: r * (n // len(r)) + "x")]  # type: ignore[misc]
    assert slow == []
