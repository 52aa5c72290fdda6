"""`manage.py search`: passages without an answer."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.access.audiences import audience_of
from core.api import parse_filters, search
from core.errors import FootnoteError
from core.management.asking import (
    Line,
    add_arguments,
    filters_of,
    json_line,
    person,
    require_field,
    run_batch,
    text_of,
)
from core.management.base import FootnoteCommand
from core.serialization import SearchJson, search_as_json
from core.types import Filters, Passage, RetrievalResult

DEFAULT_K = 5


class Command(FootnoteCommand):
    """Find the passages that fit a query best among those a person may read."""

    help = "Find passages as a person, among those that the person may read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser, what="query")
        parser.add_argument("-k", type=int, default=DEFAULT_K, help=f"Number of passages, 1 to 50 ({DEFAULT_K}).")

    def handle(self, *args: Any, **options: Any) -> None:
        """Search once, or for a batch."""
        if options["batch"]:
            run_batch(options["batch"], lambda line: self._line(line, options), self.stdout.write)
            return
        if options["query"] is None:
            raise CommandError("Give a query, or --batch FILE.jsonl.", returncode=2)
        try:
            result = self._search(options["query"], options["email"], filters_of(options), options["k"])
        except FootnoteError as error:
            raise CommandError(error.message, returncode=2) from error
        if options["json"]:
            self.stdout.write(json_line(search_as_json(options["query"], result)))
        else:
            self.stdout.write("\n".join(_readable(passage) for passage in result.passages) or "Nothing found.")

    def _search(self, query: str, email: str | None, filters: Filters, k: int) -> RetrievalResult:
        return search(query, audience=audience_of([person(email).pk]), filters=filters, k=k)

    def _line(self, line: Line, options: dict[str, Any]) -> SearchJson:
        query = require_field(line, "query")
        found = self._search(
            query,
            text_of(line, "as", options["email"]),
            parse_filters(line.get("filters")),
            line.get("k", options["k"]),
        )
        return search_as_json(query, found)


def _readable(passage: Passage) -> str:
    where = ", ".join(
        part for part in (passage.section, f"page {passage.page_number}" if passage.page_number else "") if part
    )
    content = " ".join(passage.content.split())
    return f"{passage.rank}. {passage.document_name} ({where or 'whole'}) {passage.similarity:.2f}\n   {content[:300]}"
