"""Rows: no document is in both halves, and a passage that is taken as not answering does not hold the answer."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readers import rows
from readers.documents import choose_check, find_documents
from readers.making import Wishes, make_rows, misspell
from readers.material import CHECK, FIT, NEAR, NEAREST, Material, Passage, Question, RowsError, read_pair
from readers.negatives import find_negatives
from tests.unit.readers.made import make_row, write_lines, write_pair

RUN = "the boiler of the old wing is to be looked at by somebody every second week of the year"


def ask(passage: int, text: str = "when?", **given: object) -> Question:
    """A question of a set without unanswerable ones."""
    values = {"id": f"q{passage}", "set": "s", "answers": True}
    return Question(text=text, passage=passage, **(values | given))  # type: ignore[arg-type]


def make_material(texts: list[tuple[str, str]], questions: list[Question]) -> Material:
    passages = tuple(Passage(title=title, text=text) for title, text in texts)
    return Material(passages=passages, questions=tuple(questions))


def test_passages_of_a_document_are_found_however_it_is_called() -> None:
    """By its title, by a run of words, and by a question that was asked of both; else they are apart."""
    material = make_material(
        [
            ("Fr\u00e9d\u00e9ric_Chopin", "born in a village"),
            ("Fre\u0301de\u0301ric chopin", "he played the piano"),
            ("", f"first. {RUN}, and more"),
            ("Boilers", f"{RUN.upper()} as well."),
            ("", "the shop opens at nine"),
            ("", "the shop is yellow"),
            ("", "the shop sells bread"),
            ("House 1", "large"),
            ("House 2", "large too"),
        ],
        [
            ask(4, "when does it open?"),
            ask(5, "when does it open?", answers=False, negative=NEAR),
            ask(6, "when does it open?", answers=False, negative=NEAREST),
        ],
    )
    assert find_documents(material) == [0, 0, 1, 1, 2, 2, 3, 4, 5]


def test_a_phrase_that_many_documents_share_makes_them_not_one() -> None:
    """It is boilerplate."""
    material = make_material([(f"Title {number}", f"{number}. {RUN}.") for number in range(40)], [])
    assert len(set(find_documents(material))) == 40


def test_the_halves_have_no_document_in_common(tmp_path: Path) -> None:
    """Nor a question, whatever the seed; and both are as large as was asked for."""
    material = read_pair(*write_pair(tmp_path, 200))
    for seed in range(3):
        made = make_rows(material, Wishes(seed=seed, check=0.3, misspelt=0, untitled=0)).rows
        of_half = {half: [row for row in made if row.half == half] for half in (FIT, CHECK)}
        for kept in ("document", "question", "text", "heading"):
            values = [{getattr(row, kept) for row in of_half[half]} for half in (FIT, CHECK)]
            assert values[0] & values[1] == set(), kept
        assert 0.2 < len({row.document for row in of_half[CHECK]}) / 200 < 0.4


def test_large_documents_are_as_likely_held_out_as_small_ones() -> None:
    """Else a share of the documents would be most of the rows."""
    texts = [(f"T{number}", f"passage {n} of {number}") for number in range(300) for n in range(8)]
    material = make_material(texts, [])
    documents = find_documents(material)
    assert 40 < len(choose_check(material, documents, share=0.2, sets=frozenset())) < 80


def test_a_set_that_is_held_out_takes_its_documents_with_it(tmp_path: Path) -> None:
    """Rows of other sets of the same documents are only judged too."""
    material = read_pair(*write_pair(tmp_path, 20))
    other = replace(ask(2, "is it large?"), set="other")
    material = replace(material, questions=(*material.questions, other))
    made = make_rows(material, Wishes(check=0, held_out=frozenset({"other"}))).rows
    of_check = {row.id for row in made if row.half == CHECK}
    assert of_check == {"h1", "h1-near", "s1", "q2"}
    with pytest.raises(RowsError, match="No question is of the set elsewhere"):
        make_rows(material, Wishes(held_out=frozenset({"elsewhere"})))


def test_a_question_that_is_held_out_is_not_fitted_on_with_another_passage() -> None:
    """The reader would know it already."""
    texts = [("A", "at noon"), ("B", "on the table"), ("C", "in the yard")]
    questions = [ask(0, set="held"), ask(1, "WHEN?", answers=False, negative=NEAREST), ask(2, "where?")]
    made = make_rows(make_material(texts, questions), Wishes(check=0, held_out=frozenset({"held"}), near=0, nearest=0))
    assert {(row.id, row.half) for row in made.rows} == {("q0", CHECK), ("q2", FIT)}
    assert sum(made.left_out.values()) == 1


def test_what_a_dataset_keeps_for_checking_is_not_fitted_on() -> None:
    """It may be judged by."""
    texts = [("A", "at noon"), ("B", "on the table")]
    questions = [ask(0, half=CHECK), ask(1, "where?", half=FIT)]
    made = make_rows(make_material(texts, questions), Wishes(check=0, near=0, nearest=0))
    assert {row.id for row in made.rows} == {"q1"}
    made = make_rows(make_material(texts, questions), Wishes(check=1, near=0, nearest=0))
    assert {(row.id, row.half) for row in made.rows} == {("q0", CHECK), ("q1", CHECK)}


CANTEEN = [
    ("Canteen", "the canteen opens at noon"),
    ("Canteen", "the canteen has opened at NOON since it was built"),
    ("Canteen", "the canteen is closed on sundays"),
    ("Library", "the library opens at noon"),
    ("Office", "the office opens at nine"),
    ("Shop", "bread and butter"),
]


def test_negatives_are_near_and_do_not_hold_the_answer() -> None:
    """Of the same document, and of the nearest other one; of one that has little in common none is taken."""
    asked = ask(0, "when opens the canteen", span=(21, 25))
    material = make_material(CANTEEN, [asked])
    found = find_negatives(material, find_documents(material), set(), near=1, nearest=1, seed=1)
    assert [(question.negative, question.passage) for question in found] == [(NEAR, 2), (NEAREST, 4)]
    assert all(not question.answers and question.span is None for question in found)
    assert len({question.id for question in (asked, *found)}) == 3


def test_negatives_are_of_the_same_half() -> None:
    """Also where the other half has nearer ones."""
    material = make_material(CANTEEN, [ask(0, "when opens the canteen", span=(21, 25))])
    documents = find_documents(material)
    found = find_negatives(material, documents, {documents[4]}, near=0, nearest=1, seed=1)
    assert {question.passage for question in found} <= {5}


def test_without_a_known_answer_no_passage_of_the_document_is_taken() -> None:
    """It may answer as well."""
    material = make_material(CANTEEN, [ask(0, "when opens the canteen")])
    found = find_negatives(material, find_documents(material), set(), near=1, nearest=0, seed=1)
    assert found == []


def test_sets_that_have_unanswerable_questions_get_no_further_ones() -> None:
    """People judged theirs. Statements get none either."""
    questions = [
        ask(0, "when opens the canteen", span=(21, 25)),
        ask(2, "when opens the canteen", answers=False, negative="human"),
        ask(0, "the canteen opens at noon", set="said", is_statement=True),
    ]
    material = make_material(CANTEEN, questions)
    assert find_negatives(material, find_documents(material), set(), near=1, nearest=1, seed=1) == []


def test_the_same_seed_makes_the_same_rows(tmp_path: Path) -> None:
    """And another one others."""
    material = read_pair(*write_pair(tmp_path))
    made = [make_rows(material, Wishes(seed=seed, misspelt=0.5, most=20)).rows for seed in (1, 1, 2)]
    assert made[0] == made[1]
    assert made[0] != made[2]
    assert sum(row.set == "houses" for row in made[0]) == 20


def test_questions_are_misspelt_for_fitting_alone(tmp_path: Path) -> None:
    """And titles are left out there alone; what is judged is as it came."""
    material = read_pair(*write_pair(tmp_path, 60))
    made = make_rows(material, Wishes(check=0.5, misspelt=1, untitled=1)).rows
    asked = {question.text for question in material.questions}
    assert {row.question in asked for row in made if row.half == CHECK} == {True}
    assert {bool(row.heading) for row in made if row.half == CHECK} == {True}
    assert {row.heading for row in made if row.half == FIT} == {""}
    assert {row.question in asked for row in made if row.half == FIT} == {False}


def test_a_slip_changes_a_word_and_no_name_or_number() -> None:
    """Short words stay as well, and the first letter of each."""
    for seed in range(50):
        written = misspell("when does Alice leave for the 12345 meetings", random.Random(seed))
        assert [written.split()[place] for place in (0, 1, 2, 4, 5, 6)] == [
            "when",
            "does",
            "Alice",
            "for",
            "the",
            "12345",
        ]
        assert [word[0] for word in written.split()] == list("wdAlft1m")
    assert misspell("who is it", random.Random(1)) == "who is it"


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Compressed or not."""
    made = make_rows(read_pair(*write_pair(tmp_path)), Wishes(check=0.3)).rows
    for name in ("rows.jsonl", "rows.jsonl.xz"):
        rows.write(tmp_path / name, made)
        assert rows.read(tmp_path / name) == list(made)
    assert {row.half for row in rows.read(tmp_path / "rows.jsonl", half=CHECK)} == {CHECK}
    assert {row.set for row in rows.read(tmp_path / "rows.jsonl", sets=frozenset({"said"}))} == {"said"}


