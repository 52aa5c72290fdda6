"""`manage.py receipt`: the signed receipt of an answer, as a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core import api
from core.access.audiences import audience_of
from core.errors import FootnoteError, NotFoundError
from core.management.base import FootnoteCommand
from core.management.files import open_private, refuse_existing
from core.management.granting import WRONG_USAGE, person_with
from core.values.receipts import OPTIONAL


class Command(FootnoteCommand):
    """Issue the signed receipt of an answer."""

    help = (
        "Issues the signed receipt of the answer to a question, as somebody who may see it: who asked, or who may "
        "issue receipts of others' answers. It is recorded in the audit trail. A file is made for its owner alone. "
        "Exit code 0: issued; 1: the file cannot be written, or the answer is not as it was recorded; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("request_id", metavar="REQUEST_ID", help="Such as req_20260102_1a2b3c4d.")
        parser.add_argument("--as", dest="email", required=True, metavar="EMAIL", help="Who takes the receipt.")
        parser.add_argument("--output", type=Path, metavar="FILE", help="The file to make. Default: standard output.")
        parser.add_argument("--replace", action="store_true", help="Put it in the place of a file that is there.")
        parser.add_argument(
            "--leave-out",
            action="append",
            default=[],
            choices=list(OPTIONAL),
            metavar="PART",
            help=f"A part that is not to be in it, one of: {', '.join(OPTIONAL)}. May be given several times.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Issue it. CommandError where there is no such answer for that person, or no receipt of it."""
        target: Path | None = options["output"]
        if target is not None:
            refuse_existing(target, replace=options["replace"])
        viewer = person_with(options["email"])
        try:
            receipt = api.issue_receipt(
                options["request_id"],
                audience=audience_of([viewer.pk]),
                viewer=viewer,
                left_out=options["leave_out"],
                by_right=True,
            )
        except FootnoteError as error:
            code = WRONG_USAGE if isinstance(error, NotFoundError) else 1
            raise CommandError(error.message, returncode=code) from error
        content = receipt.write()
        if target is None:
            self.stdout.write(content)
        else:
            try:
                with open_private(target) as file:
                    file.write(content)
            except OSError as error:
                raise CommandError(f"{target} cannot be written: {error.strerror}.") from error
        withheld = f" Not in it: {', '.join(receipt.withheld)}." if receipt.withheld else ""
        late = (
            " The answer is older than receipts: it was sealed now or with an earlier one." if receipt.is_late else ""
        )
        self.stderr.write(f"Signed with the key {receipt.key}.{withheld}{late}")
