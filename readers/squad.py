"""Read questions in SQuAD's own form (Rajpurkar et al., 2016 and 2018): articles, paragraphs, questions."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from readers.material import Material, Passage, Question, RowsError, take, take_span, take_text

HUMAN = "human"  # people wrote the question so that the passage does not answer it


def read_squad(path: Path) -> Material:
    """Read a file of SQuAD 1.1 or 2.0. RowsError, with the place in it, for what is amiss.

    Of several answers to a question the most frequent counts, of equally frequent ones the first.
    """
    name = f"squad-{path.stem}"
    passages: list[Passage] = []
    questions: list[Question] = []
    for where, title, paragraph in _iterate_paragraphs(path):
        text = take_text(paragraph, "context", where)
        for asked, question in _iterate(paragraph, "qas", where):
            answers = not take(question, "is_impossible", bool, asked, False)
            questions.append(
                Question(
                    id=take(question, "id", str, asked, f"{name}-{len(questions)}"),
                    set=name,
                    text=take_text(question, "question", asked),
                    passage=len(passages),
                    answers=answers,
                    span=_find_span(question, asked, text) if answers else None,
                    negative="" if answers else HUMAN,
                )
            )
        passages.append(Passage(text=text, title=title))
    return Material(passages=tuple(passages), questions=tuple(questions))


def _iterate_paragraphs(path: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    try:
        articles = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RowsError(f"{path} is missing.") from None
    except OSError as error:
        raise RowsError(f"{path} cannot be read ({error.strerror}).") from None
    except (ValueError, RecursionError) as error:
        raise RowsError(f"{path} is not JSON ({error}).") from None
    if not isinstance(articles, dict):
        raise RowsError(f"{path} is no file of SQuAD: it is no JSON object.")
    for where, article in _iterate(articles, "data", str(path)):
        title = take(article, "title", str, where, "").replace("_", " ")
        for place, paragraph in _iterate(article, "paragraphs", where):
            yield place, title, paragraph


def _iterate(holder: Mapping[str, Any], name: str, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of a list, each after its place in words."""
    found = holder.get(name)
    if not isinstance(found, list):
        raise RowsError(f'{where} is not as SQuAD has it: it needs a list "{name}".')
    for number, each in enumerate(found):
        if not isinstance(each, dict):
            raise RowsError(f"{where}, {name}[{number}] is no JSON object.")
        yield f"{where}, {name}[{number}]", each


def _find_span(question: Mapping[str, Any], where: str, text: str) -> tuple[int, int]:
    spans: Counter[tuple[int, int]] = Counter()
    for place, answer in _iterate(question, "answers", where):
        start = take(answer, "answer_start", int, place)
        line = {"start": start, "end": start + len(take_text(answer, "text", place))}
        span = take_span(line, place, text, answers=True)
        if span and text[slice(*span)] != answer["text"]:
            raise RowsError(f"{place}: the passage has other words at character {start}.")
        spans.update([span] if span else [])
    if not spans:
        raise RowsError(f"{where}: it has no answer, and is not said to be impossible.")
    return spans.most_common(1)[0][0]
