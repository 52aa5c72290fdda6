"""Files that people share reach the bot as Slack sends them."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from slack_bolt import App

from bot.slack.workspace import find_bot_token
from core.models import User
from core.testing import Cast
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalFile, LocalMessage, files
from slack_emulator.page import writing
from slack_emulator.webapi.calls import Call, RefusedCallError
from slack_emulator.webapi.conversations import files_info
from tests.integration.slack_emulator.conftest import GENERAL, OWNERS, Hearing, direct_id, page_state

Json = dict[str, Any]


def _share(browser: Client, person: User, channel_id: str, text: str, **contents: bytes) -> tuple[int, Json]:
    uploads = [SimpleUploadedFile(f"{name}.md", content) for name, content in contents.items()]
    body = {"as": find_slack_id(person), "channel": channel_id, "text": text, "thread_ts": "", "files": uploads}
    response = browser.post("/local/messages", body)
    return response.status_code, response.json()


def test_a_shared_file_reaches_the_bot(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """With the message, or without a word; its content is for who shows the bot's token."""
    heard: list[Json] = []

    def on_message(event: Json) -> None:
        heard.append(event)

    hearing(lambda app: app.event("message")(on_message))
    place = direct_id(workspace.bob)
    assert _share(browser, workspace.bob, place, "Please add these", boiler=b"# Boiler", tank=b"# Tank!")[0] == 200
    assert _share(browser, workspace.bob, place, "", boiler=b"# Again")[0] == 200
    assert [(e["subtype"], e["text"], [f["name"] for f in e["files"]]) for e in heard] == [
        ("file_share", "Please add these", ["boiler.md", "tank.md"]),
        ("file_share", "", ["boiler.md"]),
    ]
    file = heard[0]["files"][1]
    assert (file["mimetype"], file["filetype"], file["size"], file["user"]) == (
        "text/markdown",
        "md",
        7,
        find_slack_id(workspace.bob),
    )
    assert files_info(Call({"file": file["id"]}))["file"] == file
    path = file["url_private_download"].partition("/local/")[2]
    assert browser.get(f"/local/{path}").status_code == 401
    fetched = browser.get(f"/local/{path}", headers={"authorization": f"Bearer {find_bot_token()}"})
    assert (fetched.content, fetched["Content-Disposition"]) == (b"# Tank!", "attachment")
    [message, _again] = page_state(browser, workspace.bob, place)["messages"]
    assert [f["name"] for f in message["files"]] == ["boiler.md", "tank.md"]


def test_a_mention_carries_its_files(workspace: Cast, browser: Client, hearing: Hearing) -> None:
    """In both of its events; nobody outside of the channel sees them."""
    heard: list[Json] = []

    def register(app: App) -> None:
        for kind in ("app_mention", "message"):
            app.event(kind)(lambda event: heard.append(event))

    hearing(register)
    assert _share(browser, workspace.alice, OWNERS, "@Footnote add this", boiler=b"x")[0] == 200
    assert [(e["type"], e.get("subtype"), len(e["files"])) for e in heard] == [
        ("app_mention", None, 1),
        ("message", "file_share", 1),
    ]
    assert _share(browser, workspace.bob, OWNERS, "let me in", boiler=b"x")[0] == 404
    assert LocalFile.objects.count() == 1


def test_files_have_limits(workspace: Cast, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """In size and in number; what is refused is not posted."""
    monkeypatch.setattr(writing, "LARGEST_FILE", 3)
    assert files.LARGEST_FILE == 20 * 1024 * 1024
    for contents in ({"large": b"1234"}, {"empty": b""}, {f"n{n}": b"x" for n in range(11)}):
        status, said = _share(browser, workspace.alice, GENERAL, "x", **contents)
        assert (status, bool(said["error"])) == (400, True)
    assert not LocalMessage.objects.exists()


@pytest.mark.usefixtures("workspace")
def test_an_unknown_file_is_not_found() -> None:
    """By its code."""
    with pytest.raises(RefusedCallError) as caught:
        files_info(Call({"file": "F0"}))
    assert caught.value.code == "file_not_found"
