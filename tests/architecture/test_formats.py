"""A format is written in one place: its row in core/library/ingestion/formats.py. All else reads that."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from adminsite.admin.uploads import ACCEPTED
from core.library.ingestion.detection import find_media_type
from core.library.ingestion.formats import (
    BY_SUFFIX,
    ENDING_BY_MEDIA_TYPE,
    SUPPORTED,
    FileKind,
    Given,
    list_readable_endings,
)
from core.library.ingestion.recognition import is_installed
from core.library.ingestion.sources.web import Response
from tests.formats import PAGES, ROOT, write_formats
from tests.packages import PACKAGES

ROWS = Path("core/library/ingestion/formats.py")
PARSERS = Path("core/library/ingestion/parsers")  # each knows its own format, and those that it may hold
# Files that name an ending or media type for something else than what is read.
OTHERS = {
    "adminsite/admin/access/why.py": {".csv", "text/csv"},  # exported
    "adminsite/admin/operations.py": {"application/jsonl", "text/csv"},  # exported
    "adminsite/admin/search.py": {".html"},  # a template
    "adminsite/api/reports.py": {"application/json"},  # of REST
    "adminsite/api/research.py": {"text/markdown", FileKind.DOCX.value.media_type},  # written, not read
    "adminsite/error_responses.py": {"text/plain"},
    "adminsite/receipts/views.py": {"application/json", "text/plain"},  # written, not read
    "bot/endpoint.py": {"text/plain"},  # answers to Slack
    "bot/installations/oauth.py": {"text/html"},  # pages of ours
    "core/quality/benchmarks/beir.py": {".tsv"},  # judgements of a collection
    "core/asking/confidence/estimate.py": {".json"},  # weights
    "core/asking/generation/prompts/__init__.py": {".md"},  # prompts
    "core/library/ingestion/sources/arxiv.py": {".pdf"},  # in addresses of arXiv
    "core/library/ingestion/sources/files.py": {".json", ".md", ".txt"},  # the sections of one document
    "core/infrastructure/measures/port.py": {"text/plain"},
    "core/quality/reports/spreadsheets.py": {"text/csv", FileKind.XLSX.value.media_type},  # written, not read
    "core/values/receipts.py": {".json"},  # written, not read
    "core/library/sync/services/client.py": {"application/json"},  # of other services' REST
    "core/library/sync/services/crawl.py": {"text/html"},  # taken for granted where a server says nothing
    "core/library/sync/services/entra.py": {"application/json"},  # of its answers
    "core/library/sync/services/merge_requests.py": {"application/json"},  # of REST
    "core/library/sync/services/site.py": {".txt"},  # a sitemap in its plainest form
    "slack_emulator/dispatch.py": {"application/json"},  # as Slack sends its events
    "slack_emulator/guard.py": {"text/plain"},
    "slack_emulator/openid.py": {"text/plain"},
    "slack_emulator/webapi/canvases.py": {"text/plain"},
    "slack_emulator/webapi/calls.py": {"application/json"},
    "slack_emulator/webapi/conversations.py": {"text/plain"},
}


def _written_in(source: Path) -> Iterator[str]:
    """Yield the strings of a module, those within lists of several words apart."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from node.value.replace(",", " ").replace(";", " ").split() if len(node.value) < 200 else ()


def test_endings_and_media_types_are_written_in_one_place() -> None:
    """A new format has to be added to its row alone, so nothing else may have a list of its own."""
    named = BY_SUFFIX.keys() | ENDING_BY_MEDIA_TYPE.keys()
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            path = file.relative_to(ROOT)
            if path == ROWS or PARSERS in path.parents or "migrations" in path.parts:
                continue
            if written := named & set(_written_in(file)):
                found[str(path)] = written
    assert found == OTHERS


def test_no_ending_belongs_to_two_formats() -> None:
    """The name of a file says one format, and a media type one ending."""
    rows = [kind.value for kind in FileKind]
    endings = [ending for row in rows for ending in row.endings]
    media_types = [media_type for row in rows for media_type in row.media_types]
    assert sorted(set(endings)) == sorted(endings)
    assert sorted(set(media_types)) == sorted(media_types)


@pytest.mark.parametrize("kind", FileKind, ids=lambda kind: kind.name)
def test_a_row_is_all_that_makes_a_format_known(kind: FileKind) -> None:
    """The upload form takes its files, servers' media types name it, errors and guides list it."""
    row = kind.value
    is_read = is_installed() or not row.needs_recognition
    assert set(row.endings).issubset(ACCEPTED.split(",")) == is_read
    assert set(row.endings).issubset(list_readable_endings()) == is_read
    assert (row.listed in SUPPORTED) == is_read
    for ending, media_type in row.endings.items():
        assert "/" in find_media_type(b"words", f"a{ending}")
        file = Response(url="https://example.org/it", status=200, headers={"content-type": media_type}, content=b"")
        assert BY_SUFFIX[f".{file.as_file().name.rpartition('.')[2]}"] is kind


@pytest.mark.parametrize("kind", FileKind, ids=lambda kind: kind.name)
def test_each_row_names_a_parser_that_takes_what_it_is_given(kind: FileKind) -> None:
    """Its first parameter is bytes or text, as the row says; nothing else checks a name in a string."""
    parameters = list(inspect.signature(kind.value.load_parser()).parameters.values())
    assert [each.name for each in parameters][1:] == (
        ["name", "recogniser"] if kind.value.given is Given.BYTES_AND_RECOGNISER else ["name"]
    )
    assert parameters[0].annotation is (str if kind.value.given is Given.TEXT else bytes)


@pytest.mark.parametrize("page", PAGES)
def test_the_documentation_lists_the_rows(page: str) -> None:
    """After a change of a row, `python -m tests.formats` writes the pages."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert write_formats(text) == text


def test_what_is_written_to_the_documentation_has_each_format() -> None:
    """The guides' sentence names all that are read everywhere, and the table every ending."""
    sentence, table = write_formats("Footnote reads X. More.\n"), write_formats("| Format | X |\n| Y | Z |\n")
    names = [name for kind in FileKind if not kind.value.needs_recognition for name in kind.value.listed.split(", ")]
    listed = sentence.removeprefix("Footnote reads ").removesuffix(". More.\n")
    assert listed.replace(" and ", ", ").split(", ") == names
    cells = [line.split(" | ")[1] for line in table.splitlines()[2:]]
    assert sorted(ending for cell in cells for ending in cell.split(", ")) == sorted(BY_SUFFIX)
