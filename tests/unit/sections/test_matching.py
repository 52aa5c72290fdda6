"""Which passages rules name, and which carry on what a restricted section said."""

import time
from uuid import UUID

import pytest

from core.library.sections.matching import (
    EarlierPart,
    Piece,
    Rule,
    digest_name,
    follow,
    matches_pattern,
    partition,
    simplify,
)
from core.values.sections import SectionKind

HEADING, SHEET, LABEL = SectionKind.HEADING, SectionKind.SHEET, SectionKind.LABEL
A, B = UUID(int=1), UUID(int=2)
SUPERVISORS = (
    "Supervisors may approve overtime of up to ten hours a week without asking the board. Warnings are written in the "
    "presence of two witnesses and kept in the locked cabinet of the second floor for three years."
)
HOLIDAYS = (
    "Everybody has thirty days of holiday a year, which are asked for in the portal four weeks before they begin. "
    "What is left in March is lost unless the illness of a child was the reason for it."
)
CANTEEN = "The canteen opens at noon and closes at two, and nobody pays for the soup on Mondays or Thursdays."
OTHER = "Trucks are parked behind the hall with their noses to the wall, and keys are handed in at the gate at night."


def pieces(*rows: tuple[str, str, str]) -> list[Piece]:
    """Return passages of (chapter, section, content)."""
    return [Piece(chapter=chapter, section=section, content=content) for chapter, section, content in rows]


def rule(pattern: str, kind: SectionKind = HEADING, number: UUID = A) -> Rule:
    """Return a rule."""
    return Rule(rule_id=number, kind=kind, pattern=pattern)


def named(rows: list[Piece], *rules: Rule) -> list[int]:
    """Return the indexes of the passages that any of some rules names."""
    return [number for number, found in enumerate(partition(rows, rules).rules) if found]


BOOK = pieces(
    ("Handbook", "", "Welcome."),
    ("Handbook", "Holidays", HOLIDAYS),
    ("Handbook", "Supervisors", "This is for you."),
    ("Handbook", "Supervisors > Warnings", SUPERVISORS),
    ("Handbook", "Supervisors and others", "Not the same heading."),
)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("Supervisors", [2, 3]),
        ("  supervisors ", [2, 3]),
        ("Warnings", [3]),
        ("super*", [2, 3, 4]),
        ("*isors", [2, 3]),
        ("Handbook", [0, 1, 2, 3, 4]),
        ("Supervisors > Warnings", [3]),
        ("Supervisors >*", [3]),
        ("visors", []),
        ("*", [0, 1, 2, 3, 4]),
    ],
)
def test_a_heading_names_all_that_is_below_it(pattern: str, found: list[int]) -> None:
    """Chapters and headings of sections, without regard to case, as a whole and with stars."""
    assert named(BOOK, rule(pattern)) == found


def test_a_path_that_was_cut_counts_as_named() -> None:
    """What was cut off may be the heading; only its column's length tells that something was."""
    path = "A heading as long as a paragraph" * 10
    rows = pieces(("Book", f"{path[:299]}…", "Something."), ("Book", "And so on…", "Something."))
    assert named(rows, rule("Supervisors")) == [0]
    assert named(rows, rule("Secret", LABEL)) == [0]


def test_a_sheet_is_named_by_its_name_alone() -> None:
    """With all tables below it, also where its name has what stands between headings."""
    rows = pieces(
        ("Plan", "Salaries", "Anna | 5,200"),
        ("Plan", "Salaries > Bonus", "Anna | 900"),
        ("Plan", "Staff > Salaries", "No sheet."),
        ("Plan", "A > B > Table", "Of the sheet called A > B."),
    )
    assert named(rows, rule("salaries", SHEET)) == [0, 1]
    assert named(rows, rule("A > B", SHEET)) == [3]


@pytest.mark.parametrize(
    "line",
    [
        "Confidential",
        "[Confidential] For the board.",
        "CONFIDENTIAL: for the board",
        "** Confidential",
        "| Confidential | x",
    ],
)
def test_a_label_restricts_its_whole_section(line: str) -> None:
    """All passages of the section in which a line begins with it, and those below its heading."""
    rows = pieces(
        ("Page", "Plans", "First, what is known."),
        ("Page", "Plans", f"Then:\n{line}\nWe buy the yard."),
        ("Page", "Plans > Price", "Two millions."),
        ("Page", "Canteen", "It is not confidential: soup on Mondays."),
        ("Page", "Confidentiality", "Confidentiality matters."),
    )
    assert named(rows, rule("Confidential", LABEL)) == [0, 1, 2]


def test_a_label_in_a_heading_restricts_what_is_below_it() -> None:
    """At its beginning or in brackets."""
    rows = pieces(
        ("Page", "Price (confidential)", "Two millions."),
        ("Page", "Confidential: price > Terms", "In May."),
        ("Page", "Not so confidential", "Soup."),
        ("[Confidential] Annex", "Names", "Anna."),
    )
    assert named(rows, rule("Confidential", LABEL)) == [0, 1, 3]
    assert named(rows, rule("conf*", LABEL)) == [0, 1, 3]


def test_a_section_has_all_rules_that_name_it() -> None:
    """Its readers are those of whom all of them speak."""
    found = partition(BOOK, [rule("Supervisors"), rule("Warnings", number=B)]).rules
    assert list(found) == [frozenset(), frozenset(), {A}, {A, B}, frozenset()]


