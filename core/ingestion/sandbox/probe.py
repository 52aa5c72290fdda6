"""Which layers this machine gives, found out once by a process of its own: who asks is not shut in."""

import json
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from core.ingestion.sandbox.environment import clean_environment
from core.ingestion.sandbox.layers import NOTHING_HOLDS, Layer, Report

_ROOT = Path(__file__).resolve().parents[3]  # the folder that holds `core`
_SECONDS = 30  # starting Python takes a fraction of one, on a busy machine more


@cache
def probe() -> Report:
    """What holds a process that parses, on this machine and for this account. Asked once."""
    return run_probe()


def run_probe(without: Collection[Layer] = ()) -> Report:
    """Shut a process in and ask it. Where it says nothing, nothing holds. without: layers that are left out."""
    command = [sys.executable, "-m", "core.ingestion.sandbox", ",".join(without)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, check=True, timeout=_SECONDS, env=clean_environment()
        )
        return Report.from_json(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return NOTHING_HOLDS
