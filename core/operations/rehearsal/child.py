"""Start the process that works on the copy, in an environment without keys, and read what it tells."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from core.errors import RehearsalError

# What leads out of this machine, by what its name begins with. Of a vector engine and replicas nothing is asked: they
# know the real database.
_LEFT_OUT = (
    "SLACK_",
    "LLM_",
    "OTEL_",
    "TRULENS_",
    "VECTOR_ENGINE_",
    "DATABASE_REPLICA",
    "EVALUATION_",
    "OIDC_",
    "MCP_",
)
_KEYS = ("_API_KEY", "_API_TOKEN", "_SECRET_ACCESS_KEY")
_SET = {
    "LLM_MODEL": "extractive/sentences",  # on this machine and without a key
    "EVALUATION_ENABLED": "false",
    "VERIFY_WITH_MODEL": "never",
    "VECTOR_INDEX": "manual",
    "LOCAL_PAGE": "false",
    "METRICS_PORT": "0",
    # What a slow moment cuts short would look like a change of the version.
    **dict.fromkeys(("READER_BUDGET_MS", "RERANKER_BUDGET_MS", "VERIFIER_BUDGET_MS"), "60000"),
}
_ENDS_WITHIN_S = 10
LOADING = "Loading the copy"  # the step before there is anything to upgrade


def build_environment(env: Mapping[str, str], *, address: str, calls_embedding_model: bool) -> dict[str, str]:
    """Return the environment of the process: this one's, without what could reach or cost anything outside.

    address: of the copy. calls_embedding_model: leaves the providers' keys in, for the library's embedding model.
    """
    kept = {
        name: value
        for name, value in env.items()
        if not name.startswith(_LEFT_OUT) and (calls_embedding_model or not name.endswith(_KEYS))
    }
    path = os.pathsep.join(filter(None, (str(settings.BASE_DIR), env.get("PYTHONPATH", ""))))
    home = {"FOOTNOTE_HOME": str(settings.FOOTNOTE_HOME)}
    return kept | _SET | home | {"DATABASE_URL": address, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


@contextmanager
def work_on(address: str, order: Mapping[str, Any]) -> Iterator[Iterator[dict[str, Any]]]:
    """Start the process, and give what it tells, line by line. It has ended when the block is left, however that is.

    RehearsalError where it ends without having said how.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "core.operations.rehearsal.on_copy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what libraries say may hold words of questions
        text=True,
        env=build_environment(
            os.environ, address=address, calls_embedding_model=order.get("calls_embedding_model", False)
        ),
        start_new_session=True,  # Ctrl-C reaches this process, which ends that one
    )
    try:
        if process.stdin:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.close()
        yield _read_messages(process)
    finally:
        process.terminate()
        try:
            process.wait(timeout=_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()


def _read_messages(process: "subprocess.Popen[str]") -> Iterator[dict[str, Any]]:
    has_ended = False
    for line in process.stdout or ():
        told = json.loads(line)
        has_ended = has_ended or not told.keys().isdisjoint({"result", "failed"})
        yield told
    if not has_ended:
        raise RehearsalError(f"The process that worked on the copy ended early (exit code {process.wait()}).")
