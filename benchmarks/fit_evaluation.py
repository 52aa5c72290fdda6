"""Fit and test the weights of the local evaluation scores.

    python -m benchmarks.fit_evaluation SQUAD_DEV.json SCIFACT_FOLDER

SQUAD_DEV.json is the dev set of SQuAD 2.0; SCIFACT_FOLDER holds corpus.jsonl, queries.jsonl and qrels.tsv in BEIR's
layout. Both are public; neither is part of this project. Half of the articles and claims are held out, and the areas
under the ROC curve are theirs; the weights printed are then fitted on all. It embeds about 8,000 texts, which takes
some minutes.
"""

import argparse
import json
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.scratch import set_up

SAMPLE = 800  # questions and claims of each set
ALERT_LINE, PASS_SHARE = 0.85, 0.9  # share of good contexts whose relevance should reach the default alert line


@dataclass(frozen=True, kw_only=True)
class Example:
    """One pair to be told apart: features, whether it is a good pair, and the group it is held out with."""

    similarity: float
    coverage: float
    good: bool
    group: str


def main() -> None:
    """Print the weights and how well they tell good pairs from bad ones."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("squad", type=Path, help="SQuAD 2.0 dev.json")
    parser.add_argument("scifact", type=Path, help="folder of SciFact in BEIR's layout")
    arguments = parser.parse_args()
    random.seed(20)
    squad = Squad(arguments.squad)
    relevance = squad.question_passage()
    fit("RELEVANCE", relevance, shift_to=(ALERT_LINE, PASS_SHARE))
    fit("SUPPORT", claim_passage(arguments.scifact) + squad.sentence_passage())
    fit("ANSWER_RELEVANCE", squad.question_sentence())


def fit(name: str, examples: Sequence[Example], shift_to: tuple[float, float] | None = None) -> None:
    """Fit on half of the groups, report on the other half, then print the weights fitted on all.

    shift_to: (line, share): move the intercept so that this share of the good examples reaches the line.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    features = np.array([[e.similarity, e.coverage] for e in examples])
    good = np.array([e.good for e in examples])
    groups = sorted({e.group for e in examples})
    training = np.isin([e.group for e in examples], groups[::2])
    model = LogisticRegression(C=100, class_weight="balanced").fit(features[training], good[training])
    held_out = model.predict_proba(features[~training])[:, 1]
    area = roc_auc_score(good[~training], held_out)
    model.fit(features, good)
    weighted = features @ model.coef_[0]
    intercept = model.intercept_[0]
    if shift_to:
        line, share = shift_to
        intercept = np.log(line / (1 - line)) - np.quantile(weighted[good], 1 - share)
    scores = 1 / (1 + np.exp(-(weighted + intercept)))
    print(f"{name}: similarity={model.coef_[0][0]:.2f}, coverage={model.coef_[0][1]:.2f}, intercept={intercept:.2f}")
    print(f"  {len(examples)} examples, {good.sum()} good; area under ROC on the half held out {area:.3f}")
    for label, chosen in (("good", good), ("bad", ~good)):
        print(f"  {label}: deciles 1, 3, 5, 7, 9 {np.quantile(scores[chosen], [0.1, 0.3, 0.5, 0.7, 0.9]).round(2)}")


