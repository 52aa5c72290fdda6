"""TruLens's dashboard, in an environment of its own: what it needs is heavy, and nothing else of Footnote needs it."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from core.errors import EvaluationError
from core.quality.evaluation.triad.recorder import database_url, prepare

ENVIRONMENT = Path(settings.BASE_DIR) / ".venv-trulens"
LOCK = Path(settings.BASE_DIR) / "requirements-trulens.lock"
_SCRIPT = Path(__file__).with_name("dashboard_script.py")
_INSTALLED = ENVIRONMENT / "installed"  # written when all of the lock is there


def make_environment() -> None:
    """Install the dashboard where it is missing: files of known hashes alone. EvaluationError when it fails."""
    if _INSTALLED.exists() and _INSTALLED.read_text() == LOCK.read_text():
        return
    python = ENVIRONMENT / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", str(LOCK)]
    try:
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run(install, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise EvaluationError(f"TruLens's dashboard could not be installed. Run this: {' '.join(install)}") from error
    _INSTALLED.write_text(LOCK.read_text())


def run_dashboard(port: int) -> int:
    """Run the dashboard on the loopback address until it is stopped; its exit code.

    The database's address is handed on in the environment: a command line can be read by everybody on the machine.
    """
    prepare()
    command = [
        str(ENVIRONMENT / "bin" / "python"),
        *("-m", "streamlit", "run", "--server.headless=true", "--server.fileWatcherType=none"),
        *("--server.address=127.0.0.1", f"--server.port={port}", "--browser.gatherUsageStats=false"),
        str(_SCRIPT),
    ]
    address = database_url().render_as_string(hide_password=False)
    known = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    environment = {**known, "FOOTNOTE_TRULENS_DATABASE": address, "TRULENS_OTEL_TRACING": "1"}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0
