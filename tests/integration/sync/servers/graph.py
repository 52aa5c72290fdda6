"""A tenant of Microsoft 365 whose libraries and rights a test sets, as Entra and Microsoft Graph tell them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from core.library.sync.kinds.sharepoint import Settings, SharePoint
from core.library.sync.services.entra import Cloud
from tests.integration.sync.served import Answer, Asked, Server, access

SECRET = "a-secret~of.nobody"
CLIENT = "00000000-0000-0000-0000-00000000c11e"
TENANT = "contoso.onmicrosoft.com"
SITE = "https://contoso.sharepoint.com/sites/hr"
SITE_ID = "contoso.sharepoint.com,11111111-1111-1111-1111-111111111111,22222222-2222-2222-2222-222222222222"
DRIVE, OTHER, ONEDRIVE = "b!hr-documents", "b!hr-board", "b!anna"
ANNA = "anna@contoso.com"
STAFF_ID = "aaaaaaaa-0000-0000-0000-000000000001"
BOARD_ID = "bbbbbbbb-0000-0000-0000-000000000002"
STAFF, BOARD = f"Staff ({STAFF_ID})", f"Board ({BOARD_ID})"
HIDDEN: None = None  # permissions that the application is not shown

Permissions = list[dict[str, Any]]


def user(email: str, **more: Any) -> dict[str, Any]:
    """A permission of one person."""
    about = {"id": "cccccccc-0000-0000-0000-000000000003", "displayName": email.partition("@")[0], "email": email}
    login = {"id": "9", "displayName": "A person", "loginName": f"i:0#.f|membership|{email}"}
    return {"id": email, "roles": ["read"], "grantedToV2": {"user": about, "siteUser": login}} | more


def group(name: str, group_id: str, **more: Any) -> dict[str, Any]:
    """A permission of a group of Entra."""
    return {"id": name, "roles": ["read"], "grantedToV2": {"group": {"id": group_id, "displayName": name}}} | more


def claim(login: str, name: str = "A claim") -> dict[str, Any]:
    """A permission of whom the site knows by a claim alone."""
    return {"roles": ["read"], "grantedToV2": {"siteUser": {"id": "8", "displayName": name, "loginName": login}}}


def site_group(name: str, number: str = "5") -> dict[str, Any]:
    """A permission of a group of the site."""
    return {
        "roles": ["read"],
        "grantedToV2": {"siteGroup": {"id": number, "displayName": name, "loginName": name}},
    }


def link(scope: str, *people: dict[str, Any], kind: str = "view", **more: Any) -> dict[str, Any]:
    """A sharing link. people: permissions of those whom it names."""
    named = [person["grantedToV2"] for person in people]
    about = {"scope": scope, "type": kind, "webUrl": "https://contoso.sharepoint.com/:w:/s/hr/secret"}
    return {"roles": ["read"], "link": about | more, "grantedToIdentitiesV2": named}


@dataclass
class File:
    """A file or a folder."""

    name: str
    folder: str = "root"
    content: bytes | None = None  # None: a folder
    permissions: Permissions | str | None = "inherited"
    version: int = 1
    more: dict[str, Any] = field(default_factory=dict)  # that is told instead, or beside


class _Paths(dict[str, Any]):
    """One answer to everything that is asked."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        super().__init__()
        self._answer = answer

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, self._answer)


