"""A container of Azure Blob Storage."""

import os
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from core.errors import GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files import store
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HttpAddress, RelativePath
from core.library.sync.files.store import PassedOver, StoredFile, as_stored, path_below

_FIRST = 4 * 1024 * 1024  # bytes of the first answer; the library takes 32 MB at once


class AzureSettings(FileSettings):
    """The container to read, and its address."""

    account: str = Field(
        pattern=r"^[a-z0-9]{3,24}$", title="Storage account", description="Its name, such as contosofiles."
    )
    container: str = Field(pattern=r"^[a-z0-9$][a-z0-9-]{2,62}$", title="Container", description="Its name.")
    prefix: RelativePath = Field(
        default="", title="Folder", description="A prefix of names, such as handbook/2024. Empty: all of the container."
    )
    endpoint: HttpAddress = Field(
        default="",
        title="Address of the service",
        description="Empty for https://ACCOUNT.blob.core.windows.net. Clouds of single countries have others.",
    )

    @model_validator(mode="after")
    def _check_endpoint(self) -> Self:
        if "?" in self.endpoint:
            raise ValueError("Enter the address alone: what follows the question mark is the SAS token, a secret.")
        return self


class _Container:
    """Blobs of a container, as files."""

    def __init__(self, given: AzureSettings, credential: Any, access: Access) -> None:
        from azure.core.pipeline.transport import RequestsTransport
        from azure.storage.blob import ContainerClient

        from core.library.sync.files.guarded_pools import AnswerBounds, build_session

        self._prefix = f"{given.prefix}/" if given.prefix else ""
        bounds = AnswerBounds.beyond(access.max_mb)
        self._container = given.container
        # The authorities are those of the environment, or else those that come with requests.
        self._client = ContainerClient(
            given.endpoint or f"https://{given.account}.blob.core.windows.net",
            given.container,
            credential=credential,
            transport=RequestsTransport(
                session=build_session(access.addresses_of, bounds),
                connection_timeout=store.ANSWER_S,
                read_timeout=store.ANSWER_S,
                connection_verify=os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True,
            ),
            retry_total=0,
            permit_redirects=False,
            max_single_get_size=_FIRST,
            max_chunk_get_size=_FIRST,
            raw_request_hook=lambda request: access.pause(),
        )
        weakref.finalize(self, self._client.close)

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Yield all blobs below the prefix, five thousand at a time."""
        with self._translate_errors():
            for blob in self._client.list_blobs(name_starts_with=self._prefix or None, include=["metadata"]):
                # A storage account with folders lists these too.
                is_folder = (blob.metadata or {}).get("hdi_isfolder") == "true"
                if (path := path_below(self._prefix, blob.name)) and not is_folder:
                    yield as_stored(path, _fingerprint(blob))

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, four megabytes at a time, of which the library asks for those of the first one's ETag."""
        with self._translate_errors(path):
            blob = self._client.download_blob(self._prefix + path, max_concurrency=1)
            if fingerprint and _fingerprint(blob.properties) != fingerprint:
                raise make_changed_error(path)
            yield from blob.chunks()

    def fingerprint_of(self, path: str) -> str:
        """Return the ETag of now."""
        with self._translate_errors(path):
            return _fingerprint(self._client.get_blob_client(self._prefix + path).get_blob_properties())

    @contextmanager
    def _translate_errors(self, path: str = "") -> Iterator[None]:
        """path: of the one blob that is asked for; "" for a listing. The library's texts may hold the SAS token."""
        from azure.core.exceptions import AzureError, HttpResponseError

        try:
            yield
        except HttpResponseError as error:
            raise self._make_fault(error.status_code or 0, path) from None
        except (AzureError, ValueError):
            raise SourceError("The service does not answer, or not as Azure Blob Storage does.") from None

    def _make_fault(self, status: int, path: str) -> Exception:
        if path and status == 404:
            return GoneError(f"{path} is no longer there.")
        if path and status == 412:
            return make_changed_error(path)
        if path and status == 409:
            return UnreadableFileError(f"{path} is archived. Bring it back to a tier that can be read.")
        if status in {0, 401, 403}:  # 0: nothing could be signed with the key
            return SourceRefusedError(f"The container {self._container} may not be read with these credentials.")
        if status == 404:
            return SourceError(f"There is no container {self._container}. Check its name.")
        return SourceError(f"The service answers with status {status}.")


def _fingerprint(blob: Any) -> str:
    return str(blob.etag or "").strip('"')


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential

    given = AzureSettings.model_validate(settings)
    key, token = secrets.get("account_key", "").strip(), secrets.get("sas_token", "").strip().removeprefix("?")
    credential: Any = AzureSasCredential(token) if token else None
    if key:
        credential = AzureNamedKeyCredential(given.account, key)
    return FileConnector(_Container(given, credential, access), given, access)


KIND = Kind(
    name="azure",
    label="Azure Blob Storage container",
    help="A container of Azure Blob Storage or of Data Lake Storage Gen2.",
    settings=AzureSettings,
    connect=_connect,
    secrets={
        "sas_token": "SAS token with the rights to read and list; better than a key, which opens the whole account",
        "account_key": "Account key, where there is no SAS token",
    },
    destination=("account", "endpoint"),
    per_minute=1200,
    tells_readers=True,
)