def test_rows_that_are_amiss_are_named(tmp_path: Path) -> None:
    """By file and line; a file without a row by what was looked for."""
    path = tmp_path / "rows.jsonl"
    rows.write(path, [make_row("at noon")])
    right = path.read_text()
    for line, said in (
        (right.replace('"half": "fit"', '"half": "other"'), '"half" must be fit or check'),
        (right.replace('"document": 0, ', ""), 'it needs "document"'),
        (right.replace('"text": "at noon"', '"text": ""'), '"text" is blank'),
    ):
        path.write_text(right + line)
        with pytest.raises(RowsError, match=f"line 2: .*{said}"):
            rows.read(path)
    path.write_text(right)
    with pytest.raises(RowsError, match="has no rows of half check and sets elsewhere"):
        rows.read(path, half=CHECK, sets=frozenset({"elsewhere"}))
    with pytest.raises(RowsError, match="has no rows"):
        rows.read(write_lines(path, []))
    with pytest.raises(RowsError, match="cannot be written"):
        rows.write(tmp_path / "none" / "rows.jsonl", [])


def test_rows_that_were_there_stay_until_new_ones_are_written(tmp_path: Path) -> None:
    """A command that is broken off leaves no half a file."""

    def break_off() -> Iterator[rows.Row]:
        yield make_row("at noon")
        raise KeyboardInterrupt

    path = tmp_path / "rows.jsonl"
    rows.write(path, [make_row("at one")])
    with pytest.raises(KeyboardInterrupt):
        rows.write(path, break_off())
    assert [row.text for row in rows.read(path)] == ["at one"]


def test_rows_are_spread_evenly() -> None:
    """Sets often follow each other in a file."""
    made = [make_row("at noon", id=str(number)) for number in range(10)]
    assert [row.id for row in rows.spread(made, 3)] == ["0", "3", "6"]
    assert rows.spread(made, 0) == rows.spread(made, 20) == made
