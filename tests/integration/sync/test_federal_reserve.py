"""The Federal Reserve as a data source, against a server with pages of its form."""

import datetime as dt
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import IncompleteListingError, SourceError
from core.library.sync.kinds.federal_reserve import FederalReserve, Settings
from tests.integration.sync.served import Answer, Server, access, listing, page

_CALENDAR = (
    "/newsevents/pressreleases/monetary20240131a.htm",
    "/monetarypolicy/files/monetary20240131a1.pdf",
    "/newsevents/pressreleases/monetary20240131a1.htm",
    "/monetarypolicy/fomcminutes20240131.htm",
    "/monetarypolicy/files/fomcminutes20240131.pdf",
    "/newsevents/pressreleases/monetary20210127a.htm",
    "https://elsewhere.example/newsevents/pressreleases/monetary20240131b.htm",
    "/default.htm",
)


def reserve(server: Server, **settings: Any) -> FederalReserve:
    """A connector to a served site, with a calendar and a feed."""
    item = "<item><title>{}</title><link>{}/newsevents/pressreleases/{}</link></item>"
    items = item.format("Federal Reserve issues FOMC statement", server.base, "monetary20240320a.htm")
    items += item.format("Minutes of the Board's discount rate meetings", server.base, "monetary20240227a.htm")
    server.answers |= {
        "/monetarypolicy/fomccalendars.htm": page("Calendar", *_CALENDAR),
        "/feeds/press_monetary.xml": Answer(body=f"<rss><channel>{items}</channel></rss>"),
    }
    return FederalReserve(Settings(**settings), access(), site=server.base)


def test_statements_and_minutes_are_listed_with_their_types_and_days(server: Server) -> None:
    """Of the calendar and the feed, each once, and nothing beside them; none of them is ever taken for gone."""
    documents, left_out, error = listing(reserve(server, since=dt.date(2024, 1, 1)))
    told = {key.removeprefix(server.base): (each.document_type, each.document_date) for key, each in documents.items()}
    assert told == {
        "/newsevents/pressreleases/monetary20240131a.htm": ("statement", dt.date(2024, 1, 31)),
        "/monetarypolicy/fomcminutes20240131.htm": ("minutes", dt.date(2024, 1, 31)),
        "/newsevents/pressreleases/monetary20240320a.htm": ("statement", dt.date(2024, 3, 20)),
    }
    assert left_out == {}
    assert isinstance(error, IncompleteListingError)


def test_one_kind_alone(server: Server) -> None:
    """Only minutes, from when on is asked."""
    documents, _, _ = listing(reserve(server, statements=False, since=dt.date(2021, 1, 1)))
    assert {each.document_type for each in documents.values()} == {"minutes"}
    with pytest.raises(ValidationError, match="Choose statements, minutes, or both"):
        Settings(statements=False, minutes=False)


def test_without_its_calendar_nothing_is_known(server: Server) -> None:
    """It is an error, and no empty listing."""
    connector = reserve(server)
    del server.answers["/monetarypolicy/fomccalendars.htm"]
    documents, _, error = listing(connector)
    assert (documents, type(error)) == ({}, SourceError)


def test_a_page_is_loaded(server: Server) -> None:
    """It is loaded as it is on the site."""
    connector = reserve(server, since=dt.date(2024, 1, 1))
    server.answers["/monetarypolicy/fomcminutes20240131.htm"] = page("The committee met.")
    documents, _, _ = listing(connector)
    loaded = connector.load(documents[f"{server.base}/monetarypolicy/fomcminutes20240131.htm"], "")
    assert loaded is not None
    assert b"The committee met." in loaded.file.content
