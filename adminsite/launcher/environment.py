"""The environment of the processes that the launcher starts."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import environ

# Whoever sets one of these has a database, a workspace or a host of their own: what a trial loosens is not for them.
_OF_AN_INSTALLATION = (
    "ALLOWED_HOSTS",
    "BEHIND_PROXY",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_URL",
    "DEBUG",
    "OIDC_ISSUER",
    "SECRET_KEY",
    "SLACK_APP_TOKEN",
    "SLACK_BOT_TOKEN",
    "SLACK_CLIENT_ID",
    "SLACK_CLIENT_SECRET",
    "SLACK_SIGNING_SECRET",
    "SLACK_TOKEN_KEYS",
)
LOOPBACK = frozenset({"", "127.0.0.1", "localhost", "::1"})  # what WEB_HOST may be where DEBUG is on


def child_environment(
    own: Mapping[str, str], *, database_url: str, home: Path, port: int, in_terminal: bool = False
) -> dict[str, str]:
    """Return this process's environment, with what its children must agree on.

    Whoever sets nothing of an installation tries Footnote on their own machine: plain http, and the local page in
    place of Slack. in_terminal: somebody reads what is printed, and would not find the address among lines of a log.
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
        env.setdefault("LOCAL_PAGE", "1")
        env.setdefault("WEB_WARM_UP", "1")  # whose first question somebody is about to ask
        if in_terminal:
            env.setdefault("LOG_LEVEL", "WARNING")
    return env


def has_local_page(env: Mapping[str, str]) -> bool:
    """True when the local page is on in this environment."""
    return env.get("LOCAL_PAGE", "").lower() in environ.Env.BOOLEAN_TRUE_STRINGS


def is_trial(env: Mapping[str, str]) -> bool:
    """True when nothing says that this is an installation, or that somebody decides on DEBUG themselves."""
    return not any(env.get(name) for name in _OF_AN_INSTALLATION) and env.get("WEB_HOST", "") in LOOPBACK
