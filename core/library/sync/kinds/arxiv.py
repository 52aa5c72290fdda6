"""arXiv: the newest papers of some subjects, or that a query finds."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, cast

from pydantic import AfterValidator, BaseModel, Field, model_validator

from core.errors import FootnoteError, IncompleteListingError, SourceError
from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.sources import LeftOut, LoadedFile
from core.library.ingestion.sources.addresses import ARXIV
from core.library.ingestion.sources.arxiv import SITE, abstract_page, load_paper
from core.library.sync.connector import Access, Connector, Kind, Listed, Loaded
from core.library.sync.services.client import Client

if TYPE_CHECKING:
    import arxiv

API = "https://export.arxiv.org/api/query"

_PAGE = 100  # papers asked for at a time
_SECONDS = 3.0  # between two requests, as arXiv's terms of use ask
_LONGEST_NAME = 200
_CATEGORY_MARKS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.")


def _as_category(text: str) -> str:
    category = text.strip()
    if not category or not set(category) <= _CATEGORY_MARKS:
        raise ValueError(
            f"{category[:50] or 'An empty line'} is no subject of arXiv. Write one such as cs.CL or math.PR."
        )
    return category


class Settings(BaseModel):
    """An administrator's choice of papers."""

    categories: tuple[Annotated[str, AfterValidator(_as_category)], ...] = Field(
        (),
        title="Subjects",
        description="Subjects of arXiv, one a line, such as cs.CL. Papers of any of them are taken.",
    )
    query: str = Field(
        "",
        max_length=500,
        title="Query",
        description='In arXiv\'s own form, such as ti:"retrieval" AND abs:citation. With subjects, both have to fit.',
    )
    newest: int = Field(
        100, ge=1, le=2000, title="Newest papers", description="How many are asked for, the last submitted first."
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """Something has to be asked for."""
        if not self.categories and not self.query.strip():
            raise ValueError("Write subjects, a query, or both.")
        return self

    def as_query(self) -> str:
        """Return the whole query."""
        subjects = " OR ".join(f"cat:{each}" for each in self.categories)
        both = [f"({part})" for part in (subjects, self.query.strip()) if part]
        return " AND ".join(both)


class Arxiv:
    """The papers that a query finds."""

    def __init__(
        self, settings: Settings, access: Access, *, api: str = API, site: str = SITE, seconds: float = _SECONDS
    ) -> None:
        self._settings = settings
        self._api = api
        self._site = site
        self._asking = Client(access, api, name="arXiv", interval=seconds)
        self._loading = Client(access, site, name="arXiv", interval=seconds)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Yield the newest papers.

        IncompleteListingError at the end: no paper ever leaves arXiv, and older ones stay when newer ones come.
        """
        is_empty = True
        seen = set[str]()
        for result in self._search_papers():
            is_empty = False
            version = result.get_short_id()
            paper = arxiv_id(version)
            if paper is not None and paper not in seen:  # of several versions the newest comes first
                seen.add(paper)
                yield Listed(
                    key=f"{ARXIV}{paper}",
                    name=" ".join(result.title.split())[:_LONGEST_NAME] or paper,
                    fingerprint=f"{version} {result.updated.isoformat()}",
                    source_url=abstract_page(paper),
                    document_type="paper",
                    arxiv_id=paper,
                )
        if is_empty:
            raise SourceError("arXiv named no paper. Check the subjects and the query.")
        raise IncompleteListingError("Only the newest papers were asked for: older ones stay in the library.")

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return the text of a paper, described by the page of its abstract."""
        return Loaded(file=load_paper(listed.arxiv_id, self._fetch_file, self._site))

    def _fetch_file(self, url: str) -> LoadedFile:
        return self._loading.load_file(url, url).as_file()

    def _search_papers(self) -> Iterator["arxiv.Result"]:
        import arxiv

        from core.library.sync.services.guarded_session import guarded_session

        client = arxiv.Client(page_size=min(_PAGE, self._settings.newest), delay_seconds=0)
        client.query_url_format = f"{self._api}?{{}}"
        client._session = guarded_session(self._asking)
        search = arxiv.Search(
            query=self._settings.as_query(),
            max_results=self._settings.newest,
            sort_by=arxiv.SortCriterion.SubmittedDate,
        )
        try:
            yield from client.results(search)
        except FootnoteError:
            raise
        except arxiv.HTTPError as error:
            raise SourceError(f"arXiv answered with status {error.status}. Check the query.") from error
        except arxiv.ArxivError as error:
            raise SourceError("arXiv did not give all of what it found. It is asked again later.") from error


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of arXiv."""
    return Arxiv(cast(Settings, settings), access)


KIND = Kind(
    name="arxiv",
    label="arXiv",
    help="The newest papers of some subjects, or that a query finds, with their full text.",
    settings=Settings,
    connect=connect,
)
