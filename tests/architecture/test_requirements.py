"""The requirements: pinned, complete, nothing too many, and every import among them."""

import ast
import hashlib
import json
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from core.library.ingestion.recognition import is_installed
from tests.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
OWN_PACKAGES = {*PACKAGES, "tests", "benchmarks", "readers"}
BESIDE_PIP = {"pip"}  # comes with the environment
OLDEST_PYTHON = "3.11.0"
SEVERAL_BUILDS = {"torch"}  # of one version, each with a hash of its own
MALICIOUS = {"litellm": {"1.82.7", "1.82.8"}}


def _lines(file: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / file).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("-r ")]


def _pinned(file: str) -> dict[str, str]:
    requirements = [Requirement(line) for line in _lines(file)]
    here = [item for item in requirements if item.marker is None or item.marker.evaluate()]
    return {canonicalize_name(item.name): str(item.specifier).removeprefix("==") for item in here}


def _closure(requirements: Iterable[str]) -> set[str]:
    """The installed distributions that these need, directly and in turn."""
    waiting = [Requirement(line) for line in requirements]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            needs = distribution(requirement.name).requires or []
        except PackageNotFoundError:
            continue  # the comparison below names it
        extras = requirement.extras | {""}
        waiting += [
            need
            for need in map(Requirement, needs)
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return {name for name, _ in seen} - BESIDE_PIP


def _imported(*folders: str) -> set[str]:
    """The top-level modules that the code of these folders imports, anywhere in a file, other than its own."""
    found = set()
    for file in (file for folder in folders for file in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - OWN_PACKAGES - set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    "file",
    ["requirements.in", "requirements.txt", "requirements-dev.txt", "requirements-ocr.txt", "requirements-model.txt"],
)
def test_every_requirement_is_pinned(file: str) -> None:
    """One version each, of no particular build, for all machines or for those that a marker names."""
    assert [line for line in _lines(file) if not re.fullmatch(r"[\w.\-]+(\[[\w,]+\])?==[\w.]+( ; .+)?", line)] == []


def test_the_direct_requirements_have_the_same_version_in_both_lists() -> None:
    """requirements.in says why, requirements.txt what is installed."""
    pinned = _pinned("requirements.txt")
    assert {(name, pinned.get(name)) for name in _pinned("requirements.in")} == set(_pinned("requirements.in").items())


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the lists were made on Linux x86-64"
)
def test_the_lists_are_complete_and_hold_nothing_else() -> None:
    """Whatever the direct ones need in turn is pinned, and nothing is that they do not need."""
    product = _closure(_lines("requirements.in"))
    assert set(_pinned("requirements.txt")) == product
    assert set(_pinned("requirements-dev.txt")) == _closure(_lines("requirements-dev.txt")) - product


@pytest.mark.skipif(not is_installed(), reason="text recognition is not installed: make ocr")
def test_the_list_of_text_recognition_is_complete() -> None:
    """Its requirements beyond the product are in its own list, pinned to the tests' versions."""
    pinned = _pinned("requirements-ocr.txt")
    assert set(pinned) == _closure(["rapidocr", "onnxruntime"]) - set(_pinned("requirements.txt"))
    assert {name: distribution(name).version for name in pinned} == pinned


def test_what_is_installed_is_what_is_pinned() -> None:
    """The tests prove something about these versions only."""
    pinned = _pinned("requirements.txt") | _pinned("requirements-dev.txt")
    installed = {name: distribution(name).version.partition("+")[0] for name in pinned}
    assert installed == pinned


def test_every_requirement_runs_on_the_oldest_python_that_is_promised() -> None:
    """Some leave out the first releases of a Python version, which distributions still ship."""
    pinned = _pinned("requirements.txt") | _pinned("requirements-dev.txt")
    wanted = {name: distribution(name).metadata.get("Requires-Python") or "" for name in pinned}
    assert {name for name, pythons in wanted.items() if not SpecifierSet(pythons).contains(OLDEST_PYTHON)} == set()


# Whose modules these are, where `make ocr` or `make model` has not installed them and so nothing tells.
EXTRA = {"cv2": "opencv-python-headless", "rapidocr": "rapidocr", "xllamacpp": "xllamacpp"}


def test_every_import_of_the_product_is_a_direct_requirement() -> None:
    """An indirect requirement may go with the next version of the one that needs it."""
    distributions = packages_distributions()
    direct = {
        name for file in ("requirements.in", "requirements-ocr.txt", "requirements-model.txt") for name in _pinned(file)
    }
    undeclared = {
        module
        for module in _imported(*PACKAGES)
        if not direct & {canonicalize_name(name) for name in distributions.get(module) or [EXTRA.get(module, "")]}
    }
    assert undeclared == set()


def test_no_requirement_is_known_to_be_malicious() -> None:
    """These versions were taken from the registry, but somebody may still have them in a cache."""
    pinned = _pinned("requirements.txt")
    assert {name for name, versions in MALICIOUS.items() if pinned[name] in versions} == set()


def _locked(file: str) -> dict[str, int]:
    """Count the hashes of each requirement of a lock, as NAME==VERSION."""
    text = (ROOT / file).read_text()
    blocks = re.findall(r"^([\w.\-]+)==(\S+)(.*(?:\n    --hash=sha256:[0-9a-f]{64}.*)*)$", text, re.MULTILINE)
    return {f"{canonicalize_name(name)}=={version}": hashes.count("sha256:") for name, version, hashes in blocks}


