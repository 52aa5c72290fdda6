"""Moto's S3, with one user."""

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app

from tests.integration.sync.servers.served import Served, serving

_POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}'


@contextmanager
def serve(folder: Path) -> Iterator[Served]:
    """A bucket, of which a folder is the source."""
    with serving(DomainDispatcherApplication(create_backend_app)) as port:
        _post(port, "reset")
        key = _make_user(port)
        _post(port, "reset-auth", b"0")  # from now on, who asks is looked at
        client = _client(port, "s3", key["AccessKeyId"], key["SecretAccessKey"])
        client.create_bucket(Bucket="handbook")
        client.put_object(Bucket="handbook", Key="elsewhere.md", Body=b"not below the prefix")

        def at(port: int) -> dict[str, str]:
            return {
                "bucket": "handbook",
                "prefix": "all of it",
                "endpoint": f"http://127.0.0.1:{port}",
                "access_key": key["AccessKeyId"],
            }

        yield Served(
            kind="s3",
            settings=at(port),
            secrets={"secret_key": key["SecretAccessKey"]},
            refused={"secret_key": "wrong"},
            put=lambda path, content: client.put_object(Bucket="handbook", Key=f"all of it/{path}", Body=content),
            remove=lambda path: client.delete_object(Bucket="handbook", Key=f"all of it/{path}"),
            at=at,
        )
        client.close()
        _post(port, "reset-auth", b"inf")


def _client(port: int, service: str, key: str, secret: str) -> Any:
    return boto3.session.Session().client(
        service,
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
    )


def _make_user(port: int) -> dict[str, str]:
    client = _client(port, "iam", "owner", "owner")
    client.create_user(UserName="footnote")
    client.put_user_policy(UserName="footnote", PolicyName="everything", PolicyDocument=_POLICY)
    key: dict[str, str] = client.create_access_key(UserName="footnote")["AccessKey"]
    client.close()
    return key


def _post(port: int, path: str, content: bytes = b"") -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/moto-api/{path}", data=content):
        pass
