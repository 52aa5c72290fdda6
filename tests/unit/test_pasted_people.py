"""Lists of addresses as people paste them."""

import pytest

from adminsite.admin.new_people import MOST, read_people


def pairs(text: str) -> list[tuple[str, str]]:
    """The names and addresses that are read."""
    return [(one.name, one.email) for one in read_people(text).people]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ada@example.com\nBEN@Example.com", [("", "ada@example.com"), ("", "ben@example.com")]),
        (
            "ada@example.com, ben@example.com;carol@example.com",
            [("", f"{n}@example.com") for n in ("ada", "ben", "carol")],
        ),
        ("ada@example.com ben@example.com", [("", "ada@example.com"), ("", "ben@example.com")]),
        (
            "Ada Byron <ada@example.com>, <ben@example.com>,",
            [("Ada Byron", "ada@example.com"), ("", "ben@example.com")],
        ),
        (
            '"Byron, Ada" <ada@example.com>, ben@example.com',
            [("Byron, Ada", "ada@example.com"), ("", "ben@example.com")],
        ),
        (
            "Byron, Ada <ada@example.com>; Roe, Ben <ben@example.com>",
            [("Byron, Ada", "ada@example.com"), ("Roe, Ben", "ben@example.com")],
        ),
        (
            "Ada Byron\tada@example.com\r\n\r\n  Ben   Roe  ben@example.com",
            [("Ada Byron", "ada@example.com"), ("Ben Roe", "ben@example.com")],
        ),
        ("'Zoë Ölund' <mailto:zoe@example.com>", [("Zoë Ölund", "zoe@example.com")]),
        (
            "Pat \"Paddy O'Neil <pat@example.com>, ben@example.com",
            [("Pat \"Paddy O'Neil", "pat@example.com"), ("", "ben@example.com")],
        ),
        ("ada@example.com\nAda <ADA@example.com>", [("", "ada@example.com")]),
    ],
)
def test_names_and_addresses_are_read(text: str, read: list[tuple[str, str]]) -> None:
    """One a line or separated, with a name or without, each address once."""
    assert pairs(text) == read
    assert read_people(text).unread == ()


@pytest.mark.parametrize(
    "bad", ["ben at example.com", "ben@", "@example.com", "Ben <ben@exa mple.com>", "<>", "b@@x.org"]
)
def test_a_bad_entry_is_named_and_the_others_are_kept(bad: str) -> None:
    """Before it and after it, on lines of their own and on one line."""
    for text in (f"ada@example.com\n{bad}\ncarol@example.com", f"ada@example.com, {bad}, Carol <carol@example.com>"):
        read = read_people(text)
        assert [one.email for one in read.people] == ["ada@example.com", "carol@example.com"]
        assert [one.text for one in read.unread] == [bad]
        assert read.unread[0].reason.endswith(".")


def test_a_name_that_is_too_long_is_no_error_of_the_database() -> None:
    """Nor is an address."""
    read = read_people(f"{'n' * 201} <ada@example.com>\n{'a' * 260}@example.com")
    assert (len(read.people), [one.reason for one in read.unread]) == (
        0,
        ["The name is too long.", "The address is too long."],
    )


def test_no_more_than_a_thousand_are_read_at_once() -> None:
    """The rest is named, so that it can be pasted next."""
    read = read_people("\n".join(f"p{number}@example.com" for number in range(MOST + 3)))
    assert (len(read.people), len(read.unread)) == (MOST, 3)


@pytest.mark.parametrize("piece", ["<", '"', "<>", '"<', ",;", "a@", "<a@b.org>"])
def test_hostile_lists_take_linear_time(piece: str) -> None:
    """A list as long as a request may be."""
    read_people(piece * 100_000)
