"""Find the readers of an issue in Jira, by its project's permission scheme and by its security level.

Both name holders: groups, users, roles of the project, and people of the issue itself. What cannot be read, or is of
another kind, lets nobody in. The kinds of holders are those of "Get all permission schemes" in the manuals of Jira
Cloud's REST API v3 and of Jira 9.12's REST API.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from core.library.sync.services.answers import identifier, inner, items, text
from core.library.sync.services.client import Client
from core.library.sync.services.jira_pages import read_numbered
from core.library.sync.services.levels import EVERYBODY, Level, Reader, readers_of

SIGNED_IN = Reader(id="signed-in", name="anyone signed in", is_group=True)

_ACCOUNT = "user:"  # what the name of somebody begins with whose e-mail address Jira does not tell
_BROWSE = "BROWSE_PROJECTS"
_PAGE_SIZE = 200
_NOBODY: Level = frozenset()
_TAKEN = frozenset({EVERYBODY.id, EVERYBODY.name, SIGNED_IN.id, SIGNED_IN.name})

Holders = list[Mapping[str, Any]]


class Accounts:
    """The names of accounts: their e-mail addresses where Jira tells them. Asked once for each account."""

    def __init__(self, client: Client, api: str, *, is_cloud: bool) -> None:
        self._client = client
        self._api = api
        self._is_cloud = is_cloud
        self._names: dict[str, str] = {}
        self._told: dict[str, Mapping[str, Any]] = {}

    def read(self, user: Mapping[str, Any]) -> Reader | None:
        """Return who a user in an answer is: by account in the cloud, by user name at home. None for nobody.

        A user is never called as a group may be, since roles here are chosen by the name.
        """
        account = text(user, "accountId" if self._is_cloud else "name")
        if not account or not account.isprintable():
            return None
        if account not in self._names:
            self._names[account] = self._read_address(user) or self._ask_address(account) or f"{_ACCOUNT}{account}"
        return Reader(id=account, name=self._names[account])

    def read_actor(self, actor: Mapping[str, Any]) -> Reader | None:
        """Return who a user in a role is. None where Data Center's user of that name is called otherwise.

        A name there may have been somebody else's before, by which the role may still know them.
        """
        if self._is_cloud:
            return self.read(inner(actor, "actorUser"))
        name = text(actor, "name")
        user = self._ask(name) if name and name.isprintable() else {}
        is_same = text(user, "name") == name and text(user, "displayName") == text(actor, "displayName")
        return self.read(user) if is_same else None

    def _ask_address(self, account: str) -> str:
        return self._read_address(self._ask(account))

    def _ask(self, account: str) -> Mapping[str, Any]:
        """Return what Jira tells of an account; {} for one that is deleted or not shown, whatever Jira calls that."""
        if account not in self._told:
            which = urlencode({"accountId" if self._is_cloud else "username": account})
            response = self._client.send_json(f"{self._api}/user?{which}")
            is_none = 400 <= response.status < 500
            self._told[account] = {} if is_none else self._client.read_listing(response)
        return self._told[account]

    @staticmethod
    def _read_address(user: Mapping[str, Any]) -> str:
        """Return an e-mail address; "" also for one that Jira masks, as in "fred at example dot com"."""
        address = text(user, "emailAddress").strip()
        return address if "@" in address and address.isprintable() else ""


class IssueReaders:
    """The readers of issues, as Jira tells them while this is kept: what was asked once is not asked again.

    untold: what the account is not shown, with the consequence, for people.
    """

    def __init__(self, client: Client, api: str, accounts: Accounts, *, is_cloud: bool) -> None:
        self._client = client
        self._api = api
        self._accounts = accounts
        self._is_cloud = is_cloud
        self._schemes: dict[str, Holders | None] = {}  # by project
        self._guarded: dict[str, bool] = {}  # by project
        self._levels: dict[str, Holders | None] = {}
        self._roles: dict[tuple[str, str], Level] = {}
        self._leads: dict[str, Level] = {}
        self._applications: dict[str, Level] = {}
        self._members: dict[Reader, frozenset[str] | None] = {}
        self.untold: dict[str, str] = {}

    def of(self, issue: Mapping[str, Any]) -> tuple[str, ...]:
        """Users and groups that pass the project and the security level, by Jira's names; () for nobody."""
        fields = inner(issue, "fields")
        project = identifier(fields, "project", "id")
        holders = self._read_scheme(project, text(fields, "project", "key"))
        if holders is None:
            return ()
        levels = [self._resolve(holders, fields), *self._find_guards(fields, project)]
        closed = [level for level in levels if EVERYBODY not in level]
        # Everybody who has an account passes where anyone signed in does, so the others alone decide.
        strict = [level for level in closed if SIGNED_IN not in level]
        if closed and not strict:
            strict = [frozenset[Reader]().union(*closed)]
        return readers_of(strict, self._members_of)

    def _find_guards(self, fields: Mapping[str, Any], project: str) -> list[Level]:
        """Return what an issue's readers have to pass beside its project."""
        guards = list[Level]()
        if self._is_restricted(fields):
            guards.append(_NOBODY)
        if "security" not in fields:  # as where the field is hidden, while the level counts
            guards += [_NOBODY] if self._has_levels(project, text(fields, "project", "key")) else []
        elif fields["security"] is not None:
            level = identifier(fields, "security", "id")
            holders = self._read_level(level, text(fields, "security", "name")) if level else None
            guards.append(_NOBODY if holders is None else self._resolve(holders, fields))
        return guards

    @staticmethod
    def _is_restricted(fields: Mapping[str, Any]) -> bool:
        """Tell whether an issue of a team-managed project is, or may be, for some of its roles alone.

        The manual does not say in which form Jira tells those roles.
        """
        told = fields.get("issuerestriction")
        if told is None:
            return inner(fields, "project").get("simplified") is True
        return not isinstance(told, dict) or told.get("issuerestrictions") != {}

    def _resolve(self, holders: Holders, fields: Mapping[str, Any]) -> Level:
        return frozenset[Reader]().union(*(self._read_holder(each, fields) for each in holders))

    def _read_holder(self, holder: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterable[Reader]:
        """Return whom a holder lets in; nobody by a field of the issue, the portal's customers, or an unknown kind."""
        project, parameter = identifier(fields, "project", "id"), text(holder, "parameter")
        match text(holder, "type"):
            case "anyone":
                return {EVERYBODY}
            case "applicationRole":
                return self._read_application(parameter) if parameter else {SIGNED_IN}
            case "group":
                return _some(self._read_group(inner(holder, "group"), parameter))
            case "user":
                return _some(self._accounts.read(inner(holder, "user")))
            case "projectRole":
                return self._read_role(project, parameter)
            case "projectLead":
                return self._read_lead(project)
            case "reporter" | "assignee" as person:
                return _some(self._accounts.read(inner(fields, person)))
        return ()

    def _read_scheme(self, project: str, key: str) -> Holders | None:
        """Return the holders of the right to browse a project; None when the account is not shown them."""
        if project not in self._schemes:
            path = f"{self._api}/project/{quote(project)}/permissionscheme?expand=permissions,user,group"
            scheme = self._client.ask_json_if_shown(path) if project else None
            told = (scheme or {}).get("permissions")
            if not isinstance(told, list):
                self._schemes[project] = None
                self.untold[f"Project {key}"] = (
                    "Jira does not show this account who may browse the project, so nobody reads its issues. Give the "
                    "account the permission Administer Projects there, or let it administer Jira."
                )
            else:
                grants = (each for each in told if isinstance(each, dict) and text(each, "permission") == _BROWSE)
                self._schemes[project] = [inner(each, "holder") for each in grants]
        return self._schemes[project]

    def _has_levels(self, project: str, key: str) -> bool:
        """Tell whether issues of a project may have a security level.

        They have none where Jira, which has just shown this account the project's permissions, knows no scheme of it.
        """
        if project not in self._guarded:
            response = self._client.send_json(f"{self._api}/project/{quote(project)}/issuesecuritylevelscheme")
            if response.status not in {200, 403, 404}:
                self._client.read_listing(response)
            self._guarded[project] = response.status != 404
            if self._guarded[project]:
                self.untold[f"Security levels of project {key}"] = (
                    "Jira does not tell of some issues whether they have one, so nobody reads those. Show the field "
                    "Security Level, or, if the project has no levels, let the account administer Jira."
                )
        return self._guarded[project]

    def _read_level(self, level: str, name: str) -> Holders | None:
        """Return the holders of a security level. None when they are not shown: Data Center tells nobody."""
        if level not in self._levels:
            found = self._ask_level(level) if self._is_cloud else None
            self._levels[level] = found
            if found is None:
                why = "this account, which needs the permission Administer Jira" if self._is_cloud else "any account"
                self.untold[f"Security level {name}"] = (
                    f"Jira does not show who belongs to it to {why}, so nobody reads its issues."
                )
        return self._levels[level]

    def _ask_level(self, level: str) -> Holders | None:
        path = f"{self._api}/issuesecurityschemes/level/member"
        members = self._read_all(path, {"levelId": level, "expand": "user,group"})
        if members is None:
            return None
        return [inner(each, "holder") for each in members if text(each, "issueSecurityLevelId") == level]

    def _read_role(self, project: str, role: str) -> Level:
        if (project, role) not in self._roles:
            is_id = role.isascii() and role.isdecimal()
            path = f"{self._api}/project/{quote(project)}/role/{role}"
            told = (self._client.ask_json_if_shown(path) if is_id else None) or {}
            actors = items(told, "actors") if "actors" in told else []
            found = (reader for each in actors if (reader := self._read_actor(each)))
            self._roles[project, role] = frozenset(found)
        return self._roles[project, role]

    def _read_actor(self, actor: Mapping[str, Any]) -> Reader | None:
        if text(actor, "type") == "atlassian-group-role-actor":
            return self._read_group(inner(actor, "actorGroup"), text(actor, "name"))
        if text(actor, "type") == "atlassian-user-role-actor":
            return self._accounts.read_actor(actor)
        return None

    def _read_group(self, group: Mapping[str, Any], name: str) -> Reader | None:
        """Return a group: by its id in the cloud, where a name in passing may be an earlier one; by name at home.

        One that is called as everybody or as an account is here would be taken for that.
        """
        number = name
        if self._is_cloud:
            number, name = text(group, "groupId"), text(group, "name")
        if not number or not name or name.startswith(_ACCOUNT) or {number, name} & _TAKEN:
            return None
        if not (number.isprintable() and name.isprintable()):
            return None
        return Reader(id=number, name=name, is_group=True)

    def _read_lead(self, project: str) -> Level:
        if project not in self._leads:
            told = self._client.ask_json_if_shown(f"{self._api}/project/{quote(project)}?expand=lead") or {}
            self._leads[project] = frozenset(_some(self._accounts.read(inner(told, "lead"))))
        return self._leads[project]

    def _read_application(self, application: str) -> Level:
        """Return the groups that may use an application, such as Jira Service Management."""
        if application not in self._applications:
            told = self._ask_application(application)
            if self._is_cloud:
                details = items(told, "groupDetails") if "groupDetails" in told else []
                groups = [self._read_group(each, "") for each in details]
            else:
                names = told.get("groups")
                groups = [self._read_group({}, str(name)) for name in (names if isinstance(names, list) else [])]
            self._applications[application] = frozenset(group for group in groups if group)
        return self._applications[application]

    def _ask_application(self, application: str) -> Mapping[str, Any]:
        path = f"{self._api}/applicationrole/{quote(application, safe='', errors='replace')}"
        found = self._client.ask_json_if_shown(path)
        if found is None:
            self.untold[f"Application {application}"] = (
                "Jira does not show its groups to this account, which needs the permission Administer Jira, so nobody "
                "reads an issue by it."
            )
        return found or {}

    def _members_of(self, group: Reader) -> frozenset[str] | None:
        if group not in self._members:
            which = {"groupId" if self._is_cloud else "groupname": group.id, "includeInactiveUsers": "true"}
            members = self._read_all(f"{self._api}/group/member", which)
            self._members[group] = None if members is None else self._identify(members)
            if members is None:
                self.untold[f"Group {group.name}"] = (
                    "Jira does not show its members to this account, so the group passes only where it is named itself."
                )
        return self._members[group]

    def _identify(self, members: Holders) -> frozenset[str] | None:
        """Return the ids of users; None when one has none, since nobody can say who that is."""
        found = [text(each, "accountId" if self._is_cloud else "name") for each in members]
        return frozenset(found) if all(found) else None

    def _read_all(self, path: str, which: dict[str, str]) -> Holders | None:
        """Return what a listing beside the issues has; None when the account is not shown it."""
        first = self._client.ask_json_if_shown(f"{path}?{urlencode(which | {'maxResults': str(_PAGE_SIZE)})}")
        if first is None:
            return None

        def ask(start: int) -> Mapping[str, Any]:
            if not start:
                return first
            return self._client.ask_json(
                f"{path}?{urlencode(which | {'startAt': str(start), 'maxResults': str(_PAGE_SIZE)})}"
            )

        return list(read_numbered(ask, "values"))


def _some(reader: Reader | None) -> Iterable[Reader]:
    return () if reader is None else (reader,)
