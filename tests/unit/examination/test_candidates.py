"""Passages are asked about by their form, and in linear time."""

from core.quality.examination.candidates import find_candidates

TABLE = (
    "Boat hire.\n\nBoat | Half day | Full day\n--- | --- | ---\nRowing boat | 18 euros | 30 euros\nKayak | 12 euros |\n"
)


def asked(text: str, place: str = "Boat hire") -> dict[str, str]:
    """Return the questions of a passage, with the words of their answers where they stand."""
    return {one.question: text[one.start : one.end] for one in find_candidates(text, place=place)}


def test_each_filled_cell_is_asked_for_by_its_row_and_column() -> None:
    assert asked(TABLE) == {
        "What is the half day for Rowing boat (Boat hire)?": "18 euros",
        "What is the full day for Rowing boat (Boat hire)?": "30 euros",
        "What is the half day for Kayak (Boat hire)?": "12 euros",
    }


def test_a_line_with_a_label_is_asked_for_by_its_heading() -> None:
    assert asked("Deposit: 40 euros\nOpening hours: 8 to 17", "Slipway") == {
        "What is the deposit of Slipway?": "40 euros",
        "What is the opening hours of Slipway?": "8 to 17",
    }


def test_a_definition_is_asked_for_by_its_subject() -> None:
    assert asked("A bollard is a short post to which ships are tied.") == {
        "What is bollard?": "a short post to which ships are tied."
    }


def test_a_counted_thing_is_asked_for_by_the_rest_of_its_sentence() -> None:
    text = "At most three guests can be registered for one berth."
    assert asked(text) == {"How many guests can be registered for one berth?": "three"}


def test_a_counted_thing_amid_a_sentence_is_asked_for_with_what_comes_before() -> None:
    text = "Each berth holder may register two boats in a season."
    assert asked(text, "Berths") == {"Berths: each berth holder may register how many boats in a season?": "two"}


def test_what_would_be_no_question_is_left_out() -> None:
    """Parts of a whole, two counts in one sentence, sums, and sentences with a colon in their middle."""
    for text in (
        "Two thirds of the berths are taken in summer.",
        "Four guests came by boat and three guests came by train.",
        "Step 2: one node in 4 x 4 = 16 reaches of the harbour.",
        "The main result holds: small boats are safer than large boats.",
    ):
        assert asked(text) == {}, text


def test_what_is_no_statement_about_something_is_not_asked_about() -> None:
    """Pronouns, prose without figures, rows of figures without names."""
    assert asked("It is a pleasure. We went home. They are the best.") == {}
    assert asked("") == {}


def test_a_hostile_passage_is_read_in_time() -> None:
    for text in ("A " * 20_000 + "is", "a-" * 20_000 + " is the x", "9 " * 20_000, "A" + ": " * 20_000):
        list(find_candidates(text, place="x"))
