"""Test that a small model's text is parsed leniently: its form is not what is verified."""

import json
from typing import Any

import pytest

from core.asking.generation.agent import statements_in

ONE = [{"text": "It opens at noon.", "quotes": [{"passage": 2, "text": "opens at noon"}]}]
CALL = {"name": "final_answer", "arguments": {"statements": ONE}}
STRING_CALL = {"name": "final_answer", "arguments": json.dumps({"statements": ONE})}


@pytest.mark.parametrize(
    "reply",
    [
        "ANSWER: It opens at noon.\nQUOTE 2: opens at noon",
        "**Answer:** It opens at noon.\n**Quote [2]:** opens at noon",
        "- ANSWER: It opens at noon.\n  QUOTE (passage 2): opens at noon",
        "1. Answer - It opens at noon.\nQuote from passage 2: opens at noon",
        "Sure! Here it is.\n\nANSWER: It opens\nat noon.\nQUOTE 2: opens\nat noon\n\nI hope this helps.",
        "ANSWER: It opens at noon.\nQUOTE: opens at noon [2]",
        "ANSWER: It opens at noon.\nQUOTE: opens at noon (passage 2)",
        json.dumps(ONE),
        json.dumps({"statements": ONE}),
        json.dumps(CALL),
        json.dumps(STRING_CALL),
        "Calling tools:\n" + json.dumps([CALL]),
        f"```json\n{json.dumps(CALL, indent=2)}\n```\nDone.",
        f"I will call it.\n```\n{json.dumps({'statements': ONE})}",
        json.dumps({"answer": "It opens at noon.", "quote": "opens at noon", "passage": "passage 2"}),
        json.dumps([{"statement": "It opens at noon.", "evidence": {"quote": "opens at noon", "source": 2}}]),
    ],
)
def test_one_statement_in_many_forms(reply: str) -> None:
    """Lines with labels, JSON in and out of fences, and calls of tools are the same statement."""
    assert statements_in(reply) == ONE


@pytest.mark.parametrize(
    "reply", ["NOTHING", "Nothing.", "ANSWER: NOTHING\nQUOTE 2: NOTHING", "[]", '{"statements": []}']
)
def test_nothing_is_an_answer(reply: str) -> None:
    """The model says that the passages do not answer."""
    assert statements_in(reply) == []


@pytest.mark.parametrize("reply", ["", "{" * 9000, '{"a": 1}', "null", "QUOTE 2: opens at noon", "<html>\n</html>"])
def test_any_other_text_is_refused(reply: str) -> None:
    """The error says which form is wanted, and repeats nothing."""
    with pytest.raises(ValueError, match="write the answer in sentences"):
        statements_in(reply)


ABSENT = [
    "The passages do not mention the opening hours.",
    "The opening time is not mentioned in the given passages.",
    "Unfortunately, the provided documents don't specify when the canteen opens.",
    "I'm sorry, but I cannot find this in the passages.",
    "There is no information about the canteen in the context.",
    "Passage 2 does not say when it opens.",
    "ANSWER: The passages do not contain this.\nQUOTE 2: NOTHING",
    "<think>It might open at noon.</think>\nNOTHING",
    "NOTHING. The passages are about ferries.",
]


@pytest.mark.parametrize("reply", ABSENT)
def test_a_refusal_in_words_is_nothing(reply: str) -> None:
    """It is an answer to us and not to a person."""
    assert statements_in(reply) == []


def test_what_is_missing_takes_nothing_from_what_is_answered() -> None:
    """Of a reply that answers a part, the part is read, and the words on the rest are not."""
    reply = "The canteen opens at noon. [2] The passages do not mention when it closes."
    assert statements_in(reply) == [{"text": "The canteen opens at noon.", "quotes": [{"passage": 2, "text": ""}]}]


@pytest.mark.parametrize(
    "said", ["The permit does not mention a fee.", "No visitor may enter without a badge.", "The fee is not stated."]
)
def test_what_documents_deny_is_said(said: str) -> None:
    """Only what is about the passages themselves is a refusal."""
    assert [item["text"] for item in statements_in(said)] == [said]


PROSE = """Here is how you reset the alarm:

1. Hold the red button for ten seconds [1].
2. Enter the code
   of your shift (passage 2).
- Wait **five** minutes.

| Class | Limit |
|---|---|
| A | 250 ml |

## After that
Tell the guard. Then sign the log [1][3]."""


def test_prose_is_read_with_its_lists_and_tables() -> None:
    """Each sentence, step, point and row is a statement, in their order; numbers of passages become hints."""
    found = statements_in(PROSE)
    assert [item["text"] for item in found] == [
        "Here is how you reset the alarm:",
        "1. Hold the red button for ten seconds.",
        "2. Enter the code of your shift.",
        "- Wait **five** minutes.",
        "| Class | Limit |",
        "| A | 250 ml |",
        "After that:",
        "Tell the guard.",
        "Then sign the log.",
    ]
    hints = [[quote["passage"] for quote in item["quotes"]] for item in found]
    assert hints == [[], [1], [2], [], [], [], [], [], [1, 3]]


@pytest.mark.parametrize("indent", [None, 2])
def test_every_statement_of_a_list_is_read(indent: int | None) -> None:
    """Also of one whose brackets are on lines of their own."""
    two = [*ONE, {"text": "It closes at six.", "quotes": []}]
    written = json.dumps(two, indent=indent)
    assert statements_in(written) == statements_in(f"```json\n{written}\n```") == two


def test_an_empty_box_is_no_empty_list() -> None:
    """A list of things to do is prose."""
    assert [item["text"] for item in statements_in("- [ ] Lock the door.")] == ["- [ ] Lock the door."]


UNNUMBERED = {"text": "It opens at noon.", "quote": "opens at noon"}


@pytest.mark.parametrize("reply", ["ANSWER: It opens at noon.\nQUOTE: opens at noon", json.dumps([UNNUMBERED])])
def test_a_quote_without_a_number_is_of_no_passage(reply: str) -> None:
    """Passage 0 is none, so that the quote is not found and the model may mend it."""
    assert statements_in(reply)[0]["quotes"] == [{"passage": 0, "text": "opens at noon"}]


def test_several_statements_keep_their_order_and_quotes() -> None:
    """A statement may have two quotes, and one may have none."""
    reply = (
        "ANSWER: A is one.\nQUOTE 1: A is one\nQUOTE 3: one is A\nANSWER: B is two.\nANSWER: C is three.\nQUOTE 2: C is"
    )
    found: list[dict[str, Any]] = statements_in(reply)
    assert [(item["text"], [quote["passage"] for quote in item["quotes"]]) for item in found] == [
        ("A is one.", [1, 3]),
        ("B is two.", []),
        ("C is three.", [2]),
    ]
