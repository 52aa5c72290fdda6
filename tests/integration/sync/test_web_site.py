"""Web sites as data sources: sitemaps, feeds and crawls of real servers."""

import datetime as dt
import gzip
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import (
    FetchError,
    GoneError,
    IncompleteListingError,
    IngestionError,
    SourceError,
    SourceRefusedError,
    UnsafeUrlError,
)
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Listed
from core.library.sync.kinds import kind_of
from core.library.sync.kinds.web_site import Settings, WebSite
from tests.integration.sync.served import INSIDE, Answer, Asked, Server, access, listing, page


def site(server: Server, path: str = "/", policy: Policy = INSIDE, **settings: Any) -> WebSite:
    """A connector to a served site."""
    return WebSite(Settings(address=f"{server.base}{path}", **settings), access(policy))


def sitemap(*entries: tuple[str, str]) -> str:
    """A sitemap of addresses with the days of their last change."""
    urls = "".join(f"<url><loc>{url}</loc><lastmod>{day}</lastmod></url>" for url, day in entries)
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


def keys(server: Server, *paths: str) -> set[str]:
    """The addresses of paths."""
    return {f"{server.base}{path}" for path in paths}


def test_the_sitemap_that_robots_names_is_read_with_those_of_its_index(server: Server) -> None:
    """Packed or not; what is on another host, or not allowed, is left out, and what changed last is a fingerprint."""
    b = server.base
    server.answers = {
        "/robots.txt": Answer(body=f"User-agent: *\nDisallow: /private\nSitemap: {b}/maps/index.xml\n"),
        "/maps/index.xml": Answer(
            body=f"<sitemapindex><sitemap><loc>{b}/maps/a.xml.gz</loc></sitemap>"
            f"<sitemap><loc>{b}/maps/index.xml</loc></sitemap></sitemapindex>"
        ),
        "/maps/a.xml.gz": Answer(
            body=gzip.compress(
                sitemap(
                    (f"{b}/guide", "2024-05-01"),
                    (f"{b}/private/plan", "2024-05-01"),
                    ("https://elsewhere.example/a", "2024-05-01"),
                    (f"{b}/news", dt.datetime.now(dt.UTC).date().isoformat()),
                    ("ftp://elsewhere.example/a", "2024-05-01"),
                ).encode()
            )
        ),
    }
    documents, left_out, error = listing(site(server))
    assert error is None
    assert {key: each.fingerprint for key, each in documents.items()} == {
        f"{b}/guide": "2024-05-01",
        f"{b}/news": "",  # its day is not over: it may change again and bear the same date
    }
    assert left_out == {
        f"{b}/private/plan": "the site's robots.txt does not allow it",
        "https://elsewhere.example/a": "it is on another host",
    }
    assert "/private/plan" not in server.paths()


def test_a_sitemap_is_found_at_its_usual_place(server: Server) -> None:
    """Also as text; what is there twice is one page."""
    server.answers = {"/sitemap.xml": Answer(body=f"{server.base}/a\n{server.base}/b\n{server.base}/./a#top\n")}
    documents, _, error = listing(site(server))
    assert (set(documents), error) == (keys(server, "/a", "/b"), None)


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip"])
def test_a_sitemap_that_comes_packed_is_unpacked(server: Server, encoding: str) -> None:
    """Some servers say so of a file that ends in .gz; one that is damaged is an error."""
    packed = gzip.compress(sitemap((f"{server.base}/a", "2024-01-01")).encode())
    server.answers = {"/map.xml.gz": Answer(body=packed, headers={"Content-Encoding": encoding})}
    documents, _, _ = listing(site(server, "/map.xml.gz"))
    assert set(documents) == keys(server, "/a")
    server.answers = {"/map.xml.gz": Answer(body=b"\x1f\x8b damaged")}
    assert "damaged" in str(listing(site(server, "/map.xml.gz"))[2])


