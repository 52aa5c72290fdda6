"""arXiv as a data source, against a server that answers as its API does."""

from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import GoneError, IncompleteListingError, SourceError
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Listed
from core.library.sync.kinds.arxiv import Arxiv, Settings
from tests.integration.sync.served import Answer, Asked, Server, access, listing, page

_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
<title>arXiv Query</title><opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"""


def entry(paper: str, title: str) -> str:
    """A paper in the feed."""
    return (
        f"<entry><id>http://arxiv.org/abs/{paper}</id><updated>2024-05-02T10:00:00Z</updated>"
        f"<published>2024-05-01T10:00:00Z</published><title>{title}</title><summary>About it.</summary>"
        '<author><name>A. Writer</name></author><category term="cs.CL"/></entry>'
    )


def api(*entries: str) -> Any:
    """An API that gives two papers at a time, whatever is asked for."""

    def answer(asked: Asked) -> Answer:
        start = int(asked.query["start"])
        return Answer(body=_FEED.format(total=len(entries), entries="".join(entries[start : start + 2])))

    return answer


def arxiv(server: Server, policy: Policy | None = None, **settings: Any) -> Arxiv:
    """A connector to a served arXiv."""
    may = access() if policy is None else access(policy)
    made = Settings(**({"categories": ("cs.CL",)} | settings))
    return Arxiv(made, may, api=f"{server.base}/api/query", site=server.base, seconds=0)


def test_the_newest_papers_are_listed_page_by_page(server: Server) -> None:
    """Each by its id without version, which is its fingerprint; older ones are not taken for gone."""
    papers = {"2405.00003v1": "Third\n  one", "2405.00002v4": "Second", "hep-th/9901001v2": "Old"}
    server.answers = {"/api/query": api(*[entry(paper, title) for paper, title in papers.items()])}
    documents, left_out, error = listing(arxiv(server, categories=("cs.CL", "cs.IR"), query="ti:rag"))
    assert left_out == {}
    assert {key: (each.name, each.fingerprint.split()[0]) for key, each in documents.items()} == {
        "arxiv:2405.00003": ("Third one", "2405.00003v1"),
        "arxiv:2405.00002": ("Second", "2405.00002v4"),
        "arxiv:hep-th/9901001": ("Old", "hep-th/9901001v2"),
    }
    assert documents["arxiv:2405.00002"].source_url == "https://arxiv.org/abs/2405.00002"
    assert isinstance(error, IncompleteListingError)
    assert server.asked[0].query["search_query"] == "(cat:cs.CL OR cat:cs.IR) AND (ti:rag)"
    assert (server.asked[0].query["sortBy"], len(server.asked)) == ("submittedDate", 2)


def test_versions_of_a_paper_are_one(server: Server) -> None:
    """The newest one shows whether there is another; an older id has one form."""
    ids = ("2405.00003v2", "2405.00003v1", "math.GT/0309136v1", "math/0309136v1")
    server.answers = {"/api/query": api(*[entry(paper, paper) for paper in ids])}
    documents, _, _ = listing(arxiv(server, categories=("cs.CL",)))
    assert {key: one.fingerprint.split()[0] for key, one in documents.items()} == {
        "arxiv:2405.00003": "2405.00003v2",
        "arxiv:math/0309136": "math.GT/0309136v1",
    }


def test_no_more_than_the_newest_are_asked_for(server: Server) -> None:
    """However many there are."""
    server.answers = {"/api/query": api(*[entry(f"2405.0000{number}v1", "A") for number in range(6)])}
    documents, _, _ = listing(arxiv(server, newest=3))
    assert len(documents) == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(status=400), "status 400"),
        (Answer(body="Rate exceeded."), "named no paper"),
        (Answer(body=_FEED.format(total=0, entries="")), "named no paper"),
        (Answer(status=503, headers={"Retry-After": "900"}), "come back in 900 seconds"),
    ],
)
def test_what_is_no_listing_is_an_error(server: Server, answer: Answer, message: str) -> None:
    """And never an empty library."""
    server.answers = {"/api/query": answer}
    documents, _, error = listing(arxiv(server))
    assert documents == {}
    assert message in str(error)
    assert not isinstance(error, IncompleteListingError)


def test_its_requests_go_the_guarded_way(server: Server) -> None:
    """Nothing inside is asked through the library that lists."""
    server.answers = {"/api/query": api(entry("2405.00003v1", "A"))}
    _, _, error = listing(arxiv(server, policy=Policy()))
    assert isinstance(error, SourceError)
    assert server.asked == []


def test_a_paper_is_loaded_with_the_page_that_describes_it(server: Server) -> None:
    """The file is the PDF; a paper that is not there is gone."""
    server.answers = {
        "/abs/2405.00003": page("Abstract"),
        "/pdf/2405.00003": Answer(body=b"%PDF-1.4", headers={"Content-Type": "application/pdf"}),
    }
    listed = Listed(key="arxiv:2405.00003", name="A", arxiv_id="2405.00003")
    loaded = arxiv(server).load(listed, "")
    assert loaded is not None
    assert (loaded.file.name, b"Abstract" in (loaded.file.description or b"")) == ("2405.00003.pdf", True)
    with pytest.raises(GoneError):
        arxiv(server).load(Listed(key="arxiv:2405.00009", name="B", arxiv_id="2405.00009"), "")


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"categories": ()}, "Write subjects, a query"), ({"categories": ("cs.CL OR all:x",)}, "no subject of arXiv")],
)
def test_settings_that_cannot_be_used(settings: dict[str, Any], message: str) -> None:
    """The message says what to write."""
    with pytest.raises(ValidationError, match=message):
        Settings(**settings)
