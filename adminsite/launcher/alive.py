"""`python -m adminsite.launcher.alive`: what a container's health check runs.

Ends with 0 when the web process beside it answers /livez, with 1 otherwise. Loads neither Django nor the settings.
"""

import os
import sys
import urllib.error
import urllib.request

_ANSWER_TIMEOUT_S = 8  # under the ten seconds of the image's health check


def is_alive(port: str, hosts: str) -> bool:
    """True when /livez of this machine answers 200.

    port: where the web process listens. hosts: those that it answers to, as in ALLOWED_HOSTS; the first that is not a
    pattern is asked for.
    """
    host = next((host for host in hosts.split(",") if host and not host.startswith(("*", "."))), "localhost")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/livez", headers={"Host": host})
    try:
        with urllib.request.urlopen(request, timeout=_ANSWER_TIMEOUT_S) as response:  # noqa: S310 - of this machine
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(0 if is_alive(os.environ.get("PORT", "8000"), os.environ.get("ALLOWED_HOSTS", "")) else 1)
