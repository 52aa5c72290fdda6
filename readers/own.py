"""Make material of datasets with known answers (evaluation/, docs/evaluation.md) and the documents that they are about.

A dataset names words of the right answer and the documents that hold it. The passages are cut as the product cuts them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from core.errors import FootnoteError
from core.library.ingestion.chunking import TextChunk, chunks
from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.parsers import parse
from core.quality.evaluation.datasets.dataset import DatasetError, Item
from core.quality.evaluation.datasets.dataset import read as read_items
from core.quality.evaluation.datasets.verdict import contains
from core.types import Filters
from readers.documents import split_words
from readers.material import CHECK, FIT, NEAREST, Material, Passage, Question, RowsError

TOKENIZER = Path(__file__).parents[1] / "core" / "asking" / "reading" / "weights" / "tokenizer.json"
# Kinds of questions that nothing answers. Those that the asker may not read the answer of have one.
_NOTHING_ANSWERS = frozenset({"not-there", "out-of-scope", "no-answer"})
_NEAREST = 2  # passages for such a question
_HALVES = {"check": CHECK, "build": FIT}


@dataclass(frozen=True, kw_only=True, slots=True)
class PlacedPassage:
    """A passage, the file that it is of, and the words by which a dataset can name its document."""

    file: Path
    document: str
    passage: Passage
    words: frozenset[str]


def read_dataset(dataset: Path, documents: Sequence[Path], *, library: str = "") -> Material:
    """Read the questions of a dataset that stand for themselves, with the passages of files or folders.

    library: only the lines that say so. RowsError for what cannot be read, and where no question is left.
    """
    try:
        with dataset.open(encoding="utf-8") as lines:
            items = read_items(lines, name=dataset.stem, library=library).items
    except OSError as error:
        raise RowsError(f"{dataset} cannot be read ({error.strerror}).") from None
    except (DatasetError, UnicodeDecodeError) as error:
        raise RowsError(f"{dataset}: {error}") from None
    placed, left_out = read_documents(documents)
    if not placed:
        raise RowsError(f"No passage was found in {', '.join(map(str, documents))}.")
    questions: list[Question] = []
    begun: set[str] = set()
    for item in items:
        is_first = item.conversation not in begun
        begun |= {item.conversation} - {""}
        if not is_first or item.selected_text or item.filters != Filters() or item.refusal_too:
            left_out["questions of a dataset that are about more than they say"] += 1
            continue
        made = list(_make_questions(item, dataset.stem, placed))
        left_out["questions of a dataset without a passage that is known to answer or not"] += not made
        questions += made
    if not questions:
        raise RowsError(f"No question of {dataset} has its answer in the documents.")
    return Material(passages=tuple(each.passage for each in placed), questions=tuple(questions), left_out=left_out)


def _make_questions(item: Item, name: str, placed: Sequence[PlacedPassage]) -> Iterator[Question]:
    if item.refusal_expected and item.kind in _NOTHING_ANSWERS:
        for number, place in enumerate(_rank(item.question, placed, range(len(placed)))[:_NEAREST]):
            yield _make_question(item, name, place, answers=False, suffix=f"-{number}")
    elif item.expected:
        holding = [
            place
            for place, each in enumerate(placed)
            if _is_named(item, each.document) and contains(each.passage.text, item.expected)
        ]
        for place in _rank(item.question, placed, holding)[:1]:
            yield _make_question(item, name, place, answers=True, span=_find_span(item, placed[place].passage.text))


def _make_question(
    item: Item, name: str, place: int, *, answers: bool, span: tuple[int, int] | None = None, suffix: str = ""
) -> Question:
    return Question(
        id=f"{name}-{item.identifier.replace(' ', '-')}{suffix}",
        set=f"own-{name}",
        text=item.question,
        passage=place,
        answers=answers,
        span=span,
        negative="" if answers else NEAREST,
        half=_HALVES.get(item.half, ""),
    )


def _is_named(item: Item, document: str) -> bool:
    parts = [part for choice in item.sources for part in choice]
    return not parts or any(part.casefold() in document.casefold() for part in parts)


def _rank(question: str, placed: Sequence[PlacedPassage], places: Sequence[int]) -> list[int]:
    """Return places by how many of the question's words stand there, most first."""
    words = set(split_words(question))
    return sorted(places, key=lambda place: len(words & placed[place].words), reverse=True)


def _find_span(item: Item, text: str) -> tuple[int, int] | None:
    """Return where the expected words stand, if they are one text and stand there as they are written."""
    if len(item.expected) != 1:
        return None
    found = [(start, start + len(words)) for words in item.expected[0] if (start := text.find(words)) >= 0]
    return min(found, default=None)


def read_documents(paths: Sequence[Path]) -> tuple[list[PlacedPassage], Counter[str]]:
    """Return the passages of the files; a file that cannot be read is counted."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_truncation()
    placed: list[PlacedPassage] = []
    left_out: Counter[str] = Counter()
    for file in _iterate_files(paths):
        try:
            documents = parse(file.read_bytes(), file.name).documents
        except (FootnoteError, OSError):
            left_out["files that cannot be read as documents"] += 1
            continue
        for document in documents:
            name = f"{document.title or file.stem} {document.source_url} {file}"
            for chunk in chunks(document, tokenizer):
                passage = Passage(text=chunk.content, title=_make_heading(document, chunk, file))
                words = frozenset(split_words(f"{passage.title} {passage.text}"))
                placed.append(PlacedPassage(file=file, document=name, passage=passage, words=words))
    return placed, left_out


def _iterate_files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.exists():
            raise RowsError(f"{path} is missing.")
        yield from sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def _make_heading(document: ParsedDocument, chunk: TextChunk, file: Path) -> str:
    """Return where a passage stands, in the words that the product puts before it (core.types.Passage.source)."""
    title = document.title or file.stem
    parts = (
        title,
        f"{document.document_date:%-d %B %Y}" if document.document_date else "",
        chunk.chapter if chunk.chapter != title else "",
        chunk.section,
        f"page {chunk.page_number}" if chunk.page_number else "",
    )
    return ", ".join(part for part in parts if part)
