"""Test the address that a page states for itself: a link to show."""

import pytest

from core.library.ingestion.parsers import parse

PAGE = "<html><head><title>Boats</title>{}</head><body><p>Boats lie at the jetty.</p></body></html>"
CANONICAL = '<link rel="canonical" href="{}">'
CARD = '<meta property="og:url" content="https://example.org/card">'
SAVED = "<!-- saved from url=(0025)https://example.org/saved -->"


@pytest.mark.parametrize(
    ("head", "address"),
    [
        (CANONICAL.format("https://example.org/boats"), "https://example.org/boats"),
        (CARD + CANONICAL.format("https://example.org/boats"), "https://example.org/boats"),
        (CANONICAL.format("/boats") + CARD, "https://example.org/card"),
        (SAVED, "https://example.org/saved"),
        (CANONICAL.format("javascript:alert(1)"), ""),
        (CANONICAL.format("file:///etc/passwd"), ""),
        (CANONICAL.format("https://a b.example/"), ""),
        (CANONICAL.format("https://example.org/" + "a" * 1000), ""),
        ("", ""),
    ],
)
def test_the_address_that_a_page_states(head: str, address: str) -> None:
    """Its canonical one before its card's and that of a browser that saved it; only what can be followed."""
    [document] = parse(PAGE.format(head).encode(), "boats.html").documents
    assert document.source_url == address
    assert document.metadata.get("stated_url", "") == address
