"""The demo: the sample library, its people and their workspace, as samples/library.toml describes them."""

import hashlib
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import transaction

from bot.local.seeding import SeedChannel, seed_workspace
from core.models import Collection, Document, Role, User, UserRole

PASSWORD = "footnote-demo"  # noqa: S105 - for people who exist on this machine alone
DIRECT = "dm"


@dataclass(frozen=True, kw_only=True, slots=True)
class Demo:
    """The description of the demo, as it stands in the file."""

    root: Path  # paths in it are relative to this
    roles: list[dict[str, Any]]
    collections: list[dict[str, Any]]
    people: list[dict[str, Any]]
    channels: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def read_demo(file: Path) -> Demo:
    """Read the description. Its format is explained at its top."""
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    return Demo(root=file.parent.parent, **raw)


@transaction.atomic
def seed_people(demo: Demo) -> None:
    """Make the roles, collections and people exist. People keep a password that they have changed."""
    roles = {
        raw["name"]: Role.objects.update_or_create(
            name=raw["name"], defaults={"description": raw.get("description", "")}
        )[0]
        for raw in demo.roles
    }
    for raw in demo.collections:
        collection, _ = Collection.objects.update_or_create(
            name=raw["name"], defaults={"description": raw.get("description", "")}
        )
        collection.default_roles.set(roles[name] for name in raw["roles"])
    for raw in demo.people:
        _seed_person(raw, roles)


def seed_library(demo: Demo) -> None:
    """Ingest what is not in the library yet, or has changed."""
    for raw in demo.collections:
        new = [path for path in _files(demo, raw) if not _is_ingested(path, raw["name"])]
        if new:
            sources = [
                str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path) for path in new
            ]
            call_command(
                "ingest",
                *sources,
                collection=raw["name"],
                type=raw["document_type"],
                stdout=sys.stderr,  # as progress; the result of seeding is whom to sign in as
            )


def seed_channels(demo: Demo) -> None:
    """Make the channels of the local page exist, with questions to start with."""
    asked = [(question["text"], each) for question in demo.questions for each in question["asked"]]
    seed_workspace(
        [
            SeedChannel(
                name=raw["name"],
                topic=raw.get("topic", ""),
                members=raw["members"],
                suggestions=_distinct(text for text, each in asked if each["where"] == raw["name"]),
            )
            for raw in demo.channels
        ],
        direct_suggestions={
            person["email"]: _distinct(
                text for text, each in asked if each["where"] == DIRECT and each["by"] == person["email"]
            )
            for person in demo.people
        },
    )


def _seed_person(raw: dict[str, Any], roles: dict[str, Role]) -> None:
    user = User.objects.filter(email=raw["email"]).first()
    if user is None:
        user = User.objects.create_user(
            raw["email"],
            PASSWORD,
            display_name=raw["display_name"],
            is_staff=raw["staff"],
            is_superuser=raw["staff"],
        )
    for name in raw["roles"]:
        UserRole.objects.get_or_create(user=user, role=roles[name])


def _files(demo: Demo, raw: dict[str, Any]) -> Iterator[Path]:
    for pattern in raw["paths"]:
        yield from sorted(demo.root.glob(pattern))


def _is_ingested(path: Path, collection: str) -> bool:
    content_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    return Document.objects.filter(collection__name=collection, content_hash=content_hash).exists()


def _distinct(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))
