"""Questions as people type them, in plain words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.query_understanding.plain import make_plain


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Hi all, quick question: does anyone know whether cars are paid for? Thanks!", "cars are paid for?"),
        ("hello, can someone please tell me when the store opens", "when the store opens"),
        ("I was wondering if overtime is paid", "overtime is paid"),
        ("whats the wifi pw", "what is the wifi password"),
        ("boss didnt answer", "boss did not answer"),
        ("Who’s the safety officer?", "who is the safety officer?"),
        ("max hotel price pls", "maximum hotel price"),
    ],
)
def test_what_only_frames_a_question_is_left_out(question: str, expected: str) -> None:
    """Greetings, thanks and "does anyone know" go; shorthand is written out."""
    assert make_plain(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many days of annual leave can be carried over?",
        "What is HR-12?",
        "Does anyone know?",
        "Hello",
        "Who runs it.support@example.com?",
        "What does U-Net mean?",
    ],
)
def test_a_question_in_plain_words_stays_as_it_is(question: str) -> None:
    """Nothing is left out of what has no frame, nor of what is only one; addresses are no shorthand."""
    assert make_plain(question) == question


@given(st.text(max_size=200))
def test_any_text_keeps_some_words(text: str) -> None:
    """Whatever comes in, something comes out, and no more words than shorthand makes of them."""
    out = make_plain(text)
    assert bool(out.split()) == bool(text.split())
    assert len(out.split()) <= 2 * len(text.split())
