"""Furnish the sample installation with what its pictures show. Runs within Django, on the installation's database."""

import datetime as dt
from pathlib import Path

from django.utils import timezone

from benchmarks.pictures.scenes import SHARED_DRIVE
from bot.models import Installation
from bot.slack.workspace import LOCAL_TEAM_ID
from core.models import ChannelSetting, Collection, DataSource, Role, SlackBot, User, UsergroupRole
from core.quality.gaps.assigning import assign_new_questions

_FILES = {
    "key-cabinet.md": "# Key cabinet\n\nThe key cabinet is in the porter's lodge. Keys are returned by 18:00.\n",
    "visitors.md": "# Visitors\n\nVisitors are met at the north gate and sign the visitors' book.\n",
    "parcels.html": "<h1>Parcels</h1><p>Parcels are handed out between 10:00 and 12:00.</p>",
}


def furnish(folder: Path) -> None:
    """Add a data source that reads `folder`, and what a connected workspace would have brought along.

    folder: an empty folder in one of those that SOURCE_FOLDERS names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in _FILES.items():
        (folder / name).write_text(text)
    staff = Role.objects.get(name="staff")
    collection = Collection.objects.create(name=SHARED_DRIVE)
    source = DataSource.objects.create(
        name=SHARED_DRIVE, kind="folder", settings={"path": str(folder)}, collection=collection
    )
    source.roles.add(staff)
    _furnish_slack()


def gather_gaps() -> None:
    """Put the questions that were not answered into content gaps now, as the worker does every ten minutes."""
    assign_new_questions()


def _furnish_slack() -> None:
    """Add installations, other bots, usergroups and the settings of a channel."""
    now = timezone.now()
    for number, (name, is_active) in enumerate((("Boat school", True), ("Harbour Ltd", True), ("Old office", False))):
        Installation.objects.create(
            team_id=f"T0HARBOUR{number}",
            team_name=name,
            bot_user_id="UFOOTNOTE",
            installed_by="UADA",
            installed_at=now - dt.timedelta(days=3 * number),
            is_active=is_active,
        )
    for name, is_no_reader in (("Team calendar", True), ("Ticket bridge", False)):
        SlackBot.objects.create(
            team_id=LOCAL_TEAM_ID, slack_user_id=f"U{name[:4].upper()}", name=name, is_no_reader=is_no_reader
        )
    for handle, role in (("fire-wardens", "safety-officer"), ("lab", "researcher"), ("night-shift", "staff")):
        UsergroupRole.objects.create(
            team_id=LOCAL_TEAM_ID,
            usergroup_id=f"S{handle[:4].upper()}",
            handle=handle,
            role=Role.objects.get(name=role),
            synchronised_at=now,
        )
    setting = ChannelSetting.objects.create(
        team_id=LOCAL_TEAM_ID, channel_id="CSAFETYQUESTIONS", name="safety-questions", answers_unasked=True
    )
    setting.collections.add(Collection.objects.get(name="Safety manuals"))
    setting.answering_people.add(User.objects.get(email="bob@example.com"))
