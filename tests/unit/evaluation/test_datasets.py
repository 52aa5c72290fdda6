"""The datasets of the repository fit the libraries that they ask about."""

import json
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from core.library.ingestion.parsers import parse
from core.management.library import read_library
from core.quality.evaluation.datasets.dataset import Dataset, read
from core.quality.evaluation.datasets.verdict import contains
from core.quality.evaluation.secret_formats import fill_placeholders

ROOT = Path(__file__).resolve().parents[3]
DATASETS = [
    ("evaluation/samples.jsonl", "", "samples/library.toml"),
    ("evaluation/everyday.jsonl", "", "samples/library.toml"),
    ("evaluation/follow_ups.jsonl", "", "samples/library.toml"),
    ("evaluation/corpus.jsonl", "", "evaluation/library.toml"),
    ("evaluation/formats.jsonl", "formats", "evaluation/formats/library.toml"),
    ("evaluation/formats.jsonl", "scans", "evaluation/formats/scans.toml"),
    ("evaluation/layouts.jsonl", "", "evaluation/formats/layouts.toml"),
    ("evaluation/ordinary.jsonl", "samples", "samples/library.toml"),
    ("evaluation/ordinary.jsonl", "corpus", "evaluation/library.toml"),
    ("evaluation/organisations.jsonl", "", "evaluation/organisations/library.toml"),
    ("evaluation/tables.jsonl", "", "evaluation/reports/library.toml"),
]
CONTRADICTIONS = "evaluation/contradictions.jsonl"  # pairs, of which benchmarks/contradictions.py asks nothing
TOPICS = "evaluation/research.jsonl"  # to write pages about, each by somebody of one of these libraries
GAPS = "evaluation/gaps.jsonl"  # of the sample library, each with what closes it and questions about it
LIVE_CHANGES = "evaluation/live_changes.jsonl"  # of the sample library, each with the questions to check it by
SECRETS = "evaluation/secrets.jsonl"  # snippets of text with and without passwords, codes and keys
OVERSHARING = "evaluation/oversharing.jsonl"  # documents that look confidential, and others that seem to
LIBRARIES_OF_TOPICS = ["samples/library.toml", "evaluation/organisations/library.toml"]
KINDS = {
    "single-source",
    "multi-source",
    "change-over-time",
    "exact-number",
    "page-specific",
    "follow-up",
    "selected-text",
    "out-of-scope",
    "forbidden",
    "filter",
    "ambiguous",
}
LEAST_OF_A_KIND = 5


@pytest.fixture(scope="module")
def corpus() -> Dataset:
    """The questions over public documents."""
    return dataset("evaluation/corpus.jsonl")


def dataset(path: str, library: str = "") -> Dataset:
    """A dataset of the repository, or its questions about one library."""
    return read((ROOT / path).read_text(encoding="utf-8").splitlines(), name=path, library=library)


def test_every_dataset_of_the_folder_is_known_here() -> None:
    """None is left unchecked."""
    assert {f"evaluation/{file.name}" for file in (ROOT / "evaluation").glob("*.jsonl")} == {
        CONTRADICTIONS,
        TOPICS,
        GAPS,
        LIVE_CHANGES,
        SECRETS,
        OVERSHARING,
        *(path for path, *_ in DATASETS),
    }


def test_contradictions_are_quoted_from_papers_of_their_half() -> None:
    """Half of the pairs of each half are planted, and no pair is of one paper."""
    lines = [json.loads(line) for line in (ROOT / CONTRADICTIONS).read_text(encoding="utf-8").splitlines()]
    halves = [(line["half"], line["planted"]) for line in lines]
    assert set(Counter(halves).values()) == {30}
    assert len({line["id"] for line in lines}) == len(lines) == 120
    for line in lines:
        assert line["one"]["file"] != line["other"]["file"]
        for side in (line["one"], line["other"]):
            assert side["file"].startswith(f"{line['half']}/")
            paper = ROOT / "evaluation" / "contradictions" / side["file"]
            assert side["quote"] in paper.read_text(encoding="utf-8")


