"""The Federal Reserve: statements and minutes of its Open Market Committee."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, model_validator

from core.errors import IncompleteListingError, IngestionError, SourceError
from core.library.ingestion.sources import LeftOut, fomc
from core.library.sync.connector import Access, Connector, Kind, Listed, Loaded
from core.library.sync.services.site import Site, read_feed

SITE = "https://www.federalreserve.gov"

_FEED = "/feeds/press_monetary.xml"
_CALENDAR = "/monetarypolicy/fomccalendars.htm"
# The pages themselves: not their PDFs, nor a statement's implementation note (monetary20240131a1.htm).
_PAGE = re.compile(r"/newsevents/pressreleases/monetary\d{8}[a-z]\.htm|/monetarypolicy/fomcminutes\d{8}\.htm")
_STATEMENT = "fomc statement"  # in the titles of the feed, which names other announcements too
_SHORT = (
    "The Federal Reserve's calendar names the meetings of some years: what it no longer names stays in the library."
)


class Settings(BaseModel):
    """An administrator's choice of the Federal Reserve's publications."""

    statements: bool = Field(True, title="Statements", description="What the committee announces after each meeting.")
    minutes: bool = Field(True, title="Minutes", description="They come out three weeks after the meeting.")
    since: dt.date = Field(
        dt.date(2020, 1, 1),
        title="Since",
        description="Of meetings on this day or later; the calendar goes back some years.",
    )

    @model_validator(mode="after")
    def check(self) -> "Settings":
        """Something has to be wanted."""
        if not (self.statements or self.minutes):
            raise ValueError("Choose statements, minutes, or both.")
        return self


class FederalReserve:
    """The committee's calendar, and the feed of its announcements, which is quicker."""

    def __init__(self, settings: Settings, access: Access, site: str = SITE) -> None:
        self._settings = settings
        self._site = Site(access, site)
        self._base = site

    def list(self) -> Iterator[Listed | LeftOut]:
        """The meetings' pages. IncompleteListingError at the end, for neither the calendar nor the feed names all."""
        seen = set[str]()
        for address in self._list_addresses():
            if address not in seen and (listed := self._list_page(address)):
                seen.add(address)
                yield listed
        raise IncompleteListingError(_SHORT)

    def load(self, listed: Listed, validator: str) -> Loaded | None:
        """Return a page."""
        return self._site.load(listed, validator)

    def _list_addresses(self) -> Iterator[str]:
        calendar = f"{self._base}{_CALENDAR}"
        content = self._site.read(calendar, "The calendar").content
        try:
            yield from self._site.markup.read_links(content, calendar).urls
        except IngestionError as error:
            raise SourceError(f"The calendar cannot be read. {error.message}") from error
        for entry in read_feed(self._site, f"{self._base}{_FEED}"):
            if _STATEMENT in entry.title.lower():
                yield entry.url

    def _list_page(self, address: str) -> Listed | None:
        path = urlsplit(address).path
        hints = fomc.hints(path)
        wanted = {"statement": self._settings.statements, "minutes": self._settings.minutes}
        date = hints.document_date
        if not self._site.holds(address) or not _PAGE.fullmatch(path) or not wanted.get(hints.document_type):
            return None
        if date is None or date < self._settings.since:
            return None
        return Listed(
            key=address,
            name=f"{hints.document_type.capitalize()} of {date}",
            source_url=address,
            document_type=hints.document_type,
            document_date=date,
        )


def connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    """Return the connector of federalreserve.gov."""
    return FederalReserve(cast(Settings, settings), access)


KIND = Kind(
    name="federal_reserve",
    label="Federal Reserve",
    help="Statements and minutes of the Federal Open Market Committee, as they come out on federalreserve.gov.",
    settings=Settings,
    connect=connect,
)
