"""Test which words may be misspelt, and their possible corrections."""

import pytest

from core.language.query_understanding.spelling import find_meant, find_meant_twice, find_suspects, respell

KNOWN = frozenset(
    {"normalize", "labor", "travel", "center", "where", "is", "the", "red", "lock", "bike", "organized", "who", "can"}
)


def words(text: str) -> list[str]:
    return [suspect.word for suspect in find_suspects(text, KNOWN)]


def test_words_that_nobody_knows_are_suspected() -> None:
    """In lower case, in the order of the text."""
    assert words("Where is the Reciept for the goggels") == ["reciept", "goggels"]


@pytest.mark.parametrize(
    "text",
    [
        "where are the bikes, and who organised the locks",  # endings of known words
        "HNSW and IVF",  # capitals
        "pre-notified mail@firma.example https://firma.example/pfad x.yzwv",  # codes and addresses
        "wer ab",  # too short
        "ver5ion",
        "who normalises and normalised the labours, and travelled to the centre",  # the other spelling of English
        "l'addition",
    ],
)
def test_what_is_no_slip_is_not_suspected(text: str) -> None:
    """Known words with an ending, capitals, codes, addresses and short words."""
    assert not {"bikes", "organised", "hnsw", "pre", "notified", "mail", "yzwv", "addition"} & set(words(text))
    assert not {"normalises", "normalised", "labours", "travelled", "centre"} & set(words(text))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("recieve", "receive"), ("safty", "safety"), ("trainnig", "training"), ("docters", "doctors"), ("hsnw", "hnsw")],
)
def test_one_slip(typed: str, meant: str) -> None:
    """A letter too few, two in each other's place, or one for another."""
    assert meant in find_meant(typed)


def test_the_first_letter_is_right_and_a_short_word_has_no_other_letters() -> None:
    """So that "anual" is not taken for "manual", nor "wifi" for "wife"."""
    assert "manual" not in find_meant("anual")
    assert "wife" not in find_meant("wifi")
    assert find_meant("anual")["annual"] < find_meant("anual")["anvual"]


def test_two_slips_of_the_common_kind() -> None:
    """In long words alone."""
    assert "maintenance" in find_meant_twice("maintainance")
    assert "accommodate" in find_meant_twice("acomodate")
    assert find_meant_twice("hosue") == {}


def test_respelling_keeps_all_else() -> None:
    """Places, capitals and punctuation."""
    text = "Reciept lost: where is the reciept?"
    suspects = find_suspects(text, KNOWN | {"lost"})
    assert respell(text, dict.fromkeys(suspects, "receipt")) == "Receipt lost: where is the receipt?"
