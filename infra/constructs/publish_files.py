"""Custom resource that puts the files of the console, which lie beside its code, into their bucket.

CloudFormation calls it at each deployment with other files, and when the bucket is destroyed: then it empties it. Files
of earlier releases stay, since a page that is open loads parts of its own release; the page itself is put last.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import boto3

from infra.constructs.empty_bucket import answer, empty

FILES: Final = Path(__file__).parents[2] / "files"
"""Folder of the files, with `INDEX` beside them."""

INDEX: Final = "headers.json"
"""Type and time to keep of each file, by its path, in the order in which they are put."""

CONFIGURATION: Final = "console/config.json"


def handler(event: Mapping[str, Any], _: Any) -> None:
    """Publishes on Create and Update, empties the bucket on Delete, and tells CloudFormation how it went."""
    problem = ""
    try:
        bucket = boto3.resource("s3").Bucket(event["ResourceProperties"]["Bucket"])
        if event["RequestType"] == "Delete":
            empty(bucket)
        else:
            publish(bucket, FILES, event["ResourceProperties"]["Configuration"])
    except Exception as error:
        problem = f"{type(error).__name__}: {error}; deploy the stack again"
    answer(event, problem)


def publish(bucket: Any, folder: Path, configuration: str) -> None:
    """Puts the configuration and all files of a folder. Args: bucket: boto3's Bucket; configuration: JSON."""
    bucket.put_object(
        Key=CONFIGURATION,
        Body=configuration.encode(),
        ContentType="application/json",
        CacheControl="no-store",
    )
    for path, content_type, cache_control in _files(folder):
        bucket.put_object(
            Key=path,
            Body=(folder / path).read_bytes(),
            ContentType=content_type,
            CacheControl=cache_control,
        )


def _files(folder: Path) -> Iterator[tuple[str, str, str]]:
    for path, headers in json.loads((folder / INDEX).read_text("utf-8")).items():
        yield path, headers["content_type"], headers["cache_control"]
