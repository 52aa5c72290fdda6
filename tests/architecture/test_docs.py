"""The documentation names every setting, command and REST path, and its links lead somewhere."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
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
# Pages that tell of moves name what was there before.
_OF_THE_PAST = {
    "0045-slack-emulator-beside-the-bot.md",
    "0046-rooms-under-the-fields-words.md",
    "0048-one-renovation.md",
}
_CITED = [
    page
    for page in PAGES
    if page.parent in (ROOT, ROOT / "docs", ROOT / "docs/decisions")
    and page.name not in {*_OF_THE_PAST, "CHANGELOG.md"}
]
_TICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PATH = re.compile(r"\.?[\w.-]+(?:/[\w.*-]+)*")
_CODE_FILE = re.compile(r"[\w-]+\.(?:py|po|html|css)")
# Examples that stand for a key, that go with a secret or with DEBUG, or that tell which database is asked.
_NOT_TRIED = {"DATABASE_URL", "DEBUG", "LOCAL_PAGE", "OIDC_CLIENT_ID", "OIDC_ISSUER", "SLACK_CLIENT_ID"} | {
    "RECEIPT_SIGNING_KEYS",
    "SLACK_TOKEN_KEYS",
    "SOURCE_SECRET_KEYS",
}
_EXAMPLE = re.compile(r"^\| `([A-Z_0-9]+)` \|.*\| `([^`|]+)` \|$", re.MULTILINE)
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


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = _CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} (.+)$", text, re.MULTILINE):
        bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).casefold()
        anchor = re.sub(r"[^\w\- ]", "", bare).replace(" ", "-")
        found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
    return set(found)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_links_lead_to_headings_that_are_there(page: Path) -> None:
    """Within the page and in others; what the changelog said of earlier versions stays as it was."""
    text = _CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
    lost = set()
    for link in _LINK.findall(text):
        target, _, anchor = link.partition("#")
        to = page.parent / target if target else page
        if anchor and ":" not in target and to.suffix == ".md" and anchor not in anchors_of(to):
            lost.add(link)
    assert lost == set()


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


def cited_paths(page: Path) -> Iterator[str]:
    """Yield what a page names as files of this repository: with one of its folders before it, or as a code file."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"var", ".venv", ".git"}
    for ticked in _TICKED.findall(page.read_text(encoding="utf-8")):
        for word in ticked.split():
            path = word.partition("::")[0].rstrip("/,.:;")
            if not _PATH.fullmatch(path):
                continue
            if ("/" in path and path.partition("/")[0] in folders) or _CODE_FILE.fullmatch(path.rpartition("/")[2]):
                yield path


@pytest.fixture(scope="module")
def code_files() -> list[str]:
    """All files of the product, its tests and its deployment, by their paths."""
    tops = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in {".git", ".venv", "var"}]
    return [f"/{file.relative_to(ROOT)}" for top in tops for file in top.rglob("*")] + [
        f"/{file.name}" for file in ROOT.iterdir()
    ]


@pytest.mark.parametrize("page", _CITED, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_path_that_a_page_names_is_there(page: Path, code_files: list[str]) -> None:
    """From the repository's root, or as the end of a path for a file whose folder the page has named."""
    missing = {
        path
        for path in cited_paths(page)
        if not any(ROOT.glob(path)) and not any(file.endswith(f"/{path}") for file in code_files)
    }
    assert missing == set()


def test_paths_are_read_out_of_the_guides() -> None:
    """Some hundred of them, so that the test above sees what it is for."""
    assert len({path for page in _CITED for path in cited_paths(page)}) > 250


def test_each_example_of_a_setting_is_accepted() -> None:
    """All at once, by the checks of a process that starts with them."""
    examples = {
        name: value for name, value in _EXAMPLE.findall(SETTINGS_PAGE) if "..." not in value and name not in _NOT_TRIED
    }
    assert len(examples) > 100
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | examples
    program = (
        "import django; django.setup()\n"
        "from django.core.checks import ERROR, run_checks\n"
        "print('\\n'.join(found.msg for found in run_checks() if found.level >= ERROR))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, "DATABASE_URL": "postgres://unused", "DJANGO_SETTINGS_MODULE": "adminsite.settings"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    named = {name for name in examples if re.search(rf"\b{name}\b", run.stdout)}
    assert (named, run.stdout) == (set(), run.stdout)
