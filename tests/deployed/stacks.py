"""Makes the stacks of an assembly, one after another, in ministack's CloudFormation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from tests.deployed.assembly import Stack
from tests.deployed.ministack import Ministack
from tests.deployed.patience import eventually

BOOTSTRAP_VERSION: Final = "/cdk-bootstrap/hnb659fds/version"
"""The parameter by which templates ask whether the account is ready for the CDK; any version from 6 on will do."""

_UNKNOWN: Final = (
    "AWS::Events::Archive",
    "AWS::Logs::QueryDefinition",
    "AWS::EC2::FlowLog",
    "AWS::EC2::SecurityGroupIngress",
)


class NotMade(Exception):
    """A stack failed; the message says which resources, and why."""


def make(stacks: Iterable[Stack], server: Ministack) -> dict[str, str]:
    """Every stack whole, and the outputs of all of them.

    Raises:
        NotMade: one failed.
    """
    cloudformation = server.client("cloudformation")
    server.client("ssm").put_parameter(Name=BOOTSTRAP_VERSION, Value="30", Type="String")
    outputs: dict[str, str] = {}
    for stack in stacks:
        _upload(stack, server)
        cloudformation.create_stack(
            StackName=stack.name,
            TemplateURL=f"{server.endpoint}/{stack.bucket}/{stack.key}",
            Capabilities=["CAPABILITY_IAM"],
        )
        outputs |= _finished(stack.name, cloudformation)
    return outputs


def remove(stack: Stack, server: Ministack) -> None:
    """
    Raises:
        NotMade: something of it cannot be deleted.
    """
    cloudformation = server.client("cloudformation")
    cloudformation.delete_stack(StackName=stack.name)
    found = cloudformation.list_stacks()["StackSummaries"]
    (id,) = (summary["StackId"] for summary in found if summary["StackName"] == stack.name)
    told = _settled(id, cloudformation, "DELETE_IN_PROGRESS")
    if told["StackStatus"] != "DELETE_COMPLETE":
        raise NotMade(f"{stack.name} is {told['StackStatus']}: {_reasons(id, cloudformation)}")


def _upload(stack: Stack, server: Ministack) -> None:
    """As it was synthesised, but for what ministack cannot do: `_UNKNOWN`, alarms on expressions, TLS."""
    resources = {
        name: _open_to_http(resource)
        for name, resource in stack.template["Resources"].items()
        if not _is_unknown(resource)
    }
    template = json.dumps({**stack.template, "Resources": resources})
    server.client("s3").put_object(Bucket=stack.bucket, Key=stack.key, Body=template)


def _is_unknown(resource: Mapping[str, Any]) -> bool:
    is_on_expression = resource["Type"] == "AWS::CloudWatch::Alarm" and "Metrics" in resource["Properties"]
    return is_on_expression or resource["Type"] in _UNKNOWN


def _open_to_http(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    """A resource policy without the statements that refuse what does not come by TLS."""
    document = resource.get("Properties", {}).get("PolicyDocument")
    if document is None or resource["Type"].startswith("AWS::IAM::"):
        return resource
    kept = [statement for statement in document["Statement"] if "Bool" not in statement.get("Condition", {})]
    return {
        **resource,
        "Properties": {**resource["Properties"], "PolicyDocument": {**document, "Statement": kept}},
    }


def _finished(name: str, cloudformation: Any) -> dict[str, str]:
    told = _settled(name, cloudformation, "CREATE_IN_PROGRESS")
    if told["StackStatus"] != "CREATE_COMPLETE":
        raise NotMade(f"{name} is {told['StackStatus']}: {_reasons(name, cloudformation)}")
    return {output["OutputKey"]: output["OutputValue"] for output in told.get("Outputs", ())}


def _settled(name: str, cloudformation: Any, passing: str) -> Mapping[str, Any]:
    """A stack once it is no longer in a passing state. Args: name: or its id, which outlives it."""

    def told() -> Mapping[str, Any]:
        (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
        return dict(stack)

    eventually(lambda: told()["StackStatus"] != passing)
    return told()


def _reasons(name: str, cloudformation: Any) -> str:
    events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
    return "; ".join(
        f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason')}"
        for event in reversed(events)
        if "FAILED" in event["ResourceStatus"]
    )
