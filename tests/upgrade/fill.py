"""Fills a database as an earlier version would, to be dumped by make_dump.sh, by that version's code."""

import os
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from bot.models import Installation, Reply, SlackEvent, WatchedThread
from core.models import AuditEvent, ChannelSetting, Query, Role, SlackIdentity, User

try:
    from core.jobs import synchronise_usergroups  # of 0.1.0
except ImportError:
    from core.infrastructure.queue import synchronise_usergroups

LIBRARY = Path(os.environ["FILL_LIBRARY"])
TEAM, CHANNEL = "T0ACME", "C0GENERAL"

call_command("load_library", str(LIBRARY))
people = {user.display_name: user for user in User.objects.all()}
for name, question in (
    ("Alice", "How many days of parental leave are there?"),
    ("Bob", "How much is paid for a hotel?"),
    ("Charlie", "How many days of parental leave are there?"),
):
    call_command("ask", question, "--as", people[name].email)

for number, (name, query) in enumerate(zip(("Alice", "Bob"), Query.objects.order_by("created_at"), strict=False)):
    SlackIdentity.objects.create(team_id=TEAM, slack_user_id=f"U{number}", user=people[name], checked_at=timezone.now())
    event = SlackEvent.objects.create(
        event_id=f"Ev{number}",
        team_id=TEAM,
        channel_id=CHANNEL,
        user_id=f"U{number}",
        ts=f"1700000000.00000{number}",
        kind="mention",
        state="answered",
        finished_at=timezone.now(),
    )
    Reply.objects.create(
        event=event,
        query=query,
        channel_id=CHANNEL,
        ts=f"1700000001.00000{number}",
        state="posted",
        placed_at=timezone.now(),
        posted_at=timezone.now(),
    )
WatchedThread.objects.create(team_id=TEAM, channel_id=CHANNEL, thread_ts="1700000000.000000", last_ts="1700000001.0")
Installation.objects.create(
    team_id=TEAM,
    team_name="Acme",
    bot_user_id="U0BOT",
    encrypted_token="of a key that is gone",
    installed_at=timezone.now(),
)
channel = ChannelSetting.objects.create(team_id=TEAM, channel_id=CHANNEL, name="general", uses_own_roles=True)
channel.roles.add(Role.objects.get(name="staff"))
synchronise_usergroups(TEAM)
AuditEvent.objects.create(
    actor=people["Alice"], action="change", object_type="channelsetting", object_id=str(channel.pk)
)
