"""Test the reading of a question: dates, kinds of documents, sub-questions, places."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.query_understanding.reading import read
from core.language.query_understanding.values import Kind, Reading
from core.language.wording import describe_filters
from core.types import Filters

TODAY = dt.date(2026, 3, 15)


def reading_of(question: str) -> Reading:
    return read(question, today=TODAY)


def day(text: str) -> dt.date | None:
    return dt.date.fromisoformat(text) if text else None


@pytest.mark.parametrize(
    ("question", "first", "last", "types"),
    [
        ("What do the 2024 minutes say about inflation?", "2024-01-01", "2024-12-31", ("minutes",)),
        ("What did members say in the minutes of December 2024?", "2024-12-01", "2024-12-31", ("minutes",)),
        ("What did members say in the December 2024 minutes?", "2024-12-01", "2024-12-31", ("minutes",)),
        ("What did the January 28-29, 2025 minutes say about tariffs?", "2025-01-28", "2025-01-29", ("minutes",)),
        ("What was decided at the March 2024 meeting?", "2024-03-01", "2024-03-31", ()),
        ("What was decided at the meeting of 20 March 2024?", "2024-03-20", "2024-03-20", ()),
        ("What was decided at the 2024-03-20 meeting?", "2024-03-20", "2024-03-20", ()),
        ("What was decided at the 2024/03/20 meeting?", "2024-03-20", "2024-03-20", ()),
        ("What was decided at the meeting of March 20th, 2024?", "2024-03-20", "2024-03-20", ()),
        ("What was decided at the meeting of 19 and 20 March 2024?", "2024-03-19", "2024-03-20", ()),
        ("What was decided at the march 2024 meeting?", "2024-03-01", "2024-03-31", ()),
        ("What was the rate after the meeting on March 20, 2024?", "2024-03-20", "2024-03-20", ()),
        ("Statements of 2023 on banking", "2023-01-01", "2023-12-31", ("statement",)),
        ("What did papers published since 2022 find?", "2022-01-01", "", ("paper",)),
        ("Papers before 2020 on robots", "", "2019-12-31", ("paper",)),
        ("Papers between 2020 and 2023 on robots", "2020-01-01", "2023-12-31", ("paper",)),
        ("Which statements were issued from March to June 2024?", "2024-03-01", "2024-06-30", ("statement",)),
        ("What has the Committee said about inflation since March 2025?", "2025-03-01", "", ()),
        ("What did the Committee decide after June 2024?", "2024-07-01", "", ()),
        ("What did the Committee say between May and July 2025?", "2025-05-01", "2025-07-31", ()),
        ("What do the Q3 2024 minutes say?", "2024-07-01", "2024-09-30", ("minutes",)),
        ("What do the minutes of the third quarter of 2024 say?", "2024-07-01", "2024-09-30", ("minutes",)),
        ("What do last year's minutes say?", "2025-01-01", "2025-12-31", ("minutes",)),
    ],
)
def test_dates_of_documents_narrow(question: str, first: str, last: str, types: tuple[str, ...]) -> None:
    """A date beside a kind of document or a meeting, or an open stretch with words of saying, is certain."""
    reading = reading_of(question)
    assert (reading.date_from, reading.date_to) == (day(first), day(last))
    assert reading.dates_certain
    assert reading.document_types == types


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Who voted against the action in September 2024?", "2024-09-01", "2024-09-30"),
        ("What did the manager report about reserves in January 2024?", "2024-01-01", "2024-01-31"),
        ("What did the Committee decide last year?", "2025-01-01", "2025-12-31"),
        ("In Q3 2024, what did the committee decide?", "2024-07-01", "2024-09-30"),
        ("What does the annual report of 2024 say about visitors?", "2024-01-01", "2024-12-31"),
        ("What was decided at the meeting of 03/05/2024?", "2024-01-01", "2024-12-31"),
    ],
)
def test_dates_that_may_be_of_documents_are_preferred(question: str, first: str, last: str) -> None:
    """A month by itself, the year of a report, which may be dated later, and that of 03/05/2024 are not certain."""
    reading = reading_of(question)
    assert (reading.date_from, reading.date_to) == (day(first), day(last))
    assert not reading.dates_certain


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1066?",
        "What are the goals for 2030?",
        "Who was CEO in 1999?",
        "What is the 2025 budget?",
        "Which employees are exempt in 2025?",
        "How many people were hired before 2020?",
        "What must be done before March 2025?",
        "May I take leave?",
        "Do we march on Sunday?",
        "Is $2,024 the price, or 2024.5, or 2024%?",
        "What does RFC 2119 say?",
        "Which standard is 1910.147?",
        "did prices fall 22 percent",
        "does demand fall 22%?",
        "hand it in by dec 20",
        "is the gate open on 3 december 25",
        "in july 20 days were lost",
        "in june 10:30 is too early",
    ],
)
def test_dates_and_numbers_that_are_content_do_not_narrow(question: str) -> None:
    """A date or a number in the documents' content is not their own date."""
    reading = reading_of(question)
    assert (reading.date_from, reading.date_to, reading.month) == (None, None, None)
    assert reading.remaining == question


