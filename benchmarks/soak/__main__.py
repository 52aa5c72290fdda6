"""Is everything answered once, nothing shown to the wrong people and nothing left behind, whatever fails meanwhile?

    python -m benchmarks.soak [--minutes M | --hours H] [--seed S] [--only FAULT] [--json] [--timeline FILE]

An installation of its own, on a PostgreSQL of its own and a standby that follows it, in a folder of its own: the web
process, the bot and the worker are the real ones; Slack and the chat model are played on the loopback address. People
ask in channels, threads and direct messages and click on answers, while documents are handed in, replaced and deleted,
grants and roles are given and taken, and a folder is synchronised. Meanwhile one fault follows the other: processes and
PostgreSQL are killed, the standby is late, dies, and is moved to the front, a disk is full, connections are cut, Slack
and the model are slow, wrong and silent.

At the end, when all is calm, it is judged. The exit code is 1 when anything was wrong; each case is named. With
--timeline what happened is kept as lines of JSON, and drawn in a file beside it that ends in .svg. It ends by itself,
and leaves nothing behind, also when it is interrupted.
"""

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from benchmarks.soak.embedded import Server
from benchmarks.soak.errors import CouldNotBeginError
from benchmarks.soak.proxy import Proxy

_LOG_TAIL = 6000


def main() -> int:
    """Run, judge, and print what was found."""
    arguments = _arguments()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _break_off)
    with ExitStack() as stack:
        timeline = stack.enter_context(arguments.timeline.open("w")) if arguments.timeline else None
        log = stack.enter_context(arguments.log.open("w+b") if arguments.log else tempfile.TemporaryFile())  # noqa: SIM115
        home, server = stack.enter_context(_home())
        try:
            found = _soak(arguments, home, server, stack, timeline, log)
        except CouldNotBeginError as error:
            if arguments.log is None:
                log.seek(0)
                sys.stderr.write(log.read()[-_LOG_TAIL:].decode(errors="replace"))
            sys.exit(str(error))
    print(json.dumps(found) if arguments.json else _describe(found))
    return int(any(found["verdicts"].values()))


def _break_off(*_: object) -> None:
    """End, so that everything that was started ends and is removed; once, for that takes some seconds."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    sys.exit(143)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    duration = parser.add_mutually_exclusive_group()
    duration.add_argument("--minutes", type=float, default=10.0, help="How long things are done and fail.")
    duration.add_argument("--hours", type=float, help="The same in hours.")
    parser.add_argument("--seed", type=int, default=7, help="Of everything that is drawn by chance.")
    parser.add_argument(
        "--every", type=float, default=1.2, help="Seconds between two things that are done, on average."
    )
    parser.add_argument("--only", default="", help="Only faults whose names hold this, such as replica.")
    parser.add_argument("--json", action="store_true", help="Print what was found as JSON.")
    parser.add_argument("--timeline", type=Path, help="Where what happens is written, as lines of JSON.")
    parser.add_argument("--log", type=Path, help="Where the processes' logs go; otherwise they are not kept.")
    return parser.parse_args()


@contextmanager
def _home() -> Iterator[tuple[Path, Server]]:
    """A folder for everything, which the database's account can reach, with its servers; gone afterwards."""
    # Not /tmp, in whose place the worker sees the small disk.
    home = Path(tempfile.mkdtemp(prefix="footnote-soak-", dir="/var/tmp"))
    home.chmod(0o711)
    server = Server(home)
    try:
        yield home, server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def _soak(
    arguments: argparse.Namespace,
    home: Path,
    server: Server,
    stack: ExitStack,
    timeline: IO[str] | None,
    log: IO[bytes],
) -> dict[str, Any]:
    server.start()
    # Django in this process has a door of its own to whichever is the primary, which no fault shuts.
    door = stack.enter_context(Proxy(lambda: server.port, random.Random(arguments.seed)))
    url = server.url_through(door.port)
    os.environ |= {"DATABASE_URL": url, "SECRET_KEY": secrets.token_urlsafe(50), "FOOTNOTE_HOME": str(home)}
    from benchmarks.scratch import set_up

    set_up()
    from benchmarks.soak.drawing import draw
    from benchmarks.soak.running import Plan, run
    from benchmarks.soak.timeline import Timeline

    minutes = arguments.hours * 60 if arguments.hours else arguments.minutes
    plan = Plan(minutes=minutes, seed=arguments.seed, every_s=arguments.every, only=arguments.only)
    found = run(plan, home, server, Timeline(timeline), log)
    if arguments.timeline:
        draw(found.entries, arguments.timeline.with_suffix(".svg"))
    return {"figures": found.figures, "verdicts": found.verdicts}


def _describe(found: dict[str, Any]) -> str:
    lines = [f"{name:28}{value}" for name, value in found["figures"].items()]
    for name, wrong in found["verdicts"].items():
        lines.append(f"{'ok   ' if not wrong else 'WRONG'} {name}")
        lines += [f"        {case}" for case in wrong]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