def test_documents_that_look_confidential_are_of_two_equal_halves() -> None:
    """Counts the sorts, topics and languages of each half, and requires every file of the folder to be named once."""
    lines = [json.loads(line) for line in (ROOT / OVERSHARING).read_text(encoding="utf-8").splitlines()]
    folder = ROOT / "evaluation/oversharing"
    topics = ("pay", "health", "conduct", "board", "legal", "personal", "credentials")
    assert len({line["id"] for line in lines}) == len(lines) == 264
    assert sorted(line["file"] for line in lines) == sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
    )
    for half in ("build", "check"):
        of_half = [line for line in lines if line["half"] == half]
        counted = Counter(line["topic"] for line in of_half)
        assert counted.keys() == {*topics, "none"}
        assert min(counted.values()) >= 5
        for confidential in (True, False):
            of_sort = [line for line in of_half if line["confidential"] == confidential]
            assert len(of_sort) == 66
            assert {line["language"] for line in of_sort} == {"en", "de", "fr", "es"}


def test_only_what_looks_confidential_is_quoted_and_verbatim() -> None:
    """Looks for each quote in one line of its file, which is of its half and as long as the others."""
    for line in (json.loads(row) for row in (ROOT / OVERSHARING).read_text(encoding="utf-8").splitlines()):
        assert line["file"].startswith(f"{line['half']}/")
        text = (ROOT / "evaluation/oversharing" / line["file"]).read_text(encoding="utf-8")
        assert 60 <= len(text.split()) <= 400, line["id"]
        assert (line["quote"] != "") == line["confidential"] == (line["topic"] != "none"), line["id"]
        assert line["quote"] == "" or any(line["quote"] in row for row in text.splitlines()), line["id"]
        assert line["why"], line["id"]


def test_what_belongs_on_a_page_is_quoted_from_what_its_reader_may_read() -> None:
    """And what is forbidden stands in none of it, but in something that others may read."""
    topics = [json.loads(line) for line in (ROOT / TOPICS).read_text(encoding="utf-8").splitlines()]
    assert Counter(topic["half"] for topic in topics) == {"build": 10, "check": 10}
    assert len({topic["id"] for topic in topics}) == len(topics)
    libraries = [tomllib.loads((ROOT / path).read_text(encoding="utf-8")) for path in LIBRARIES_OF_TOPICS]
    everything = {title + text for library in libraries for title, text in _read_documents(library, None)}
    for topic in topics:
        (library,) = (one for one in libraries if topic["email"] in {person["email"] for person in one["people"]})
        read_by = _read_documents(library, topic["email"])
        names = {title for title, _ in read_by}
        assert names >= {*topic["may_name"], *(wanted["document"] for wanted in topic["expected"])}
        for wanted in topic["expected"]:
            lines = [line for title, text in read_by if title == wanted["document"] for line in text.splitlines()]
            needed = [wanted["quote"], *wanted.get("values", [])]
            assert any(all(words in line for words in needed) for line in lines), (topic["id"], wanted)
        for words in topic.get("forbidden", []):
            assert not any(words in title + text for title, text in read_by), (topic["id"], words)
            assert any(words in text for text in everything), (topic["id"], words)


@pytest.fixture(scope="module")
def gaps() -> list[dict[str, Any]]:
    """Reads what the sample library lacks."""
    return [json.loads(line) for line in (ROOT / GAPS).read_text(encoding="utf-8").splitlines()]


