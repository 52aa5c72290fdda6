"""Handle messages and slash commands that a person writes."""

import mimetypes
import re

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from bot.slack.workspace import LOCAL_BOT_USER_ID
from core.errors import NotFoundError
from core.models import User
from slack_emulator import features
from slack_emulator.accounts import BOT_NAME, find_slack_id, list_people
from slack_emulator.dispatch import UndeliveredError, send_command, send_event
from slack_emulator.features import COMMAND
from slack_emulator.models import LARGEST_FILE, LocalChannel, add_file, add_message, create_response_address
from slack_emulator.page.agent import find_beside
from slack_emulator.page.changing import InvalidRequestError, build_view, read_browser
from slack_emulator.page.shown import find_channel, select_seen
from slack_emulator.payloads.events import build_context, build_link_shared, build_message_events
from slack_emulator.payloads.interactions import build_command_form
from slack_emulator.shapes import Json
from slack_emulator.webapi.calls import RefusedCallError
from slack_emulator.webapi.respond import answer_at
from slack_emulator.webapi.views import create_trigger

LONGEST_MESSAGE = 12_000
MOST_FILES = 10  # Slack's own
_COMMAND = re.compile(r"/(?P<name>\S+)\s*(?P<text>.*)", re.DOTALL)


@build_view
def post(person: User, body: Json) -> Json:
    """Say something in a channel or thread, with or without files, and notify Footnote."""
    channel, files = _find_channel(person, body), _read_files(body)
    text = _read_text(body, or_nothing=bool(files))
    thread_ts = str(body.get("thread_ts") or "")
    if thread_ts and not select_seen(person, channel).filter(ts=thread_ts, thread_ts="").exists():
        raise NotFoundError("There is no such thread.")
    with transaction.atomic():
        message = add_message(channel, author=person, thread_ts=thread_ts, text=write_as_sent(text))
        for file in files:
            guessed, _encoding = mimetypes.guess_type(file.name or "")
            mimetype = guessed or "application/octet-stream"
            add_file(message, person, name=file.name or "file", mimetype=mimetype, content=file.read())
    try:
        beside = build_context(find_beside(person, body)) if features.IS_AGENT else None
        for envelope in [*build_message_events(message, person, beside=beside), *build_link_shared(message, person)]:
            send_event(envelope)
    except UndeliveredError as error:
        return {"ts": message.ts, "undelivered": error.message}  # it is in the channel all the same
    return {"ts": message.ts}


@build_view
def run_command(person: User, body: Json) -> Json:
    """Run a slash command. What its acknowledgement says is shown to the person, as Slack shows it."""
    channel, text = _find_channel(person, body), _read_text(body)
    typed = _COMMAND.fullmatch(text)
    if typed is None or typed["name"] != COMMAND.removeprefix("/"):
        raise InvalidRequestError(f"There is no such command here. Footnote only knows {COMMAND}.")
    address = create_response_address(person, channel)
    trigger_id = create_trigger(person, read_browser(body))
    form = build_command_form(address, command=COMMAND, text=escape(typed["text"]), trigger_id=trigger_id)
    answered = send_command(form).body
    if answered.get("text") or answered.get("blocks"):
        try:
            answer_at(address, answered)
        except RefusedCallError as refusal:
            raise UndeliveredError(f"Footnote's response cannot be shown: {refusal.code}.") from refusal
    return {}


def escape(text: str) -> str:
    """Return typed text with Slack's three special characters as entities."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_as_sent(text: str) -> str:
    """Write typed text as Slack sends it: special characters as entities, names after an @ as references."""
    names = {BOT_NAME.casefold(): LOCAL_BOT_USER_ID}
    names |= {user.display_name.casefold(): find_slack_id(user) for user in list_people() if user.display_name}
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)@({'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    return pattern.sub(lambda match: f"<@{names[match[1].casefold()]}>", escape(text))


def _find_channel(person: User, body: Json) -> LocalChannel:
    channel = find_channel(person, str(body.get("channel", "")))
    if channel is None:
        raise NotFoundError("There is no such channel.")
    return channel


def _read_text(body: Json, *, or_nothing: bool = False) -> str:
    text = str(body.get("text", "")).strip()
    if not text and or_nothing:
        return ""
    if not 0 < len(text) <= LONGEST_MESSAGE:
        raise InvalidRequestError(f"A message needs between 1 and {LONGEST_MESSAGE:,} characters.")
    return text


def _read_files(body: Json) -> list[UploadedFile]:
    files = body.get("files", [])
    if len(files) > MOST_FILES:
        raise InvalidRequestError(f"A message can have at most {MOST_FILES} files.")
    for file in files:
        if not 0 < file.size <= LARGEST_FILE:
            megabytes = LARGEST_FILE // 1024 // 1024
            raise InvalidRequestError(f"{file.name} is empty or larger than {megabytes} MB, the limit of this page.")
    return list(files)
