"""How gunicorn serves the web process: `gunicorn --config python:adminsite.gunicorn adminsite.wsgi`.

Threads in one process, because the work is waiting for PostgreSQL; the answers themselves are made in the worker.
"""

import os

bind = f"{os.environ.get('WEB_HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_PROCESSES", "1"))
threads = int(os.environ.get("WEB_THREADS", "16"))
worker_class = "gthread"
timeout = 60  # seconds without a sign of life before a process is replaced
graceful_timeout = 5  # seconds for open requests at a stop
keepalive = 5  # seconds
control_socket_disable = True  # it would open a socket in the home folder of whoever runs this
