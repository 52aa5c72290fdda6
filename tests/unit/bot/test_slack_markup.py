"""Test how a person's text is recovered from Slack's markup."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.markup import extract_question, read_words


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("<@U0BOT> When does the canteen open?", "When does the canteen open?"),
        ("When does it open, <@U0BOT>?", "When does it open, ?"),
        ("<@U0BOT|footnote>", ""),
        ("<@U0BOT>   \n ", ""),
        ("<@U0BOT> what did <@U7> write", "what did write"),
        ("what did <@U7|Ann> write", "what did @Ann write"),
        ("is <#C1|general> for <!here> or <!subteam^S1|@oncall>?", "is #general for @here or @oncall?"),
        ("see <https://x.example/a?b=1|this page> and <https://y.example>", "see this page and https://y.example"),
        ("write to <mailto:a@x.example|a@x.example> or <mailto:b@x.example>", "write to a@x.example or b@x.example"),
        ("is 3 &lt; 4 &amp;&amp; 5 &gt; 4? &amp;lt; stays", "is 3 < 4 && 5 > 4? &lt; stays"),
        ("&copy; was typed", "&copy; was typed"),
        ("first line\nsecond\u00a0 line", "first line second line"),
        ("", ""),
    ],
)
def test_slack_markup_becomes_what_the_person_sees(text: str, question: str) -> None:
    """Our mention goes, other markup becomes its label, and Slack's three escapes are undone once."""
    assert extract_question(text, own_user_id="U0BOT") == question


@given(st.text())
def test_plain_text_survives_the_way_through_slack(typed: str) -> None:
    """A text that was escaped as Slack does comes back, but for blanks at the ends and in a row."""
    sent = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert extract_question(sent, own_user_id="U0BOT").split() == typed.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ask <@U7> or <@U8|Ann> in <#C1|general>", "ask […] or @Ann in #general"),
        ("see <https://x.example|this page>\n\u2022 and <!here>", "see this page\n\u2022 and @here"),
        ("3 &lt; 4 &amp;&amp; &lt;@U7&gt;", "3 < 4 && <@U7>"),
    ],
)
def test_words_to_be_quoted_keep_their_lines(text: str, words: str) -> None:
    """Unreadable parts are marked as left out, and nothing else is removed."""
    assert read_words(text) == words
