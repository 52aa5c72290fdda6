"""Ask the questions of a check in a process of its own, and say how far it is.

`python -m core.quality.change_checks.child ID` writes one JSON object a line to standard output: {"total"}, {"done"},
and at the end {"ended": true} or {"failed": why}. It ends when its standard input is closed: whoever wanted it is gone.

A process of its own, because what a change leaves in memory, such as an index of vectors that nobody else may see, goes
with it; and because it waits for readers of passages as long as they take, where an answer would go on without them.
"""

import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any
from uuid import UUID

# Of a vector engine and replicas nothing is asked: they never see what is rolled back.
_LEFT_OUT = ("SLACK_", "OTEL_", "TRULENS_", "VECTOR_ENGINE_", "DATABASE_REPLICA", "EVALUATION_", "OIDC_", "MCP_")
_SET = {
    "EVALUATION_ENABLED": "false",
    "LOCAL_PAGE": "false",
    "METRICS_PORT": "0",
    "PYTHONUNBUFFERED": "1",
    # What a slow moment cuts short would look like an effect of the change.
    **dict.fromkeys(("READER_BUDGET_MS", "RERANKER_BUDGET_MS", "VERIFIER_BUDGET_MS"), "60000"),
}


def build_environment(env: Mapping[str, str], *, address: str, home: str) -> dict[str, str]:
    """Return the environment of the process: this one's, without what it has no use for.

    address: of the database. home: where Footnote keeps its files.
    """
    kept = {name: value for name, value in env.items() if not name.startswith(_LEFT_OUT)}
    return kept | _SET | {"DATABASE_URL": address, "FOOTNOTE_HOME": home}


def main() -> None:
    """Ask, store the lines, and say how it ended."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no part of what is said

    def write_line(**line: Any) -> None:
        channel.write(json.dumps(line) + "\n")
        channel.flush()

    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    from core.errors import FootnoteError
    from core.models import ChangeCheck
    from core.quality.change_checks.trying import try_change

    try:
        check = ChangeCheck.objects.select_related("examination", "run__source", "job").get(pk=UUID(sys.argv[1]))
        try_change(check, chosen=lambda total: write_line(total=total), done=lambda count: write_line(done=count))
    except FootnoteError as error:
        write_line(failed=error.message)
    except Exception as error:  # noqa: BLE001 - whatever it is, an administrator is told
        write_line(failed=f"It failed ({type(error).__name__}).")
    else:
        write_line(ended=True)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    main()
