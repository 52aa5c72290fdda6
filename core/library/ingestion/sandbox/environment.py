"""The environment of a process that is shut in: what Python needs to start, and no secret."""

import os

_KEPT = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

_SET = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    # Else onnxruntime starts a thread when it is imported, and keeps its telemetry in the home folder.
    "ORT_DISABLE_TELEMETRY": "1",
}


def clean_environment() -> dict[str, str]:
    """Return the environment of a sandboxed process, in which libraries start no threads and are silent.

    A copy of a process has none of its threads, and may find what they held locked for good.
    """
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _SET
