"""Bucket for bodies too large for a record: versioned, encrypted, private, TLS only."""

from pathlib import Path
from typing import Final, cast

from aws_cdk import CustomResource, Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.acknowledgements import BLOBS, acknowledge, everything_inside
from infra.constructs.prefixes import ANSWERS_PREFIX, HISTORIES_PREFIX, OPERATIONS_PREFIX
from infra.constructs.resource_function import resource_function, writes_log
from infra.deployment import Deployment

NONCURRENT_DAYS: Final = 35
"""Days after which replaced or deleted objects are gone for good (SPEC 8.11)."""

OPERATION_DAYS: Final = 30
"""Days of an operation's input: done, it goes at once; undone, it goes with its operation (ADR-0006)."""

HISTORY_DAYS: Final = 90
"""Days after which the iterations of a run go to a cheaper class, from which they are read at once all the same."""

HISTORY_MIN_BYTES: Final = 131_072
"""Size from which on that class costs less: it charges smaller objects for as much."""

_EMPTIER = Path(__file__).with_name("empty_bucket.py")


class BlobBucket(Construct):
    """Bucket of blobs, `bucket`. In the dev profile it empties itself when it is destroyed."""

    def __init__(self, scope: Construct, id: str, deployment: Deployment) -> None:
        super().__init__(scope, id)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            versioned=True,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=_rules(),
            removal_policy=RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY,
        )
        acknowledge(self.bucket, BLOBS)
        if not deployment.keeps_data:
            _empty_at_the_end(self, self.bucket, deployment)


def _rules() -> list[s3.LifecycleRule]:
    return [
        s3.LifecycleRule(
            id="everything",
            noncurrent_version_expiration=Duration.days(NONCURRENT_DAYS),
            abort_incomplete_multipart_upload_after=Duration.days(1),
            expired_object_delete_marker=True,
        ),
        s3.LifecycleRule(
            id="answers",
            prefix=ANSWERS_PREFIX,
            expiration=Duration.days(1),
            noncurrent_version_expiration=Duration.days(1),
        ),
        s3.LifecycleRule(
            id="histories",
            prefix=HISTORIES_PREFIX,
            object_size_greater_than=HISTORY_MIN_BYTES,
            transitions=[
                s3.Transition(
                    storage_class=s3.StorageClass.GLACIER_INSTANT_RETRIEVAL,
                    transition_after=Duration.days(HISTORY_DAYS),
                )
            ],
        ),
        s3.LifecycleRule(id="operations", prefix=OPERATIONS_PREFIX, expiration=Duration.days(OPERATION_DAYS)),
    ]


def _empty_at_the_end(scope: Construct, bucket: s3.Bucket, deployment: Deployment) -> None:
    """Empties the bucket: CDK's auto_delete_objects leaves a log group behind, and its role takes a managed policy."""
    emptier, policy = resource_function(
        scope,
        "Emptier",
        deployment,
        code=lambda_.Code.from_inline(_EMPTIER.read_text("utf-8")),
        handler="index.handler",
        statements=lambda log: [*emptying_statements(bucket), writes_log(log)],
    )
    resource = CustomResource(
        scope,
        "Emptied",
        resource_type="Custom::EmptyBucket",
        service_token=emptier.function_arn,
        properties={"Bucket": bucket.bucket_name},
    )
    resource.node.add_dependency(policy, bucket)
    logical_id = Stack.of(scope).get_logical_id(cast(s3.CfnBucket, bucket.node.default_child))
    acknowledge(policy, everything_inside(f"<{logical_id}.Arn>/*"))


def emptying_statements(bucket: s3.Bucket) -> list[iam.PolicyStatement]:
    """Permissions to empty a bucket."""
    return [
        iam.PolicyStatement(
            actions=["s3:ListBucketVersions", "s3:ListBucketMultipartUploads"], resources=[bucket.bucket_arn]
        ),
        iam.PolicyStatement(
            actions=["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:AbortMultipartUpload"],
            resources=[bucket.arn_for_objects("*")],
        ),
    ]