@pytest.mark.parametrize(
    "question",
    [
        "How many minutes does the break last?",
        "Wait ten minutes; then what?",
        "Who is allowed the twenty minutes of 2024?",
        "What does the import statement do?",
        "Who reports to the board?",
        "How do I book a room?",
        "Is manual work exempt?",
        "What should I note?",
    ],
)
def test_words_that_only_look_like_kinds_of_documents_do_not_narrow(question: str) -> None:
    """Minutes of an hour, statements of a program, and verbs."""
    assert reading_of(question).document_types == ()


@pytest.mark.parametrize(
    ("question", "types", "certain"),
    [
        ("What do the minutes say about inflation?", ("minutes",), True),
        ("What is said on tariffs in the FOMC minutes?", ("minutes",), True),
        ("What does the manual say about guards?", ("manual",), False),
        ("According to the handbook, who approves leave?", ("handbook",), False),
        ("What does the textbook say about tokens?", ("book",), False),
        ("What do our textbooks say about tokens?", ("book",), False),
        ("What does the press release of March 2024 say?", ("statement",), False),
        ("According to the memo, who approves leave?", ("note",), False),
        ("According to the article, who approves leave?", (), False),
        ("What does the procedure say about locks?", (), False),
    ],
)
def test_kinds_of_documents(question: str, types: tuple[str, ...], certain: bool) -> None:
    """Minutes, statements and papers narrow; of other kinds, whose names vary, it is only a preference."""
    reading = reading_of(question)
    assert (reading.document_types, reading.types_certain) == (types, certain)


@pytest.mark.parametrize(
    ("question", "kind", "sub_questions"),
    [
        (
            "What is the difference between encoder and decoder models?",
            Kind.COMPARE,
            ("encoder models", "decoder models"),
        ),
        ("Compare fixed guards and adjustable guards.", Kind.COMPARE, ("fixed guards", "adjustable guards")),
        ("How do fixed guards differ from adjustable guards?", Kind.COMPARE, ("fixed guards", "adjustable guards")),
        ("BERT versus GPT for text generation", Kind.COMPARE, ("BERT", "GPT")),
        ("compare visitors in may and june", Kind.COMPARE, ("visitors in may", "visitors in june")),
        ("Compare the allowance in Bonn and in Oslo", Kind.COMPARE, ("allowance in Bonn", "allowance in Oslo")),
        ("compare the fee for members with that for guests", Kind.COMPARE, ("fee for members", "fee for guests")),
        ("Compare the June and July totals.", Kind.COMPARE, ("June totals", "July totals")),
        ("how does the day shift differ from the late one", Kind.COMPARE, ("day shift", "late shift")),
        ("difference between old boiler and new boiler costs", Kind.COMPARE, ("old boiler costs", "new boiler costs")),
        ("compare the chair of the board and the treasurer", Kind.COMPARE, ("chair of the board", "treasurer")),
        ("compare the manual of 2030 with the handbook", Kind.COMPARE, ("manual of 2030", "handbook")),
        ("How did the rate change between March 2024 and June 2025?", Kind.CHANGE, ("March 2024", "June 2025")),
        ("How did the target range change from January to September 2024?", Kind.CHANGE, ("January", "September 2024")),
        ("How has the range changed since March 2025?", Kind.CHANGE, ("March 2025", "since March 2025")),
        ("Compare the March 2024 and December 2024 statements.", Kind.COMPARE, ("March 2024", "December 2024")),
        ("What do the minutes say about inflation?", Kind.BROAD, ()),
        ("What do our notes say about inflation?", Kind.BROAD, ()),
        ("Summarise the discussion of financial stability.", Kind.BROAD, ()),
        ("How has the policy changed over time?", Kind.CHANGE, ()),
        ("List the steps of lockout.", Kind.LIST, ()),
        ("What types of machine guards are there?", Kind.LIST, ()),
        ("What are the advantages of a fixed guard?", Kind.LIST, ()),
        ("What is the purpose of lockout?", Kind.SINGLE, ()),
        ("Who voted against it?", Kind.SINGLE, ()),
        ("What is the process of onboarding?", Kind.SINGLE, ()),
    ],
)
def test_kinds_and_sides(question: str, kind: Kind, sub_questions: tuple[str, ...]) -> None:
    """The kind of a question is found, and the things or times that it compares."""
    reading = reading_of(question)
    assert (reading.kind, tuple(part.label for part in reading.sub_questions)) == (kind, sub_questions)


