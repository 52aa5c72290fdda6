"""Whatever a document says, a message stays within Slack's limits and says only what we meant."""

import datetime as dt
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View

from bot.blocks.answer import TEXT_LIMIT, answer, render_sources
from bot.blocks.buttons import WHY, Buttons, read_vote
from bot.blocks.library import NO_SOURCES
from bot.blocks.masked import DOTS_HIDE
from bot.blocks.message import Message, notice, progress_message
from bot.blocks.older import MOST_STEPS, make_older
from bot.blocks.quotes import NOTHING, quotes_modal
from bot.blocks.refusal import INSTEAD, NOTHING_FOR_ALL, read_offered_question, refusal, render_refusal_pieces
from bot.blocks.text import escape, escape_within, link, split
from core.language.i18n.translation import speak_language
from core.types import (
    Answer,
    Citation,
    ConfidenceLevel,
    Filters,
    Guidance,
    Outdated,
    QueryState,
    QuoteInPlace,
    ReadableCollection,
    Refusal,
    RefusalReason,
    Verification,
)
from core.values.secrets import MASK

RESULT: dict[str, Any] = {
    "request_id": "req_20260102_0a1b2c3d",
    "query_id": UUID(int=1),
    "conversation_id": None,
    "confidence": 0.9,
    "confidence_level": ConfidenceLevel.HIGH,
    "retrieved": (),
    "state": QueryState.COMPLETE,
    "agent_steps": 1,
    "model_provider": "extractive",
    "processing_time_ms": 12,
    "trace_id": "0" * 32,
}
RICH = {"rich_text", "rich_text_list", "rich_text_section", "rich_text_preformatted", "text"}  # none that leads away
LINK = re.compile(r"<([^<>]*)>")

# Text as a document might hold it to do harm, besides ordinary text.
HOSTILE = st.sampled_from(
    [
        "<!channel>",
        "<!here|here>",
        "<@U0ALICE>",
        "<#C0SECRET|board>",
        "<https://evil.example/?q=secret|click>",
        "https://evil.example/?q=secret",
        "&lt;!channel&gt;",
        "&" * 4000,
        "<" * 3001,
        "x" * 14_000,
        "word " * 3000,
        "\n\n",
        "\x00",
        "*bold* _it_ `code` ```block```",
        "\n| a | b |\n|---|--:|\n| <!here> | https://evil.example |\n\n",
        "\n\n```\n<!channel>\n```\n",
        "\n- one\n  1. <@U0ALICE>\n",
        "[click](https://evil.example) ![x](https://evil.example/x.png)",
        "\n[1]: https://evil.example\n",
        "# **head** ~~out~~ <img src=x>",
        ">quote",
        "|",
        "@everyone #general",
    ]
)
TEXT = st.lists(st.one_of(HOSTILE, st.text(max_size=80)), min_size=1, max_size=6).map("".join)
URLS = st.one_of(
    st.just(""),
    st.sampled_from(
        [
            "https://library.example/a?b=1&c=2#d",
            "http://library.example/with space|and>brackets<",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://",
            "//library.example/a",
            "https://[broken",
            "https://x.example/" + "a" * 4000,
            "slack://user?team=T&id=U",
        ]
    ),
    st.text(max_size=40),
)


@st.composite
def citations(draw: st.DrawFn) -> tuple[Citation, ...]:
    count = draw(st.integers(min_value=0, max_value=12))
    return tuple(
        Citation(
            number=number,
            chunk_id=None,
            document_id=None,
            document_name=draw(TEXT),
            document_date=draw(st.none() | st.dates()),
            page_number=draw(st.none() | st.integers(min_value=1, max_value=9999)),
            chapter="",
            section=draw(st.just("") | TEXT),
            source_url=draw(URLS),
            excerpt="",
            quoted_excerpt=draw(TEXT),
            start=0,
            end=1,
            relevance_score=0.5,
        )
        for number in range(1, count + 1)
    )


def cite(**changes: Any) -> Citation:
    fields: dict[str, Any] = {
        "number": 1,
        "chunk_id": None,
        "document_id": None,
        "document_name": "Canteen rules",
        "document_date": dt.date(2026, 1, 28),
        "page_number": 3,
        "section": "Opening",
        "source_url": "https://library.example/canteen",
        "excerpt": "opens at noon",
        "quoted_excerpt": "The canteen opens at noon.",
        "start": 0,
        "end": 26,
        "relevance_score": 0.7,
    }
    return Citation(**(fields | changes))


