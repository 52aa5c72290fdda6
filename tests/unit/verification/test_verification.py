"""Test verification: a quote occurs in its passage word for word, and supports its statement."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.asking.verification.cleaning import clean, remove_links
from core.asking.verification.quote_normalisation import find_quote
from core.asking.verification.statements import shorten, verify
from core.types import Passage, Quote, Statement

TEXT = "The board raised the rate to 4-1/2 percent.\nIt will not raise it again in 2025, the chair said."


def passage(content: str = TEXT, rank: int = 1) -> Passage:
    return Passage(
        chunk_id=None, document_id=None, document_name="Minutes", document_type="minutes", document_date=None,
        source_url="", page_number=None, chapter="", section="", content=content, similarity=0.7, score=0.7, rank=rank,
    )  # fmt: skip


def statement(text: str, quote: str, number: int = 1) -> Statement:
    return Statement(text=text, quotes=(Quote(passage=number, text=quote),))


@given(st.text(min_size=1), st.data())
def test_every_piece_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    """Whatever is cut out of a text, and holds more than white space and quotation marks, is found."""
    start = data.draw(st.integers(0, len(text) - 1))
    piece = text[start : data.draw(st.integers(start + 1, len(text)))]
    span = find_quote(piece, text)
    if any(character.isalnum() for character in piece):
        assert span is not None


def test_typography_and_white_space_are_folded_and_offsets_kept() -> None:
    """A quote with plain marks is found in a text with typographic ones, at the text's own offsets."""
    text = "He said:  “it’s\n4–5 ﬁles”, twice."
    span = find_quote('"it\'s 4-5 files"', text)
    assert span is not None
    assert text[slice(*span)] == "it’s\n4–5 ﬁles"


def test_a_carried_statement_is_kept_with_its_citation() -> None:
    """A statement that its quote carries comes out numbered, the quote being a slice of the passage."""
    verified = verify(
        [statement("The rate was raised to 4-1/2 percent.", "raised the rate to 4-1/2 percent")], [passage()]
    )
    assert verified.text == "The rate was raised to 4-1/2 percent. [1]"
    (citation,) = verified.citations
    assert citation.quoted_excerpt == TEXT[citation.start : citation.end] == "raised the rate to 4-1/2 percent"
    assert verified.dropped == 0


@pytest.mark.parametrize(
    ("text", "quote", "number"),
    [
        ("The rate was raised to 5 percent.", "raised the rate to 4-1/2 percent", 1),
        ("The rate was raised to 5 percent.", "the rate was raised to 5 percent", 1),
        ("The board will raise it again in 2025.", "It will not raise it again in 2025", 1),
        ("Alice lives in Paris with nine cats.", "The board raised the rate to 4-1/2 percent.", 1),
        ("", "The board raised the rate to 4-1/2 percent.", 1),
    ],
    ids=["number", "invented", "negation", "off topic", "no text"],
)
def test_what_no_sentence_carries_is_dropped(text: str, quote: str, number: int) -> None:
    """Changed numbers, also with an invented quote, reversed negations and what is said nowhere leave nothing."""
    verified = verify([statement(text, quote, number)], [passage()])
    assert (verified.text, verified.citations, verified.dropped) == ("", (), 1)


@pytest.mark.parametrize(
    ("quote", "number"),
    [
        ("the rate was lifted to 4-1/2 percent", 1),
        ("raised the rate to 4-1/2 percent", 2),
        ("raised the rate to 4-1/2 percent", 0),
        ("It will not raise it again in 2025, the chair said.", 1),
        ("", 1),
        ("", 7),
    ],
    ids=["invented", "no such passage", "passage zero", "the sentence beside it", "none", "none of no passage"],
)
def test_wrong_quotes_cost_no_right_answer(quote: str, number: int) -> None:
    """The sentence that carries the statement is found, and cited as written."""
    verified = verify([statement("The rate was raised to 4-1/2 percent.", quote, number)], [passage()])
    assert verified.text.startswith("The rate was raised to 4-1/2 percent. [1]")
    (citation,) = verified.citations
    assert citation.quoted_excerpt == TEXT[citation.start : citation.end]
    assert "raised the rate to 4-1/2 percent" in citation.quoted_excerpt


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("It's the warden who verifies the gauge throughout the winter, despite the ice.", True),
        ("The gauge is checked by the warden, and it also shows the level of the basin.", True),
        ("The warden paints the gauge in winter.", False),
        ("The warden checks the gauge in winter and paints the hull, the mast and the oars of the launch.", False),
    ],
)
def test_words_of_grammar_and_words_alike_are_no_words_of_its_own(said: str, is_kept: bool) -> None:
    """A sentence found by the code may be reworded; its additional words are in doubt."""
    source = passage(
        "The warden checks the gauge in winter, when there is ice. The gauge displays the level of the basin."
    )
    result = verify([Statement(text=said, quotes=())], [source])
    assert bool(result.text) == is_kept, result.reasons


