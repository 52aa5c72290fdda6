"""Notices that Slack is not heard any more over Socket Mode, connects anew, and gives up where that does not help.

slack_sdk's client pings Slack and connects anew by itself when a pong is late. It does not notice a connection on which
no pong ever came, nor that one of its own threads has ended; both leave a process that looks well and hears nothing.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from slack_sdk.socket_mode.builtin import SocketModeClient

from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """The limits of silence. slack_sdk connects anew by itself after 40 s, and gets the time to."""

    look_every_s: float = 15.0
    silence_s: float = 60.0  # without a pong, before we connect anew ourselves
    attempts: int = 4  # to connect, each with look_every_s to show a pong


def watch(
    client: SocketModeClient,
    stop: threading.Event,
    *,
    patience: Patience | None = None,
    beat: Callable[[], None],
) -> bool:
    """Watch a connected client until stop is set, which is True, or it cannot be brought back, which is False.

    beat: called whenever the connection lives, to tell others so.
    """
    patience = patience or Patience()
    alive_at, attempts = time.monotonic(), 0
    while not stop.wait(patience.look_every_s):
        if not _has_threads(client):
            logger.error("socket_threads_ended")
            return False
        if _hears_slack(client, patience.silence_s):
            alive_at, attempts = time.monotonic(), 0
            beat()
        elif time.monotonic() - alive_at >= patience.silence_s:
            if attempts == patience.attempts:
                logger.error("socket_dead", extra={"attempts": attempts})
                return False
            attempts += 1
            logger.warning("socket_silent", extra={"attempt": attempts})
            _connect_anew(client)
    return True


def _has_threads(client: SocketModeClient) -> bool:
    """Return True if the threads run that receive and hand on what Slack sends."""
    runners = (client.current_session_runner, client.current_app_monitor, client.message_processor)
    return all(runner.is_alive() for runner in runners)


def _hears_slack(client: SocketModeClient, silence_s: float) -> bool:
    """Return True if there is a connection, and Slack has answered on it of late."""
    session = client.current_session
    if session is None or not session.is_active() or session.last_ping_pong_time is None:
        return False
    return time.time() - session.last_ping_pong_time < silence_s


def _connect_anew(client: SocketModeClient) -> None:
    try:
        with translate_errors():
            client.disconnect()
            client.connect_to_new_endpoint()
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("socket_not_connected", extra={"code": error.code})
