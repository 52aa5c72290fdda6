"""Send changes to the vector engine, compare it with the library, or build it anew: `manage.py index_sync`."""

import dataclasses
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.errors import EngineError
from core.library.vector_engine.building import count_documents, rebuild, resume
from core.library.vector_engine.collections import building, is_of_today, served
from core.library.vector_engine.feeding import count_waiting, drain
from core.library.vector_engine.qdrant import Engine, engine
from core.library.vector_engine.verifying import Drift, verify
from core.management.base import FootnoteCommand
from core.management.progress import progress

DRIFTED, WRONG_USAGE = 1, 2  # exit codes


class Command(FootnoteCommand):
    """Bring the vector engine in step with the library, and say how far it was."""

    help = (
        "Tells the vector engine of VECTOR_ENGINE_URL what has changed in the library, which the worker does once a "
        "minute too. Searches go on meanwhile. Exit code 0: the engine is in step; 1: --verify found and mended "
        "something, or the engine failed; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        how = parser.add_mutually_exclusive_group()
        how.add_argument(
            "--verify",
            action="store_true",
            help="Compare everything that the engine holds with the library, and mend what is missing, left over, in "
            "the wrong class, or has another vector.",
        )
        how.add_argument(
            "--rebuild",
            action="store_true",
            help="Build a new collection beside the one that is served, and use it when it is complete. Needed once "
            "at first, and after the engine was away for very long.",
        )
        how.add_argument("--resume", action="store_true", help="Go on with a --rebuild that was broken off.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say what came of it. SystemExit(1) when there was drift."""
        asked = engine()
        if asked is None:
            raise CommandError("VECTOR_ENGINE_URL names no vector engine.", returncode=WRONG_USAGE)
        drift: Drift | None = None
        result: dict[str, Any] = {}
        try:
            if options["rebuild"] or options["resume"]:
                result["built"] = self._build(asked, resumes=options["resume"], quiet=options["json"])
            elif options["verify"]:
                drift = self._verify(asked, quiet=options["json"])
                result |= dataclasses.asdict(drift)
            else:
                with progress("Telling the engine", count_waiting(), quiet=options["json"]) as done:
                    result["told"] = drain(asked, done)
            collection = served()
            result["served"] = collection.name if collection else None
            result["chunks"] = asked.count(collection.name) if collection else 0
            result["waiting"] = count_waiting()
            result["is_used"] = collection is not None and is_of_today(collection)
        except EngineError as error:
            raise CommandError(error.message) from error
        self._print(result, as_json=options["json"])
        if drift is not None and drift.total:
            raise SystemExit(DRIFTED)

    def _build(self, asked: Engine, *, resumes: bool, quiet: bool) -> int:
        if resumes and building() is None:
            raise CommandError("Nothing is being built. Use --rebuild.", returncode=WRONG_USAGE)
        with progress("Sending documents", count_documents(), quiet=quiet) as done:
            return resume(asked, done) if resumes else rebuild(asked, done)

    def _verify(self, asked: Engine, *, quiet: bool) -> Drift:
        with progress("Comparing documents", count_documents(), quiet=quiet) as done:
            drift = verify(asked, done)
        if drift is None:
            raise CommandError("No collection is served. Use --rebuild.", returncode=WRONG_USAGE)
        return drift

    def _print(self, result: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(result))
            return
        if "built" in result:
            self.stdout.write(f"A new collection of {result['built']:,} chunks was built.")
        elif "missing" in result:
            self.stdout.write(
                f"{result['compared']:,} chunks compared. Mended: {result['missing']:,} missing, "
                f"{result['left_over']:,} left over, {result['wrong_class']:,} in the wrong class, "
                f"{result['other_vector']:,} with another vector."
            )
        else:
            self.stdout.write(f"The engine was told {result['told']:,} changes.")
        if result["is_used"]:
            self.stdout.write(f"{result['served']} is served, with {result['chunks']:,} chunks.")
        else:
            self.stdout.write("Searches do not use the engine: no collection of today's embedding model is served.")
