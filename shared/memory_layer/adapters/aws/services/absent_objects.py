"""Absence of objects in S3: who may list a bucket under a prefix alone is told 403 of a missing key, not 404."""

from typing import Any, Final

from botocore.exceptions import ClientError

_ABSENT: Final = frozenset({"NoSuchKey", "404"})
_REFUSED: Final = frozenset({"AccessDenied", "403"})
"""Source: Amazon S3 API reference, GetObject and HeadObject: 404 is for those who have s3:ListBucket, which a condition
on a prefix takes from a request that names none."""


def is_absent(client: Any, bucket: str, key: str, error: ClientError) -> bool:
    """Tells if a read failed since there is no such object. A refusal is looked into by a listing of the key.

    Raises:
        ClientError: the key cannot be listed.
    """
    code = error.response.get("Error", {}).get("Code")
    return code in _ABSENT or (code in _REFUSED and not _is_listed(client, bucket, key))


def _is_listed(client: Any, bucket: str, key: str) -> bool:
    """Tells if a key is there: it comes before all that begin with it."""
    page = client.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1)
    return any(found["Key"] == key for found in page.get("Contents", ()))
