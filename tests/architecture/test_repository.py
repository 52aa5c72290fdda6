"""Test rules for every file of the repository."""

import ast
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.order import LONGEST
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
CODE = [
    file
    for folder in (*PACKAGES, "readers")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if file.parent.name != "migrations"
]
MADE_HERE = {
    ".git",
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".venv",
    "__pycache__",
    "node_modules",
    "staticfiles",
    "var",
}
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
HANDED_ON = {"core/asking/receipts/verify_receipt.py"}  # to other machines, as one file

# Folders that exist on somebody's machine only. Written in parts, so that this file does not find itself.
_OF_A_MACHINE = re.compile("|".join(("/wo" + "rk/", "/ro" + "ot/", r"/ho" + r"me/[a-z]\w*/", "C:" + r"\\Users")))


def _texts() -> Iterator[tuple[str, str]]:
    """Every text file of the project by its path; what is made on a machine is left out."""
    for top in ROOT.iterdir():
        if top.name in MADE_HERE:
            continue
        for file in top.rglob("*") if top.is_dir() else [top]:
            if file.is_file() and not MADE_HERE & set(file.parts):
                with contextlib.suppress(UnicodeDecodeError):
                    yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def test_no_file_speaks_of_somebodys_machine() -> None:
    """Such a path works nowhere else."""
    assert {path for path, text in _texts() if _OF_A_MACHINE.search(text)} == set()


def test_every_make_target_is_documented() -> None:
    """In the README, in how to contribute, or in a guide."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    guides = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"run", "test", "test-all", "check", "setup"} <= set(targets)
    assert {target for target in targets if f"make {target}" not in guides} - {"help"} == set()


def test_files_and_functions_stay_small() -> None:
    """A file or a function that grows past this is more than one thing."""
    long_files = {str(file.relative_to(ROOT)) for file in CODE if len(file.read_text().splitlines()) > MAX_FILE_LINES}
    long_functions = {
        f"{file.relative_to(ROOT)}:{node.name}"
        for file in CODE
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    }
    assert (long_files - HANDED_ON, long_functions) == (set(), set())


def test_the_files_that_are_handed_out_first_are_there(pytestconfig: pytest.Config) -> None:
    """Each once; and xdist keeps to that order."""
    assert [file for file in LONGEST if not (ROOT / "tests" / file).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)
    assert pytestconfig.option.loadscopereorder is False
