"""Encode rows as the product encodes what it reads, and put them together in batches."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.asking.reading import AFTER_HEADING
from core.asking.reading.weights import Encoded, Encoder
from readers.rows import Row

ANSWERS, SUPPORTS = 0, 1  # places of the two logits for the whole, as core.asking.reading.network has them
_MULTIPLE = 8  # of tokens in a batch: fused attention copies its bias otherwise
_SORTED_AT_ONCE = 8192  # rows of which those of like length go together
_MOST_BEFORE = 600  # characters that are kept before an answer far down in a passage
_AT_ONCE = 500  # rows for one thread


@dataclass(frozen=True, kw_only=True, slots=True)
class Example:
    """A row as tokens."""

    ids: np.ndarray
    begins: int  # the place of the passage's first token
    span: tuple[int, int] | None  # the first and the last token of the answer
    answers: bool
    head: int  # ANSWERS or SUPPORTS
    place: int  # of the row
    document: int
    set: str
    negative: str
    weight: float = 1.0
    taught: float | None = None  # the probability of the head that a teacher makes of `answers`


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Examples in tensors: those of tokens are rows by tokens."""

    ids: Tensor
    is_text: Tensor  # False for padding
    is_passage: Tensor  # the tokens within which an answer can stand
    first: Tensor  # token of the answer; 0 where there is none
    last: Tensor
    has_span: Tensor
    answers: Tensor  # the probability that is aimed at: 1 or 0, or what was taught
    head: Tensor
    weight: Tensor

    def move(self, device: torch.device) -> "Batch":
        """Return the batch on another device."""
        return Batch(**{name: getattr(self, name).to(device, non_blocking=True) for name in self.__dataclass_fields__})


def encode(rows: Sequence[Row], encoder: Encoder) -> tuple[list[Example], Counter[str]]:
    """Encode rows; those that a reader cannot be told rightly are left out, and counted by the reason."""
    numbered = list(enumerate(rows))
    parts = [numbered[first : first + _AT_ONCE] for first in range(0, len(rows), _AT_ONCE)]
    with ThreadPoolExecutor() as threads:  # the tokenizer lets other threads run
        found = [
            each
            for part in threads.map(lambda part: [_encode_row(place, row, encoder) for place, row in part], parts)
            for each in part
        ]
    left_out = Counter(each for each in found if isinstance(each, str))
    return [each for each in found if isinstance(each, Example)], left_out


def _encode_row(place: int, row: Row, encoder: Encoder) -> Example | str:
    """Return the row as tokens, or why that cannot be done.

    Of a passage that is longer than the reader takes a part is read, in which the answer stands.
    """
    encoded, before = _encode_text(row, encoder)
    span = _find_tokens(row, encoded, before)
    is_cut = bool(encoded.offsets) and encoded.offsets[-1][1] - before < len(row.text.rstrip())
    if span is None and row.span is not None:
        kept = random.Random(row.id).randrange(_MOST_BEFORE)  # by chance, but always the same
        for most in (kept, kept // 4, 0):
            nearer = _begin_nearer(row, row.span, most)
            encoded, before = _encode_text(nearer, encoder)
            span = _find_tokens(nearer, encoded, before)
            if span:
                break
        else:
            return "rows with an answer that is longer than the reader takes"
    elif span is None and row.answers and is_cut:
        return "rows that are longer than the reader takes, in which the answer's place is not known"
    return Example(
        ids=np.array(encoded.ids, dtype=np.int32),
        begins=encoded.begins,
        span=span,
        answers=row.answers,
        head=SUPPORTS if row.is_statement else ANSWERS,
        place=place,
        document=row.document,
        set=row.set,
        negative=row.negative,
    )


def _encode_text(row: Row, encoder: Encoder) -> tuple[Encoded, int]:
    """Return what the reader takes, and how many characters stand before the text."""
    heading = row.heading + AFTER_HEADING if row.heading else ""
    return encoder.encode(row.question, [heading + row.text])[0], len(heading)


def _find_tokens(row: Row, encoded: Encoded, before: int) -> tuple[int, int] | None:
    """Return the first and the last token of the answer, counted from the first of all; None where they are cut off."""
    if row.span is None:
        return None
    start, end = row.span[0] + before, row.span[1] + before
    tokens = [number for number, (begin, stop) in enumerate(encoded.offsets) if stop > start and begin < end]
    if not tokens or encoded.offsets[tokens[-1]][1] < len((" " * before + row.text)[:end].rstrip()):
        return None
    return encoded.begins + tokens[0], encoded.begins + tokens[-1]


def _begin_nearer(row: Row, span: tuple[int, int], most: int) -> Row:
    """Return the row with a text that begins at a word, about so many characters before the answer."""
    start, end = span
    cut = row.text.rfind(" ", 0, max(start - most, 0)) + 1
    return replace(row, text=row.text[cut:], span=(start - cut, end - cut))


def draw_batches(examples: Sequence[Example], tokens: int, generator: torch.Generator | None) -> list[list[int]]:
    """Return the places of examples in batches of about so many tokens, padding included.

    generator: shuffles; without one the batches are the same each time, the shortest examples first.
    """
    count = len(examples)
    order = torch.randperm(count, generator=generator).tolist() if generator else list(range(count))
    at_once = _SORTED_AT_ONCE if generator else count
    batches: list[list[int]] = []
    for first in range(0, count, at_once):
        pool = sorted(order[first : first + at_once], key=lambda place: len(examples[place].ids))
        batches += _fill(pool, examples, tokens)
    if generator:
        batches = [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


def _fill(pool: Sequence[int], examples: Sequence[Example], tokens: int) -> Iterator[list[int]]:
    batch: list[int] = []
    for place in pool:  # the longest of a batch is its last
        if batch and _pad(len(examples[place].ids)) * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def collate(examples: Sequence[Example], padding: int) -> Batch:
    """Put examples into tensors."""
    length = _pad(max(len(example.ids) for example in examples))
    ids = np.full((len(examples), length), padding, dtype=np.int64)
    is_text, is_passage = np.zeros((2, len(examples), length), dtype=bool)
    for number, example in enumerate(examples):
        ids[number, : len(example.ids)] = example.ids
        is_text[number, : len(example.ids)] = True
        is_passage[number, example.begins : len(example.ids) - 1] = True  # without the separator after it
    spans = torch.tensor([example.span or (0, 0) for example in examples])
    return Batch(
        ids=torch.from_numpy(ids),
        is_text=torch.from_numpy(is_text),
        is_passage=torch.from_numpy(is_passage),
        first=spans[:, 0],
        last=spans[:, 1],
        has_span=torch.tensor([example.span is not None for example in examples]),
        answers=torch.tensor(
            [float(example.answers) if example.taught is None else example.taught for example in examples]
        ),
        head=torch.tensor([example.head for example in examples]),
        weight=torch.tensor([example.weight for example in examples]),
    )


def exchange(one: Example, other: Example, weight: float) -> Example:
    """Return the question of one example with the passage of the other, which is taken not to answer it."""
    ids = np.concatenate([one.ids[: one.begins], other.ids[other.begins :]])
    return replace(one, ids=ids, span=None, answers=False, taught=None, weight=weight)


def _pad(length: int) -> int:
    return -(-length // _MULTIPLE) * _MULTIPLE