def test_patterns_choose(server: Server) -> None:
    """A star matches anything, a question mark itself."""
    paths = ("/docs/a", "/docs/old/b", "/blog/c", "/docs/a?month=5")
    server.answers = {"/sitemap.xml": Answer(body=sitemap(*[(server.base + path, "2024-01-01") for path in paths]))}
    documents, _, _ = listing(site(server, include=("/docs/",), exclude=("docs*old", "?month=")))
    assert set(documents) == keys(server, "/docs/a")


def test_a_sitemap_with_entities_or_without_end_harms_nothing(server: Server) -> None:
    """Nothing of this machine is read through one, and nothing unpacks without limit."""
    bomb = f'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>{server.base}/&x;</loc></url></urlset>'
    server.answers = {
        "/sitemap.xml": Answer(body=bomb),
        "/huge.xml.gz": Answer(body=gzip.compress(b"<urlset>" + b" " * 40_000_000, 1)),
    }
    documents, _, _ = listing(site(server))
    assert "root" not in str(documents)
    _, _, error = listing(site(server, "/huge.xml.gz"))
    assert "unpacks to more than 32 MB" in str(error)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "answered with status 404"),
        ({"/sitemap.xml": page("Not found, but 200")}, "is no sitemap"),
        ({"/robots.txt": Answer(status=500)}, "robots.txt answered with status 500"),
        ({"/robots.txt": Answer(hangs=3)}, "robots.txt cannot be had"),
        ({"/sitemap.xml": Answer(hangs=3)}, "cannot be had"),
    ],
)
def test_a_site_that_cannot_be_listed(server: Server, answers: dict[str, Answer], message: str) -> None:
    """Is an error to try again, and never an empty listing."""
    server.answers = dict(answers)
    documents, _, error = listing(site(server, policy=Policy(inside_hosts=INSIDE.inside_hosts, seconds=0.4)))
    assert documents == {}
    assert message in str(error)
    assert not isinstance(error, IncompleteListingError | SourceRefusedError)


def test_one_of_several_sitemaps_that_fails_makes_the_listing_incomplete(server: Server) -> None:
    """The others' pages are listed."""
    b = server.base
    server.answers = {
        "/sitemap.xml": Answer(
            body=f"<sitemapindex><sitemap><loc>{b}/no.xml</loc></sitemap><sitemap><loc>{b}/a.xml</loc></sitemap>"
            "</sitemapindex>"
        ),
        "/a.xml": Answer(body=sitemap((f"{b}/a", "2024-01-01"))),
    }
    documents, _, error = listing(site(server))
    assert set(documents) == keys(server, "/a")
    assert isinstance(error, SourceError)


@pytest.mark.parametrize(
    "feed",
    [
        """<rss><channel><link>{b}/</link><item><title>News</title><link>{b}/a</link>
        <pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate></item></channel></rss>""",
        """<feed xmlns="http://www.w3.org/2005/Atom"><link href="{b}/"/><entry><title>News</title>
        <link rel="edit" href="{b}/edit"/><link href="/a"/><updated>2024-05-01T10:00:00Z</updated></entry></feed>""",
    ],
    ids=["RSS", "Atom"],
)
def test_a_feed_names_its_newest_entries_alone(server: Server, feed: str) -> None:
    """So the listing is never complete: what is no longer named is still there."""
    server.answers = {"/feed": Answer(body=feed.replace("{b}", server.base))}
    documents, _, error = listing(site(server, "/feed", method="feed"))
    assert {key: each.name for key, each in documents.items()} == {f"{server.base}/a": "News"}
    assert all(each.fingerprint for each in documents.values())
    assert isinstance(error, IncompleteListingError)


def test_a_page_is_no_feed(server: Server) -> None:
    """And the message says what to enter."""
    server.answers = {"/": page("Hello")}
    _, _, error = listing(site(server, method="feed"))
    assert "is no feed" in str(error)


