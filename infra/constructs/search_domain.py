"""OpenSearch domain: encrypted, HTTPS only, open to the functions' roles and nobody else."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from aws_cdk import Aws, CfnUpdatePolicy, Fn, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_opensearchservice as opensearch
from constructs import Construct

from infra.constructs.grants import SEARCH_CALLS
from infra.constructs.logs import log_group
from infra.constructs.network import Network
from infra.deployment import Deployment
from infra.search_sizes import zones_of
from infra.sizes import Sizes
from memory_layer.manifest.functions import Function, Grant

TLS_POLICY: Final = "Policy-Min-TLS-1-2-PFS-2023-10"


class SearchDomain(Construct):
    """Domain with its `name`, `arn` and `endpoint` (https://host).

    Args:
        roles: of the functions, by name; each may send the requests that its grants name.
        network: in which it lies; None: it has a public endpoint.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        roles: Mapping[str, iam.IRole],
        network: Network | None = None,
    ) -> None:
        super().__init__(scope, id)
        name = _domain_name(self, deployment)
        self.domain = opensearch.CfnDomain(
            self,
            "Domain",
            domain_name=name,
            engine_version=f"OpenSearch_{deployment.search_version}",
            cluster_config=_cluster(deployment.sizes, deployment.region),
            ebs_options=opensearch.CfnDomain.EBSOptionsProperty(
                ebs_enabled=True, volume_type="gp3", volume_size=deployment.sizes.search_volume_gb
            ),
            encryption_at_rest_options=opensearch.CfnDomain.EncryptionAtRestOptionsProperty(enabled=True),
            node_to_node_encryption_options=opensearch.CfnDomain.NodeToNodeEncryptionOptionsProperty(
                enabled=True
            ),
            domain_endpoint_options=opensearch.CfnDomain.DomainEndpointOptionsProperty(
                enforce_https=True, tls_security_policy=TLS_POLICY
            ),
            off_peak_window_options=opensearch.CfnDomain.OffPeakWindowOptionsProperty(enabled=True),
            software_update_options=opensearch.CfnDomain.SoftwareUpdateOptionsProperty(
                auto_software_update_enabled=True
            ),
            access_policies=_access_policy(name, roles, deployment.functions),
        )
        if network is not None:
            self.domain.vpc_options = opensearch.CfnDomain.VPCOptionsProperty(
                subnet_ids=list(network.domain_subnets), security_group_ids=[network.domain_group]
            )
        if deployment.search_log:
            self._keep_errors(deployment)
        self.domain.cfn_options.update_policy = CfnUpdatePolicy(enable_version_upgrade=True)
        self.domain.apply_removal_policy(
            RemovalPolicy.RETAIN if deployment.keeps_data else RemovalPolicy.DESTROY
        )
        self.name = self.domain.ref
        self.arn = self.domain.attr_arn
        self.endpoint = f"https://{self.domain.attr_domain_endpoint}"

    def _keep_errors(self, deployment: Deployment) -> None:
        """Keeps the error log, which the service writes by a policy of its own; slow logs would quote memories.

        Source: OpenSearch Service developer guide, monitoring logs.
        """
        errors = log_group(self, "Errors", deployment)
        statement = {
            "Effect": "Allow",
            "Principal": {"Service": "es.amazonaws.com"},
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": errors.log_group_arn,
            "Condition": {"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}},
        }
        policy = logs.CfnResourcePolicy(
            self,
            "WritesErrors",
            policy_name=f"{self.domain.domain_name}-errors",
            policy_document=Stack.of(self).to_json_string(
                {"Version": "2012-10-17", "Statement": [statement]}
            ),
        )
        self.domain.add_dependency(policy)
        self.domain.log_publishing_options = {
            "ES_APPLICATION_LOGS": opensearch.CfnDomain.LogPublishingOptionProperty(
                cloud_watch_logs_log_group_arn=errors.log_group_arn, enabled=True
            )
        }


def _domain_name(scope: Construct, deployment: Deployment) -> str:
    """Name unique to the stack, and known before the domain is there, for its own policy names it.

    A domain does not move into a network, or out of it: there it has another name, so that it can be replaced.
    """
    parts = Fn.split("-", Fn.select(2, Fn.split("/", Stack.of(scope).stack_id)))
    own = Fn.select(0, parts) if deployment.network is None else f"{Fn.select(1, parts)}{Fn.select(2, parts)}"
    return f"{deployment.name}-{deployment.profile}-{own}"


def _cluster(sizes: Sizes, region: str) -> opensearch.CfnDomain.ClusterConfigProperty:
    spread: dict[str, Any] = {"zone_awareness_enabled": False}
    if sizes.search_nodes > 1:
        config = opensearch.CfnDomain.ZoneAwarenessConfigProperty(
            availability_zone_count=zones_of(sizes, region)
        )
        spread = {"zone_awareness_enabled": True, "zone_awareness_config": config}
    masters: dict[str, Any] = {"dedicated_master_enabled": False}
    if sizes.search_masters:
        masters = {
            "dedicated_master_enabled": True,
            "dedicated_master_count": sizes.search_masters,
            "dedicated_master_type": sizes.search_master_instance,
        }
    return opensearch.CfnDomain.ClusterConfigProperty(
        instance_type=sizes.search_instance,
        instance_count=sizes.search_nodes,
        multi_az_with_standby_enabled=False,
        **spread,
        **masters,
    )


def _access_policy(
    domain_name: str, roles: Mapping[str, iam.IRole], functions: Sequence[Function]
) -> dict[str, Any]:
    """Policy of the domain, as in the roles' own policies: a resource policy that names a role is a grant by itself."""
    arn = f"arn:{Aws.PARTITION}:es:{Aws.REGION}:{Aws.ACCOUNT_ID}:domain/{domain_name}"
    statements = [
        {
            "Effect": "Allow",
            "Principal": {"AWS": [roles[name].role_arn for name in holders]},
            "Action": action,
            "Resource": [f"{arn}/{path}" for path in paths],
        }
        for grant, calls in SEARCH_CALLS.items()
        if (holders := _holders(grant, functions))
        for action, paths in calls.items()
    ]
    return {"Version": "2012-10-17", "Statement": statements}


def _holders(grant: Grant, functions: Sequence[Function]) -> list[str]:
    return [function.name for function in functions if grant in function.grants]
