"""Test `python -m bot` as a process: it says what it does, and stops on request."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings

from bot.__main__ import _stop_on_signals
from tests.integration.bot.slack_server import TOKEN, Failure, SlackServer

START_S = 60


@contextmanager
def bot(**environment: str) -> Iterator[subprocess.Popen[str]]:
    """The bot's process, with none of this machine's Slack settings."""
    neutral = {"SLACK_BOT_TOKEN": "", "SLACK_APP_TOKEN": "", "SLACK_SIGNING_SECRET": "", "LOCAL_PAGE": "false"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bot"],
        env={**os.environ, **neutral, "DATABASE_URL": settings.DATABASE_URL, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    watchdog = threading.Timer(START_S, process.kill)
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """Return the process's output up to and with these words."""
    assert process.stdout is not None
    said = ""
    while words not in said:
        line = process.stdout.readline()
        assert line, f"it ended without saying so: {said}"
        said += line
    return said


def test_a_signal_that_comes_while_the_wait_begins_ends_it() -> None:
    """A lock of the event is held at that moment; the process hung until it was killed."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        stop = _stop_on_signals()
        with stop._cond:  # type: ignore[attr-defined]  # as Event.wait does
            signal.raise_signal(signal.SIGTERM)
        assert stop.wait(START_S)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"LOCAL_PAGE": "true", "DEBUG": "true"}, "the local page stands in for Slack"),
        ({"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "s"}, "arrive over HTTP at /slack/events"),
        ({}, "Slack is not set up"),
        ({"SLACK_BOT_TOKEN": "xoxb-1"}, "Slack is not set up"),
    ],
    ids=["local page", "http", "nothing", "half"],
)
def test_without_socket_mode_it_says_why_it_waits(environment: dict[str, str], sentence: str) -> None:
    """One line says who hears Slack instead; SIGTERM ends the wait."""
    with bot(**environment) as process:
        said = read_until(process, sentence)
        assert "xoxb-" not in said
        process.send_signal(signal.SIGTERM)
        assert process.wait(START_S) == 0


def test_refused_tokens_end_it() -> None:
    """The message names the settings that Slack did not take; the tokens are not repeated."""
    with SlackServer() as slack:
        environment = {"SLACK_APP_TOKEN": "xapp-wrong", "SLACK_BOT_TOKEN": "xoxb-wrong", "SLACK_API_URL": slack.url}
        with bot(**environment) as process:
            said = read_until(process, "Slack refused SLACK_APP_TOKEN or SLACK_BOT_TOKEN")
            assert "invalid_auth" in said
            assert "wrong" not in said
            assert process.wait(START_S) == 1


def test_while_slack_is_away_it_keeps_trying() -> None:
    """An outage at the start is waited out, and SIGTERM is heard meanwhile."""
    with SlackServer() as slack:
        slack.fail("apps.connections.open", Failure(error="service_unavailable", status=503))
        environment = {"SLACK_APP_TOKEN": TOKEN, "SLACK_BOT_TOKEN": TOKEN, "SLACK_API_URL": slack.url}
        with bot(**environment) as process:
            read_until(process, "Slack cannot be reached, trying again")
            process.send_signal(signal.SIGTERM)
            assert process.wait(START_S) == 0
