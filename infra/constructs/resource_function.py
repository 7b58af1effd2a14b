"""Function that CloudFormation calls for a custom resource, with a role and a log of its own."""

from collections.abc import Callable

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledgements import RESOURCE_FUNCTION, acknowledge
from infra.constructs.functions import RUNTIME
from infra.constructs.logs import log_group
from infra.deployment import Deployment

Statements = Callable[[str], list[iam.PolicyStatement]]
"""Permissions of a function, by the ARN of its log group."""


def resource_function(
    scope: Construct,
    name: str,
    deployment: Deployment,
    *,
    code: lambda_.Code,
    handler: str,
    statements: Statements,
) -> tuple[lambda_.Function, iam.Policy]:
    """Function, and its policy, which has to be there before it is called and until it was called last."""
    logs = log_group(scope, f"{name}Log", deployment)
    role = iam.Role(scope, f"{name}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    made = lambda_.Function(
        scope,
        name,
        runtime=RUNTIME,
        architecture=lambda_.Architecture.ARM_64,
        handler=handler,
        code=code,
        role=role.without_policy_updates(),
        log_group=logs,
        memory_size=256,
        timeout=Duration.minutes(15),
    )
    acknowledge(made, RESOURCE_FUNCTION)
    policy = iam.Policy(scope, f"{name}Grants", roles=[role], statements=statements(logs.log_group_arn))
    return made, policy


def writes_log(log_group_arn: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log_group_arn]
    )
