"""Forms in PDF: what was filled in is read with its label."""

import io
from collections.abc import Callable
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.library.ingestion.parsers.pdf import parse_pdf

Draw = Callable[[Canvas], None]


def texts(draw: Draw) -> list[str]:
    """The texts of a page that is drawn under a title."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(70, 790, "Application for a berth")
    canvas.setFont("Helvetica", 10)
    draw(canvas)
    canvas.save()
    document = parse_pdf(out.getvalue(), "f.pdf")
    assert document.title == "Application for a berth"
    return [block.text for block in document.blocks]


def field(canvas: Canvas, value: str, x: float, y: float, **more: Any) -> None:
    """A text field."""
    canvas.acroForm.textfield(**({"name": f"f{x}{y}", "value": value, "x": x, "y": y, "width": 160} | more))


def button(canvas: Canvas, kind: str, x: float, y: float, *, on: bool, **more: Any) -> None:
    """A box to tick or a radio button."""
    make = {"tick": canvas.acroForm.checkbox, "radio": canvas.acroForm.radio}[kind]
    named = {"name": f"b{x}{y}"} if kind == "tick" else {}
    make(**(named | {"x": x, "y": y, "size": 12} | ({"checked": on} if kind == "tick" else {"selected": on}) | more))


def _left(canvas: Canvas) -> None:
    canvas.drawString(70, 750, "Owner")
    field(canvas, "Nora Beck", 200, 744)
    canvas.drawString(70, 720, "Boat and length:")
    field(canvas, "Skua, 7 m", 200, 714)


def _above(canvas: Canvas) -> None:
    for x, label, value in ((70, "Owner", "Nora Beck"), (260, "Boat and length:", "Skua, 7 m")):
        canvas.drawString(x, 750, label)
        field(canvas, value, x, 722, height=20)


def _side_by_side(canvas: Canvas) -> None:
    for x, label, value in ((70, "Owner", "Nora Beck"), (300, "Boat and length:", "Skua, 7 m")):
        canvas.drawString(x, 750, label)
        field(canvas, value, x + 90, 744, width=110)


def _told_only(canvas: Canvas) -> None:
    field(canvas, "Nora Beck", 70, 744, tooltip="Owner")
    field(canvas, "Skua, 7 m", 70, 700, tooltip="Boat and length")


@pytest.mark.parametrize("draw", [_left, _above, _side_by_side, _told_only])
def test_a_value_stands_behind_its_label(draw: Draw) -> None:
    """Left of the field, above it, several in a line; where none is drawn, the form's text for the blind."""
    assert texts(draw) == ["Owner: Nora Beck", "Boat and length: Skua, 7 m"]


def test_several_lines_choices_and_lists() -> None:
    """Of a choice what was chosen, and nothing else."""

    def draw(canvas: Canvas) -> None:
        for number, label in enumerate(("Remarks", "Quay", "Extras")):
            canvas.drawString(70, 750 - 80 * number, label)
        field(canvas, "Arrives late.\nNeeds a crane.", 200, 710, height=54, fieldFlags="multiline")
        canvas.acroForm.choice(name="q", value="West", options=["East", "West"], x=200, y=664, width=120, height=20)
        canvas.acroForm.listbox(name="e", value="Water", options=["Power", "Water"], x=200, y=560, width=90, height=50)

    found = texts(draw)
    assert found == ["Remarks: Arrives late. Needs a crane.", "Quay: West", "Extras: Water"]


def test_ticks_and_radio_buttons() -> None:
    """A box is ticked or not; of a group of buttons only the label of the one that was chosen is left."""

    def draw(canvas: Canvas) -> None:
        for y, label, on in ((750, "I have read the rules", True), (720, "I want a newsletter", False)):
            button(canvas, "tick", 70, y - 2, on=on)
            canvas.drawString(90, y, label)
        canvas.drawString(70, 680, "Fuel")
        for x, label, on in ((150, "petrol", False), (250, "diesel", True), (350, "none", False)):
            button(canvas, "radio", x, 678, on=on, name="fuel", value=label)
            canvas.drawString(x + 18, 680, label)
        canvas.drawString(70, 640, "Season")
        for x, label in ((150, "summer"), (250, "winter")):
            button(canvas, "radio", x, 638, on=False, name="season", value=label)
            canvas.drawString(x + 18, 640, label)

    found = texts(draw)
    assert found[:3] == ["I have read the rules: yes", "I want a newsletter: no", "Fuel: diesel"]
    assert " ".join(found[3:]) == "Season summer winter"
    assert not [text for text in found if "petrol" in text or "none" in text]


def test_a_form_that_nobody_filled_in_stays_as_it_is_drawn() -> None:
    """Its boxes say nothing yet."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(70, 750, "Owner")
        field(canvas, "", 200, 744)
        button(canvas, "tick", 70, 718, on=False)
        canvas.drawString(90, 720, "I have read the rules")

    assert " ".join(texts(draw)) == "Owner I have read the rules"


def test_a_password_is_not_read() -> None:
    """A value that a form hides from the eye is hidden from search."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(70, 750, "Owner")
        field(canvas, "Nora Beck", 200, 744)
        canvas.drawString(70, 720, "Code of the gate")
        field(canvas, "tr0ub4dor", 200, 714, fieldFlags="password")

    assert texts(draw) == ["Owner: Nora Beck", "Code of the gate"]
