"""Test that an answer with a model is never worse than one without, however the model behaves."""

import json

import pytest
from pytest_django import Settings

from benchmarks.scripted_models import KEY_FREE, MODELS, Bench, Tally, find_honest, write_table
from core.asking.generation.markup import MarkedPassage
from core.quality.evaluation.datasets.dataset import Item, read
from core.testing import Cast, make_document

LIBRARY = {
    "Canteen rules": "The canteen in the harbour office opens at noon. Visitors may not bring dogs.",
    "Boat shed": "The boat shed has room for 34 boats. Each boat pays 75 euros a year. Engines are locked away.",
    "Fares": "Ticket | Adults | Children\n--- | --- | ---\nDay | 6.80 | 3.40\nMonthly pass | 48 euros | 21 euros",
}
QUESTIONS = (
    {"question": "When does the canteen in the harbour office open?", "expected": "noon", "source": "Canteen"},
    {"question": "For how many boats has the boat shed room?", "expected": "34", "source": "Boat shed"},
    {"question": "What does a monthly pass cost for children?", "expected": "21", "source": "Fares"},
    {"question": "Who painted the portrait in the town hall?", "expected": None},
)


@pytest.fixture
def items(cast: Cast, fast: None, settings: Settings) -> list[Item]:
    """Questions of a small library, with the packaged reader."""
    settings.READER, settings.READER_BUDGET_MS = "", 60_000
    for title, text in LIBRARY.items():
        make_document(title, text, roles=[cast.staff])
    return list(read([json.dumps({**line, "as": cast.bob.email}) for line in QUESTIONS]).items)


@pytest.mark.parametrize("mode", ["plain_text", "tool_calling"])
def test_no_model_makes_answers_worse(items: list[Item], mode: str) -> None:
    """Nor is anything lost that an honest one has right, or let through that the others have wrong."""
    bench = Bench(items, mode=mode)
    key_free, ends = bench.run(KEY_FREE, None)
    assert (key_free.right, key_free.answered_nothing) == (3, 0)
    for name, writing in MODELS.items():
        tally, _ = bench.run(name, writing, ends)
        assert not tally.is_worse_than(key_free), (name, tally)
        assert (tally.lost, tally.gained, tally.let_through) == ([], [], 0), (name, tally)
        assert tally.kept == tally.plain_right, (name, tally)
        if name == "honest":
            assert tally.plain_right == 3


def test_the_honest_model_says_what_holds_the_expected_facts_and_nothing_else() -> None:
    passage = MarkedPassage(number=1, source="Boat shed", text=LIBRARY["Boat shed"])
    [item, absent] = read([json.dumps({**QUESTIONS[1], "as": "b"}), json.dumps({**QUESTIONS[3], "as": "b"})]).items
    assert find_honest(item, [passage]) == ("The boat shed has room for 34 boats.",)
    assert find_honest(absent, [passage]) == ()
    assert find_honest(item, [MarkedPassage(number=1, source="Canteen", text=LIBRARY["Boat shed"])]) == ()


def test_fewer_right_answers_or_more_invented_ones_are_worse() -> None:
    key_free = Tally(name=KEY_FREE, right=5, answered_nothing=1)
    assert not Tally(name="x", right=5, answered_nothing=1, wrong=3).is_worse_than(key_free)
    assert Tally(name="x", right=4).is_worse_than(key_free)
    assert Tally(name="x", right=6, answered_nothing=2).is_worse_than(key_free)
    assert "| x | 4 | 0 | 0 | 0 | 7, 6 | 0, 0 |" in write_table([Tally(name="x", right=4, plain_right=7, kept=6)], 9, 1)
