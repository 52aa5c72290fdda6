"""Serve GitHub's REST API for one repository.

https://docs.github.com/en/rest/git/trees, /git/blobs, /repos/contents, /commits/commits
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from tests.integration.sync.servers.served import Served, serving

REPOSITORY = "/api/v3/repos/octo-org/handbook"


class Repository:
    """Files of one branch, and the answers about them."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {"README.md": b"outside the folder"}
        self.modes: dict[str, str] = {}
        self.is_truncated = False
        self.asked: list[str] = []
        self.limited = False

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """An answer, to who has the token."""
        self.asked.append(environ["PATH_INFO"])
        if environ.get("HTTP_AUTHORIZATION") != "Bearer right":
            return _answer(start, 401, {"message": "Bad credentials"})
        if self.limited:
            return _answer(start, 403, {"message": "API rate limit exceeded"}, ("x-ratelimit-remaining", "0"))
        path = environ["PATH_INFO"].encode("latin-1").decode().removeprefix(REPOSITORY)
        if path.startswith("/contents/") and environ["HTTP_ACCEPT"] == "application/vnd.github.object+json":
            about = self._describe(path.removeprefix("/contents/"))
            return _answer(start, 200 if about else 404, about or {"message": "Not Found"})
        found = self._find(path, parse_qs(environ["QUERY_STRING"]))
        if isinstance(found, bytes):
            start("200 OK", [("Content-Type", "application/vnd.github.raw+json")])
            return [found]
        return _answer(start, 200 if found else 404, found or {"message": "Not Found"})

    def _find(self, path: str, query: dict[str, list[str]]) -> dict[str, Any] | bytes | None:
        if path == "":
            return {"default_branch": "main", "html_url": "https://github.com/octo-org/handbook"}
        if path == "/commits/main":
            return {"sha": "c0", "commit": {"tree": {"sha": _sha("tree ")}}}
        if path.startswith("/git/trees/"):
            return self._tree(path.removeprefix("/git/trees/"), recursive="recursive" in query)
        if path.startswith("/git/blobs/"):
            wanted = path.removeprefix("/git/blobs/")
            return next((content for content in self.files.values() if _blob(content) == wanted), None)
        return self.files.get(path.removeprefix("/contents/"))

    def _describe(self, path: str) -> dict[str, Any] | None:
        if path in self.files:
            return {"type": "file", "path": path, "sha": _blob(self.files[path]), "content": ""}
        if any(each.startswith(f"{path}/") for each in self.files):
            return {"type": "dir", "path": path, "sha": _sha(f"tree {path}/"), "entries": []}
        return None

    def _tree(self, sha: str, *, recursive: bool) -> dict[str, Any] | None:
        folders = {
            "",
            *(f"{'/'.join(path.split('/')[:n])}/" for path in self.files for n in range(1, path.count("/") + 1)),
        }
        folder = next((folder for folder in folders if _sha(f"tree {folder}") == sha), None)
        if folder is None:
            return None
        everything = {path: _blob(content) for path, content in self.files.items()}
        everything |= {one: _sha(f"tree {one}") for one in folders if one}
        below = {
            path[len(folder) :]: sha for path, sha in everything.items() if path.startswith(folder) and path != folder
        }
        entries = [
            {
                "path": path.rstrip("/"),
                "mode": "040000" if path.endswith("/") else self.modes.get(folder + path, "100644"),
                "type": "tree" if path.endswith("/") else "blob",
                "sha": sha,
            }
            for path, sha in below.items()
            if (recursive and not self.is_truncated) or "/" not in path.rstrip("/")
        ]
        return {"sha": sha, "tree": entries, "truncated": recursive and self.is_truncated}


def _answer(start: Any, status: int, content: dict[str, Any], *headers: tuple[str, str]) -> list[bytes]:
    start(f"{status} Answer", [("Content-Type", "application/json"), *headers])
    return [json.dumps(content).encode()]


def _sha(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def serve(folder: Path, repository: Repository | None = None) -> Iterator[Served]:
    """A repository, of which a folder is the source."""
    repository = repository or Repository()
    with serving(repository) as port:

        def at(port: int) -> dict[str, str]:
            return {
                "owner": "octo-org",
                "repository": "handbook",
                "path": "docs",
                "api": f"http://127.0.0.1:{port}/api/v3",
            }

        yield Served(
            kind="github",
            settings=at(port),
            secrets={"token": "right"},
            refused={"token": "wrong"},
            put=lambda path, content: repository.files.update({f"docs/{path}": content}),
            remove=lambda path: repository.files.pop(f"docs/{path}") and None,
            at=at,
        )
