"""`python -m benchmarks.abstention` on three articles: what it prints, draws and leaves alone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

ROOT = Path(__file__).parents[3]
COEFFICIENTS = ROOT / "core" / "asking" / "confidence" / "unread.json"
LONGEST_S = 280  # within the limit that pytest sets

# Of each article: paragraphs, and for each (question, answer); without an answer the question is impossible.
ARTICLES: dict[str, dict[str, list[tuple[str, str]]]] = {
    "Holm_ferry": {
        "The ferry to Holm leaves the northern pier at seven every morning. It carries thirty cars.": [
            ("When does the ferry to Holm leave?", "seven"),
            ("How many cars does the ferry carry?", "thirty"),
            ("How many buses does the ferry carry?", ""),
        ],
        "Dogs travel free of charge on the upper deck. Horses are not taken aboard.": [
            ("On which deck do dogs travel free?", "the upper deck"),
            ("Which animals are not taken aboard?", "Horses"),
            ("What do horses on the upper deck pay?", ""),
        ],
    },
    "Southern_smokehouse": {
        "The smokehouse was founded by the cooper Greta Lind in 1911. It burned down twice.": [
            ("Who founded the smokehouse?", "Greta Lind"),
            ("How often did the smokehouse burn down?", "twice"),
            ("Who bought the smokehouse in 1911?", ""),
        ],
        "Eel is smoked over beech for nine hours. Trout needs four hours over alder.": [
            ("For how long is eel smoked?", "nine hours"),
            ("Over which wood is trout smoked?", "alder"),
            ("Over which wood is salmon smoked?", ""),
        ],
    },
    "Customs_vault": {
        "The vault was dug by the mason Olaf Stern. Its door weighs two tons.": [
            ("Who dug the vault?", "Olaf Stern"),
            ("How much does the door of the vault weigh?", "two tons"),
            ("Who painted the door of the vault?", ""),
        ],
        "Each spring the water in the vault is pumped out by the fire brigade.": [
            ("Who pumps the water out of the vault?", "the fire brigade"),
            ("Who pumps the water out in autumn?", ""),
        ],
    },
}
# Of each set: passages, and for each question whether it is of the half that is reported.
NATURAL: dict[str, dict[str, tuple[str, bool]]] = {
    "Beekeepers": {
        "Each hive is opened once a week from May on. Smoke calms the bees before the lid is lifted.": (
            "how often do i look into a hive in summer",
            True,
        ),
        "Sugar water is given in October, when nothing is in flower any more.": ("feeding bees in autumn", False),
    },
    "Bell founders": {
        "Bronze for a bell holds four parts of copper and one part of tin.": ("what is a bell made of", True),
        "A cracked bell is melted down; it cannot be welded without losing its tone.": ("can you mend a bell", False),
    },
}
Benchmark = Callable[..., dict[str, Any]]

# `python -m benchmarks.abstention`, whose database is copied from the template that is named first.
COMMAND = """
import runpy, sys
from django.conf import settings
settings.DATABASES["default"]["TEST"] = {"TEMPLATE": sys.argv.pop(1)}
runpy.run_module("benchmarks.abstention", run_name="__main__", alter_sys=True)
"""


def in_the_form_of_squad() -> dict[str, Any]:
    def asked(question: str, context: str, answer: str) -> dict[str, Any]:
        answers = [{"text": answer, "answer_start": context.index(answer)}] if answer else []
        return {"question": question, "is_impossible": not answer, "answers": answers}

    return {
        "version": "v2.0",
        "data": [
            {
                "title": title,
                "paragraphs": [
                    {"context": context, "qas": [asked(question, context, answer) for question, answer in questions]}
                    for context, questions in paragraphs.items()
                ],
            }
            for title, paragraphs in ARTICLES.items()
        ],
    }


def as_natural(folder: Path) -> Path:
    folder.mkdir()
    questions = [
        {
            "source_set": name,
            "question": question,
            "passages": [{"title": name, "text": text}],
            "answerable": True,
            "answers": [],
            "split": "check" if reported else "fit",
        }
        for name, passages in NATURAL.items()
        for text, (question, reported) in passages.items()
    ]
    pool = [{"source_set": name, "title": name, "text": text} for name, texts in NATURAL.items() for text in texts]
    for name, rows in (("natural", questions), ("pool", pool)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def benchmark(django_db_setup: None, tmp_path: Path) -> Benchmark:
    """Runs it in a process of its own, and reads what it printed."""
    dataset = tmp_path / "dev.json"
    dataset.write_text(json.dumps(in_the_form_of_squad()))

    def run(*options: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, connection.settings_dict["TEST"]["TEMPLATE"], str(dataset), *options],
            env={**os.environ, "DATABASE_URL": settings.DATABASE_URL, "READER": "none"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    return run


def test_it_measures_draws_and_leaves_the_coefficients_alone(benchmark: Benchmark, tmp_path: Path) -> None:
    """Each setting by its figures, all of them together, and two pictures; without --fit nothing is fitted for use."""
    before = COEFFICIENTS.read_bytes()
    vectors = tmp_path / "vectors"
    natural = as_natural(tmp_path / "natural")
    report = benchmark(
        *("--pictures", str(tmp_path / "pictures"), "--natural", str(natural), "--vectors", str(vectors))
    )
    assert COEFFICIENTS.read_bytes() == before

    answerable = sum(bool(answer) for texts in ARTICLES.values() for asked in texts.values() for _, answer in asked)
    every = sum(len(asked) for texts in ARTICLES.values() for asked in texts.values())
    reported = sum(reported for passages in NATURAL.values() for _, reported in passages.values())
    assert set(report) == {"settings", "sets", "all"}
    assert {name: (figures["questions"], figures["answerable"]) for name, figures in report["settings"].items()} == {
        "out of scope": (2 * answerable, 0.5),  # each question is asked of both halves, of which one holds its answer
        "passage missing": (2 * answerable, 0.5),
        "adversarial": (every, round(answerable / every, 3)),
        "natural": (2 * reported, 0.5),  # with what answers it and without
        "natural, out of scope": (reported, 0.0),
    }
    assert {name: figures["questions"] for name, figures in report["sets"].items()} == dict.fromkeys(NATURAL, 2)
    for figures in report["settings"].values():
        assert set(figures) == {
            "questions",
            "answerable",
            "answer_among_passages",
            "auroc",
            "auroc_top_similarity",
            "auroc_mean_similarity",
            "by_bound",
            "answered_of_unanswerable_at_95_coverage",
            "calibration_error",
        }
        bounds = figures.pop("by_bound")
        shares = [*figures.values(), *(share for at in bounds.values() for share in at.values())]
        assert all(share is None or 0 <= share <= 1 for share in shares if share != figures["questions"])
        for share in ("of_answerable", "of_unanswerable"):
            falling = [at[share] for at in bounds.values()]
            assert falling == [None] * len(bounds) or falling == sorted(falling, reverse=True)
    assert report["settings"]["natural"]["answer_among_passages"] == 1.0
    assert vectors.stat().st_size > 0
    assert set(report["all"]) == {
        "calibration_error",
        "precision_by_level",
        "answer_right_of_answered",
        "answer_right_of_answerable",
    }
    levels = report["all"]["precision_by_level"]
    assert set(levels) == {"high", "medium", "low"}
    assert all(set(level) == {"answers", "answerable", "answer_right"} for level in levels.values())
    assert sum(level["answers"] for level in levels.values()) <= every + 4 * answerable
    # Whose paragraph is missing is told from whose is there: by similarity alone already, in so small a library.
    assert report["settings"]["out of scope"]["auroc_top_similarity"] > 0.9

    assert {path.name for path in (tmp_path / "pictures").iterdir()} == {"reliability.svg", "risk-coverage.svg"}
    for path in (tmp_path / "pictures").iterdir():
        drawn = path.read_text()
        assert "<svg" in drawn
        assert drawn.rstrip().endswith("</svg>")