class Tenant:
    """A tenant with a site of two libraries, and with the OneDrive of one person."""

    def __init__(self, server: Server, downloads: Server) -> None:
        self.server, self.downloads = server, downloads
        self.page = 2  # entries of a page
        self.libraries = {DRIVE: "Documents", OTHER: "Board"}
        self.drives: dict[str, dict[str, File]] = {DRIVE: {}, OTHER: {}, ONEDRIVE: {}}
        self.roots: dict[str, Permissions | None] = {
            DRIVE: [group("Staff", STAFF_ID)],
            OTHER: [group("Board", BOARD_ID)],
            ONEDRIVE: [user(ANNA, roles=["owner"])],
        }
        self.lasts = 3600  # seconds, that a token is said to last
        self.tokens: list[str] = []
        self.repeated: list[tuple[str, dict[str, Any]]] = []  # that a listing of changes tells too, before the rest
        self.before: Callable[[str], None] = lambda path: None  # called before an answer is given
        self.faults: dict[str, Answer | Callable[[str], Answer]] = {}  # instead of what is there, by path
        server.answers = _Paths(self.answer)
        downloads.answers = _Paths(self._download)

    @property
    def cloud(self) -> Cloud:
        """Where this tenant is."""
        return Cloud(login=self.server.base, graph=self.server.base)

    @property
    def settings(self) -> dict[str, Any]:
        """What an administrator enters."""
        return {"tenant": TENANT, "client_id": CLIENT, "sites": [SITE]}

    def connect(self, secret: str = SECRET, **settings: Any) -> SharePoint:
        """A connector to it."""
        return SharePoint(Settings(**(self.settings | settings)), secret, access())

    def put(self, file_id: str, name: str, content: bytes = b"# Text", drive: str = DRIVE, **more: Any) -> File:
        """Put a file there, or write another content into it."""
        before = self.drives[drive].get(file_id)
        file = File(name, content=content, version=before.version + 1 if before else 1, **more)
        self.drives[drive][file_id] = file
        return file

    def make_folder(self, folder_id: str, name: str, drive: str = DRIVE, **more: Any) -> File:
        """Make a folder."""
        self.drives[drive][folder_id] = File(name, **more)
        return self.drives[drive][folder_id]

    def asked(self, part: str) -> list[Asked]:
        """What was asked of paths with this in them."""
        return [asked for asked in self.server.asked if part in unquote(asked.path)]

    def path(self, file_id: str, what: str = "", drive: str = DRIVE) -> str:
        """The path of a file."""
        return f"/drives/{drive}/items/{file_id}{what}"

    def answer(self, asked: Asked) -> Answer:
        """The answer of this moment."""
        path = unquote(asked.path)
        if path.endswith("/oauth2/v2.0/token"):
            self.before(path)
            return self._fault(path) or self._sign_in(path, dict(parse_qsl(asked.body.decode())))
        if asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.tokens:
            return Answer(status=401, body={"error": {"code": "InvalidAuthenticationToken"}})
        path = path.removeprefix("/v1.0")
        if path != "/$batch":
            return self._tell(path, asked.query)
        fault = self._fault(path)
        return fault or Answer(
            body={"responses": [self._tell_one(each) for each in json.loads(asked.body)["requests"]]}
        )

    def _sign_in(self, path: str, form: dict[str, str]) -> Answer:
        """Give a token to the application that is known."""
        is_known = path == f"/{TENANT}/oauth2/v2.0/token" and form["client_id"] == CLIENT
        right = {"grant_type": "client_credentials", "scope": f"{self.cloud.graph}/.default", "client_secret": SECRET}
        if not is_known or any(form.get(name) != value for name, value in right.items()):
            told = {"error": "invalid_client", "error_codes": [7000215], "error_description": f"AADSTS of {CLIENT}"}
            return Answer(status=401, body=told)
        self.tokens.append(f"token-{len(self.tokens)}")
        return Answer(body={"access_token": self.tokens[-1], "expires_in": self.lasts, "token_type": "Bearer"})

    def _tell_one(self, request: dict[str, Any]) -> dict[str, Any]:
        """One answer of several."""
        found = self._tell(unquote(request["url"]), {})
        try:
            body = json.loads(found.content() or b"{}")
        except ValueError:
            body = found.content().decode()
        return {"id": request["id"], "status": found.status, "headers": dict(found.headers), "body": body}

    def _fault(self, path: str) -> Answer | None:
        fault = self.faults.get(path)
        return fault(path) if callable(fault) else fault

    def _tell(self, path: str, query: Any) -> Answer:
        self.before(path)
        fault = self._fault(path)
        if fault:
            return fault
        match path.strip("/").split("/"):
            case ["sites", "contoso.sharepoint.com:", "sites", "hr"]:
                return Answer(body={"id": SITE_ID})
            case ["sites", site, "drives"] if site == SITE_ID:
                return self._page(path, query, [{"id": each, "name": name} for each, name in self.libraries.items()])
            case ["users", person, "drive"] if person == ANNA:
                return Answer(body={"id": ONEDRIVE})
            case ["drives", drive] if drive in self.drives:
                return Answer(body={"id": drive, "sharePointIds": {"siteUrl": SITE}})
            case ["drives", drive, "root", "delta"] if drive in self.drives:
                told = [about for where, about in self.repeated if where == drive]
                told += [{"id": "root", "name": "root", "root": {}, "folder": {}}]
                told += [self.about(drive, each, with_path=False) for each in self.drives[drive]]
                return self._page(path, query, told, {"@odata.deltaLink": f"{self.server.base}/v1.0{path}?token=9"})
            case ["drives", drive, "items", file, *what] if file in self.drives.get(drive, {}):
                return self._tell_file(drive, file, what)
        return Answer(status=404, body={"error": {"code": "itemNotFound"}})

    def _tell_file(self, drive: str, file: str, what: list[str]) -> Answer:
        if what == ["permissions"]:
            found = self._permissions_of(drive, file)
            return Answer(status=403) if found is None else Answer(body={"value": found})
        if what == ["content"]:
            place = f"{self.downloads.base}/download/{drive}/{file}?tempauth=v1.{'e' * 1500}"
            return Answer(status=302, headers={"Location": place})
        return Answer(body=self.about(drive, file))

    def _permissions_of(self, drive: str, file: str) -> Permissions | None:
        """Those of a file's own, else what it inherits."""
        while file in self.drives[drive]:
            found = self.drives[drive][file]
            if not isinstance(found.permissions, str):
                return found.permissions
            file = found.folder
        return self.roots[drive]

    def about(self, drive: str, file_id: str, *, with_path: bool = True) -> dict[str, Any]:
        """Return Graph's description of an item. Listings of changes do not tell the path of its folder."""
        file = self.drives[drive][file_id]
        above: dict[str, Any] = {"driveId": drive, "id": file.folder}
        if with_path:
            above["path"] = f"/drives/{drive}/root:{self._path_of(drive, file.folder)}"
        kind: dict[str, Any] = {"folder": {}} if file.content is None else {"file": {}, "size": len(file.content)}
        told = {
            "id": file_id,
            "name": file.name,
            "eTag": f'"{{{file_id}}},{file.version}"',
            "webUrl": f"{SITE}/Documents/{file_id}",
            "parentReference": above,
        }
        return told | kind | file.more

    def _path_of(self, drive: str, folder: str) -> str:
        if folder == "root":
            return ""
        found = self.drives[drive][folder]
        return f"{self._path_of(drive, found.folder)}/{found.name}"

    def _page(self, path: str, query: Any, told: Permissions, end: dict[str, Any] | None = None) -> Answer:
        start = int(query.get("$skiptoken", 0))
        more = {"@odata.nextLink": f"{self.server.base}/v1.0{path}?$skiptoken={start + self.page}"}
        is_last = start + self.page >= len(told)
        return Answer(body={"value": told[start : start + self.page], **((end or {}) if is_last else more)})

    def _download(self, asked: Asked) -> Answer:
        """The content of a file, for whoever has the address."""
        _, _, drive, file = unquote(asked.path).split("/")
        self.before(f"/download/{drive}/{file}")
        return Answer(body=self.drives[drive][file].content or b"")
