"""The sentences that a statement rests on are found by the code: few, of one passage, and of the right thing."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.asking.verification.attribution import MOST_SENTENCES, Sentences, measure_share
from core.asking.verification.found_quotes import split_pieces
from core.asking.verification.statements import verify
from core.types import Quote
from tests.unit.verification.passages import passage, statement

CABINETS = passage(
    "Chemicals are kept in cabinets. What may stand outside:\n"
    "- Class A: at most 250 millilitres.\n- Class B: at most 1 litre.\n- Class C: at most 500 millilitres.\n\n"
    "The warden counts the bottles every Friday.",
    name="Laboratory rules",
)
FERRY = passage("The ferry to Holm leaves at 7. It carries 30 cars. Dogs travel free.", name="Ferry")
PIER = passage("The pier opens at nine and closes at five. Dogs stay outside.", name="Hours")
SHELF = (FERRY, PIER, CABINETS)


def found(said: str, *quotes: tuple[int, str], question: str = "") -> list[str]:
    """The words that are found to carry it."""
    own = [Quote(passage=number, text=text) for number, text in quotes]
    return [one.as_written for one in Sentences(SHELF, question).find_carrying(said, own)]


def test_the_smallest_set_is_found_without_a_quote() -> None:
    """One sentence where one is enough, with the one before it where only that names the subject."""
    assert found("Dogs travel free.") == ["Dogs travel free."]
    assert found("The ferry to Holm carries 30 cars.") == ["The ferry to Holm leaves at 7.", "It carries 30 cars."]
    assert found("Gulls nest under every roof.") == []


def test_own_quotes_come_first_wherever_they_stand() -> None:
    """As they were quoted, whatever number they have; what they lack is added from their passage."""
    assert found("Dogs travel free.", (9, "Dogs travel free")) == ["Dogs travel free"]
    assert found("The pier closes at five.", (1, "closes at five.")) == ["The pier opens at nine and closes at five."]
    assert found("Dogs travel free.", (2, "Dogs stay outside.")) == ["Dogs travel free."]
    assert found("Dogs travel free.", (1, "Dogs travel at no cost.")) == ["Dogs travel free."]


def test_an_item_is_that_of_what_it_is_about() -> None:
    """ "Class A" is looked for in the item of Class A, and no number of another is put to it."""
    assert found("Of class A at most 250 millilitres may stand outside.")[-1] == "- Class A: at most 250 millilitres."
    wrong = "Of class A at most 500 millilitres may stand outside."
    assert all("500" not in words for words in found(wrong))
    assert verify([statement(wrong)], [CABINETS]).reasons == {"number": 1}


def test_no_proof_is_put_together_from_passages_of_different_things() -> None:
    """A clause that does not say what it speaks of is not looked for elsewhere."""
    said = "The ferry to Holm leaves at 7, and closes at five."
    assert {one.passage.document_name for one in Sentences(SHELF).find_carrying(said, ())} == {"Ferry"}
    both = "The ferry to Holm leaves at 7, whereas the pier opens at nine."
    assert {one.passage.document_name for one in Sentences(SHELF).find_carrying(both, ())} == {"Ferry", "Hours"}


def test_the_question_settles_what_a_fragment_leaves_open() -> None:
    """ "At 7" is said of what was asked about."""
    shelf = (passage("The bakery opens at 7.", name="Shops"), passage("The bank opens at 7.", name="Offices"))
    for place, name in enumerate(("bakery", "bank")):
        [one] = Sentences(shelf, f"When does the {name} open?").find_carrying("At 7.", ())
        assert one.passage is shelf[place]


@given(st.lists(st.text(max_size=120), min_size=1, max_size=4), st.text(max_size=120), st.data())
def test_what_is_found_is_always_a_span_of_a_shown_passage(texts: list[str], said: str, data: st.DataObject) -> None:
    """Few, not empty, within the text, whatever the texts are."""
    shelf = [passage(text) for text in texts]
    number = data.draw(st.integers(-2, 6))
    for one in Sentences(shelf).find_carrying(said or texts[0], [Quote(passage=number, text=said)]):
        assert one.passage in shelf
        assert 0 <= one.start < one.end <= len(one.passage.content)
    assert len(Sentences(shelf).find_carrying(texts[0], ())) <= MOST_SENTENCES


def test_items_and_rows_know_what_introduces_them() -> None:
    """The sentence before a list or a table, and its head; the text after them has none."""
    table = "Fees:\n\n| Boat | Fee |\n|---|---|\n| A | 11 euros |\n\nPay at the gate."
    assert [one.introduction for one in split_pieces(CABINETS.content)] == ["", ""] + [
        "What may stand outside:"
    ] * 3 + [""]
    assert [one.introduction for one in split_pieces(table)][-2:] == ["Fees: | Boat | Fee |", ""]


def test_what_is_about_a_label_may_rest_on_a_sentence_without_one() -> None:
    """Next to the sentence that names it: never by itself, and never on one that is about another such thing."""
    tanks = passage(
        "The hatch of a tank is sealed above 60 degrees. That is reached by the boiler in Bay 4. "
        "The hatch in Bay 5 is sealed above 75 degrees.",
        name="Tanks",
    )

    def carrying(said: str) -> list[str]:
        return [one.as_written for one in Sentences([tanks]).find_carrying(said, ())]

    assert carrying("The hatch is sealed above 60 degrees, which the boiler in Bay 4 has reached.") == [
        "The hatch of a tank is sealed above 60 degrees.",
        "That is reached by the boiler in Bay 4.",
    ]
    swapped = "The boiler in Bay 4 has reached 75 degrees, above which the hatch is sealed."
    assert not any("75" in words for words in carrying(swapped))
    assert verify([statement(swapped)], [tanks]).reasons == {"number": 1}

    lamps = passage("In Hall 4 the lamps burn at night. By day they are dimmed to 35 per cent. Hall 3 has no lamps.")
    assert verify([statement("By day the lamps of Hall 4 are dimmed to 35 per cent.")], [lamps]).dropped == 0
    assert verify([statement("By day the lamps of Hall 3 are dimmed to 35 per cent.")], [lamps]).dropped == 1


@pytest.mark.parametrize("kind", ["Hall", "Terminal", "Option"])
def test_whatever_is_told_apart_by_a_mark_is_a_label(kind: str) -> None:
    """A claim about A is not supported by a row about C."""
    first = f"- {kind} A: at most 250 millilitres."
    rows = f"{first}\n- {kind} B: at most 1 litre.\n- {kind} C: at most 500 millilitres of glue.\n"
    found = Sentences([passage(rows, name="Store")]).find_carrying(
        f"Of {kind} A at most 250 millilitres of glue may stand.", ()
    )
    assert [one.as_written for one in found] == [first]


def test_the_word_first_weighs_no_more_than_another() -> None:
    """A sentence with most of a statement's words is its proof, not one that says "first" of something else."""
    shelf = (
        passage("A crew first moors the boat along the quay and then rests.", name="Mooring"),
        passage("We advise that a crew counts the lifebelts of the boat first, which is quick, and then leaves."),
    )
    said = "The guide wants a crew that first counts the lifebelts of a boat and then decides."
    [one] = Sentences(shelf).find_carrying(said, ())
    assert one.passage is shelf[1]


def test_a_share_does_not_hang_on_the_order_of_words() -> None:
    """Sum the same weights in each order: sets of words have another order in each process."""
    orders = permutations({"gate": 0.1, "key": 0.2, "lock": 0.3, "wall": 0.7}.items())
    assert len({measure_share({"gate", "key", "lock"}, dict(order)) for order in orders}) == 1
