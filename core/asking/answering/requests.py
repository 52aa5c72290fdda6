"""Check a question before anything is done with it, and give it its ids."""

import datetime as dt
import secrets
import uuid

from core.errors import InvalidQuestionError
from core.language.i18n.translation import number, say
from core.language.nlp.text import one_line, remove_controls

SHORTEST_QUESTION, LONGEST_QUESTION = 3, 1000  # characters on one line
LONGEST_SELECTION = 10_000  # characters of selected text: ten to fifteen passages, embedded once, in about a second


def new_request_id() -> str:
    """Make an id `req_YYYYMMDD_xxxxxxxx`, the eight places being random hexadecimal."""
    return f"req_{dt.datetime.now(dt.UTC):%Y%m%d}_{secrets.token_hex(4)}"


def new_trace_id() -> str:
    """Make an id of 32 hexadecimal places, the form of a W3C trace id."""
    return uuid.uuid4().hex


def check_question(question: str) -> str:
    """Return the question on one line, without control characters. InvalidQuestionError when it cannot be one.

    Whatever stands for white space in Unicode becomes single spaces here, before any rule reads the question.
    """
    if not isinstance(question, str):
        raise InvalidQuestionError(say("A question must be text."))
    text = one_line(remove_controls(question))
    if not text:
        raise InvalidQuestionError(say("There is no question. Write what you want to know."))
    if len(text) < SHORTEST_QUESTION:
        raise InvalidQuestionError(
            say("The question is too short: write at least {least} characters.", least=SHORTEST_QUESTION)
        )
    if len(text) > LONGEST_QUESTION:
        raise InvalidQuestionError(
            say(
                "The question has {count} characters; the limit is {most}. Ask for one thing at a time.",
                count=number(len(text)),
                most=number(LONGEST_QUESTION),
            )
        )
    if not any(character.isalnum() for character in text):
        raise InvalidQuestionError(say("There are no words in the question. Write what you want to know."))
    return text


def check_selection(selected_text: str | None) -> str | None:
    """Return the selected text without control characters, or None.

    InvalidQuestionError when it is blank or too long.
    """
    if selected_text is None:
        return None
    text = remove_controls(selected_text)
    if not text.strip():
        raise InvalidQuestionError(say("The selected text is empty. Select the text that the question is about."))
    if len(text) > LONGEST_SELECTION:
        raise InvalidQuestionError(
            say(
                "The selected text has {count} characters; the limit is {most}. Select less.",
                count=number(len(text)),
                most=number(LONGEST_SELECTION),
            )
        )
    return text
