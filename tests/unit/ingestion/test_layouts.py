"""The documents of unusual layouts: what the dataset over them asks for is in their text."""

import json
from pathlib import Path

import pytest

from core.library.ingestion.parsers import parse
from evaluation.formats.make_layouts import make

ROOT = Path(__file__).resolve().parents[3]
QUESTIONS = [json.loads(line) for line in (ROOT / "evaluation/layouts.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The text of each document by its title."""
    parsed = [parse(path.read_bytes(), path.name) for path in (ROOT / "evaluation/formats/layouts").iterdir()]
    return {one.title: "\n".join(block.text for block in one.blocks) for file in parsed for one in file.documents}


def test_there_are_thirty_questions_about_each_of_the_documents(texts: dict[str, str]) -> None:
    """Every document is asked about."""
    assert len(QUESTIONS) >= 30
    assert [title for title in texts if not any(item["source"] in title for item in QUESTIONS)] == []


@pytest.mark.parametrize("item", QUESTIONS, ids=lambda item: item["question"])
def test_the_text_of_a_document_has_what_is_asked_for(item: dict[str, object], texts: dict[str, str]) -> None:
    """So that a refusal is not the parser's fault."""
    expected = item["expected"] if isinstance(item["expected"], list) else [item["expected"]]
    [text] = [text for title, text in texts.items() if str(item["source"]) in title]
    assert any(one in text for one in expected)


def test_the_script_makes_the_documents_of_the_folder(tmp_path: Path) -> None:
    """With the same text."""
    (tmp_path / "layouts").mkdir()
    make(tmp_path)
    for path in (tmp_path / "layouts").iterdir():
        made = parse(path.read_bytes(), path.name)
        assert made == parse((ROOT / "evaluation/formats/layouts" / path.name).read_bytes(), path.name)
