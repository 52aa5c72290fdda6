"""Messages that are quoted below an answer: as many as Slack's limit leaves room for, and never in its plain text."""

import datetime as dt
import json

import pytest

from bot.blocks.message import Message, notice
from bot.blocks.quoted_messages import BESIDE_ANSWER, IN_ITS_PLACE, QuotedWords, add_links, add_messages, choose_fitting
from core.language.i18n.translation import speak_language

REFUSED_FROM = 13_200  # characters over all blocks, from which on Slack refuses a message


def quote(words: str = "The quay is dredged.", **fields: str) -> QuotedWords:
    """A quote of a message in #quay."""
    given = {"permalink": "https://harbour.slack.com/archives/C1/p1", "channel": "quay", "author": "Bob"} | fields
    return QuotedWords(**given, sent_on=dt.date(2026, 5, 3), words=words)


def answer_of(length: int) -> Message:
    """An answer of so many characters."""
    said = notice("x")
    return Message(text=said.text, blocks=[said.blocks[0] | {"text": {"type": "mrkdwn", "text": "x" * length}}])


def test_a_quote_stands_with_where_it_is_from() -> None:
    """Under the heading of an answer or of a refusal; the plain text says nothing of it."""
    for is_answered, heading in ((True, BESIDE_ANSWER), (False, IN_ITS_PLACE)):
        whole = add_messages(notice("Noon."), [quote()], is_answered=is_answered)
        said = json.dumps(whole.blocks, ensure_ascii=False)
        assert heading in said
        assert "> The quay is dredged." in said
        assert "<https://harbour.slack.com/archives/C1/p1|#quay> · Bob · 3 May 2026" in said
        assert (whole.text, whole.blocks[0]) == ("Noon.", notice("Noon.").blocks[0])


def test_what_slack_does_not_name_is_left_out() -> None:
    """A link needs words all the same."""
    said = json.dumps(add_messages(notice("Noon."), [quote(channel="", author="")], is_answered=True).blocks)
    assert "|message> \\u00b7 3 May 2026" in said


@pytest.mark.parametrize(("length", "fitting"), [(100, 3), (9_500, 3), (10_500, 2), (12_900, 0)])
def test_there_are_as_many_as_fit(length: int, fitting: int) -> None:
    """The first ones; an answer that takes all the space is shown without them, and is not refused for them."""
    quotes = [quote(f"{n} {'long ' * 200}") for n in range(3)]
    chosen = choose_fitting(answer_of(length), quotes, is_answered=True)
    assert chosen == quotes[:fitting]
    whole = add_messages(answer_of(length), chosen, is_answered=True) if chosen else answer_of(length)
    assert len(json.dumps(whole.blocks, ensure_ascii=False)) < REFUSED_FROM


def test_links_alone_say_why() -> None:
    """In the language that is spoken, each under its number."""
    with speak_language("de"):
        said = str(add_links(notice("Noon."), ["https://harbour.slack.com/1", "https://harbour.slack.com/2"]).blocks)
    assert "Ihren Wortlaut behalte ich nicht" in said
    assert "<https://harbour.slack.com/1|Nachricht 1>, <https://harbour.slack.com/2|Nachricht 2>" in said