def crawled(server: Server) -> None:
    """A site with a handbook, and things beside it."""
    server.answers = {
        "/robots.txt": Answer(body="User-agent: *\nDisallow: /docs/private\n"),
        "/docs/": page(
            "Start", "one.html", "/docs/one.html#part", "two", "private/x", "/blog/", "logo.svg", "manual.pdf",
            "https://elsewhere.example/", "mailto:a@b.example", "gone", "moved", "secret",
        ),
        "/docs/one.html": page("One", "deep/three.html"),
        "/docs/two": page("Two"),
        "/docs/deep/three.html": page("Three", "four.html"),
        "/docs/deep/four.html": page("Four"),
        "/docs/moved": Answer(status=302, headers={"Location": "/docs/two"}),
        "/docs/secret": Answer(status=403),
        "/docs/manual.pdf": Answer(body=b"%PDF-1.4", headers={"Content-Type": "application/pdf"}),
    }  # fmt: skip


def test_a_crawl_stays_on_the_site_and_below_its_first_page(server: Server) -> None:
    """Links lead to each page once; what is gone is not there, and files are listed without being fetched."""
    crawled(server)
    documents, left_out, error = listing(site(server, "/docs/", method="crawl", depth=2))
    assert error is None
    assert set(documents) == keys(
        server, "/docs/", "/docs/one.html", "/docs/two", "/docs/deep/three.html", "/docs/manual.pdf"
    )
    assert left_out == {
        f"{server.base}/docs/private/x": "the site's robots.txt does not allow it",
        f"{server.base}/docs/secret": "the site does not show it to everybody",
    }
    assert not {"/docs/private/x", "/blog/", "/docs/logo.svg", "/docs/manual.pdf"} & set(server.paths())
    assert len(server.paths()) == len(set(server.paths()) - {"/docs/two"}) + 2  # by its link, and once more as moved


def test_a_fingerprint_of_a_crawl_is_another_when_the_page_is(server: Server) -> None:
    """And stays while it stays."""
    crawled(server)
    before, _, _ = listing(site(server, "/docs/", method="crawl"))
    server.answers["/docs/two"] = page("Two, changed")
    after, _, _ = listing(site(server, "/docs/", method="crawl"))
    changed = {key for key in before if before[key].fingerprint != after[key].fingerprint}
    assert changed == keys(server, "/docs/two")


def test_a_canonical_link_is_no_identity(server: Server) -> None:
    """Two pages that claim to be a third are two."""
    claim = '<html><head><link rel="canonical" href="/docs/"></head><body><a href="b">b</a></body></html>'
    html = Answer(body=claim, headers={"Content-Type": "text/html"})
    server.answers = {"/docs/a": html, "/docs/a/b": html, "/docs/b": html}
    documents, _, _ = listing(site(server, "/docs/a.html", method="crawl"))
    assert documents == {}
    server.answers["/docs/a.html"] = html
    documents, _, _ = listing(site(server, "/docs/a.html", method="crawl"))
    assert set(documents) == keys(server, "/docs/a.html", "/docs/b")


def test_a_calendar_without_an_end_is_cut_and_not_complete(server: Server) -> None:
    """The limit is reported, and what was not reached is not taken for gone."""

    def month(asked: Asked) -> Answer:
        number = int(asked.query.get("month", 0))
        return page(f"Month {number}", f"?month={number + 1}", f"?month={number + 2}")

    server.answers = {"/cal/": month}
    documents, left_out, error = listing(site(server, "/cal/", method="crawl", depth=20, most_pages=7))
    assert len(documents) == 7
    assert left_out == {f"{server.base}/cal/": "limit reached: there are more than 7 pages"}
    assert isinstance(error, IncompleteListingError)
    assert len(server.asked) == 8  # with robots.txt


def test_the_limit_holds_for_a_sitemap(server: Server) -> None:
    """In the same way."""
    server.answers = {
        "/sitemap.xml": Answer(body=sitemap(*[(f"{server.base}/{number}", "2024-01-01") for number in range(5)]))
    }
    documents, left_out, error = listing(site(server, most_pages=3))
    assert len(documents) == 3
    assert "limit reached" in str(left_out)
    assert isinstance(error, IncompleteListingError)