def test_the_same_quote_is_one_citation() -> None:
    """Two statements with one quote share its number."""
    quote = "The board raised the rate to 4-1/2 percent."
    verified = verify([statement(quote, quote), statement("The board raised the rate.", quote)], [passage()])
    assert [citation.number for citation in verified.citations] == [1]
    assert verified.text.count("[1]") == 2


def test_a_citation_has_the_page_on_which_its_quote_stands() -> None:
    """A passage that goes on over a page is cited by the page of the words, not by the page on which it begins."""
    over_pages = replace(passage(), page_number=4, later_pages=((TEXT.index("It will"), 5),))
    quotes = ("The board raised the rate to 4-1/2 percent.", "It will not raise it again in 2025")
    cited = verify([statement(quote, quote) for quote in quotes], [over_pages]).citations
    assert [(citation.quoted_excerpt, citation.page_number) for citation in cited] == [(quotes[0], 4), (quotes[1], 5)]


def test_links_of_the_model_do_not_come_through() -> None:
    """Their addresses are removed, in every form; the words of a link stay."""
    text = "See [the page](https://evil.example/?q=1) or <https://evil.example|here> or ftp://evil.example/x, now."
    assert remove_links(text) == "See the page or here or (link left out), now."
    assert "javascript:" not in remove_links("go javascript:alert(1) there")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Check https://status.port.example. If it is red, wait.", "Check status.port.example. If it is red, wait."),
        ("The form (see www.port.example/forms/4) is due.", "The form (see port.example/forms/4) is due."),
        ("Open http://10.example.org:8080/a, then sign in.", "Open 10.example.org:8080/a, then sign in."),
        ("Open https://port.example/a?b=1, then sign in.", "Open (link left out), then sign in."),
        ("Go to https://port.example@evil.example/ now.", "Go to (link left out) now."),
        ("Go to https://port.example/?to=https://evil.example now.", "Go to (link left out) now."),
    ],
)
def test_a_web_address_is_written_in_words(text: str, plain: str) -> None:
    """Without its scheme, with the full stop and the numbers around it."""
    assert clean(text) == plain


def test_an_address_is_shown_if_the_document_has_it() -> None:
    """One that differs in a letter is the model's own."""
    page = passage("Before every trip, check https://www.status.port.example/berths. If it is red, wait 10 minutes.")
    for said, is_kept in (
        ("Before every trip, check https://www.status.port.example/berths.", True),
        ("Before every trip, check status.port.example/berths.", True),
        ("Before every trip, check https://status.evil.example/berths.", False),
        ("Before every trip, check https://status.port.example/berths?q=10.", False),
    ):
        assert bool(verify([statement(said, page.content)], [page]).text) is is_kept, said


PSEUDO_LINKS = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "vbscript:x", "livescript:x", "data:text/html;base64,AAAA",
    "\\x0Bjavascript:javascript:alert(1)", "xjavascript:alert(1)", "\\x0Bdata:text/html,x", "_http://evil.example",
    "éhttps://evil.example", f"{'a' * 40}://evil.example", "_www.evil.example", "java`script:alert(1)",
    "java[1]script:alert(1)", "http:*//evil.example", "h`ttps://evil.example", "@[1]channel", "@`here", "<`!channel>",
    "[x](a [y](https://evil.example))", "[[x](a)](https://evil.example)", "java\u200bscript:alert(1)",
    "![[x](https://evil.example)", "".join(f"{mark}[1]" for mark in "javascript:alert(1)"),
]  # fmt: skip


@pytest.mark.parametrize("link", PSEUDO_LINKS)
def test_nothing_leads_somewhere_or_comes_of_what_is_taken_out(link: str) -> None:
    """Also behind letters and signs, and also in pieces that a mark between them parted."""
    cleaned = clean(f"The canteen opens at noon {link} today.")
    signs = ("://", "www.", "script:", "data:", "](", "@here", "@channel", "<!")
    assert [sign for sign in signs if sign in cleaned.casefold()] == []
    assert clean(cleaned) == cleaned


def test_words_that_look_like_schemes_stay() -> None:
    """A title with a colon, a word that ends like a scheme, and a colon behind "data"."""
    for text in ("JavaScript: The Good Parts is a book.", "The field metadata:title is kept.", "Our data: two lists."):
        assert clean(text) == text


def test_what_is_nested_to_get_through_is_not_shown() -> None:
    """Nothing is left of a text that is another one whenever it is read again."""
    assert clean("[" * 30 + "x" + "](y)" * 30) == ""


def test_excerpts_are_short_and_end_between_words() -> None:
    """An excerpt has at most 200 characters."""
    short = shorten("word " * 100)
    assert len(short) <= 200
    assert short.endswith("word…")
