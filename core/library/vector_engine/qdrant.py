"""The engine, spoken to by Qdrant's REST interface (https://api.qdrant.tech, version 1.16 or newer).

Its answers are not trusted: ids that are none, or numbers that are missing, are an EngineError like any other failure.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal
from uuid import UUID

import httpx
import numpy as np
from django.conf import settings

from core.errors import EngineError

_WRITE_TIMEOUT_S = 60.0
_SCROLL = 500  # points, with their vectors, in one answer
# How far the graph is walked for each that is wanted, and with ACORN past what the filter leaves out: at 400 of 50,000
# chunks, half of them permitted by whole topics, 2 found .93 without it and 1.00 with it, where all are permitted 2
# found .96 and 4 .99 (docs/decisions/0065).
_WALK = 4


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Point:
    """A chunk as the engine holds it."""

    id: UUID
    vector: np.ndarray  # float32, (dimension,)
    document: int  # Document.number
    access_class: int


@dataclass(frozen=True, slots=True)
class Range:
    """Documents by their numbers: above `after`, up to `to`; without an end where one is None."""

    after: int | None
    to: int | None


class Engine:
    """One engine, at an address. Every method raises EngineError when it is away, too slow or gives an error."""

    def __init__(self, url: str, api_key: str, timeout_s: float) -> None:
        headers = {"api-key": api_key} if api_key else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout_s)

    def create(self, name: str, dimension: int) -> None:
        """Make an empty collection, in place of one of the same name that was left."""
        self.drop(name)
        body: dict[str, Any] = {"vectors": {"size": dimension, "distance": "Cosine", "on_disk": True}}
        body["shard_number"] = settings.VECTOR_ENGINE_SHARDS
        body["replication_factor"] = settings.VECTOR_ENGINE_REPLICAS
        self._ask_server("PUT", f"/collections/{name}", body)
        for field in ("class", "document"):
            self._ask_server(
                "PUT", f"/collections/{name}/index?wait=true", {"field_name": field, "field_schema": "integer"}
            )

    def describe(self) -> str:
        """Return the engine's own description of itself, with its version."""
        return str(self._ask_server("GET", "/", read=lambda said: f"{said['title']}, {said['version']}"))

    def is_indexed(self, name: str) -> bool:
        """Return True if the engine has built the graphs over a whole collection."""
        return bool(
            self._ask_server("GET", f"/collections/{name}", read=lambda said: said["result"]["status"] == "green")
        )

    def drop(self, name: str) -> None:
        """Delete a collection, if it is there."""
        self._ask_server("DELETE", f"/collections/{name}")

    def list_names(self) -> list[str]:
        """Return the names of all collections."""
        names: list[str] = self._ask_server(
            "GET", "/collections", read=lambda said: [str(each["name"]) for each in said["result"]["collections"]]
        )
        return names

    def count(self, name: str) -> int:
        """Count the chunks of a collection."""
        path = f"/collections/{name}/points/count"
        return int(self._ask_server("POST", path, {"exact": True}, read=lambda said: int(said["result"]["count"])))

    def nearest(
        self, name: str, vector: np.ndarray, limit: int, *, field: Literal["class", "document"], numbers: Sequence[int]
    ) -> list[str]:
        """About the nearest of the chunks in some classes or documents, nearest first: their ids in hexadecimal."""
        body = {
            "query": vector.tolist(),
            "limit": limit,
            "filter": {"must": [_is_any(field, numbers)]},
            "params": {"hnsw_ef": _WALK * limit, "acorn": {"enable": True}},
            "with_payload": False,
        }
        found: list[str] = self._ask_server(
            "POST",
            f"/collections/{name}/points/query",
            body,
            read=lambda said: [_parse_id(point["id"]).hex for point in said["result"]["points"]],
        )
        return found

    def put(self, name: str, points: Sequence[Point]) -> None:
        """Store chunks, in place of those with the same ids."""
        rows = [
            {
                "id": str(point.id),
                "vector": point.vector.tolist(),
                "payload": {"class": point.access_class, "document": point.document},
            }
            for point in points
        ]
        self._write_and_wait("PUT", name, "", {"points": rows})

    def move(self, name: str, documents: Sequence[int], access_class: int) -> None:
        """Put the chunks of documents into a class."""
        chosen = {"must": [_is_any("document", documents)]}
        self._write_and_wait("POST", name, "/payload", {"payload": {"class": access_class}, "filter": chosen})

    def keep_only(self, name: str, documents: Sequence[int], ids: Sequence[UUID]) -> None:
        """Delete the chunks of documents that are not among these ids."""
        chosen: dict[str, Any] = {"must": [_is_any("document", documents)]}
        if ids:
            chosen["must_not"] = [{"has_id": [str(pk) for pk in ids]}]
        self._write_and_wait("POST", name, "/delete", {"filter": chosen})

    def read(self, name: str, documents: Range) -> Iterator[Point]:
        """Yield every chunk of a range of documents, with its vector, which has the length 1 here."""
        between = {"gt": documents.after, "lte": documents.to}
        limits = {side: number for side, number in between.items() if number is not None}
        body: dict[str, Any] = {"limit": _SCROLL, "with_payload": True, "with_vector": True}
        if limits:
            body["filter"] = {"must": [{"key": "document", "range": limits}]}
        while True:
            points, offset = self._ask_server(
                "POST",
                f"/collections/{name}/points/scroll",
                body,
                timeout_s=_WRITE_TIMEOUT_S,
                read=lambda said: (
                    list(map(_parse_point, said["result"]["points"])),
                    said["result"].get("next_page_offset"),
                ),
            )
            yield from points
            if offset is None:
                return
            body["offset"] = offset

    def _write_and_wait(self, method: str, name: str, what: str, body: dict[str, Any]) -> None:
        """Write, and wait until it can be found."""
        self._ask_server(method, f"/collections/{name}/points{what}?wait=true", body, timeout_s=_WRITE_TIMEOUT_S)

    def _ask_server(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        timeout_s: float | None = None,
        read: Callable[[Any], Any] = itemgetter("result"),
    ) -> Any:
        timeout = httpx.USE_CLIENT_DEFAULT if timeout_s is None else timeout_s
        try:
            response = self._http.request(method, path, json=body, timeout=timeout)
            if method == "DELETE" and response.status_code == httpx.codes.NOT_FOUND:
                return None
            response.raise_for_status()
            return read(response.json())
        except httpx.TimeoutException as error:
            raise EngineError("The vector engine took too long.", reason="slow") from error
        except httpx.HTTPStatusError as error:
            code = error.response.status_code
            if code == httpx.codes.NOT_FOUND:
                raise EngineError("The vector engine has lost its collection.", reason="lost") from error
            raise EngineError(f"The vector engine answered with status {code}.", reason="error") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EngineError("The vector engine cannot be reached.", reason="away") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise EngineError("The vector engine gave an answer that is none.", reason="error") from error


