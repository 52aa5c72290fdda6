"""Measure whether response times tell somebody without rights that a document exists.

    python -m benchmarks.hidden_documents [--rounds 200] [--documents 200] [--json]

Somebody without rights asks four addresses about what one may not read and what there is not, by turns, in a database
of its own: an id of a document and of a citation, and the title and words of documents that others may read. For each,
the medians of both in milliseconds, and how far the medians of two halves of the same lie apart: a difference below
that tells nothing.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from django.test import Client

_WARM_UP = 10  # rounds that do not count


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hidden_documents",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    # More often than anybody may ask in earnest: what is refused for that is as fast for both.
    os.environ |= dict.fromkeys(("REST_RATE", "REST_SEARCH_RATE"), "9999/second")
    set_up()
    with scratch_database():
        figures = measure(arguments.rounds, arguments.documents)
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{'':24}{'hidden':>10}{'absent':>10}{'noise':>10}")
    for name, row in figures.items():
        print(f"{name:24}" + "".join(f"{row[column]:>10.2f}" for column in ("hidden", "absent", "noise")))


def measure(rounds: int, documents: int) -> dict[str, dict[str, float]]:
    """The medians of each address, in milliseconds."""
    from django.test import Client, override_settings

    from core.testing import fast_embedding

    with (
        fast_embedding(),
        override_settings(SECURE_SSL_REDIRECT=False, ALLOWED_HOSTS=["*"]),
    ):
        asked = _furnish(documents)
        return {name: _compare(hidden, absent, rounds) for name, (hidden, absent) in asked(Client).items()}


def _furnish(documents: int) -> "Callable[[type[Client]], dict[str, tuple[Callable[[], Any], Callable[[], Any]]]]":
    """Documents of Alice's, which she asks about; and what Charlie, who may read nothing, then asks."""
    from core import api
    from core.access.audiences import asker_for, audience_of
    from core.models import AuthToken, Citation, Document
    from core.testing import make_cast, make_document

    cast = make_cast()
    for number in range(documents):
        make_document(f"Vault rules {number}", f"The vault {number} opens with quagmire.", roles=[cast.owners])
    api.ask("With what does the vault 7 open?", asker=asker_for(cast.alice), audience=audience_of([cast.alice.pk]))
    document, citation = Document.objects.latest("pk").pk, Citation.objects.latest("pk").pk
    _row, token = AuthToken.objects.create(cast.charlie, scopes=AuthToken.Scope.values)

    def ask(make: "type[Client]") -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
        browser, program = make(), make(headers={"authorization": f"Token {token}"})
        browser.force_login(cast.charlie)

        def get(path: str) -> Callable[[], Any]:
            return lambda: browser.get(path)

        def read(path: str) -> Callable[[], Any]:
            return lambda: program.get(f"/api/v1/{path}")

        def search(words: str) -> Callable[[], Any]:
            return lambda: program.post("/api/v1/search", {"query": words}, "application/json")

        return {
            "page of a document": (get(f"/documents/{document}/"), get(f"/documents/{uuid4()}/")),
            "page of a citation": (get(f"/citations/{citation}/"), get(f"/citations/{uuid4()}/")),
            "list by title": (read("documents?title=Vault"), read("documents?title=Boats")),
            "search": (search("vault quagmire"), search("boats harbours")),
        }

    return ask


def _compare(hidden: Callable[[], Any], absent: Callable[[], Any], rounds: int) -> dict[str, float]:
    """By turns, so that what else the machine does falls on both alike."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + _WARM_UP):
        for column in (0, 1) if number % 2 else (1, 0):
            began = time.perf_counter()
            (hidden, absent)[column]()
            if number >= _WARM_UP:
                taken[column].append(1000 * (time.perf_counter() - began))
    half = rounds // 2
    noise = max(abs(statistics.median(one[:half]) - statistics.median(one[half:])) for one in taken)
    return {"hidden": statistics.median(taken[0]), "absent": statistics.median(taken[1]), "noise": noise}


if __name__ == "__main__":
    main()