def test_gaps_belong_below_a_heading_of_a_document_or_on_a_new_page(gaps: list[dict[str, Any]]) -> None:
    """Requires a heading that occurs once or a page that does not exist yet, three of the latter in each half."""
    assert [gap["id"] for gap in gaps] == [f"gap{number:02}" for number in range(1, 25)]
    assert {gap["half"] for gap in gaps[::2]} == {"build"}
    assert {gap["half"] for gap in gaps[1::2]} == {"check"}
    assert Counter(gap["half"] for gap in gaps if gap["document"] is None) == {"build": 3, "check": 3}
    for gap in gaps:
        if gap["document"] is None:
            assert not (ROOT / "samples" / gap["new_path"]).exists(), gap["id"]
        else:
            text = (ROOT / "samples" / gap["document"]).read_text(encoding="utf-8")
            assert re.findall(r"^#+ (.+)$", text, re.MULTILINE).count(gap["heading"]) == 1, gap["id"]
            assert "new_path" not in gap


def test_the_text_of_a_gap_answers_its_questions_and_no_passage_does_so_before(gaps: list[dict[str, Any]]) -> None:
    """Looks for all that is expected of an answer, in the text and in each paragraph of the sample library."""
    library = tomllib.loads((ROOT / "samples/library.toml").read_text(encoding="utf-8"))
    paragraphs = [line.casefold() for _, text in _read_documents(library, None) for line in text.splitlines()]
    for gap in gaps:
        assert len({question["by"] for question in gap["questions"]}) == len(gap["questions"]) == 4
        for question in gap["questions"]:
            words = [re.compile(rf"(?<!\w){re.escape(each.casefold())}(?!\w)") for each in question["expect"]]
            assert 1 <= len(words) <= 3
            assert all(word.search(gap["text"].casefold()) for word in words), question
            assert not any(all(word.search(line) for word in words) for line in paragraphs), question


def test_no_question_about_gaps_is_asked_twice(gaps: list[dict[str, Any]]) -> None:
    """Counts those that a text answers and the two beside them that it does not."""
    assert {len(gap["beside"]) for gap in gaps} == {2}
    asked = Counter(each["question"] for gap in gaps for each in [*gap["questions"], *gap["beside"]])
    assert {question for question, times in asked.items() if times > 1} == set()


@pytest.fixture(scope="module")
def live_changes() -> list[dict[str, Any]]:
    """Reads the changes of the sample library that a check is measured by."""
    return [json.loads(line) for line in (ROOT / LIVE_CHANGES).read_text(encoding="utf-8").splitlines()]


def test_harmful_and_harmless_changes_are_of_the_same_kinds(live_changes: list[dict[str, Any]]) -> None:
    """Counts 25 of each in each half, so that the kind of a change does not give its harm away."""
    assert [change["id"] for change in live_changes] == [f"live{number:03}" for number in range(1, 101)]
    kinds = {"edition": 12, "new": 6, "revoke": 3, "grant": 2, "gone": 2}
    for half in ("build", "check"):
        for harm in (True, False):
            found = Counter(
                change["kind"] for change in live_changes if (change["half"], change["harm"]) == (half, harm)
            )
            assert found == kinds


def test_changes_can_be_made_in_the_sample_library(live_changes: list[dict[str, Any]]) -> None:
    """Requires texts that occur once in documents of the library, paths of pages not there yet, and known roles."""
    library = tomllib.loads((ROOT / "samples/library.toml").read_text(encoding="utf-8"))
    roles = {role["name"] for role in library["roles"]}
    granted = {
        (role, file)
        for collection in library["collections"]
        for path in collection["paths"]
        for file in ROOT.glob(path)
        for role in collection["roles"]
    }
    manual = ROOT / "samples/safety/safety-manual.pdf"
    for change in live_changes:
        documents = [ROOT / "samples" / name for name in change.get("documents", [change.get("document")])]
        assert all(file.exists() == (change["kind"] != "new") for file in documents), change["id"]
        for role in (change[key] for key in ("role", "readers") if key in change):
            assert role in roles
        for file in documents if change["kind"] in {"grant", "revoke"} else ():
            is_granted = (change["role"], manual if file.name == "manual_text.md" else file) in granted
            assert is_granted == (change["kind"] == "revoke"), change["id"]
        if change["kind"] == "new":
            assert 80 <= len(change["text"].split()) <= 400, change["id"]
        if change["kind"] == "edition":
            _edit(documents[0].read_text(encoding="utf-8"), change["replace"])


