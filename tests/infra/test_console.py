"""The console in the cloud: the same files with the same headers, the API at their origin, and people who sign in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra.code_assets import CodeAssets
from infra.constructs.console import path_patterns
from infra.deployment import read_deployment
from infra.errors import BadDeployment
from infra.operations import operations_of, read_document
from memory_layer.console.bundle import read_bundle
from memory_layer.console.page_policy import PAGE_HEADERS, content_policy
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, need_node, synthesised
from tests.infra.templates import Assembly

SIGN_IN_AT = (
    "https://cognito-idp.us-east-1.{AWS::URLSuffix}",
    "https://memory-layer-dev-{AWS::AccountId}.auth.us-east-1.amazoncognito.com",
)


@pytest.fixture(scope="module")
def without(shared_folder: Path) -> Assembly:
    need_node()
    return Assembly(synthesised(shared_folder / "without-console", {**DEV, "console": "false"}))


def network_of(assembly: Assembly) -> dict[str, Any]:
    found: dict[str, Any] = assembly.only("AWS::CloudFront::Distribution")["DistributionConfig"]
    return found


def test_it_is_left_out_on_demand(without: Assembly) -> None:
    types = {resource["Type"] for resource in without.resources.values()}
    assert not any("CloudFront" in type_ or "Console" in type_ for type_ in types)
    assert "ConsoleUrl" not in without.templates["service"]["Outputs"]
    ((_, client),) = without.properties("AWS::Cognito::UserPoolClient")
    assert client["ClientName"] == "agent"


def test_the_files_have_the_headers_that_the_laptop_sends(dev: Assembly, prod: Assembly) -> None:
    """The safeguard is the headers policy: without it S3 sends none, and any script may run in the page."""
    for assembly, issuers in ((dev, SIGN_IN_AT), (prod, ())):
        config = assembly.only("AWS::CloudFront::ResponseHeadersPolicy")["ResponseHeadersPolicyConfig"]
        security = config["SecurityHeadersConfig"]
        policy = security["ContentSecurityPolicy"]["ContentSecurityPolicy"]
        assert assembly.resolve("service", policy) == content_policy(issuers)
        sent = {one["Header"]: one["Value"] for one in config["CustomHeadersConfig"]["Items"]}
        sent |= {"x-frame-options": security["FrameOptions"]["FrameOption"]}
        assert sent.items() <= PAGE_HEADERS.items()
        assert len(sent) == len(PAGE_HEADERS) - 1, "all but the content policy"
        assert security["StrictTransportSecurity"]["AccessControlMaxAgeSec"] >= 31_536_000
        assert {"ContentTypeOptions", "ReferrerPolicy"} <= security.keys()
        used = network_of(assembly)["DefaultCacheBehavior"]["ResponseHeadersPolicyId"]
        assert assembly.resolve("service", used).startswith("{service:ConsoleHeaders")


def test_the_api_answers_at_the_pages_origin_and_nothing_of_it_is_kept(assembly: Assembly) -> None:
    """So no CORS is needed for it, and no answer of one caller's is another's."""
    behaviors = {one["PathPattern"]: one for one in network_of(assembly)["CacheBehaviors"]}
    assert set(behaviors) == set(path_patterns(operations_of(read_document(REPOSITORY))))
    assert {"/v1/*", "/docs/*", "/version"} <= set(behaviors)
    assert len(behaviors) <= 25, "quota of a distribution"
    assert {one["CachePolicyId"] for one in behaviors.values()} == {"4135ea2d-6df8-44a3-9df3-4b5a84be39ad"}
    origins = {one["Id"]: one for one in network_of(assembly)["Origins"]}
    (target,) = {one["TargetOriginId"] for one in behaviors.values()}
    assert origins[target]["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
    assert not any(pattern.startswith("/console") for pattern in behaviors)


def test_the_bucket_is_read_by_the_network_alone(assembly: Assembly) -> None:
    ((key, bucket),) = (
        found for found in assembly.properties("AWS::S3::Bucket") if found[0].startswith("service:")
    )
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    readers = [
        statement
        for _, statement in assembly.statements()
        if statement["Effect"] == "Allow" and f"{{{key}.Arn}}/*" in statement["Resource"]
    ]
    services = [one["Principal"] for one in readers if "Principal" in one]
    assert services == [{"Service": "cloudfront.amazonaws.com"}]
    assert all("AWS:SourceArn" in str(one["Condition"]) for one in readers if "Principal" in one)


def test_people_sign_in_by_a_code_for_the_scope_that_the_api_wants(dev: Assembly) -> None:
    ((key, client),) = (
        one for one in dev.properties("AWS::Cognito::UserPoolClient") if one[1]["ClientName"] == "console"
    )
    assert client["GenerateSecret"] is False, "a page keeps none"
    assert client["AllowedOAuthFlows"] == ["code"]
    ((network, _),) = dev.of_type("AWS::CloudFront::Distribution").items()
    assert [dev.resolve("service", one) for one in client["CallbackURLs"]] == [
        f"https://{{{network}.DomainName}}/"
    ]
    published = dev.only("Custom::ConsoleFiles")
    told = json.loads(dev.resolve("service", published["Configuration"]))
    assert told["asks_for_tokens"] is True
    authorizer = dev.only("AWS::ApiGatewayV2::Authorizer")["JwtConfiguration"]
    assert told["oidc"] == {
        "issuer": dev.resolve("service", authorizer["Issuer"]),
        "client_id": f"{{{key}}}",
        "scope": "openid memory-layer/use",
        "token": "access_token",
    }
    groups = {group["GroupName"] for _, group in dev.properties("AWS::Cognito::UserPoolGroup")}
    assert groups == {"agent", "reviewer", "admin"}


def test_at_a_foreign_issuer_a_token_is_pasted_unless_the_page_has_a_client_there(prod: Assembly) -> None:
    told = json.loads(prod.resolve("service", prod.only("Custom::ConsoleFiles")["Configuration"]))
    assert (told["asks_for_tokens"], told.get("oidc")) == (True, None)
    assert not prod.of_type("AWS::Cognito::UserPoolClient")


def test_the_asset_has_the_bundle_and_the_page_comes_last(tmp_path: Path) -> None:
    """What the page names is there before it: a browser that loads it meanwhile finds all of one release."""
    folder = CodeAssets(REPOSITORY, tmp_path, read_deployment(DEV)).console_folder()
    headers = json.loads((folder / "files" / "headers.json").read_text("utf-8"))
    bundle = read_bundle()
    assert set(headers) == (set(bundle) or {"index.html"})
    assert list(headers)[-1] == "index.html"
    for name, file in bundle.items():
        assert (folder / "files" / name).read_bytes() == file.content
        assert headers[name] == {"content_type": file.content_type, "cache_control": file.cache_control}


def test_without_a_bundle_nothing_is_deployed_that_has_no_console(tmp_path: Path) -> None:
    given = {name: value for name, value in DEV.items() if name != "layers"}
    with pytest.raises(BadDeployment, match="run make console, or leave it out: -c console=false"):
        CodeAssets(tmp_path, tmp_path / "out", read_deployment(given)).console_folder()


@pytest.mark.parametrize("more", [{}, {"issuer": "https://id.example.org/", "console": "false"}])
def test_a_client_at_a_foreign_issuer_wants_that_issuer(more: dict[str, str]) -> None:
    with pytest.raises(BadDeployment, match="console_client goes with issuer"):
        read_deployment({**DEV, "console_client": "page", **more})
