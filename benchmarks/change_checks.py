"""Measure whether checks notice changes that make answers worse: `python -m benchmarks.change_checks`.

Loads the sample library into a database of its own, with the files of evaluation/live_changes.jsonl in a Git
repository, and asks all of its questions as the people of an organisation did in the last month. Each change is then
brought as it would be: a commit that the source reads, or grants to a role; it is checked with the limits as they are
when they are switched on, and declined. Prints the table of docs/evaluation.md, by half: harmful changes, and how many
of them wait for a yes; harmless ones, and how many of them wait all the same; seconds for a check. --show prints what
each change did.
"""

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.changes import HALVES, ROOT, Company, open_repository
from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.models import ChangeCheck, User

LINES = ROOT / "evaluation" / "live_changes.jsonl"