TEXTS = ("mrkdwn", "plain_text", "text", "raw_text")


def texts(value: Any, kinds: tuple[str, ...] = TEXTS) -> Iterator[str]:
    """Every text object's text in a payload."""
    if isinstance(value, dict):
        if value.get("type") in kinds:
            yield value["text"]
        for part in value.values():
            yield from texts(part, kinds)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part, kinds)


def check_limits(blocks: list[dict[str, Any]], *, most_blocks: int) -> None:
    """Slack's documented limits, and the SDK's own reading of every block."""
    assert 1 <= len(blocks) <= most_blocks
    for block in blocks:
        parsed = Block.parse(block)
        assert parsed is not None
        assert parsed.to_dict() == block
        check_block(block)


def check_block(block: dict[str, Any]) -> None:
    """Check a block against Slack's documentation, where the SDK does not."""
    match block["type"]:
        case "section":
            assert 1 <= len(block["text"]["text"]) <= 3000
        case "context":
            assert 1 <= len(block["elements"]) <= 10
        case "actions":
            assert 1 <= len(block["elements"]) <= 25
            for element in block["elements"]:
                assert 1 <= len(element["text"]["text"]) <= 75
                assert len(element["value"]) <= 2000
        case "context_actions":
            assert 1 <= len(block["elements"]) <= 5
            for element in block["elements"]:
                check_beside(element)
        case "card":
            check_card(block)
        case "table":
            assert 1 <= len(block["rows"]) <= 100
            assert {len(row) for row in block["rows"]} == {len(block["column_settings"])}
            assert 1 <= len(block["column_settings"]) <= 20
            assert all(cell["text"].strip() for row in block["rows"] for cell in row)
            assert sum(len(cell["text"]) for row in block["rows"] for cell in row) <= 10_000
        case "rich_text":
            assert {part["type"] for part in walk(block) if "type" in part} <= RICH
            assert all(part["text"] for part in walk(block) if part.get("type") == "text")
        case _:
            assert block == {"type": "divider"}


def check_card(block: dict[str, Any]) -> None:
    """The limits of a card, whose buttons lead somewhere."""
    assert 1 <= len(block["title"]["text"]) <= 150
    assert 1 <= len(block.get("subtitle", {"text": "x"})["text"]) <= 150
    assert 1 <= len(block.get("body", {"text": "x"})["text"]) <= 200
    assert {button["type"] for button in block.get("actions", [])} <= {"button"}
    assert all(len(button["url"]) <= 3000 for button in block.get("actions", []))


def check_beside(element: dict[str, Any]) -> None:
    """Slack's documented limits of what a context_actions block may hold; the bin is the one icon that there is."""
    if element["type"] == "feedback_buttons":
        halves = (element["positive_button"], element["negative_button"])
    else:
        assert (element["type"], element["icon"]) == ("icon_button", "trash")
        assert 1 <= len(element["visible_to_user_ids"]) <= 10
        halves = (element,)
    for half in halves:
        assert half["text"]["type"] == "plain_text"
        assert 1 <= len(half["text"]["text"]) <= 75
        assert len(half["accessibility_label"]) <= 75
        assert len(half["value"]) <= 2000


def check_message(said: Message) -> None:
    """The limits hold for a message in each of the forms in which it may be sent."""
    assert make_older(said, 0) == said
    for step in range(MOST_STEPS + 1):
        form = make_older(said, step)
        check_limits(form.blocks, most_blocks=50)
        assert sum(len(text) for text in texts(form.blocks)) < 13_200  # msg_blocks_too_long
        assert form.text == said.text
        given_up = [set(), {"context_actions", "card"}, {"context_actions", "card", "table"}][step]
        assert not {block["type"] for block in form.blocks} & given_up
    assert 1 <= len(said.text) <= 40_000


def check_markup(payload: Any, urls: set[str]) -> None:
    """Angle brackets occur only around the given addresses, and Slack is set to look for nothing else.

    What is no mrkdwn is not read for markup by Slack.
    """
    for text in texts(payload, ("mrkdwn",)):
        for token in LINK.findall(text):
            address, bar, label = token.partition("|")
            assert html.unescape(address) in urls
            assert bool(label.strip()) == bool(bar)
        assert not set(LINK.sub("", text).removeprefix("> ")) & {"<", ">"}  # "> " is our mark of a quote
        assert re.fullmatch(r"(?:[^&]|&amp;|&lt;|&gt;)*", text, re.DOTALL)
    for mrkdwn in (value for value in walk(payload) if value.get("type") == "mrkdwn"):
        assert mrkdwn["verbatim"] is True


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from walk(part)
    elif isinstance(value, list):
        for part in value:
            yield from walk(part)


