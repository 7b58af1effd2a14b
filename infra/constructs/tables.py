"""Tables of manifest/tables.py."""

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.deployment import Deployment
from memory_layer.manifest.tables import TABLES, Table


def make_tables(scope: Construct, deployment: Deployment) -> dict[str, dynamodb.Table]:
    """Makes every table of the manifest, by its name there; CloudFormation names them in the account."""
    return {table.name: _make(scope, table, deployment) for table in TABLES}


def _make(scope: Construct, table: Table, deployment: Deployment) -> dynamodb.Table:
    made = dynamodb.Table(
        scope,
        f"{table.name.title()}Table",
        partition_key=_text(table.partition_key),
        sort_key=_text(table.sort_key) if table.sort_key else None,
        billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        time_to_live_attribute=table.ttl,
        stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES if table.has_stream else None,
        encryption=dynamodb.TableEncryption.DEFAULT  # calls to a key that the account sees are paid for
        if deployment.is_small
        else dynamodb.TableEncryption.AWS_MANAGED,
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=True
        ),
        deletion_protection=deployment.keeps_data,
        removal_policy=RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY,
    )
    for index in table.indexes:
        made.add_global_secondary_index(
            index_name=index.name,
            partition_key=_text(index.partition_key),
            sort_key=_text(index.sort_key),
            projection_type=dynamodb.ProjectionType.INCLUDE
            if index.includes
            else dynamodb.ProjectionType.KEYS_ONLY,
            non_key_attributes=list(index.includes) or None,
        )
    return made


def _text(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
