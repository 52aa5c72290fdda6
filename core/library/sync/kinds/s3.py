"""A bucket of Amazon S3, or of another store that speaks its protocol."""

import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

from core.errors import FootnoteError, GoneError, SourceError, SourceRefusedError, UnreadableFileError
from core.library.ingestion.sources import LeftOut
from core.library.sync.connector import Access, Connector, Kind, make_changed_error
from core.library.sync.files import store
from core.library.sync.files.connector import FileConnector
from core.library.sync.files.settings import FileSettings, HttpAddress, RelativePath
from core.library.sync.files.store import PassedOver, StoredFile, as_stored, path_below

_MAKING = threading.Lock()  # the library makes clients in one thread at a time
_GONE = {"NoSuchKey", "404", "NoSuchVersion"}
_REFUSED = {
    "AccessDenied",
    "AllAccessDisabled",
    "AuthorizationHeaderMalformed",
    "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidToken",
    "SignatureDoesNotMatch",
    "403",
}


class S3Settings(FileSettings):
    """The bucket to read, and its address."""

    bucket: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$", title="Bucket", description="Its name, without s3://."
    )
    prefix: RelativePath = Field(
        default="", title="Folder", description="A prefix of keys, such as handbook/2024. Empty: all of the bucket."
    )
    region: str = Field(
        default="us-east-1",
        pattern=r"^[a-z0-9-]+$",
        title="Region",
        description="As in eu-central-1. Stores other than Amazon's mostly take any.",
    )
    endpoint: HttpAddress = Field(
        default="",
        title="Address of the store",
        description="Empty for Amazon S3. For others their address, such as https://minio.example.com:9000.",
    )
    access_key: str = Field(
        default="",
        title="Access key ID",
        description="Of an account that can only list and read this bucket. Empty, for Amazon S3 alone: the role or "
        "keys of the machine on which the worker runs.",
    )

    @model_validator(mode="after")
    def _check_key(self) -> Self:
        # The machine's own credentials are not shown to a server that somebody entered.
        if self.endpoint and not self.access_key:
            raise ValueError("Enter an access key ID: the machine's own role is used with Amazon S3 alone.")
        return self


class _Bucket:
    """Objects of a bucket, as files."""

    def __init__(self, given: S3Settings, secret_key: str, access: Access) -> None:
        import boto3
        from botocore.config import Config

        from core.library.sync.files.guarded_pools import AnswerBounds, guard

        self._bucket = given.bucket
        self._prefix = f"{given.prefix}/" if given.prefix else ""
        with _MAKING:
            self._client = boto3.client(
                "s3",
                region_name=given.region,
                endpoint_url=given.endpoint or None,
                aws_access_key_id=given.access_key or None,
                aws_secret_access_key=secret_key or None,
                config=Config(
                    connect_timeout=store.ANSWER_S,
                    read_timeout=store.ANSWER_S,
                    retries={"total_max_attempts": 2},
                    s3={"addressing_style": "path"} if given.endpoint else {},
                    request_checksum_calculation="when_required",
                    response_checksum_validation="when_required",
                    proxies={},  # not even those of the environment: a proxy would resolve the name again
                    ignore_configured_endpoint_urls=True,  # an endpoint for all of boto3 is not where this key belongs
                ),
            )
        weakref.finalize(self, self._client.close)
        manager = self._client._endpoint.http_session._manager
        guard(manager, access.addresses_of, AnswerBounds.beyond(access.max_mb))
        # Before each request, to another region too.
        self._client.meta.events.register("before-send.s3", lambda **_: access.pause())

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Yield all objects below the prefix, a thousand at a time."""
        with self._translate_errors():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=self._prefix)
            for page in pages:
                for one in page.get("Contents", ()):
                    if path := path_below(self._prefix, one["Key"]):
                        yield as_stored(path, _fingerprint(one))

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Yield the content, as it comes."""
        with self._translate_errors(path):
            answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + path)
            with closing(answer["Body"]) as body:
                # Compared here rather than by If-Match, which not every store heeds.
                if fingerprint and _fingerprint(answer) != fingerprint:
                    raise make_changed_error(path)
                yield from body.iter_chunks(store.PIECE)

    def fingerprint_of(self, path: str) -> str:
        """Return the ETag of now."""
        with self._translate_errors(path):
            return _fingerprint(self._client.head_object(Bucket=self._bucket, Key=self._prefix + path))

    @contextmanager
    def _translate_errors(self, path: str = "") -> Iterator[None]:
        """path: of the one object that is asked for; "" for a listing."""
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

        try:
            yield
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            raise self._make_fault(code, path) from None
        except NoCredentialsError:
            raise SourceRefusedError("There is no access key, and the machine has no role of its own.") from None
        except BotoCoreError as error:
            if isinstance(inner := error.kwargs.get("error"), FootnoteError):
                raise inner from None
            raise SourceError(
                "The store does not answer, or not as S3 does. Check its address and the region."
            ) from None

    def _make_fault(self, code: str, path: str) -> Exception:
        if path and code in _GONE:
            return GoneError(f"{path} is no longer there.")
        if path and code in {"AccessDenied", "403"}:
            return UnreadableFileError(f"{path} may not be read with these credentials.")
        if path and code == "InvalidObjectState":
            return UnreadableFileError(f"{path} is archived. Restore it to a class of storage that can be read.")
        if code in _REFUSED:
            return SourceRefusedError(f"The store does not let these credentials read the bucket {self._bucket}.")
        if code == "NoSuchBucket":
            return SourceError(f"There is no bucket {self._bucket}. Check its name and the region.")
        return SourceError(f"The store refuses with {code[:60] or 'an error'}.")


def _fingerprint(told: Mapping[str, Any]) -> str:
    return str(told["ETag"]).strip('"')


def _connect(settings: BaseModel, secrets: Mapping[str, str], access: Access) -> Connector:
    given = S3Settings.model_validate(settings)
    secret_key = secrets.get("secret_key", "")
    if bool(given.access_key) != bool(secret_key):
        raise SourceRefusedError("An access key ID and its secret access key go together. Enter both, or neither.")
    return FileConnector(_Bucket(given, secret_key, access), given, access)


KIND = Kind(
    name="s3",
    label="S3 bucket",
    help="A bucket of Amazon S3, or of a store that speaks its protocol, such as MinIO, Ceph or Cloudflare R2.",
    settings=S3Settings,
    connect=_connect,
    secrets={"secret_key": "Secret access key"},
    destination=("endpoint", "region"),
    per_minute=1200,
    tells_readers=True,
)
