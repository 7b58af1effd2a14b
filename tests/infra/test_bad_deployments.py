"""A deployment that cannot work ends early, in one sentence that says what to do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from infra import app
from infra.code_assets import CodeAssets
from infra.deployment import Deployment, read_deployment
from infra.errors import BadDeployment
from infra.event_sources import CLAIMS, ROLES, as_text, read_event_sources
from infra.limits import MAX_TEMPLATE_BYTES, check_templates
from infra.regions import SERVICES, check_region, regions_of
from infra.sizes import SIZES
from memory_layer.domain.access import Role
from memory_layer.edge.events.completed_runs import read_sources
from memory_layer.edge.http.principals import claims_of, principal_of
from memory_layer.errors import Invalid
from memory_layer.manifest.functions import FUNCTIONS, Function
from memory_layer.manifest.layers import INPUTS, stamp_file, stamp_of
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, PROD, need_node

DEPLOYMENT = Deployment(profile="dev", region="us-east-1", sizes=SIZES["dev"])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"profile": None}, "no profile: say -c profile=dev"),
        ({"profile": "staging"}, "profile=staging is unknown; choose dev or prod"),
        ({"region": None}, "no region: say for example -c region="),
        ({"region": "us-east-9"}, "region us-east-9 is none of AWS's public ones"),
        ({"region": "cn-north-1"}, "region cn-north-1 is none of AWS's public ones"),
        ({"engine": "nmslib"}, "engine=nmslib is unknown; choose faiss or lucene"),
        ({"search_version": "1.3"}, "search_version=1.3 is unknown"),
        ({"architecture": "riscv"}, "architecture=riscv is unknown"),
        ({"layers": "none"}, "layers=none is unknown"),
        ({"serach_nodes": "3"}, "unknown context value serach_nodes; did you mean search_nodes?"),
        ({"color": "blue"}, "unknown context value color; known are profile"),
        ({"embedding_model": "bedrock:amazon.titan-embed-text-v2:0"}, "go together"),
        ({"embedding_dimensions": "1024"}, "go together"),
        (
            {"embedding_model": "openai:x", "embedding_dimensions": "8"},
            "embedding_model=openai:x: say bedrock:",
        ),
        (
            {"embedding_model": "encoder:e5", "embedding_dimensions": "9999"},
            "embedding_dimensions=9999: 4 to",
        ),
        ({"search_nodes": "many"}, "search_nodes=many is no whole number"),
        ({"search_nodes": "5"}, "search_nodes=5: 1, or a multiple"),
        ({"search_nodes": "0"}, "search_nodes=0: dev needs 1"),
        ({"search_masters": "2"}, "dedicated masters are 0 or 3"),
        ({"search_instance": "large"}, "large is no instance type"),
        ({"search_instance": "a.b.search"}, "a.b.search is no instance type"),
        ({"search_instance": "t2.small.search"}, "no instance type with volumes and encryption at rest"),
        ({"search_instance": "i3.large.search"}, "no instance type with volumes"),
        ({"search_instance": "t3.large.search"}, "t3.large.search is no instance type"),
        ({"search_volume_gb": "5000"}, "search_volume_gb=5000: t3.small.search takes at most 100"),
        ({**PROD, "search_volume_gb": "30000"}, "r7g.large.search takes at most 24576"),
        ({"search_nodes": "12"}, "at most 10 of t3.small.search"),
        ({**PROD, "search_nodes": "300"}, "at most 80 of r7g.large.search"),
        ({**PROD, "region": "us-west-1"}, "a multiple of the 2 zones that this region gives"),
        ({"search_replicas": "1"}, "search_replicas=1: 0 to 0, as each copy of a shard needs a node"),
        ({**PROD, "search_replicas": "0"}, "search_replicas=0: 1 to 2"),
        ({"search_shards": "0"}, "search_shards=0: at least 1"),
        ({**PROD, "search_spread": "3"}, "search_spread=3: 1, or fewer than the 3 shards"),
        ({**PROD, "search_nodes": "9"}, "leave some of 9 nodes empty: say -c search_shards=5"),
        ({"search_volume_gb": "1"}, "the smallest volume has 10"),
        ({"throttle_rate": "0"}, "must be at least 1"),
        ({"log_days": "8"}, "CloudWatch keeps logs for 1, 3, 5"),
        ({"name": "Shop"}, "name=Shop: at most 13 lower-case"),
        ({"name": "memory-layer-of-acme"}, "at most 13 lower-case"),
        ({"cors_origins": "*"}, "cors_origins: * is no origin"),
        ({"alarm_email": "team"}, "alarm_email=team is no e-mail address"),
        ({"clients": "a,b,a"}, "clients: a is named twice"),
        ({"domain_prefix": "Foo_Bar"}, "domain_prefix=Foo_Bar: 1 to 63 lower-case letters"),
        ({"clients": "Agent One"}, "clients: Agent One must be lower-case"),
        ({"clients": ",".join(f"c{n}" for n in range(51))}, "51 clients; an authorizer takes 1 to 50"),
        ({"audience": "memory"}, "audience goes with issuer"),
        ({"issuer": "https://id.example.org"}, "an issuer needs the audience"),
        ({"issuer": "http://id.example.org", "audience": "a"}, "must be an https URL"),
        ({"domain_prefix": "my-cognito"}, "must not contain aws, amazon or cognito"),
        ({"reserve_concurrency": "maybe"}, "reserve_concurrency=maybe: say true or false"),
        ({**PROD, "alarm_email": None}, "prod has alarms that nobody hears: say -c alarm_email="),
        ({**PROD, "search_nodes": "1"}, "search_nodes=1: dev needs 1, prod 2"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], told: str) -> None:
    context = {name: value for name, value in {**DEV, **changed}.items() if value is not None}
    with pytest.raises(BadDeployment) as caught:
        read_deployment(context)
    assert told in str(caught.value)


def test_context_replaces_the_profiles_sizes() -> None:
    context = {**PROD, "search_nodes": "4", "search_instance": "r7g.4xlarge.search", "clients": ""}
    context |= {"search_shards": "30", "search_replicas": "2"}
    deployment = read_deployment({**context, "@aws-cdk/core:something": True})
    assert (deployment.sizes.search_nodes, deployment.sizes.search_instance) == (4, "r7g.4xlarge.search")
    assert (deployment.sizes.search_shards, deployment.sizes.search_replicas) == (30, 2)
    assert deployment.sizes.search_masters == SIZES["prod"].search_masters
    assert read_deployment({"profile": "dev"}, "eu-west-1").region == "eu-west-1"


def test_cdk_json_holds_nothing_unknown_and_names_no_profile() -> None:
    """Who deploys says whether data shall be kept."""
    context = json.loads((REPOSITORY / "cdk.json").read_text("utf-8"))["context"]
    assert "profile" not in context
    assert read_deployment({**context, **DEV}).keeps_data is False


def test_a_region_without_the_engine_is_refused_and_others_are_named() -> None:
    def everywhere_but(service: str) -> frozenset[str]:
        return frozenset({"us-east-1"}) if service == "es" else frozenset({"us-east-1", "xx-new-1"})

    with pytest.raises(BadDeployment, match=r"xx-new-1 has no OpenSearch Service.*choose one of us-east-1"):
        check_region("xx-new-1", everywhere_but)


def test_a_region_without_another_service_is_refused() -> None:
    def everywhere_but(service: str) -> frozenset[str]:
        return frozenset() if service == "scheduler" else frozenset({"xx-new-1"})

    with pytest.raises(BadDeployment, match="xx-new-1 lacks scheduler"):
        check_region("xx-new-1", everywhere_but)


def test_large_regions_have_every_service() -> None:
    assert all({"us-east-1", "eu-central-1", "ap-northeast-1"} <= regions_of(service) for service in SERVICES)


def test_layers_that_were_not_built_are_missed(tmp_path: Path) -> None:
    assets = CodeAssets(tmp_path, tmp_path / "staging", DEPLOYMENT)
    with pytest.raises(BadDeployment, match="layers/dist/onnx-arm64 is not built: run make layers"):
        assets.layer_folder("onnx")


def test_layers_of_another_lock_are_refused(tmp_path: Path) -> None:
    """The safeguard is the stamp: a folder that is there says nothing of what it was built from."""
    _link_inputs(tmp_path)
    folder = tmp_path / "layers" / "dist" / "base-arm64"
    (folder / "python").mkdir(parents=True)
    assets = CodeAssets(tmp_path, tmp_path / "staging", DEPLOYMENT)
    with pytest.raises(BadDeployment, match="base-arm64 was built from other locks"):
        assets.layer_folder("base")
    stamp_file(folder).write_text(stamp_of(tmp_path))
    assert assets.layer_folder("base") == folder
    (tmp_path / INPUTS[0]).unlink()
    (tmp_path / INPUTS[0]).write_text("numpy==3.0")
    with pytest.raises(BadDeployment, match="run make layers"):
        assets.layer_folder("base")


def _link_inputs(root: Path) -> None:
    """Whatever decides on a layer, where it stands in the repository."""
    for name in INPUTS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(REPOSITORY / name)


def test_a_handler_that_is_not_there_is_missed(tmp_path: Path) -> None:
    assets = CodeAssets(tmp_path, tmp_path / "staging", DEPLOYMENT)
    with pytest.raises(BadDeployment, match=r"function recall has no functions/recall/handler\.py"):
        assets.function_folder(Function(name="recall", grants=(), memory_mb=128, timeout_s=1))


def test_a_function_with_layers_too_large_for_lambda_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "layers" / "dist" / "onnx-arm64" / "python"
    folder.mkdir(parents=True)
    with (folder / "weights").open("wb") as file:
        file.truncate(260 * 2**20)
    (tmp_path / "functions").symlink_to(REPOSITORY / "functions")
    _link_inputs(tmp_path)
    stamp_file(folder.parent).write_text(stamp_of(tmp_path))
    function = Function(name="recall", grants=(), memory_mb=128, timeout_s=1, layers=("onnx",))
    with pytest.raises(
        BadDeployment, match=r"recall has 26\d MB with its layers; Lambda unpacks at most 250"
    ):
        CodeAssets(tmp_path, tmp_path / "staging", DEPLOYMENT).check_size(function)


def test_a_functions_folder_holds_its_handler_and_the_package_without_faces(tmp_path: Path) -> None:
    for function in FUNCTIONS:
        folder = CodeAssets(REPOSITORY, tmp_path, DEPLOYMENT).function_folder(function)
        assert (folder / "functions" / function.name / "handler.py").is_file()
        assert (folder / "memory_layer" / "bootstrap" / "aws.py").is_file()
        assert not (folder / "memory_layer" / "cli").exists()
        assert not list(folder.rglob("*.pyc"))


@pytest.mark.parametrize(
    ("section", "count", "told"),
    [("Resources", 501, "stack a has 501 resources"), ("Outputs", 201, "stack a has 201 outputs")],
)
def test_a_template_with_too_much_is_refused(tmp_path: Path, section: str, count: int, told: str) -> None:
    template = {section: {f"R{number}": {"Type": "AWS::SQS::Queue"} for number in range(count)}}
    (tmp_path / "a.template.json").write_text(json.dumps(template))
    with pytest.raises(BadDeployment, match=told):
        check_templates(tmp_path)


def test_a_template_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.template.json").write_text(json.dumps({"Description": "x" * MAX_TEMPLATE_BYTES}))
    with pytest.raises(BadDeployment, match=r"stack a has 1,000,\d+ bytes of template"):
        check_templates(tmp_path)


def test_a_role_with_too_long_policies_is_refused(tmp_path: Path) -> None:
    def policy(length: int) -> dict[str, Any]:
        properties = {"Roles": [{"Ref": "Role"}], "PolicyDocument": {"Statement": ["x" * length]}}
        return {"Type": "AWS::IAM::Policy", "Properties": properties}

    template = {"Resources": {"One": policy(6_000), "Two": policy(6_000)}}
    (tmp_path / "a.template.json").write_text(json.dumps(template))
    with pytest.raises(BadDeployment, match=r"has 12,\d+ characters of policy; IAM takes 10,240"):
        check_templates(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-c", "profile=dve"], "This cannot be deployed: profile=dve is unknown; choose dev or prod"),
        (["-c", "profile"], "This cannot be deployed: -c profile lacks a value"),
    ],
)
def test_the_command_ends_with_the_sentence_alone(arguments: list[str], told: str) -> None:
    need_node()
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("CDK_", "AWS_"))}
    command = [sys.executable, "-m", "infra.app", *arguments]
    ended = subprocess.run(command, cwd=REPOSITORY, env=environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_node_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit, match="Node ≥ 20 is needed: apt install nodejs"):
        app.main(["-c", "profile=dev", "-c", "region=us-east-1"])


SOURCES: list[tuple[Any, str | None]] = [
    ({"loops": {"tenant": "acme", "sub": "loops"}}, None),
    (
        {"my.orchestrator/eu@1": {"tenant": "a", "sub": "b", "persona": "p", "roles": ["agent", "reviewer"]}},
        None,
    ),
    ("{}", None),
    ('{"loops": {"tenant": "acme"}}', "sub is missing"),
    ('{"loops": {"sub": "loops"}}', "tenant is missing"),
    ('{"loops": {"tenant": "a b", "sub": "loops"}}', "tenant is missing, or no name"),
    ('{"loops": {"tenant": "acme", "sub": ""}}', "sub is missing"),
    ('{"loops": "acme"}', "its claims are no object"),
    ('{"loops": {"tenant": "acme", "sub": "s", "role": "admin"}}', "unknown claim role"),
    ('{"loops": {"tenant": "acme", "sub": "s", "roles": ["boss"]}}', "roles is a list of admin, agent"),
    ('{"loops": {"tenant": "acme", "sub": "s", "roles": "admin"}}', "roles is a list"),
    ('{"loops": {"tenant": "acme", "sub": "s", "persona": 3}}', "email and persona are texts"),
    ('{"aws.ec2": {"tenant": "acme", "sub": "s"}}', "AWS's own"),
    ('{"a b": {"tenant": "acme", "sub": "s"}}', "a source has 1 to 256"),
    ("[]", "event_sources is no object"),
    ("loops", "event_sources is no JSON"),
    ({f"loops-{n}": {"tenant": "acme", "sub": "loops"} for n in range(60)}, "longer than 2000 characters"),
]


@pytest.mark.parametrize(("given", "told"), SOURCES)
def test_what_is_deployed_as_a_source_is_taken_as_one(given: Any, told: str | None) -> None:
    """Synthesis knows the edge's rules: what it lets pass is read at the first event, with the roles that it names."""
    if told is not None:
        with pytest.raises(BadDeployment, match=told):
            read_event_sources(given)
        return
    deployed = read_event_sources(given)
    read = read_sources(as_text(deployed))
    assert read == deployed
    for claims in read.values():
        assert principal_of(claims).roles == set(claims.get("roles", ["agent"]))


def test_what_the_edge_refuses_is_not_deployed() -> None:
    refused = 0
    for given, _ in SOURCES:
        text = given if isinstance(given, str) else json.dumps(given)
        try:
            read_sources(text)
        except Invalid:
            refused += 1
            with pytest.raises(BadDeployment):
                read_event_sources(given)
    assert refused >= 5


def test_the_claims_and_roles_are_the_edges() -> None:
    assert frozenset(get_args(Role)) == ROLES
    told = frozenset(claims_of(principal_of({"tenant": "a", "sub": "b"})))
    assert told == CLAIMS | {"proven", "tools"}, (
        "a source that the deployment names is proven, and calls no tools"
    )
