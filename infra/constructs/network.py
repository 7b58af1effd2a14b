"""Network of a deployment's own: private subnets without a way out, and endpoints of the services that are called."""

from collections.abc import Sequence
from ipaddress import IPv4Network
from typing import Any, Final, TypeVar

from aws_cdk import Aws, CfnResource, Fn, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.constructs.grants import BEDROCK
from infra.constructs.logs import log_group
from infra.deployment import Deployment
from infra.search_sizes import zones_of

Made = TypeVar("Made", bound=CfnResource)

HTTPS: Final = 443

LEAST_ZONES: Final = 2
"""Zones of the functions, so that one may fail."""

GATEWAY_SERVICES: Final = ("dynamodb", "s3")
"""Services that a route leads to, at no price."""

INTERFACE_SERVICES: Final = ("events", "sqs", "xray")
"""Services that are called through an interface in each zone, each at a price by the hour: the bus, the queues, traces.
Functions' logs go by Lambda itself."""

BEDROCK_SERVICE: Final = "bedrock-runtime"

ATTACH_ACTIONS: Final = (
    *("ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DeleteNetworkInterface"),
    *("ec2:DescribeSubnets", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"),
)
"""Actions by which Lambda attaches a function. Source: Lambda developer guide, access to resources in a VPC."""


_NO_EGRESS: Final = ec2.CfnSecurityGroup.EgressProperty(
    ip_protocol="icmp", from_port=252, to_port=86, cidr_ip="255.255.255.255/32"
)
"""Rule that matches nothing: a group without one lets everything out. Source: CDK's own, where nothing may leave."""


class Network(Construct):
    """VPC with `subnets`, and groups that let functions reach domain and endpoints, and nothing else reach either.

    `shared` are the parts that functions of other stacks name.
    """

    def __init__(self, scope: Construct, id: str, deployment: Deployment, block: IPv4Network) -> None:
        super().__init__(scope, id)
        self._keeps = deployment.keeps_data and deployment.has_domain
        self._vpc = self._kept(
            ec2.CfnVPC(self, "Vpc", cidr_block=str(block), enable_dns_support=True, enable_dns_hostnames=True)
        )
        nodes = zones_of(deployment.sizes, deployment.region) if deployment.has_domain else 1
        self._routes = ec2.CfnRouteTable(self, "Routes", vpc_id=self._vpc.ref)
        made = self._make_subnets(max(LEAST_ZONES, nodes), block)
        self.subnets = [subnet.ref for subnet in made]
        self.domain_subnets = self.subnets[:nodes]
        self._functions = self._make_group("Functions", "Functions: to HTTPS, as far as the network goes")
        self._functions.security_group_egress = [
            ec2.CfnSecurityGroup.EgressProperty(
                ip_protocol="tcp", from_port=HTTPS, to_port=HTTPS, cidr_ip="0.0.0.0/0"
            )
        ]
        self.functions_group = self._functions.attr_group_id
        self.domain_group = self._kept(self._behind("Domain", "Search domain")).attr_group_id
        self.shared: list[CfnResource] = [*made, self._functions]
        self._make_endpoints(deployment)
        self._log_refused(deployment)

    def attach(self, function: lambda_.Function) -> None:
        """Attaches a function. Its role needs `attach_statement`."""
        made = function.node.default_child
        assert isinstance(made, lambda_.CfnFunction)
        made.vpc_config = lambda_.CfnFunction.VpcConfigProperty(
            subnet_ids=list(self.subnets), security_group_ids=[self.functions_group]
        )

    def _make_subnets(self, zones: int, block: IPv4Network) -> list[ec2.CfnSubnet]:
        """Makes a subnet in each zone, a quarter of the block each."""
        quarters = block.subnets(prefixlen_diff=2)
        return [
            self._make_subnet(zone, str(part)) for zone, part in zip(range(zones), quarters, strict=False)
        ]

    def _make_subnet(self, zone: int, block: str) -> ec2.CfnSubnet:
        subnet = self._kept(
            ec2.CfnSubnet(
                self,
                f"Subnet{zone}",
                vpc_id=self._vpc.ref,
                cidr_block=block,
                availability_zone=Fn.select(zone, Fn.get_azs()),
                map_public_ip_on_launch=False,
            )
        )
        ec2.CfnSubnetRouteTableAssociation(
            self, f"Routes{zone}", subnet_id=subnet.ref, route_table_id=self._routes.ref
        )
        return subnet

    def _make_group(self, id: str, description: str) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self, f"{id}Group", vpc_id=self._vpc.ref, group_description=f"Memory Layer: {description}"
        )

    def _behind(self, id: str, description: str) -> ec2.CfnSecurityGroup:
        """Group that the functions reach by HTTPS, and that begins nothing by itself."""
        group = self._make_group(id, description)
        group.security_group_egress = [_NO_EGRESS]
        ec2.CfnSecurityGroupIngress(
            self,
            f"{id}Ingress",
            group_id=group.attr_group_id,
            source_security_group_id=self.functions_group,
            ip_protocol="tcp",
            from_port=HTTPS,
            to_port=HTTPS,
            description="HTTPS from the functions",
        )
        return group

    def _make_endpoints(self, deployment: Deployment) -> None:
        for service in GATEWAY_SERVICES:
            self._make_endpoint(service, "Gateway", route_table_ids=[self._routes.ref])
        group = self._behind("Endpoints", "Endpoints of services")
        for service in interface_services(deployment):
            self._make_endpoint(
                service,
                "Interface",
                subnet_ids=list(self.subnets),
                security_group_ids=[group.attr_group_id],
                private_dns_enabled=True,
            )

    def _make_endpoint(self, service: str, kind: str, **more: Any) -> None:
        """Makes an endpoint that takes requests signed by this account alone."""
        own = {"StringEquals": {"aws:PrincipalAccount": Aws.ACCOUNT_ID}}
        statement = {"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*", "Condition": own}
        ec2.CfnVPCEndpoint(
            self,
            f"To-{service}",
            vpc_id=self._vpc.ref,
            service_name=f"com.amazonaws.{Aws.REGION}.{service}",
            vpc_endpoint_type=kind,
            policy_document={"Version": "2012-10-17", "Statement": [statement]},
            **more,
        )

    def _log_refused(self, deployment: Deployment) -> None:
        """Logs connections that were refused: there are none unless something is wrong."""
        kept = log_group(self, "Refused", deployment)
        role = iam.Role(self, "LogsRefused", assumed_by=iam.ServicePrincipal("vpc-flow-logs.amazonaws.com"))
        actions = ["logs:CreateLogStream", "logs:PutLogEvents"]
        statement = iam.PolicyStatement(actions=actions, resources=[kept.log_group_arn])
        policy = iam.Policy(self, "LogsRefusedGrants", roles=[role], statements=[statement])
        made = ec2.CfnFlowLog(
            self,
            "RefusedLog",
            resource_id=self._vpc.ref,
            resource_type="VPC",
            traffic_type="REJECT",
            log_destination=kept.log_group_arn,
            deliver_logs_permission_arn=role.role_arn,
        )
        made.node.add_dependency(policy)

    def _kept(self, made: Made) -> Made:
        """Retains what a kept domain lies in."""
        made.apply_removal_policy(RemovalPolicy.RETAIN if self._keeps else RemovalPolicy.DESTROY)
        return made


def interface_services(deployment: Deployment) -> Sequence[str]:
    """Services that are called through interfaces."""
    is_asked = (deployment.embedding_model or "").startswith(BEDROCK)
    return (*INTERFACE_SERVICES, *((BEDROCK_SERVICE,) if is_asked else ()))


def attach_statement() -> iam.PolicyStatement:
    """Statement for Lambda, which attaches a function by its role; interfaces have no names beforehand."""
    return iam.PolicyStatement(actions=list(ATTACH_ACTIONS), resources=["*"])
