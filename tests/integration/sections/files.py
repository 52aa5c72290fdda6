"""Real files with a section that not everybody may read, and how they are ingested and split."""

import hashlib
import io
from collections.abc import Sequence

from django.db import connection
from openpyxl import Workbook
from procrastinate.contrib.django.models import ProcrastinateJob

from core.access.audiences import audience_of
from core.infrastructure.queue import SPLIT_SECTIONS
from core.library.ingestion.parsers import parse
from core.library.ingestion.store import store
from core.library.originals.keeping import Original, keep
from core.library.retrieval.chunk_lookup import passages_of_document
from core.models import Collection, Document, Role, User
from core.tasks import split_sections
from core.testing import fetch_chunks

WELCOME = "Welcome to the harbour. Everybody wears a life jacket on the quay, and nobody swims in the basin."
HOLIDAYS = "Everybody has thirty days of holiday a year, which are asked for in the portal four weeks before."
WARNINGS = (
    "Supervisors may approve overtime of up to ten hours a week without asking the board. Warnings are written in the "
    "presence of two witnesses and kept in the locked cabinet of the second floor for three years."
)
NOTICE = "Whoever is dismissed hands in keys and card on the same day, and is brought to the gate by two colleagues."
SECRETS = ("ten hours", "two witnesses", "brought to the gate")


def handbook(
    *, heading: str = "For supervisors", warnings: str = WARNINGS, holidays: str = HOLIDAYS, last: str = ""
) -> bytes:
    """Return a Markdown file with a section for supervisors, and one below it."""
    return (
        f"# Handbook\n\n{WELCOME}\n\n## Holidays\n\n{holidays}\n\n## {heading}\n\n{warnings}\n\n"
        f"### Dismissal\n\n{NOTICE}\n\n"
        f"## Canteen\n\nThe canteen opens at noon and closes at two.\n\n{last}\n"
    ).encode()


def workbook() -> bytes:
    """Return a workbook with a sheet of salaries."""
    book = Workbook()
    plan, pay = book.active, book.create_sheet("Salaries")
    assert plan is not None
    for row in (("Shift", "Begins", "Ends"), ("Early", "06:00", "14:00"), ("Late", "14:00", "22:00")):
        plan.append(row)
    plan.title = "Shifts"
    for row in (("Name", "Salary"), ("Anna Berg", "5,200 EUR"), ("Ben Cole", "6,100 EUR")):
        pay.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def page() -> bytes:
    """Return a page with a section that a label calls confidential."""
    return (
        b"<html><head><title>Yard</title></head><body><h1>Yard</h1><p>The yard was built in the year 1920.</p>"
        b"<h2>Plans</h2><p>[Confidential] We buy the yard next door.</p><p>The price is two millions.</p>"
        b"<h2>Visits</h2><p>Visitors ring at the gate of the yard.</p></body></html>"
    )


def ingest(
    content: bytes, name: str, shelf: Collection, *roles: Role, by: User | None = None, source: str = ""
) -> Document:
    """Read a real file and store it, as ingestion does. source: that of the document, if it is not the file's name."""
    [parsed] = parse(content, name).documents
    return store(
        parsed,
        collection=shelf,
        source=source or name,
        content_hash=hashlib.sha256(content).hexdigest(),
        roles=roles,
        by=by,
    )


def keep_original(content: bytes, document: Document) -> None:
    """Keep the file that a document came as."""
    sha256 = hashlib.sha256(content).hexdigest()
    keep(Original(content=content, sha256=sha256, name=document.source, media_type="text/markdown"), document)
    document.save()


def read_as(person: User) -> str:
    """Return all that a person is shown who opens every document, as the database shows it."""
    audience = audience_of([person.pk])
    documents = Document.objects.whole().visible_to(audience).order_by("title")
    return "\n".join(
        passage.content for document in documents for passage in passages_of_document(document.pk, audience=audience)
    )


def texts_of(*documents: Document) -> str:
    """Return what is stored of some documents, whoever may read it."""
    return "\n".join(chunk.content for chunk in fetch_chunks(*documents))


def has_any(text: str, words: Sequence[str] = SECRETS) -> bool:
    """Return True if a text has any of some words."""
    return any(word in text for word in words)


def split_now() -> int:
    """Do the jobs that split documents, as the worker does. Returns how many there were."""
    jobs = list(ProcrastinateJob.objects.filter(task_name=SPLIT_SECTIONS, status="todo"))
    for job in jobs:
        split_sections(**job.args)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_jobs SET status = 'succeeded' WHERE id = ANY(%s)", [[job.pk for job in jobs]]
        )
    return len(jobs)
