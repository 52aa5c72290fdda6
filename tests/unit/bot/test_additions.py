"""The question above an answer."""

from bot.blocks.additions import put_question_above
from bot.blocks.message import notice
from slack_emulator.webapi.blocks import check_blocks


def test_a_question_is_words_and_nothing_more() -> None:
    """It mentions nobody, in one line, and is cut where Slack would not take it."""
    said = put_question_above(notice("No."), "Is <!channel>\nright? " + "x" * 2000, asked_by="U1")
    first = said.blocks[0]["elements"][0]
    assert first["text"].startswith("<@U1> asked: Is &lt;!channel&gt; right? xxx")
    assert first["text"].endswith("…")
    assert len(check_blocks(said.blocks, surface="message")) == 2


def test_who_reads_it_is_spoken_to() -> None:
    """Without a named asker the reader is addressed."""
    assert put_question_above(notice("No."), "Why?").blocks[0]["elements"][0]["text"] == "You asked: Why?"
