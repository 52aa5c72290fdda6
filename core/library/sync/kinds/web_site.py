"""A web site: the pages that its sitemap names, a feed, or the links of a first page."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, Field

from core.errors import IncompleteListingError, UnsafeUrlError
from core.library.ingestion.markup.values import Entry
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.addresses import check_url
from core.library.sync.connector import Access, Connector, Kind, Listed, Loaded
from core.library.sync.services.crawl import Bounds, crawl, is_wanted
from core.library.sync.services.site import NOT_ALLOWED, Site, read_feed, read_sitemaps

_FEED_IS_SHORT = "A feed names only its newest entries: what it no longer names stays in the library."


def _as_address(text: str) -> str:
    try:
        return check_url(text)
    except UnsafeUrlError as error:
        raise ValueError(error.message) from error


def _as_host(text: str) -> str:
    host = _as_address(f"https://{text.strip()}").removeprefix("https://")
    if not host.endswith("/") or host.count("/") > 1:
        raise ValueError("Write the name of a host alone, such as docs.example.org.")
    return host.removesuffix("/")


Address = Annotated[str, AfterValidator(_as_address)]


class Settings(BaseModel):
    """An administrator's settings for a web site."""

    address: Address = Field(
        title="Address",
        description="Of the site, its sitemap, its feed, or the page at which a crawl begins: https://docs.example.org/.",
    )
    method: Literal["sitemap", "feed", "crawl"] = Field(
        "sitemap",
        title="How pages are found",
        description="By the site's sitemap, by an RSS or Atom feed, or by following links from the address. A crawl "
        "stays below the folder of that address.",
    )
    include: tuple[str, ...] = Field(
        (),
        title="Only addresses with",
        description="Parts of addresses, one a line; * stands for anything. Empty for all. A crawl follows the links "
        "of other pages too, but does not take these.",
    )
    exclude: tuple[str, ...] = Field(
        (),
        title="No addresses with",
        description="Parts of addresses, one a line, that are neither taken nor followed: /archive/ or ?month=.",
    )
    hosts: tuple[Annotated[str, AfterValidator(_as_host)], ...] = Field(
        (),
        title="Further hosts",
        description="Hosts, one a line, whose pages belong to the site as well. Others are left out.",
    )
    depth: int = Field(
        3,
        ge=0,
        le=20,
        title="Depth of a crawl",
        description="How many links away from the first page. 0: only that page.",
    )
    most_pages: int = Field(
        1000,
        ge=1,
        le=50_000,
        title="Most pages",
        description="Where the site has more, the rest is left out, and nothing is taken for gone any more.",
    )


class WebSite:
    """The pages of a site."""

    def __init__(self, settings: Settings, access: Access) -> None:
        self._settings = settings
        self._site = Site(access, settings.address, settings.hosts)

    def list(self) -> Iterator[Listed | LeftOut]:
        """Yield the pages that the site names. IncompleteListingError at the limit, and after a feed."""
        seen = set[str]()
        for found in self._find_pages():
            if isinstance(found, Listed):
                if found.key in seen or not is_wanted(found.key, self._settings.include, self._settings.exclude):
                    continue
                if len(seen) == self._settings.most_pages:
                    limit = f"limit reached: the site has more than {self._settings.most_pages} pages"
                    yield LeftOut(name=self._settings.address, reason=limit)
                    raise IncompleteListingError(f"The site was not listed to its end, {limit}.")
                seen.add(found.key)
            yield found
        if self._settings.method == "feed":
            raise IncompleteListingError(_FEED_IS_SHORT)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a page."""
        return self._site.load(listed, validator)

    def _find_pages(self) -> Iterator[Listed | LeftOut]:
        settings = self._settings
        if settings.method == "crawl":
            bounds = Bounds(
                start=settings.address,
                depth=settings.depth,
                most_pages=settings.most_pages,
                exclude=settings.exclude,
            )
            yield from crawl(self._site, bounds)
        elif settings.method == "feed":
            yield from map(self._check_entry, read_feed(self._site, settings.address))
        else:
            yield from map(self._check_entry, read_sitemaps(self._site, settings.address))

    def _check_entry(self, entry: Entry) -> Listed | LeftOut:
        """An entry as a document, if it may be one: who writes a sitemap does not decide what else is fetched."""
        if not self._site.holds(entry.url):
            return LeftOut(name=entry.url, reason="it is on another host")
        if not self._site.allows(entry.url):
            return LeftOut(name=entry.url, reason=NOT_ALLOWED)
        return Listed(key=entry.url, name=entry.title or entry.url, fingerprint=entry.stamp, source_url=entry.url)


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of a site."""
    return WebSite(cast(Settings, settings), access)


KIND = Kind(
    name="web_site",
    label="Web site",
    help="The pages of a site that everybody may read, found by its sitemap, a feed, or links. Its robots.txt is "
    "respected.",
    settings=Settings,
    connect=connect,
)