def test_a_page_that_fails_makes_the_crawl_incomplete(server: Server) -> None:
    """A server that hangs, or answers with an error, costs its page and not the others."""
    crawled(server)
    server.answers["/docs/two"] = Answer(status=500)
    server.answers["/docs/one.html"] = Answer(hangs=1)
    quick = Policy(inside_hosts=INSIDE.inside_hosts, seconds=0.3)
    documents, _, error = listing(site(server, "/docs/", policy=quick, method="crawl", depth=1))
    assert set(documents) == keys(server, "/docs/", "/docs/manual.pdf")
    assert "3 could not" in str(error)  # one of them by two links
    assert not isinstance(error, IncompleteListingError)


def test_links_and_redirects_lead_to_no_other_place(server: Server, elsewhere: Server) -> None:
    """Neither to a host inside that nobody listed, nor to a page of another site."""
    inside = Policy(
        resolver=lambda host, _: ["10.0.0.7"] if host == "inside.example" else ["127.0.0.1"],
        inside_hosts=frozenset({"127.0.0.1"}),
        seconds=2,
    )
    elsewhere.answers = {"/page": page("Another site")}
    server.answers = {
        "/": page("Start", "/inwards", "/away", "/metadata"),
        "/inwards": Answer(status=302, headers={"Location": "http://inside.example/"}),
        "/metadata": Answer(status=302, headers={"Location": "http://169.254.169.254/latest/"}),
        "/away": Answer(status=302, headers={"Location": f"{elsewhere.base}/page"}),
    }
    connector = site(server, method="crawl", policy=inside)
    documents, left_out, error = listing(connector)
    assert (set(documents), error) == (keys(server, "/"), None)
    assert set(left_out) == keys(server, "/inwards", "/metadata")
    for path, expected in (("/inwards", UnsafeUrlError), ("/metadata", UnsafeUrlError), ("/away", IngestionError)):
        with pytest.raises(expected):
            connector.load(Listed(key=f"{server.base}{path}", name=path), "")


@pytest.mark.parametrize(
    ("header", "value", "condition"),
    [("ETag", '"v1"', "if-none-match"), ("Last-Modified", "Wed, 01 May 2024 10:00:00 GMT", "if-modified-since")],
)
def test_a_page_is_loaded_once_while_it_stays(server: Server, header: str, value: str, condition: str) -> None:
    """The server gets the known version, and says that it is unchanged."""

    def answer(asked: Asked) -> Answer:
        if asked.headers.get(condition) == value:
            return Answer(status=304)
        return Answer(body="<html><p>Hello</p></html>", headers={header: value, "Content-Type": "text/html"})

    server.answers = {"/page": answer}
    connector, listed = site(server), Listed(key=f"{server.base}/page", name="page")
    loaded = connector.load(listed, "")
    assert loaded is not None
    assert (loaded.file.name, loaded.validator) == ("page.html", value)
    assert connector.load(listed, loaded.validator) is None


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (Answer(status=404), GoneError, "no longer there"),
        (Answer(status=410), GoneError, "no longer there"),
        (Answer(status=401), IngestionError, "status 401"),
        (Answer(status=500), IngestionError, "status 500"),
        (Answer(status=304), IngestionError, "status 304"),
        (Answer(hangs=1), FetchError, "within 0.3 seconds"),
        (Answer(body=b"x" * 1_100_000), IngestionError, "larger than 1 MB"),
    ],
)
def test_what_is_wrong_with_a_page_is_said_of_it_alone(
    server: Server, answer: Answer, error: type[Exception], message: str
) -> None:
    """The source as a whole is not at fault."""
    server.answers = {"/page": answer}
    quick = Policy(inside_hosts=INSIDE.inside_hosts, seconds=0.3)
    with pytest.raises(error, match=message):
        site(server, policy=quick).load(Listed(key=f"{server.base}/page", name="page"), "")


