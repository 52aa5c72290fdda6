"""The sentences that a statement rests on are found by the code: few, of one passage, and of the right thing."""

from hypothesis import given
from hypothesis import strategies as st

from core.citations.attribution import MOST_SENTENCES, Sentences
from core.citations.evidence import pieces
from core.citations.verification import verify
from core.types import Quote
from tests.unit.citations.passages import passage, statement

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
    return [one.as_written for one in Sentences(SHELF, question).carrying(said, own)]


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
    assert {one.passage.document_name for one in Sentences(SHELF).carrying(said, ())} == {"Ferry"}
    both = "The ferry to Holm leaves at 7, whereas the pier opens at nine."
    assert {one.passage.document_name for one in Sentences(SHELF).carrying(both, ())} == {"Ferry", "Hours"}


def test_the_question_settles_what_a_fragment_leaves_open() -> None:
    """ "At 7" is said of what was asked about."""
    shelf = (passage("The bakery opens at 7.", name="Shops"), passage("The bank opens at 7.", name="Offices"))
    for place, name in enumerate(("bakery", "bank")):
        [one] = Sentences(shelf, f"When does the {name} open?").carrying("At 7.", ())
        assert one.passage is shelf[place]


@given(st.lists(st.text(max_size=120), min_size=1, max_size=4), st.text(max_size=120), st.data())
def test_what_is_found_is_always_a_span_of_a_shown_passage(texts: list[str], said: str, data: st.DataObject) -> None:
    """Few, not empty, within the text, whatever the texts are."""
    shelf = [passage(text) for text in texts]
    number = data.draw(st.integers(-2, 6))
    for one in Sentences(shelf).carrying(said or texts[0], [Quote(passage=number, text=said)]):
        assert one.passage in shelf
        assert 0 <= one.start < one.end <= len(one.passage.content)
    assert len(Sentences(shelf).carrying(texts[0], ())) <= MOST_SENTENCES


def test_items_and_rows_know_what_introduces_them() -> None:
    """The sentence before a list or a table, and its head; what follows them stands by itself."""
    table = "Fees:\n\n| Boat | Fee |\n|---|---|\n| A | 11 euros |\n\nPay at the gate."
    assert [one.introduction for one in pieces(CABINETS.content)] == ["", ""] + ["What may stand outside:"] * 3 + [""]
    assert [one.introduction for one in pieces(table)][-2:] == ["Fees: | Boat | Fee |", ""]
