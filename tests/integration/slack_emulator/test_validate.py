"""blocks.validate, as slack_sdk calls it: what would be refused, part by part, and nothing posted."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from slack_emulator.models import LocalMessage
from tests.unit.bot import test_languages as built

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
WRONG = {"type": "section", "text": {"type": "sung", "text": "x"}}
ALERT = {"type": "alert", "text": {"type": "mrkdwn", "text": "x"}}
VIEW = {"type": "modal", "title": {"type": "plain_text", "text": "T"}, "blocks": [SECTION]}


def refused(validate: Callable[[], object]) -> dict[str, Any]:
    """Return the method's refusal."""
    with pytest.raises(SlackApiError) as caught:
        validate()
    return dict(caught.value.response.data)


def test_what_the_bot_builds_is_valid(slack: WebClient) -> None:
    """Every message and every view."""
    for said in built._messages().values():
        assert slack.blocks_validate(message={"text": said.text, "blocks": said.blocks})["ok"]
    for view in built._views().values():
        assert slack.blocks_validate(view=view)["ok"]
    assert not LocalMessage.objects.exists()


def test_each_wrong_part_is_named_by_its_place(slack: WebClient) -> None:
    """With a code and in words; blocks alone may be anywhere, and so an alert is no error among them."""
    said = refused(lambda: slack.blocks_validate(blocks=[ALERT, {"type": "header", "text": SECTION["text"]}]))
    assert said["error"] == "invalid_blocks"
    assert [(error["code"], error["pointer"]) for error in said["errors"]] == [("failed_constraint", "/1/text/type")]
    assert said["errors"][0]["message"] == "must be plain_text"


def test_a_message_and_a_view_are_checked_as_such(slack: WebClient) -> None:
    """They are checked by the place of their blocks, and by their own limits."""
    assert slack.blocks_validate(view={**VIEW, "blocks": [ALERT]})["ok"]
    said = refused(lambda: slack.blocks_validate(message={"blocks": [ALERT]}))
    assert (said["error"], said["errors"][0]["pointer"]) == ("invalid_message", "/blocks/0")
    untitled = refused(lambda: slack.blocks_validate(view={**VIEW, "title": {"type": "plain_text", "text": "x" * 25}}))
    assert (untitled["error"], untitled["errors"][0]["pointer"]) == ("invalid_view", "/view/title")


@pytest.mark.parametrize("given", [{}, {"blocks": [SECTION], "view": VIEW}])
def test_exactly_one_thing_is_checked(slack: WebClient, given: dict[str, Any]) -> None:
    """Neither nothing nor two."""
    said = refused(lambda: slack.blocks_validate(**given))
    assert said["error"] == "invalid_arguments"
    assert said["response_metadata"]["messages"] == ["must provide exactly one of `blocks`, `view`, or `message`"]
