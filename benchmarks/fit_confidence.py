"""Fit and check the coefficients of core.answering.confidence.

    python -m benchmarks.fit_confidence path/to/squad2/dev.json [--questions 1500] [--seed 7]

Indexes a random half of each article's paragraphs, asks questions of all of them (answerable from what is indexed,
answerable only from what is not, and impossible ones; half of them answerable), and takes an answer as right when it
holds one of the expected answers. Fits on half of the articles and reports on the other half: AUROC, expected
calibration error (ten bins of equal width), how often an answer over 0.5 was right, and how much was answered.
"""

import argparse
import json
import random
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scratch import scratch_database, set_up


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question, what a right answer holds, and the article it is about."""

    article: str
    text: str
    expected: tuple[str, ...]  # none when what is indexed cannot answer it


def main() -> None:
    """Run the fit and print its figures as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--questions", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    set_up()
    chance = random.Random(arguments.seed)
    articles = json.loads(arguments.dataset.read_text())["data"]
    with scratch_database():
        audience, questions = _index(articles, chance)
        asked = _balanced(questions, arguments.questions, chance)
        answered, evidence, right = _ask(asked, audience)
    titles = [article["title"] for article in articles]
    fitting = np.array([question.article in titles[::2] for question in answered])
    print(json.dumps(_fit(evidence, right, fitting), indent=1))


def _balanced(questions: list[Question], count: int, chance: random.Random) -> list[Question]:
    """As many questions that what is indexed can answer as ones that it cannot, shuffled."""
    answerable = [question for question in questions if question.expected]
    others = [question for question in questions if not question.expected]
    half = min(count // 2, len(answerable), len(others))
    asked = chance.sample(answerable, half) + chance.sample(others, half)
    chance.shuffle(asked)
    return asked


def _index(articles: list[dict[str, Any]], chance: random.Random) -> tuple[Any, list[Question]]:
    from core.testing import make_cast, make_document

    cast = make_cast()
    questions: list[Question] = []
    for article in articles:
        paragraphs = article["paragraphs"]
        kept = set(chance.sample(range(len(paragraphs)), len(paragraphs) // 2))
        make_document(
            article["title"].replace("_", " "), *[paragraphs[i]["context"] for i in sorted(kept)], roles=[cast.staff]
        )
        questions.extend(
            Question(
                article=article["title"],
                text=qa["question"],
                expected=tuple(a["text"] for a in qa["answers"]) if i in kept and not qa["is_impossible"] else (),
            )
            for i, paragraph in enumerate(paragraphs)
            for qa in paragraph["qas"]
        )
    return cast.audience(cast.bob), questions


def _ask(asked: list[Question], audience: Any) -> tuple[list[Question], np.ndarray, np.ndarray]:
    from core import embedding
    from core.agent.drafting import draft_answer
    from core.answering.confidence import evidence_of
    from core.citations.verification import verify
    from core.llm.client import model_settings
    from core.retrieval.search import search_corpus
    from core.types import Filters

    model = model_settings()
    answered, rows, right = [], [], []
    for question in asked:
        model = embedding.provider()
        vector = model.embed([question.text])[0]
        found = search_corpus(
            question.text, vector, model=model.name, audience=audience, filters=Filters(), limit=5
        ).passages
        draft = draft_answer(question.text, found, search=lambda query: (), model=model, max_steps=5)
        verified = verify(draft.statements, draft.passages)
        if not verified.citations:
            continue  # refused without asking for a confidence
        answered.append(question)
        rows.append(astuple(evidence_of(question.text, draft.passages, verified.citations)))
        answer = verified.text.casefold()
        right.append(any(expected.casefold() in answer for expected in question.expected))
    return answered, np.array(rows), np.array(right)


def _fit(evidence: np.ndarray, right: np.ndarray, fitting: np.ndarray) -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    model = LogisticRegression(C=10).fit(evidence[fitting], right[fitting])
    held_out = evidence[~fitting]
    probability = model.predict_proba(held_out)[:, 1]
    truth = right[~fitting]
    answered = probability >= 0.5
    return {
        "coefficients": [round(float(c), 3) for c in model.coef_[0]],
        "intercept": round(float(model.intercept_[0]), 3),
        "fitted_on": int(fitting.sum()),
        "reported_on": int((~fitting).sum()),
        "share_right": round(float(truth.mean()), 3),
        "auroc": round(float(roc_auc_score(truth, probability)), 3),
        "auroc_top_similarity": round(float(roc_auc_score(truth, held_out[:, 0])), 3),
        "auroc_mean_similarity": round(float(roc_auc_score(truth, held_out[:, 1])), 3),
        "calibration_error": round(_calibration_error(probability, truth), 3),
        "answered": round(float(answered.mean()), 3),
        "right_of_answered": round(float(truth[answered].mean()), 3) if answered.any() else None,
    }


def _calibration_error(probability: np.ndarray, truth: np.ndarray) -> float:
    bins = np.minimum((probability * 10).astype(int), 9)
    gaps = [
        abs(float(probability[bins == i].mean()) - float(truth[bins == i].mean())) * float((bins == i).mean())
        for i in range(10)
        if (bins == i).any()
    ]
    return sum(gaps)


if __name__ == "__main__":
    main()
