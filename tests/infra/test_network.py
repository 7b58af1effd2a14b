"""A network of its own, on demand: functions and domain lie in it, and nothing in it reaches further than services."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

import pytest

from infra.deployment import read_deployment
from infra.errors import BadDeployment
from memory_layer.manifest import env
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, PROD, need_node, synthesised
from tests.infra.templates import Assembly

BLOCK = "10.20.0.0/20"


@pytest.fixture(scope="module", params=["dev", "prod"])
def networked(request: pytest.FixtureRequest, shared_folder: Path) -> Assembly:
    """A synthesis that cdk-nag has nothing against: it would end here."""
    need_node()
    context = DEV if request.param == "dev" else PROD
    folder = shared_folder / f"networked-{request.param}"
    return Assembly(synthesised(folder, {**context, "vpc": BLOCK}))


def stateful(assembly: Assembly, values: list[object]) -> list[str]:
    return [assembly.resolve("stateful", value) for value in values]


def test_there_is_none_unless_it_is_asked_for(assembly: Assembly) -> None:
    assert not [key for key in assembly.resources if assembly.resources[key]["Type"].startswith("AWS::EC2::")]
    assert "VPCOptions" not in assembly.only("AWS::OpenSearchService::Domain")
    assert not any("VpcConfig" in function for function in assembly.functions().values())


def test_every_function_is_attached_and_lambda_may_attach_it(networked: Assembly) -> None:
    subnets = {f"{{{key}}}" for key in networked.of_type("AWS::EC2::Subnet")}
    for name, function in networked.functions().items():
        stack = function["key"].split(":")[0]
        config = function["VpcConfig"]
        assert {networked.resolve(stack, one) for one in config["SubnetIds"]} == subnets, name
        (group,) = (networked.resolve(stack, one) for one in config["SecurityGroupIds"])
        assert "FunctionsGroup" in group
        allowed = {action for statement in networked.granted(name) for action in statement["Action"]}
        assert {"ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface"} <= allowed


def test_the_domain_lies_in_a_subnet_of_each_of_its_zones(networked: Assembly) -> None:
    domain = networked.only("AWS::OpenSearchService::Domain")
    zones = domain["ClusterConfig"].get("ZoneAwarenessConfig", {}).get("AvailabilityZoneCount", 1)
    subnets = stateful(networked, domain["VPCOptions"]["SubnetIds"])
    assert len(set(subnets)) == len(subnets) == zones
    (group,) = stateful(networked, domain["VPCOptions"]["SecurityGroupIds"])
    assert "DomainGroup" in group


def test_a_domain_in_a_network_has_another_name(networked: Assembly, dev: Assembly, prod: Assembly) -> None:
    """Falls with one name for both: CloudFormation replaces no resource under a name that is taken."""
    names = {str(one.only("AWS::OpenSearchService::Domain")["DomainName"]) for one in (networked, dev, prod)}
    assert len(names) == 3


def test_subnets_are_apart_and_in_zones_of_their_own(networked: Assembly) -> None:
    subnets = [one for _, one in networked.properties("AWS::EC2::Subnet")]
    blocks = [IPv4Network(one["CidrBlock"]) for one in subnets]
    assert all(block.subnet_of(IPv4Network(BLOCK)) for block in blocks)
    assert not any(a.overlaps(b) for a in blocks for b in blocks if a != b)
    assert len({str(one["AvailabilityZone"]) for one in subnets}) == len(subnets) >= 2


def test_there_is_no_way_out(networked: Assembly) -> None:
    """Falls with a gateway: what a function is made to do could send memories anywhere."""
    types = {resource["Type"] for resource in networked.resources.values()}
    assert not types & {"AWS::EC2::InternetGateway", "AWS::EC2::NatGateway", "AWS::EC2::Route"}
    assert not any(one["MapPublicIpOnLaunch"] for _, one in networked.properties("AWS::EC2::Subnet"))


def test_nobody_but_the_functions_gets_in(networked: Assembly) -> None:
    for _, group in networked.properties("AWS::EC2::SecurityGroup"):
        assert "SecurityGroupIngress" not in group
    ingresses = networked.properties("AWS::EC2::SecurityGroupIngress")
    assert len(ingresses) == 2
    for _, ingress in ingresses:
        assert (ingress["FromPort"], ingress["ToPort"]) == (443, 443)
        (source,) = stateful(networked, [ingress["SourceSecurityGroupId"]])
        assert "FunctionsGroup" in source


def test_each_service_that_functions_call_has_an_endpoint_for_this_account_alone(networked: Assembly) -> None:
    endpoints = {
        networked.resolve("stateful", one["ServiceName"]).rsplit(".", 1)[1]: one
        for _, one in networked.properties("AWS::EC2::VPCEndpoint")
    }
    kinds = {name: one["VpcEndpointType"] for name, one in endpoints.items()}
    assert kinds == {
        **dict.fromkeys(("dynamodb", "s3"), "Gateway"),
        **dict.fromkeys(("events", "sqs", "xray"), "Interface"),
    }
    for one in endpoints.values():
        (statement,) = one["PolicyDocument"]["Statement"]
        assert statement["Condition"] == {"StringEquals": {"aws:PrincipalAccount": {"Ref": "AWS::AccountId"}}}
    assert all(
        one["PrivateDnsEnabled"] for one in endpoints.values() if one["VpcEndpointType"] == "Interface"
    )


def test_actions_of_functions_are_of_services_with_an_endpoint(networked: Assembly) -> None:
    """Falls as soon as a grant names another service: in a network it would not be reached."""
    reached = {"dynamodb", "s3", "events", "sqs", "xray", "es"}
    by_lambda = {"logs", "ec2"}
    for name in networked.functions():
        actions = {action for statement in networked.granted(name) for action in statement["Action"]}
        assert {action.split(":")[0] for action in actions} <= reached | by_lambda, name


def test_what_is_refused_is_logged(networked: Assembly) -> None:
    assert networked.only("AWS::EC2::FlowLog")["TrafficType"] == "REJECT"


def test_a_kept_domain_keeps_what_it_lies_in(networked: Assembly) -> None:
    policy = networked.of_type("AWS::OpenSearchService::Domain").popitem()[1]["DeletionPolicy"]
    kept = [*networked.of_type("AWS::EC2::VPC").values(), *networked.of_type("AWS::EC2::Subnet").values()]
    assert {one["DeletionPolicy"] for one in kept} == {policy}


def test_the_canary_asks_no_address_that_it_cannot_reach(networked: Assembly, dev: Assembly) -> None:
    asked = networked.functions()["canary"]["Environment"]["Variables"]
    assert env.API_URL not in asked
    assert env.API_URL in dev.functions()["canary"]["Environment"]["Variables"]


def test_a_model_on_bedrock_is_reached() -> None:
    need_node()
    from infra.constructs.network import interface_services

    model = {"embedding_model": "bedrock:amazon.titan-embed-text-v2:0", "embedding_dimensions": "512"}
    assert "bedrock-runtime" in interface_services(read_deployment({**DEV, **model, "vpc": BLOCK}))


@pytest.mark.parametrize(("zones", "told"), [(2, "$ 43.80"), (3, "$ 65.70")])
def test_the_price_of_the_endpoints_is_told(zones: int, told: str) -> None:
    need_node()
    from infra.constructs.network import INTERFACE_SERVICES

    assert f"$ {len(INTERFACE_SERVICES) * zones * 730 * 0.01:.2f}" == told
    assert told in (REPOSITORY / "docs" / "costs.md").read_text("utf-8")


@pytest.mark.parametrize("block", ["yes", "10.20.0.0/15", "10.20.0.0/25", "8.8.0.0/16", "10.20.0.1/20"])
def test_a_block_that_will_not_do_is_refused(block: str) -> None:
    with pytest.raises(BadDeployment, match=r"10\.20\.0\.0/20"):
        read_deployment({**DEV, "vpc": block})
