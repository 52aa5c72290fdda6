"""Markup that leads to documents: read in the sandbox, and never taken for whole when it is not."""

import subprocess
import sys
from typing import Any

import pytest

from core.errors import IncompleteListingError, ParserLimitError
from core.library.ingestion.markup.reader import MarkupReader
from core.library.ingestion.markup.values import MOST_ENTRIES, MOST_LINKS, MOST_RESOURCES, Entries, Links, Resources
from core.library.ingestion.sandbox.layers import Layer
from core.library.ingestion.sandbox.process import Limits, Sandbox
from core.library.sync.kinds.web_site import Settings, WebSite
from tests.integration.sync.served import MARKUP, Answer, Server, access, listing, page


def crawl(server: Server, **more: Any) -> WebSite:
    """A crawl of a served site."""
    return WebSite(Settings(address=f"{server.base}/", method="crawl", depth=2), access(max_mb=40, **more))


def html(body: str) -> Answer:
    """A page."""
    return Answer(body=body, headers={"Content-Type": "text/html"})


def test_a_page_with_too_many_links_leaves_the_listing_incomplete(server: Server) -> None:
    """Those that were read are followed, the report names the page, and nothing counts as gone."""
    others = "".join(f'<a href="https://elsewhere.example/{n}">x</a>' for n in range(MOST_LINKS))
    server.answers = {"/": page("Start", "a", "b"), "/a": html(f'<a href="c">x</a>{others}<a href="d">x</a>'),
                      "/b": page("B"), "/c": page("C"), "/d": page("D")}  # fmt: skip
    documents, left_out, error = listing(crawl(server))
    assert set(documents) == {f"{server.base}/{name}" for name in ("", "a", "b", "c")}
    assert set(left_out) == {f"{server.base}/a"}
    assert "more than 10,000 links" in left_out[f"{server.base}/a"]
    assert isinstance(error, IncompleteListingError)
    assert f"{server.base}/a" in error.message


def test_links_are_found_however_a_page_is_built(server: Server) -> None:
    """Deep nesting and an endless attribute once made an HTML tree of nothing, and the crawl counted as complete."""
    server.answers = {
        "/": html("<div>" * 3000 + '<a href="deep">x</a>' + f'<p title="{"x" * 11_000_000}"></p><a href="far">x</a>'),
        "/deep": html('<meta charset="windows-1251"><base href="/below/"><a href="c">\u00ff</a>'),
        "/far": page("Far"),
        "/below/c": page("C"),
    }
    documents, left_out, error = listing(crawl(server))
    assert set(documents) == {f"{server.base}/{name}" for name in ("", "deep", "far", "below/c")}
    assert (left_out, error) == ({}, None)


def test_a_page_that_asks_too_much_of_its_parser_is_an_error_of_that_page(server: Server) -> None:
    """The process ends at its limits, and the next page is read by another one."""
    small = MarkupReader(Sandbox(Limits(seconds=30, memory_mb=24, output_mb=8), required=False))
    server.answers = {"/": page("Start", "a", "b"), "/a": html('<a href="c">' * 2_500_000), "/b": page("B", "d"),
                      "/d": page("D")}  # fmt: skip
    documents, left_out, error = listing(crawl(server, markup=small))
    small.close()
    assert set(documents) == {f"{server.base}/{name}" for name in ("", "a", "b", "d")}
    assert list(left_out) == [f"{server.base}/a"]
    assert "more time or memory than is allowed" in left_out[f"{server.base}/a"]
    assert isinstance(error, IncompleteListingError)
    assert "more time or memory than is allowed" in error.message


def test_nothing_is_listed_where_the_sandbox_does_not_hold(server: Server) -> None:
    """The run fails, and says what an administrator can do."""
    server.answers = {"/": page("Start", "a"), "/sitemap.xml": Answer(body="<urlset/>")}
    sites = [crawl(server, markup=MarkupReader(Sandbox(without=[*Layer])))]
    sites.append(WebSite(Settings(address=f"{server.base}/"), access(markup=MarkupReader(Sandbox(without=[*Layer])))))
    for site in sites:
        _, _, error = listing(site)
        assert "INGEST_FENCE" in str(error)
        assert not isinstance(error, IncompleteListingError)


