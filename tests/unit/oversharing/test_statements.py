"""Test that what is plainly said of somebody is found, however short it is, and rules for everybody are not."""

import pytest

from core.quality.oversharing.rules import PassageText, is_iban, read_signs
from core.quality.oversharing.statements import find_statements
from core.values.oversharing import Topic

TABLE = """\
| Name | Role | Salary 2026 |
|---|---|---|
| Edda Rask | Sales | EUR 84,500 |
| Tariq Bell | Office | EUR 41,000 |"""


def find_topics(text: str, heading: str = "Notes") -> set[Topic]:
    """Return the topics of the plain statements of a document of one passage."""
    passages = [PassageText(heading=heading, text=text)]
    return {topic for topic, _ in find_statements(passages[0], read_signs(passages)[0], is_first=True)}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Edda Rask earns a salary of EUR 84,500 per year.", Topic.PAY),
        ("Das Gehalt von Frau Erika Sommer beträgt 61.200 Euro.", Topic.PAY),
        ("Le salaire de Mme Aubry est de 52 300 euros.", Topic.PAY),
        ("El salario de Marta Vidal es de 41.000 euros.", Topic.PAY),
        (TABLE, Topic.PAY),
        ("Tariq Bell has been diagnosed with multiple sclerosis.", Topic.HEALTH),
        ("Herr Sommer ist an Depressionen erkrankt.", Topic.HEALTH),
        ("Tariq Bell got a written warning for being late.", Topic.CONDUCT),
        ("Gegen Herr Sommer gibt es eine Abmahnung.", Topic.CONDUCT),
        ("Four people will be made redundant in March. It has not been announced.", Topic.BOARD),
        ("Our lawyers advise to settle at 40,000.", Topic.LEGAL),
        ("Edda Rask: account DE89 3704 0044 0532 0130 00.", Topic.PERSONAL),
        ("Strictly confidential\n\nEdda Rask leaves in May.", Topic.MARKED),
    ],
)
def test_a_plain_statement_is_found_with_its_topic(text: str, topic: Topic) -> None:
    assert topic in find_topics(text)


@pytest.mark.parametrize(
    "text",
    [
        "Salaries are paid on the 25th of each month.",
        "All employees who are off sick must tell their manager.",
        "The bonus is 5 percent for everyone who stays the whole year.",
        "Edda Rask is the new head of sales and came to us in 2019.",
        "| Grade | Salary |\n|---|---|\n| 5 | 41,000 |\n| 6 | 46,000 |",
        "A written warning is given by the manager, and each employee may reply to it.",
        "The shop closes in March, as we announced in the paper.",
        "Pay into account DE89 3704 0044 0532 0130 01 of the club.",
    ],
)
def test_what_is_said_of_everybody_is_no_statement(text: str) -> None:
    assert find_topics(text) == set()


def test_nothing_is_found_in_what_its_title_says_is_for_everybody() -> None:
    """The same table in an advertisement or a handbook is an example."""
    assert find_topics(TABLE) == {Topic.PAY}
    assert find_topics(TABLE, heading="Handbook for managers") == set()


def test_the_place_is_the_sentence_or_row() -> None:
    text = f"The office moves.\n\n{TABLE}"
    passages = [PassageText(heading="Notes", text=text)]
    [(_, (start, end))] = find_statements(passages[0], read_signs(passages)[0], is_first=True)
    assert text[start:end] == "| Edda Rask | Sales | EUR 84,500 |"


def test_a_bank_number_has_to_pass_its_check() -> None:
    assert is_iban("DE89 3704 0044 0532 0130 00")
    assert not is_iban("DE89 3704 0044 0532 0130 01")
