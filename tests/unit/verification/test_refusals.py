"""A statement that only says that the passages do not answer is no statement."""

import pytest

from core.asking.verification.refusals import LONGEST, says_nothing
from core.types import Quote, Statement

REFUSALS = [
    "The maximum hotel price is not mentioned in the given passages.",
    "The passages do not say when the canteen opens.",
    "There is no information about parental leave in the documents.",
    "There is no mention of dogs in the passages.",
    "I cannot find the phone number.",
    "I'm sorry, but I couldn’t find any answer.",
    "The provided documents do not contain information about the pool.",
    "The passages do not provide information about that.",
    "The documents provide no information on that.",
    "No information is provided about the deadline.",
    "None of the passages mentions a pool.",
    "It cannot be determined from the given text.",
    "The answer is not explicitly stated in the provided context.",
    "Information about parking isn't available in these documents.",
    "Das ist in den Dokumenten nicht angegeben.",
    "Les documents ne précisent pas la date.",
    "Los documentos no mencionan el precio.",
]
STATEMENTS = [
    "Lunch is not included in the price.",
    "Documents must not leave the office.",
    "The documents do not have to be signed.",
    "None of the documents may leave the office.",
    "We do not provide refunds.",
    "No details of the case may be told.",
    "The document has no expiry date.",
    "There is no canteen on Sundays.",
    "The source code is not available to customers.",
    "The contract does not specify a deadline.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_in_words_is_read_as_nothing(text: str) -> None:
    """Whatever it quotes."""
    quote = Quote(passage=1, text="The maximum hotel price per night is 140 crowns.")
    assert says_nothing(Statement(text=text, quotes=(quote,)))


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_documents_deny_is_a_statement(text: str) -> None:
    """A negation, or a word like document, makes no refusal."""
    assert not says_nothing(Statement(text=text, quotes=()))


def test_what_a_document_says_of_itself_is_a_statement() -> None:
    """Word for word, it is not the model that speaks."""
    text = "This document does not cover electrical work."
    own = Quote(passage=1, text=f"Scope: {text} See the other one.")
    assert not says_nothing(Statement(text=text, quotes=(own,)))
    assert says_nothing(Statement(text=text, quotes=(Quote(passage=1, text="electrical work"),)))


def test_no_more_is_read_than_could_be_shown() -> None:
    """A model in a loop costs nothing here."""
    assert not says_nothing(Statement(text="word " * LONGEST + "is not mentioned in the passages.", quotes=()))