def test_people_who_ask_about_changes_are_of_the_sample_library_or_read_like_one_who_is(
    live_changes: list[dict[str, Any]],
) -> None:
    """Requires of each change three to five questions, of which those that lose their answer make it harmful."""
    library = tomllib.loads((ROOT / "samples/library.toml").read_text(encoding="utf-8"))
    people = {person["email"] for person in library["people"]}
    for change in live_changes:
        assert 3 <= len(change["asked"]) <= 5, change["id"]
        assert any(line.get("lost", False) for line in change["asked"]) == change["harm"], change["id"]
        assert len({(line["by"], line["question"]) for line in change["asked"]}) == len(change["asked"])
        for line in change["asked"]:
            assert (line["by"] in people) == ("like" not in line)
            assert line.get("like", line["by"]) in people
            assert 1 <= len(line["expect"]) <= 3


def test_no_question_about_changes_is_of_both_halves(live_changes: list[dict[str, Any]]) -> None:
    """Compares the questions of the halves."""
    build, check = (
        {line["question"] for change in live_changes if change["half"] == half for line in change["asked"]}
        for half in ("build", "check")
    )
    assert build & check == set()


def test_a_harmless_edition_keeps_what_is_expected_of_it(live_changes: list[dict[str, Any]]) -> None:
    """Looks in the edited text for what was in the text before, or for what is right from then on."""
    for change in live_changes:
        if change["kind"] == "edition" and not change["harm"]:
            before = (ROOT / "samples" / change["document"]).read_text(encoding="utf-8")
            after = _edit(before, change["replace"])
            for line in change["asked"]:
                if contains(before, [(words,) for words in line["expect"]]):
                    right = line.get("expect_after", line["expect"])
                    assert contains(after, [(words,) for words in right]), (change["id"], line["question"])


@pytest.fixture(scope="module")
def snippets() -> list[dict[str, Any]]:
    """Reads the snippets with and without secrets."""
    return [json.loads(line) for line in (ROOT / SECRETS).read_text(encoding="utf-8").splitlines()]


def test_half_of_the_snippets_of_each_half_contain_secrets(snippets: list[dict[str, Any]]) -> None:
    """Counts eight at least with and without in German, French and Spanish too, and finds no snippet twice."""
    assert [snippet["id"] for snippet in snippets] == [f"secret{number:03}" for number in range(1, 301)]
    groups = Counter((snippet["half"], bool(snippet["secrets"])) for snippet in snippets)
    assert groups == {(half, contained): 75 for half in ("build", "check") for contained in (True, False)}
    others = [snippet for snippet in snippets if snippet["language"] != "en"]
    assert {snippet["language"] for snippet in others} == {"de", "fr", "es"}
    assert min(Counter((snippet["half"], bool(snippet["secrets"])) for snippet in others).values()) >= 8
    assert len({snippet["text"] for snippet in snippets}) == len(snippets)


def test_every_secret_occurs_once_in_its_snippet(snippets: list[dict[str, Any]]) -> None:
    """Looks before and after placeholders are filled, and for every kind of secret in both halves."""
    kinds = {(snippet["half"], secret["kind"]) for snippet in snippets for secret in snippet["secrets"]}
    named = ("password", "code", "token", "private_key", "connection")
    assert kinds == {(half, kind) for half in ("build", "check") for kind in named}
    for snippet in snippets:
        filled = fill_placeholders(snippet["text"])
        assert (filled == snippet["text"]) == all(
            fill_placeholders(secret["value"]) == secret["value"] for secret in snippet["secrets"]
        ), snippet["id"]
        for secret in snippet["secrets"]:
            assert snippet["text"].count(secret["value"]) == 1, snippet["id"]
            assert filled.count(fill_placeholders(secret["value"])) == 1, snippet["id"]


