"""Target of alarms: an encrypted topic, and from it a mailbox where one is named."""

from aws_cdk import Aws, Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.queues import dead_letter_queue
from infra.deployment import Deployment


class AlarmTopic(Construct):
    """Topic of alarms, `topic`; `undelivered` holds messages that the mailbox did not take."""

    def __init__(self, scope: Construct, id: str, deployment: Deployment) -> None:
        super().__init__(scope, id)
        self.topic = sns.Topic(self, "Topic", master_key=_key(self), enforce_ssl=True)
        self.topic.grant_publish(_cloudwatch())
        self.undelivered: sqs.Queue | None = None
        if deployment.alarm_email is not None:
            self.undelivered = dead_letter_queue(self, "Undelivered")
            self.topic.add_subscription(
                subscriptions.EmailSubscription(deployment.alarm_email, dead_letter_queue=self.undelivered)
            )


def _key(scope: Construct) -> kms.Key:
    """Key of our own: CloudWatch cannot use the one that SNS has by default."""
    key = kms.Key(
        scope,
        "Key",
        description="Memory Layer: messages of alarms",
        enable_key_rotation=True,
        pending_window=Duration.days(7),  # the shortest: KMS deletes no key at once
        removal_policy=RemovalPolicy.DESTROY,
    )
    key.grant(_cloudwatch(), "kms:Decrypt", "kms:GenerateDataKey*")
    return key


def _cloudwatch() -> iam.IPrincipal:
    """CloudWatch as principal, for alarms of this account alone."""
    return iam.ServicePrincipal(
        "cloudwatch.amazonaws.com", conditions={"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
    )
