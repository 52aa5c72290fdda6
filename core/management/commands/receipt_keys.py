"""`manage.py receipt_keys`: the keys that receipts are signed with."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.asking.receipts.keys import list_published_keys, make_key
from core.errors import ReceiptError
from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE


class Command(FootnoteCommand):
    """List the published keys of receipts, or make one."""

    help = (
        "Lists the public keys that receipts are or were signed with, as they are published at "
        "/.well-known/footnote-receipts.json, the signing one first. --new makes a key and prints it once. "
        "Exit code 0: done; 2: RECEIPT_SIGNING_KEYS holds something that is no key."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--new", action="store_true", help="Make a key for RECEIPT_SIGNING_KEYS, and print it.")
        parser.add_argument("--json", action="store_true", help="Print the published keys as a JSON Web Key Set.")

    def handle(self, *args: Any, **options: Any) -> None:
        """List or make keys. CommandError where a configured one is no key."""
        if options["new"]:
            private, public = make_key()
            self.stdout.write(f"Put this first in RECEIPT_SIGNING_KEYS, and keep it secret:\n{private}")
            self.stdout.write(f"Once another key signs, keep it there as:\n{public}")
            return
        try:
            keys = list_published_keys()
        except ReceiptError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        if options["json"]:
            self.stdout.write(json.dumps({"keys": [key.as_json() for key in keys]}))
            return
        for key in keys:
            self.stdout.write(f"{key.name}  {'signs' if key.is_signing else 'published alone'}")
