"""Test messages to the bot that are no questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.query_understanding.courtesies import SmallTalk, has_words, recognise


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Hi!", SmallTalk.GREETING),
        ("hello there :wave:", SmallTalk.GREETING),
        ("Good morning, everyone", SmallTalk.GREETING),
        ("Guten Morgen zusammen", SmallTalk.GREETING),
        ("¡Hola!", SmallTalk.GREETING),
        ("thanks", SmallTalk.THANKS),
        ("Great, thank you so much!!", SmallTalk.THANKS),
        ("Hi, thanks", SmallTalk.THANKS),
        ("merci beaucoup", SmallTalk.THANKS),
        ("What can you do?", SmallTalk.HELP),
        ("hi footnote, what can you do?", SmallTalk.HELP),
        ("HELP", SmallTalk.HELP),
        ("Was kannst du?", SmallTalk.HELP),
        ("new topic", SmallTalk.NEW_TOPIC),
        ("End this conversation, please.", SmallTalk.NEW_TOPIC),
        ("thx m8", SmallTalk.THANKS),
        ("are you a real person?", SmallTalk.NATURE),
        ("bist du ein Mensch", SmallTalk.NATURE),
        ("hahaha", SmallTalk.CHAT),
        ("lol", SmallTalk.CHAT),
        ("Cheers, Anna", SmallTalk.THANKS),
        ("hiya folks!", SmallTalk.GREETING),
        ("wie geht es dir?", SmallTalk.GREETING),
        ("Which documents can I read?", SmallTalk.LIBRARY),
        ("hi, what documents do you have here", SmallTalk.LIBRARY),
        ("list all my sources", SmallTalk.LIBRARY),
        ("how many files do you know?", SmallTalk.LIBRARY),
        ("Welche Dokumente kannst du lesen?", SmallTalk.LIBRARY),
    ],
)
def test_what_is_meant(text: str, meant: SmallTalk) -> None:
    """Politeness, an address and emoji around it change nothing."""
    assert recognise(text) is meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "please",
        "Hi, when does the canteen open?",
        "thanks, and on Fridays?",
        "What can you do about damp walls?",
        "How does this work?",
        "How do I reset the pump?",
        "reset",
        "help desk",
        "Where do I find help for new starters?",
        "Is there a test?",
        "hello world program",
        "hi " * 40,
        "yes please",
        "genau",
        "both",
        "Cool Room",
        "The Great Machine",
        "Welcome Bonus",
        "WEEE",
        "bar",
        "jkl",
        "Which documents do I need for a visa?",
        "which documents can I read aloud",
        "list the documents of the tender",
        "How many files are there in a batch?",
    ],
)
def test_what_may_be_a_question_is_one(text: str) -> None:
    """Whatever else is said goes the way of a question."""
    assert recognise(text) is None


@given(st.text(max_size=100))
def test_any_text_is_read(text: str) -> None:
    """No text makes it fail, and surrounding white space means nothing."""
    assert recognise(f"  {text.strip()} ") is recognise(text.strip())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", False), (":tada: !!!", False), ("🎉🎉", False), ("…?", False), ("42", True), (":tada: done", True)],
)
def test_emoji_are_no_words(text: str, expected: bool) -> None:
    """Neither by their names nor as characters."""
    assert has_words(text) is expected
