"""Bucket of the segments of the index: encrypted, private, TLS only, and without old versions."""

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.acknowledgements import BLOBS, acknowledge


class SegmentBucket(Construct):
    """Bucket of segments, `bucket`. It keeps no version of what is replaced or deleted: an erased word is gone."""

    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            versioned=False,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=[
                s3.LifecycleRule(id="uploads", abort_incomplete_multipart_upload_after=Duration.days(1))
            ],
            removal_policy=RemovalPolicy.RETAIN,
        )
        acknowledge(self.bucket, BLOBS)
