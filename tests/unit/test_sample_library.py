"""The sample library is whole: its manifest names only what exists, and its made files match their text."""

import importlib.util
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"


@pytest.fixture(scope="module")
def library() -> dict[str, Any]:
    """The manifest."""
    return tomllib.loads((SAMPLES / "library.toml").read_text(encoding="utf-8"))


def script(name: str) -> ModuleType:
    """One of the scripts that make a sample file."""
    spec = importlib.util.spec_from_file_location(name, SAMPLES / "safety" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(rows: list[dict[str, Any]], key: str = "name") -> set[str]:
    """The names of a table's rows."""
    return {row[key] for row in rows}


def test_every_path_of_a_collection_matches_a_file(library: dict[str, Any]) -> None:
    """No collection of the manifest is empty."""
    missing = {path for c in library["collections"] for path in c["paths"] if not list(ROOT.glob(path))}
    assert missing == set()


def test_every_sample_document_stands_in_one_collection(library: dict[str, Any]) -> None:
    """A piece that no collection names would never be seen; one that two name would be granted twice."""
    taken = [path for c in library["collections"] for pattern in c["paths"] for path in ROOT.glob(pattern)]
    assert len(taken) == len(set(taken))
    sources = {"library.toml", "README.md", "manual_text.md", "incident_text.md"}
    written = {p for p in SAMPLES.rglob("*.*") if p.suffix not in {".py", ".pyc"} and p.name not in sources}
    assert {path for path in taken if path.is_relative_to(SAMPLES)} == written


def test_roles_people_channels_and_questions_name_only_each_other(library: dict[str, Any]) -> None:
    """Every role, person, channel and collection that is referred to is defined."""
    roles, people = names(library["roles"]), names(library["people"], "email")
    collections, channels = names(library["collections"]), names(library["channels"])
    asked = [case for question in library["questions"] for case in question["asked"]]
    assert {role for row in library["collections"] + library["people"] for role in row["roles"]} == roles
    assert set(library["workspace"]["everyone"]) <= roles
    assert {email for channel in library["channels"] for email in channel["members"]} == people
    assert {case["by"] for case in asked} <= people
    assert {case["where"] for case in asked} <= channels | {"dm", "command"}
    assert {name for case in asked for name in case["cites"]} <= collections


def test_a_question_promises_nobody_a_collection_that_a_reader_may_not_read(library: dict[str, Any]) -> None:
    """Each collection that a question's answer may cite is granted to a role of every reader of that answer."""
    held = {person["email"]: set(person["roles"]) for person in library["people"]}
    granted = {collection["name"]: set(collection["roles"]) for collection in library["collections"]}
    everyone = "everyone in the workspace"
    held[everyone] = set(library["workspace"]["everyone"])
    members = {
        channel["name"]: channel["members"] + ([] if channel.get("private") else [everyone])
        for channel in library["channels"]
    }
    forbidden = {
        (case["by"], reader, name)
        for question in library["questions"]
        for case in question["asked"]
        for reader in members.get(case["where"], [case["by"]])
        for name in case["cites"]
        if not held[reader] & granted[name]
    }
    assert forbidden == set()


def members(archive: Path) -> dict[str, bytes]:
    """Unpack a zip archive: the packed bytes depend on the machine's zlib."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_manual_is_what_its_text_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making the manual again gives the bytes that the repository holds."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")  # restored afterwards; the script sets its own
    made: Path = script("make_manual").make(tmp_path)
    assert made.read_bytes() == (SAMPLES / "safety" / made.name).read_bytes()


def test_the_incident_report_is_what_its_text_says(tmp_path: Path) -> None:
    """Making the report again gives the parts that the repository's DOCX holds."""
    made: Path = script("make_incident_report").make(tmp_path)
    assert members(made) == members(SAMPLES / "safety" / made.name)
