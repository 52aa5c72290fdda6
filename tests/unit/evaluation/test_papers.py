"""The questions about papers of organisations, as a dataset that `evaluate` reads."""

import json
import tomllib

from benchmarks.papers import CHECK, ORGANISATIONS, read_lines, write_library
from core.quality.evaluation.datasets.dataset import read

NAMES = sorted(path.parent.name for path in ORGANISATIONS.glob("*/questions.jsonl"))
LINES = [line for name in NAMES for line in read_lines(name)]


def test_every_question_becomes_a_line_that_evaluate_reads() -> None:
    """Count the questions, those without an answer, and those of the half that is for measuring."""
    items = read(json.dumps(line) for line in LINES).items
    assert len(items) == 2860
    assert sum(item.refusal_expected for item in items) == 795
    assert all(item.first for item in items if not item.refusal_expected)
    assert {item.library for item in items if item.half == "check"} == CHECK
    assert {item.library for item in items if item.half == "build"} == set(NAMES) - CHECK


def test_a_follow_up_is_asked_in_the_conversation_of_the_question_before_it() -> None:
    """Compare with what each folder says comes before what."""
    conversation = {line["id"]: line.get("conversation") for line in LINES}
    followed = 0
    for name in NAMES:
        for raw in (ORGANISATIONS / name / "questions.jsonl").read_text().splitlines():
            question = json.loads(raw)
            if "after" in question:
                followed += 1
                mine = conversation[f"{name}-{question['id']}"]
                assert mine is not None
                assert mine == conversation[f"{name}-{question['after']}"]
    assert followed == 482


def test_the_library_gives_each_person_the_papers_of_one_organisation() -> None:
    """Read what load_library is given."""
    library = tomllib.loads("\n".join(write_library(name) for name in NAMES))
    assert [person["roles"] for person in library["people"]] == [[name] for name in NAMES]
    for collection, name in zip(library["collections"], NAMES, strict=True):
        assert collection["roles"] == [name]
        assert all((ORGANISATIONS / path).is_dir() for path in collection["paths"])
