"""A bucket of Google Cloud Storage."""

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, Field

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HttpAddress, RelativePath
from core.library.sync.files.store import PassedOver, StoredFile, as_stored, path_below
from core.library.sync.services.google_account import ServiceAccount

if TYPE_CHECKING:
    import httpx

_READ = "https://www.googleapis.com/auth/devstorage.read_only"


class GcsSettings(FileSettings):
    """The bucket to read, and its address."""

    bucket: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{1,221}$", title="Bucket", description="Its name, without gs://.")
    prefix: RelativePath = Field(
        default="", title="Folder", description="A prefix of names, such as handbook/2024. Empty: all of the bucket."
    )
    endpoint: HttpAddress = Field(
        default="https://storage.googleapis.com",
        min_length=1,
        title="Address of the service",
        description="Google's, unless you reach it by an address of your own.",
    )


class _Bucket:
    """Objects of a bucket, as files, by the JSON API."""

    def __init__(self, given: GcsSettings, key: str, access: Access) -> None:
        from core.library.sync.files.guarded_http import GuardedClient

        self._prefix = f"{given.prefix}/" if given.prefix else ""
        self._bucket = given.bucket
        self._server = urlsplit(given.endpoint).hostname or ""
        self._objects = f"{given.endpoint}/storage/v1/b/{quote(given.bucket)}/o"
        account = ServiceAccount(key, access, scope=_READ) if key.strip() else None  # None: it is public
        self._http = GuardedClient(self, access, credentials=account.header if account else dict)

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Yield all objects below the prefix, a thousand at a time."""
        fields = "items(name,md5Hash,etag,generation),nextPageToken"
        page: dict[str, Any] = {"nextPageToken": ""}
        while (token := page.get("nextPageToken")) is not None:
            page = self._ask_store({"prefix": self._prefix, "fields": fields} | ({"pageToken": token} if token else {}))
            for one in page.get("items", ()):
                if path := path_below(self._prefix, str(one.get("name", ""))):
                    yield as_stored(path, _fingerprint(one))

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, as it comes."""
        from core.library.sync.files.guarded_http import translate_faults

        with (
            translate_faults(self._server),
            self._http.stream("GET", self._address_of(path), params={"alt": "media"}) as response,
        ):
            self._check_answer(response, path)
            digest = hashlib.md5(usedforsecurity=False)
            for piece in response.iter_raw():
                digest.update(piece)
                yield piece
            # By the service's description of the object, which it may have unpacked on the way; else by what came.
            told = {part.strip().removeprefix("md5=") for part in response.headers.get("x-goog-hash", "").split(",")}
            told |= {response.headers.get("x-goog-generation", ""), b64encode(digest.digest()).decode("ascii")}
            if fingerprint and fingerprint not in told:
                raise make_changed_error(path)

    def fingerprint_of(self, path: str) -> str:
        """Return the fingerprint as the object's metadata gives it now."""
        return _fingerprint(self._ask_store({"fields": "md5Hash,generation"}, path))

    def _address_of(self, path: str) -> str:
        return f"{self._objects}/{quote(self._prefix + path, safe='')}"

    def _ask_store(self, asked: Mapping[str, str], path: str = "") -> dict[str, Any]:
        """path: of the one object that is asked about; "" for a listing."""
        from core.library.sync.files.guarded_http import translate_faults

        url = self._address_of(path) if path else self._objects
        with translate_faults(self._server):
            response = self._http.request("GET", url, params=asked)
        self._check_answer(response, path)
        try:
            found = response.json()
        except ValueError as error:
            raise SourceError(f"{self._server} does not answer as Google Cloud Storage does.") from error
        return found if isinstance(found, dict) else {}

    def _check_answer(self, response: "httpx.Response", path: str) -> None:
        """The error for an answer that says why there is none. path: as of `_ask_store`."""
        if path and response.status_code == 404:
            raise GoneError(f"{path} is no longer there.")
        if path and response.status_code == 403:
            raise UnreadableFileError(f"{path} may not be read with these credentials.")
        if response.status_code in {401, 403}:
            raise SourceRefusedError(f"The bucket {self._bucket} may not be read with these credentials.")
        if response.status_code == 404:
            raise SourceError(f"There is no bucket {self._bucket}. Check its name.")
        if response.status_code != 200:
            raise SourceError(f"{self._server} answers with status {response.status_code}.")


def _fingerprint(about: Mapping[str, Any]) -> str:
    # The hash stays when the same content is written again; composed objects have none.
    return str(about.get("md5Hash") or about.get("generation") or "")


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = GcsSettings.model_validate(settings)
    return FileConnector(_Bucket(given, secrets.get("key", ""), access), given, access)


KIND = Kind(
    name="gcs",
    label="Google Cloud Storage bucket",
    help="A bucket of Google Cloud Storage, read by a service account with the role Storage Object Viewer.",
    settings=GcsSettings,
    connect=_connect,
    secrets={"key": "Key of the service account: all of its JSON file. Empty: the bucket is public"},
    destination=("endpoint",),
    per_minute=1200,
    tells_readers=True,
)
