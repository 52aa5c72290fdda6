"""The questions that the sample library shows, asked as it says: by whom, where, and from which documents."""

import io
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.access.audiences import asker_for, audience_of, audience_of_roles
from core.api import ask, open_conversation
from core.management.library import ingest_collections, make_people, read_library
from core.models import Document, Role, User
from core.types import Answer, Audience

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "samples" / "library.toml"


@pytest.fixture
def samples(db: None) -> set[str]:
    """The library's own pieces, without the guides, embedded by the packaged model. The names of its collections."""
    library = read_library(FILE, root=ROOT)
    own = [raw for raw in library.collections if all(path.startswith("samples/") for path in raw["paths"])]
    library = replace(library, collections=own)
    make_people(library, password=None)
    ingest_collections(library, io.StringIO())
    return {raw["name"] for raw in own}


def shown(
    raw: dict[str, Any], question: dict[str, Any], members: dict[str, list[str]], public: dict[str, list[str]]
) -> tuple[bool, set[str]]:
    """Return whether one question and its follow-up were answered throughout, and the collections cited.

    public: the public channels, with the roles that everyone holds who can open them.
    """
    user = User.objects.get(email=raw["by"])
    readers = members.get(raw["where"], [raw["by"]])
    audience = audience_of(User.objects.filter(email__in=readers).values_list("pk", flat=True))
    if raw["where"] in public:
        everyone = audience_of_roles(Role.objects.filter(name__in=public[raw["where"]]).values_list("pk", flat=True))
        audience = Audience.of([*audience.role_sets, *everyone.role_sets])
    conversation = open_conversation(origin="command", asker=asker_for(user))
    cited: set[str] = set()
    answered = True
    for text in filter(None, (question["text"], question.get("follow_up"))):
        result = ask(
            text,
            asker=asker_for(user),
            audience=audience,
            conversation=conversation,
            selected_text=question.get("selected_text"),
        )
        answered &= isinstance(result, Answer)
        if isinstance(result, Answer):
            documents = {citation.document_id for citation in result.citations if citation.document_id}
            cited |= set(Document.objects.filter(pk__in=documents).values_list("collection__name", flat=True))
    return answered, cited


def test_each_question_is_answered_from_what_its_readers_may_read(samples: set[str]) -> None:
    """Each answer that the library's description expects is there, from the collections it names; others are not."""
    description = tomllib.loads(FILE.read_text(encoding="utf-8"))
    members = {channel["name"]: channel["members"] for channel in description["channels"]}
    everyone = description["workspace"]["everyone"]
    public = {channel["name"]: everyone for channel in description["channels"] if not channel.get("private")}
    wrong = []
    asked = 0
    for question in description["questions"]:
        for raw in question["asked"]:
            if set(raw["cites"]) - samples:
                continue
            asked += 1
            answered, cited = shown(raw, question, members, public)
            is_shown = bool(raw["cites"]) or "selected_text" in question
            if answered != is_shown or cited - set(raw["cites"]):
                wrong.append((question["text"], raw["by"], raw["where"], answered, cited))
    assert wrong == []
    assert asked >= 15