def test_sides_of_time_hold_their_dates_and_what_is_looked_up() -> None:
    """Each sub-question of a change is searched for by itself."""
    one, other = reading_of("How did the target range change between March 2024 and June 2025?").sub_questions
    assert (one.query, one.date_from, one.date_to) == (
        "the target range March 2024",
        dt.date(2024, 3, 1),
        dt.date(2024, 3, 31),
    )
    assert (other.query, other.date_from, other.date_to) == (
        "the target range June 2025",
        dt.date(2025, 6, 1),
        dt.date(2025, 6, 30),
    )


def test_sides_of_years_are_looked_up_without_the_other_year() -> None:
    sides = reading_of("compare revenue in 2022 and 2023").sub_questions
    assert [side.query for side in sides] == ["revenue 2022", "revenue 2023"]


def test_sides_may_be_of_two_kinds_of_documents() -> None:
    """Then neither kind narrows the whole question, but the date does."""
    reading = reading_of("Compare the minutes and the statement of March 2024 about inflation.")
    assert [part.document_type for part in reading.sub_questions] == ["minutes", "statement"]
    assert (reading.document_types, reading.types_certain) == ((), False)
    assert (reading.date_from, reading.date_to) == (dt.date(2024, 3, 1), dt.date(2024, 3, 31))


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Which paper has the id 2212.11772?", [("arxiv", "2212.11772")]),
        ("What does arXiv:2212.11772v2 propose?", [("arxiv", "2212.11772")]),
        ("What does page 14 say?", [("page", "14")]),
        ("What does chapter 3 say in section 2.1?", [("chapter", "3"), ("section", "2.1")]),
        ("What was decided, in the document “FOMC minutes 2024-03-20”?", [("title", "FOMC minutes 2024-03-20")]),
        ("What costs 3.14 or 192.168.10.11?", []),
    ],
)
def test_places(question: str, found: list[tuple[str, str]]) -> None:
    """Papers, pages, chapters, sections and titles that a question names."""
    reading = reading_of(question)
    assert [(selector.kind, selector.value) for selector in reading.selectors] == found
    assert reading.date_from is None


@pytest.mark.parametrize(
    ("question", "current"),
    [
        ("what is inflation now", True),
        ("current lending rate", True),
        ("who voted no last time", True),
        ("when is the next rate decision", True),
        ("Latest news on rents?", True),
        ("What was inflation in May 2025?", False),
        ("spilled some acetone, what now", False),
        ("So now, who has the key?", False),
        ("Who sits next to the door?", False),
        ("How long is the notice period?", False),
    ],
)
def test_how_things_stand_now(question: str, current: bool) -> None:
    """Asked without a date; "now" that carries on a story asks nothing of the time."""
    assert reading_of(question).current is current


