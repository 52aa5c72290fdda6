"""Count the places that a change touches, by the recipes of CONTRIBUTING.md.

A format's one row is held by `test_formats.py`.
"""

import ast
from functools import cache
from pathlib import Path

from core.library.sync.kinds import MODULES
from tests.architecture.test_docs import _ROW, SETTINGS_PAGE
from tests.architecture.test_languages import needed
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]

# The recipe of a setting names two modules; web processes read theirs before Django is set up.
_OF_SETTINGS = {"adminsite/settings.py", "adminsite/gunicorn.py", "adminsite/checks.py"}
# Those that know some by name because they run before settings do, start a process, or ask for a value to be entered.
_NAMING_SETTINGS = {
    "adminsite/admin/thresholds.py",  # offers a value to be set
    "adminsite/launcher/alive.py",  # imports no Django, for a container's health
    "adminsite/launcher/environment.py",  # chooses values for a trial
    "adminsite/management/commands/start.py",
    "adminsite/migrate_first.py",
    "adminsite/running/address.py",
    "adminsite/running/server.py",
    "core/quality/change_checks/child.py",  # lets nothing that a slow moment cuts short look like an effect
    "core/quality/evaluation/triad/dashboard.py",
    "core/quality/evaluation/triad/recorder.py",
    "core/library/ingestion/sandbox/process.py",  # says which limit a file has met
    "core/llm/local_model/watching.py",
    "core/operations/rehearsal/child.py",  # takes away what leads out of a rehearsal
    "core/library/retrieval/reranking.py",  # says which setting names a model that is not there
    "core/asking/verification/entailment.py",
}


@cache
def strings_by_file() -> dict[str, set[str]]:
    """The string literals of each module of the product."""
    found = {}
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in file.parts:
                nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
                found[str(file.relative_to(ROOT))] = {value for value in constants if isinstance(value, str)}
    return found


def test_the_words_of_a_sentence_are_changed_in_one_place() -> None:
    """Refusals among them: what people read as a whole sentence is written in one module, and its translations."""
    on_buttons = {"Why this answer?", "Why no answer?"}  # which are the titles of what they open
    sentences = {said for said in needed() if said.endswith((".", "?"))} - on_buttons
    assert len(sentences) > 200
    places = {said: [file for file, strings in strings_by_file().items() if said in strings] for said in sentences}
    assert {said: files for said, files in places.items() if len(files) > 1} == {}


def test_a_setting_is_added_in_its_module_and_its_checks() -> None:
    """No other module reads or lists one by its name, but for a few that run before there are settings."""
    settings = set(_ROW.findall(SETTINGS_PAGE))
    assert len(settings) > 100
    naming = {file for file, strings in strings_by_file().items() if settings & strings}
    assert naming - _OF_SETTINGS == _NAMING_SETTINGS


def test_a_kind_of_source_is_added_in_its_module_and_the_list_of_kinds() -> None:
    """No other module knows one by its name, but for those whose names are words with other meanings."""
    others = {"arxiv", "azure", "folder", "git"}  # a label, a storage, a place on the disk, a program
    listed = "core/library/sync/kinds/__init__.py"
    for kind in set(MODULES) - others:
        places = {file for file, strings in strings_by_file().items() if kind in strings}
        assert places == {listed, f"core/library/sync/kinds/{kind}.py"}
