"""Papers on arXiv, by id: the full text from the PDF, the description from the abstract's page."""

from functools import partial

from core.ingestion.parsers.header import arxiv_id
from core.ingestion.sources.addresses import ARXIV
from core.ingestion.sources.source import LoadedFile, Source
from core.ingestion.sources.web import Policy, fetch

_ABSTRACT = "https://arxiv.org/abs/{}"
_PDF = "https://arxiv.org/pdf/{}"


def arxiv_source(text: str, *, max_mb: int, policy: Policy | None = None) -> Source | None:
    """The paper that an id or an address at arxiv.org means; None when the text is neither."""
    paper = arxiv_id(text)
    if paper is None:
        return None
    return Source(
        name=f"{ARXIV}{paper}",
        key=f"{ARXIV}{paper}",
        arxiv_id=paper,
        load=partial(_load, paper, max_mb, policy or Policy()),
        is_address=True,
        source_url=_ABSTRACT.format(paper),
        document_type="paper",
    )


def _load(paper: str, max_mb: int, policy: Policy) -> LoadedFile:
    abstract = fetch(_ABSTRACT.format(paper), max_mb=max_mb, policy=policy)
    text = fetch(_PDF.format(paper), max_mb=max_mb, policy=policy)
    return LoadedFile(content=text.content, name=f"{paper.replace('/', '-')}.pdf", description=abstract.content)