def test_what_robots_forbids_is_not_loaded_either(server: Server) -> None:
    """Nor what a page that may be fetched redirects to: the rules may have come after the listing."""
    crawled(server)
    server.answers["/docs/private/x"] = page("Private")
    server.answers["/docs/moved"] = Answer(status=302, headers={"Location": "/docs/private/x"})
    for path, asked in (("/docs/private/x", ["/robots.txt"]), ("/docs/moved", ["/robots.txt", "/docs/moved"])):
        server.asked.clear()
        with pytest.raises(IngestionError, match=r"robots\.txt does not allow it"):
            site(server, "/docs/").load(Listed(key=f"{server.base}{path}", name=path), "")
        assert server.paths()[: len(asked)] == asked
        assert (path == "/docs/moved") == ("/docs/private/x" in server.paths())


def test_a_page_of_another_type_than_its_name_says_is_named_by_what_it_is(server: Server) -> None:
    """So that the parser of that kind reads it."""
    server.answers = {
        "/report": Answer(body=b"%PDF-1.4", headers={"Content-Type": "application/pdf"}),
        "/picture.html": Answer(body=b"<svg/>", headers={"Content-Type": "image/svg+xml"}),
        "/": page("Start", "/report", "/picture.html"),
    }
    documents, _, _ = listing(site(server, method="crawl"))
    assert set(documents) == keys(server, "/", "/report")
    loaded = site(server).load(documents[f"{server.base}/report"], "")
    assert loaded is not None
    assert loaded.file.name == "report.pdf"


def busy(times: int, retry_after: str) -> Callable[[Asked], Answer]:
    """A server that has no time at first."""
    left = [times]

    def answer(_: Asked) -> Answer:
        left[0] -= 1
        return Answer(status=429, headers={"Retry-After": retry_after}) if left[0] >= 0 else page("At last")

    return answer


def test_a_busy_site_is_asked_again_when_it_says_so(server: Server) -> None:
    """In seconds or by a date; one that asks for too long is left for later, and one that is never ready too."""
    server.answers = {"/a": busy(2, "0"), "/b": busy(1, "Wed, 01 May 2024 10:00:00 GMT"), "/c": busy(1, "7200")}
    server.answers["/d"] = busy(99, "0")
    connector = site(server)
    for path in ("/a", "/b"):
        assert connector.load(Listed(key=f"{server.base}{path}", name=path), "") is not None
    for path, message in (("/c", "come back in 7200 seconds"), ("/d", "is busy")):
        with pytest.raises(SourceError, match=message):
            connector.load(Listed(key=f"{server.base}{path}", name=path), "")
    assert server.paths().count("/d") == 4


def test_the_pace_of_the_source_is_kept_before_each_request(server: Server) -> None:
    """The administrator's, and what robots.txt asks for."""
    crawled(server)
    pauses: list[None] = []
    connector = WebSite(
        Settings(address=f"{server.base}/docs/", method="crawl", depth=1), access(pause=lambda: pauses.append(None))
    )
    listing(connector)
    redirects = server.paths().count("/docs/two") - 1
    assert len(pauses) == len(server.asked) - redirects


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"address": "file:///etc/passwd"}, "Only http and https addresses can"),
        ({"address": "https://me:pw@docs.example.org/"}, "Remove them"),
        ({"address": "https://docs.example.org/", "hosts": ["a.example/b"]}, "the name of a host alone"),
        ({"address": "https://docs.example.org/", "most_pages": 0}, "greater than or equal to 1"),
    ],
)
def test_settings_that_cannot_be_used_are_told_what_to_write(settings: dict[str, Any], message: str) -> None:
    """Before anything is fetched."""
    with pytest.raises(ValidationError, match=message):
        kind_of("web_site").settings.model_validate(settings)
