"""Make a reader's input of a question and a passage: `<s> question </s> title. passage </s>`."""

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Tokenizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """Holds the numbers of a reader's own tokens, and how far its words are from the tokenizer's numbers."""

    first: int
    separator: int
    padding: int
    shift: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """Holds a passage beside a question, as a reader takes it."""

    ids: list[int]
    begins: int  # the place of the passage's first token
    offsets: list[tuple[int, int]]  # of each of the passage's tokens, in characters of what stands there


class Encoder:
    """Encodes for a reader by its tokenizer. What is longer than the reader takes is cut."""

    def __init__(self, tokenizer: Tokenizer, marks: Marks, *, question_tokens: int, passage_tokens: int) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer, self._marks = tokenizer, marks
        self._question_tokens, self._passage_tokens = question_tokens, passage_tokens

    def encode(self, question: str, texts: Sequence[str]) -> list[Encoded]:
        """Encode each text beside the question."""
        asked = self._number(self._tokenizer.encode(question, add_special_tokens=False).ids[: self._question_tokens])
        marks = self._marks
        encoded = []
        for each in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            words = self._number(each.ids[: self._passage_tokens])
            encoded.append(
                Encoded(
                    ids=[marks.first, *asked, marks.separator, *words, marks.separator],
                    begins=len(asked) + 2,
                    offsets=each.offsets[: self._passage_tokens],
                )
            )
        return encoded

    def _number(self, ids: Sequence[int]) -> list[int]:
        return [each + self._marks.shift for each in ids]
