"""Serve the merge requests of GitLab, Gitea and GitHub for a real repository, of which GitHub serves the objects too.

https://docs.gitlab.com/api/merge_requests/, https://docs.gitea.com/api/, https://docs.github.com/en/rest/git and
https://docs.github.com/en/rest/pulls/pulls
"""

import json
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

from dulwich.objects import Blob, Commit, Tree
from dulwich.repo import Repo

TOKEN = "may-write"


class Api:
    """What the services have in common. `requests` holds the merge requests as the service describes them."""

    project = ""  # the path of the project in the API, as it is sent
    header = ""  # by which the token comes
    shown = TOKEN  # in that header
    requests_path = "/pulls"

    def __init__(self, repository: Path) -> None:
        self.repository = repository
        self.requests: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.takes_all = False  # whatever the token
        self.refuses: dict[str, int] = {}  # the status for a method and a path
        self.about: dict[str, Any] = self.describe_rights(may_write=True)  # what the repository's description adds

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """Answer, as far as the token is right."""
        path, _, query = environ["REQUEST_URI"].partition("?")
        asked = f"{environ['REQUEST_METHOD']} {path.removeprefix(self.project)}"
        self.asked.append(asked)
        if not self.takes_all and environ.get(self.header) != self.shown:
            return _answer(start, 401, {"message": "Unauthorized"})
        if not path.startswith(self.project):
            return _answer(start, 404, {"message": "Not Found"})
        if asked in self.refuses:
            return _answer(start, self.refuses[asked], {"message": "refused"})
        sent = json.loads(environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) or "{}")
        with Repo(str(self.repository)) as repository:
            status, found = self.answer(repository, asked, {k: v[0] for k, v in parse_qs(query).items()}, sent)
        return _answer(start, status, found)

    def answer(self, repository: Repo, asked: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and content of an answer."""
        if asked == "GET ":
            return 200, {"id": 7, "default_branch": "main"} | self.about
        if asked == f"POST {self.requests_path}":
            return self.create(repository, sent)
        if asked.startswith(f"GET {self.requests_path}/"):
            number = int(asked.rpartition("/")[2])
            return (200, self.requests[number - 1]) if number <= len(self.requests) else (404, {})
        return 404, {}

    def create(self, repository: Repo, sent: dict[str, Any]) -> tuple[int, Any]:
        """Make a request for a branch that is there and has none that is open."""
        head, base = self.ends(sent)
        if {head, base} - {name.decode() for name in repository.refs.keys(base=b"refs/heads")}:
            return 422, {"message": "no such branch"}
        if any(self.ends(one)[0] == head and one["state"] in {"open", "opened"} for one in self.requests):
            return 409, {"message": "already exists"}
        self.requests.append(self.describe(sent, len(self.requests) + 1))
        return 201, self.requests[-1]

    def describe_rights(self, *, may_write: bool) -> dict[str, Any]:
        """Return what a repository's description says of the rights of who asks."""
        return {"permissions": {"admin": False, "push": may_write, "pull": True}}

    def ends(self, request: dict[str, Any]) -> tuple[str, str]:
        """Return the branch of a request, and the one into which it is to be merged."""
        raise NotImplementedError

    def describe(self, sent: dict[str, Any], number: int) -> dict[str, Any]:
        """Return a new request."""
        raise NotImplementedError

    def end(self, number: str, *, merged: bool) -> None:
        """Close a request."""
        self.requests[int(number) - 1] |= {"state": "closed", "merged": merged}


class GitLab(Api):
    """GitLab's API version 4."""

    project = "/api/v4/projects/team%2Fhandbook"
    header = "HTTP_PRIVATE_TOKEN"
    requests_path = "/merge_requests"

    def answer(self, repository: Repo, asked: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and content of an answer."""
        if asked == "GET /merge_requests":
            return 200, [
                one
                for one in reversed(self.requests)
                if one["source_branch"] == query["source_branch"] and query["state"] in {"all", one["state"]}
            ]
        return super().answer(repository, asked, query, sent)

    def describe_rights(self, *, may_write: bool) -> dict[str, Any]:
        """Return the roles of who asks: Reporter by the group, and Developer in the project if they may write."""
        access = {"access_level": 30, "notification_level": 3} if may_write else None
        return {"permissions": {"project_access": access, "group_access": {"access_level": 20}}}

    def ends(self, request: dict[str, Any]) -> tuple[str, str]:
        """Return both branches."""
        return request["source_branch"], request["target_branch"]

    def describe(self, sent: dict[str, Any], number: int) -> dict[str, Any]:
        """Return a new request."""
        url = f"https://gitlab.example.com/team/handbook/-/merge_requests/{number}"
        about = {"id": 1000 + number, "iid": number, "state": "opened", "web_url": url}
        return sent | about | {"source_project_id": 7, "target_project_id": 7}

    def end(self, number: str, *, merged: bool) -> None:
        """Close a request."""
        self.requests[int(number) - 1]["state"] = "merged" if merged else "closed"


class Gitea(Api):
    """Gitea's API version 1."""

    project = "/api/v1/repos/team/handbook"
    header = "HTTP_AUTHORIZATION"
    shown = f"token {TOKEN}"

    def answer(self, repository: Repo, asked: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and content of an answer."""
        if asked.startswith("GET /pulls/main/"):
            head = unquote(asked.removeprefix("GET /pulls/main/"))
            found = [one for one in self.requests if self.ends(one) == (head, "main")]
            return (200, found[0]) if found else (404, {})
        return super().answer(repository, asked, query, sent)

    def ends(self, request: dict[str, Any]) -> tuple[str, str]:
        """Return both branches."""
        head, base = request["head"], request["base"]
        return (head, base) if isinstance(head, str) else (head["ref"], base["ref"])

    def describe(self, sent: dict[str, Any], number: int) -> dict[str, Any]:
        """Return a new request."""
        ends = {end: {"ref": sent[end], "repo": {"id": 7}} for end in ("head", "base")}
        url = f"https://code.example.com/team/handbook/pulls/{number}"
        return sent | ends | {"id": 1000 + number, "number": number, "state": "open", "merged": False, "html_url": url}


class GitHub(Gitea):
    """GitHub's REST API, with the objects of a repository."""

    project = "/api/v3/repos/octo-org/handbook"
    shown = f"Bearer {TOKEN}"

    def answer(self, repository: Repo, asked: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
        """Return the status and content of an answer."""
        method, _, path = asked.partition(" ")
        if path == "":
            about = {"default_branch": "main", "html_url": "https://github.com/octo-org/handbook"}
            return 200, about | self.about
        if asked == "GET /pulls":
            found = [one for one in self.requests if f"octo-org:{self.ends(one)[0]}" == query["head"]]
            return 200, [one for one in found if query["state"] in {"all", one["state"]}]
        if path.startswith(("/git/", "/commits/")):
            return (_make if method == "POST" else _read)(repository, unquote(path), query, sent)
        return super().answer(repository, asked, query, sent)

    def create(self, repository: Repo, sent: dict[str, Any]) -> tuple[int, Any]:
        """Make a request; GitHub has one status for all that cannot be made."""
        status, found = super().create(repository, sent)
        return (422 if status == 409 else status), found


def _read(repository: Repo, path: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
    _, kind, *rest = path[1:].split("/") if path.startswith("/git/") else ["", *path[1:].split("/")]
    if kind == "ref":
        name = f"refs/{'/'.join(rest)}".encode()
        return (200, {"object": {"sha": repository.refs[name].decode()}}) if name in repository.refs else (404, {})
    if kind == "commits" and path.startswith("/commits/"):
        commit = repository[repository.refs[f"refs/heads/{rest[0]}".encode()]]
        return 200, {"sha": commit.id.decode(), "commit": {"tree": {"sha": commit.tree.decode()}}}
    try:
        found = repository[rest[0].encode()]
    except KeyError:
        return 404, {}
    if kind == "commits":
        return 200, {"sha": rest[0], "tree": {"sha": found.tree.decode()}}
    if kind == "trees":
        entries = list(_list_entries(repository, found, "", is_recursive="recursive" in query))
        return 200, {"sha": rest[0], "tree": entries, "truncated": False}
    return 200, {"size": len(found.data), "content": b64encode(found.data).decode(), "encoding": "base64"}


def _list_entries(repository: Repo, tree: Tree, above: str, *, is_recursive: bool) -> Any:
    kinds = {0o040000: "tree", 0o160000: "commit"}
    for name, mode, sha in tree.iteritems():
        path = above + name.decode()
        yield {"path": path, "mode": f"{mode:06o}", "type": kinds.get(mode, "blob"), "sha": sha.decode()}
        if is_recursive and mode == 0o040000:
            yield from _list_entries(repository, repository[sha], f"{path}/", is_recursive=True)


def _make(repository: Repo, path: str, query: dict[str, str], sent: dict[str, Any]) -> tuple[int, Any]:
    objects = repository.object_store
    if path == "/git/refs":
        name = sent["ref"].encode()
        if not repository.refs.add_if_new(name, sent["sha"].encode()):
            return 422, {"message": "Reference already exists"}
        return 201, {"ref": sent["ref"], "object": {"sha": sent["sha"]}}
    if path == "/git/blobs":
        made: Any = Blob.from_string(b64decode(sent["content"]))
    elif path == "/git/trees":
        [entry] = sent["tree"]
        made = _replace(repository, repository[sent["base_tree"].encode()], entry["path"].encode().split(b"/"), entry)
    else:
        made = Commit()
        made.tree, made.parents = sent["tree"].encode(), [one.encode() for one in sent["parents"]]
        made.author, made.committer = (f"{sent[by]['name']} <{sent[by]['email']}>".encode() for by in _PEOPLE)
        made.author_time = made.commit_time = 1_700_000_000
        made.author_timezone = made.commit_timezone = 0
        made.message = sent["message"].encode()
    objects.add_object(made)
    return 201, {"sha": made.id.decode()}


_PEOPLE = ("author", "committer")


def _replace(repository: Repo, tree: Tree, path: list[bytes], entry: dict[str, str]) -> Tree:
    name, *below = path
    changed = tree.copy()
    if below:
        under = repository[tree[name][1]] if name in tree else Tree()
        changed[name] = (0o040000, _replace(repository, under, below, entry).id)
    else:
        changed[name] = (int(entry["mode"], 8), entry["sha"].encode())
    repository.object_store.add_object(changed)
    return changed


def _answer(start: Any, status: int, content: Any) -> list[bytes]:
    start(f"{status} Answer", [("Content-Type", "application/json")])
    return [json.dumps(content).encode()]
