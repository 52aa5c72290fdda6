"""Stand in for llama.cpp's server program: the same names, a server that replies with one sentence."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any


class CommonParams(SimpleNamespace):
    """Holds what the server is started with."""

    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Server:
    """Serves on the loopback address."""

    def __init__(self, params: Any) -> None:
        """RuntimeError for a file that does not say that it is of the architecture "llama"."""
        if b"llama" not in Path(params.model.path).read_bytes():
            sys.stderr.write("error loading model: unknown model architecture: 'starling'\n")
            raise RuntimeError
        server = ThreadingHTTPServer(("127.0.0.1", params.port), _Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{params.port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._reply({"status": "ok"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        said = {"message": {"role": "assistant", "content": "The harbour office opens at nine."}}
        timings = {"prompt_per_second": 500.0, "predicted_per_second": 40.0}
        self._reply({"choices": [said], "timings": timings})

    def _reply(self, what: dict[str, Any]) -> None:
        body = json.dumps(what).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing."""
