"""Other accounts that may make rules of their own on the bus, for changes of memories and nothing else."""

from collections.abc import Sequence
from typing import Any, Final

from aws_cdk import Aws
from aws_cdk import aws_events as events
from constructs import Construct

from memory_layer.manifest.change_events import CHANGES_SOURCE

MAKES: Final = ("events:PutRule",)
TENDS: Final = (
    *("events:DescribeRule", "events:EnableRule", "events:DisableRule", "events:DeleteRule"),
    *("events:PutTargets", "events:RemoveTargets", "events:ListTargetsByRule"),
)
OWN: Final = {"StringEqualsIfExists": {"events:creatorAccount": "${aws:PrincipalAccount}"}}
"""Condition that lets an account change none but its own rules. Source: EventBridge user guide, example policy "Send
events to the same account and restrict updates"."""

CHANGES_ALONE: Final = {
    "ForAllValues:StringEquals": {"events:source": [CHANGES_SOURCE]},
    "Null": {"events:source": "false"},
}
"""Condition that a rule's pattern names sources, and none but that of changes: the bus carries our own work too."""


class BusReaders(Construct):
    """Policies of the bus that let accounts make rules and tend them; none lets anybody send events to it."""

    def __init__(self, scope: Construct, id: str, bus: events.EventBus, accounts: Sequence[str]) -> None:
        super().__init__(scope, id)
        rules = f"arn:{Aws.PARTITION}:events:{Aws.REGION}:{Aws.ACCOUNT_ID}:rule/{bus.event_bus_name}/*"
        principal = {"AWS": [f"arn:{Aws.PARTITION}:iam::{account}:root" for account in accounts]}
        for name, actions, condition in (("Makes", MAKES, {**OWN, **CHANGES_ALONE}), ("Tends", TENDS, OWN)):
            statement: dict[str, Any] = {
                "Effect": "Allow",
                "Principal": principal,
                "Action": list(actions),
                "Resource": rules,
                "Condition": condition,
            }
            events.CfnEventBusPolicy(
                self,
                name,
                event_bus_name=bus.event_bus_name,
                statement_id=f"{name}Rules",
                statement={"Sid": f"{name}Rules", **statement},
            )
