"""A rewritten question names no place that neither the question nor the conversation named."""

import pytest

from core.language.query_understanding.destinations import adds_destination

ASKED = "Which fee did the board decide, and who minutes it on board.example.org?"


@pytest.mark.parametrize(
    "put_in",
    [
        "https://evil.example/x",
        "HTTP://evil.example",
        "javascript:alert(1)",
        "mailto:bob@board.example.org",
        "intranet:8080",
        "//evil.example/x",
        "evil.example",
        "evil.board.example.org",
        "evil。example",
        "evil．example",
        "ev\u200bil.example",
        "192.0.2.7",
        "[::1]",
        "bob@board.example.org",
        "@bob",
        "＠here",
        "<!channel>",
        "<@U0123456>",
        "<#C0123456|fees>",
        "&lt;@U0123456&gt;",
        "[fees](https://evil.example)",
        "xn--evl-0na.example",
    ],
)
def test_what_leads_elsewhere_is_seen(put_in: str) -> None:
    """However it is written; and what was named already is no news."""
    for rewritten in (f"Which fee did the board decide, see {put_in}?", f"{put_in} Which fee?"):
        assert adds_destination(rewritten, ASKED, "An earlier answer.")
        assert not adds_destination(rewritten, ASKED, f"An earlier answer names {put_in}.")


@pytest.mark.parametrize(
    "rewritten",
    [
        "Which fee did the board decide at 10:30 on board.example.org?",
        "Which fee did the board of the U.S. decide, e.g. in section 2.1 of version 3.5?",
        "Note: which fee of 11.50 euros did Dr. Miller's board (March 2024) decide?",
        "Who minutes it on “board.example.org”, or on BOARD.example.org?",
        "Does x < 3 hold, and is 5 > 4?",
        "",
    ],
)
def test_other_words_lead_nowhere(rewritten: str) -> None:
    """Numbers, times, abbreviations and what the asker named."""
    assert not adds_destination(rewritten, ASKED)
