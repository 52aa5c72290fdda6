"""`python -m core.llm.local_model.serving`: serve one model file on the loopback address, in OpenAI's form.

A process of its own, which the one that started it watches: it loads no Django, and ends when that one has gone.
What llama.cpp writes goes to standard error, errors alone: its other lines may hold what was asked.
"""

import argparse
import os
import sys
import time
from typing import Any

CANNOT_LOAD, NOT_INSTALLED = 3, 4  # exit codes
KEY = "FOOTNOTE_MODEL_KEY"  # the variable with what a caller has to send; not an argument, which others could see


def main(arguments: list[str]) -> int:
    """Serve until the parent has gone."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--name", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    given = parser.parse_args(arguments)
    parent = os.getppid()
    try:
        import xllamacpp
    except ImportError:
        return NOT_INSTALLED
    try:
        server = xllamacpp.Server(_fill_parameters(xllamacpp.CommonParams(), given))
    except RuntimeError:
        return CANNOT_LOAD
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    while os.getppid() == parent:
        time.sleep(0.5)
    return 0


def _fill_parameters(params: Any, given: argparse.Namespace) -> Any:
    """Fill in llama.cpp's parameters: the loopback address, a key, one conversation at a time, nothing besides."""
    params.model.path = given.file
    params.model_alias = {given.name}
    params.hostnames, params.port = ["127.0.0.1"], given.port
    params.n_ctx, params.n_parallel = given.context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = given.threads
    params.api_keys = [os.environ[KEY]] if os.environ.get(KEY) else []
    params.endpoint_slots, params.ui, params.offline = False, False, True
    params.cache_ram_mib = 0  # no prompt is kept beside the one that is answered
    params.verbosity = 1  # errors
    return params


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