def test_comments_are_restricted_where_anything_is() -> None:
    """Nobody can tell what a remark among authors is about."""
    comment = ("Handbook", "Comment by Ada, 2026-01-02, on page 3", "Comment: is Anna to be dismissed?")
    assert named([*BOOK, *pieces(comment)], rule("Warnings")) == [3, 5]
    assert named([*BOOK, *pieces(comment)], rule("Nothing")) == []


def test_patterns_take_no_longer_with_more_stars() -> None:
    """A pattern that a regular expression would try for years."""
    began = time.perf_counter()
    assert not matches_pattern("a*" * 100 + "b", "a" * 20_000)
    assert matches_pattern("a*" * 100 + "b", "a" * 20_000 + "b")
    assert not matches_pattern("ab*ba", "aba")
    assert time.perf_counter() - began < 1
    assert simplify("\u200a Ｐay\u00a0 & Pensions ") == "pay & pensions"


EARLIER = [EarlierPart(rules=frozenset({A}), pieces=tuple(BOOK[2:4]))]
OPEN = [*BOOK[:2], BOOK[4]]
RULE = rule("Supervisors")


def test_a_section_that_keeps_its_heading_is_restricted_whatever_it_says() -> None:
    """And nothing is to be decided."""
    rows = pieces(("Handbook", "Holidays", HOLIDAYS), ("Handbook", "Supervisors", OTHER))
    assert follow(rows, [RULE], EARLIER, OPEN).rules == (frozenset(), {A})
    assert not follow(rows, [RULE], EARLIER, OPEN).undecided


@pytest.mark.parametrize("text", [SUPERVISORS, SUPERVISORS.replace("ten hours", "12 hours").replace("two", "three")])
def test_a_section_is_recognised_under_another_heading(text: str) -> None:
    """By its words, a few of which may be others."""
    rows = pieces(
        ("Handbook", "Holidays", HOLIDAYS),
        ("Handbook", "For leads", "This is for you."),
        ("Handbook", "For leads > A", text),
    )
    found = follow(rows, [RULE], EARLIER, OPEN)
    assert (found.rules[0], found.rules[2]) == (frozenset(), {A})
    assert not found.undecided
    assert not found.is_all


@pytest.mark.parametrize("text", [OTHER, CANTEEN, SUPERVISORS[:40]])
def test_a_section_that_is_not_recognised_closes_the_document(text: str) -> None:
    """Every passage, until somebody decides; and the next edition too."""
    rows = pieces(("Handbook", "Holidays", HOLIDAYS), ("Handbook", "For leads", text))
    found = follow(rows, [RULE], EARLIER, OPEN)
    assert found.is_all
    assert found.rules == ({A}, {A})
    assert found.undecided == {frozenset({A})}
    closed = [EarlierPart(rules=frozenset({A}), pieces=tuple(rows), is_undecided=True, is_all=True)]
    assert follow(BOOK, [RULE], closed, []).is_all
    assert follow(BOOK, [RULE], closed, []).undecided == {frozenset({A})}


def test_what_a_restricted_section_said_is_restricted_where_it_turns_up() -> None:
    """A run of its words or a whole sentence, but nothing that was open before; and somebody has to look at it."""
    rows = pieces(
        ("Handbook", "Supervisors", OTHER),
        ("Handbook", "Holidays", f"{HOLIDAYS} As said, they may approve overtime of up to ten hours a week."),
        ("Handbook", "Canteen", CANTEEN),
        ("Handbook", "New", HOLIDAYS),
    )
    found = follow(rows, [RULE], EARLIER, OPEN)
    assert found.rules == ({A}, {A}, frozenset(), frozenset())
    assert found.undecided == {frozenset({A})}
    short = [EarlierPart(rules=frozenset({A}), pieces=tuple(pieces(("", "Supervisors", "Anna | 5,200 | May"))))]
    moved = pieces(
        ("", "Supervisors", "-"), ("", "Names", "Name | Pay | From\nAnna | 5,200 | May"), ("", "Soup", CANTEEN)
    )
    assert follow(moved, [RULE], short, []).rules == ({A}, {A}, frozenset())


def test_text_that_moves_between_parts_is_for_the_readers_of_both() -> None:
    """Neither part's readers read what was another's alone."""
    parts = [*EARLIER, EarlierPart(rules=frozenset({B}), pieces=tuple(pieces(("Handbook", "Board", OTHER))))]
    rows = pieces(("Handbook", "Supervisors", CANTEEN), ("Handbook", "Board", SUPERVISORS))
    found = follow(rows, [RULE, rule("Board", number=B)], parts, OPEN)
    assert found.rules == ({A}, {A, B})
    assert found.undecided == {frozenset({A, B})}


def test_a_decision_holds_for_later_editions() -> None:
    """What was opened stays open; what was restricted by a decision stays so, without being asked about again."""
    rows = pieces(("Handbook", "Supervisors", OTHER), ("Handbook", "Overtime", SUPERVISORS))
    opened = [
        EarlierPart(
            rules=frozenset({A}), pieces=EARLIER[0].pieces, opened=frozenset({digest_name("Handbook", "Overtime")})
        )
    ]
    assert follow(rows, [RULE], opened, OPEN).rules == ({A}, frozenset())
    kept = [EarlierPart(rules=frozenset({A}), pieces=tuple(rows))]
    assert follow(rows, [RULE], kept, OPEN).rules == ({A}, {A})
    assert not follow(rows, [RULE], kept, OPEN).undecided
    waiting = [
        EarlierPart(rules=frozenset({A}), pieces=tuple(rows), flagged=frozenset({digest_name("Handbook", "Overtime")}))
    ]
    assert follow(rows, [RULE], waiting, OPEN).undecided == {frozenset({A})}