@pytest.mark.parametrize(
    ("question", "future"),
    [
        ("when will the boiler be installed", True),
        ("Is the audit due before the lease ends?", True),
        ("What are we going to pay for it?", True),
        ("when will the boiler be installed in 2031", False),
        ("Who keeps the will?", False),
        ("what is the will of the founder", False),
        ("when was the boiler installed", False),
    ],
)
def test_what_is_still_to_come(question: str, future: bool) -> None:
    """Asked without a date."""
    assert reading_of(question).future is future


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("jobless rate at the end of 2025", "2025-10-01", "2025-12-31"),
        ("Rents in late 2024?", "2024-10-01", "2024-12-31"),
        ("What was inflation in the first half of 2025?", "2025-01-01", "2025-06-30"),
        ("wages in early 2025", "2025-01-01", "2025-03-31"),
        ("H2 2025 attendance", "2025-07-01", "2025-12-31"),
        ("attendance of 2025 H1", "2025-01-01", "2025-06-30"),
        ("Who chaired in the spring of 2025?", "2025-03-01", "2025-05-31"),
        ("visitors in autumn 2025", "2025-09-01", "2025-11-30"),
        ("the rate at the beginning of the year 2025", "2025-01-01", "2025-03-31"),
        ("mid-2025 inflation", "2025-05-01", "2025-08-31"),
        ("what did visitors pay late in 2025", "2025-10-01", "2025-12-31"),
        ("attendance, fall 2022", "2022-09-01", "2022-11-30"),
        ("visitors in the summer of 25", "2025-06-01", "2025-08-31"),
        ("did they expect rain, fall 22", "2022-09-01", "2022-11-30"),
        ("revenue in Q3 '25", "2025-07-01", "2025-09-30"),
        ("what did they decide in december 25", "2025-12-01", "2025-12-31"),
        ("the budget of Dec. '24", "2024-12-01", "2024-12-31"),
        ("who chaired in spring 98", "1998-03-01", "1998-05-31"),
    ],
)
def test_a_part_of_a_year(question: str, first: str, last: str) -> None:
    """It is preferred, as a month is, and does not narrow."""
    reading = reading_of(question)
    assert (reading.date_from, reading.date_to) == (day(first), day(last))
    assert not reading.dates_certain


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("summarise the safety manual", "the safety manual"),
        ("Can you give me an overview of the leave handbook?", "the leave handbook"),
        ("give me an overview of the leave handbook", "the leave handbook"),
        ("what is the leave handbook about?", "the leave handbook"),
        ("what does the safety manual say?", "the safety manual"),
        ("what does the safety manual say about gloves?", ""),
        ("How long is the notice period?", ""),
    ],
)
def test_a_document_as_a_whole(question: str, name: str) -> None:
    """Named by words that the library may know as a title."""
    assert reading_of(question).whole == name


def test_the_latest_document_and_a_month_without_its_year() -> None:
    """Both are for the library to resolve; a "latest model" is no document."""
    assert reading_of("What does the latest statement say about inflation?").latest
    assert not reading_of("What is the latest model called?").latest
    assert reading_of("What did the December minutes say?").month == 12
    assert reading_of("What happens in December?").month is None


@pytest.mark.parametrize(
    ("question", "remaining"),
    [
        ("What did members say about inflation in the December 2024 minutes?", "What did members say about inflation?"),
        ("What do the 2024 minutes say about inflation?", "What do the minutes say about inflation?"),
        ("What was decided at the March 2024 meeting?", "What was decided at the meeting?"),
        ("Minutes of 2024?", "Minutes of 2024?"),
    ],
)
def test_what_remains_for_the_search(question: str, remaining: str) -> None:
    """The words of a filter are left out, unless hardly anything would be left."""
    assert reading_of(question).remaining == remaining


WORDS = st.sampled_from(
    (
        *("what did", "the", "minutes", "statement", "of", "in", "since", "between", "and", "compare", "meeting"),
        *("March", "December 2024", "2023-05-06", "31", "Q3", "last year", "latest", "page 3", "to", "from", "before"),
        *("after", "it", "“", "”", "how", "change", "differ", "30 February 2024", "?", ",", ".", "in the document “"),
    )
)


@given(st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=80)))
def test_any_text_can_be_read(question: str) -> None:
    """Whatever is asked: no error, dates in order, two sub-questions or more, and no more words than there were."""
    reading = reading_of(question)
    assert reading.text == question
    assert reading.date_from is None or reading.date_to is None or reading.date_from <= reading.date_to
    assert len(reading.sub_questions) != 1
    assert len(reading.remaining) <= max(len(question), 1)


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (Filters(), ""),
        (Filters(document_type="minutes", date_from=day("2024-01-01"), date_to=day("2024-12-31")), "minutes, 2024"),
        (Filters(date_from=day("2024-12-01"), date_to=day("2024-12-31")), "December 2024"),
        (Filters(date_from=day("2024-05-01"), date_to=day("2024-07-31")), "May 2024 to July 2024"),
        (Filters(date_from=day("2025-03-01")), "since 1 March 2025"),
        (Filters(date_to=day("2025-03-02")), "until 2 March 2025"),
        (Filters(date_from=day("2025-03-02"), date_to=day("2025-03-02"), source="x.pdf"), "“x.pdf”, 2 March 2025"),
        (Filters(collection="FOMC", chapter="chapter 3", section="2.1"), "FOMC, chapter 3, section 2.1"),
    ],
)
def test_filters_in_words(filters: Filters, words: str) -> None:
    """The description of a search is as it is shown."""
    assert describe_filters(filters) == words
