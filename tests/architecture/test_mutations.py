"""The mutants of tests.mutations can be made: each finds the one place that it changes."""

from pathlib import Path

import pytest

from tests.mutations.changes import Mutant, mutate_files
from tests.mutations.mutants import MUTANTS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_made(mutant: Mutant) -> None:
    """Else the check of the tests would break off, long after the code had moved."""
    assert mutate_files(mutant.changes, ROOT)
