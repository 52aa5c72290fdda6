"""Lists of documents, the Home tab, the help and the suggested prompts: within Slack's limits, whatever they name."""

import datetime as dt
import re
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.blocks.buttons import SHOW_QUOTES
from bot.blocks.guide import build_prompts, help_message
from bot.blocks.home import (
    MOST_MATTERS,
    NO_QUESTIONS,
    NOTHING_NEW,
    PAGES,
    UNKNOWN,
    Home,
    OpenMatter,
    home,
    home_of_nobody,
)
from bot.blocks.library import NO_SOURCES, NO_SUCH_SOURCES, sources_message
from core.types import (
    Filters,
    QueryState,
    ReadableCollection,
    RefusalReason,
)
from core.values.lists import ChangedDocument, DocumentList, NewDocument, ReadableDocument, RecentQuestion
from slack_emulator.webapi.blocks import check_blocks

TEXT = st.one_of(
    st.text(min_size=1, max_size=80),
    st.sampled_from(["<!channel>", "<@U0ALICE>", "x" * 700, "&" * 700, "a\nb", "<https://evil.example|x>"]),
)
DATES = st.none() | st.dates(dt.date(1500, 1, 1), dt.date(2090, 1, 1))
DOCUMENTS = st.builds(
    ReadableDocument,
    document_id=st.just(UUID(int=0)),
    title=TEXT,
    collection=TEXT,
    document_type=st.sampled_from(["page", "minutes"]),
    document_date=DATES,
    source_url=st.sampled_from(["", "https://library.example/a"]),
)
SHELVES = st.builds(ReadableCollection, name=TEXT, documents=st.integers(1, 99_999), newest=DATES)
QUESTIONS = st.builds(
    RecentQuestion,
    request_id=st.just("req_20260102_0a1b2c3d"),
    question=TEXT,
    asked_at=st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2090, 1, 1), timezones=st.just(dt.UTC)),  # noqa: DTZ001
    state=st.sampled_from(QueryState),
    is_readable=st.booleans(),
    refusal=st.none() | st.sampled_from(RefusalReason),
)
MARKUP = re.compile(r"<([^<>]*)>")


def links(blocks: object) -> set[str]:
    """Return the texts in angle brackets, which is all that Slack acts upon, without their labels."""
    return {found.partition("|")[0] for found in MARKUP.findall(str(blocks))}


def document(number: int, **fields: object) -> ReadableDocument:
    given: dict[str, object] = {
        "document_id": UUID(int=number),
        "title": f"Rules {number}",
        "collection": "House",
        "document_type": "manual",
        "document_date": dt.date(2026, 3, 1),
        "source_url": "",
    }
    return ReadableDocument(**(given | fields))  # type: ignore[arg-type]


@given(documents=st.lists(DOCUMENTS, max_size=60), more=st.integers(0, 10_000))
def test_a_list_of_sources_is_a_message(documents: list[ReadableDocument], more: int) -> None:
    """Slack takes it, and nothing in it is acted upon but the documents' own addresses."""
    listed = DocumentList(documents=tuple(documents), total=len(documents) + more)
    said = sources_message(listed, Filters())
    assert len(check_blocks(said.blocks, surface="message")) == len(said.blocks)
    assert links(said.blocks) <= {"https://library.example/a"}


def test_what_does_not_fit_is_counted() -> None:
    """As many documents as a message holds, under their collections, and the number of the others."""
    listed = DocumentList(documents=tuple(document(number) for number in range(1000)), total=2000)
    said = str(sources_message(listed, Filters()).blocks)
    shown = len(set(re.findall(r"Rules \d+", said)))
    assert 100 < shown < 1000
    assert f"… and {2000 - shown:,} more" in said
    assert said.count("*House*") == 1


