"""Papers on arXiv, by id: the full text from the PDF, the description from the abstract's page."""

from collections.abc import Callable
from functools import partial

from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.sources.addresses import ARXIV
from core.library.ingestion.sources.policy import Policy
from core.library.ingestion.sources.web import fetch

SITE = "https://arxiv.org"


def arxiv_source(text: str, *, max_mb: int, policy: Policy | None = None) -> Source | None:
    """Return the paper that an id or an address at arxiv.org means; None when the text is neither."""
    paper = arxiv_id(text)
    if paper is None:
        return None
    return Source(
        name=f"{ARXIV}{paper}",
        key=f"{ARXIV}{paper}",
        arxiv_id=paper,
        load=partial(load_paper, paper, partial(fetch, max_mb=max_mb, policy=policy)),
        is_address=True,
        source_url=abstract_page(paper),
        document_type="paper",
    )


def abstract_page(paper: str, site: str = SITE) -> str:
    """Return the address of the page that describes a paper."""
    return f"{site}/abs/{paper}"


def load_paper(paper: str, fetch_file: Callable[[str], LoadedFile], site: str = SITE) -> LoadedFile:
    """Return a paper, by its id, with whatever fetches an address."""
    abstract = fetch_file(abstract_page(paper, site))
    text = fetch_file(f"{site}/pdf/{paper}")
    return LoadedFile(content=text.content, name=f"{paper.replace('/', '-')}.pdf", description=abstract.content)
