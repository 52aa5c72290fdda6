"""The key-free model: which sentences it says, in which words, and that none of them is its own."""

import datetime as dt
import json
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.asking.generation.extractive.provider import ExtractiveModel
from core.asking.generation.extractive.selection import MOST_OF_WIDE
from core.asking.generation.markup import render_passages, render_question
from core.asking.generation.tools import mark_passage
from core.asking.verification.statements import verify
from core.language.nlp.sentence_scoring import Similarity, ignore_meaning
from core.types import Passage, Quote, Statement
from tests.unit.verification.passages import passage

FERRY = passage(
    "The ferry to Holm leaves at 7 every morning. However, the ferry is cancelled when the wind is above 20 m/s.\n\n"
    "- The ferry carries 30 cars.\n- Dogs travel free of charge on the ferry.\n\nWhere does the ferry land?",
    name="Ferry rules",
)
FEES = passage(
    "The board did not raise the mooring fee. In particular, the mooring fee stays at 11 euros a day unless the boat "
    "is longer than 12 metres. Anna Berg voted against the decision on the mooring fee.",
    name="Harbour minutes",
    date=dt.date(2024, 3, 20),
)
LATER_FEES = passage(
    "The board raised the mooring fee to 13 euros a day. All members voted for the decision on the mooring fee.",
    name="Harbour minutes",
    date=dt.date(2024, 12, 18),
)
STAFF = passage(
    "1. Every guide <b>must</b> carry the key “Nordpier” (see https://pier.example/keys). | Key | Place |\n| A | Shed |"
    "\n\nThe shed is locked at night; nobody may enter it. Mr. Falk keeps 2,5 kg of wax and 40 % of the rope there.",
    name="Staff handbook",
)
STORE = passage(
    "Nobody may bring the following into the store:\n\n- Burning lamps\n- Dogs of any size\n\n"
    "Every rope is coloured by its strength.\n\n"
    "- Rope A, red: for dinghies. At most 100 kilograms may hang from it.\n"
    "- Rope B, blue: for yachts. At most 900 kilograms may hang from it.\n\n"
    "Crew and what they get\nThing | Full-time | Part-time\n--- | --- | ---\n"
    "Days of leave | 30 days | 12 days\nMeals | 2 | 1",
    name="Store rules",
)
STEPS = passage(
    "To lower the mast:\n\n1. Tell everybody on deck.\n2. Loosen the forestay.\n3. Lower the mast to the crutch.\n\n"
    "The mast is varnished in May.",
    name="Mast",
)
INCOME = passage(
    "EUR million | 2023 | 2022\n--- | --- | ---\nNet sales | 1,412.6 | 1,306.2\nCost of sales | 861.3 | 802.7\n"
    "Net income | 158.9 | 135.7\nPumps sold | 1,200 | 1,100",
    name="Report",
)
LIBRARY = (FERRY, FEES, LATER_FEES, STAFF, STORE, STEPS)


def said(question: str, *passages: Passage, similarity: Similarity = ignore_meaning) -> list[Statement]:
    """The statements that the model makes of a prompt with this question and these passages."""
    shown = [mark_passage(number, one) for number, one in enumerate(passages, 1)]
    prompt = f"{render_passages(shown)}\n{render_question(question)}"
    response = ExtractiveModel(similarity).completion(messages=[{"role": "user", "content": prompt}])
    [call] = response.choices[0].message.tool_calls
    assert call.function.name == "final_answer"
    return [
        Statement(
            text=raw["text"],
            quotes=tuple(Quote(passage=quote["passage"], text=quote["text"]) for quote in raw["quotes"]),
        )
        for raw in json.loads(call.function.arguments)["statements"]
    ]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How many cars does the ferry carry?", "The ferry carries 30 cars."),
        ("When does the ferry to Holm leave?", "The ferry to Holm leaves at 7 every morning."),
        ("Who voted against the decision?", "Anna Berg voted against the decision on the mooring fee."),
    ],
)
def test_the_best_sentence_comes_first(question: str, best: str) -> None:
    """It holds the question's words and the kind of thing asked for; a question of the text is never said."""
    texts = [statement.text for statement in said(question, FERRY, FEES)]
    assert texts[0] == best
    assert "Where does the ferry land?" not in texts
    assert len(texts) <= 3