def test_a_list_says_what_it_was_narrowed_to() -> None:
    """An empty list distinguishes a missing document from a filter that matches none."""
    nothing = DocumentList(documents=(), total=0)
    minutes = Filters(document_type="minutes")
    assert sources_message(nothing, Filters()).text == NO_SOURCES
    assert sources_message(nothing, minutes).text == NO_SUCH_SOURCES
    said = sources_message(DocumentList(documents=(document(1),), total=1), minutes)
    assert said.text == "You may read 1 document in minutes"


REST: dict[str, Any] = {"new": (), "command": "/footnote", "direct_channel": "D0X"}


@given(titles=st.lists(TEXT, max_size=5), is_new_edition=st.booleans())
def test_new_documents_are_named_and_linked(titles: list[str], is_new_edition: bool) -> None:
    """By their own addresses alone, whatever they are called; addresses that are none make no link.

    The day is said to be that on which they were added, or changed.
    """
    added, url = dt.datetime(2026, 3, 2, tzinfo=dt.UTC), "https://example.org/a"
    new = tuple(
        NewDocument(title=title, source_url=url, ingested_at=added, is_new_edition=is_new_edition) for title in titles
    )
    shown = Home(
        collections=(), questions=(), contact="", docs_url="javascript:x", admin_url=url, **{**REST, "new": new}
    )
    view = home(shown)
    assert len(check_blocks(view["blocks"], surface="home")) == len(view["blocks"])
    assert links(view["blocks"]) == {url}
    said = f", {'changed' if is_new_edition else 'added'} on 2 March 2026"
    assert (said in str(view["blocks"])) == bool(titles)
    assert (NOTHING_NEW in str(view["blocks"])) == (not titles)
    assert "Documentation" not in str(view["blocks"])


@given(
    shelves=st.lists(SHELVES, max_size=40),
    questions=st.lists(QUESTIONS, max_size=5),
    contact=st.one_of(TEXT, st.just("")),
)
@example(shelves=[], questions=[], contact="\x00")
def test_the_home_tab_is_a_view(
    shelves: list[ReadableCollection], questions: list[RecentQuestion], contact: str
) -> None:
    """Slack takes it, nothing in it links or mentions, and only what can be opened has a button beside it."""
    shown = Home(collections=tuple(shelves), questions=tuple(questions), contact=contact, **REST)
    view = home(shown)
    assert len(check_blocks(view["blocks"], surface="home")) == len(view["blocks"])
    assert links(view["blocks"]) == set()
    buttons = [block["accessory"] for block in view["blocks"] if "accessory" in block]
    assert {button["action_id"] for button in buttons} <= {SHOW_QUOTES}
    assert len(buttons) == len([question for question in questions if question.is_readable])
    assert (str(view["blocks"]).count(NO_QUESTIONS) == 1) == (not questions)


CHANGED = st.builds(
    ChangedDocument,
    title=TEXT,
    source_url=st.sampled_from(["", "https://library.example/a", f"https://library.example/{'a' * 1400}"]),
    changed_at=st.just(dt.datetime(2026, 3, 2, tzinfo=dt.UTC)),
    is_quote_gone=st.booleans(),
)
MATTERS = st.builds(OpenMatter, kind=st.sampled_from(sorted(PAGES)), count=st.integers(1, 99_999))


@given(
    changed=st.lists(CHANGED, max_size=5),
    matters=st.lists(MATTERS, max_size=8),
    questions=st.lists(QUESTIONS, max_size=5),
)
def test_a_full_home_tab_is_a_view(
    changed: list[ChangedDocument], matters: list[OpenMatter], questions: list[RecentQuestion]
) -> None:
    """With threads, changes and open matters too, it links to these alone, and far from the hundred blocks of a tab."""
    thread, admin = "https://test.slack.com/archives/C1/p1", "https://footnote.example/admin/"
    shown = Home(
        collections=(),
        questions=tuple(questions),
        threads={"req_20260102_0a1b2c3d": thread},
        changed=tuple(changed),
        matters=tuple(matters),
        admin_url=admin,
        contact="",
        **REST,
    )
    view = home(shown)
    assert len(check_blocks(view["blocks"], surface="home")) == len(view["blocks"]) < 40
    assert {link for link in links(view["blocks"]) if not link.startswith(admin)} <= {
        thread,
        *(document.source_url for document in changed),
    }
    assert str(view["blocks"]).count(f"<{admin}core/") == min(len(matters), MOST_MATTERS)
    assert str(view["blocks"]).count("Open the thread") == len(questions)


