"""Test the messages about shared files: within Slack's limits, and with no effect of a file's name."""

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.message import Message
from bot.blocks.uploads import (
    ADD_FILES,
    COLLECTION,
    KEEP_OUT,
    MOST_OPTIONS,
    NO_COLLECTION,
    NOBODY_READS,
    ROLES,
    Choice,
    SharedFile,
    choices_modal,
    nothing_to_offer,
    offer,
    report,
)
from slack_emulator.webapi.blocks import check_blocks

TEXT = st.one_of(
    st.text(min_size=1, max_size=60),
    st.sampled_from(["<!channel>", "<@U0ALICE>", "<https://evil.example|x>", "&" * 900, "x" * 900, "a\nb"]),
)
SHARED = st.builds(SharedFile, name=TEXT, size=st.integers(0, 10**9), problem=st.one_of(st.just(""), TEXT), result=TEXT)
FILES = st.lists(SHARED, min_size=1, max_size=10)
CHOICES = st.lists(st.builds(Choice, value=st.uuids().map(str), name=TEXT, about=st.text(max_size=200)), max_size=101)
USABLE, BROKEN = SharedFile(name="lift.md", size=2048, result="3 passages"), SharedFile(name="x.png", problem="is odd")


def assert_harmless(said: Message) -> None:
    assert len(check_blocks(said.blocks, surface="message")) == len(said.blocks)
    assert re.findall(r"<[^<>]*>", str(said.blocks)) == []


@given(files=FILES)
def test_whatever_files_are_called(files: list[SharedFile]) -> None:
    """Offer, refusal and report are messages that Slack takes, without a mention or a link."""
    usable = SharedFile(name="lift.md", size=2048, result="3 passages")
    assert_harmless(offer("0" * 36, [usable, *files]))
    assert_harmless(report(files, NOBODY_READS))
    assert_harmless(nothing_to_offer([SharedFile(name=file.name, problem=file.problem or "is odd") for file in files]))


@given(collections=CHOICES, roles=CHOICES, is_shortened=st.booleans())
def test_whatever_can_be_chosen(collections: list[Choice], roles: list[Choice], is_shortened: bool) -> None:
    """The window is one that Slack takes, with 100 choices each at most."""
    view = choices_modal("0" * 36, collections, roles, is_shortened=is_shortened)
    check_blocks(view["blocks"], surface="modal")
    assert len(view["title"]["text"]) <= 24
    for block in view["blocks"]:
        options = (block.get("element") or {}).get("options") or []
        assert len(options) <= MOST_OPTIONS
        assert all(0 < len(option["text"]["text"]) <= 75 for option in options)
        assert all(len(option.get("description", {}).get("text", "")) <= 75 for option in options)


def test_only_what_can_be_added_is_offered() -> None:
    """The others are below, with their reasons; the buttons name the upload."""
    said = offer("the-upload", [USABLE, BROKEN])
    shown, left_out, buttons = said.blocks[1:]
    assert ("lift.md" in str(shown), "x.png" in str(shown)) == (True, False)
    assert ("lift.md" in str(left_out), "*x.png* is odd" in str(left_out)) == (False, True)
    assert [(button["action_id"], button["value"]) for button in buttons["elements"]] == [
        (ADD_FILES, "the-upload"),
        (KEEP_OUT, "the-upload"),
    ]


def test_a_report_names_each_file_once() -> None:
    """The report has files added and files refused; that nobody reads them is only said of those added."""
    said = str(report([USABLE, BROKEN], NOBODY_READS).blocks)
    assert "*lift.md*: 3 passages" in said
    assert "*x.png* is odd" in said
    assert NOBODY_READS in said
    nothing = str(report([BROKEN], NOBODY_READS).blocks)
    assert "Nothing was added" in nothing
    assert NOBODY_READS not in nothing


def test_the_choices_of_somebody_who_may_not_grant() -> None:
    """No roles; and without any collection nothing can be submitted."""
    shelf = Choice(value="1", name="House", about="staff")
    assert [b["block_id"] for b in choices_modal("u", [shelf], [], is_shortened=False)["blocks"]] == [COLLECTION]
    both = choices_modal("u", [shelf], [Choice(value="2", name="owners")], is_shortened=False)
    assert [block["block_id"] for block in both["blocks"]] == [COLLECTION, ROLES]
    empty = choices_modal("u", [], [], is_shortened=False)
    assert NO_COLLECTION in str(empty)
    assert "submit" not in empty
