"""Test the parsing of text behind the slash command."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.command_line import CommandLine, Help, Question, Sources, parse
from core.errors import InvalidFilterError
from core.filters import parse_filters
from core.language.nlp.document_types import TYPES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Help()),
        ("   ", Help()),
        ("help", Help()),
        ("HELP", Help()),
        ("?", Help()),
        ("help me find the key", Question(text="help me find the key")),
        ("sources", Sources()),
        ("Sources", Sources()),
        ("sources press manual", Sources(filters={"source": "press manual"})),
        ('sources "press manual" type:manual', Sources(filters={"source": "press manual", "document_type": "manual"})),
        ("sources of income?", Question(text="sources of income?")),
        ("When does it open?", Question(text="When does it open?")),
        ("a <b> & c", Question(text="a <b> & c")),
        ("see http://a.example at 10:30, Note:this", Question(text="see http://a.example at 10:30, Note:this")),
        ('what does "type:minutes" mean', Question(text='what does "type:minutes" mean')),
    ],
)
def test_help_sources_or_a_question(text: str, expected: CommandLine) -> None:
    """Nothing and `help` are for help; `sources` lists unless it begins a question; the rest is asked unchanged."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("typed", "filters"),
    [
        ("type:minutes", {"document_type": "minutes"}),
        ("Type:Papers", {"document_type": "paper"}),
        ("since:2024-03-20", {"date_from": "2024-03-20"}),
        ("since:2024-02 until:2024-02", {"date_from": "2024-02-01", "date_to": "2024-02-29"}),
        ("since:2024 until:2025", {"date_from": "2024-01-01", "date_to": "2025-12-31"}),
        ("source:osha3170", {"source": "osha3170"}),
        ("source:<http://osha.gov|osha.gov>", {"source": "osha.gov"}),
        ('collection:"Safety rules"', {"collection": "Safety rules"}),
        ("collection:“R&amp;D”", {"collection": "R&D"}),
        ("chapter:One section:Two", {"chapter": "One", "section": "Two"}),
        ("results:8", {"max_results": 8}),
    ],
)
@pytest.mark.parametrize("where", ["{} When does it open?", "When does {} it open?", "When does it open? {}"])
def test_a_filter_stands_anywhere(typed: str, filters: dict[str, object], where: str) -> None:
    """It is taken out of the question, and understood as the library's filters are."""
    assert parse(where.format(typed)) == Question(text="When does it open?", filters=filters)
    parse_filters(filters)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("type:minuts what", ["type:minuts", *TYPES]),
        ("typ:minutes what", ["typ:", "type:minutes"]),
        ("untill:2024 what", ["untill:", "until:"]),
        ("type: minutes", ["type:", "type:minutes"]),
        ('source:"" what', ["source:", "source:handbook"]),
        ("since:yesterday what", ["since:yesterday", "2024-03-20"]),
        ("since:2024-13 what", ["since:2024-13"]),
        ("until:2023-02-29 what", ["until:2023-02-29"]),
        ("since:2025 until:2024 what", ["since:2025", "until:2024"]),
        ("results:0 what", ["results:0", "1 to 10"]),
        ("results:11 what", ["results:11"]),
        ("results:many what", ["results:many"]),
        ("results:٣ what", ["results:"]),
        ("type:minutes type:paper what", ["type:", "twice"]),
        ('collection:"Safety what', ["collection:", "quotation mark"]),
        ("type:minutes", ["no question"]),
        ("sources osha source:osha", ["source:"]),
        (f"source:{'x' * 301} what", ["source:", "300"]),
        (f"sources {'x' * 301}", ["300"]),
    ],
)
def test_what_cannot_be_used_is_named(text: str, named: list[str]) -> None:
    """The sentence says which part it is, and what would be right."""
    with pytest.raises(InvalidFilterError) as raised:
        parse(text)
    assert [part for part in named if part not in raised.value.message] == []


_WORDS = st.sampled_from(
    [
        "type",
        "since",
        "until",
        "source",
        "results",
        ":",
        "2024",
        "-01",
        "minutes",
        '"',
        "“",
        "”",
        " ",
        "<",
        ">",
        "&amp;",
    ]
)


def read(text: str) -> CommandLine | str:
    """Parse a text, or return the sentence that refuses it."""
    try:
        return parse(text)
    except InvalidFilterError as error:
        return error.message


@given(text=st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=14).map("".join)))
def test_any_text_is_understood_or_refused_in_words(text: str) -> None:
    """Filters are always such as the library takes, and a question always has words."""
    asked = read(text)
    if isinstance(asked, str):
        assert asked[-1] in ".?"
    if isinstance(asked, Question):
        assert asked.text.strip()
    if isinstance(asked, Question | Sources):
        parse_filters(asked.filters)


@given(question=st.text(alphabet=st.characters(blacklist_characters=':"“”„«»', blacklist_categories=["Cs"])))
def test_a_question_without_colons_keeps_its_words(question: str) -> None:
    """Nothing but white space is changed."""
    asked = read(question)
    if isinstance(asked, Question):
        assert asked.text.split() == question.split()
