"""What the pages of proposed changes show of a diff, and of how probably a text answers a question."""

from adminsite.admin.proposals.shown import list_findings, list_lines
from core.values.proposals import Found


def test_how_probably_a_text_answers_is_said_in_words() -> None:
    """Nothing is said of what nobody read."""
    found = [Found(question=str(one), probability=one) for one in (0.75, 0.74, 0.4, 0.39, None)]
    assert [(one["question"], one["words"]) for one in list_findings(found)] == [
        ("0.75", "would be answered"),
        ("0.74", "perhaps"),
        ("0.4", "perhaps"),
        ("0.39", "not yet"),
    ]


def test_a_diff_has_signs_and_places() -> None:
    """Lines that begin with signs of their own keep these."""
    diff = ["@@ -1,2 +7,3 @@", " kept", "-- an old point", "+- a new point"]
    assert [(line.sign, line.text) for line in list_lines(diff)] == [
        ("@", "From line 7"),
        (" ", "kept"),
        ("-", "- an old point"),
        ("+", "- a new point"),
    ]