@pytest.mark.parametrize("file", ["requirements", "requirements-dev"])
def test_every_requirement_is_held_to_the_hashes_of_its_files(file: str) -> None:
    """All but torch, of which the registry's build and the one without graphics cards have one version."""
    wanted = {Requirement(line) for line in _lines(f"{file}.txt")}
    pinned = {f"{canonicalize_name(item.name)}{item.specifier}" for item in wanted if item.name not in SEVERAL_BUILDS}
    locked = _locked(f"{file}.lock")
    assert set(locked) == pinned, "run: make lock"
    assert {name for name, hashes in locked.items() if not hashes} == set()


@pytest.fixture(params=["uv", "pip"])
def checkout(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path, dict[str, str]]:
    """A checkout with one requirement; where that is installed to, and settings with which uv or pip installs it."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/install.py", tmp_path / ".ci")
    programs = tmp_path / ".venv/bin"
    own = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "MAKE", "MFLAGS"))}
    if request.param == "uv":
        # Its pip tells how it is configured, and can install nothing.
        venv.create(tmp_path / ".venv")
        (programs / "pip").touch()  # the environment is there already
        package = next((tmp_path / ".venv").glob("lib/python*/site-packages"))
        (package / "pip.py").write_text(_PIP.format(python=sys.executable))
        (programs / "uv").symlink_to(Path(sys.executable).with_name("uv"))
        return tmp_path, package, kept | own
    programs.mkdir(parents=True)
    (programs / "pip").touch()  # the environment is there already
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    return tmp_path, tmp_path / "installed", kept | own | {"PIP_TARGET": str(tmp_path / "installed")}


_PIP = """import subprocess, sys
if "config" not in sys.argv:
    sys.exit("not with this pip")
sys.exit(subprocess.run(["{python}", "-m", "pip", *sys.argv[1:]]).returncode)
"""


@pytest.mark.parametrize("is_tampered", [False, True])
def test_setting_up_refuses_a_file_that_is_another_than_the_one_known(
    checkout: tuple[Path, Path, dict[str, str]], *, is_tampered: bool
) -> None:
    """Nothing of it is installed, and the message says what that may mean, whether uv installs or pip."""
    folder, installed, settings = checkout
    digest = hashlib.sha256(_wheel(folder).read_bytes()).hexdigest()
    digest = "0" * 64 if is_tampered else digest
    (folder / "requirements.txt").write_text("parcel==1.0\n")
    (folder / "requirements.lock").write_text(f"parcel==1.0 --hash=sha256:{digest}\n")
    done = subprocess.run(
        ["make", "setup"],  # noqa: S607 - whichever make there is
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (not is_tampered), done.stderr
    assert (installed / "parcel.py").exists() == (not is_tampered)
    assert ("find out why before you install it" in done.stderr) == is_tampered


def test_uv_is_told_what_pip_is_configured_to_do() -> None:
    """And takes no index, certificate or proxy of its own; what it has no option for is left to pip."""
    translate = runpy.run_path(str(ROOT / ".ci/install.py"))["translate"]
    settings = {
        "index-url": "https://index.example/simple",
        "extra-index-url": "https://a.example https://b.example",
        "cert": "/etc/ca.pem",
        "no-cache-dir": "1",
        "progress-bar": "off",
    }
    assert translate(settings) == (
        [
            *("--compile-bytecode", "--default-index", "https://index.example/simple"),
            *("--index", "https://a.example", "--index", "https://b.example", "--no-cache"),
        ],
        {"SSL_CERT_FILE": "/etc/ca.pem"},
    )
    assert translate({"no-compile": "no"}) == ([], {})
    with pytest.raises(Exception, match="only-binary"):
        translate({"only-binary": ":all:"})


def test_uv_is_the_one_that_writes_the_locks() -> None:
    """Of one version, held to the hashes that the tools' own lock has."""
    block = (ROOT / "requirements-uv.lock").read_text()
    assert block.startswith("uv==")
    assert block in (ROOT / "requirements-dev.lock").read_text()


def _wheel(folder: Path) -> Path:
    """A package of one module, as a wheel."""
    path = folder / "parcel-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("parcel.py", "")
        file.writestr("parcel-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n")
        file.writestr("parcel-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr("parcel-1.0.dist-info/RECORD", "")
    return path


def test_the_bill_of_materials_names_everything_with_its_licence(tmp_path: Path) -> None:
    """It is valid CycloneDX, holds each requirement once, and of each a licence and what it needs."""
    command = [sys.executable, ".ci/bill_of_materials.py", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    written = (tmp_path / "sbom.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(written) is None
    bill = json.loads(written)
    parts = {part["name"]: part for part in bill["components"]}
    assert {name: part["version"] for name, part in parts.items()} == _pinned("requirements.txt")
    assert {name for name, part in parts.items() if not part.get("licenses")} == set()
    assert {name for name, part in parts.items() if not part.get("hashes")} == SEVERAL_BUILDS
    needs = {entry["ref"]: entry.get("dependsOn", []) for entry in bill["dependencies"]}
    above = f"sentence-transformers=={parts['sentence-transformers']['version']}"
    assert f"torch=={parts['torch']['version']}" in needs[above]


def test_each_requirement_is_weighed() -> None:
    """The table of decision 0092 has the requirements that are named with their purpose, and no others."""
    table = (ROOT / "docs/decisions/0092-each-requirement-weighed.md").read_text()
    weighed = re.findall(r"^\| `([\w.-]+)` \|", table, re.MULTILINE)
    named = re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==", (ROOT / "requirements.in").read_text(), re.MULTILINE)
    assert weighed == named
