"""Custom resource that empties the dev profile's bucket of every object, version and unfinished upload.

CloudFormation calls it when the bucket is destroyed, with this file as the whole code: it imports no other of ours.
"""

import json
import urllib.request
from collections.abc import Mapping
from typing import Any

import boto3


class NotEmpty(Exception):
    """Refusal of S3 to delete some of it."""


def handler(event: Mapping[str, Any], _: Any) -> None:
    """Empties the bucket on Delete, does nothing on Create and Update, and tells CloudFormation how it went."""
    problem = ""
    try:
        if event["RequestType"] == "Delete":
            empty(boto3.resource("s3").Bucket(event["ResourceProperties"]["Bucket"]))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}; empty the bucket by hand, then delete the stack again"
    answer(event, problem)


def empty(bucket: Any) -> None:
    """Empties a bucket; one that is gone is empty. Args: bucket: boto3's Bucket."""
    try:
        kept = [key for page in bucket.object_versions.delete() for key in page.get("Errors", ())]
        if kept:  # told in the answers: S3 raises nothing for single keys
            raise NotEmpty(
                f"{len(kept)} objects stay, the first {kept[0].get('Key')} ({kept[0].get('Code')})"
            )
        for upload in bucket.multipart_uploads.all():
            upload.abort()
    except bucket.meta.client.exceptions.NoSuchBucket:
        print(f"bucket {bucket.name} is gone already")


def answer(event: Mapping[str, Any], problem: str) -> None:
    """PUTs the outcome where CloudFormation waits for it."""
    body = {
        "Status": "FAILED" if problem else "SUCCESS",
        "Reason": problem or "done",
        "PhysicalResourceId": event.get("PhysicalResourceId") or event["ResourceProperties"]["Bucket"],
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    request = urllib.request.Request(event["ResponseURL"], json.dumps(body).encode(), method="PUT")
    urllib.request.urlopen(request, timeout=10).close()
