"""Furnish the workspace that the local page plays: the demo of samples/library.toml, or any channels and usergroups."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from bot.slack.workspace import LOCAL_TEAM_ID
from core.errors import NotFoundError
from core.management.library import LibraryDescription, read_library
from core.models import Role, SlackWorkspace, User
from core.values.addresses import fold_address
from slack_emulator.accounts import open_direct_channel
from slack_emulator.models import LocalChannel, LocalUsergroup

DIRECT = "dm"


@dataclass(frozen=True, kw_only=True, slots=True)
class SeedChannel:
    """A channel to be there."""

    name: str  # lower case, without "#"; it gives the channel its id: "general" is CGENERAL
    members: Sequence[str]  # e-mail addresses of users
    topic: str = ""
    is_private: bool = False  # otherwise everyone in the workspace counts as its reader
    suggestions: Sequence[str] = ()  # questions a newcomer may start with, without the mention


@dataclass(frozen=True, kw_only=True, slots=True)
class SeedUsergroup:
    """A usergroup to be there."""

    handle: str  # lower case, without "@"; it gives the usergroup its id: "safety" is SSAFETY
    name: str
    members: Sequence[str]  # e-mail addresses of users


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


@transaction.atomic
def seed_workspace(
    channels: Iterable[SeedChannel],
    *,
    usergroups: Iterable[SeedUsergroup] = (),
    direct_suggestions: Mapping[str, Sequence[str]] | None = None,
    everyone: Sequence[str] = (),
) -> None:
    """Make the channels and usergroups exist with exactly these members; all others, and messages, stay as they are.

    direct_suggestions: questions for the direct messages with Footnote, by a person's e-mail address.
    everyone: names of the roles that everyone in the workspace holds, unless an administrator has decided already.
    NotFoundError names an e-mail address that no user has.
    """
    SlackWorkspace.objects.meet(LOCAL_TEAM_ID, "Local page")
    if everyone:
        _give_roles_to_everyone(everyone)
    for seed in channels:
        channel, _ = LocalChannel.objects.update_or_create(
            channel_id=build_channel_id(seed.name),
            defaults={
                "name": seed.name,
                "topic": seed.topic,
                "is_private": seed.is_private,
                "suggestions": list(seed.suggestions),
            },
        )
        channel.members.set([_find_user(email) for email in seed.members])
    for group in usergroups:
        usergroup, _ = LocalUsergroup.objects.update_or_create(
            usergroup_id=f"S{_keep_letters(group.handle)}", defaults={"handle": group.handle, "name": group.name}
        )
        usergroup.members.set([_find_user(email) for email in group.members])
    for email, suggestions in (direct_suggestions or {}).items():
        channel = open_direct_channel(_find_user(email))
        channel.suggestions = list(suggestions)
        channel.save(update_fields=["suggestions"])


def _give_roles_to_everyone(everyone: Sequence[str]) -> None:
    workspace = SlackWorkspace.objects.undecided().filter(team_id=LOCAL_TEAM_ID).first()
    if workspace:
        workspace.decided_at = timezone.now()
        workspace.save(update_fields=["decided_at"])
        workspace.roles.set(Role.objects.filter(name__in=everyone))


def build_channel_id(name: str) -> str:
    """Build the id of the channel of that name."""
    return f"C{_keep_letters(name)}"


def _keep_letters(name: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", name.upper())


def _find_user(email: str) -> User:
    user = User.objects.filter(email=fold_address(email)).first()
    if user is None:
        raise NotFoundError(f"No user has the e-mail address {email}: create the person before the channel.")
    return user
