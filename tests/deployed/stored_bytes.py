"""What lies in the buckets of a deployment, read past the product: every version of every object, unpacked too."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator

from memory_layer.domain.text.analyzer import term_hash
from tests.deployed.ministack import Ministack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZSTD_FRAME = b"\x28\xb5\x2f\xfd"
_ASSETS = "cdk-"


def buckets(server: Ministack) -> list[str]:
    """Those that the stacks made, not the one of their code."""
    found = server.client("s3").list_buckets()["Buckets"]
    return [bucket["Name"] for bucket in found if not bucket["Name"].startswith(_ASSETS)]


def holding(server: Ministack, bucket: str, *sought: bytes) -> dict[bytes, set[str]]:
    """Keys of the objects that hold what is sought, in any version, as they lie there or unpacked."""
    found: dict[bytes, set[str]] = {part: set() for part in sought}
    for key, body in _objects(server, bucket):
        whole = body + _unpacked(body) + key.encode()
        for part in sought:
            if part in whole:
                found[part].add(key)
    return found


def as_term(stem: str) -> bytes:
    """The four bytes by which an index knows a word."""
    return struct.pack("<I", term_hash(stem))


def _objects(server: Ministack, bucket: str) -> Iterator[tuple[str, bytes]]:
    s3 = server.client("s3")
    pages = s3.get_paginator("list_object_versions").paginate(Bucket=bucket)
    for version in (each for page in pages for each in page.get("Versions", ())):
        named = {"Bucket": bucket, "Key": version["Key"]}
        if version["VersionId"] != "null":
            named["VersionId"] = version["VersionId"]
        yield version["Key"], s3.get_object(**named)["Body"].read()


def _unpacked(body: bytes) -> bytes:
    """What the first zstd frame in the bytes holds."""
    at = body.find(_ZSTD_FRAME)
    return b"" if at < 0 else zstd.ZstdDecompressor().decompress(body[at:])
