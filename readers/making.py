"""Make rows of material: two halves without a document in common, negatives, and a share of misspelt questions."""

import random
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readers.documents import choose_check, find_documents, split_words
from readers.material import CHECK, FIT, Material, Question, RowsError
from readers.negatives import find_negatives
from readers.rows import Row

_LEAST_LETTERS = 5  # of a word that is misspelt


@dataclass(frozen=True, kw_only=True, slots=True)
class Wishes:
    """Holds how rows are to be made. Shares are from 0 to 1."""

    seed: int = 1
    check: float = 0.05  # share of the documents that are held out
    held_out: frozenset[str] = frozenset()  # sets that are only judged, with whatever is of the same documents
    near: float = 0.4  # share of the answerable questions of sets without unanswerable ones: see negatives.py
    nearest: float = 0.2
    misspelt: float = 0.08  # share of the questions for fitting
    untitled: float = 0.5  # share of the passages for fitting that lose their title, which not every text has
    most: int = 0  # questions of each set, by chance; 0 for all


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """Holds rows, and why questions are none."""

    rows: tuple[Row, ...]
    left_out: Counter[str]


def make_rows(material: Material, wishes: Wishes) -> Made:
    """Make rows, in an order by chance. RowsError where none is left."""
    unknown = wishes.held_out - {question.set for question in material.questions}
    if unknown:
        raise RowsError(f"No question is of the set {min(unknown)}, which is to be held out.")
    chance = random.Random(wishes.seed)
    documents = find_documents(material)
    check = choose_check(material, documents, share=wishes.check, sets=wishes.held_out)
    questions = _draw(material.questions, wishes.most, chance)
    drawn = replace(material, questions=tuple(questions))
    questions += find_negatives(drawn, documents, check, near=wishes.near, nearest=wishes.nearest, seed=wishes.seed)
    left_out = Counter(material.left_out)
    checked = {_fold(question) for question in questions if documents[question.passage] in check}
    rows = []
    for question in questions:
        half = CHECK if documents[question.passage] in check else FIT
        if half == FIT and question.half == CHECK:
            left_out["questions of a dataset's half for checking, about a document that is fitted on"] += 1
        elif half == FIT and _fold(question) in checked:
            left_out["rows whose question is also asked of a document that is held out"] += 1
        else:
            row = _make_row(material, question, half, documents[question.passage])
            rows.append(_vary(row, chance, wishes) if half == FIT else row)
    if not rows:
        raise RowsError("No question is left of which a row can be made.")
    chance.shuffle(rows)
    return Made(rows=tuple(rows), left_out=left_out)


def _draw(questions: Sequence[Question], most: int, chance: random.Random) -> list[Question]:
    if not most:
        return list(questions)
    order = chance.sample(range(len(questions)), len(questions))
    drawn: Counter[str] = Counter()
    kept = []
    for number in order:
        if drawn[questions[number].set] < most:
            drawn[questions[number].set] += 1
            kept.append(number)
    return [questions[number] for number in sorted(kept)]


def _fold(question: Question) -> str:
    return " ".join(split_words(question.text))


def _make_row(material: Material, question: Question, half: str, document: int) -> Row:
    passage = material.passages[question.passage]
    return Row(
        id=question.id,
        set=question.set,
        half=half,
        document=document,
        question=question.text.strip(),
        heading=passage.title,
        text=passage.text,
        answers=question.answers,
        span=question.span,
        negative=question.negative,
        is_statement=question.is_statement,
    )


def _vary(row: Row, chance: random.Random, wishes: Wishes) -> Row:
    """Return a row for fitting, now and then misspelt or without its heading."""
    question = misspell(row.question, chance) if chance.random() < wishes.misspelt else row.question
    return replace(row, question=question, heading="" if chance.random() < wishes.untitled else row.heading)


def misspell(question: str, chance: random.Random) -> str:
    """Return a question with a slip of the fingers in one word or two; as it is where no word is long enough."""
    words = question.split(" ")
    places = [place for place, word in enumerate(words) if _may_be_misspelt(word)]
    for place in chance.sample(places, min(len(places), chance.choice((1, 2)))):
        slips = [slip for slip in _iterate_slips(words[place], chance) if slip != words[place]]
        words[place] = chance.choice(slips)
    return " ".join(words)


def _may_be_misspelt(word: str) -> bool:
    """Return True for a long word in small letters: names and numbers stay, as whoever asks copies them."""
    return len(word) >= _LEAST_LETTERS and word.isalpha() and word.islower()


def _iterate_slips(word: str, chance: random.Random) -> Iterator[str]:
    """Yield a word with two letters exchanged, one left out, one doubled and one wrong; the first letter stays."""
    place = chance.randrange(1, len(word) - 1)
    before, letter, after = word[:place], word[place], word[place + 1 :]
    yield before + after[0] + letter + after[1:]
    yield before + after
    yield before + letter + letter + after
    yield before + chance.choice(string.ascii_lowercase) + after
