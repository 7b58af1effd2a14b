"""BlobStore in S3: one object per key; the bucket itself encrypts, keeps versions and lets them age out."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.adapters.aws.services.absent_objects import is_absent
from memory_layer.domain.memory import Tier
from memory_layer.errors import THAW_S, BodyFrozen, StoreUnavailable

JSON = "application/json"

STANDARD: Final = "STANDARD"
STORAGE_CLASSES: Final[Mapping[Tier, tuple[str, int]]] = {
    "hot": (STANDARD, 0),
    "warm": (STANDARD, 0),
    "cold": ("GLACIER_IR", 22_796),
    "frozen": ("DEEP_ARCHIVE", 10_035),
}
"""With the bytes from which on the class costs less than Standard, in which smaller ones stay.

Glacier Instant Retrieval, which answers as Standard does, bills 128 KiB at least: 131,072 B * .004 / .023. Deep
Archive, which is asked first and answers hours later, adds 32 KiB at its own price and 8 KiB at Standard's:
(32,768 B * .00099 + 8,192 B * .023) / (.023 - .00099).

Source: https://aws.amazon.com/s3/pricing/ (us-east-1).
"""

RESTORED_DAYS: Final = 7
"""Days for which a copy that Deep Archive has brought back can be read."""

_ARCHIVED: Final = "InvalidObjectState"
_ASKED_BEFORE: Final = "RestoreAlreadyInProgress"
"""Source: Amazon S3 API reference, GetObject and RestoreObject."""


class S3BlobStore:
    """Store of bodies too large for a record.

    Args:
        client: as `boto_clients.s3` makes it.
        bucket: its name.
    """

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        """Writes a body, durable on return; replaces an earlier one, of whatever class, in one step.

        Raises:
            StoreUnavailable: the bucket cannot be written.
        """
        with self._store_errors("written", key):
            self._client.put_object(
                Bucket=self._bucket,
                Key=key,
                Body=body,
                ContentType=JSON,
                StorageClass=storage_class(tier, len(body)),
            )

    def reclass(self, key: str, tier: Tier) -> None:
        """Moves a body to another class, as BlobStore.reclass: a copy onto itself, whole at any moment.

        Raises:
            StoreUnavailable: the bucket cannot be written.
        """
        named = {"Bucket": self._bucket, "Key": key}
        with self._store_errors("moved", key):
            try:
                found = self._client.head_object(**named)
            except ClientError as error:
                if is_absent(self._client, self._bucket, key, error):
                    return  # nothing to move; a read tells that it is missing
                raise
            wanted = storage_class(tier, found["ContentLength"])
            if found.get("StorageClass", STANDARD) != wanted:
                self._client.copy_object(**named, CopySource=named, StorageClass=wanted)

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        """Returns the body as of the last `put`; None if there is none.

        Args:
            thaws: have Deep Archive bring it back.

        Raises:
            BodyFrozen: it lies in Deep Archive.
            StoreUnavailable: the bucket cannot be read.
        """
        with self._store_errors("read", key):
            try:
                body: bytes = self._client.get_object(Bucket=self._bucket, Key=key)["Body"].read()
            except ClientError as error:
                if is_absent(self._client, self._bucket, key, error):
                    return None
                if _code(error) == _ARCHIVED:
                    raise self._frozen(key, thaws=thaws) from error
                raise
            return body

    def _frozen(self, key: str, *, thaws: bool) -> BodyFrozen:
        if not thaws:
            return BodyFrozen(f"{key} is in deep archive; read its memory by itself to have it brought back")
        self._ask_for(key)
        return BodyFrozen(
            f"{key} was in deep archive and is on its way back, within {THAW_S // 3600} hours; read its memory again "
            f"then: it stays for {RESTORED_DAYS} days"
        )

    def _ask_for(self, key: str) -> None:
        """Requests a thaw once: while a body is on its way S3 refuses to be asked again."""
        request = {"Days": RESTORED_DAYS, "GlacierJobParameters": {"Tier": "Standard"}}
        try:
            self._client.restore_object(Bucket=self._bucket, Key=key, RestoreRequest=request)
        except ClientError as error:
            if _code(error) != _ASKED_BEFORE:
                raise

    def delete(self, key: str) -> None:
        """Deletes a body; one that does not exist is no error.

        Raises:
            StoreUnavailable: the bucket cannot be written.
        """
        with self._store_errors("deleted", key):
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def keys(self, prefix: str) -> list[str]:
        """Returns all keys with this prefix, in order, however many answers it takes.

        Raises:
            StoreUnavailable: the bucket cannot be listed.
        """
        with self._store_errors("listed", prefix):
            return [found["Key"] for page in self._pages(prefix) for found in page.get("Contents", ())]

    def _pages(self, prefix: str) -> Iterator[Mapping[str, Any]]:
        """Pages of a listing; botocore's own would need a model that functions do not carry (manifest/layers.py)."""
        more: dict[str, str] = {}
        while True:
            page = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, **more)
            yield page
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    def link(self, key: str, lifetime: timedelta) -> str:
        """Returns a URL that reads this one object without any other credential until it expires."""
        url: str = self._client.generate_presigned_url(
            "get_object",
            Params={"Bucket": self._bucket, "Key": key, "ResponseContentType": JSON},
            ExpiresIn=int(lifetime.total_seconds()),
        )
        return url

    @contextmanager
    def _store_errors(self, done: str, key: str) -> Iterator[None]:
        """Names the key and the operation in errors."""
        try:
            yield
        except (ClientError, BotoCoreError) as error:
            raise StoreUnavailable(
                f"{key} in bucket {self._bucket} cannot be {done} ({_code(error)}); try again in a moment"
            ) from error


def storage_class(tier: Tier, size_bytes: int) -> str:
    """Cheapest storage class for a body of a tier."""
    name, from_bytes = STORAGE_CLASSES[tier]
    return name if size_bytes >= from_bytes else STANDARD


def _code(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__
