"""`manage.py ingest`: bring documents into the library."""

import json
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db.models import ProtectedError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from core.errors import FootnoteError, IngestionError
from core.library import embedding
from core.library.ingestion.extent import describe_count
from core.library.ingestion.jobs import sandbox_from_settings, source_of_address
from core.library.ingestion.languages import advise
from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.processes import ingest_in_processes
from core.library.ingestion.sources import Found, LeftOut, Source
from core.library.ingestion.sources.files import find
from core.library.ingestion.target import IngestTarget
from core.management.asking import person
from core.management.base import FootnoteCommand
from core.models import Collection, Document, Role

DEFAULT_COLLECTION = "Library"
SOME_FAILED, WRONG_USAGE = 1, 2  # exit codes


@dataclass(slots=True)
class Totals:
    """The totals of one run of the command."""

    files: int = 0  # and addresses, those left out not counted
    documents: int = 0
    chunks: int = 0  # new ones
    replaced: list[dict[str, Any]] = field(default_factory=list)  # {"name", "document_id", "title", "version"}
    unchanged: int = 0
    failed: list[dict[str, str]] = field(default_factory=list)  # {"name", "error"}
    left_out: list[dict[str, str]] = field(default_factory=list)  # {"name", "reason"}
    unknown_languages: Counter[str] = field(default_factory=Counter)  # files by language that the model does not know
    seconds: float = 0.0

    def add(self, outcome: SourceOutcome) -> None:
        """Count what became of a source."""
        if outcome.left_out:
            self.left_out.append({"name": outcome.source.name, "reason": outcome.left_out})
            return
        self.files += 1
        self.documents += len(outcome.documents)
        self.chunks += outcome.chunks
        self.replaced += [
            {"name": outcome.source.name, "document_id": str(one.pk), "title": one.title, "version": one.version}
            for one in outcome.replaced
        ]
        self.unchanged += outcome.unchanged
        self.unknown_languages.update(outcome.unknown_languages)
        self.failed += [{"name": outcome.source.name, "error": error.message} for error in outcome.errors]

    def as_json(self) -> dict[str, Any]:
        """The totals as JSON values, with the rate."""
        return {
            "files": self.files,
            "documents": self.documents,
            "chunks": self.chunks,
            "replaced": len(self.replaced),
            "replacements": self.replaced,
            "unchanged": self.unchanged,
            "failed": self.failed,
            "left_out": self.left_out,
            "unknown_languages": dict(self.unknown_languages),
            "seconds": round(self.seconds, 2),
            "chunks_per_second": round(self.chunks / self.seconds, 1) if self.seconds else 0.0,
        }


