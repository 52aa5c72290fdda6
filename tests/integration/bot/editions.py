"""Documents that get new editions, and the minute that passes before their footnotes are checked."""

import hashlib
from collections.abc import Sequence

from django.db import connection

from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import store
from core.models import Collection, Document, Role
from tests.integration.bot.worker import run_worker


def put(title: str, *texts: str, roles: Sequence[Role] = ()) -> Document:
    """A document, or its new edition, in sections of these texts."""
    shelf, _ = Collection.objects.get_or_create(name="Manuals")
    blocks = tuple(Block(text=text, section=f"Section {number}") for number, text in enumerate(texts, 1))
    source_url = f"https://library.example/{title.casefold().replace(' ', '-')}"
    content_hash = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    parsed = ParsedDocument(title=title, blocks=blocks, source_url=source_url)
    return store(parsed, collection=shelf, source=title, content_hash=content_hash, roles=roles)


def check_footnotes() -> None:
    """Let the minute pass, and the worker do what comes of it."""
    pass_minute()
    run_worker()


def pass_minute() -> None:
    """Checks that wait are due."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE task_name = 'core.check_footnotes'")
