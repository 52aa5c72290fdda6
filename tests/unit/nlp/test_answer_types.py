"""The kind of thing that a question asks for, and which texts hold one."""

import pytest

from core.language.nlp.answer_types import (
    find_kind_asked,
    holds_new,
    is_certain,
    lacks_count,
    lacks_name,
    lacks_reason,
    lacks_time,
)


def test_something_new_of_a_kind() -> None:
    """A text that only repeats the question's number holds none; one of several that is new is enough."""
    question = "How much of the 4 tons was lost?"
    number = find_kind_asked(question)
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
    assert holds_new(find_kind_asked("How much was lost?"), text, "How much was lost?") is holds


@pytest.mark.parametrize(
    ("question", "holding", "lacking"),
    [
        ("email of lars feddersen", "Write to lars@port.example.", "Lars Feddersen presented the projection."),
        ("what is the e-mail address of the desk?", "desk@port.example", "The desk is in the hall."),
        ("what do i dial if theres a fire", "Call extension 2200.", "Leave when the siren sounds."),
        ("who do i call when the siren sounds", "Call extension 2200.", "The keeper calls the crew."),
        ("which form do i need for that", "It is recorded on form HR-12.", "The form is signed by 5 May."),
        ("what paperwork is there", "Hand in the travel form.", "Hand in all of it."),
        ("phone number of the harbour master", "Harbour master: +49 40 123456", "The harbour master sits in Hall 2."),
        ("website of the port", "See www.port.example.org for more.", "The port has a site in the north."),
        ("how many watts is the laser in bay 4", "It has 400 W.", "Wait five minutes for the laser in Bay 4."),
        ("how many euros is a crown", "A crown is worth 0.2 euros.", "A car is paid at 0.30 crowns."),
        ("What does a ticket cost?", "A ticket costs forty crowns.", "A ticket is shown at the gate."),
        ("What is the price of the Beta pump?", "Beta pump – Price: 950; Stock: 0", "Beta pump – Stock: 0; Weight: 12"),
        ("How much did they spend on fuel?", "In millions of dollars: Fuel – 2019: (188.6)", "Fuel – 2019: (188.6)"),
        ("How much did they spend on crew?", "Amounts in CHF million: Crew – FY2024: 121", "Crew – FY2024: 121"),
        ("what does the ferry cost", "A ticket costs 12 crowns.", "The ferry leaves at 7."),
        ("what does the head of the board earn", "The head earns $90,000.", "The head of the board is elected."),
        ("which hospital was he taken to", "He was taken to the Saint Anne Clinic.", "He was released from hospital."),
        (
            "name of the technician who got splashed",
            "It was Ole Brandt.",
            "On 12 March a technician in Bay 3 was hurt.",
        ),
        ("How much did the repair of the gate cost?", "The repair cost 400 crowns.", "The gate is in Bay 3."),
        ("who described the index?", "Olaf Stern described it.", "- The index is shown first."),
        ("who can take the lock off", "The head of the bay may cut it.", "Locks are numbered from 1 to 120."),
        ("how many died", "A dozen died.", "Some of the crew died."),
        ("when does the money arrive", "Claims are paid on the 25th.", "Claims are paid in crowns."),
    ],
)
def test_the_kind_of_thing_that_people_ask_for(question: str, holding: str, lacking: str) -> None:
    """Addresses, numbers to call, amounts in their unit, names and people: what only speaks of them is none."""
    kind = find_kind_asked(question)
    assert kind is not None
    assert holds_new(kind, holding, question)
    assert not holds_new(kind, lacking, question)


@pytest.mark.parametrize(
    "question",
    ["can i send it by email", "may i call in sick", "recall is poor, what do i pay for ef_search", "is it costly"],
)
def test_words_of_a_kind_alone_ask_for_nothing(question: str) -> None:
    """An e-mail, a call or a cost may be spoken of without being asked for."""
    assert find_kind_asked(question) is None


