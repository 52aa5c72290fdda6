"""The environment of the processes that the launcher starts."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import environ


def child_environment(own: Mapping[str, str], *, database_url: str, home: Path, port: int) -> dict[str, str]:
    """This process's environment, with what its children must agree on.

    Whoever sets neither DEBUG nor SECRET_KEY tries Footnote on their own machine: plain http, and the local page in
    place of Slack unless a workspace is set.
    """
    programs = Path(sys.executable).parent
    env = dict(own) | {
        "DATABASE_URL": database_url,
        "FOOTNOTE_HOME": str(home),
        "PATH": f"{programs}{os.pathsep}{own.get('PATH', os.defpath)}",
        "PORT": str(port),
        "PYTHONUNBUFFERED": "1",
    }
    if is_trial(own):
        env["DEBUG"] = "1"
        # Somebody waits after Ctrl-C, and what is broken off goes on later.
        env.setdefault("WORKER_STOP_TIMEOUT_S", "3")
        if not own.get("SLACK_BOT_TOKEN") and not own.get("SLACK_CLIENT_ID"):
            env.setdefault("LOCAL_PAGE", "1")
    return env


def has_local_page(env: Mapping[str, str]) -> bool:
    """True when the local page is on in this environment."""
    return env.get("LOCAL_PAGE", "").lower() in environ.Env.BOOLEAN_TRUE_STRINGS


def is_trial(env: Mapping[str, str]) -> bool:
    """True when nothing says that this is a real installation."""
    return not env.get("DEBUG") and not env.get("SECRET_KEY")
