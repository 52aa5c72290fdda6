"""Files of questions and passages: what is whole is read, and of what is not it is said where, and why."""

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from readers.material import RowsError, join, read_pair
from readers.squad import read_squad
from tests.unit.readers.made import make_lines, write_lines, write_pair


def test_questions_come_with_their_passages(tmp_path: Path) -> None:
    """Each with the place of its passage, of its answer, and what the file says of it."""
    material = read_pair(*write_pair(tmp_path, 2))
    assert [passage.title for passage in material.passages] == ["House 0", "House 0", "House 1", "House 1"]
    first, near, said = material.questions[3:]
    assert material.passages[first.passage].text[slice(*first.span)] == "one"  # type: ignore[misc]
    assert (near.answers, near.negative, near.span) == (False, "near", None)
    assert (said.is_statement, first.is_statement, first.negative) == (True, False, "")


@pytest.mark.parametrize(("ending", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_files_may_be_compressed(tmp_path: Path, ending: str, compress: Callable[[bytes], bytes]) -> None:
    """By the ending of their names."""
    plain = write_pair(tmp_path, 3)
    packed = [tmp_path / f"{path.name}{ending}" for path in plain]
    for path, target in zip(plain, packed, strict=True):
        target.write_bytes(compress(path.read_bytes()))
    assert read_pair(*packed) == read_pair(*plain)


def test_sets_can_be_named_as_statements(tmp_path: Path) -> None:
    """The file does not mark them as statements."""
    material = read_pair(*write_pair(tmp_path, 1), statements=frozenset({"houses"}))
    assert all(question.is_statement for question in material.questions)


def test_of_a_question_without_a_set_the_file_is_one(tmp_path: Path) -> None:
    """And its line is its id."""
    questions = write_lines(tmp_path / "mine.jsonl", [{"question": "when?", "passage": 7, "answerable": False}])
    passages = write_lines(tmp_path / "passages.jsonl", [{"passage": 7, "text": "at noon"}])
    [question] = read_pair(questions, passages).questions
    assert (question.set, question.id, question.negative) == ("mine", "mine-1", "other")


def test_materials_are_joined_with_their_own_passages(tmp_path: Path) -> None:
    """The numbers of the second go on after the first."""
    one = read_pair(*write_pair(tmp_path, 2))
    both = join([one, one])
    texts = [both.passages[question.passage].text for question in both.questions]
    assert texts[: len(texts) // 2] == texts[len(texts) // 2 :]
    assert both.questions[-1].passage >= len(one.passages)


QUESTION = {"id": "q", "set": "s", "question": "when?", "passage": 1, "answerable": True, "start": 3, "end": 7}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in QUESTION.items() if key != name}


AMISS: dict[str, tuple[dict[str, Any], str]] = {
    "no question": (without("question"), 'it needs "question"'),
    "a blank question": (QUESTION | {"question": " \n"}, '"question" is blank'),
    "a question that is a number": (QUESTION | {"question": 5}, '"question" must be text'),
    "no passage": (without("passage"), 'it needs "passage"'),
    "a passage that is true": (QUESTION | {"passage": True}, '"passage" must be a whole number'),
    "a passage that is not there": (QUESTION | {"passage": 2}, "passage 2 is not in"),
    "nothing said of an answer": (without("answerable"), 'it needs "answerable"'),
    "answerable as a word": (QUESTION | {"answerable": "yes"}, '"answerable" must be true or false'),
    "a beginning without an end": (without("end"), 'it needs "end"'),
    "an end without a beginning": (without("start"), 'it needs "start"'),
    "an answer beyond the text": (QUESTION | {"end": 8}, "characters 3 to 8 are not within the passage's 7"),
    "an answer before the text": (QUESTION | {"start": -1}, "characters -1 to 7"),
    "an empty answer": (QUESTION | {"end": 3}, "characters 3 to 3"),
    "a blank answer": (QUESTION | {"start": 2, "end": 3}, "of the passage are blank"),
    "an answer that is not": (QUESTION | {"answerable": False}, "is said to have no answer"),
    "a set that is a list": (QUESTION | {"set": ["s"]}, '"set" must be text'),
}


@pytest.mark.parametrize("amiss", AMISS)
def test_of_a_question_that_is_amiss_the_line_is_named(tmp_path: Path, amiss: str) -> None:
    """The first one is right here, so that it is the second."""
    line, said = AMISS[amiss]
    questions = write_lines(tmp_path / "questions.jsonl", [QUESTION, line])
    passages = write_lines(tmp_path / "passages.jsonl", [{"passage": 1, "text": "at noon"}])
    with pytest.raises(RowsError) as raised:
        read_pair(questions, passages)
    assert f"{questions}, line 2: " in raised.value.message
    assert said in raised.value.message


BROKEN: dict[str, tuple[bytes, str]] = {
    "no JSON": (b'{"passage": 1, "text": "a"}\n{"passage": 2,\n', "line 2: it is not JSON"),
    "a list": (b"[1]\n", "line 1: it is no JSON object"),
    "deeper than can be read": (b"[" * 100_000, "line 1: it is not JSON"),
    "a passage without text": (b'{"passage": 1}\n', 'line 1: it needs "text"'),
    "a passage twice": (b'{"passage": 1, "text": "a"}\n\n{"passage": 1, "text": "b"}\n', "line 3: passage 1 is there"),
    "another encoding": ("\n\u00fc".encode("latin-1"), "it is not UTF-8"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_of_a_file_that_is_broken_the_line_is_named(tmp_path: Path, broken: str) -> None:
    """Blank lines count."""
    content, said = BROKEN[broken]
    questions, passages = write_pair(tmp_path)
    passages.write_bytes(content)
    with pytest.raises(RowsError) as raised:
        read_pair(questions, passages)
    assert str(passages) in raised.value.message
    assert said in raised.value.message


def test_a_file_that_is_missing_or_cut_off_is_named(tmp_path: Path) -> None:
    """Also one that is a folder, and one that is compressed."""
    questions, passages = write_pair(tmp_path)
    cut = tmp_path / "cut.jsonl.xz"
    cut.write_bytes(lzma.compress(json.dumps(make_lines()).encode())[:-20])
    not_packed = tmp_path / "plain.jsonl.gz"
    not_packed.write_bytes(passages.read_bytes())
    for path, said in (
        (tmp_path / "none", "is missing"),
        *((p, "cannot be read") for p in (tmp_path, cut, not_packed)),
    ):
        with pytest.raises(RowsError, match=said) as raised:
            read_pair(questions, path)
        assert str(path) in raised.value.message


def make_squad(**changed: Any) -> dict[str, Any]:
    question = {"id": "1", "question": "When?", "answers": [{"text": "noon", "answer_start": 3}], **changed}
    impossible = {"id": "2", "question": "Who?", "answers": [], "is_impossible": True}
    return {"data": [{"title": "A_B", "paragraphs": [{"context": "at noon", "qas": [question, impossible]}]}]}


def test_squads_own_form_is_read(tmp_path: Path) -> None:
    """Of several answers the most frequent counts."""
    noon, at = {"text": "noon", "answer_start": 3}, {"text": "at noon", "answer_start": 0}
    (tmp_path / "dev.json").write_text(json.dumps(make_squad(answers=[at, noon, noon])))
    material = read_squad(tmp_path / "dev.json")
    assert [(passage.title, passage.text) for passage in material.passages] == [("A B", "at noon")]
    assert [(q.id, q.set, q.answers, q.span, q.negative) for q in material.questions] == [
        ("1", "squad-dev", True, (3, 7), ""),
        ("2", "squad-dev", False, None, "human"),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is no file of SQuAD"),
        ('{"data": {}}', 'it needs a list "data"'),
        ('{"data": [1]}', "data\\[0\\] is no JSON object"),
        ('{"data": [{"paragraphs": [{"qas": []}]}]}', 'data\\[0\\], paragraphs\\[0\\]: it needs "context"'),
        (json.dumps(make_squad(answers=[])), "has no answer, and is not said to be impossible"),
        (json.dumps(make_squad(answers=[{"text": "noon", "answer_start": 5}])), "are not within"),
        (json.dumps(make_squad(answers=[{"text": "nine", "answer_start": 3}])), "other words at character 3"),
    ],
)
def test_of_squad_that_is_amiss_the_place_is_named(tmp_path: Path, content: str, said: str) -> None:
    """As far as it goes."""
    (tmp_path / "dev.json").write_text(content)
    with pytest.raises(RowsError, match=said):
        read_squad(tmp_path / "dev.json")
