"""Test the reading of what IMAP servers answer, and of the names of folders, whatever these hold."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SourceError
from core.library.sync.kinds.imap import _first_day
from core.library.sync.mail.answers import (
    Mail,
    quote,
    read_found,
    read_mails,
    read_tokens,
    write_set,
)
from core.library.sync.mail.folders import Folder, choose, decode, encode, read_folders, read_foreign

AT = b'INTERNALDATE " 3-Mar-2026 09:30:00 +0200"'
RECEIVED = dt.datetime(2026, 3, 3, 7, 30, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("pieces", "tokens"),
    [
        ([b"1 (UID 5)"], [b"1", [b"UID", b"5"]]),
        ([b'("a \\" b" NIL "NIL" {3})'], None),
        ([b'("a \\" b" NIL "NIL")'], [[b'a " b', None, b"NIL"]]),
        ([(b"BODY[] {3}", b"(x)"), b" ()"], [b"BODY[]", b"(x)", []]),
        ([b"BODY[HEADER.FIELDS (DATE)]<0> x"], [b"BODY[HEADER.FIELDS (DATE)]<0>", b"x"]),
        ([b'"{3}"'], [b"{3}"]),
        ([b"{3}"], None),
        ([b"(()"], None),
        ([b"())"], None),
        ([b'"a'], None),
        ([b"[a"], None),
        ([b"(" * 21 + b")" * 21], None),
    ],
)
def test_answers_are_words_and_lists(pieces: list[Any], tokens: list[Any] | None) -> None:
    """None stands for what is refused."""
    if tokens is None:
        with pytest.raises(ValueError, match=r"\w"):
            read_tokens(pieces)
    else:
        assert read_tokens(pieces) == tokens


@given(st.lists(st.one_of(st.binary(max_size=40), st.tuples(st.binary(max_size=20), st.binary(max_size=20)))))
def test_any_bytes_are_read_or_refused(pieces: list[Any]) -> None:
    """By one kind of error."""
    for read in (read_tokens, read_mails, read_folders, read_foreign, read_found):
        try:
            read(pieces)
        except (ValueError, SourceError):
            continue


def test_a_mail_is_read_of_several_pieces() -> None:
    """In any order, beside changes of flags that nobody asked for."""
    given_ = [
        (b"1 (" + AT + b" BODY[] {4}", b"a\r\nb"),
        b" FLAGS (\\Seen) UID 5)",
        b"2 (FLAGS (\\Deleted) UID 5)",
        b"3 (UID 6 " + AT + b' RFC822.SIZE 4 X-GM-MSGID 12 X-GM-LABELS ("\\\\Inbox" "a b"))',
        None,
    ]
    assert read_mails(given_) == {
        5: Mail(uid=5, flags=frozenset({"\\seen"}), received=RECEIVED, content=b"a\r\nb"),
        6: Mail(
            uid=6, flags=frozenset(), received=RECEIVED, size=4, gmail_id="12", labels=frozenset({"\\inbox", "a b"})
        ),
    }


@pytest.mark.parametrize(
    "told",
    [
        b"UID x " + AT,
        b"UID 0 " + AT,
        b"UID 4294967296 " + AT,
        b"UID 1 " + AT + b" FLAGS x",
        b"UID 1 " + AT + b" BODY[] (a)",
        b"UID 1 " + AT + b" X-GM-MSGID a",
        b"UID 1 INTERNALDATE soon",
        b'UID 1 INTERNALDATE "3-Mar-2026 09:30:00"',
        b"UID 1 INTERNALDATE (a)",
        b"UID 1 INTERNALDATE",
        b"(UID) 1",
    ],
)
def test_a_mail_of_another_form_is_refused(told: bytes) -> None:
    """Rather than read in part."""
    with pytest.raises(ValueError, match=r"\w"):
        read_mails([b"1 (" + told + b")"])


@given(st.text(st.sampled_from("0123456789-+: JanMarZ"), max_size=28))
def test_any_date_is_read_or_refused(written: str) -> None:
    """By one kind of error."""
    try:
        [mail] = read_mails([f'1 (UID 1 INTERNALDATE "{written}")'.encode()]).values()
    except ValueError:
        return
    assert mail.received.tzinfo is dt.UTC


def test_found_mails_are_told_each_once() -> None:
    """On one line or several; nothing found is an answer, and none is not."""
    assert read_found([b"3 1", b"2 3", b""]) == [1, 2, 3]
    assert read_found([b""]) == []
    for nothing in ([], [None], [(b"a", b"b")], [b"-1"]):
        with pytest.raises(ValueError, match=r"\w"):
            read_found(nothing)


@given(st.sets(st.integers(1, 60), min_size=1))
def test_sets_say_the_same_in_short(uids: set[int]) -> None:
    """Those that follow each other are a range."""
    ranges = [part.split(":") for part in write_set(uids).split(",")]
    assert [uid for one in ranges for uid in range(int(one[0]), int(one[-1]) + 1)] == sorted(uids)


def test_what_is_quoted_ends_where_it_should() -> None:
    """Nothing in it begins another command."""
    assert quote('a"b\\') == '"a\\"b\\\\"'
    for text in ("a\r\nb", "a\0", "ü"):
        with pytest.raises(ValueError, match=r"\w"):
            quote(text)


@given(st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_names_are_written_in_one_way(name: str) -> None:
    """And read back as they were."""
    assert decode(encode(name)) == name


@given(st.text(st.sampled_from("&-aAb,+/2é\t\r"), max_size=12))
def test_two_names_never_look_alike(written: str) -> None:
    """What is not written in that way is refused."""
    try:
        name = decode(written)
    except ValueError:
        return
    assert encode(name) == written


def test_names_of_the_standard_are_read() -> None:
    """The example of RFC 3501, 5.1.3."""
    assert decode("~peter/mail/&U,BTFw-/&ZeVnLIqe-") == "~peter/mail/台北/日本語"
    assert encode("Entwürfe & Co") == "Entw&APw-rfe &- Co"


def test_folders_that_would_be_one_are_not_both_read() -> None:
    """A server may part each name in another way."""
    folders, left_out = read_folders([b'() "." A.B', b'() "/" A/B', b"() NIL inbox"])
    assert [(folder.raw, folder.name, folder.path, folder.above) for folder in folders] == [
        ("INBOX", "INBOX", "INBOX", ()),
        ("A.B", "A/B", "A/B", ("A",)),
    ]
    assert [one.name for one in left_out] == ["A/B"]


def _folder(raw: str, *flags: str) -> Folder:
    above = tuple(raw.rsplit("/", depth)[0] for depth in range(1, raw.count("/") + 1))
    return Folder(raw=raw, name=raw, path=raw, flags=frozenset(flags), above=above)


def test_what_is_below_the_bin_is_in_it() -> None:
    """However deep, and also where it is named with all below it."""
    folders = [_folder("INBOX"), _folder("Bin", "\\trash"), _folder("Bin/a"), _folder("Bin/a/b"), _folder("Binder")]
    assert [one.raw for one in choose(folders, (), (), is_gmail=False)] == ["INBOX", "Binder"]
    for name in ("Bin/a/b", "Bin/*", "Bin/a/*"):
        with pytest.raises(SourceError, match="never read"):
            choose(folders, (name,), (), is_gmail=False)


def test_a_mailbox_without_folders_is_an_error() -> None:
    """It is not empty: each has an inbox."""
    for folders in ([], [_folder("A", "\\noselect"), _folder("B", "\\nonexistent")]):
        with pytest.raises(SourceError, match="names no folder"):
            choose(folders, (), (), is_gmail=False)


@pytest.mark.parametrize(
    ("since", "day"),
    [("2025-01-31", dt.date(2025, 1, 31)), ("1", dt.date(2026, 2, 1)), ("3 months", dt.date(2025, 12, 1)),
     ("24 months", dt.date(2024, 3, 1)), ("1 month", dt.date(2026, 2, 1))],
)  # fmt: skip
def test_months_are_counted_back_from_the_first(since: str, day: dt.date) -> None:
    """So that what is read changes once a month."""
    assert _first_day(since, dt.date(2026, 3, 31)) == day
