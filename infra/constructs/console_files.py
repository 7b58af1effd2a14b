"""Bucket with the files of the console, which a function of ours puts there at each deployment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from aws_cdk import CustomResource, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.acknowledgements import CONSOLE_FILES, acknowledge, everything_inside
from infra.constructs.blob_bucket import emptying_statements
from infra.constructs.resource_function import resource_function, writes_log
from infra.deployment import Deployment


class ConsoleFiles(Construct):
    """Bucket `bucket`, which is emptied and goes with its stack: every file can be built again.

    Args:
        folder: code of the function with the files, as `CodeAssets.console_folder` lays it out.
    """

    def __init__(self, scope: Construct, id: str, deployment: Deployment, folder: Path) -> None:
        super().__init__(scope, id)
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            removal_policy=RemovalPolicy.DESTROY,
        )
        acknowledge(self.bucket, CONSOLE_FILES)
        self._published = assets.Asset(self, "Files", path=str(folder))
        self._publisher, self._policy = resource_function(
            self,
            "Publisher",
            deployment,
            code=lambda_.Code.from_bucket_v2(self._published.bucket, self._published.s3_object_key),
            handler="infra.constructs.publish_files.handler",
            statements=lambda log: [self._puts(), *emptying_statements(self.bucket), writes_log(log)],
        )
        logical_id = Stack.of(self).get_logical_id(cast(s3.CfnBucket, self.bucket.node.default_child))
        acknowledge(self._policy, everything_inside(f"<{logical_id}.Arn>/*"))

    def publish(self, configuration: Mapping[str, Any]) -> None:
        """Has the files put, and the configuration that the page reads, anew as soon as one of them is another."""
        published = CustomResource(
            self,
            "Published",
            resource_type="Custom::ConsoleFiles",
            service_token=self._publisher.function_arn,
            properties={
                "Bucket": self.bucket.bucket_name,
                "Files": self._published.asset_hash,
                "Configuration": Stack.of(self).to_json_string(configuration),
            },
        )
        published.node.add_dependency(self._policy, self.bucket)

    def _puts(self) -> iam.PolicyStatement:
        return iam.PolicyStatement(actions=["s3:PutObject"], resources=[self.bucket.arn_for_objects("*")])
