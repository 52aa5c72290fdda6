"""Test which parts of a question must occur in a text unchanged."""

import pytest

from core.library.retrieval.lexical import _find_phrases


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("Who wrote 2212.11765?", ["2212.11765"]),
        ("raised the range to 3-1/4 percent", ["3-1/4"]),
        ("what does the 10-K say", ["10-K"]),
        ("torque of the SB3-100", ["SB3-100"]),
        ("the holders of Class A shares", ["Class A"]),
        ("see Table 3 and Appendix B.2", ["B.2", "Table 3", "Appendix B"]),
        ('the words "going concern" in the notes', ["going concern"]),
        ("the words “going concern” in the notes", ["going concern"]),  # typographic
        ("version 1.2.3 or 4:5", ["1.2.3", "4:5"]),
        ("10-K and 10-K again", ["10-K"]),
        ("a well-known word and a plain 42", []),
        ("", []),
        ("?!?!" * 250, []),
    ],
)
def test_codes_numbers_names_and_quotations_are_phrases(query: str, phrases: list[str]) -> None:
    """Each once; hyphened words and plain numbers are words like others."""
    assert _find_phrases(query) == phrases


def test_a_question_has_at_most_eight() -> None:
    """The first of them."""
    codes = [f"code-{number}" for number in range(20)]
    assert _find_phrases(" ".join(codes)) == codes[:8]
