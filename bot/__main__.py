"""`python -m bot`: hear Slack over Socket Mode until SIGTERM."""

import logging
import os
import signal
import sys
import threading
from _thread import start_new_thread

logger = logging.getLogger("bot")

_RECONNECT_S = 5.0  # between attempts to reach Slack at start; once connected the watchdog sees to it
EXIT_DEAF = 3  # Slack is not heard any more, and connecting anew did not help


def main() -> int:
    """Run until told to stop. Returns the exit code: 0 after a stop, 1 when the start is refused, or EXIT_DEAF."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    stop = _stop_on_signals()

    import django

    django.setup()
    from django.conf import settings

    from bot.slack import workspace
    from core.errors import UnsafeDatabaseError
    from core.operations.observation import observe

    try:
        _look_at_database()
    except UnsafeDatabaseError as error:
        logger.error(error.message)
        return 1
    observe("bot")
    if settings.SLACK_APP_TOKEN and not workspace.is_local() and workspace.is_set_up():
        return _run_socket_mode(settings.SLACK_APP_TOKEN, stop)
    logger.info(_explain_idling())
    stop.wait()
    return 0


def _stop_on_signals() -> threading.Event:
    """Return an event that SIGTERM and SIGINT set.

    Another thread sets it. The signal may come while this one is about to wait, and holds the lock that setting takes.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: start_new_thread(stop.set, ()))
    return stop


def _look_at_database() -> None:
    """Raise UnsafeDatabaseError when nothing must start on it. One that is away is no reason not to hear Slack."""
    from django.db import connection

    from core.operations.safe_database import refuse_unsafe_database

    try:
        refuse_unsafe_database()
    finally:
        connection.close()


def _run_socket_mode(app_token: str, stop: threading.Event) -> int:
    from bot.app import TimedSocketMode, build_socket_mode_app
    from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
    from bot.watchdog import watch

    handler = TimedSocketMode(build_socket_mode_app(), app_token)
    while not stop.is_set():
        try:
            with translate_errors():
                handler.connect()  # type: ignore[no-untyped-call]
            logger.info("connected to Slack")
            if not watch(handler.client, stop, beat=_store_beat):
                logger.error("Slack is not heard any more: this process ends, so that it is started anew")
                return EXIT_DEAF
        except SlackUnavailableError as error:
            logger.warning("Slack cannot be reached, trying again", extra={"code": error.code})
            stop.wait(max(_RECONNECT_S, error.retry_after_s))
        except SlackRefusedError as error:
            logger.error("Slack refused SLACK_APP_TOKEN or SLACK_BOT_TOKEN", extra={"code": error.code})
            return 1
    handler.close()  # type: ignore[no-untyped-call]
    logger.info("stopped")
    return 0


def _store_beat() -> None:
    """Tell the metrics that Slack is heard. A database that is away is no reason to stop hearing it."""
    from django.db import DatabaseError, close_old_connections

    from bot.models import SocketHeartbeat

    close_old_connections()
    try:
        SocketHeartbeat.beat()
    except DatabaseError as error:
        logger.warning("heartbeat_not_stored", extra={"error": type(error).__name__})


def _explain_idling() -> str:
    from bot.slack import workspace

    if workspace.is_local():
        return "no Slack tokens: the local page stands in for Slack, and the web process hears it"
    if workspace.is_set_up() and workspace.find_signing_secret():
        return "no SLACK_APP_TOKEN: Slack's events arrive over HTTP at /slack/events of the web process"
    return "Slack is not set up: set SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_SIGNING_SECRET for HTTP"


if __name__ == "__main__":
    code = main()
    if code == EXIT_DEAF:
        logging.shutdown()
        os._exit(code)  # an ordinary end waits for the client's threads, and one of them may be what hangs
    sys.exit(code)
