"""Test replies that a real small model wrote about the sample library: read, checked and repaired.

recorded/qwen2.5-coder-1.5b.jsonl holds a reply a line, with the question, the passages that the model was shown and the
words that a right answer holds (null where nothing answers). The model: Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, greedy,
with the prompts of AGENT_MODE=plain_text, on the half of evaluation/ordinary.jsonl that is for building.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.asking.answering.repair import with_own_words
from core.asking.generation.agent import statements_in
from core.asking.verification.statements import Verified, verify
from core.quality.evaluation.datasets.verdict import contains
from core.types import Passage, Statement
from tests.unit.verification.passages import passage, statement

RECORDED = Path(__file__).with_name("recorded") / "qwen2.5-coder-1.5b.jsonl"
REPLIES: list[dict[str, Any]] = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]


def near(_question: str, texts: Sequence[str]) -> list[float]:
    """Every sentence is near: which are is a matter of the embedding model."""
    return [0.9 for _ in texts]


def shelf(recorded: dict[str, Any]) -> list[Passage]:
    return [passage(one["text"], name=one["source"]) for one in recorded["passages"]]


def drafted(recorded: dict[str, Any]) -> list[Statement]:
    return [
        statement(raw["text"], *((quote["passage"], quote["text"]) for quote in raw["quotes"]))
        for raw in statements_in(recorded["reply"])
    ]


@cache
def shown(name: str) -> tuple[Verified, Verified]:
    """Verify the draft as it was written, and after its repair, once for all tests."""
    recorded = next(one for one in REPLIES if one["id"] == name)
    passages, draft, question = shelf(recorded), drafted(recorded), recorded["question"]
    bare = verify(draft, passages, question=question)
    mended = with_own_words(draft, bare, passages, question=question, near=near)
    return bare, verify(mended.statements, passages, question=question)


def holds(recorded: dict[str, Any], said: Verified) -> bool:
    expected = recorded["expected"]
    facts = expected["all"] if isinstance(expected, dict) else [expected]
    return contains(said.text, [(fact,) if isinstance(fact, str) else tuple(fact) for fact in facts])


@pytest.mark.parametrize("recorded", REPLIES, ids=lambda recorded: recorded["id"])
def test_every_quote_stands_in_its_passage(recorded: dict[str, Any]) -> None:
    """Whatever the model wrote: each citation is word for word, and each line that is shown has one."""
    _, said = shown(recorded["id"])
    contents = [one["text"] for one in recorded["passages"]]
    assert all(any(cited.quoted_excerpt in text for text in contents) for cited in said.citations)
    assert bool(said.text) == bool(said.citations)


def test_what_a_small_model_reads_rightly_is_shown() -> None:
    """Of 39 replies 23 have the facts; 18 drafts keep them as they were written, and mended as many as have them."""
    answerable = [recorded for recorded in REPLIES if recorded["expected"]]
    bare, mended = zip(*(shown(one["id"]) for one in answerable), strict=True)
    written = sum(holds(one, Verified(text=one["reply"], citations=(), dropped=0, reasons={})) for one in answerable)
    before = sum(map(holds, answerable, bare))
    after = sum(map(holds, answerable, mended))
    assert written == 23
    assert before >= 18
    assert after >= 23
