"""What a question wants to be told, and which texts tell it."""

import pytest

from core.wanted import definition_asked, holds_new, kind_asked


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
    definition = definition_asked(question)
    assert definition is not None
    assert definition.search(told)
    assert not definition.search(not_told)


@pytest.mark.parametrize(
    "question",
    ["", "What?", "What is it that the board of the port decided?", "What did the RDB decide?", "Who votes?"],
)
def test_other_questions_ask_for_no_definition(question: str) -> None:
    """Nor does what names no thing."""
    assert definition_asked(question) is None


def test_something_new_of_a_kind() -> None:
    """A text that only repeats the question's number holds none; one of several that is new is enough."""
    question = "How much of the 4 tons was lost?"
    number = kind_asked(question)
    texts = ("Of 4 tons.", "Of 4 tons 30 were lost.", "Half was lost.", "All was lost.")
    assert [holds_new(number, text, question) for text in texts] == [False, True, True, False]
    assert holds_new(None, "All was lost.", question)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("It fell in 2024.", False),
        ("It fell in 2024, as expected.", False),
        ("It fell by 2,024 tons.", True),
        ("It fell by $2024.", True),
        ("It fell by 2024.5 tons.", True),
        ("It fell to 3 tons in 2024.", True),
        ("It fell to half in 2024.", True),
    ],
)
def test_a_year_is_no_amount(text: str, holds: bool) -> None:
    """Unless something beside it says that it is none."""
    assert holds_new(kind_asked("How much was lost?"), text, "How much was lost?") is holds
