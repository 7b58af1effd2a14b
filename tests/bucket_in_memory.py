# ruff: noqa: ARG002 parameters as S3 names them
"""Plain model of a bucket as far as segments need it: objects with ETags, and writes that a condition may refuse."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import md5
from typing import Any

from botocore.exceptions import ClientError

BUCKET = "segments"


@dataclass
class BucketInMemory:
    """Client of one bucket that holds only what was put last.

    Args:
        now: the time at which an object is put.
        before_call: called before each request, where others may do something meanwhile.
        keeps_conditions: False takes the conditions of writes out.
    """

    now: Callable[[], datetime] = lambda: datetime(2026, 3, 1, 12, tzinfo=UTC)
    before_call: Callable[[], None] = lambda: None
    keeps_conditions: bool = True
    objects: dict[str, tuple[bytes, datetime]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    def get_object(self, *, Bucket: str, Key: str, IfNoneMatch: str | None = None) -> dict[str, Any]:
        self._count("GET")
        if Key not in self.objects:
            raise _refused("NoSuchKey")
        body, _ = self.objects[Key]
        if IfNoneMatch == _etag(body):
            raise _refused("304")
        return {"Body": io.BytesIO(body), "ETag": _etag(body)}

    def put_object(
        self,
        *,
        Bucket: str,
        Key: str,
        Body: bytes,
        IfMatch: str | None = None,
        IfNoneMatch: str | None = None,
    ) -> None:
        self._count("PUT")
        known = self.objects.get(Key)
        if self.keeps_conditions:
            if IfNoneMatch == "*" and known is not None:
                raise _refused("PreconditionFailed")
            if IfMatch is not None and (known is None or _etag(known[0]) != IfMatch):
                raise _refused("PreconditionFailed")
        self.objects[Key] = Body, self.now()

    def delete_object(self, *, Bucket: str, Key: str) -> None:
        self._count("DELETE")
        self.objects.pop(Key, None)

    def list_objects_v2(self, *, Bucket: str, Prefix: str) -> dict[str, Any]:
        self._count("LIST")
        found = sorted(key for key in self.objects if key.startswith(Prefix))
        return {"Contents": [{"Key": key, "LastModified": self.objects[key][1]} for key in found]}

    def _count(self, operation: str) -> None:
        self.before_call()
        self.calls[operation] += 1


def _etag(body: bytes) -> str:
    return f'"{md5(body).hexdigest()}"'


def _refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "S3")
