"""Questions and passages made by hand, small enough to be fitted on within a second."""

import json
from pathlib import Path
from typing import Any

from core.asking.reading.weights import Encoder, load
from readers.batches import Example, encode
from readers.rows import Row

HOURS = ("noon", "one", "two", "three", "four", "five", "six", "seven")


def make_lines(houses: int = 30) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Questions and passages of some documents: in each two passages, of which the first answers."""
    questions: list[dict[str, Any]] = []
    passages: list[dict[str, Any]] = []
    for house in range(houses):
        text = f"the canteen of house{house} opens at {HOURS[house % len(HOURS)]} ."
        passages += [
            {"passage": 2 * house, "title": f"House {house}", "text": text},
            {"passage": 2 * house + 1, "title": f"House {house}", "text": f"the canteen of house{house} is large ."},
        ]
        asked = {"set": "houses", "question": f"when does the canteen of house{house} open ?"}
        start = text.index(" at ") + 4
        answer = {"start": start, "end": len(text) - 2}
        questions += [
            {**asked, "id": f"h{house}", "passage": 2 * house, "answerable": True, **answer},
            {**asked, "id": f"h{house}-near", "passage": 2 * house + 1, "answerable": False, "negative": "near"},
            {
                "set": "said",
                "id": f"s{house}",
                "question": f"house{house} has a canteen",
                "passage": 2 * house,
                "answerable": True,
                "statement": True,
            },
        ]
    return questions, passages


def write_lines(path: Path, lines: list[dict[str, Any]]) -> Path:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def write_pair(folder: Path, houses: int = 30) -> tuple[Path, Path]:
    """Write files of questions and passages."""
    questions, passages = make_lines(houses)
    return write_lines(folder / "questions.jsonl", questions), write_lines(folder / "passages.jsonl", passages)


def make_row(text: str, question: str = "when does the canteen open ?", **given: Any) -> Row:
    """A row for fitting, answerable unless it is said otherwise."""
    values = {"id": "r1", "set": "houses", "half": "fit", "document": 0, "heading": "", "answers": True}
    return Row(text=text, question=question, **(values | given))


def make_examples(folder: Path, houses: int = 16) -> list[Example]:
    """Examples that a tiny reader's tokenizer makes of the questions."""
    questions, passages = make_lines(houses)
    rows = [
        make_row(
            passages[line["passage"]]["text"],
            line["question"],
            id=line["id"],
            set=line["set"],
            document=line["passage"] // 2,
            answers=line["answerable"],
            span=(line["start"], line["end"]) if "start" in line else None,
            is_statement=line.get("statement", False),
        )
        for line in questions
    ]
    examples, left_out = encode(rows, get_encoder(folder))
    assert not left_out
    return examples


def get_encoder(folder: Path) -> Encoder:
    """The encoder of a reader's folder."""
    return load(folder).encoder
