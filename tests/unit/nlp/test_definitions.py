"""Test which words define a thing."""

import pytest

from core.nlp.definitions import find_definition_asked


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("What is a lease?", "A lease is a contract.", "The lease ends in May."),
        ("What is a lease?", "The contract is called a lease.", "Leases end in May."),
        ("What are moles?", "A mole is the wall of a harbour.", "The moles were seen."),
        ("Who was Olaf Stern?", "Olaf Stern, a mason, built it.", "Olaf Stern built it."),
        ("What is the RDB?", "The RDB (see below) is the board of the port.", "The RDB met."),
        ("What does RDB stand for?", "RDB stands for the board of the port.", "What RDB wants is unknown."),
        ("What is S-Graphs+?", "We present S-Graphs+, which draws maps.", "S-Graphs is a map."),
    ],
)
def test_what_a_thing_is(question: str, told: str, not_told: str) -> None:
    """By the words in which definitions are put, in one number or the other."""
    definition = find_definition_asked(question)
    assert definition is not None
    assert definition.search(told)
    assert not definition.search(not_told)


@pytest.mark.parametrize(
    "question",
    ["", "What?", "What is it that the board of the port decided?", "What did the RDB decide?", "Who votes?"],
)
def test_other_questions_ask_for_no_definition(question: str) -> None:
    """Nor does what names no thing."""
    assert find_definition_asked(question) is None
