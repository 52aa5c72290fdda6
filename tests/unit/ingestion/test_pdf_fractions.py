"""Fractions of a PDF that the text layer parts at their stroke."""

from typing import Any

import pytest

from core.library.ingestion.parsers.pdf.scripts import join_at_scripts


def _line(text: str, left: float, right: float, *, top: float = 100.0) -> dict[str, Any]:
    box = [left, top, right, top + 10]
    return {
        "bbox": box,
        "spans": [{"text": text, "bbox": box, "rotation": 0}, {"text": "\n", "bbox": box, "rotation": 0}],
    }


def _texts(*lines: dict[str, Any]) -> list[str]:
    joined = join_at_scripts(lines)
    return ["".join(span["text"] for span in line["spans"]).strip() for line in joined]


@pytest.mark.parametrize("stroke", ["/", "⁄"])
def test_a_fraction_parted_before_its_stroke_is_one_line(stroke: str) -> None:
    parted = [_line("Set the gap to within 1", 60, 220), _line(f"{stroke}8 inch of the", 220, 277)]

    assert _texts(*parted) == [f"Set the gap to within 1{stroke}8 inch of the"]


def test_a_fraction_parted_behind_its_stroke_is_one_line() -> None:
    assert _texts(_line("a bar of 3/", 60, 120), _line("4 inch", 120, 160)) == ["a bar of 3/4 inch"]


def test_pieces_far_apart_or_on_other_lines_stay_apart() -> None:
    assert _texts(_line("rows 1", 60, 100), _line("/8 of them", 140, 200)) == ["rows 1", "/8 of them"]
    assert _texts(_line("rows 1", 60, 100), _line("/8 of them", 100, 160, top=112.0)) == ["rows 1", "/8 of them"]


def test_touching_pieces_without_a_stroke_stay_apart() -> None:
    assert _texts(_line("1,250", 60, 100), _line("980", 100, 140)) == ["1,250", "980"]
