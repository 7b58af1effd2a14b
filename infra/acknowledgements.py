"""Findings of cdk-nag that we accept, each with its reason. Any other finding stops the synthesis."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct

Reasons = Mapping[str, str]
"""Reasons to accept a rule's finding, by the id that CDK prints for it."""

TRACES_EVERYWHERE: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-IAM5[Resource::*]": (
        "X-Ray's two write actions, and interfaces in a VPC, have no names beforehand; nothing else has *"
    )
}
RUNTIME_CHOICE: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-L1": "Layers are built for Python 3.13; a newer runtime comes with new layers",
    "Serverless::Serverless-LambdaLatestVersion": "Layers are built for Python 3.13; a newer one comes with new layers",
}
SYNCHRONOUS: Final[Reasons] = {
    "Serverless::Serverless-LambdaDLQ": "Whoever calls it waits for its answer; stream and queue have failure queues"
}
FAILURES_KEPT: Final[Reasons] = {
    "Serverless::Serverless-LambdaDLQ": "Its on-failure destination keeps the event and the error as well"
}
END_OF_THE_LINE: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-SQS3": "It is itself where failures go: of a rule, a function, a stream or a topic",
    "Serverless::Serverless-SQSRedrivePolicy": "Nothing reads it but people, so nothing can fail to",
}
REDRIVEN: Final[Reasons] = {
    "Serverless::Serverless-LambdaEventSourceMappingDestination": "A queue's mapping takes none; the queue has one"
}
COUNTED_LOW: Final[Reasons] = {
    "Serverless::Serverless-LambdaEventSourceMappingDestination": (
        "A receipt that is given up is counted too low, and an alarm has told of it for hours"
    )
}
BLOBS: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-S1": "Access logs would hold the names of what was erased for longer than it itself"
}
RESOURCE_FUNCTION: Final[Reasons] = {
    **RUNTIME_CHOICE,
    "Serverless::Serverless-LambdaDLQ": "CloudFormation calls it, and hears of a failure by itself",
    "Serverless::Serverless-LambdaTracing": "It runs when the stack is deployed or destroyed, and at no other time",
}
CONSOLE_FILES: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-S1": "The files are public, the same for everyone, and hold nobody's data"
}
CONSOLE_SITE: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-CFR1": "From where people may work is the deployer's to say, not ours",
    "AwsSolutions::AwsSolutions-CFR2": "The files are public, and the API behind it has throttles of its own",
    "AwsSolutions::AwsSolutions-CFR3": "The files hold nobody's data; calls of the API are in its own access log",
    "AwsSolutions::AwsSolutions-CFR4": "A certificate needs a domain name of the deployer's; browsers take TLS 1.3",
}
ORIGIN_SECRET: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-SMG4": "Network and functions take it as they are deployed; a new one is a deployment"
}
USER_POOL: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-COG8": "Nobody signs up: machines show a secret, and an admin lets people in"
}
PUBLIC_ROUTE: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-APIG4": "It says what the service is and whether it runs, and reads nobody's data"
}
PUBLIC_DOMAIN: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-OS1": "Requests are signed by one of our roles; who wants a VPC says -c vpc",
}
SEARCH_DOMAIN: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-OS3": "Functions have no fixed addresses; the policy names their roles instead",
    "AwsSolutions::AwsSolutions-OS9[LogExport::SEARCH_SLOW_LOGS]": "Slow logs hold queries word for word",
    "AwsSolutions::AwsSolutions-OS9[LogExport::INDEX_SLOW_LOGS]": "Slow logs hold memories word for word",
}
SMALL_DOMAIN: Final[Reasons] = {
    "AwsSolutions::AwsSolutions-OS4": "A domain this small needs no masters of its own; what it loses is rebuilt",
    "AwsSolutions::AwsSolutions-OS7": "One node stands in one zone; what it loses is rebuilt from the table",
}


def everything_inside(pattern: str) -> Reasons:
    """Id of a finding on a grant for the content of a bucket or domain. Args: pattern: as cdk-nag has it."""
    reason = "What is inside has no names that are known beforehand; how they begin, and in what, is named"
    return {f"AwsSolutions::AwsSolutions-IAM5[Resource::{pattern}]": reason}


def acknowledge(construct: IConstruct, reasons: Reasons) -> None:
    """Accepts these findings on a construct and all that it holds."""
    rules = [Acknowledgment(id=rule, reason=reason) for rule, reason in reasons.items()]
    Validations.of(construct).acknowledge(*rules)
