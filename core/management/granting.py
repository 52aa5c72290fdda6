"""Share code between the commands about access: the documents, roles and people that their arguments name."""

import datetime as dt
import json
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Concat

from core.access.changes import GrantChange, plan_change
from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.sources.addresses import ARXIV
from core.management.checking import CHECK_HELP, run_here
from core.models import Collection, Document, Role, User
from core.quality.change_checks.submitting import check_grants

WRONG_USAGE = 2  # exit code
COLLECTION = "collection:"  # before a collection's name where a document is expected
MOST_SHOWN = 10  # of the documents that an ambiguous title could mean


def add_arguments(parser: ArgumentParser, *, verb: str) -> None:
    """The arguments of `grant` and `revoke`."""
    parser.add_argument("role", metavar="ROLE", help="Name of the role.")
    parser.add_argument(
        "documents",
        nargs="*",
        metavar="DOCUMENT",
        help=f"What to {verb}: a document's id, source, arXiv id or exact title, or {COLLECTION}NAME.",
    )
    parser.add_argument(
        "--document", nargs="+", action="extend", default=[], metavar="DOCUMENT", help="The same, as an option."
    )
    parser.add_argument(
        "--collection",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="Every document now in the collection.",
    )
    parser.add_argument(
        "--source-prefix",
        action="append",
        default=[],
        metavar="PREFIX",
        help="Every document whose source, or the address that it states for itself, starts with this.",
    )
    parser.add_argument(
        "--user", nargs="+", action="extend", default=[], metavar="EMAIL", help="People who get or lose the role."
    )
    parser.add_argument(
        "--as",
        dest="email",
        metavar="EMAIL",
        help="Who does this, for the audit log. A change that is checked first is made by itself only by their right.",
    )
    parser.add_argument("--check", action="store_true", help=CHECK_HELP)
    parser.add_argument("--json", action="store_true", help="Print the result as JSON.")


def plan_for(role: Role, documents: Iterable[Document], *, gives: bool) -> GrantChange:
    """Plan the change that gives a role documents, or takes them from it."""
    return plan_change(gives=gives, documents=[(role.pk, document.pk) for document in documents])


def check_here(
    command: BaseCommand,
    options: dict[str, Any],
    *,
    gives: bool,
    by: User | None,
    until: dt.datetime | None = None,
) -> None:
    """Only look at what the options would change, and print it. CommandError where they name people, or nothing."""
    if options["user"]:
        raise CommandError("--check is of documents: leave out --user.", returncode=WRONG_USAGE)
    change = plan_for(role_named(options["role"]), find_chosen_documents(options), gives=gives)
    if change.documents:
        check = check_grants(change, by=by, until=until, is_queued=False)
        run_here(command, check, as_json=options["json"])
    else:
        command.stdout.write(json.dumps({"check": None}) if options["json"] else "It changes nothing.")


def role_named(name: str, *, hint: str = "") -> Role:
    """The role of that name. CommandError, with the names there are, when there is none."""
    role = Role.objects.filter(name=name).first()
    if role is None:
        existing = ", ".join(Role.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no role {name}. Roles: {existing}.{hint}", returncode=WRONG_USAGE)
    return role


def person_with(email: str) -> User:
    """The person with that address, active or not. CommandError when there is none."""
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist as error:
        raise CommandError(f"Nobody has the e-mail address {email}.", returncode=WRONG_USAGE) from error


def find_chosen_documents(options: dict[str, Any]) -> list[Document]:
    """All documents that the options name, each once. CommandError when one of them names nothing."""
    found: dict[UUID, Document] = {}
    for reference in (*options["documents"], *options["document"]):
        found |= _by_id(_find_referred(reference))
    for name in options["collection"]:
        found |= _by_id(_in_collection(name))
    for prefix in options["source_prefix"]:
        begins = _select_with_place().filter(
            Q(place__startswith=prefix) | Q(source__startswith=prefix) | Q(source_url__startswith=prefix)
        )
        if not prefix or not begins.exists():
            raise CommandError(f"No document's source starts with {prefix!r}.", returncode=WRONG_USAGE)
        found |= _by_id(begins)
    if not found and not options["user"]:
        raise CommandError(
            "Give documents (DOCUMENT..., --collection, --source-prefix) or people (--user).",
            returncode=WRONG_USAGE,
        )
    return list(found.values())


def document_meant(reference: str) -> Document:
    """The one document that is meant by its id, source, arXiv id or exact title. CommandError otherwise.

    A source is given by itself, or after the name of its collection and a slash. What came from arXiv under an id goes
    before what only says that it has this id.
    """
    candidates = [Q(place=reference), Q(title=reference), Q(source=reference)]
    if paper := arxiv_id(reference):
        candidates[:0] = [Q(source=f"{ARXIV}{paper}"), Q(arxiv_id=paper)]
    if pk := _uuid(reference):
        candidates.insert(0, Q(pk=pk))
    for candidate in candidates:
        matches = list(_select_with_place().filter(candidate).order_by("place")[: MOST_SHOWN + 1])
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise CommandError(_ambiguous(reference, matches), returncode=WRONG_USAGE)
    shelf = Collection.objects.filter(name=reference).first()
    hint = f" There is a collection with that name: {COLLECTION}{shelf.name}" if shelf else ""
    how = hint or " Give its id, source, arXiv id or exact title, as the admin shows them."
    raise CommandError(f"There is no document {reference!r}.{how}", returncode=WRONG_USAGE)


def _find_referred(reference: str) -> QuerySet[Document] | list[Document]:
    if reference.startswith(COLLECTION):
        return _in_collection(reference.removeprefix(COLLECTION))
    return [document_meant(reference)]


def _in_collection(name: str) -> QuerySet[Document]:
    collection = Collection.objects.filter(name=name).first()
    if collection is None:
        existing = ", ".join(Collection.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no collection {name}. Collections: {existing}.", returncode=WRONG_USAGE)
    return Document.objects.whole().filter(collection=collection)


def _by_id(documents: Iterable[Document]) -> dict[UUID, Document]:
    return {document.pk: document for document in documents}


def _ambiguous(reference: str, matches: list[Document]) -> str:
    shown = "".join(f"\n  {match.pk}  {match.collection}/{match.source}" for match in matches[:MOST_SHOWN])
    more = "\n  ..." if len(matches) > MOST_SHOWN else ""
    what = "have the title" if matches[0].title == reference else "come from"
    return f"Several documents {what} {reference!r}. Name one by its id or by its collection and source:{shown}{more}"


def _select_with_place() -> QuerySet[Document]:
    """Documents with their place: the collection's name, a stroke, and the source."""
    return (
        Document.objects.whole()
        .select_related("collection")
        .annotate(place=Concat("collection__name", Value("/"), "source"))
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
