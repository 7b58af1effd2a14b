"""Store of segments and manifests in S3: only who has read a manifest replaces it, and a segment never changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.adapters.aws.segments import manifest as manifests
from memory_layer.adapters.aws.segments import segment_form
from memory_layer.adapters.aws.segments.manifest import Manifest
from memory_layer.adapters.aws.segments.segment_form import DamagedSegment
from memory_layer.adapters.aws.segments.segment_rows import SegmentRows
from memory_layer.adapters.aws.services.absent_objects import is_absent
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable

PREFIX: Final = "segments/"
ORPHAN_AGE: Final = timedelta(minutes=15)
"""Age of a segment that no manifest names after which nobody is about to name it: a compaction ends in a minute."""

_MANIFEST: Final = "manifest.json"
_REBUILT: Final = f"{PREFIX}rebuilt"
_OF_SCOPE: Final = 2
_UNCHANGED: Final = frozenset({"304", "NotModified"})
_CONFLICTS: Final = frozenset({"PreconditionFailed", "412", "ConditionalRequestConflict", "409"})
"""Source: Amazon S3 user guide, "Conditional writes": 412 where the object is another, 409 for two at once."""


class ManifestChanged(Exception):
    """Somebody else wrote the manifest meanwhile; nothing was written."""


class SegmentGone(Exception):
    """A segment is not there any more: a newer manifest names others."""


class IndexDamaged(IndexUnavailable):
    """The bucket holds something of a project that is not as it was written; a rebuild brings it back."""


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """Manifest as it was read.

    Args:
        etag: of its object; None: there is none yet.
        damage: why what it says is not known; None: it is sound.
    """

    manifest: Manifest
    etag: str | None
    damage: str | None = None


class SegmentStore:
    """Segments and manifests of all projects in one bucket.

    Args:
        client: as `boto_clients.s3` makes it.
        bucket: its name; it keeps no old versions, so that what is deleted is gone.
    """

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self.bucket = self._bucket = bucket

    def manifest(self, scope: Scope, known: StoredManifest | None = None) -> StoredManifest:
        """The manifest of a project as it is now. Args: known: as it was read before; it is not sent again.

        Raises:
            IndexUnavailable: the bucket cannot be read.
        """
        asked = {} if known is None or known.etag is None else {"IfNoneMatch": known.etag}
        with self._errors("read", scope):
            try:
                answer = self._client.get_object(Bucket=self._bucket, Key=_manifest_key(scope), **asked)
                body = answer["Body"].read()
            except ClientError as error:
                if known is not None and _code(error) in _UNCHANGED:
                    return known
                if is_absent(self._client, self._bucket, _manifest_key(scope), error):
                    return StoredManifest(Manifest(), None)
                raise
        try:
            return StoredManifest(manifests.decoded(body), answer["ETag"])
        except DamagedSegment as error:
            return StoredManifest(Manifest(), answer["ETag"], str(error))

    def replace_manifest(self, scope: Scope, manifest: Manifest, etag: str | None) -> None:
        """Replaces a manifest that was read before. Args: etag: as it was read; None: there was none.

        Raises:
            ManifestChanged: it is another one now.
            IndexUnavailable: the bucket cannot be written.
        """
        condition = {"IfNoneMatch": "*"} if etag is None else {"IfMatch": etag}
        with self._errors("written", scope):
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=_manifest_key(scope),
                    Body=manifests.encoded(manifest),
                    **condition,
                )
            except ClientError as error:
                if _code(error) in _CONFLICTS:
                    raise ManifestChanged from error
                raise

    def segment(self, scope: Scope, name: str) -> SegmentRows:
        """Rows of a segment.

        Raises:
            SegmentGone: it is not there.
            DamagedSegment: it is not as it was written.
            IndexUnavailable: the bucket cannot be read.
        """
        with self._errors("read", scope):
            try:
                body = self._client.get_object(Bucket=self._bucket, Key=_segment_key(scope, name))[
                    "Body"
                ].read()
            except ClientError as error:
                if is_absent(self._client, self._bucket, _segment_key(scope, name), error):
                    raise SegmentGone(name) from error
                raise
        return segment_form.decoded(body, name)

    def put_segment(self, scope: Scope, rows: SegmentRows) -> tuple[str, int]:
        """Writes a segment and returns its name and its size in bytes. Raises: IndexUnavailable."""
        body = segment_form.encoded(rows)
        name = segment_form.name_of(body, uuid4().hex[:12])
        with self._errors("written", scope):
            self._client.put_object(Bucket=self._bucket, Key=_segment_key(scope, name), Body=body)
        return name, len(body)

    def delete_segment(self, scope: Scope, name: str) -> None:
        """Deletes a segment, whether or not it is there. Raises: IndexUnavailable."""
        with self._errors("deleted", scope):
            self._client.delete_object(Bucket=self._bucket, Key=_segment_key(scope, name))

    def delete_orphans(self, scope: Scope, named: frozenset[str], now: datetime) -> int:
        """Deletes segments that no manifest names and nobody is about to name; returns how many.

        Args:
            named: by the newest manifest, read before.
        """
        found = 0
        for item in self._listed(_folder(scope), scope):
            name = str(item["Key"]).removeprefix(_folder(scope))
            if name != _MANIFEST and name not in named and now - item["LastModified"] > ORPHAN_AGE:
                self.delete_segment(scope, name)
                found += 1
        return found

    def projects(self, tenant: str | None = None) -> Iterator[Scope]:
        """Projects that have a manifest, by tenant and name; of one tenant or of all."""
        prefix = PREFIX if tenant is None else f"{PREFIX}{tenant}/"
        for item in self._listed(prefix, None):
            _, *owner, name = str(item["Key"]).split("/")
            if name == _MANIFEST and len(owner) == _OF_SCOPE:
                yield Scope(*owner)

    def rebuilt_until(self) -> Scope | None:
        """The project up to which a rebuild came that is not done; None: there is none. Raises: IndexUnavailable."""
        with self._errors("read", None):
            try:
                body = self._client.get_object(Bucket=self._bucket, Key=_REBUILT)["Body"].read()
            except ClientError as error:
                if is_absent(self._client, self._bucket, _REBUILT, error):
                    return None
                raise
        return Scope(*body.decode().split("/"))

    def keep_rebuilt_until(self, scope: Scope | None) -> None:
        """Keeps the project up to which a rebuild came. Args: scope: None: it is done. Raises: IndexUnavailable."""
        with self._errors("written", scope):
            if scope is None:
                self._client.delete_object(Bucket=self._bucket, Key=_REBUILT)
            else:
                body = f"{scope.tenant}/{scope.project}".encode()
                self._client.put_object(Bucket=self._bucket, Key=_REBUILT, Body=body)

    def _listed(self, prefix: str, scope: Scope | None) -> Iterator[Mapping[str, Any]]:
        more: dict[str, str] = {}
        while True:
            with self._errors("listed", scope):
                page = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, **more)
            yield from page.get("Contents", ())
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    @contextmanager
    def _errors(self, done: str, scope: Scope | None) -> Iterator[None]:
        try:
            yield
        except (ClientError, BotoCoreError) as error:
            of = "projects" if scope is None else f"project {scope.project}"
            raise IndexUnavailable(
                f"the index of {of} in bucket {self._bucket} cannot be {done} ({_code(error)}); try again in a moment"
            ) from error


def named_damage(scope: Scope, damage: object) -> IndexDamaged:
    """Error that names the project whose index is damaged, and what brings it back."""
    return IndexDamaged(
        f"the index of project {scope.project} is damaged ({damage}); the records are whole: mem admin reindex "
        "builds it anew, and the daily comparison does so by itself"
    )


def _folder(scope: Scope) -> str:
    return f"{PREFIX}{scope.tenant}/{scope.project}/"


def _manifest_key(scope: Scope) -> str:
    return f"{_folder(scope)}{_MANIFEST}"


def _segment_key(scope: Scope, name: str) -> str:
    return f"{_folder(scope)}{name}"


def _code(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__
