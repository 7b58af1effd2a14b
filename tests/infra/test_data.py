"""What holds data: kept safe in prod, gone without a trace in dev."""

from __future__ import annotations

from typing import Any

import pytest

from memory_layer.manifest.tables import TABLES
from tests.aws.dynamodb_table import projection
from tests.infra.templates import Assembly

HOLDS_DATA = (
    *("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::OpenSearchService::Domain", "AWS::Cognito::UserPool"),
    *("AWS::Cognito::UserPoolClient", "AWS::Cognito::UserPoolResourceServer", "AWS::Cognito::UserPoolDomain"),
)


def table_of(assembly: Assembly, name: str) -> dict[str, Any]:
    ((_, table),) = (
        found for found in assembly.properties("AWS::DynamoDB::Table") if f"{name.title()}Table" in found[0]
    )
    return table


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_tables_are_as_the_manifest_says(assembly: Assembly, table: Any) -> None:
    made = table_of(assembly, table.name)
    keys = [key["AttributeName"] for key in made["KeySchema"]]
    assert keys == [key for key in (table.partition_key, table.sort_key) if key]
    assert made["BillingMode"] == "PAY_PER_REQUEST"
    assert made["SSESpecification"]["SSEEnabled"]
    assert made["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    ttl = {"AttributeName": table.ttl, "Enabled": True} if table.ttl else None
    assert made.get("TimeToLiveSpecification") == ttl
    stream = {"StreamViewType": "NEW_AND_OLD_IMAGES"} if table.has_stream else None
    assert made.get("StreamSpecification") == stream
    indexes = {index["IndexName"]: index for index in made.get("GlobalSecondaryIndexes", [])}
    assert set(indexes) == {index.name for index in table.indexes}
    for index in table.indexes:
        found = [key["AttributeName"] for key in indexes[index.name]["KeySchema"]]
        assert found == [index.partition_key, index.sort_key]
        assert indexes[index.name]["Projection"] == projection(index)


def test_destroying_prod_keeps_data(prod: Assembly) -> None:
    """The safeguard is the removal policy by `keeps_data`."""
    for type_ in HOLDS_DATA:
        for key, resource in prod.of_type(type_).items():
            if key.startswith("service:"):  # the console's files can be built again
                assert type_ == "AWS::S3::Bucket", key
                continue
            assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain", key
    assert all(table["DeletionProtectionEnabled"] for _, table in prod.properties("AWS::DynamoDB::Table"))
    assert not prod.of_type("Custom::EmptyBucket")


def test_destroying_dev_leaves_nothing(dev: Assembly) -> None:
    for key, resource in dev.resources.items():
        assert resource.get("DeletionPolicy", "Delete") == "Delete", key
    for type_ in HOLDS_DATA:
        assert {resource["DeletionPolicy"] for resource in dev.of_type(type_).values()} == {"Delete"}, type_
    assert not any(table["DeletionProtectionEnabled"] for _, table in dev.properties("AWS::DynamoDB::Table"))
    assert dev.only("AWS::Cognito::UserPool")["DeletionProtection"] == "INACTIVE"
    assert dev.only("AWS::KMS::Key")["PendingWindowInDays"] == 7


def test_devs_bucket_is_emptied_before_it_goes(dev: Assembly) -> None:
    emptied = dev.only("Custom::EmptyBucket")
    (bucket,) = (key for key in dev.of_type("AWS::S3::Bucket") if key.startswith("stateful:"))
    assert dev.resolve("stateful", emptied["Bucket"]) == f"{{{bucket}}}"
    ((_, custom),) = dev.of_type("Custom::EmptyBucket").items()
    assert bucket.split(":")[1] in custom["DependsOn"]


def test_every_lambda_logs_where_its_stack_cleans_up(assembly: Assembly) -> None:
    """One that made its own group would leave it behind."""
    assert all("LoggingConfig" in function for _, function in assembly.properties("AWS::Lambda::Function"))
    assert not any("logs:CreateLogGroup" in one["Action"] for _, one in assembly.statements())


def test_bucket_is_private_versioned_and_forgets(assembly: Assembly) -> None:
    buckets = assembly.properties("AWS::S3::Bucket")
    (bucket,) = (found for key, found in buckets if key.startswith("stateful:"))
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert bucket["BucketEncryption"]
    rules = {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}
    assert rules["everything"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 35}
    assert rules["everything"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    assert rules["answers"]["Prefix"] == "answers/"
    assert rules["answers"]["ExpirationInDays"] == 1
    assert (rules["operations"]["Prefix"], rules["operations"]["ExpirationInDays"]) == ("operations/", 30)
    assert {rule["Status"] for rule in rules.values()} == {"Enabled"}


def test_everything_that_takes_messages_or_objects_refuses_plain_http(assembly: Assembly) -> None:
    refusing = set()
    for key, statement in assembly.statements():
        if statement["Effect"] == "Deny" and "'false'" in str(statement.get("Condition")):
            assert "aws:SecureTransport" in str(statement["Condition"]), key
            refusing |= {resource.strip("{}").removesuffix(".Arn") for resource in statement["Resource"]}
    for type_ in ("AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::SNS::Topic"):
        assert assembly.of_type(type_)
        assert set(assembly.of_type(type_)) <= refusing, type_


def test_domain_is_encrypted_and_https_only(assembly: Assembly) -> None:
    domain = assembly.only("AWS::OpenSearchService::Domain")
    assert domain["EncryptionAtRestOptions"] == {"Enabled": True}
    assert domain["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    assert domain["DomainEndpointOptions"]["EnforceHTTPS"]
    assert domain["DomainEndpointOptions"]["TLSSecurityPolicy"] == "Policy-Min-TLS-1-2-PFS-2023-10"
    assert domain["EBSOptions"]["VolumeType"] == "gp3"
    assert domain["EngineVersion"] == "OpenSearch_3.5"


def test_domain_has_the_profiles_size(dev: Assembly, prod: Assembly) -> None:
    small = dev.only("AWS::OpenSearchService::Domain")["ClusterConfig"]
    assert (small["InstanceType"], small["InstanceCount"]) == ("t3.small.search", 1)
    assert not small["ZoneAwarenessEnabled"]
    assert not small["DedicatedMasterEnabled"]
    large = prod.only("AWS::OpenSearchService::Domain")["ClusterConfig"]
    assert (large["InstanceType"], large["InstanceCount"]) == ("r7g.large.search", 3)
    assert large["ZoneAwarenessConfig"] == {"AvailabilityZoneCount": 3}
    assert large["DedicatedMasterCount"] == 3


def test_outputs_name_what_people_need_and_no_secret(dev: Assembly) -> None:
    outputs = {name for template in dev.templates.values() for name in template["Outputs"]}
    assert {
        "ApiUrl",
        "TokenEndpoint",
        "UserPoolId",
        "ClientId",
        "ClientsTableName",
        "SearchEndpoint",
    } <= outputs
    assert not any("Secret" in name for name in outputs)
