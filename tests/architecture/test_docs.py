"""The documentation names every setting, command and REST path, and its links lead somewhere."""

import ast
import re
from pathlib import Path

import pytest

from adminsite.api.urls import VIEWS
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("samples/README.md"),
        *ROOT.glob("evaluation/README.md"),
        *ROOT.glob("readers/README.md"),
    ]
)
GUIDES = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
SETTINGS_PAGE = (ROOT / "docs/settings.md").read_text(encoding="utf-8")

_ROW = re.compile(r"^\| `([A-Z_0-9]+)` \|", re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def variables_read_by(source: Path) -> set[str]:
    """The environment variables that a module reads: the first argument of env.x(...), environ.get and setdefault."""
    calls = [node for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return {
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) in {"env", "os.environ"}
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def commands() -> set[str]:
    """The names of this project's management commands."""
    files = [file for package in PACKAGES for file in (ROOT / package).glob("**/commands/*.py")]
    return {file.stem for file in files if not file.stem.startswith("_") and "management" in file.parts}


def test_the_settings_page_lists_exactly_the_variables_that_are_read() -> None:
    """A setting without a row would not be found; a row without a setting would be believed."""
    read = variables_read_by(ROOT / "adminsite/settings.py") | variables_read_by(ROOT / "adminsite/gunicorn.py")
    assert set(_ROW.findall(SETTINGS_PAGE)) == read


def test_every_command_is_documented() -> None:
    """A command that no guide names is found by nobody."""
    assert {name for name in commands() if f"`{name}" not in GUIDES and f"manage.py {name}" not in GUIDES} == set()


def test_every_rest_path_is_documented() -> None:
    """The guide to REST names every path below /api/v1/."""
    guide = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    shown = {re.sub(r"<\w+:(\w+)>", lambda match: match[1].upper(), route) for route in VIEWS}
    assert {route for route in shown if f"/{route}`" not in guide} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of a page points at a file of the repository."""
    text = _CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = {link.partition("#")[0] for link in _LINK.findall(text) if not re.match(r"[a-z]+:|#", link)}
    assert {target for target in targets if not (page.parent / target).exists()} == set()


def test_the_tests_that_the_threat_model_names_are_there() -> None:
    """Each row of its tables names at least one: a file below tests/, or one of the tests or classes in it."""
    model = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in model.splitlines() if line.startswith("| ")]
    named = [
        re.findall(r"`(\S+\.py)(?:::(\w+))?`", cells[3])
        for cells in rows
        if not cells[3].strip().startswith("Shown by")
    ]
    assert len(named) > 30
    assert all(named)
    files = {(ROOT / "tests" / file, name) for tests in named for file, name in tests}
    missing = {(file, name) for file, name in files if not file.exists()}
    assert missing | {(file, name) for file, name in files - missing if name not in file.read_text("utf-8")} == set()


def test_every_decision_is_in_the_index() -> None:
    """The index of decisions names each page once."""
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    pages = sorted(page.name for page in ROOT.glob("docs/decisions/0*.md"))
    assert sorted(re.findall(r"\((0\d{3}-[\w-]+\.md)\)", index)) == pages


def test_each_requirement_names_a_test_that_is_there() -> None:
    """In docs/requirements.md, by file and name."""
    page = (ROOT / "docs/requirements.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith("| Requirement")]
    assert len(rows) > 40
    for row in rows:
        named = re.fullmatch(r"`([\w/]+\.py)::(\w+)`", row.strip("| ").rpartition("|")[2].strip())
        assert named, row
        tree = ast.parse((ROOT / "tests" / named[1]).read_text(encoding="utf-8"))
        assert named[2] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, row
