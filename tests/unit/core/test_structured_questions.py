"""Questions about lists, tables and steps of the samples, in words unlike theirs, with the packaged model."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.asking.generation.extractive.provider import ExtractiveModel
from core.asking.generation.markup import MarkedPassage, render_passages, render_question
from core.asking.verification.statements import verify
from core.library.embedding import SentenceTransformerProvider
from core.library.ingestion.chunking import TextChunk, chunks
from core.library.ingestion.parsers import parse
from core.types import Passage
from tests.unit.verification.passages import statement

ROOT = Path(__file__).resolve().parents[3] / "samples"
FILES = ("safety/safety-manual.pdf", "handbook/expenses.html", "textbook/04-how-vector-search-works.md")
SHOWN = 5

STEPS = tuple(f"Step {number}: " for number in range(1, 8))
CLASSES = tuple(f"Class {letter}, " for letter in "ABCD")
RINSING = ("Go to the nearest", "Hold the eyelids", "Remove contact lenses", "A second person")
LIMITS = ("Limits at a glance: Hotel", "Meals at home", "Meals abroad", "Private car")


@cache
def library() -> tuple[SentenceTransformerProvider, list[tuple[str, TextChunk]], np.ndarray]:
    """The packaged model, and the chunks of the files with their titles and embeddings."""
    model = SentenceTransformerProvider()
    found = []
    for name in FILES:
        [document] = parse((ROOT / name).read_bytes(), name).documents
        found += [(document.title, chunk) for chunk in chunks(document, model.tokenizer)]
    return model, found, model.embed([chunk.embedded_text for _, chunk in found])


def said(question: str) -> list[str]:
    """Return the key-free model's statements from the nearest passages, all of them verified."""
    model, found, vectors = library()
    near = vectors @ model.embed([question])[0]
    passages = [
        Passage(
            chunk_id=None, document_id=None, document_name=found[i][0], document_type="page", document_date=None,
            source_url="", page_number=found[i][1].page_number, chapter=found[i][1].chapter,
            section=found[i][1].section, content=found[i][1].content, similarity=float(near[i]),
            score=float(near[i]), rank=rank,
        )
        for rank, i in enumerate(np.argsort(-near)[:SHOWN], 1)
    ]  # fmt: skip
    marked = [MarkedPassage(number=passage.rank, source=passage.source, text=passage.content) for passage in passages]

    def similarity(asked: str, texts: Sequence[str]) -> Sequence[float]:
        first, *others = model.embed([asked, *texts])
        return [float(other @ first) for other in others]

    prompt = f"{render_passages(marked)}\n{render_question(question)}"
    response = ExtractiveModel(similarity).completion(messages=[{"role": "user", "content": prompt}])
    arguments = json.loads(response.choices[0].message.tool_calls[0].function.arguments)
    statements = [
        statement(raw["text"], *((quote["passage"], quote["text"]) for quote in raw["quotes"]))
        for raw in arguments["statements"]
    ]
    assert verify(statements, passages).dropped == 0
    return [statement.text for statement in statements]


@pytest.mark.parametrize(
    ("question", "beginnings"),
    [
        ("how do I make a machine safe before I put my hand in", STEPS),
        ("what are the steps to isolate equipment", STEPS),
        ("what do i have to do before locking out", STEPS),
        ("what do i do when something splashed in my eye", RINSING),
        ("how should I treat eyes that got acid in them", RINSING),
        ("what are the hazard categories", CLASSES),
        ("list the groups that substances are sorted into", CLASSES),
        ("safety protocols for handling chemicals", CLASSES),
        ("what are the caps for travelling", LIMITS),
        ("which parameters does an HNSW graph have", ("Three numbers control", "The parameter", "The parameter")),
    ],
)
def test_a_list_is_given_whole_and_in_its_order(question: str, beginnings: tuple[str, ...]) -> None:
    """Steps, items and rows, by whatever words they are asked for."""
    found = said(question)
    assert len(found) == len(beginnings), found
    assert all(text.startswith(beginning) for text, beginning in zip(found, beginnings, strict=True)), found


@pytest.mark.parametrize(
    ("question", "first", "absent"),
    [
        ("At most how much of a Class A substance may stand outside the cabinet?", "Class A, red", "500 millilitres"),
        ("how much class a may be left on the bench outside its cabinet", "Class A, red", "500 millilitres"),
        ("how many litres of the blue label stuff can be left out", "Class D, blue", "1 litre"),
        ("most millilitres of class c outside the cabinet", "Class C, white", "100 millilitres"),
        ("which colour tag do flammables have", "Class B, yellow", "red label"),
        ("protective equipment for Class A chemicals", "Anyone who handles Class A chemicals wears", "Butyl"),
        ("who do I phone when somebody swallowed poison", "Poison information centre: 0555", "2230"),
        ("which extension is the officer who is on duty", "Safety officer on duty: extension 2215", "2230"),
        ("where is the first aid place", "First-aid room in the Dock Building", "0555"),
        ("should contact lenses come out before flushing", "Remove contact lenses while rinsing", "eyelids"),
        ("which step is trying to start the machine", "Step 6: try to start the machine", "hydraulics"),
        ("what goes on the card at the lock", "Step 7: hang the card", "Step 1"),
        ("mileage rate for my own car", "A private car is paid at 0.30 crowns", "140"),
        (
            "how much money for food on a trip abroad",
            "The daily allowance for meals is 38 crowns at home and 52",
            "140",
        ),
        (
            "what does ef_construction set while building",
            "Three numbers control an HNSW index: The parameter ef_c",
            "?",
        ),
    ],
)
def test_one_item_is_given_with_its_subject(question: str, first: str, absent: str) -> None:
    """First, and without what the items beside it say of other things."""
    found = said(question)
    assert found[0].startswith(first), found
    assert not any(absent in text for text in found), found
