"""Test the replacement of a draft's statements with the documents' own words."""

from core.asking.answering.repair import MOST_SENTENCES, say_in_own_words
from core.asking.verification.attribution import Sentences
from core.asking.verification.statements import verify
from tests.unit.verification.passages import passage, statement

EXPENSES = passage(
    "Claims handed in by the 10th of a month are paid on the 25th. Alcohol is not paid for.", name="Money"
)
LIMITS = passage("What is paid:\n- Hotels: at most 140 crowns a night.\n- Meals: 38 crowns a day.", name="Limits")
SHELF = (EXPENSES, LIMITS)


def own(text: str, *quotes: tuple[int, str], question: str = "") -> list[str]:
    """Return the statements made from one of the draft; each has to be verified."""
    found = say_in_own_words(statement(text, *quotes), SHELF, read=Sentences(SHELF), question=question)
    assert verify(found, SHELF).dropped == 0
    return [one.text for one in found]


def test_what_is_quoted_is_said_whole() -> None:
    """Whatever the model made of it, and though it quotes a part."""
    quote = "paid on the 25th"
    assert own("The money arrives then.", (1, quote)) == [
        "Claims handed in by the 10th of a month are paid on the 25th."
    ]
    assert own("Wine is paid for.", (1, "Alcohol is not paid for.")) == ["Alcohol is not paid for."]


def test_an_item_comes_with_what_introduces_it() -> None:
    """As it is quoted by the key-free model too."""
    assert own("140", (2, "at most 140 crowns a night")) == ["What is paid: Hotels: at most 140 crowns a night."]


def test_without_a_quote_the_sentence_that_tells_the_same_is_found() -> None:
    """If nothing sharp speaks against it: a changed figure points to nothing."""
    assert own("Wine and other alcohol is not paid for by us.") == ["Alcohol is not paid for."]
    arrives = "The money arrives on the 25th."
    assert own(arrives, question="when does the money arrive") == [
        "Claims handed in by the 10th of a month are paid on the 25th."
    ]
    assert own("Hotels are paid up to 150 crowns a night.") == []
    assert own("Gulls nest under every roof.") == []


def test_an_invented_quote_points_to_nothing() -> None:
    """Nor do words too short to prove anything."""
    assert own("Gulls are paid.", (1, "Gulls are paid on Fridays.")) == []
    assert own("Gulls are paid.", (1, "paid")) == []


def test_it_is_no_page_of_the_document() -> None:
    """At most a few sentences, each once."""
    long = passage(" ".join(f"Rule {n} is about item {n}." for n in range(9)))
    assert len(say_in_own_words(statement("Rules.", long.content), [long], read=Sentences([long]))) == MOST_SENTENCES
