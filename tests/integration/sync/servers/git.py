"""Git's own server over http, with a user who signs in by one password to read, and by another to write as well."""

import base64
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

from tests.integration.sync.servers.served import Served, serving

PASSWORDS = ("may-read", "may-write")  # to read; to read and write


class Branch:
    """A branch to which each change is committed."""

    def __init__(self, repository: Repo) -> None:
        self._repository = repository
        self._files: dict[str, bytes] = {}
        self.modes: dict[str, int] = {}

    def put(self, path: str, content: bytes) -> None:
        """Commit a file."""
        self._files[path] = content
        self._commit()

    def remove(self, path: str) -> None:
        """Commit that a file is gone."""
        del self._files[path]
        self._commit()

    def _commit(self) -> None:
        objects = self._repository.object_store
        commit = Commit()
        commit.tree = self._write("")
        commit.author = commit.committer = b"Alice <alice@example.com>"
        commit.author_time = commit.commit_time = 1_700_000_000
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = b"A change"
        objects.add_object(commit)
        self._repository.refs[b"refs/heads/main"] = commit.id
        self._repository.refs.set_symbolic_ref(b"HEAD", b"refs/heads/main")

    def _write(self, folder: str) -> bytes:
        objects = self._repository.object_store
        tree = Tree()
        below = [path[len(folder) :] for path in self._files if path.startswith(folder)]
        for name in {path.partition("/")[0] for path in below if "/" in path}:
            tree.add(name.encode(), 0o040000, self._write(f"{folder}{name}/"))
        for name in (path for path in below if "/" not in path):
            blob = Blob.from_string(self._files[folder + name])
            objects.add_object(blob)
            tree.add(name.encode(), self.modes.get(folder + name, 0o100644), blob.id)
        objects.add_object(tree)
        return tree.id


@contextmanager
def serve(folder: Path, *, name: str = "handbook.git", api: Any = None) -> Iterator[Served]:
    """A bare repository, of which a folder is the source. api: answers what is asked below /api/."""
    (folder / name).parent.mkdir(exist_ok=True)
    with Repo.init_bare(str(folder / name), mkdir=True) as repository:
        branch = Branch(repository)
        branch.put("README.md", b"outside the folder")
        config = repository.get_config()
        config.set((b"uploadpack",), b"allowFilter", True)
        config.set((b"http",), b"receivepack", True)
        config.set((b"transfer",), b"fsckObjects", True)
        config.write_to_path()
        with serving(_divide(api, _signed_in(_backend(folder)))) as port:

            def at(port: int) -> dict[str, str]:
                return {
                    "address": f"http://127.0.0.1:{port}/{name}",
                    "branch": "main",
                    "path": "docs",
                    "user": "footnote",
                }

            yield Served(
                kind="git",
                settings=at(port),
                secrets=dict(zip(("password", "change_token"), PASSWORDS, strict=True)),
                refused={"password": "wrong"},
                put=lambda path, content: branch.put(f"docs/{path}", content),
                remove=lambda path: branch.remove(f"docs/{path}"),
                at=at,
            )


def _divide(api: Any, git: Any) -> Any:
    def answer(environ: dict[str, Any], start: Any) -> Any:
        return (api if api and environ["PATH_INFO"].startswith("/api/") else git)(environ, start)

    return answer


def _signed_in(application: Any) -> Any:
    reads, writes = ("Basic " + base64.b64encode(f"footnote:{word}".encode()).decode() for word in PASSWORDS)

    def answer(environ: dict[str, Any], start: Any) -> Any:
        shown = environ.get("HTTP_AUTHORIZATION")
        if shown not in {reads, writes}:
            start("401 Unauthorized", [("WWW-Authenticate", "Basic")])
            return [b""]
        if shown == reads and "git-receive-pack" in environ["PATH_INFO"] + environ["QUERY_STRING"]:
            start("403 Forbidden", [])
            return [b""]
        return application(environ, start)

    return answer


def _backend(folder: Path) -> Any:
    """git http-backend, as a web server runs it: https://git-scm.com/docs/git-http-backend"""

    def answer(environ: dict[str, Any], start: Any) -> list[bytes]:
        told = {name: value for name, value in environ.items() if name.isupper() and isinstance(value, str)}
        own = {"GIT_PROJECT_ROOT": str(folder), "GIT_HTTP_EXPORT_ALL": "1", "GIT_CONFIG_NOSYSTEM": "1"}
        if "HTTP_GIT_PROTOCOL" in environ:
            own["GIT_PROTOCOL"] = environ["HTTP_GIT_PROTOCOL"]
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        safe = ["-c", "safe.directory=*"]
        done = subprocess.run(
            [str(shutil.which("git")), *safe, "http-backend"],
            input=body,
            env=os.environ | told | own,
            capture_output=True,
            check=True,
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [(name, value) for name, value in (line.split(": ", 1) for line in head.decode().split("\r\n"))]
        start(dict(headers).get("Status", "200 OK"), [one for one in headers if one[0] != "Status"])
        return [content]

    return answer
