"""The mutants of tests.mutations can be made: what each of them changes stands in the project once."""

from pathlib import Path

import pytest

from tests.mutations.mutants import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_what_a_mutant_changes_stands_there_once(mutant: Mutant) -> None:
    """Else the check of the tests would break off, long after the code had moved."""
    for change in mutant.changes:
        assert (ROOT / change.file).read_text().count(change.was) == 1