class _Keeper:
    """Keeps the connections of this process between searches."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: tuple[tuple[str, str, float], Engine] | None = None

    def get(self) -> Engine | None:
        """Return the engine that the settings name; None when they name none."""
        if not settings.VECTOR_ENGINE_URL:
            return None
        named = (settings.VECTOR_ENGINE_URL, settings.VECTOR_ENGINE_API_KEY, settings.VECTOR_ENGINE_TIMEOUT_S)
        with self._lock:
            if self._kept is None or self._kept[0] != named:
                self._kept = (named, Engine(*named))
            return self._kept[1]


engine = _Keeper().get


def _is_any(key: str, numbers: Sequence[int]) -> dict[str, Any]:
    return {"key": key, "match": {"any": list(numbers)}}


def _parse_id(text: Any) -> UUID:
    try:
        return UUID(text)
    except (ValueError, AttributeError, TypeError) as error:
        raise EngineError("The vector engine gave something else than the id of a chunk.", reason="error") from error


def _parse_point(found: dict[str, Any]) -> Point:
    try:
        return Point(
            id=_parse_id(found["id"]),
            vector=np.asarray(found["vector"], dtype=np.float32),
            document=int(found["payload"]["document"]),
            access_class=int(found["payload"]["class"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise EngineError("The vector engine gave a chunk that is not whole.", reason="error") from error
