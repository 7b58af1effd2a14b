"""BlobStore in S3: one object a key; the bucket itself encrypts, keeps versions and lets them age out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.errors import StoreUnavailable

JSON = "application/json"
_ABSENT = frozenset({"NoSuchKey", "404"})


class S3BlobStore:
    """Bodies too large for a record.

    Args:
        client: as `clients.s3` makes it.
        bucket: its name.
    """

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, body: bytes) -> None:
        """Durable when it returns.

        Raises:
            StoreUnavailable: the bucket cannot be written.
        """
        with self._telling("written", key):
            self._client.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType=JSON)

    def get(self, key: str) -> bytes | None:
        """The body, as of the last `put`; None if there is none.

        Raises:
            StoreUnavailable: the bucket cannot be read.
        """
        with self._telling("read", key):
            try:
                body: bytes = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            except ClientError as error:
                if _code(error) in _ABSENT:
                    return None
                raise
            return body

    def delete(self, key: str) -> None:
        """Gone; one that is not there is no error.

        Raises:
            StoreUnavailable: the bucket cannot be written.
        """
        with self._telling("deleted", key):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def keys(self, prefix: str) -> list[str]:
        """All keys that begin so, in order, however many answers it takes.

        Raises:
            StoreUnavailable: the bucket cannot be listed.
        """
        with self._telling("listed", prefix):
            return [found["Key"] for page in self._pages(prefix) for found in page.get("Contents", ())]

    def _pages(self, prefix: str) -> Iterator[Mapping[str, Any]]:
        """Botocore's own pages would need a model of them, which functions do not carry (manifest/layers.py)."""
        more: dict[str, str] = {}
        while True:
            page = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, **more)
            yield page
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def link(self, key: str, lifetime: timedelta) -> str:
        """A URL that reads this one object without any other credential until it expires."""
        url: str = self._client.generate_presigned_url(
            "get_object",
            Params={"Bucket": self._bucket, "Key": key, "ResponseContentType": JSON},
            ExpiresIn=int(lifetime.total_seconds()),
        )
        return url

    @contextmanager
    def _telling(self, done: str, key: str) -> Iterator[None]:
        """Say what could not be done to which key."""
        try:
            yield
        except (ClientError, BotoCoreError) as error:
            raise StoreUnavailable(
                f"{key} in bucket {self._bucket} cannot be {done} ({_code(error)}); try again in a moment"
            ) from error


def _code(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__
