"""A sentence that is its own quote passes, whatever stands in it: the extractive model says nothing else."""

from pathlib import Path

import pytest

from core.nlp.text import sentences
from core.verification.statements import verify
from tests.unit.verification.passages import passage, statement

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = (ROOT / "samples", ROOT.parent / "shared" / "corpus")
CHARACTERS, FILES = 1200, 25


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_sentence_that_is_its_own_quote_is_kept(folder: Path) -> None:
    """Real prose, cut into passages; no sentence is dropped for what it says."""
    files = sorted(folder.rglob("*.md"))
    if not files:
        pytest.skip(f"the folder {folder.name} with documents is not on this machine")
    dropped: list[tuple[str, dict[str, int]]] = []
    tried = 0
    for file in files[:: max(1, len(files) // FILES)]:
        content = file.read_text(encoding="utf-8")[:12_000]
        for start in range(0, len(content), CHARACTERS):
            piece = content[start : start + CHARACTERS]
            for first, last in sentences(piece)[1:-1]:
                said = piece[first:last]
                if len(said.split()) >= 4 and len(said) <= 800 and "{%" not in said and "---" not in said:
                    result = verify([statement(" ".join(said.split()), said)], [passage(piece)])
                    tried += 1
                    if result.dropped:
                        dropped.append((said, result.reasons))
    assert dropped == []
    assert tried > 40
