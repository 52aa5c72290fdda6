"""Rows of the local workspace in the shapes that Slack's Web API and events give them."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.urls import reverse

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_BOT_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import User
from slack_emulator.accounts import BOT_NAME, find_slack_id
from slack_emulator.models import LocalChannel, LocalFile, LocalHome, LocalMessage, LocalView

Json = dict[str, Any]

_FILE_PLACES = {"channel": "channels", "group": "groups", "im": "ims"}
_FILE_KINDS = tuple(_FILE_PLACES.values())


def shape_person(user: User) -> Json:
    """Shape a person as users.info does."""
    name = user.display_name or user.email.partition("@")[0]
    return {
        **_shape_account(find_slack_id(user), user.email.partition("@")[0], name),
        "is_bot": False,
        "is_email_confirmed": True,
        "profile": {"real_name": name, "display_name": name, "email": user.email, "team": LOCAL_TEAM_ID},
    }


def shape_bot() -> Json:
    """Shape Footnote's own account as users.info does."""
    return {
        **_shape_account(LOCAL_BOT_USER_ID, BOT_NAME.lower(), BOT_NAME),
        "is_bot": True,
        "profile": {
            "real_name": BOT_NAME,
            "display_name": BOT_NAME,
            "bot_id": LOCAL_BOT_ID,
            "api_app_id": LOCAL_APP_ID,
            "team": LOCAL_TEAM_ID,
        },
    }


def shape_channel(channel: LocalChannel) -> Json:
    """Shape a channel as conversations.info does."""
    shape: Json = {
        "id": channel.channel_id,
        "is_im": channel.is_im,
        "is_channel": not channel.is_im,
        "is_group": False,
        "is_mpim": False,
        "is_archived": False,
        "is_private": channel.is_private or channel.is_im,
        "is_shared": False,
        "is_ext_shared": False,
        "is_pending_ext_shared": False,
        "is_org_shared": False,
        "created": int(channel.created_at.timestamp()),
        "context_team_id": LOCAL_TEAM_ID,
    }
    if channel.is_im:
        return {**shape, "user": find_slack_id(channel.members.get())}
    return {**shape, "name": channel.name, "is_member": True, "topic": {"value": channel.topic}}


def shape_message(message: LocalMessage) -> Json:
    """Shape a message as conversations.replies does."""
    author = find_slack_id(message.author) if message.author else LOCAL_BOT_USER_ID
    shape: Json = {"type": "message", "user": author, "text": message.text, "ts": message.ts, "team": LOCAL_TEAM_ID}
    if message.author is None:
        shape |= {"bot_id": LOCAL_BOT_ID, "app_id": LOCAL_APP_ID}
    if message.subtype:
        shape["subtype"] = message.subtype
    if message.stream:
        shape["streaming_state"] = "in_progress" if message.is_streaming else "completed"
    if message.thread_ts:
        shape["thread_ts"] = message.thread_ts
    files = message.files.all()
    if files:
        shape |= {"files": [shape_file(file) for file in files], "upload": False}
    if message.blocks:
        shape["blocks"] = message.blocks
    if message.edited_ts:
        shape["edited"] = {"user": author, "ts": message.edited_ts}
    if message.reactions:
        shape["reactions"] = [{"name": name, "users": [LOCAL_BOT_USER_ID], "count": 1} for name in message.reactions]
    return shape


def shape_file(file: LocalFile) -> Json:
    """Shape a file as files.info does and as messages carry it. Its address requires the bot's token."""
    channel = file.message.channel
    url = f"http://127.0.0.1:{settings.PORT}{reverse('local-file', args=[file.file_id, file.name])}"
    extension = PurePosixPath(file.name).suffix.removeprefix(".").casefold()
    return {
        "id": file.file_id,
        "created": int(file.created_at.timestamp()),
        "timestamp": int(file.created_at.timestamp()),
        "name": file.name,
        "title": file.name,
        "mimetype": file.mimetype,
        "filetype": extension or "binary",
        "pretty_type": extension.upper() or "Binary",
        "user": find_slack_id(file.uploader),
        "user_team": LOCAL_TEAM_ID,
        "size": file.size,
        "mode": "hosted",
        "is_external": False,
        "is_public": channel.channel_type == "channel",
        "file_access": "visible",
        "url_private": url,
        "url_private_download": f"{url}?download=1",
        **{kind: [channel.channel_id] if kind == _FILE_PLACES[channel.channel_type] else [] for kind in _FILE_KINDS},
    }


def shape_view(view: LocalView | LocalHome, below: Sequence[LocalView] = (), *, state: Json | None = None) -> Json:
    """Shape an open view as views.open does and as its events carry it.

    below: the views under it, from the bottom. state: what was entered in it.
    """
    return {
        "private_metadata": "",
        "callback_id": "",
        "external_id": "",
        "submit": None,
        "close": None,
        "notify_on_close": False,
        "clear_on_close": False,
        "submit_disabled": False,
        **view.content,
        "state": state or {"values": {}},
        "id": view.view_id,
        "team_id": LOCAL_TEAM_ID,
        "app_id": LOCAL_APP_ID,
        "app_installed_team_id": LOCAL_TEAM_ID,
        "bot_id": LOCAL_BOT_ID,
        "root_view_id": below[0].view_id if below else view.view_id,
        "previous_view_id": below[-1].view_id if below else None,
        "hash": view.hash,
    }


def _shape_account(user_id: str, name: str, real_name: str) -> Json:
    return {
        "id": user_id,
        "team_id": LOCAL_TEAM_ID,
        "name": name,
        "real_name": real_name,
        "deleted": False,
        "is_restricted": False,
        "is_ultra_restricted": False,
    }
