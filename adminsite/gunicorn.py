"""Configure gunicorn for the web process: `gunicorn --config python:adminsite.gunicorn adminsite.wsgi`.

Threads in one process, because the work is waiting for PostgreSQL; the answers themselves are made in the worker.
"""

import os
import shutil
import tempfile
from typing import Any

from adminsite.environment import Environment
from adminsite.running.address import prepare_socket

env = Environment()
bind = [f"{env.str('WEB_HOST', default='127.0.0.1')}:{env.int('PORT', default=8000)}"]
if commands := prepare_socket(os.environ):
    bind.append(f"unix:{commands}")  # for commands of whoever owns FOOTNOTE_HOME
umask = 0o077  # of that socket
workers = env.int("WEB_PROCESSES", default=1)
threads = env.int("WEB_THREADS", default=16)
worker_class = "adminsite.thread_worker.PunctualWorker"  # gthread, which does not wait for ever
timeout = 60  # seconds without a sign of life before a process is replaced
graceful_timeout = 5  # seconds for open requests at a stop
keepalive = 5  # seconds
receive_s = env.int("WEB_RECEIVE_S", default=20)  # for the head of a request, and again for its body
control_socket_disable = True  # it would open a socket in the home folder of whoever runs this
# What is larger is refused before Django hears of it.
limit_request_line = 8190  # bytes
limit_request_fields = 64
limit_request_field_size = 8190  # bytes


def on_starting(server: Any) -> None:
    """Several processes keep their figures in files of a folder, so that whichever is asked can add them up.

    prometheus_client reads the variable when it is loaded, in the processes that are forked from here.
    """
    if workers > 1:
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="footnote-metrics-")


def post_worker_init(worker: Any) -> None:
    """Load the models before the first request, where WEB_WARM_UP asks for it, so that no question waits for them."""
    if env.bool("WEB_WARM_UP", default=False):
        from core.operations.warming import try_to_warm_up

        try_to_warm_up()


def on_exit(server: Any) -> None:
    """Figures end with the web process."""
    if workers > 1:
        shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
