"""The environment of a process that is shut in: what Python needs to start, and no secret."""

import os

_KEPT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def clean_environment() -> dict[str, str]:
    """What such a process is given of this one's environment. Libraries are told to start no threads."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
