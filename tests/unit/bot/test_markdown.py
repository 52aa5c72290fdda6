"""Text with Markdown becomes lists and tables of Slack's, or Markdown that may be streamed: never a way out."""

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.blocks.rich_text import count_characters, render_blocks
from bot.blocks.streaming import render_pieces
from tests.unit.bot.test_blocks import TEXT, check_limits, check_markup

LIMIT = 7500
MARKS = st.text(alphabet="[]()<>!@#|*_~`&;:\\-+1. \nhtps/w.ae", max_size=60)
# What Slack takes for a mention or a link, whether or not something unescaped the text before.
TOKEN = re.compile(r"<[^\s\d=\u2060]")
BARE = re.compile(r"\w://\S|\bwww\.\S|mailto:\S", re.IGNORECASE)


def shown(text: str, limit: int = LIMIT) -> list[dict[str, Any]]:
    return [block.to_dict() for block in render_blocks(text, limit)]


def runs(block: dict[str, Any]) -> list[list[str]]:
    """The items of the lists in a block."""
    return [["".join(t["text"] for t in row["elements"]) for row in part["elements"]] for part in block["elements"]]


@given(text=st.one_of(TEXT, MARKS))
@example(text="| a |\n|---|\n" + "| b |\n" * 200)
@example(text="- x\n\ny\n\n" * 60)
def test_any_text_makes_blocks_within_the_limits(text: str) -> None:
    """Few enough blocks, few enough characters, no markup of the text's own, whatever it holds."""
    blocks = shown("A fact [1]. " + text)
    check_limits(blocks, most_blocks=30)
    check_markup(blocks, set())
    assert sum(map(count_characters, blocks)) <= LIMIT
    assert sum(block["type"] == "table" for block in blocks) <= 1


@given(text=st.one_of(TEXT, MARKS))
@example(text="[1](https://evil.example) [2]: https://evil.example")
@example(text="@*here*")
@example(text="0https://evil.example/?q=secret<!channel>")
@example(text="`<!channel>` www.evil.example a@evil.example evil.example/x")
@example(text="\\[x](https://evil.example) \\<!here> \\`https://evil.example\\`")
def test_streamed_text_leads_nowhere(text: str) -> None:
    """No link, image or HTML for any reader of Markdown; no mention; addresses only as code."""
    pieces = render_pieces("A fact [1]. " + text, LIMIT)
    whole = "".join(pieces)
    assert len(whole) <= LIMIT
    assert all(piece.strip() for piece in pieces)
    tokens = MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(whole)
    inner = [child for token in tokens for child in token.children or []]
    kinds = {token.type for token in (*tokens, *inner)}
    assert not kinds & {"link_open", "image", "html_inline", "html_block", "code_block"}
    words = "".join(child.content for child in inner if child.type in ("text", "text_special"))
    assert not BARE.search(words)
    assert not TOKEN.search(whole)
    assert not TOKEN.search("".join(token.content for token in (*tokens, *inner)))
    assert not re.search(r"@\w", words)


@given(words=st.lists(st.sampled_from(["p < 0.05", "5*3", "a_b", "[1]", "#5", "x|y", "~2", "C:\\dir"]), min_size=1))
def test_streamed_text_says_what_was_written(words: list[str]) -> None:
    """A reader of Markdown shows every character again."""
    text = "So " + " ".join(words)
    tokens = MarkdownIt("commonmark").parse("".join(render_pieces(text, LIMIT)))
    inner = [child for token in tokens for child in token.children or []]
    assert "".join("\n" if child.type == "softbreak" else child.content for child in inner) == text


def test_sentences_are_streamed_one_by_one() -> None:
    """Each line of an answer is a piece of its own, with its marks."""
    assert render_pieces("It opens at noon. [1]\nIt **closes** at three. [1][2]", LIMIT) == [
        "It opens at noon. [1]\n\n",
        "It **closes** at three. [1][2]\n\n",
    ]


def test_a_list_is_a_list() -> None:
    """Bullets, numbers from where they begin, lists within lists."""
    (block,) = shown("3. three\n4. four\n   - a **bold** word\n   - `code`\n5. five")
    assert runs(block) == [["three", "four"], ["a bold word", "code"], ["five"]]
    places = [(part["style"], part.get("indent"), part.get("offset")) for part in block["elements"]]
    assert places == [("ordered", None, 2), ("bullet", 1, None), ("ordered", None, 4)]
    styles = [text.get("style") for row in block["elements"][1]["elements"] for text in row["elements"]]
    assert styles == [None, {"bold": True}, None, {"code": True}]


def test_a_table_is_a_table_once() -> None:
    """The first becomes Slack's own; Slack takes no second, which is set in code."""
    table = "| Guard | Age |\n|---|---|\n| shear | 3 |\n| press | |"
    first, second = shown(f"{table}\n\n{table}")
    assert [[cell["text"] for cell in row] for row in first["rows"]] == [
        ["Guard", "Age"],
        ["shear", "3"],
        ["press", "–"],
    ]
    assert [column["align"] for column in first["column_settings"]] == ["left", "left"]
    (code,) = second["elements"]
    assert code["elements"][0]["text"] == "Guard | Age\n----- | ---\nshear | 3\npress | –"


@pytest.mark.parametrize(("rows", "columns", "kind"), [(99, 20, "table"), (100, 1, "rich_text"), (1, 21, "rich_text")])
def test_a_table_that_slack_does_not_take_is_set_in_code(rows: int, columns: int, kind: str) -> None:
    """A hundred rows with the head and twenty columns are the most."""
    lines = ["|" + "a|" * columns, "|" + "-|" * columns, *["|" + "b|" * columns] * rows]
    assert [block["type"] for block in shown("\n".join(lines))] == [kind]


@pytest.mark.parametrize(
    ("text", "mrkdwn"),
    [
        ("It **is** so.", "*is*"),
        ("It __is__ *really* ~~not~~ so.", "*is* _really_ ~not~"),
        ("# The head", "*The head*"),
        ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name"),
        ("[here](https://evil.example)", "[here](`https://evil.example`)"),
        ("&lt;!here&gt;", "&amp;lt;!here&amp;gt;"),
        ("[1]: https://evil.example", "[1]: `https://evil.example`"),
        ("First. [1]\nSecond. [2]", "First. [1]\nSecond. [2]"),
    ],
)
def test_words_keep_their_marks(text: str, mrkdwn: str) -> None:
    """Emphasis is written as Slack writes it; all else stays as it was, and an address is code."""
    (block,) = shown(text)
    assert mrkdwn in block["text"]["text"]


def test_what_does_not_fit_ends_with_an_ellipsis() -> None:
    """The longest beginning that fits is shown, also of structured text."""
    blocks = shown("- item of a list\n" * 400, 500)
    assert 400 < sum(map(count_characters, blocks)) <= 500
    assert runs(blocks[-1])[-1][-1].endswith("…")