class Command(FootnoteCommand):
    """Ingest files, folders, web addresses and arXiv papers."""

    help = (
        "Ingests files, folders, web addresses and arXiv ids (2212.11770). Ingesting a source again replaces its "
        "text and keeps its grants. Exit code 0: everything is in the library, 1: something failed, 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("sources", nargs="+", metavar="PATH_OR_URL", help="A file, folder, address or arXiv id.")
        parser.add_argument(
            "--collection",
            metavar="NAME",
            help=(
                "The collection for the documents, created if missing. Default: the folder's name, else "
                f"{DEFAULT_COLLECTION}."
            ),
        )
        parser.add_argument(
            "--grant", action="append", default=[], metavar="ROLE", help="A role that may read them; may be repeated."
        )
        parser.add_argument(
            "--create-roles", action="store_true", help="Create the roles of --grant that do not exist."
        )
        parser.add_argument(
            "--type", default="", choices=Document.Type.values, help="The type of the documents, whatever they state."
        )
        parser.add_argument(
            "--workers",
            type=_count,
            default=1,
            metavar="N",
            help="Processes to ingest with, each with its part of the processors. Default: 1.",
        )
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who ingests, for the audit log.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ingest, and say what came of it."""
        totals = Totals()
        started = time.monotonic()
        by = person(options["email"]) if options["email"] else None
        known = self._find_roles(options["grant"], create=options["create_roles"])
        # Before anything is made: where a path is misspelt, no role and no collection comes of it.
        sources = list(_sources(options["sources"], totals))
        if sources:
            roles = self._create_missing(options["grant"], known)
            with self._collection(options["collection"] or _collection_name(options["sources"])) as collection:
                target = IngestTarget(collection=collection, roles=roles, by=by, document_type=options["type"])
                _ingest_all(sources, target, totals, options)
        totals.seconds = time.monotonic() - started
        self._print(totals, as_json=options["json"])
        if totals.failed:
            sys.exit(SOME_FAILED)

    def _find_roles(self, names: list[str], *, create: bool) -> dict[str, Role]:
        """Find the roles of these names. CommandError where one is missing that is not to be created."""
        known = {role.name: role for role in Role.objects.filter(name__in=names)}
        missing = [name for name in dict.fromkeys(names) if name not in known]
        if missing and not create:
            existing = ", ".join(Role.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(
                f"There is no role {', '.join(missing)}. Roles: {existing}. To create it, add --create-roles.",
                returncode=WRONG_USAGE,
            )
        return known

    def _create_missing(self, names: list[str], known: dict[str, Role]) -> tuple[Role, ...]:
        for name in dict.fromkeys(names):
            if name not in known:
                known[name] = Role.objects.create(name=name)
                self.stderr.write(f"Created the role {name}. Nobody has it yet.")
        return tuple(known.values())

    @contextmanager
    def _collection(self, name: str) -> Iterator[Collection]:
        """The collection of that name. One that is made for the block goes again if no document came into it."""
        collection, is_new = Collection.objects.get_or_create(name=name[:100])
        if is_new:
            self.stderr.write(f"Created the collection {collection.name}.")
        try:
            yield collection
        finally:
            if is_new and not Document.objects.filter(collection=collection).exists():
                with suppress(ProtectedError):  # something else uses it already
                    collection.delete()
                    self.stderr.write(f"Removed the collection {collection.name} again: no document came into it.")

    def _print(self, totals: Totals, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(totals.as_json(), ensure_ascii=False))
            return
        for item in totals.left_out:
            self.stderr.write(f"Left out: {item['name']} ({item['reason']})")
        for item in totals.replaced:
            self.stderr.write(f"Replaced: {item['title']} (version {item['version']}), by {item['name']}")
        for item in totals.failed:
            named = item["error"] if item["name"] in item["error"] else f"{item['name']}: {item['error']}"
            self.stderr.write(self.style.ERROR(f"Failed: {named}"))
        if totals.unknown_languages:
            counted = ", ".join(f"{language} ({count:,})" for language, count in totals.unknown_languages.most_common())
            self.stderr.write(self.style.WARNING(f"In other languages: {counted}. {advise(embedding.provider().name)}"))
        rate = totals.as_json()["chunks_per_second"]
        self.stdout.write(
            f"{describe_count(totals.files, 'file', 'files')}, "
            f"{describe_count(totals.documents, 'document', 'documents')} "
            f"({len(totals.replaced):,} replaced, {totals.unchanged:,} unchanged), "
            f"{describe_count(totals.chunks, 'chunk', 'chunks')}, "
            f"{len(totals.failed):,} failed, {totals.seconds:.1f} s, {rate} chunks/s"
        )


def _ingest_all(sources: list[Source], target: IngestTarget, totals: Totals, options: dict[str, Any]) -> None:
    """Ingest what was found. CommandError where nothing can be ingested at all."""
    try:
        with _progress(len(sources), quiet=options["json"]) as step:

            def report(outcome: SourceOutcome) -> None:
                totals.add(outcome)
                step(outcome)

            if options["workers"] > 1:
                ingest_in_processes(sources, target, options["workers"], report)
            else:
                with sandbox_from_settings() as sandbox:
                    ingest(sources, target, sandbox, report)
    except FootnoteError as error:
        raise CommandError(error.message) from error


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("must be at least 1")
    return number


def _collection_name(sources: list[str]) -> str:
    """The folder's name when a single folder is ingested."""
    if len(sources) == 1 and Path(sources[0]).is_dir():
        return Path(sources[0]).resolve().name or DEFAULT_COLLECTION
    return DEFAULT_COLLECTION


def _sources(arguments: list[str], totals: Totals) -> Iterator[Source]:
    """Yield the sources that the arguments name. Those left out or not found go into the totals."""
    seen: set[str] = set()
    for argument in arguments:
        try:
            for found in _find(argument):
                if isinstance(found, LeftOut):
                    totals.left_out.append({"name": found.name, "reason": found.reason})
                elif found.key not in seen:
                    seen.add(found.key)
                    yield found
        except IngestionError as error:
            totals.files += 1
            totals.failed.append({"name": argument, "error": error.message})


def _find(argument: str) -> Iterator[Found]:
    if (
        not argument.strip()
    ):  # an unset variable of a shell; as a path it would be the working directory, with all in it
        raise IngestionError("An argument is empty. Give a path, an address or an arXiv id.")
    path = Path(argument)
    if not path.exists() and ("://" in argument or arxiv_id(argument)):
        yield source_of_address(argument, max_mb=settings.INGEST_MAX_MB)
    else:
        yield from find(path, max_mb=settings.INGEST_MAX_MB)


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Any]:
    """A bar on standard error while it is a terminal. Yields what is to be called with each outcome."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda outcome: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Ingesting", total=total)
        yield lambda outcome: bar.update(task, advance=1, description=outcome.source.name[-40:])
