"""Measure the model calls spared when many people ask the same, and the effect on the time of an answer.

    python -m benchmarks.spared [--people 50] [--model-seconds 0.1] [--json]

People of five role sets ask the same ten questions, each about a document that all of them may read, in a database of
its own. A scripted model takes its time and quotes. Without kept replies a tenth of them ask, for the time alone.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.scratch import scratch_database, set_up

ROLE_SETS = 5
THINGS = ("canteen", "library", "gym", "garage", "workshop", "archive", "laundry", "nursery", "chapel", "boathouse")


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """The figures of the measurement. Times in milliseconds."""

    questions: int
    calls: int  # of the model
    spared: float  # share of the calls that there would have been, 0..1
    p50_spared_ms: float
    p50_called_ms: float
    p50_without_ms: float  # no reply is kept, and none looked for
    hits_across_audiences: int  # audiences beyond the first that a call served; 0 or a leak


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.spared", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--model-seconds", type=float, default=0.1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    set_up()
    with scratch_database():
        figures = measure(arguments.people, arguments.model_seconds)
    shown = {name: round(value, 3) for name, value in asdict(figures).items()}
    print(json.dumps(shown) if arguments.json else "\n".join(f"{name:24}{value:>10}" for name, value in shown.items()))
    return int(figures.hits_across_audiences > 0)


def measure(people: int, model_s: float) -> Figures:
    """Ask everything, once with kept replies and for a tenth of the people once without."""
    from django.test import override_settings

    from core.llm.scripted import script_model
    from core.testing import fast_embedding

    with fast_embedding():
        users = _seed(people)
        replies = [lambda messages: _quote(messages, model_s)] * (len(users) * len(THINGS))
        with script_model(*replies) as script:
            timed = [one for thing in THINGS for one in _ask_all(users, thing, script)]
            calls = len(script.asked)
        with script_model(*replies) as script, override_settings(MODEL_CACHE_HOURS=0):
            without = [one for thing in THINGS for one in _ask_all(users[: max(1, people // 10)], thing, script)]
    expected = ROLE_SETS * len(THINGS)
    return Figures(
        questions=len(timed),
        calls=calls,
        spared=1 - calls / len(timed),
        p50_spared_ms=_median([ms for ms, called in timed if not called]),
        p50_called_ms=_median([ms for ms, called in timed if called]),
        p50_without_ms=_median([ms for ms, _ in without]),
        hits_across_audiences=max(0, expected - calls),
    )


def _seed(people: int) -> list[Any]:
    """People with one of five role sets, and a document about each thing for all of them."""
    from core.models import Role, User
    from core.testing import make_document

    staff = Role.objects.create(name="staff")
    others = [Role.objects.create(name=f"team {number}") for number in range(ROLE_SETS - 1)]
    users = []
    for number in range(people):
        user = User.objects.create_user(f"u{number}@example.com")
        user.roles.add(staff, *others[number % ROLE_SETS : number % ROLE_SETS + 1])
        users.append(user)
    for hour, thing in enumerate(THINGS, 1):
        text = f"The {thing} in the harbour office opens at {hour} o'clock on weekdays."
        make_document(f"Rules of the {thing}", text, roles=[staff])
    return users


def _ask_all(users: Sequence[Any], thing: str, script: Any) -> list[tuple[float, bool]]:
    """The milliseconds of each answer, and whether the model was called for it."""
    from core.access.audiences import asker_for, audience_of
    from core.api import ask
    from core.types import Answer

    timed = []
    for user in users:
        before, began = len(script.asked), time.perf_counter()
        question = f"When does the {thing} in the harbour office open?"
        result = ask(question, asker=asker_for(user), audience=audience_of([user.pk]))
        assert isinstance(result, Answer), result
        timed.append(((time.perf_counter() - began) * 1000, len(script.asked) > before))
    return timed


def _quote(messages: list[dict[str, Any]], model_s: float) -> Any:
    """The first passage as a statement, after the model's time."""
    from core.asking.generation.markup import read_passages
    from core.llm.scripted import answers

    time.sleep(model_s)
    prompt = "\n".join(part["text"] for message in messages for part in message["content"])
    passage = read_passages(prompt)[0]
    return answers((passage.text, passage.number, passage.text))


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0


if __name__ == "__main__":
    sys.exit(main())
