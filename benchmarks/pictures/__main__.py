"""Make the screenshots of the documentation: python -m benchmarks.pictures [NAME ...].

It starts an installation of its own with the sample library, asks questions, and writes docs/pictures. It needs
Chromium and some minutes. trulens.png is of TruLens's own dashboard, and is not made here.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import expect

from benchmarks.installation.processes import ROOT
from benchmarks.pictures.browsing import save
from benchmarks.pictures.product import Product, running
from benchmarks.pictures.scenes import ASKED_BEFORE, SHARED_DRIVE, Scenes
from tests.acceptance.browser import chromium

LARGEST_BYTES = 200_000
SHOWN_MS = 30_000  # for what is to be seen next, on a machine with much else to do


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the pictures that are named, or all; SystemExit names those that failed or are too large."""
    parser = argparse.ArgumentParser(description="Make the screenshots of the documentation.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as matrix.png; without one, all")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "pictures", help="the folder to write to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as product, chromium() as browser:
        expect.set_options(timeout=SHOWN_MS)
        _prepare(product, Path(folder))
        scenes = Scenes(browser, product, Path(folder)).list_all()
        unknown = set(options.names) - set(scenes)
        if unknown:
            parser.error(f"There is no picture {', '.join(sorted(unknown))}. Pictures: {', '.join(scenes)}.")
        failed = []
        for name in options.names or scenes:
            try:
                size = save(scenes[name](), options.to / name)
            except Exception as error:  # noqa: BLE001 - the others are made, and the end says which one was not
                failed.append(f"{name}: {error}")
                continue
            sys.stdout.write(f"{name}: {size / 1000:.0f} kB\n")
            sys.stdout.flush()
            if size > LARGEST_BYTES:
                failed.append(f"{name} has {size / 1000:.0f} kB, more than {LARGEST_BYTES / 1000:.0f} kB")
    if failed:
        raise SystemExit("\n".join(failed))


def _prepare(product: Product, home: Path) -> None:
    """Fill the installation with what the pictures show."""
    product.call(f"furnishing.furnish(Path({str(home / 'shared')!r}))")
    product.manage("sync", SHARED_DRIVE)
    for person, question in ASKED_BEFORE:
        product.manage("ask", question, "--as", person)
    product.call("furnishing.gather_gaps()")


if __name__ == "__main__":
    main()