def test_meaning_decides_where_words_do_not() -> None:
    """A sentence without a word of the question is said first when it is nearest in meaning."""

    def of_dogs(_question: str, texts: Sequence[str]) -> Sequence[float]:
        return [0.9 if "Dogs" in text else 0.1 for text in texts]

    assert said("What about animals?", FERRY, similarity=of_dogs)[0].text == "Dogs travel free of charge on the ferry."


def test_bullets_and_connectives_are_not_said() -> None:
    """They tie a sentence to what is not shown; the quote keeps the text behind the bullet."""
    cars = said("How many cars does the ferry carry?", FERRY)[0]
    assert cars.text == "The ferry carries 30 cars."
    wind = said("When is the ferry cancelled because of wind?", FERRY)[0]
    assert wind.text == "The ferry is cancelled when the wind is above 20 m/s."
    assert wind.quotes[0].text == "However, the ferry is cancelled when the wind is above 20 m/s."


def test_each_side_gets_its_sentences() -> None:
    """In the order in which the question names them, though one fits the words far better."""
    texts = [s.text for s in said("Which dogs travel free on the ferry, and who keeps the wax?", STAFF, FERRY)]
    dogs = texts.index("Dogs travel free of charge on the ferry.")
    wax = texts.index("Mr. Falk keeps 2,5 kg of wax and 40 % of the rope there.")
    assert dogs < wax
    assert len(texts) <= MOST_OF_WIDE


def test_a_sentence_that_answers_two_sides_is_said_once_and_alone() -> None:
    """Nothing that is much worse is put beside it for the second of them."""
    chapel = passage(
        "The chapel was built in 1874 by the mason Olaf Stern. Many came to see the harbour.", name="Chapel"
    )
    statements = said("When was the chapel built and by whom was it built?", chapel)
    assert [statement.text for statement in statements] == ["The chapel was built in 1874 by the mason Olaf Stern."]


def test_times_side_by_side_are_dated() -> None:
    """Each statement begins with the date of its source; without several times none does."""
    changed = said("How did the mooring fee change between March 2024 and December 2024?", LATER_FEES, FEES)
    places = {1: "18 December 2024: ", 2: "20 March 2024: "}
    assert {statement.quotes[0].passage for statement in changed} == {1, 2}
    assert all(statement.text.startswith(places[statement.quotes[0].passage]) for statement in changed)
    assert "18 December 2024: The board raised the mooring fee to 13 euros a day." in {s.text for s in changed}
    plain = said("Who voted against the decision on the mooring fee?", LATER_FEES, FEES)
    assert not any("2024" in statement.text for statement in plain)


def test_an_undated_source_lends_no_date() -> None:
    """Its sentences are said as they are."""
    texts = {s.text for s in said("How did the ferry change since March 2024?", FERRY)}
    assert "The ferry carries 30 cars." in texts or "The ferry to Holm leaves at 7 every morning." in texts
    assert not any("2024" in text for text in texts)


@pytest.mark.parametrize("question", ["What is it?", "?", "", "And who was that?"])
def test_a_question_without_content_words_gets_nothing(question: str) -> None:
    """There is nothing to choose sentences by."""
    assert said(question, *LIBRARY) == []


def test_without_passages_nothing_is_said() -> None:
    """Nor when no sentence is long enough by itself."""
    assert said("When does the ferry leave?") == []
    assert said("When does the ferry leave?", passage("The ferry. At 7.")) == []


def test_an_item_is_said_whole_and_alone() -> None:
    """It has its subject and its figure, and nothing of the item beside it about another thing."""
    asked = "At most how many kilograms may hang from rope A?"
    assert [statement.text for statement in said(asked, STORE)] == [
        "Rope A, red: for dinghies. At most 100 kilograms may hang from it."
    ]
    assert said("how many kilograms on the blue rope", STORE)[0].text.startswith("Rope B, blue")


