"""`manage.py reencrypt_slack_tokens`: after a new key was put first in SLACK_TOKEN_KEYS."""

from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from bot.models import Installation
from bot.slack.encryption import reencrypt
from core.errors import FootnoteError
from core.management.base import FootnoteCommand


class Command(FootnoteCommand):
    """Encrypt every stored token, and what renews it, by the first key. All of them or none."""

    help = "Encrypts the tokens of all installations with the first key of SLACK_TOKEN_KEYS."

    def handle(self, *args: Any, **options: Any) -> None:
        """Encrypt, and say how many."""
        with transaction.atomic():
            installations = list(Installation.objects.filter(is_active=True).select_for_update())
            for installation in installations:
                try:
                    installation.encrypted_token = reencrypt(installation.encrypted_token)
                    if installation.encrypted_refresh_token:
                        installation.encrypted_refresh_token = reencrypt(installation.encrypted_refresh_token)
                except FootnoteError as error:
                    raise CommandError(f"{installation.team_id}: {error.message}") from None
                installation.save(update_fields=["encrypted_token", "encrypted_refresh_token"])
        self.stdout.write(f"{len(installations)} token(s) are encrypted with the first key.")
