"""Hyphens at the ends of a PDF's lines: those of the words stay, those of the typesetter go."""

import pytest

from core.library.ingestion.parsers.pdf import parse_pdf
from core.library.ingestion.parsers.pdf.joining import Joiner
from tests.unit.ingestion.files import paragraph, pdf

ENGLISH = "The boat is lent for a week and must be brought back clean before noon on the last day of that week."
GERMAN = "Das Boot wird eine Woche lang verliehen und muss am letzten Tag bis zum Mittag sauber sein."
FRENCH = "Le bateau est prêté pour une semaine et doit être rendu propre avant midi du dernier jour."


def joined(*lines: str, document: str = ENGLISH) -> str:
    """Lines as they are joined in a document of other words."""
    return Joiner([document, *lines]).join(lines)


@pytest.mark.parametrize(
    "word",
    [
        *("wind-powered", "off-season", "salt-water", "thirty-five", "short-term", "non-swimmers", "self-righting"),
        *("in-house", "two-way", "well-equipped", "cost-saving", "check-in", "year-end", "ninety-first", "full-time"),
    ],
)
def test_a_hyphen_between_words_stays(word: str) -> None:
    """Though the document has the word nowhere else."""
    first, second = word.split("-")
    assert joined(f"the {first}-", f"{second} boat") == f"the {word} boat"


@pytest.mark.parametrize(
    "parts",
    [
        *("har-bour", "mem-bers", "in-surance", "re-pair", "con-dition", "moor-ings", "over-night", "per-mission"),
        *("inflat-able", "navi-gation", "under-stand", "im-portant", "tempera-ture", "light-ning", "pho-tovoltaic"),
    ],
)
def test_a_hyphen_within_a_word_goes(parts: str) -> None:
    """Also where the parts are words of their own."""
    first, second = parts.split("-")
    assert joined(f"the {first}-", f"{second} is") == f"the {first}{second} is"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("an up-to-", "date list"), "an up-to-date list"),
        (("a state-", "of-the-art boat"), "a state-of-the-art boat"),
        (("pre-", "and post-race checks"), "pre- and post-race checks"),
        (("the Anglo-", "Norman harbour"), "the Anglo-Norman harbour"),
        (("SAFETY EQUIP-", "MENT"), "SAFETY EQUIPMENT"),
        (("a 24-", "hour watch"), "a 24-hour watch"),
        (("from 9 -", "noon"), "from 9 - noon"),
    ],
)
def test_chains_pairs_and_names(lines: tuple[str, ...], text: str) -> None:
    """A hyphen near another, before "and", between names and behind figures stays; in capitals words decide too."""
    assert joined(*lines) == text


def test_the_documents_own_words_decide_first() -> None:
    """Written in one or with a hyphen elsewhere, and not by the parts of the broken word itself."""
    assert joined("the foot-", "rope", document=f"{ENGLISH} A footrope is thin.") == "the footrope"
    assert joined("the com-", "pany", document=f"{ENGLISH} A com-pany is odd.") == "the com-pany"
    assert joined("a krill-", "trawler", document=f"{ENGLISH} A trawler takes krill.") == "a krill-trawler"
    assert joined("the krill-", "trawler") == "the krilltrawler"


@pytest.mark.parametrize(
    ("document", "lines", "text"),
    [
        (GERMAN, ("die Gebühren-", "ordnung"), "die Gebührenordnung"),
        (GERMAN, ("der Ein-", "und Ausgang"), "der Ein- und Ausgang"),
        (GERMAN, ("die Boots-", "halle"), "die Bootshalle"),
        (GERMAN, ("der Nord-", "Ostsee-Kanal"), "der Nord-Ostsee-Kanal"),
        (FRENCH, ("la répara-", "tion"), "la réparation"),
        (FRENCH, ("le porte-", "bateau"), "le portebateau"),
    ],
)
def test_words_of_other_languages_are_not_judged_by_english(document: str, lines: tuple[str, ...], text: str) -> None:
    """There a small letter goes on with the word, as the typesetter broke it."""
    assert joined(*lines, document=document) == text


def test_both_kinds_in_one_paragraph() -> None:
    """Both occur on one page."""
    lines = [
        "The harbour lends wind-",
        "surfing boards to all who can swim. Whoever bor-",
        "rows one signs a twenty-",
        "four hour agree-",
        "ment with the harbour master.",
    ]
    [block] = parse_pdf(pdf([paragraph(lines)]), "h.pdf").blocks
    assert "windsurfing" in block.text or "wind-surfing" in block.text
    assert "borrows one signs a twenty-four hour agreement" in block.text
