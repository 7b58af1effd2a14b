"""Log groups of our own, so that each has a retention and goes with its stack."""

from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.deployment import Deployment
from infra.sizes import LOG_DAYS

_RETENTION: Final = dict(
    zip(
        LOG_DAYS,
        (
            *(logs.RetentionDays.ONE_DAY, logs.RetentionDays.THREE_DAYS, logs.RetentionDays.FIVE_DAYS),
            *(logs.RetentionDays.ONE_WEEK, logs.RetentionDays.TWO_WEEKS, logs.RetentionDays.ONE_MONTH),
            *(logs.RetentionDays.TWO_MONTHS, logs.RetentionDays.THREE_MONTHS, logs.RetentionDays.FOUR_MONTHS),
            *(logs.RetentionDays.FIVE_MONTHS, logs.RetentionDays.SIX_MONTHS, logs.RetentionDays.ONE_YEAR),
        ),
        strict=True,
    )
)


def log_group(scope: Construct, id: str, deployment: Deployment) -> logs.LogGroup:
    """Log group with the deployment's retention. Logs are no data of users: they go with the stack."""
    retention = _RETENTION[deployment.sizes.log_days]
    return logs.LogGroup(scope, id, retention=retention, removal_policy=RemovalPolicy.DESTROY)
