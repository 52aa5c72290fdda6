"""The demo: the sample library, its people and their workspace, as samples/library.toml describes them."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.management.library import LibraryDescription, read_library
from core.models import User
from slack_emulator.seeding import SeedChannel, SeedUsergroup, seed_workspace

DIRECT = "dm"


@dataclass(frozen=True, kw_only=True, slots=True)
class Demo:
    """The description of the demo, as written in its file."""

    library: LibraryDescription
    everyone: list[str]  # roles that everyone in the workspace holds
    channels: list[dict[str, Any]]
    usergroups: list[dict[str, Any]]
    questions: list[dict[str, Any]]


def read_demo(file: Path) -> Demo:
    """Read the description. Its format is explained at its top."""
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    library = read_library(file, root=file.parent.parent)
    return Demo(
        library=library,
        everyone=raw["workspace"]["everyone"],
        channels=raw["channels"],
        usergroups=raw["usergroups"],
        questions=raw["questions"],
    )


def give_passwords(demo: Demo, password: str) -> None:
    """Let the demo's administrators sign in with this password, and its other people with none.

    A library from before each had a password of its own is brought to it as well.
    """
    administrators = {person["email"] for person in demo.library.people if person.get("staff")}
    for person in User.objects.filter(email__in=[person["email"] for person in demo.library.people]):
        wanted = password if person.email in administrators else None
        if person.check_password(wanted) if wanted else not person.has_usable_password():
            continue
        person.set_password(wanted)
        person.save(update_fields=["password"])


def seed_channels(demo: Demo) -> None:
    """Make the channels and usergroups of the local page exist, with questions to start with."""
    asked = [(question["text"], each) for question in demo.questions for each in question["asked"]]
    seed_workspace(
        [
            SeedChannel(
                name=raw["name"],
                topic=raw.get("topic", ""),
                is_private=raw.get("private", False),
                members=raw["members"],
                suggestions=_drop_repeats(text for text, each in asked if each["where"] == raw["name"]),
            )
            for raw in demo.channels
        ],
        usergroups=[
            SeedUsergroup(handle=raw["handle"], name=raw["name"], members=raw["members"]) for raw in demo.usergroups
        ],
        direct_suggestions={
            person["email"]: _drop_repeats(
                text for text, each in asked if each["where"] == DIRECT and each["by"] == person["email"]
            )
            for person in demo.library.people
        },
        everyone=demo.everyone,
    )


def _drop_repeats(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))