def addresses(cited: tuple[Citation, ...]) -> set[str]:
    """Return the addresses that the links of these citations may point to."""
    linked = {html.unescape(link(c.source_url, "x", 600)[1:].partition("|")[0]) for c in cited}
    return {address for address in linked if address.startswith(("http://", "https://"))}


@given(text=TEXT, cited=citations(), level=st.sampled_from(ConfidenceLevel))
@example(text="&" * 20_000, cited=(), level=ConfidenceLevel.LOW)
def test_an_answer_stays_within_the_limits(text: str, cited: tuple[Citation, ...], level: ConfidenceLevel) -> None:
    """Any text and citations make a message that Slack takes, with no markup but the citations' links."""
    result = Answer(**(RESULT | {"confidence_level": level}), text="A fact [1]. " + text, citations=cited)
    said = answer(result)
    check_message(said)
    check_markup(said.blocks, addresses(cited))
    assert not set(said.text) & {"<", ">"}
    assert sum(block["type"] == "table" for block in said.blocks) <= 1


def test_what_was_searched_is_said_below() -> None:
    """An answer and a refusal name the filters that were applied, escaped; without any there is no such line."""
    narrowed = Filters(document_type="minutes", source="<!here>", date_from=dt.date(2024, 1, 1))
    told = [
        list(texts(said.blocks))
        for filters in (narrowed, Filters(max_results=3))
        for said in (
            answer(Answer(**RESULT, text="It opens at noon. [1]", citations=(cite(),), filters=filters)),
            refusal(Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No.", filters=filters)),
        )
    ]
    line = "Looked only in: minutes, “&lt;!here&gt;”, since 1 January 2024"
    assert [line in said for said in told] == [True, True, False, False]
    assert not any("Looked only in" in text for said in told[2:] for text in said)


@given(message=TEXT)
def test_a_refusal_stays_within_the_limits(message: str) -> None:
    """Any message of a refusal makes a message that Slack takes."""
    said = refusal(Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No: " + message))
    check_message(said)
    check_markup(said.blocks, set())


def unsure(*closest: Citation) -> Refusal:
    """A refusal with the passages that come closest."""
    return Refusal(**RESULT, reason=RefusalReason.UNSURE, message="I am not sure. These come closest:", closest=closest)


@given(cited=citations().filter(bool))
def test_the_closest_passages_stay_within_the_limits(cited: tuple[Citation, ...]) -> None:
    """Any of them make a message that Slack takes, with no markup but their links; three at most, and none streamed."""
    said = refusal(unsure(*cited), ALL)
    check_message(said)
    check_markup(said.blocks, addresses(cited))
    assert not set(said.text) & {"<", ">"}
    assert sum(text.startswith("> ") for text in texts(said.blocks)) == min(3, len(cited))
    leading = [token for token in LINK.findall("".join(render_refusal_pieces(unsure(*cited)))) if token[:1].isalnum()]
    assert leading == []


def test_the_closest_passages_read_as_designed() -> None:
    """Each word for word with its source below it, and the buttons of an answer that cannot be shared."""
    said = refusal(
        unsure(cite(), cite(number=2, page_number=None, quoted_excerpt="Soup\nis served.", is_recognised=True)), ALL
    )
    assert [block["type"] for block in said.blocks] == ["section", "card", "card", "actions", "context_actions"]
    assert list(texts(said.blocks[:3], ("mrkdwn",))) == [
        "I am not sure. These come closest:",
        *("> The canteen opens at noon.", "page 3", "[1] Canteen rules, 2026-01-28"),  # in the order of the keys
        *("> Soup is served.", "section Opening, recognised text", "[2] Canteen rules, 2026-01-28"),
    ]
    assert {card["actions"][0]["url"] for card in said.blocks[1:3]} == {"https://library.example/canteen"}
    assert [button["action_id"] for button in said.blocks[3]["elements"]] == [
        "show_quotes",
        "why_this_answer",
        "ask_in_other_words",
        "ask_a_person",
    ]
    assert [element["action_id"] for element in said.blocks[4]["elements"]] == ["feedback"]
    assert said.text == "I am not sure. These come closest:\n\n[1] The canteen opens at noon.\n\n[2] Soup is served."


SHELVES = tuple(
    ReadableCollection(name=name, documents=count, newest=None)
    for name, count in (("Rules & <all>", 3), ("Minutes", 12), ("Papers", 1), ("Manuals", 2), ("Notes", 4))
)


def test_a_refusal_helps_on() -> None:
    """It says what was looked in, the largest first, and what to try; and offers questions, with request and words."""
    questions = ("What should I know about soup?", "x" * 120, "Third?", "Fourth?")
    result = Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No.")
    said = refusal(result, guidance=Guidance(collections=SHELVES, questions=questions), is_public=True)
    check_message(said)
    check_markup(said.blocks, set())
    holds = "Minutes (12), Notes (4), Rules &amp; &lt;all&gt; (3), Manuals (2) and 1 more"
    looked = f"I looked in 22 documents that everyone here may read: {holds}."
    advice = "If it should be there, use words that a document would use, or ask for one thing at a time."
    assert list(texts(said.blocks, ("mrkdwn",))) == ["No.", f"{looked} {advice}", INSTEAD]
    offered = said.blocks[3]["elements"]
    assert [button["action_id"] for button in offered] == ["ask_instead_0", "ask_instead_1", "ask_instead_2"]
    assert [read_offered_question(button["value"]) for button in offered] == [
        (result.request_id, q) for q in questions[:3]
    ]
    assert offered[1]["text"]["text"] == "x" * 74 + "…"


def test_a_refusal_under_filters_says_where_else_it_could_look() -> None:
    """Other words would find nothing there."""
    narrowed = {**RESULT, "filters": Filters(document_type="minutes")}
    result = Refusal(**narrowed, reason=RefusalReason.NOTHING_FOUND, message="No.")
    said = list(texts(refusal(result, guidance=Guidance(collections=SHELVES, questions=())).blocks, ("mrkdwn",)))
    assert said[0] == "No."
    assert said[1].startswith("Looked only in: ")
    assert said[2].startswith("I can search 22 documents for you: ")
    assert said[2].endswith("Ask without the filters, or without naming where to look.")
    assert "other words" not in " ".join(said)


def test_other_words_are_offered_only_where_they_can_help() -> None:
    """Not to who may read nothing, nor where nothing is shown to anybody."""
    result = Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No.")
    nothing = Guidance(collections=(), questions=())
    something = Guidance(collections=SHELVES, questions=())
    in_vain = ({"guidance": nothing}, {"nothing_to_read": "None."}, {"bots": ["B1"]}, {"is_undecided": True})
    assert "Ask in other words" in str(refusal(result, guidance=something).blocks)
    for shown in in_vain:
        assert "Ask in other words" not in str(refusal(result, **shown).blocks)


def test_the_button_below_a_refusal_asks_why_there_is_no_answer() -> None:
    """Below an answer it asks why that one; both open the same window."""
    refused = refusal(Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No."))
    close = refusal(Refusal(**RESULT, reason=RefusalReason.UNSURE, message="No.", closest=(cite(),)))
    given = answer(Answer(**RESULT, text="It opens at noon [1].", citations=(cite(),)))
    labels = [
        button["text"]["text"]
        for said in (refused, close, given)
        for block in said.blocks
        for button in block.get("elements", ())
        if button.get("action_id") == WHY
    ]
    assert labels == ["Why no answer?", "Why no answer?", "Why this answer?"]


def test_an_answer_is_shared_where_it_was_asked() -> None:
    """In a thread, or, behind a command, in the channel."""
    given = Answer(**RESULT, text="It opens at noon [1].", citations=(cite(),))
    labels = {
        is_beside_thread: "Share to thread" in str(blocks) and "Share in the channel" not in str(blocks)
        for is_beside_thread in (True, False)
        for blocks in [answer(given, Buttons(share=True, is_beside_thread=is_beside_thread)).blocks]
    }
    assert labels == {True: True, False: False}
    assert "Share" not in str(answer(given, Buttons()).blocks)


def test_where_there_is_nothing_to_read_it_is_said_of_whom() -> None:
    """Of everyone in a channel, or of the one who asks."""
    result = Refusal(**RESULT, reason=RefusalReason.NOTHING_FOUND, message="No.")
    nothing = Guidance(collections=(), questions=())
    told = [list(texts(refusal(result, guidance=nothing, is_public=public).blocks))[1] for public in (True, False)]
    assert told == [NOTHING_FOR_ALL, NO_SOURCES]


@pytest.mark.parametrize("value", ["", "req_20260102_0a1b2c3d", "req_20260102_0a1b2c3d  ", "x" * 31 + " What?"])
def test_a_value_that_is_none_of_ours_asks_nothing(value: str) -> None:
    """Without a question, or with what is no request's id."""
    assert read_offered_question(value) == ("", "")


@given(cited=citations(), around=TEXT)
def test_the_quotes_stay_within_the_limits(cited: tuple[Citation, ...], around: str) -> None:
    """Any quotes make a modal that Slack takes; without quotes it says so."""
    modal = quotes_modal([QuoteInPlace(citation=citation, before=around, after=around[:300]) for citation in cited])
    assert View(**modal).to_dict() == modal
    assert len(modal["title"]["text"]) <= 24
    check_limits(modal["blocks"], most_blocks=100)
    check_markup(modal, addresses(cited))
    assert (list(texts(modal["blocks"])) == [NOTHING]) == (not cited)


@given(text=TEXT, limit=st.integers(min_value=20, max_value=200))
def test_splitting_loses_nothing(text: str, limit: int) -> None:
    """The pieces of a text are short enough, hold every visible character, and cut no entity."""
    pieces = split(escape(text), limit)
    assert all(1 <= len(piece) <= limit for piece in pieces)
    assert "".join("".join(html.unescape(piece).split()) for piece in pieces) == "".join(
        text.replace("\x00", "").split()
    )


@given(text=TEXT, limit=st.integers(min_value=20, max_value=200))
def test_a_cut_text_is_a_beginning(text: str, limit: int) -> None:
    """Escaped text that is cut begins as the whole does, ends with an ellipsis, and cuts no entity."""
    cut = escape_within(text, limit)
    assert len(cut) <= limit
    if cut != escape(text):
        assert cut.endswith("…")
        assert text.replace("\x00", "").startswith(html.unescape(cut[:-1]))


def test_a_source_leads_to_where_it_is_opened() -> None:
    """Quotes of one place are on one line, which leads to the first; a document without a date shows its file."""
    opened = [f"https://footnote.example.com/citations/{number}/" for number in (1, 2, 3)]
    there = [cite(number=number, opens_at=opens_at) for number, opens_at in enumerate(opened[:2], 1)]
    undated = cite(number=3, document_date=None, file_name="canteen-2025.pdf", opens_at=opened[2])
    assert render_sources((*there, undated)) == (
        f"[1][2] <{opened[0]}|Canteen rules>, 2026-01-28, page 3\n"
        f"[3] <{opened[2]}|Canteen rules>, canteen-2025.pdf, page 3"
    )


def test_quotes_stand_below_the_citation_in_full() -> None:
    """Escaped as everything is; the name is said once, whether the citation in full has it or is no more than it."""
    cited = [
        cite(full_citation=full)
        for full in (
            "A <b> (2025). Canteen rules.",
            "Canteen rules",
            "A <b> (2025). Meals, 2nd edition.",
            "Canteen rules (2026-01-28).",
            "A <b> (2026). Canteen rules.",
        )
    ]
    views = [quotes_modal([QuoteInPlace(citation=citation)]) for citation in cited]
    shown = [view["blocks"][0]["text"]["text"] for view in views]
    address = "https://library.example/canteen"
    name = f"<{address}|Canteen rules>, 2026-01-28"
    assert shown == [
        f"<{address}|A &lt;b&gt; (2025). Canteen rules>, 2026-01-28",
        name,
        f"{name}\nA &lt;b&gt; (2025). Meals, 2nd edition.",
        name,
        f"<{address}|A &lt;b&gt; (2026-01-28). Canteen rules.>",
    ]


def test_the_window_with_quotes_shows_no_marks_of_tables_and_headings() -> None:
    """Cells are parted by dots; headings that repeat the document's name or the section are left out."""
    before = "# Canteen rules\n\n## Opening\n\n### Prices\n\n| Dish | Price |\n|---|---:|"
    quote = QuoteInPlace(
        citation=cite(quoted_excerpt="| Soup | 3 euros |\n| Stew | 6 euros |", page_number=None),
        before=before,
        after="| Pie | 4 euros |\n\nGuests pay 1 | 2 euros more.",
    )
    shown = list(texts(quotes_modal([quote])["blocks"], ("mrkdwn",)))
    assert shown[1].startswith("[1] section Opening · ")
    assert "Prices" in shown[1]
    assert shown[1].endswith("Dish · Price")
    assert shown[2] == "> Soup · 3 euros Stew · 6 euros"
    assert shown[3] == "Pie · 4 euros\n\nGuests pay 1 · 2 euros more."
    assert not any(mark in text for text in shown for mark in ("|--", "---", "#", " | "))
    assert not any("Canteen rules" in text for text in shown[1:])


def test_an_answer_reads_as_designed() -> None:
    """Text, numbered source with link, date and page, confidence in words, and the buttons with the request's id."""
    cited = (cite(), cite(number=2, page_number=None, document_date=None, source_url="ftp://x.example/a"))
    said = answer(Answer(**RESULT, text="It opens at noon [1][2].", citations=cited))
    assert said.text == "It opens at noon [1][2]."
    kinds = [block["type"] for block in said.blocks]
    assert kinds == ["section", "section", "context", "actions", "context_actions"]
    assert said.blocks[0]["text"]["text"] == "It opens at noon [1][2]."
    assert said.blocks[1]["text"]["text"] == (
        "[1] <https://library.example/canteen|Canteen rules>, 2026-01-28, page 3\n[2] Canteen rules, section Opening"
    )
    assert said.blocks[2]["elements"][0]["text"] == "High confidence"
    (button, why), (votes,) = said.blocks[3]["elements"], said.blocks[4]["elements"]
    assert (button["action_id"], button["value"]) == ("show_quotes", RESULT["request_id"])
    assert (why["action_id"], why["value"]) == ("why_this_answer", RESULT["request_id"])
    pressed = [votes[f"{half}_button"]["value"] for half in ("positive", "negative")]
    assert [read_vote(value) for value in pressed] == [(RESULT["request_id"], "up"), (RESULT["request_id"], "down")]


def test_a_message_in_older_blocks_says_the_same() -> None:
    """The votes are buttons in the one row, a card is its quote and its source, and a table lines of code."""
    table = "| Day | Soup |\n|---|---|\n| Monday | Leek [1] |"
    said = make_older(answer(Answer(**RESULT, text=table, citations=(cite(),)), replace(ALL, remove_by="U0ALICE")), 2)
    assert [block["type"] for block in said.blocks] == ["rich_text", "section", "context", "actions"]
    assert "Monday | Leek [1]" in said.blocks[0]["elements"][0]["elements"][0]["text"]
    assert [button["action_id"] for button in said.blocks[3]["elements"]] == [
        "show_quotes",
        "why_this_answer",
        "share_answer",
        "ask_a_person",
        "feedback_up",
        "feedback_down",
    ]
    assert {button["value"] for button in said.blocks[3]["elements"]} == {RESULT["request_id"]}
    long = "So it says. " * 60
    closest = unsure(cite(), cite(number=2, source_url="", quoted_excerpt=long))
    older = make_older(refusal(closest, NONE), 1)
    assert list(texts(older.blocks, ("mrkdwn",))) == [
        "I am not sure. These come closest:",
        "> The canteen opens at noon.",
        "[1] <https://library.example/canteen|Canteen rules, 2026-01-28>, page 3",
        "[2] Canteen rules, 2026-01-28, page 3",
        f"> {long.strip()}",
    ]


@pytest.mark.parametrize("value", ["", "up", "sideways req_1", "req_1", "down\treq_1"])
def test_what_is_no_vote_is_none(value: str) -> None:
    """Neither a request nor a verdict is read from it, or it has no request."""
    assert read_vote(value)[0] == ""


@pytest.mark.parametrize(
    ("name", "outdated", "said"),
    [
        ("Ann <Field>", None, ":white_check_mark: Verified by Ann &lt;Field&gt; on 20 March 2026"),
        ("", None, ":white_check_mark: Verified on 20 March 2026"),
        (
            "Ann",
            Outdated.SOURCES_CHANGED,
            ":warning: Verified by Ann on 20 March 2026. The sources have changed since: please check them.",
        ),
        (
            "Ann",
            Outdated.REVIEW_DUE,
            (
                ":warning: Verified by Ann on 20 March 2026. "
                "It should have been reviewed by now: please check the sources."
            ),
        ),
    ],
)
def test_a_verified_answer_says_by_whom_in_place_of_how_sure(name: str, outdated: Outdated | None, said: str) -> None:
    """One line, which warns where it may be outdated."""
    when = dt.datetime(2026, 3, 20, 9, 30, tzinfo=dt.UTC)
    verified = Verification(verified_by=name, verified_at=when, outdated=outdated)
    shown = answer(Answer(**RESULT, text="It opens at noon [1].", citations=(cite(),), verified=verified))
    assert shown.blocks[2]["elements"][0]["text"] == said


def test_who_verified_is_said_in_the_language_of_the_place() -> None:
    """As everything that Footnote says of itself."""
    verified = Verification(verified_by="Ann", verified_at=dt.datetime(2026, 3, 20, tzinfo=dt.UTC))
    with speak_language("de"):
        shown = answer(Answer(**RESULT, text="It opens at noon [1].", citations=(cite(),), verified=verified))
    assert shown.blocks[2]["elements"][0]["text"] == ":white_check_mark: Geprüft von Ann am 20. März 2026"


def test_a_long_answer_is_cut_not_refused() -> None:
    """An answer beyond the limit ends with an ellipsis and keeps its sources and buttons."""
    said = answer(Answer(**RESULT, text="word " * 4000, citations=(cite(),)))
    body = [block["text"]["text"] for block in said.blocks if block["type"] == "section"]
    assert body[-2].endswith("…")
    assert sum(map(len, body[:-1])) <= TEXT_LIMIT
    assert "Canteen rules" in body[-1]


def test_sources_that_do_not_fit_are_counted() -> None:
    """A list of sources that is too long says how many more there are."""
    cited = tuple(
        cite(number=number, document_name="n" * 590, source_url="", page_number=number) for number in range(1, 11)
    )
    said = answer(Answer(**RESULT, text="A fact [1].", citations=cited))
    shown = "\n".join(block["text"]["text"] for block in said.blocks[1:-3])
    assert "[6]" in shown
    assert "[7]" not in shown
    assert shown.endswith("… and 4 more")


def test_a_place_that_is_cited_again_stands_once() -> None:
    """With all of its numbers; another page of the same document is another place."""
    cited = (cite(), cite(number=2, page_number=4), cite(number=3), cite(number=4, document_name="Other rules"))
    said = answer(Answer(**RESULT, text="It opens at noon [1][2][3][4].", citations=cited))
    canteen = "<https://library.example/canteen|Canteen rules>, 2026-01-28"
    assert said.blocks[1]["text"]["text"] == (
        f"[1][3] {canteen}, page 3\n[2] {canteen}, page 4\n"
        "[4] <https://library.example/canteen|Other rules>, 2026-01-28, page 3"
    )


@pytest.mark.parametrize("said", [progress_message("searching"), notice("One sentence.")])
def test_our_own_sentences_are_messages(said: Message) -> None:
    """The placeholder and a notice are within the limits."""
    check_message(said)
    check_markup(said.blocks, set())


ALL = Buttons(share=True, ask_a_person="I will ask Bob & <all> to answer in this thread.")
NONE = Buttons(show_quotes=False, why=False, feedback=False, ask_again=False)


@pytest.mark.parametrize(
    ("buttons", "on_answer", "on_refusal"),
    [
        (
            ALL,
            ["show_quotes", "why_this_answer", "share_answer", "ask_a_person", "feedback"],
            ["why_this_answer", "ask_in_other_words", "ask_a_person", "feedback_down"],
        ),
        (
            Buttons(),
            ["show_quotes", "why_this_answer", "feedback"],
            ["why_this_answer", "ask_in_other_words", "feedback_down"],
        ),
        (
            Buttons(remove_by="U0ALICE", feedback=False),
            ["show_quotes", "why_this_answer", "remove_answer"],
            ["why_this_answer", "ask_in_other_words", "remove_answer"],
        ),
        (NONE, [], []),
    ],
)
def test_buttons_show_where_they_make_sense(buttons: Buttons, on_answer: list[str], on_refusal: list[str]) -> None:
    """A refusal has no quotes and nothing to share; a question that is asked back or was not stored has no buttons."""

    def shown(said: Message) -> list[str]:
        check_message(said)
        return [e["action_id"] for b in said.blocks if b["type"].endswith("actions") for e in b["elements"]]

    assert shown(answer(Answer(**RESULT, text="It opens at noon. [1]", citations=(cite(),)), buttons)) == on_answer
    refused = {
        reason: shown(refusal(Refusal(**RESULT, reason=reason, message="No."), buttons)) for reason in RefusalReason
    }
    ends = (
        RefusalReason.NOTHING_FOUND,
        RefusalReason.INSUFFICIENT,
        RefusalReason.MODEL_UNAVAILABLE,
        RefusalReason.OVER_QUOTA,  # of a budget, which is stored; a person's own quota is not
    )
    assert refused == {reason: on_refusal if reason in ends else [] for reason in RefusalReason}
    unstored = Refusal(**(RESULT | {"query_id": None}), reason=RefusalReason.NOTHING_FOUND, message="No.")
    assert shown(refusal(unstored, buttons)) == []


def test_who_will_read_is_asked_about_first() -> None:
    """The button that hands a question on asks back, with a plain sentence of at most 300 characters."""
    said = answer(Answer(**RESULT, text="Yes. [1]", citations=(cite(),)), Buttons(ask_a_person="x" * 400))
    (confirm,) = [e["confirm"] for e in said.blocks[-2]["elements"] if "confirm" in e]
    assert confirm["text"] == {"type": "plain_text", "text": "x" * 300, "emoji": False}


def test_quotes_stand_below_their_document() -> None:
    """One head for each document, in the order of the first citations; place, words around, the quote itself."""
    one, two = UUID(int=1), UUID(int=2)
    quotes = [
        QuoteInPlace(citation=cite(document_id=one), before="Doors first.", after="It closes at three."),
        QuoteInPlace(citation=cite(number=2, document_id=two, document_name="Vault rules", page_number=None)),
        QuoteInPlace(citation=cite(number=3, document_id=one, page_number=9, quoted_excerpt="Soup\nis served.")),
    ]
    modal = quotes_modal(quotes)
    assert list(texts(modal["blocks"])) == [
        "<https://library.example/canteen|Canteen rules>, 2026-01-28",
        "[1] page 3 · Doors first.",
        "> The canteen opens at noon.",
        "It closes at three.",
        "[3] page 9",
        "> Soup is served.",
        "<https://library.example/canteen|Vault rules>, 2026-01-28",
        "[2] section Opening",
        "> The canteen opens at noon.",
    ]


@pytest.mark.parametrize(("words", "is_explained"), [(f"The PIN is {MASK * 4}.", True), (f"{MASK * 3} {MASK}", False)])
def test_dots_in_place_of_a_secret_are_explained(words: str, is_explained: bool) -> None:
    """Once, in the answer, with closest passages and above quotes; fewer are a document's own."""
    masked = cite(quoted_excerpt=words)
    results = {
        "answer": answer(Answer(**RESULT, text=f"{words} [1]", citations=(masked,))).blocks,
        "closest": refusal(unsure(cite(), masked)).blocks,
        "long passage": refusal(unsure(cite(quoted_excerpt=f"{'Soup. ' * 100}{words}"))).blocks,
        "quotes": quotes_modal([QuoteInPlace(citation=cite()), QuoteInPlace(citation=masked)])["blocks"],
        "around": quotes_modal([QuoteInPlace(citation=cite(), before=words)])["blocks"],
    }
    said = {name: list(texts(blocks)).count(DOTS_HIDE) for name, blocks in results.items()}
    assert said == dict.fromkeys(results, int(is_explained))
    lines = [texts([block]) for block in results["answer"] if block["type"] == "context"]
    assert [list(line) for line in lines][-1] == ["High confidence"]


@pytest.mark.parametrize("count", [60, 200])
def test_many_quotes_fit_with_what_their_dots_are(count: int) -> None:
    """The line is the first of the modal, where it is seen before the quotes."""
    quotes = [QuoteInPlace(citation=cite(number=n, quoted_excerpt=MASK * 9), before="b") for n in range(count)]
    modal = quotes_modal(quotes)
    check_limits(modal["blocks"], most_blocks=100)
    assert next(texts(modal["blocks"])) == DOTS_HIDE


@pytest.mark.parametrize(("documents", "count", "shown"), [(1, 60, 60), (60, 60, 49), (1, 200, 97)])
def test_many_quotes_fit_or_are_counted(documents: int, count: int, shown: int) -> None:
    """More than fifty quotes are shown without the words around them, and what a modal has no room for is counted."""
    quotes = [
        QuoteInPlace(
            citation=cite(number=n, document_id=UUID(int=n % documents), quoted_excerpt="q" * 4000), before="b"
        )
        for n in range(1, count + 1)
    ]
    modal = quotes_modal(quotes)
    check_limits(modal["blocks"], most_blocks=100)
    said = list(texts(modal["blocks"]))
    assert sum(text.startswith("[") for text in said) == shown
    assert (said[-1] == f"… and {count - shown} more") == (shown < count)
    assert len(json.dumps(modal)) < 250_000