@pytest.mark.parametrize(
    ("state", "refusal", "told"),
    [
        (QueryState.COMPLETE, None, "answered"),
        (QueryState.NO_CONTENT_FOUND, RefusalReason.NOTHING_FOUND, "nothing found"),
        (QueryState.NO_CONTENT_FOUND, RefusalReason.INSUFFICIENT, "nothing found"),
        (QueryState.NO_CONTENT_FOUND, RefusalReason.UNSURE, "closest passages shown"),
        (QueryState.NO_CONTENT_FOUND, RefusalReason.AMBIGUOUS, "asked for clarification"),
        (QueryState.FAILED, RefusalReason.MODEL_UNAVAILABLE, "not answered"),
        (QueryState.RETRIEVAL_COMPLETE, None, "in progress"),
    ],
)
def test_the_home_tab_says_what_came_of_a_question(state: QueryState, refusal: RefusalReason | None, told: str) -> None:
    """The closest passages are neither an answer nor nothing, and nor is a question that was asked back."""
    asked = RecentQuestion(
        request_id="req_20260102_0a1b2c3d",
        question="When is lunch?",
        asked_at=dt.datetime(2026, 3, 2, tzinfo=dt.UTC),
        state=state,
        is_readable=False,
        refusal=refusal,
    )
    view = home(Home(collections=(), questions=(asked,), contact="", **REST))
    (said,) = [text for block in view["blocks"] if "When is lunch?" in (text := block.get("text", {}).get("text", ""))]
    assert said == f"When is lunch?\n_2 March 2026, {told}_"


def test_the_same_home_has_the_same_digest() -> None:
    """And another one has another."""
    empty = Home(collections=(), questions=(), contact="", **REST)
    other = Home(collections=(), questions=(), contact="Ask Dana", **REST)
    assert home(empty) == home(empty)
    digests = {view["private_metadata"] for view in (home(empty), home(other), home_of_nobody(""))}
    assert len(digests) == 3


def test_the_home_of_somebody_unknown_says_what_to_do() -> None:
    """It names nothing of the library, and who helps."""
    said = str(home_of_nobody("Ask Dana in #library."))
    assert UNKNOWN in said
    assert "Ask Dana in #library." in said


def test_many_collections_are_counted() -> None:
    """More than fit are said to be there."""
    shelves = tuple(ReadableCollection(name=f"Shelf {number:03}", documents=1, newest=None) for number in range(45))
    said = str(home(Home(collections=shelves, questions=(), contact="", **REST)))
    assert "Shelf 029" in said
    assert "Shelf 030" not in said
    assert "… and 15 more" in said


def test_the_help_names_the_command_as_it_was_typed() -> None:
    """A workspace may have given it another name."""
    said = help_message("/library")
    assert "`/library sources`" in str(said.blocks)
    assert "/footnote" not in str(said)
    check_blocks(said.blocks, surface="message")


def test_prompts_are_four_at_most_with_short_titles() -> None:
    """The message is the whole question."""
    questions = tuple(f"{number} " + "why " * 40 for number in range(6))
    made = build_prompts(questions)
    assert [prompt["message"] for prompt in made] == list(questions[:4])
    assert {len(prompt["title"]) <= 75 for prompt in made} == {True}
    assert build_prompts(("Short?",)) == [{"title": "Short?", "message": "Short?"}]
