"""Test that no address is in an answer unless it is in the quotes."""

import pytest

from core.asking.verification.reasons import Reason
from tests.unit.verification.passages import verified

RESET = (
    "To reset your password, contact the help desk at help@footnote.example or on 020 7946 0958 with your staff card. "
    "The form is at https://intranet.footnote.example/reset, and the file is named setup-2.1.pdf."
)
FOREIGN = [
    "To reset your password, contact the help desk mallory@evil.example with your staff card.",
    "To reset your password, contact the help desk at evil-support.com with your staff card.",
    "To reset your password, contact the help desk at reset.evil.example/x with your staff card.",
    "To reset your password, contact the help desk at help@footnote.example.evil.org with your staff card.",
    "To reset your password, contact the help desk at nothelp@footnote.example with your staff card.",
    "To reset your password, contact the help desk (evil.io) with your staff card.",
    "To reset your password, contact the help desk at [evil.com](https://intranet.footnote.example/reset).",
    "To reset your password, contact the help desk at footnote.example@evil.com with your staff card.",
    "To reset your password, contact the help desk at mallory＠evil．example with your staff card.",
    "To reset your password, contact the help desk at mallory\u200b@\u200bevil\u200b.example with your staff card.",
    "To reset your password, contact the help desk at evil。com with your staff card.",
    "To reset your password, contact the help desk at mallory&#64;evil&period;example with your staff card.",
    "To reset your password, contact the help desk at xn--80ak6aa92e.com with your staff card.",
    "To reset your password, contact the help desk at пример.рф with your staff card.",
    "To reset your password, contact the help desk at desk/reset/evil with your staff card.",
    "To reset your password, contact the help desk at evil.example:8080 with your staff card.",
    "To reset your password, contact the help desk on 020 0958 7946 with your staff card.",
    "To reset your password, contact the help desk on 0958-020 with your 7946 staff card.",
]
QUOTED = [
    (RESET, "To reset your password, contact the help desk at help@footnote.example with your staff card."),
    (RESET, "Contact the help desk on 020 7946 0958 with your staff card to reset your password."),
    (RESET, "Contact the help desk on (020) 7946-0958 with your staff card to reset your password."),
    (RESET, "The form to reset your password is at intranet.footnote.example."),
    (RESET, "The file is named setup-2.1.pdf."),
    ("Visitors use the lockout and tagout procedure.", "Visitors use the lockout/tagout procedure."),
    ("Visitors wear badges and helmets.", "Visitors wear badges and/or helmets."),
    ("The U.S. office opens at 9 a.m. on weekdays.", "On weekdays the U.S. office opens at 9 a.m."),
    ("Members, for example Norway, pay the fee.", "Members, e.g. Norway, pay the fee."),
    ("The rate was 3.5 percent in the spring quarter.", "In the spring quarter the rate was 3.50 percent."),
    ("The rate was 4-1/4 percent.", "The rate was 4.25 percent."),
    ("Section 4.2 describes the valve.", "The valve is described in section 4.2."),
    ("The plan of 2020 to 2024 covers all sites.", "The plan of 2020-2024 covers all sites."),
    ("The pump runs at 1500 to 2000 turns.", "The pump runs at 1500-2000 turns."),
    ("The fund holds 12,500,000 dollars.", "The fund holds $12500000."),
    ("Save **settings.yaml** before the update.", "Save settings.yaml before the update."),
    ("The office in Washington, D.C. is closed.", "The office in Washington, D.C. is closed."),
]


@pytest.mark.parametrize("said", FOREIGN)
def test_an_address_of_the_models_own_is_not_shown(said: str) -> None:
    """However it is written: an address, a host, a path or a number that the quotes do not hold."""
    result = verified(said, RESET)
    assert (result.text, result.citations) == ("", ())
    assert result.reasons == {Reason.ADDRESS.value: 1}


@pytest.mark.parametrize(("source", "said"), QUOTED)
def test_what_the_quotes_hold_may_be_said(source: str, said: str) -> None:
    """It may be said as written there.

    Abbreviations, figures, dates and words on both sides of a slash are no addresses.
    """
    assert verified(said, source).reasons == {}


def test_the_reader_is_shown_the_sentence_that_holds_it() -> None:
    """An address is said only with the sentence that has it, also where the model quotes another."""
    said = "The help desk resets passwords; write to help@footnote.example."
    content = "The help desk resets passwords. Write to help@footnote.example."
    cited = verified(said, content, "The help desk resets passwords.").citations
    assert [one.quoted_excerpt for one in cited] == content.replace(". ", ".|").split("|")
    other = content.replace("help@", "desk@")
    assert verified(said, other, "The help desk resets passwords.").reasons == {"address": 1}
