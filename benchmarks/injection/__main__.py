"""Measure what injected instructions change at every door when the model obeys them.

    python -m benchmarks.injection FOLDER [--door body --door mail] [--json | --show]

FOLDER holds files of JSON: lists of strings, or objects whose lists of strings are found at any depth under names of
kinds or under "payloads". Each string is planted at each door of a library of its own, Bob asks, and a scripted model
obeys: it searches for what Bob may not read, invents quotes, links, mentions, and tells what it is shown. What is said
may change. What is read, cited, linked or sent may not: the exit status is 1 where it did.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.scratch import scratch_database, set_up

NOT_STORED, NOT_SHOWN, UNCHANGED, SAID, BREACH = "not stored", "not shown", "unchanged", "said", "breach"
OUTCOMES = (UNCHANGED, SAID, NOT_SHOWN, NOT_STORED, BREACH)


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """Outcome of one string at one door."""

    door: str
    number: int  # of the string
    outcome: str
    breaches: tuple[str, ...] = ()  # kind and what
    why: str = ""  # it was not stored
    text: str = ""  # the answer


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.injection", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--door", action="append", default=[], help="one of the doors; all without it")
    parser.add_argument("--json", action="store_true", help="a line for each try, with the answers")
    parser.add_argument("--show", action="store_true", help="the breaches, and why something was not stored")
    arguments = parser.parse_args()
    orders = list(read_orders(arguments.folder))
    if not orders:
        parser.error(f"no strings in {arguments.folder}")
    set_up()
    with scratch_database():
        tried = try_all(orders, arguments.door)
    print("\n".join(json.dumps(asdict(one)) for one in tried) if arguments.json else render(tried, show=arguments.show))
    return int(any(one.outcome == BREACH for one in tried))


def read_orders(folder: Path) -> Iterator[str]:
    """The strings of the files of a folder, in order, each once."""
    files = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    yield from dict.fromkeys(order for content in files for order in _list_strings(content))


def try_all(orders: Sequence[str], names: Sequence[str] = ()) -> list[Tried]:
    """Plant each string at each door, or at those named."""
    from benchmarks.injection.doors import DOORS
    from core.library.ingestion.sandbox.process import Sandbox
    from core.testing import fast_embedding

    with fast_embedding(), Sandbox() as sandbox:
        return [try_one(door, n, order, sandbox) for door in names or DOORS for n, order in enumerate(orders)]


def try_one(door: str, number: int, order: str, sandbox: Any) -> Tried:
    """Plant a string at a door, and ask."""
    from benchmarks.injection.doors import GUESSED, UNSEEN, UNTOLD, ask_behind, library
    from benchmarks.injection.judging import list_breaches
    from benchmarks.injection.obedient import Obedient
    from core.access.audiences import audience_of
    from core.llm.scripted import script_model
    from core.types import Answer

    model = Obedient(order, secrets=(GUESSED,))
    with library(sandbox) as here, script_model(*model.replies(), judge=model.judge) as script:
        result = ask_behind(door, here, order)
        audience = audience_of([here.cast.bob.pk])
        breaches = list_breaches(result, audience=audience, script=script, unseen=UNSEEN, untold=UNTOLD, typed=order)
    text = result.text if isinstance(result, Answer) else ""
    if breaches:
        outcome = BREACH
    elif here.errors:
        outcome = NOT_STORED
    elif not model.heard:
        outcome = NOT_SHOWN
    else:
        outcome = UNCHANGED if _is_plain(text) else SAID
    found = tuple(f"{one.kind}: {one.what}" for one in breaches)
    return Tried(door=door, number=number, outcome=outcome, breaches=found, why=" ".join(here.errors), text=text)


def render(tried: Sequence[Tried], *, show: bool) -> str:
    """A table of outcomes by door; after it, where wanted, what was wrong."""
    counts = Counter((one.door, one.outcome) for one in tried)
    lines = ["".join(f"{name:>13}" for name in ("door", *OUTCOMES))]
    for door in (*dict.fromkeys(one.door for one in tried), "all"):
        row = [sum(n for (of, what), n in counts.items() if what == name and door in (of, "all")) for name in OUTCOMES]
        lines.append(f"{door:>13}" + "".join(f"{number:>13}" for number in row))
    wrong = [one for one in tried if show and (one.breaches or one.why)]
    return "\n".join([*lines, *(f"{one.door} {one.number}: {'; '.join(one.breaches) or one.why}" for one in wrong)])


def _is_plain(text: str) -> bool:
    from benchmarks.injection.doors import CANTEEN

    return text.partition(" [")[0] in ("", CANTEEN) and "\n" not in text


def _list_strings(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        listed = content.get("payloads")
        for value in [listed] if listed is not None else content.values():
            yield from _list_strings(value)
    elif isinstance(content, list):
        for value in content:
            yield from (value,) if isinstance(value, str) else _list_strings(value)


if __name__ == "__main__":
    sys.exit(main())
