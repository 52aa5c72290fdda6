"""Moto's S3, behind a door that one user may pass: who signs as Amazon demands it."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import DomainDispatcherApplication, create_backend_app

from tests.integration.sync.servers.served import Served, serving

_numbers = itertools.count(1)  # moto keeps its buckets as long as the process lasts
_application = DomainDispatcherApplication(create_backend_app)


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A bucket, of which a folder is the source."""
    bucket = f"handbook-{next(_numbers)}"
    with serving(_application) as inner, serving(_door) as port:
        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{inner}",
            region_name="us-east-1",
            aws_access_key_id="owner",
            aws_secret_access_key="owner",
        )
        client.create_bucket(Bucket=bucket)
        client.put_object(Bucket=bucket, Key="elsewhere.md", Body=b"not below the prefix")

        def at(port: int) -> dict[str, str]:
            return {
                "bucket": bucket,
                "prefix": "all of it",
                "endpoint": f"http://127.0.0.1:{port}",
                "access_key": "AKIAFOOTNOTE",
            }

        yield Served(
            kind="s3",
            settings=at(port),
            secrets={"secret_key": "right"},
            refused={"secret_key": "wrong"},
            put=lambda path, content: client.put_object(Bucket=bucket, Key=f"all of it/{path}", Body=content),
            remove=lambda path: client.delete_object(Bucket=bucket, Key=f"all of it/{path}"),
            at=at,
        )
        client.close()


def _door(environ: dict[str, Any], start: Any) -> Any:
    """https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html"""
    told = environ.get("HTTP_AUTHORIZATION", "")
    signed = told.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    request = AWSRequest(environ["REQUEST_METHOD"], f"http://{environ['HTTP_HOST']}{environ['RAW_URI']}")
    for name in signed:
        request.headers[name] = environ.get(f"HTTP_{name.upper().replace('-', '_')}", "")
    request.context["timestamp"] = environ.get("HTTP_X_AMZ_DATE", "")
    auth = S3SigV4Auth(Credentials("AKIAFOOTNOTE", "right"), "s3", "us-east-1")
    signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    if not told.endswith(f"Signature={signature}"):
        start("403 Forbidden", [("Content-Type", "application/xml")])
        return [b"<Error><Code>SignatureDoesNotMatch</Code></Error>"]
    # Moto takes the name of a host for that of a bucket.
    return _application(environ | {"HTTP_HOST": f"127.0.0.1:{environ['SERVER_PORT']}"}, start)
