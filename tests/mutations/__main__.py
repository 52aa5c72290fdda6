"""Break the rule in a copy of the project, one way after the other, and see whether tests fail.

    .venv/bin/python -m tests.mutations            all mutants
    .venv/bin/python -m tests.mutations union      those whose name holds the word

Prints a line per mutant; the exit code is 1 when one survived, or could not be made.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.mutations.changes import mutate_files
from tests.mutations.mutants import MUTANTS
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
COPIED = (*PACKAGES, "benchmarks", "readers", "tests", "samples", "docs", "manage.py", "pyproject.toml")
# Of a world that fails it matters that it does, and not which is the smallest.
PYTEST = ("-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", "--hypothesis-profile=unshrunk")
FAILED = 1  # pytest's exit code for tests that ran and failed; anything higher is no verdict


def main(wanted: str) -> int:
    """Try the mutants whose name holds `wanted`. Returns the exit code."""
    mutants = [mutant for mutant in MUTANTS if wanted in mutant.name]
    with tempfile.TemporaryDirectory(prefix="footnote-mutant-") as folder:
        copy(Path(folder))
        for tests in dict.fromkeys(tests for mutant in mutants for tests in mutant.tests):
            if run_tests(Path(folder), tests) != "survived":
                print(f"{tests} fail as they are, so that they prove nothing")  # noqa: T201 - what it is for
                return 1
    survivors = 0
    for mutant in mutants:
        with tempfile.TemporaryDirectory(prefix="footnote-mutant-") as folder:
            copy(Path(folder))
            for path, source in mutate_files(mutant.changes, Path(folder)).items():
                (Path(folder) / path).write_text(source, encoding="utf-8")
            for tests in mutant.tests:
                started = time.monotonic()
                verdict = run_tests(Path(folder), tests)
                survivors += verdict != "killed"
                print(f"{verdict:9} {mutant.name} - by {tests} in {time.monotonic() - started:.0f} s", flush=True)  # noqa: T201 - what it is for
    print(f"{survivors} survived or gave no verdict" if survivors else "all killed")  # noqa: T201 - what it is for
    return bool(survivors)


def copy(folder: Path) -> None:
    """Put the working tree, unchanged, into a folder."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        else:
            shutil.copy(ROOT / name, folder / name)


def run_tests(folder: Path, tests: str) -> str:
    """Judge a mutant by some tests: killed, survived, or no verdict when they could not run."""
    environment = os.environ | {
        "FOOTNOTE_HOME": os.environ.get("FOOTNOTE_HOME", str(ROOT / "var")),
        "TEST_DATABASE_NAME": "test_footnote_mutant",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, *PYTEST, tests], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode > FAILED or "error" in done.stdout.splitlines()[-1]:
        print(done.stdout[-3000:], done.stderr[-3000:], file=sys.stderr)  # noqa: T201 - why there is none
        return "unclear"
    return "killed" if done.returncode == FAILED else "survived"


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
