"""`python -m core.ingestion.sandbox [WITHOUT,...]`: shut this process in and write what holds as JSON; see `probe`."""

import json
import sys

from core.ingestion.sandbox.closing import shut_in
from core.ingestion.sandbox.layers import Layer

_MEMORY_MB = 256

if __name__ == "__main__":
    without = {Layer(name) for name in sys.argv[1].split(",") if name}
    report = shut_in(memory_mb=_MEMORY_MB, without=without)
    sys.stdout.write(json.dumps(report.as_json()))
