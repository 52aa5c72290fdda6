"""What a small model writes is read leniently: its form is not what is verified."""

import json
from typing import Any

import pytest

from core.agent.writing import statements_in

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


@pytest.mark.parametrize("reply", ["", "It opens at noon.", "{" * 9000, '{"a": 1}', "null", "QUOTE 2: opens at noon"])
def test_any_other_text_is_refused(reply: str) -> None:
    """The error says which form is wanted, and repeats nothing."""
    with pytest.raises(ValueError, match="ANSWER: one sentence"):
        statements_in(reply)


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
