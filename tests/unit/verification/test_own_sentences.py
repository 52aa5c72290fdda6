"""A sentence that is its own quote passes, whatever its text: the extractive model says nothing else."""

from pathlib import Path

import pytest

from core.asking.verification.statements import verify
from core.language.nlp.text import sentences
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


def test_a_row_that_is_quoted_whole_may_deny_in_one_of_its_cells() -> None:
    """Its "not" for children denies nothing of adults; with a "not" of its own for adults it is another row."""
    table = passage("Ticket | Adults | Children\n--- | --- | ---\nSauna | 9.50 | not admitted\nSwim | 6.80 | 3.40")
    row = "Sauna | 9.50 | not admitted"
    names = "Ticket | Adults | Children"
    whole = statement("Sauna – Adults: 9.50; Children: not admitted", (1, row), (1, names))
    changed = statement("Sauna – Adults: not 9.50; Children: not admitted", (1, row), (1, names))
    assert verify([whole], [table]).citations
    assert not verify([changed], [table]).citations
