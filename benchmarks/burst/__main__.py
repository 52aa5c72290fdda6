"""A burst of questions from Slack: is each acknowledged in time, and answered exactly once?

    python -m benchmarks.burst [--events 500] [--within 10] [--rate-limited] [--json]

The web process and the worker are the real ones, on a scratch database; a server in this process plays Slack, another
one a chat model that takes its time. 50 people mention the bot in 10 channels, each time in a thread of its own. Each
mention is told in two events, as Slack does it, and every tenth is sent twice. Meanwhile somebody clicks on an answer
every 100 ms. Evaluation is off: it waits until no question does.

With --json the only output is one JSON object: events, answered, lost, doubled, ack_p50_ms, ack_p99_ms,
clicks_refused, replies_per_s. The exit code is 1 when a question was lost or doubled, or a click refused.
"""

import argparse
import json
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import urlsplit

from benchmarks.burst.figures import Circumstances, Figures, outcome, percentile
from benchmarks.burst.load import Clicking, Heard, send_events, wait_until
from benchmarks.burst.requests import mention, thread_of
from benchmarks.burst.workspace import Workspace, email_of, people
from benchmarks.installation.environment import chat_model_settings, installation_settings
from benchmarks.installation.processes import Processes, free_port, running
from benchmarks.installation.requests import Endpoint
from benchmarks.scratch import scratch_database, set_up
from tests.integration.answers.chat_server import Reply, completion, serving

CANTEEN = "The canteen in the harbour office serves soup at noon."
WRITTEN = f"ANSWER: {CANTEEN}\nQUOTE 1: {CANTEEN}"
START_S = 120.0  # for the processes, and the first answer, which loads the models
GRACE_S = 2.0  # in which a second answer would come


class BurstFailedError(Exception):
    """The burst could not begin."""


def main() -> int:
    """Run the measurement and print its figures."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes end, and the database goes
    set_up()
    with scratch_database(), tempfile.TemporaryFile() as log:
        try:
            figures, circumstances = measure(arguments, log)
        except BurstFailedError as error:
            log.seek(0)
            sys.stderr.write(log.read()[-4000:].decode(errors="replace"))
            sys.exit(f"{error}")
    shown = figures.as_json()
    if arguments.json:
        print(json.dumps(shown))
    else:
        print("\n".join([f"{name:16}{value:>10}" for name, value in shown.items()] + circumstances.lines(figures)))
    return int(bool(figures.lost or figures.doubled or figures.clicks_refused))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.burst", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=500, help="Mentions.")
    parser.add_argument("--within", type=float, default=20.0, help="Seconds in which they are all sent.")
    parser.add_argument("--deadline", type=float, default=600.0, help="Seconds after which it ends, answered or not.")
    parser.add_argument("--workers", type=int, default=1, help="Worker processes.")
    parser.add_argument("--concurrency", type=int, help="WORKER_CONCURRENCY of each; otherwise as configured.")
    parser.add_argument("--model-seconds", type=float, default=2.0, help="What the chat model takes for an answer.")
    parser.add_argument("--extractive", action="store_true", help="The extractive model in place of the chat model.")
    parser.add_argument("--rate-limited", action="store_true", help="Slack takes a message a second in a channel.")
    parser.add_argument("--json", action="store_true", help="Print the figures as JSON.")
    return parser.parse_args()


def measure(arguments: argparse.Namespace, log: IO[bytes]) -> tuple[Figures, Circumstances]:
    """One burst, from the start of the processes to their end. BurstFailedError when it cannot begin."""
    from django.conf import settings

    _seed()
    concurrency = arguments.concurrency or settings.PROCRASTINATE_WORKER_DEFAULTS["concurrency"]
    port = free_port()
    with Workspace(limits_rate=arguments.rate_limited) as slack, _model(arguments) as model:
        environment = _environment(slack.url, port) | model | {"WORKER_CONCURRENCY": str(concurrency)}
        with running(environment, workers=arguments.workers, log=log) as processes:
            endpoint = Endpoint(port)
            first = arguments.events  # a number that the burst does not use
            request_id = _first_answer(slack, endpoint, mention(first)[0], processes)
            slack.calls.clear()
            heard = Heard()
            web_s, worker_s = processes.web_cpu_s(), processes.worker_cpu_s()
            started = time.monotonic()
            with Clicking(endpoint, request_id, heard):
                send_events(endpoint, events=arguments.events, within_s=arguments.within, heard=heard)
                asked = [thread_of(number) for number in range(arguments.events)]
                wait_until(
                    lambda: not outcome(slack.threads(), asked)["lost"] or processes.have_ended(),
                    started + arguments.deadline,
                )
            time.sleep(GRACE_S)
            seconds = max(slack.last_answer - started, 0.001)
            ends = outcome(slack.threads(), asked)
            web_s, worker_s = processes.web_cpu_s() - web_s, processes.worker_cpu_s() - worker_s
    figures = Figures(
        events=arguments.events,
        **ends,
        ack_p50_ms=percentile(heard.acknowledged_ms, 0.5),
        ack_p99_ms=percentile(heard.acknowledged_ms, 0.99),
        clicks_refused=heard.clicks_refused,
        replies_per_s=ends["answered"] / seconds,
    )
    return figures, Circumstances(
        seconds=seconds,
        threads=arguments.workers * concurrency,
        model_s=0.0 if arguments.extractive else arguments.model_seconds,
        web_cores=web_s / seconds,
        cores_of_each_worker=worker_s / seconds / arguments.workers,
        not_acknowledged=heard.not_acknowledged,
        clicks=heard.clicks,
        calls_per_answer=slack.calls_per(arguments.events),
        refused_by_rate=slack.refused,
    )


def _seed() -> None:
    """Everyone is of the staff, and the staff may read the one document."""
    from core.models import Role, User, UserRole
    from core.testing import make_document

    staff = Role.objects.create(name="staff")
    users = [User.objects.create_user(email_of(person), display_name=person) for person in people]
    UserRole.objects.bulk_create(UserRole(user=user, role=staff) for user in users)
    make_document("Canteen rules", CANTEEN, roles=[staff])


@contextmanager
def _model(arguments: argparse.Namespace) -> Iterator[dict[str, str]]:
    """The settings of a model that answers, after its time."""
    if arguments.extractive:
        yield {"LLM_MODEL": "extractive/sentences"}
        return

    def answer() -> Reply:
        time.sleep(arguments.model_seconds)
        return completion(WRITTEN)

    with serving(scripted=[answer]) as chats:
        yield chat_model_settings(chats.address)


def _environment(slack_url: str, port: int) -> dict[str, str]:
    """Return the environment of the processes beside this machine's own settings."""
    from django.conf import settings
    from django.db import connection

    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}")
    return installation_settings(
        database_url=database.geturl(), slack_url=slack_url, port=port, secret_key=settings.SECRET_KEY
    )


def _first_answer(slack: Workspace, endpoint: Endpoint, body: dict[str, Any], processes: Processes) -> str:
    """The request id of an answer that is there before the burst: clicked on later, and all models are loaded."""
    deadline = time.monotonic() + START_S
    sent = wait_until(lambda: endpoint.event(body) == 200 or processes.have_ended(), deadline)
    if not sent or not wait_until(lambda: bool(slack.last_answer) or processes.have_ended(), deadline):
        raise BurstFailedError("The processes did not answer a first question.")
    if processes.have_ended():
        raise BurstFailedError("A process has ended.")
    return str(re.findall(r"req_\w+", str(slack.called("chat.update")[-1]["blocks"]))[0])


if __name__ == "__main__":
    sys.exit(main())
