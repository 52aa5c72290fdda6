"""Find the sandbox layers of this machine once, by a process of its own: the process that asks is not confined."""

import json
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from core.library.ingestion.sandbox.environment import clean_environment
from core.library.ingestion.sandbox.layers import NOTHING_HOLDS, Layer, Report

_ROOT = Path(__file__).resolve().parents[4]  # the folder that holds `core`
_SECONDS = 30  # starting Python takes a fraction of one, on a busy machine more


@cache
def probe() -> Report:
    """Report the layers that confine a parsing process on this machine and for this account. Probed once."""
    return run_probe()


def run_probe(without: Collection[Layer] = ()) -> Report:
    """Shut a process in and ask it. Where it says nothing, nothing holds. without: layers that are left out."""
    command = [sys.executable, "-m", "core.library.ingestion.sandbox", ",".join(without)]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, check=True, timeout=_SECONDS, env=clean_environment()
        )
        return Report.from_json(json.loads(done.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return NOTHING_HOLDS
