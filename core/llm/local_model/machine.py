"""Look at what this machine can run, and estimate how long a model takes here."""

import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path

import psutil

_CGROUP = Path("/sys/fs/cgroup")
# What one core of a server processor did with a model of 1.5 billion parameters in four bits: docs/models.md.
_MEASURED_PARAMETERS, _READ_PER_S, _WRITTEN_PER_S = 1.5e9, 38.0, 15.0
# Of a usual answer: tokens that are sent to the model, and that it writes.
SENT, WRITTEN = 1500, 120
_MOST_THREADS = 8
_LEFT_FREE = 1_000_000_000  # bytes, for the rest of Footnote


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """Holds what a machine has."""

    cores: int
    memory: int  # bytes that are free for programs
    accelerator: str  # in words; empty where none was found

    @property
    def threads(self) -> int:
        """Return with how many threads a model is served: a core is left for Footnote itself."""
        return max(1, min(self.cores - 1, _MOST_THREADS))

    def fits(self, needed: int) -> bool:
        """Return True if there is memory for a server that needs so many bytes."""
        return needed + _LEFT_FREE <= self.memory

    def estimate_seconds(self, parameters: float) -> float:
        """Estimate the seconds of a usual answer from the measured model, in proportion to size and threads.

        Reading speeds up with every thread; writing, which waits for memory, with up to four.
        """
        size = parameters / _MEASURED_PARAMETERS
        return size * (SENT / _READ_PER_S / self.threads + WRITTEN / _WRITTEN_PER_S / min(self.threads, 4))


def look_at_machine() -> Machine:
    """Return what this machine, or the container on it, has."""
    return Machine(cores=_count_cores(), memory=_find_memory(), accelerator=_find_accelerator())


def _count_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


def _find_memory() -> int:
    free = psutil.virtual_memory().available
    limit, used = (_read_number(_CGROUP / name) for name in ("memory.max", "memory.current"))
    return min(free, max(limit - (used or 0), 0)) if limit is not None else free


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # "max" where there is no limit
        return None


def _find_accelerator() -> str:
    if platform.system() == "Darwin" and platform.machine() == "arm64":
        return "Apple's graphics processor, which is used"
    if shutil.which("nvidia-smi"):
        return "a graphics card of NVIDIA, which only the build of xllamacpp for it uses"
    if shutil.which("rocm-smi"):
        return "a graphics card of AMD, which only the build of xllamacpp for it uses"
    return ""
