"""`manage.py slack_manifest`: the manifest to make the Slack app from."""

import re
from typing import Any
from urllib.parse import urlsplit

import yaml
from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from bot.installations.manifest import build_manifest
from bot.slack.workspace import is_local
from core.management.base import FootnoteCommand

_COMMAND = re.compile(r"/[a-z0-9_-]{1,31}")  # Slack allows 32 characters with the slash


class Command(FootnoteCommand):
    """Print the app's manifest as YAML."""

    help = "Prints the manifest of the Slack app: for Socket Mode, or with --url for events over HTTP."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's name; it is for those who have no settings yet

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the address for events, the name of the slash command, and the options of installations by OAuth."""
        parser.add_argument(
            "--url", default="", help="address of the web process, such as https://footnote.example.com"
        )
        parser.add_argument(
            "--command", default="", help="name of the slash command, such as /ask (default: /footnote)"
        )

        parser.add_argument(
            "--organisation",
            action="store_true",
            help="the app can be installed in a whole organisation of Enterprise Grid (with --url)",
        )
        parser.add_argument(
            "--rotate-tokens",
            action="store_true",
            help="tokens expire after twelve hours and are renewed (with --url; Slack lets nobody take that back)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        url, command = options["url"], options["command"]
        parts = urlsplit(url)
        if url and (parts.scheme != "https" or not parts.hostname or parts.path.strip("/") or parts.query):
            raise CommandError(
                "--url must be https:// and a host, without a path: Slack calls nothing else.", returncode=2
            )
        if command and not _COMMAND.fullmatch(command):
            raise CommandError(
                "--command must be a slash and up to 31 lowercase letters, digits, - or _.", returncode=2
            )
        if not url and (options["organisation"] or options["rotate_tokens"]):
            raise CommandError(
                "--organisation and --rotate-tokens need --url: they are for apps that are installed by OAuth.",
                returncode=2,
            )
        app = build_manifest(
            url=url,
            command=command,
            hears_reactions=bool(settings.SLACK_ASK_EMOJI),
            public_url="" if is_local() else settings.PUBLIC_URL,  # that of a trial is this machine's
            searches=settings.SLACK_SEARCH,
            serves_organisations=options["organisation"],
            rotates_tokens=options["rotate_tokens"],
        )
        self.stdout.write(yaml.safe_dump(app, sort_keys=False, allow_unicode=True))
