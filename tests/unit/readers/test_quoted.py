"""Questions whose answers are quoted from an organisation's documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from readers.material import RowsError
from readers.quoted import read_quoted

PRICES = """# Boat hire

The jetty is open all year.

| Boat | Members | Guests |
|---|---|---|
| Canoe | 4 EUR | 7 EUR |
| Dinghy | 9 EUR | 15 EUR |
"""
NOTICE = """# Notice of May

From June guests pay 20 EUR for the dinghy. Ring Petra Holm about broken oars.
"""


def make_folder(folder: Path, *lines: dict[str, Any]) -> Path:
    """Write an organisation's folder."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "prices.md").write_text(PRICES)
    (folder / "docs" / "notice.md").write_text(NOTICE)
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


CANOE = {"file": "prices.md", "quote": "| Canoe | 4 EUR | 7 EUR |", "answer": "7 EUR"}
DINGHY = {"file": "prices.md", "quote": "| Dinghy | 9 EUR | 15 EUR |", "answer": "15 EUR"}


def test_a_cell_that_answers_is_marked_where_the_reader_sees_it(tmp_path: Path) -> None:
    """Tables are written row by row, as the product writes them for a reader; other passages do not answer."""
    asked = {"id": "q1", "question": "canoe for my friend?", "answers": [CANOE]}
    made = read_quoted(make_folder(tmp_path / "boats", asked))
    [answering] = [question for question in made.questions if question.answers]
    text = made.passages[answering.passage].text
    assert "Canoe: Members = 4 EUR; Guests = 7 EUR." in text
    assert answering.span
    assert text[slice(*answering.span)] == "7 EUR"
    assert text[: answering.span[0]].endswith("Guests = ")
    assert answering.set == "organisation-boats"
    others = [question for question in made.questions if not question.answers]
    assert others
    assert all("Canoe" not in made.passages[question.passage].text for question in others)


def test_what_nothing_answers_is_asked_of_what_seems_to(tmp_path: Path) -> None:
    """The places that were named are among its passages, and told from the nearest ones."""
    asked = {
        "id": "q1",
        "question": "who mends sails",
        "answers": [],
        "near": [{"file": "notice.md", "quote": "Ring Petra Holm"}],
    }
    made = read_quoted(make_folder(tmp_path / "boats", asked))
    assert not any(question.answers for question in made.questions)
    near = [made.passages[question.passage].text for question in made.questions if question.negative == "other"]
    assert len(near) == 1
    assert "Petra" in near[0]


def test_a_follow_up_is_read_in_each_form_that_the_product_reads(tmp_path: Path) -> None:
    """As it was written out, and as the product makes it stand alone; never as it was typed."""
    first = {"id": "q1", "question": "what is a canoe for guests", "answers": [CANOE]}
    second = {
        "id": "q2",
        "after": "q1",
        "question": "and the dinghy?",
        "standalone": "what is a dinghy for guests",
        "answers": [DINGHY],
    }
    made = read_quoted(make_folder(tmp_path / "boats", first, second))
    forms = {question.text for question in made.questions if question.id.startswith("q2-")}
    assert "what is a dinghy for guests" in forms
    assert len(forms) > 1
    assert "and the dinghy?" not in forms
    assert all("dinghy" in form for form in forms)


def test_a_quote_that_no_passage_holds_is_counted(tmp_path: Path) -> None:
    """Such a question is left out, nothing is taken for its answer; a folder without any other is refused."""
    lost = {"id": "q1", "question": "is there a bus", "answers": [{"file": "notice.md", "quote": "A bus goes hourly."}]}
    made = read_quoted(make_folder(tmp_path / "boats", lost, {"id": "q2", "question": "canoe?", "answers": [CANOE]}))
    assert {question.id.partition("-")[0] for question in made.questions} == {"q2"}
    assert made.left_out == {"questions whose quote is in no passage as a whole": 1}
    with pytest.raises(RowsError, match="No question of"):
        read_quoted(make_folder(tmp_path / "lost", lost))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"id": "q1"}, 'questions.jsonl, line 1: it needs "question"'),
        ({"id": "q1", "question": "who?", "answers": [{"file": "notice.md"}]}, 'it needs "quote"'),
    ],
)
def test_what_is_amiss_is_named(tmp_path: Path, line: dict[str, Any], said: str) -> None:
    """The file and the line."""
    with pytest.raises(RowsError, match=said):
        read_quoted(make_folder(tmp_path / "boats", line))
