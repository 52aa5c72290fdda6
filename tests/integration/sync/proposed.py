"""Places at which changes are proposed: a real repository each, behind what serves it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dulwich.repo import Repo

from core.library.sync.connector import Access
from core.library.sync.kinds import kind_of
from core.library.sync.proposing import Change, TakesChanges
from tests.integration.sync.servers import git
from tests.integration.sync.servers.merge_requests import TOKEN, Api, Gitea, GitHub, GitLab
from tests.integration.sync.servers.served import Served, listed, serving

GIT_WAYS = ("branch", "gitlab", "gitea")  # over http
REQUEST_WAYS = ("gitlab", "gitea", "github")  # with merge requests
WAYS = ("file", *GIT_WAYS, "github")
ID = "0123456789abcdef0123456789abcdef"
BRANCH = "footnote/change-0123456789ab"
_APIS: dict[str, Callable[[Path], Api]] = {"gitlab": GitLab, "gitea": Gitea, "github": GitHub}


@dataclass(frozen=True, kw_only=True)
class Place:
    """A source in the folder docs of a repository's branch main."""

    served: Served
    bare: Path
    work: Path  # a clone of somebody who may do everything
    api: Api | None

    def connect(self, *, access: Access | None = None, token: str = TOKEN) -> TakesChanges:
        """Connect to it for changes."""
        kind = kind_of(self.served.kind)
        assert kind.connect_for_changes is not None
        settings = kind.settings.model_validate(self.served.settings)
        return kind.connect_for_changes(settings, {"change_token": token}, access or self.served.access())

    def git(self, *arguments: str) -> str:
        """Run git in the bare repository."""
        return run(self.bare, *arguments)

    def put(self, path: str, content: bytes, *, mode: int = 0o644) -> str:
        """Commit a file to main, below docs; return the id of its content."""
        file = self.work / "docs" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
        self.commit()
        return self.git("rev-parse", f"main:docs/{path}")

    def commit(self) -> None:
        """Commit what was changed in the clone, and push it."""
        run(self.work, "add", "--all")
        run(self.work, "commit", "--quiet", "-m", "A change")
        run(self.work, "push", "--quiet", "origin", "main")

    def merge(self, *, is_squashed: bool) -> None:
        """Merge the branch into main, and remove it."""
        run(self.work, "fetch", "--quiet")
        how = ["--squash"] if is_squashed else ["--no-ff", "-m", "Merge it"]
        run(self.work, "merge", "--quiet", *how, f"origin/{BRANCH}")
        if is_squashed:
            run(self.work, "commit", "--quiet", "-m", "All of it")
        run(self.work, "push", "--quiet", "origin", "main", f":{BRANCH}")

    def branches(self) -> set[str]:
        """Return the names of all branches."""
        return set(self.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split())

    def fingerprints(self) -> dict[str, str]:
        """Return what the source lists, with its fingerprints."""
        return {key: one.fingerprint for key, one in listed(self.served.connect()).items()}


def change_of(key: str, fingerprint: str, text: str, **other: Any) -> Change:
    """Return a change of a file; of a new one where there is no fingerprint."""
    change = Change(
        proposal_id=ID,
        key=key,
        is_new=not fingerprint,
        fingerprint=fingerprint,
        title="Say who has the key",
        description="It was asked **twice**.",
        text=text,
    )
    return replace(change, **other)


@contextmanager
def open_place(way: str, folder: Path) -> Iterator[Place]:
    """Serve a repository in one of the ways, with a README outside of the source."""
    bare = folder / "team" / "handbook.git"
    api = _APIS[way](bare) if way in _APIS else None
    if way in GIT_WAYS:
        with git.serve(folder, name="team/handbook.git", api=api) as served:
            yield _clone(_set(served, changes=way), bare, api)
        return
    bare.parent.mkdir()
    with Repo.init_bare(str(bare), mkdir=True) as repository:
        git.Branch(repository).put("README.md", b"outside the folder")
    if api is None:
        settings = {"address": f"file://{bare}", "path": "docs", "branch": "main", "changes": "branch"}
        yield _clone(Served(kind="git", settings=settings, put=print, remove=print, folders=(folder,)), bare, api)
        return
    with serving(api) as port:
        settings = {
            "owner": "octo-org",
            "repository": "handbook",
            "path": "docs",
            "api": f"http://127.0.0.1:{port}/api/v3",
            "changes": True,
        }
        served = Served(kind="github", settings=settings, secrets={"token": TOKEN}, put=print, remove=print)
        yield _clone(served, bare, api)


def _set(served: Served, **settings: object) -> Served:
    return replace(served, settings=served.settings | settings)


def _clone(served: Served, bare: Path, api: Api | None) -> Place:
    work = bare.parent / "work"
    run(bare.parent, "clone", "--quiet", str(bare), str(work))
    return Place(served=served, bare=bare, work=work, api=api)


def run(folder: Path, *arguments: str) -> str:
    """Run git in a folder as somebody who has nothing to do with the product."""
    who = ["-c", "user.name=Alice", "-c", "user.email=alice@example.com", "-c", "safe.directory=*"]
    done = subprocess.run(
        [str(shutil.which("git")), *who, "-c", "core.quotePath=false", *arguments],
        cwd=folder,
        env=os.environ | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