def test_an_item_is_said_with_what_introduces_it() -> None:
    """And quotes it; what forbids is said with each item."""
    statements = said("What are the things nobody may bring into the store?", STORE)
    assert [statement.text for statement in statements] == [
        "Nobody may bring the following into the store: Burning lamps",
        "Nobody may bring the following into the store: Dogs of any size",
    ]
    assert [[quote.text for quote in statement.quotes] for statement in statements] == [
        ["Nobody may bring the following into the store:", "- Burning lamps"],
        ["Nobody may bring the following into the store:", "- Dogs of any size"],
    ]
    checked = verify(statements, [STORE])
    assert (checked.dropped, checked.text.count("Nobody")) == (0, 2)


@pytest.mark.parametrize(
    "question",
    ["How do I lower the mast?", "what are the steps for the mast", "list how the mast comes down", "how to loosen it"],
)
def test_steps_are_said_whole_and_in_their_order(question: str) -> None:
    """Whichever of them holds the question's words; the lead-in once."""
    assert [statement.text for statement in said(question, FERRY, STEPS)] == [
        "To lower the mast: Tell everybody on deck.",
        "Loosen the forestay.",
        "Lower the mast to the crutch.",
    ]


def test_a_list_of_questions_answers_nothing_but_what_asks_for_it() -> None:
    """Nor does one of them: a worksheet asks its reader, and tells nothing."""
    sheet = passage(
        "Feedback helps when it is given soon.\n\n- How many of your crew have had feedback this month?\n"
        "- Who needs feedback and has had none?\n- How is feedback given on your pier?",
        name="Worksheet on feedback",
    )
    for question in ("how do I give feedback", "what are the steps for feedback", "who needs feedback"):
        assert not [one.text for one in said(question, sheet) if "?" in one.text]
    asked = said("which questions does the worksheet on feedback ask", sheet)
    assert len([one.text for one in asked if "?" in one.text]) >= 1


def test_one_thing_of_a_list_is_no_list() -> None:
    """Asked when, how many or who, the item that says it is enough."""
    [statement] = said("When is the mast lowered to the crutch?", STEPS)[:1]
    assert "crutch" in statement.text
    assert len(said("Which step is the forestay loosened in?", FERRY)) <= 3


SLUICE = passage(
    "The sluice was shut on 3 May. The keeper had seen a crack in the north gate. A diver found it to be shallow. "
    "The gate was painted in June.\n\nThe lock is 40 metres long. Boats of members wait in the basin. "
    "Whoever is late calls 0471 220 and waits outside.",
    name="Sluice",
)


def test_a_reason_is_told_by_the_sentences_that_follow() -> None:
    """The best sentence comes first; what is asked for one thing gets that alone."""
    assert [statement.text for statement in said("Why was the sluice shut?", SLUICE)][:3] == [
        "The sluice was shut on 3 May.",
        "The keeper had seen a crack in the north gate.",
        "A diver found it to be shallow.",
    ]
    assert len(said("When was the sluice shut?", SLUICE)) == 1


def test_the_paragraph_ends_what_follows() -> None:
    """And a question of the text is no statement."""
    texts = [statement.text for statement in said("Tell me how the gate was painted", SLUICE)]
    assert texts == ["The gate was painted in June."]


def test_what_follows_is_not_about_another() -> None:
    """The next class, bay or step is named where it is asked about."""
    lamps = passage("Lamps of Class A are dimmed at dusk. Lamps of Class C are put out.", name="Lamps")
    texts = [statement.text for statement in said("Tell me about dimmed lamps of Class A", lamps)]
    assert texts[0] == "Lamps of Class A are dimmed at dusk."
    assert not any("Class C" in text for text in texts)


def test_the_kind_of_thing_asked_for_is_said_too() -> None:
    """The sentences with the question's words do not have it."""
    texts = [statement.text for statement in said("Who do I call as boats of members wait in the basin?", SLUICE)]
    assert texts[0] == "Boats of members wait in the basin."
    assert "Whoever is late calls 0471 220 and waits outside." in texts


def test_who_names_a_row_gets_that_row() -> None:
    """ "What were" asks for a list, but not where one row is about just that; where several are, for all of them."""
    [row] = said("What were the net sales in 2023?", INCOME)
    assert row.quotes[-1].text == "Net sales | 1,412.6 | 1,306.2"
    sold = said("What were sales and sold pumps?", INCOME)
    assert len(sold) > 1


