"""A Jira whose projects, issues and rights a test sets, in the cloud or at home, as its REST interface tells them."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.library.sync.kinds.jira import Jira, Settings
from tests.integration.sync.served import Answer, Asked, Server, access

TOKEN = "a-token-of-nobody"
PROJECT, OTHER = "10000", "10001"
LEVEL = "10020"
ROLE = "10002"


@dataclass
class Issue:
    """An issue."""

    key: str
    summary: str
    project: str = PROJECT
    updated: str = "2024-05-01T10:00:00.123+0000"
    security: str | None = None  # the id of its level
    reporter: str | None = None
    assignee: str | None = None
    description: str | None = "<p>Nothing.</p>"
    labels: list[str] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    attachments: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)  # that are told instead, or beside
    hidden: tuple[str, ...] = ()  # fields that are not told


class _Paths(dict[str, Any]):
    """One answer to everything that is asked."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        super().__init__()
        self._answer = answer

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, self._answer)


class Tracker:
    """A Jira with two projects of which the group "staff" may browse the first, and the group "board" the other."""

    def __init__(self, server: Server, *, is_cloud: bool) -> None:
        self.server, self.is_cloud = server, is_cloud
        self.api = f"/rest/api/{3 if is_cloud else 2}"
        self.page = 2  # entries of a page
        self.keys = {PROJECT: "DOCS", OTHER: "BOARD"}
        self.types = {PROJECT: "software", OTHER: "service_desk"}
        self.leads = {PROJECT: "lena", OTHER: "lena"}
        self.issues: dict[str, Issue] = {}
        self.schemes: dict[str, list[dict[str, Any]] | None] = {
            PROJECT: [self.group("staff")],
            OTHER: [self.group("board")],
        }
        self.levels: dict[str, list[dict[str, Any]] | None] = {}
        self.security_schemes: set[str] = set()  # of which projects
        self.roles: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self.groups: dict[str, list[str] | None] = {}
        self.applications: dict[str, list[str]] = {}
        self.addresses = {"alice": "alice@example.org", "rita": "rita@example.org"}
        self.names: dict[str, str] = {}  # of groups that were renamed, by their ids
        self.before: Callable[[Asked], None] = lambda asked: None  # called before an answer is given
        self.faults: dict[str, Answer | Callable[[Asked], Answer]] = {}  # instead of what is there, by path
        server.answers = _Paths(self.answer)

    def connect(self, **settings: Any) -> Jira:
        """A connector to it."""
        return Jira(Settings(**(self.settings | settings)), TOKEN, access())

    @property
    def settings(self) -> dict[str, Any]:
        """What an administrator enters."""
        edition = {"edition": "cloud", "email": "me@example.org"} if self.is_cloud else {"edition": "data_center"}
        return {"address": self.server.base} | edition

    def put(self, number: str, key: str, summary: str = "A summary", **more: Any) -> Issue:
        """Write an issue."""
        self.issues[number] = Issue(key, summary, **more)
        return self.issues[number]

    def holder(self, kind: str, parameter: str = "", **more: Any) -> dict[str, Any]:
        """A holder of a right."""
        return {"type": kind} | ({"parameter": parameter, "value": parameter} if parameter else {}) | more

    def group(self, name: str) -> dict[str, Any]:
        """A group, as a holder of a right. In the cloud its name there is the one that it had at first."""
        if not self.is_cloud:
            return self.holder("group", name)
        return {"type": "group", "parameter": name, "value": f"g-{name}", "expand": "group"}

    def person(self, name: str) -> dict[str, Any]:
        """A user, as a holder of a right."""
        return self.holder("user", f"acc-{name}" if self.is_cloud else "JIRAUSER10100", user=self.user(name))

    def user(self, name: str, *, tells_address: bool = True) -> dict[str, Any]:
        """A user in an answer."""
        found: dict[str, Any] = {"displayName": name.title(), "active": True}
        found |= {"accountId": f"acc-{name}"} if self.is_cloud else {"name": name, "key": "JIRAUSER10100"}
        address = self.addresses.get(name)
        return found | ({"emailAddress": address} if address and tells_address else {})

    def asked(self, part: str) -> list[Asked]:
        """What was asked of paths with this in them."""
        return [asked for asked in self.server.asked if part in asked.path]

    def answer(self, asked: Asked) -> Answer:
        """The answer of this moment."""
        self.before(asked)
        path = asked.path
        if path in self.faults:
            fault = self.faults[path]
            return fault(asked) if callable(fault) else fault
        if path.startswith("/secure/attachment/") and not self.is_cloud:
            return self._send_file(path.split("/")[3])
        if not path.startswith(self.api):
            return Answer(status=404)
        below = path.removeprefix(self.api).strip("/").split("/")
        match below:
            case ["myself"]:
                return Answer(body=self.user("reader"))
            case ["project", "search"] if self.is_cloud:
                return self._page([self._project(each) for each in self.keys], "values", asked)
            case ["project"] if not self.is_cloud:
                return Answer(body=json.dumps([self._project(each) for each in self.keys]))
            case ["project", project, *below] if project in self.keys:
                return self._about_project(project, below, asked)
            case ["search", *_]:
                return self._search(below, asked)
            case ["issue", *_] | ["attachment", *_]:
                return self._about_issues(below, asked)
        return self._about_rights(below, asked)

    def _search(self, path: list[str], asked: Asked) -> Answer:
        """Answer a search by the way of the edition; the other way is not there."""
        if path == ["search", "jql"] and self.is_cloud:
            return self._search_by_token(asked)
        if path == ["search"] and not self.is_cloud:
            return self._page([self.issue(each) for each in self._find(asked)], "issues", asked, has_last=False)
        return Answer(status=410)

    def _about_issues(self, path: list[str], asked: Asked) -> Answer:
        match path:
            case ["issue", number, *below] if number in self.issues:
                return self._about_issue(number, below, asked)
            case ["attachment", "content", number] if self.is_cloud:
                return self._send_file(number)
            case ["attachment", number]:
                return self._describe_file(number)
        return Answer(status=404)

    def _about_rights(self, path: list[str], asked: Asked) -> Answer:
        match path:
            case ["issuesecurityschemes", "level", "member"] if self.is_cloud:
                return self._list_level(asked)
            case ["group", "member"]:
                name = asked.query.get("groupId", "").removeprefix("g-") or asked.query.get("groupname", "")
                members = self.groups.get(name)
                return Answer(status=403) if members is None else self._page(map(self.user, members), "values", asked)
            case ["user"]:
                name = asked.query.get("accountId", "").removeprefix("acc-") or asked.query.get("username", "")
                return Answer(body=self.user(name))
            case ["applicationrole", name] if name in self.applications:
                names = self.applications[name]
                return Answer(body={"groups": names, "groupDetails": [self._told_group(each) for each in names]})
        return Answer(status=404)

    def _about_project(self, project: str, below: list[str], asked: Asked) -> Answer:
        match below:
            case []:
                return Answer(body=self._project(project) | {"lead": self.user(self.leads[project])})
            case ["permissionscheme"]:
                holders = self.schemes[project]
                if holders is None:
                    return Answer(status=403)
                grants = [
                    {"permission": "BROWSE_PROJECTS", "holder": self._expand(each, asked.query["expand"])}
                    for each in holders
                ]
                other = {"permission": "ADD_COMMENTS", "holder": self.group("guests")}
                return Answer(body={"id": 1, "permissions": [other, *grants]})
            case ["issuesecuritylevelscheme"]:
                return Answer(body={"id": 1}) if project in self.security_schemes else Answer(status=404)
            case ["role", role] if (project, role) in self.roles:
                return Answer(body={"id": int(role), "actors": list(map(self._actor, self.roles[project, role]))})
        return Answer(status=404)

    def _about_issue(self, number: str, below: list[str], asked: Asked) -> Answer:
        if below == ["comment"]:
            comments = self.issues[number].comments
            return self._page([self._comment(each, asked) for each in comments], "comments", asked, has_last=False)
        return Answer(body=self.issue(number, asked.query.get("expand", "")))

    def _expand(self, holder: dict[str, Any], expand: str) -> dict[str, Any]:
        """Add what a holder's group is called now, where it is asked for."""
        if holder.get("type") == "group" and self.is_cloud and "group" in expand.split(","):
            return holder | {"group": self._told_group(holder["value"].removeprefix("g-"))}
        return holder

    def _told_group(self, name: str) -> dict[str, Any]:
        return {"name": self.names.get(f"g-{name}", name)} | ({"groupId": f"g-{name}"} if self.is_cloud else {})

    def _actor(self, actor: tuple[str, str]) -> dict[str, Any]:
        kind, name = actor
        told: dict[str, Any] = {"id": 1, "displayName": name.title(), "type": f"atlassian-{kind}-role-actor"}
        if kind == "group":
            return told | {"name": name} | ({"actorGroup": self._told_group(name)} if self.is_cloud else {})
        return told | ({"actorUser": {"accountId": f"acc-{name}"}} if self.is_cloud else {"name": name})

    def _list_level(self, asked: Asked) -> Answer:
        holders = self.levels.get(asked.query["levelId"])
        if holders is None:
            return Answer(status=403)
        told = [
            {"issueSecurityLevelId": asked.query["levelId"], "holder": self._expand(each, asked.query["expand"])}
            for each in holders
        ]
        return self._page(told, "values", asked)

    def _project(self, number: str) -> dict[str, Any]:
        told = {"id": number, "key": self.keys[number], "name": self.keys[number]}
        return told | {"projectTypeKey": self.types[number], "simplified": False}

    def issue(self, number: str, expand: str = "") -> dict[str, Any]:
        """An issue in an answer."""
        issue = self.issues[number]
        people = {name: self.user(who) if who else None for name, who in self._people(issue)}
        fields: dict[str, Any] = {
            "summary": issue.summary,
            "project": self._project(issue.project),
            "updated": issue.updated,
            "created": "2024-01-02T09:00:00.000+0000",
            "labels": issue.labels,
            "issuetype": {"name": "Bug"},
            "status": {"name": "In Progress"},
            "priority": {"name": "High"},
            "resolution": None,
            "components": [{"name": "Harbour"}],
            "fixVersions": [{"name": "2.0"}],
            "security": {"id": issue.security, "name": "Secret"} if issue.security else None,
            "attachment": [self._file(each) for each in issue.attachments],
        } | people
        fields = {name: value for name, value in (fields | issue.fields).items() if name not in issue.hidden}
        found: dict[str, Any] = {"id": number, "key": issue.key, "fields": fields}
        return found | ({"renderedFields": {"description": issue.description}} if "renderedFields" in expand else {})

    @staticmethod
    def _people(issue: Issue) -> Iterator[tuple[str, str | None]]:
        yield from (("reporter", issue.reporter), ("assignee", issue.assignee))

    def _comment(self, comment: dict[str, Any], asked: Asked) -> dict[str, Any]:
        expand = asked.query.get("expand", "")
        told = {name: value for name, value in comment.items() if name != "properties" or "properties" in expand}
        body = told.pop("html", "<p>Well.</p>")
        found = {"author": {"displayName": "Bob B."}, "created": "2024-02-03T10:00:00.000+0000"} | told
        return found | ({"renderedBody": body} if "renderedBody" in expand else {"body": body})

    def _file(self, number: str) -> dict[str, Any]:
        name, content = self._files()[number]
        return {"id": number, "filename": name, "size": len(content), "created": "2024-03-04T10:00:00.000+0000"}

    def _files(self) -> dict[str, tuple[str, bytes]]:
        return {number: file for issue in self.issues.values() for number, file in issue.attachments.items()}

    def _describe_file(self, number: str) -> Answer:
        return Answer(body=self._file(number)) if number in self._files() else Answer(status=404)

    def _send_file(self, number: str) -> Answer:
        return Answer(body=self._files()[number][1]) if number in self._files() else Answer(status=404)

    def _find(self, asked: Asked) -> list[str]:
        """Issues of a project, in the order of the numbers in their keys."""
        found = re.match(r"project = (\d+)", asked.query["jql"])
        assert found
        assert asked.query["jql"].endswith(" ORDER BY key ASC")
        numbers = [number for number, issue in self.issues.items() if issue.project == found[1]]
        return sorted(numbers, key=lambda number: int(self.issues[number].key.rpartition("-")[2] or 0))

    def _search_by_token(self, asked: Asked) -> Answer:
        """The next issues: a token names the last one before."""
        assert "startAt" not in asked.query
        numbers = self._find(asked)
        after = int(asked.query.get("nextPageToken", "-1"))
        left = [each for each in numbers if int(self.issues[each].key.rpartition("-")[2]) > after]
        body: dict[str, Any] = {"issues": [self.issue(each) for each in left[: self.page]]}
        if len(left) > self.page:
            token = self.issues[left[self.page - 1]].key.rpartition("-")[2]
            return Answer(body=body | {"nextPageToken": token, "isLast": False})
        return Answer(body=body | {"isLast": True})

    def _page(self, found: Any, name: str, asked: Asked, *, has_last: bool = True) -> Answer:
        entries, start = list(found), int(asked.query.get("startAt", 0))
        body: dict[str, Any] = {
            name: entries[start : start + self.page],
            "startAt": start,
            "total": len(entries),
            "maxResults": self.page,
        }
        return Answer(body=body | ({"isLast": start + self.page >= len(entries)} if has_last else {}))