@pytest.mark.parametrize(
    "rest",
    [
        "<url><loc>{b}/b?x=1&y=2</loc></url></urlset>",
        "<url>",
        "<url><loc>{b}/c</loc></url>" * MOST_ENTRIES + "</urlset>",
    ],
    ids=["bad entity", "no end", "too many"],
)
def test_a_sitemap_that_may_name_more_leaves_the_listing_incomplete(server: Server, rest: str) -> None:
    """The readable part is listed."""
    b = server.base
    body = f"<urlset><url><loc>{b}/a</loc></url>{rest.replace('{b}', b)}"
    server.answers = {"/sitemap.xml": Answer(body=body)}
    documents, _, error = listing(WebSite(Settings(address=f"{b}/"), access()))
    assert f"{b}/a" in documents
    assert isinstance(error, IncompleteListingError)
    assert f"{b}/sitemap.xml is damaged, or names more than 50,000 pages" in error.message


def test_a_folder_with_too_much_in_it_is_refused() -> None:
    """Unlisted files would count as deleted."""
    one = b"<response><href>/a</href></response>"
    content = b'<multistatus xmlns="DAV:">' + one * (MOST_RESOURCES + 1) + b"</multistatus>"
    with pytest.raises(ParserLimitError, match="Handbook holds more than 100,000 files"):
        MARKUP.read_folder(content, "Handbook")


@pytest.mark.parametrize(
    ("form", "reply"),
    [
        (Links, {"links": ["http://h.example/a"] * (MOST_LINKS + 1), "whole": True}),
        (Links, {"links": ["http://h.example/" + "a" * 10_000], "whole": True}),
        (Links, {"links": [{"url": "http://h.example/a"}], "whole": True}),
        (Links, {"links": []}),
        (Entries, {"pages": [["http://h.example/a"]], "sitemaps": [], "whole": True}),
        (Entries, {"pages": "http://h.example/a", "sitemaps": [], "whole": True}),
        (Resources, {"resources": [["/a", True, "", "", 5]], "whole": True}),
        (Resources, {"resources": {"/a": True}, "whole": True}),
    ],
)
def test_what_a_parser_that_was_taken_over_says_has_bounds(form: Any, reply: dict[str, Any]) -> None:
    """Another form than values of a bounded number and length is refused."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        form.from_json(reply)


def test_a_parser_that_was_taken_over_names_no_address_that_is_not_fetched() -> None:
    """Nor one in another form than the worker compares."""
    links = Links.from_json({"links": ["file:///etc/passwd", "HTTP://H.example:80/a", "//b"], "whole": "yes"})
    assert (links.urls, links.is_whole) == (("http://h.example/a",), False)


_MEASURING = """
import resource
from core.library.ingestion.markup.reader import MARKUP_LIMITS, MarkupReader
from core.library.ingestion.sandbox.process import Sandbox
content = b"".join(b"<a href=/%05d>x</a>" % n for n in range(20_000)) * 140
reader = MarkupReader(Sandbox(MARKUP_LIMITS, required=False))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
links = reader.read_links(content, "http://h.example/")
print(len(content) >> 20, len(links.urls), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
def test_a_page_of_links_costs_the_worker_little_memory() -> None:
    """As an HTML tree a page of 50 MB takes more than ten times as much."""
    done = subprocess.run([sys.executable, "-c", _MEASURING], capture_output=True, text=True, check=True, timeout=120)
    megabytes, links, grown = map(int, done.stdout.split())
    assert megabytes >= 50
    assert links == MOST_LINKS
    assert grown < 200


def test_entities_of_a_folder_are_not_followed() -> None:
    """An entity's content is in no name."""
    bomb = (
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><multistatus xmlns="DAV:"><response><href>/&e;</href>'
    )
    told = MARKUP.read_folder(bomb + b"</response></multistatus>", "Handbook")
    assert [one.href for one in told] == ["/"]
