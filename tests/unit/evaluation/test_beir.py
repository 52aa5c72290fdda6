"""Reading benchmarks in BEIR's layout, and saying what is wrong with them."""

import json
from pathlib import Path

import pytest

from core.quality.benchmarks.beir import BeirError, CorpusDocument, Question, documents, read

CORPUS = [
    {"_id": "1", "title": "Canteen", "text": "It opens at noon.", "metadata": {"year": 2020}},
    {"_id": "2", "title": "", "text": "Bicycles stand in the yard."},
    {"_id": "3", "title": "A title alone", "text": ""},
]
QUERIES = [{"_id": "q1", "text": "When can I eat?"}, {"_id": "q2", "text": "Where is my bicycle?"}]
JUDGEMENTS = "query-id\tcorpus-id\tscore\nq1\t1\t2\nq1\t3\t0\nq2\t2\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A benchmark with one file of judgements."""
    _write(tmp_path / "corpus.jsonl", CORPUS)
    _write(tmp_path / "queries.jsonl", QUERIES)
    (tmp_path / "qrels.tsv").write_text(JUDGEMENTS)
    return tmp_path


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_benchmark_is_read(folder: Path) -> None:
    """Questions with their judgements, and the documents one by one."""
    benchmark = read(folder)
    assert benchmark.questions == (
        Question(identifier="q1", text="When can I eat?", judged={"1": 2, "3": 0}),
        Question(identifier="q2", text="Where is my bicycle?", judged={"2": 1}),
    )
    assert (benchmark.document_count, benchmark.unknown_documents, benchmark.unknown_questions) == (3, 0, 0)
    assert list(documents(folder)) == [
        CorpusDocument(identifier="1", title="Canteen", text="It opens at noon."),
        CorpusDocument(identifier="2", title="", text="Bicycles stand in the yard."),
        CorpusDocument(identifier="3", title="A title alone", text=""),
    ]


def test_judgements_may_come_in_splits(folder: Path) -> None:
    """qrels/{split}.tsv; test is the usual one, a single qrels.tsv goes before it, and a header may be missing."""
    (folder / "qrels").mkdir()
    (folder / "qrels/test.tsv").write_text("q1\t3\t1\n")
    (folder / "qrels/dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\t1\t1\n")
    assert [question.judged for question in read(folder, "dev").questions] == [{"1": 1}]
    assert [question.judged for question in read(folder).questions] == [{"1": 2, "3": 0}, {"2": 1}]
    (folder / "qrels.tsv").unlink()
    assert [question.judged for question in read(folder).questions] == [{"3": 1}]
    with pytest.raises(BeirError, match=r"no judgements .*train\.tsv\. --split can be dev, test\."):
        read(folder, "train")


def test_judgements_of_what_is_not_there_are_left_out_and_counted(folder: Path) -> None:
    """The others stay, and a question of which nothing is left is not asked."""
    (folder / "qrels.tsv").write_text(f"{JUDGEMENTS}q1\t99\t1\nq9\t1\t1\nq9\t99\t1\n")
    benchmark = read(folder)
    assert (benchmark.unknown_documents, benchmark.unknown_questions) == (1, 2)
    assert {question.identifier: question.judged for question in benchmark.questions} == {
        "q1": {"1": 2, "3": 0},
        "q2": {"2": 1},
    }
    (folder / "qrels.tsv").write_text("q1\t99\t1\nq2\t2\t1\n")
    assert [question.identifier for question in read(folder).questions] == ["q2"]


@pytest.mark.parametrize("judgements", ["", "query-id\tcorpus-id\tscore\n", "q1\t1\t0\n", "q1\t99\t1\n", "q9\t1\t1\n"])
def test_a_benchmark_without_a_judged_question_measures_nothing(judgements: str, folder: Path) -> None:
    """No line, no gain, or nothing that is known."""
    (folder / "qrels.tsv").write_text(judgements)
    with pytest.raises(BeirError, match=r"qrels\.tsv judges no document"):
        read(folder)


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(file: str, folder: Path) -> None:
    """So is a folder that is none, by its first file."""
    (folder / file).unlink()
    with pytest.raises(BeirError, match="qrels" if file == "qrels.tsv" else f"{file} does not exist"):
        read(folder)
    with pytest.raises(BeirError, match=r"nowhere.corpus\.jsonl does not exist"):
        read(folder / "nowhere")


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("corpus.jsonl", "{", r"corpus\.jsonl, line 4: not JSON"),
        ("corpus.jsonl", "[]", r"corpus\.jsonl, line 4: not a JSON object"),
        ("corpus.jsonl", '{"title": "x", "text": "y"}', r'corpus\.jsonl, line 4: "_id" must be text'),
        ("corpus.jsonl", '{"_id": 4, "text": "y"}', r'corpus\.jsonl, line 4: "_id" must be text'),
        ("corpus.jsonl", '{"_id": "4", "text": null}', r'corpus\.jsonl, line 4: "text" must be text'),
        ("corpus.jsonl", '{"_id": "4", "text": " "}', r"corpus\.jsonl, line 4: a document needs a title or a text"),
        ("corpus.jsonl", '{"_id": "1", "text": "y"}', r"corpus\.jsonl, line 4: the _id 1 appears twice"),
        ("queries.jsonl", '{"_id": "q3"}', r'queries\.jsonl, line 3: "text" must be text and not empty'),
        ("queries.jsonl", "null", r"queries\.jsonl, line 3: not a JSON object"),
        ("qrels.tsv", "q1 1 1", r"qrels\.tsv, line 5: a judgement is"),
        ("qrels.tsv", "q1\t0\t1\t1", r"qrels\.tsv, line 5: a judgement is"),
        ("qrels.tsv", "q1\t1\tyes", r"qrels\.tsv, line 5: a judgement is"),
    ],
)
def test_a_malformed_line_is_named(file: str, line: str, expected: str, folder: Path) -> None:
    """By file and number, with what is wrong."""
    with (folder / file).open("a") as appended:
        appended.write(f"{line}\n")
    with pytest.raises(BeirError, match=expected):
        read(folder)


def test_a_file_that_is_not_text_is_named(folder: Path) -> None:
    """As is a folder in the place of a file."""
    (folder / "corpus.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BeirError, match=r"corpus\.jsonl cannot be read"):
        read(folder)
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl").mkdir()
    with pytest.raises(BeirError, match=r"corpus\.jsonl cannot be read"):
        read(folder)


def test_an_empty_corpus_is_said(folder: Path) -> None:
    """Not a division by nothing at the end."""
    (folder / "corpus.jsonl").write_text("\n")
    with pytest.raises(BeirError, match=r"corpus\.jsonl has no documents"):
        read(folder)
