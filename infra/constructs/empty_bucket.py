"""Runs when the dev profile's bucket is destroyed: deletes every object, version and unfinished upload in it.

CloudFormation calls it as a custom resource, with this file as the whole code, so it imports no other of ours.
"""

import json
import urllib.request
from collections.abc import Mapping
from typing import Any

import boto3


class NotEmpty(Exception):
    """S3 refused to delete some of it."""


def handler(event: Mapping[str, Any], _: Any) -> None:
    """Empty the bucket on Delete, do nothing on Create and Update, and tell CloudFormation how it went."""
    problem = ""
    try:
        if event["RequestType"] == "Delete":
            empty(boto3.resource("s3").Bucket(event["ResourceProperties"]["Bucket"]))
    except Exception as error:
        problem = f"{type(error).__name__}: {error}; empty the bucket by hand, then delete the stack again"
    answer(event, problem)


def empty(bucket: Any) -> None:
    """Args: bucket: boto3's Bucket. A bucket that is gone is empty."""
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
    """PUT the outcome where CloudFormation waits for it."""
    body = {
        "Status": "FAILED" if problem else "SUCCESS",
        "Reason": problem or "done",
        "PhysicalResourceId": event.get("PhysicalResourceId") or event["ResourceProperties"]["Bucket"],
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    request = urllib.request.Request(event["ResponseURL"], json.dumps(body).encode(), method="PUT")
    urllib.request.urlopen(request, timeout=10).close()