def test_some_kinds_are_certain() -> None:
    """A price or an address is found where there is one; a person may be called in any words."""
    asked = (
        "what does the ferry cost",
        "email of lars feddersen",
        "how many watts is the lamp",
        "who keeps the ledger",
    )
    assert [is_certain(find_kind_asked(question)) for question in asked] == [True, True, True, False]
    assert not is_certain(None)


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("How many fire drills are there?", "The course takes 2 hours, and 45 minutes every year. [1]", True),
        ("how many crews went out", "They went out at 05:30 on 4 May and paid 30 euros, or 12 %.", True),
        ("How many fire drills are there?", "Drills are held twice a year. [1]", False),
        ("How many fire drills are there?", "There are two drills of 45 minutes.", False),
        ("how many crews went out", "A single crew went out at 05:30.", False),
        ("How many minutes does it take?", "It takes 45 minutes.", False),
        ("How many working days of leave are there?", "There are 28 days.", False),
        ("how many crews went out", "The crews went out.", False),
        ("and how many of them can i keep?", "At most five days can be carried over.", False),
        ("how many do I get", "Staff have 28 days a year.", False),
        ("How long is the drill?", "It takes 45 minutes.", False),
    ],
)
def test_measures_are_no_count(question: str, text: str, lacks: bool) -> None:
    """Unless a measure is what is asked for; a text without figures is left to the reader."""
    assert lacks_count(question, text) is lacks


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("who voted against it, names please", "Two members voted against it.", True),
        ("who voted against it, names please", "Against it were Ms Strand and Mr Whitlock.", False),
        ("name of the technician in Bay 3", "On 12 March a technician in Bay 3 was hurt.", True),
        ("what is the name of the new harbour master", "The harbour is led by Ines Marlow.", False),
        ("who voted against it", "Two members voted against it.", False),
        ("what is the name of the procedure", "It is called keelhauling.", False),
    ],
)
def test_a_name_is_no_role(question: str, text: str, lacks: bool) -> None:
    assert lacks_name(question, text) is lacks


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        ("When is the fair in 2026?", "Income: fair – 2024 (actual): 415; 2025 (actual): 688; 2026 (plan): 600", True),
        ("When is the open day in 2026?", "Income: open day – 2026 (plan): 600", True),
        ("When was the wall built?", "The wall was built of brick by the Romans.", True),
        ("When was the wall built?", "The wall was built in 1843.", False),
        ("When does the shop open?", "It opens at 9:30.", False),
        ("When does the shop close?", "It closes at six.", False),
        ("When may I use the hose?", "Hoses may be used if the tank is full.", False),
        ("When is the fee due?", "It is due on the last Friday of the month. [1]", False),
        ("What happens when the alarm rings?", "Everybody leaves by the stairs.", False),
        ("What was built?", "A wall.", False),
    ],
)
def test_amounts_are_no_time(question: str, text: str, lacks: bool) -> None:
    """The years above a table's columns are none either; a condition is."""
    assert lacks_time(question, text) is lacks


WHY = "Why was the east gate closed in May 2031?"


@pytest.mark.parametrize(
    ("question", "text", "lacks"),
    [
        (WHY, "The east gate was closed on 4 May 2031. [1]", True),
        ("how come the ferry fare rose?", "The ferry fare rose to 4 euros.", True),
        (WHY, "The east gate was closed on 4 May 2031 because its hinge had broken.", False),
        (WHY, "The east gate was closed to prevent accidents.", False),
        (WHY, "Its lower hinge had broken.", False),
        ("When was the east gate closed?", "The east gate was closed on 4 May 2031.", False),
        ("why?", "The east gate was closed.", False),
    ],
)
def test_a_text_that_says_the_question_again_gives_no_reason(question: str, text: str, lacks: bool) -> None:
    assert lacks_reason(question, text) is lacks