def _edit(text: str, replace: list[list[str]]) -> str:
    """Return a text with each old text, which has to occur once, replaced by its new one."""
    for old, new in replace:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def _read_documents(library: dict[str, Any], email: str | None) -> list[tuple[str, str]]:
    """Titles and texts of what a person of a library may read; without a person, of all that it holds."""
    roles = {role for person in library["people"] if person["email"] == email for role in person["roles"]}
    read_ones: list[tuple[str, str]] = []
    for collection in library["collections"]:
        if email is None or roles & set(collection["roles"]):
            found = [file for path in collection["paths"] for file in ROOT.glob(path)]
            files = [file for place in found for file in (place.iterdir() if place.is_dir() else (place,))]
            read_ones += [_read_document(file) for file in files]
    return read_ones


@cache
def _read_document(file: Path) -> tuple[str, str]:
    """The title and the text of a file."""
    (document,) = parse(file.read_bytes(), file.name).documents
    return document.title, "\n".join(block.text for block in document.blocks)


@pytest.mark.parametrize(("path", "name", "library"), DATASETS)
def test_every_question_is_asked_by_somebody_of_its_library(path: str, name: str, library: str) -> None:
    """And everybody of the library of public documents has something to ask."""
    described = tomllib.loads((ROOT / library).read_text(encoding="utf-8"))
    people = {person["email"] for person in described["people"]}
    asking = {item.email for item in dataset(path, name).items}
    assert asking <= people
    assert library == "samples/library.toml" or asking == people


def test_the_library_of_public_documents_can_be_read() -> None:
    """Nobody in it may use the admin: its people are public knowledge."""
    library = read_library(ROOT / "evaluation/library.toml", root=ROOT)
    assert [person for person in library.people if person.get("staff")] == []
    assert {person["email"].partition("@")[2] for person in library.people} == {"example.com"}


def test_every_kind_of_question_is_asked_often_enough(corpus: Dataset) -> None:
    """A share of two questions says little."""
    counted = Counter(item.kind for item in corpus.items)
    assert set(counted) == KINDS
    assert {kind for kind, count in counted.items() if count < LEAST_OF_A_KIND} == set()


def test_each_question_that_has_an_answer_names_its_source_and_the_rest_none(corpus: Dataset) -> None:
    """Selected text has no source but itself; what must not be shown is named where something is forbidden."""
    without = {i.identifier for i in corpus.items if i.expected and not i.sources and i.selected_text is None}
    assert without == set()
    assert {item.identifier for item in corpus.items if item.refusal_expected and item.sources} == set()
    assert {item.identifier for item in corpus.items if item.kind == "forbidden" and not item.forbidden} == set()
    assert {item.identifier for item in corpus.items if item.kind == "page-specific" and not item.pages} == set()


def test_a_selected_text_holds_what_is_expected_of_it(corpus: Dataset) -> None:
    """Otherwise no answer from it alone could be right."""
    selected = [item for item in corpus.items if item.selected_text is not None]
    assert {item.kind for item in selected} == {"selected-text"}
    assert {item.identifier for item in selected if not contains(item.selected_text or "", item.expected)} == set()


def test_each_follow_up_continues_an_earlier_line_of_the_same_person(corpus: Dataset) -> None:
    """And the lines of a conversation are next to each other."""
    labels = [item.conversation for item in corpus.items]
    for place, item in enumerate(corpus.items):
        if item.kind == "follow-up":
            assert labels[place - 1] == item.conversation != ""
            assert corpus.items[place - 1].email == item.email
    opened = [label for place, label in enumerate(labels) if label and (place == 0 or labels[place - 1] != label)]
    assert len(opened) == len(set(opened))
