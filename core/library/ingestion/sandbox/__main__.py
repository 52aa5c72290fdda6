"""Shut this process in and write what holds as JSON: `python -m core.library.ingestion.sandbox [WITHOUT,...]`."""

import json
import sys

from core.library.ingestion.sandbox.closing import shut_in
from core.library.ingestion.sandbox.layers import Layer

_MEMORY_MB = 256

if __name__ == "__main__":
    without = {Layer(name) for name in sys.argv[1].split(",") if name}
    report = shut_in(memory_mb=_MEMORY_MB, without=without)
    sys.stdout.write(json.dumps(report.as_json()))
