"""Build the message that gives somebody the answer to an earlier question of theirs."""

import datetime as dt
from dataclasses import replace

from bot.blocks.answer import answer
from bot.blocks.buttons import Buttons
from bot.blocks.message import Message
from bot.blocks.text import escape_within, section
from core.language.i18n.translation import day, say
from core.types import Answer

_QUESTION_LIMIT = 1000  # characters of a question, which has no more
# The others act on the reply to a message in Slack, and nobody asked this one there.
_BUTTONS = Buttons(why=False, feedback=False)


def late_answer_message(result: Answer, *, question: str, asked_on: dt.date) -> Message:
    """Build the answer below the question and the day on which it was asked."""
    asked = escape_within(" ".join(question.split()), _QUESTION_LIMIT)
    above = say("On {date} you asked: {question}", date=day(asked_on), question=f"*{asked}*")
    said = answer(result, _BUTTONS)
    opening = section(f"{above}\n{say('The documents answer it now:')}")
    return replace(said, blocks=[opening.to_dict(), *said.blocks])