class Squad:
    """Paragraphs, sentences and questions of SQuAD, embedded."""

    def __init__(self, path: Path) -> None:
        """Read and embed."""
        from django.conf import settings

        from core import embedding
        from core.nlp.text import sentences

        articles = json.loads(path.read_text())["data"]
        self.paragraphs = [(a["title"], p["context"]) for a in articles for p in a["paragraphs"]]
        asked = [
            (qa["question"], number, qa["answers"][0]["text"])
            for number, paragraph in enumerate(p for a in articles for p in a["paragraphs"])
            for qa in paragraph["qas"]
            if not qa["is_impossible"]
        ]
        self.questions = random.sample(asked, SAMPLE)
        self.sentences = [
            (number, text[start:end])
            for number, (_, text) in enumerate(self.paragraphs)
            for start, end in sentences(text)
        ]
        embed = embedding.load_provider(settings.EMBEDDING_MODEL).embed
        self.paragraph_vectors = embed([text for _, text in self.paragraphs])
        self.question_vectors = embed([question for question, _, _ in self.questions])
        self.sentence_vectors = embed([text for _, text in self.sentences])

    def question_passage(self) -> list[Example]:
        """The best of five passages: with the one that answers, without it, and from other articles."""
        examples = []
        for (question, answering, _), vector in zip(self.questions, self.question_vectors, strict=True):
            title = self.paragraphs[answering][0]
            ranked = np.argsort(-(self.paragraph_vectors @ vector)).tolist()
            without = [n for n in ranked if n != answering][:5]
            elsewhere = [n for n in ranked if self.paragraphs[n][0] != title][:5]
            for good, chosen in ((True, [answering, *without[:4]]), (False, without), (False, elsewhere)):
                examples.append(self._best(question, vector, chosen, good=good, group=title))
        return examples

    def question_sentence(self) -> list[Example]:
        """The sentence with the answer, another of its paragraph, and one of anywhere."""
        examples = []
        for (question, answering, answer), vector in zip(self.questions, self.question_vectors, strict=True):
            own = [n for n, (paragraph, _) in enumerate(self.sentences) if paragraph == answering]
            good = [n for n in own if answer in self.sentences[n][1]]
            bad = [n for n in own if n not in good]
            if not good or not bad:
                continue
            nearest = max(good, key=lambda n: float(self.sentence_vectors[n] @ vector))
            others = (random.choice(bad), random.randrange(len(self.sentences)))
            for is_good, number in ((True, nearest), *((False, n) for n in others)):
                similarity = float(self.sentence_vectors[number] @ vector)
                examples.append(self._pair(question, self.sentences[number][1], similarity, is_good, answering))
        return examples

    def sentence_passage(self) -> list[Example]:
        """Sentences against the nearest paragraph that they are not from: what looks near and carries nothing."""
        examples = []
        for number in random.sample(range(len(self.sentences)), SAMPLE // 2):
            paragraph, text = self.sentences[number]
            vector = self.sentence_vectors[number]
            other = next(n for n in np.argsort(-(self.paragraph_vectors @ vector)) if n != paragraph)
            near = [n for n, (owner, _) in enumerate(self.sentences) if owner == other]
            similarity = float((self.sentence_vectors[near] @ vector).max())
            examples.append(self._pair(text, self.paragraphs[other][1], similarity, False, paragraph))
        return examples

    def _best(self, question: str, vector: np.ndarray, chosen: list[int], *, good: bool, group: str) -> Example:
        """The passage that stands out by both features together, as the score takes the best passage."""
        from core.evaluation.triad.asked import coverage

        pairs = [(float(self.paragraph_vectors[n] @ vector), coverage(question, self.paragraphs[n][1])) for n in chosen]
        similarity, covered = max(pairs, key=sum)
        return Example(similarity=similarity, coverage=covered, good=good, group=group)

    def _pair(self, text: str, other: str, similarity: float, good: bool, paragraph: int) -> Example:
        from core.evaluation.triad.asked import coverage

        title = self.paragraphs[paragraph][0]
        return Example(similarity=similarity, coverage=coverage(text, other), good=good, group=title)


def claim_passage(folder: Path) -> list[Example]:
    """Claims against the abstract that speaks of them, the nearest one that does not, and any."""
    from django.conf import settings

    from core import embedding
    from core.evaluation.triad.asked import coverage
    from core.nlp.text import sentences

    corpus = {row["_id"]: row["text"] for row in _rows(folder / "corpus.jsonl")}
    claims = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    judged: dict[str, str] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        claim, document, score = line.split("\t")
        if int(score) and claim in claims:
            judged.setdefault(claim, document)
    chosen = random.sample(sorted(judged), SAMPLE // 2)
    documents = sorted({judged[claim] for claim in chosen})
    pieces = {d: [corpus[d][start:end] for start, end in sentences(corpus[d])] for d in documents}
    embed = embedding.load_provider(settings.EMBEDDING_MODEL).embed
    flat = embed([piece for d in documents for piece in pieces[d]])
    ends = np.cumsum([0, *(len(pieces[d]) for d in documents)])
    vectors = {d: flat[start:end] for d, start, end in zip(documents, ends[:-1], ends[1:], strict=True)}
    examples = []
    for claim, vector in zip(chosen, embed([claims[c] for c in chosen]), strict=True):
        nearness = {d: float((vectors[d] @ vector).max()) for d in documents}
        others = [d for d in sorted(documents, key=lambda d: -nearness[d]) if d != judged[claim]]
        for good, document in ((True, judged[claim]), (False, others[0]), (False, random.choice(others))):
            covered = coverage(claims[claim], corpus[document])
            examples.append(Example(similarity=nearness[document], coverage=covered, good=good, group=claim))
    return examples


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    set_up()
    main()
