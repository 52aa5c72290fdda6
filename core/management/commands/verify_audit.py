"""`manage.py verify_audit`: whether the audit trail is as it was written."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.access.audit import Head, head, seal, verify
from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE
from core.management.progress import progress


class Command(FootnoteCommand):
    """Check the chain of hashes of the audit trail, and say where it breaks."""

    help = (
        "Checks the hash chain of the audit trail: that no event was changed, removed or inserted since it was "
        "chained, which happens within a minute after it was written. Keep the head that it prints elsewhere and "
        "pass it next time: anyone who can write to the database could rebuild the whole chain. Exit code 0: the "
        "chain holds; 1: it breaks, and the first wrong event is named; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--from",
            dest="start",
            type=int,
            default=1,
            metavar="NUMBER",
            help="The first event to check. Default: 1.",
        )
        parser.add_argument(
            "--head", metavar="NUMBER:DIGEST", help="An earlier head, which must still be in the chain."
        )
        parser.add_argument(
            "--json",
            action="store_true",
            help='Print {"intact", "checked", "head", "broken_at", "event_id", "why"} as JSON.',
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Chain what is not chained yet, check, and say what was found. SystemExit(1) when the chain breaks."""
        start, kept = options["start"], _parse_kept_head(options["head"])
        if start < 1 or (kept and kept.number < start):
            raise CommandError("--from must be a number from 1, up to that of --head.", returncode=WRONG_USAGE)
        seal()
        total = max(head().number - start + 1, 0)
        with progress("Checking audit events", total, quiet=options["json"]) as done:
            verdict = verify(start=start, kept=kept, done=done)
        intact = verdict.broken_at is None
        if options["json"]:
            found = {
                "intact": intact,
                "checked": verdict.checked,
                "head": str(verdict.head),
                "broken_at": verdict.broken_at,
                "event_id": verdict.event_id,
                "why": verdict.why,
            }
            self.stdout.write(json.dumps(found))
        elif intact:
            self.stdout.write(f"{verdict.checked:,} audit events are as they were written. Head: {verdict.head}")
        else:
            which = f" ({verdict.event_id})" if verdict.event_id else ""
            self.stdout.write(
                f"The chain breaks at event {verdict.broken_at}{which}: {verdict.why}. "
                f"{verdict.checked:,} events before it are as they were written."
            )
        if not intact:
            raise SystemExit(1)


def _parse_kept_head(text: str | None) -> Head | None:
    if text is None:
        return None
    try:
        return Head.parse(text)
    except ValueError as error:
        raise CommandError(
            "--head must be NUMBER:DIGEST, as verify_audit printed it.", returncode=WRONG_USAGE
        ) from error
