"""Test that a file's own details of its document become a section that answers quote, for its readers."""

import json
from pathlib import Path

import pytest

from core.access.audiences import asker_for
from core.api import ask, search
from core.language.nlp.headings import FRONT_MATTER
from core.library.ingestion.front_matter import add_front_matter
from core.library.ingestion.parsers.json_files import parse_json
from core.library.ingestion.store import store
from core.models import Collection
from core.testing import Cast, fetch_chunks
from core.types import Answer, Filters, Refusal

pytestmark = pytest.mark.django_db

TITLE = "Searching with Permission: What a Filter Does to Search"
PAPER = {
    "title": TITLE,
    "authors": ["Ines Marlow", "Tobias Renn"],
    "date": "2025-02-11",
    "type": "paper",
    "abstract": "The usual way is to search the whole index. Earlier authors dropped the forbidden results afterwards.",
}
AUTHORS = f"Authors who wrote the paper “{TITLE}”: Ines Marlow, Tobias Renn"
CITATION = f"Full citation of the paper “{TITLE}”: Ines Marlow, Tobias Renn (2025). {TITLE}."


def made_of(**changes: object) -> str:
    """The section that is made of the paper's header; empty when there is none."""
    [parsed] = parse_json(json.dumps({**PAPER, **changes}), "paper.json").documents
    last = add_front_matter(parsed).blocks[-1]
    return last.text if last.section == FRONT_MATTER else ""


def test_it_holds_what_the_header_says() -> None:
    """In a line each; of names in the citation alone, those before its title; nothing where there is none."""
    assert made_of() == f"- {AUTHORS}\n- Date of the paper “{TITLE}”: 11 February 2025\n- {CITATION}"
    cited = f"Marlow, I. and Renn, T. (2025). {TITLE}. Working Paper 31."
    assert "wrote the paper" in made_of(authors=None, full_citation=cited)
    assert "”: Marlow, I. and Renn, T.\n" in made_of(authors=None, full_citation=cited)
    assert "wrote" not in made_of(authors=None, full_citation="Working Paper 31")
    assert made_of(authors=None) == ""
    assert len(made_of(authors=["A. Author"] * 3000)) < 4000


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Who wrote the paper on searching with permission?", AUTHORS),
        ("Who are the authors of Searching with Permission?", AUTHORS),
        ("What is the full citation of Searching with Permission?", CITATION),
    ],
)
def test_who_wrote_it_is_answered_with_a_quote(cast: Cast, question: str, quote: str) -> None:
    """Each quote is in the cited chunk; who may not read the paper learns no name. With the real embeddings."""
    [parsed] = parse_json(json.dumps(PAPER), "paper.json").documents
    shelf = Collection.objects.create(name="Papers")
    document = store(parsed, collection=shelf, source="paper", content_hash="a" * 64, roles=[cast.owners])
    answer = ask(question, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
    assert isinstance(answer, Answer)
    assert quote in answer.text
    contents: dict[object, str] = {chunk.pk: chunk.content for chunk in fetch_chunks(document)}
    assert answer.citations
    assert all(cited.quoted_excerpt in contents[cited.chunk_id] for cited in answer.citations)
    for readers in (cast.audience(cast.bob), cast.audience(cast.alice, cast.bob)):
        refusal = ask(question, asker=asker_for(cast.bob), audience=readers)
        assert isinstance(refusal, Refusal)
        assert "Marlow" not in str(refusal)


def test_it_answers_nothing_else(cast: Cast) -> None:
    """A question that names the paper and asks for something in it finds what it says, and not who wrote it."""
    [parsed] = parse_json(json.dumps(PAPER), "paper.json").documents
    shelf = Collection.objects.create(name="Papers")
    store(parsed, collection=shelf, source="paper", content_hash="a" * 64, roles=[cast.owners])
    for question in ("Was there a mistake in the paper Searching with Permission?", "What does a filter do to search?"):
        found = search(question, audience=cast.audience(cast.alice)).passages
        assert [passage.section for passage in found] == [""], question
        result = ask(question, asker=asker_for(cast.alice), audience=cast.audience(cast.alice))
        said = [result.text, *(one.quoted_excerpt for one in result.citations)] if isinstance(result, Answer) else []
        assert "Marlow" not in str(said)
    narrowed = search("permission", audience=cast.audience(cast.alice), filters=Filters(section=FRONT_MATTER))
    assert [passage.section for passage in narrowed.passages] == [FRONT_MATTER]


def test_the_samples_name_their_authors(cast: Cast) -> None:
    """The working paper that comes along has authors of its own."""
    file = Path(__file__).parents[3] / "samples/research/permission-aware-search.json"
    [parsed] = parse_json(file.read_text(), file.name).documents
    assert "Ines Marlow, Tobias Renn" in add_front_matter(parsed).blocks[-1].text
