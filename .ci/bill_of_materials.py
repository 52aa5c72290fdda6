"""Write a CycloneDX bill of materials, and a list of licences, of the installed requirements.

    .venv/bin/python .ci/bill_of_materials.py FOLDER

It writes FOLDER/sbom.cdx.json and FOLDER/licences.csv, reads requirements.txt and requirements.lock, and needs no
network. Exit code 1, and the names on standard error, where a requirement says nothing of its licence.
"""

import csv
import re
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CLASSIFIER = "License :: "


def requirements(file: Path) -> dict[str, Requirement]:
    """The pinned requirements of a list, by canonical name, that hold for this machine."""
    lines = (line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines())
    found = [Requirement(line) for line in lines if line]
    return {canonicalize_name(item.name): item for item in found if item.marker is None or item.marker.evaluate()}


def hashes(lock: Path) -> dict[str, list[str]]:
    """The SHA-256 of every file of each requirement, by canonical name."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lock.read_text(encoding="utf-8").splitlines():
        if pinned := re.match(r"([\w.\-]+)==", line):
            name = canonicalize_name(pinned[1])
        found.setdefault(name, []).extend(re.findall(r"sha256:([0-9a-f]{64})", line))
    return found


def licence(package: Distribution) -> str:
    """Return a package's licence in its own words: an SPDX expression where it has one; empty without any."""
    said = package.metadata
    if expression := said.get("License-Expression"):
        return str(expression)
    classified = [line.rpartition(" :: ")[2] for line in said.get_all("Classifier", []) if line.startswith(CLASSIFIER)]
    if classified:
        return " and ".join(sorted(set(classified)))
    if named := str(said.get("License") or "").strip().partition("\n")[0]:
        return named[:100]
    texts = (file.read_text().strip() for file in package.files or [] if file.name.upper().startswith("LICEN"))
    return next((text.partition("\n")[0].strip() for text in texts if text), "")


def bill(pinned: dict[str, Requirement], files: dict[str, list[str]]) -> Bom:
    """The bill of materials: each requirement with its version, licence, the hashes of its files and what it needs."""
    made, licences = Bom(), LicenseFactory()
    made.metadata.component = Component(name="footnote", type=ComponentType.APPLICATION, bom_ref="footnote")
    parts = {}
    for name in pinned:
        package = distribution(name)
        version = package.version.partition("+")[0]
        said = licence(package)
        parts[name] = Component(
            name=name,
            version=version,
            type=ComponentType.LIBRARY,
            bom_ref=f"{name}=={version}",
            purl=PackageURL(type="pypi", name=name, version=version),
            licenses=[licences.make_from_string(said)] if said else [],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in files.get(name, [])],
        )
        made.components.add(parts[name])
    for name, part in parts.items():
        needed = [Requirement(line) for line in distribution(name).requires or []]
        here = [item for item in needed if item.marker is None or item.marker.evaluate({"extra": ""})]
        needs = {canonicalize_name(item.name) for item in here}
        made.register_dependency(part, [parts[need] for need in sorted(needs & parts.keys())])
    made.register_dependency(made.metadata.component, parts.values())
    return made


def main(folder: Path) -> int:
    """Write both files. Returns the exit code."""
    pinned = requirements(ROOT / "requirements.txt")
    folder.mkdir(parents=True, exist_ok=True)
    written = JsonV1Dot6(bill(pinned, hashes(ROOT / "requirements.lock"))).output_as_string(indent=2)
    (folder / "sbom.cdx.json").write_text(written, encoding="utf-8")
    rows = [(name, distribution(name).version, licence(distribution(name))) for name in sorted(pinned)]
    with (folder / "licences.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "version", "licence"), *rows])
    silent = [name for name, _version, said in rows if not said]
    sys.stdout.write(f"{folder / 'sbom.cdx.json'} and {folder / 'licences.csv'}: {len(rows)} requirements.\n")
    if silent:
        sys.stderr.write(f"Of these nothing is said about their licence: {', '.join(silent)}.\n")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