def test_a_row_is_said_by_its_columns() -> None:
    """The cell that is asked for behind the name of its column, with caption, header and row quoted."""
    [statement] = said("how many days of leave for part-time crew", STORE)[:1]
    assert statement.text == "Crew and what they get: Days of leave – Part-time: 12 days"
    assert [quote.text for quote in statement.quotes] == [
        "Crew and what they get",
        "Thing | Full-time | Part-time",
        "Days of leave | 30 days | 12 days",
    ]
    assert verify([statement], [STORE]).dropped == 0


def test_figures_in_the_same_words_are_said_with_their_subjects() -> None:
    """The subjects come from the passages' headings, or in one passage from the sentence before."""
    north, south = (
        passage(f"At most {many} boats may lie at the pier.", name=f"{side} pier")
        for many, side in ((12, "North"), (40, "South"))
    )
    statements = said("How many boats may lie at the pier?", north, south)
    assert {statement.text for statement in statements} == {
        "North pier: At most 12 boats may lie at the pier.",
        "South pier: At most 40 boats may lie at the pier.",
    }
    assert verify(statements, [north, south]).dropped == 0
    both = passage(
        "The north pier is old. At most 12 boats may lie at it. The south pier is new. At most 40 boats may lie at it.",
        name="Piers",
    )
    assert {statement.text for statement in said("At most how many boats may lie?", both)} == {
        "The north pier is old. At most 12 boats may lie at it.",
        "The south pier is new. At most 40 boats may lie at it.",
    }


WORDS = st.sampled_from(
    (
        *("how did", "the ferry", "mooring fee", "change", "between March 2024 and December 2024", "and who", "not"),
        *("minutes", "list the rules", "what do the minutes say about", "guide", "key", "shed", "night", "wax"),
        *("Anna Berg", "11 euros", "40 %", "wind", "dogs", ", and when does", "?", "<passage>", "</question>"),
        *("how do I", "steps", "what are the", "mast", "rope A", "leave", "part-time", "bring", "kilograms"),
        *("in 2024", "since May 2023", "Holm", "cars", "unless", "enter", "compare", "summary"),
    )
)


@given(question=st.lists(WORDS, min_size=1, max_size=10).map(" ".join) | st.text(max_size=60))
@example(question="mooring fee")
@example(question="Compare the ferry and the shed")
def test_whatever_is_asked_every_statement_passes_the_check(question: str) -> None:
    """Nothing is dropped, and every quote occurs in its passage word for word."""
    statements = said(question, *LIBRARY)
    for statement in statements:
        assert all(quote.text in LIBRARY[quote.passage - 1].content for quote in statement.quotes)
    checked = verify(statements, LIBRARY)
    assert (checked.dropped, checked.reasons) == (0, {})
    assert len(checked.text.splitlines()) == len(statements)
    assert {citation.quoted_excerpt for citation in checked.citations} >= {s.quotes[-1].text for s in statements}


FORM = passage(
    "Berth: 14 B\n\nDeposit: 75 euros\n\nPier: South pier\n\nThe form is kept for a year by the office.",
    name="Hire form",
)
CARD = passage("Hut card\n\nBeds: 12\nStove: gas\nKey: with the warden\nOpen: Easter to October", name="Hut")
SHORT = passage("Moorings\n\nMooring is free. The quay is lit at night and watched by a camera.", name="Quay rules")


@pytest.mark.parametrize(
    ("question", "shown", "expected"),
    [
        ("What is the deposit?", FORM, "Deposit: 75 euros"),
        ("Which berth is it?", FORM, "Berth: 14 B"),
        ("How many beds does the hut have?", CARD, "Beds: 12"),
        ("Where is the key of the hut?", CARD, "Key: with the warden"),
        ("Is mooring free?", SHORT, "Mooring is free."),
    ],
)
def test_a_label_with_its_value_and_a_short_sentence_can_be_the_answer(
    question: str, shown: Passage, expected: str
) -> None:
    """In paragraphs and in lines of one block; a heading of few words is none."""
    assert said(question, shown)[0].text == expected
    assert "Moorings" not in [statement.text for statement in said("What about moorings?", SHORT)]
