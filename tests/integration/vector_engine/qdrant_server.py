"""Qdrant on loopback: what its REST interface takes and gives, by its makers' own models and local mode."""

import json
import re
import threading
import time
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any

from qdrant_client import QdrantClient, models
from qdrant_client.http.models import CreateFieldIndex, PointsList, ScrollRequest
from qdrant_client.http.models import QueryRequest as Query

NO_SERVER = "the local mode of qdrant-client, which is no server"
_PATH = re.compile(r"/collections/(?P<name>[^/]+)(?P<what>/[a-z/]+)?")


class QdrantServer:
    """A server that can be stopped, and slow. What it holds stays through a stop. Each request has its connection."""

    def __init__(self) -> None:
        self.client = QdrantClient(":memory:")
        self.delay_s = 0.0
        self.say_instead: Any = None  # of what is found
        self.asked: list[str] = []  # method and what, without the collection's name
        self.bodies: list[Any] = []
        self._lock = threading.Lock()
        self._http: ThreadingHTTPServer | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", self._port), _handler(self))
        self._http.daemon_threads = True
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        if self._http:
            self._http.shutdown()
            self._http.server_close()
            self._http = None

    def answer(self, method: str, path: str, body: Any) -> Any:
        """The result of a request; KeyError for a collection that is not there."""
        time.sleep(self.delay_s)
        if path == "/collections":
            return {"collections": [{"name": each.name} for each in self.client.get_collections().collections]}
        match = _PATH.fullmatch(path)
        if match is None:
            raise LookupError(path)
        name, what = match["name"], match["what"] or ""
        self.asked.append(f"{method} {what}")
        self.bodies.append(body)
        act: Callable[[str, Any], Any] = getattr(self, _ACTIONS[method, what])
        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # local mode has no indexes of payloads, and says so
            if (method, what) != ("PUT", "") and not self.client.collection_exists(name):
                raise KeyError(name)
            return act(name, body)

    def _create(self, name: str, body: Any) -> bool:
        asked = models.CreateCollection.model_validate(body)
        return self.client.create_collection(name, vectors_config=asked.vectors)

    def _describe(self, name: str, body: Any) -> Any:
        return self.client.get_collection(name)

    def _drop(self, name: str, body: Any) -> bool:
        return self.client.delete_collection(name)

    def _index(self, name: str, body: Any) -> bool:
        CreateFieldIndex.model_validate(body)
        return True

    def _put(self, name: str, body: Any) -> Any:
        return self.client.upsert(name, PointsList.model_validate(body).points)

    def _payload(self, name: str, body: Any) -> Any:
        asked = models.SetPayload.model_validate(body)
        return self.client.set_payload(name, asked.payload, points=asked.filter)

    def _delete(self, name: str, body: Any) -> Any:
        return self.client.delete(name, models.FilterSelector.model_validate(body))

    def _query(self, name: str, body: Any) -> Any:
        if self.say_instead is not None:
            return self.say_instead
        asked = Query.model_validate(body)
        return self.client.query_points(
            name, query=asked.query, query_filter=asked.filter, limit=asked.limit, with_payload=False
        )

    def _scroll(self, name: str, body: Any) -> Any:
        asked = ScrollRequest.model_validate(body)
        points, offset = self.client.scroll(
            name,
            scroll_filter=asked.filter,
            limit=asked.limit,
            offset=asked.offset,
            with_payload=asked.with_payload,
            with_vectors=asked.with_vector,
        )
        return {"points": [point.model_dump() for point in points], "next_page_offset": offset}

    def _count(self, name: str, body: Any) -> Any:
        return self.client.count(name, exact=models.CountRequest.model_validate(body).exact)


_ACTIONS = {
    ("PUT", ""): "_create",
    ("GET", ""): "_describe",
    ("DELETE", ""): "_drop",
    ("PUT", "/index"): "_index",
    ("PUT", "/points"): "_put",
    ("POST", "/points/payload"): "_payload",
    ("POST", "/points/delete"): "_delete",
    ("POST", "/points/query"): "_query",
    ("POST", "/points/scroll"): "_scroll",
    ("POST", "/points/count"): "_count",
}


def _handler(server: QdrantServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            try:
                if self.path == "/":
                    return self._say(200, {"title": NO_SERVER, "version": version("qdrant-client")})
                result = server.answer(self.command, self.path.partition("?")[0], body)
                self._say(200, {"status": "ok", "result": result})
            except KeyError:
                self._say(404, {"status": {"error": "Not found"}})
            except ValueError as error:
                self._say(422, {"status": {"error": str(error)}})

        def _say(self, code: int, answer: Any) -> None:
            content = json.dumps(answer, default=lambda value: value.model_dump()).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_DELETE = _serve  # noqa: N815 - the names of http.server

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    return Handler
