"""Before the API and around it, on demand: a firewall with a lock, readers of the bus, recalls kept ready."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.constructs.web_acl import COUNTED
from infra.deployment import read_deployment
from infra.errors import BadDeployment
from memory_layer.edge.http.origin_lock import HOST_HEADER, SECRET_HEADER
from memory_layer.manifest import env
from memory_layer.manifest.change_events import CHANGES_SOURCE
from memory_layer.manifest.functions import FUNCTIONS
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, PROD, need_node, synthesised
from tests.infra.templates import Assembly

ACCOUNTS = ("111122223333", "444455556666")
GUARDED = {
    **DEV,
    "waf": "true",
    "waf_rate": "500",
    "bus_readers": ",".join(ACCOUNTS),
    "warm_recalls": "2",
    "search_log": "true",
}


@pytest.fixture(scope="module")
def guarded(shared_folder: Path) -> Assembly:
    """A synthesis that cdk-nag has nothing against: it would end here."""
    need_node()
    return Assembly(synthesised(shared_folder / "guarded", GUARDED))


def network_of(assembly: Assembly) -> dict[str, Any]:
    found: dict[str, Any] = assembly.only("AWS::CloudFront::Distribution")["DistributionConfig"]
    return found


def test_nothing_of_it_is_there_unless_it_is_asked_for(dev: Assembly) -> None:
    types = {resource["Type"] for resource in dev.resources.values()}
    absent = {"AWS::WAFv2::WebACL", "AWS::SecretsManager::Secret", "AWS::Events::EventBusPolicy"}
    assert not types & {*absent, "AWS::Lambda::Alias", "AWS::CloudFront::Function"}
    assert "WebACLId" not in network_of(dev)


def test_the_consoles_network_has_the_web_acl(guarded: Assembly) -> None:
    acl = guarded.only("AWS::WAFv2::WebACL")
    assert acl["Scope"] == "CLOUDFRONT"
    assert acl["DefaultAction"] == {"Allow": {}}
    attached = guarded.resolve("service", network_of(guarded)["WebACLId"])
    assert attached.startswith("{service:Console")
    assert attached.endswith(".Arn}")
    first, *groups = sorted(acl["Rules"], key=lambda rule: rule["Priority"])
    assert first["Action"] == {"Block": {}}
    limit = first["Statement"]["RateBasedStatement"]
    assert (limit["Limit"], limit["AggregateKeyType"], limit["EvaluationWindowSec"]) == (500, "IP", 300)
    managed = {one["Statement"]["ManagedRuleGroupStatement"]["Name"]: one for one in groups}
    assert set(managed) == set(COUNTED)
    assert all(one["OverrideAction"] == {"None": {}} for one in groups)


def test_what_callers_write_is_counted_and_not_blocked(guarded: Assembly) -> None:
    """A memory may hold mark-up or the words of an attack: blocked, it would be lost with a 403 that names nothing."""
    counted = set()
    for rule in guarded.only("AWS::WAFv2::WebACL")["Rules"]:
        group = rule["Statement"].get("ManagedRuleGroupStatement", {})
        for one in group.get("RuleActionOverrides", ()):
            assert one["ActionToUse"] == {"Count": {}}
            counted.add(one["Name"])
    assert {"SizeRestrictions_BODY", "CrossSiteScripting_BODY", "Log4JRCE_BODY"} <= counted
    assert "ExploitablePaths_URIPATH" not in counted


def test_requests_are_measured_and_none_is_kept(guarded: Assembly) -> None:
    acl = guarded.only("AWS::WAFv2::WebACL")
    for config in (acl["VisibilityConfig"], *(rule["VisibilityConfig"] for rule in acl["Rules"])):
        assert config["CloudWatchMetricsEnabled"] is True
        assert config["SampledRequestsEnabled"] is False


def test_the_network_sends_the_secret_that_every_function_behind_the_api_asks_for(guarded: Assembly) -> None:
    (secret_key,) = guarded.of_type("AWS::SecretsManager::Secret")
    generated = guarded.only("AWS::SecretsManager::Secret")["GenerateSecretString"]
    assert generated["PasswordLength"] >= 32
    (api,) = (one for one in network_of(guarded)["Origins"] if "CustomOriginConfig" in one)
    ((sent),) = api["OriginCustomHeaders"]
    assert sent["HeaderName"] == SECRET_HEADER
    value = guarded.resolve("service", sent["HeaderValue"])
    assert value.startswith("{{resolve:secretsmanager:")
    assert secret_key in value
    asking = {
        name: guarded.resolve("service", told["Environment"]["Variables"][env.ORIGIN_SECRET])
        for name, told in guarded.functions().items()
        if env.ORIGIN_SECRET in told["Environment"]["Variables"]
    }
    behind = {guarded.function_at(uri) for uri in integrations(guarded)}
    assert set(asking) == behind >= {"memories", "recall", "mcp"}
    assert set(asking.values()) == {value}


def integrations(assembly: Assembly) -> list[str]:
    """What the API calls, aliases by their functions."""
    found = []
    for _, made in assembly.properties("AWS::ApiGatewayV2::Integration"):
        uri = assembly.resolve("service", made["IntegrationUri"])
        alias = assembly.of_type("AWS::Lambda::Alias").get(uri.strip("{}"))
        found.append(
            assembly.resolve("service", alias["Properties"]["FunctionName"]) if alias is not None else uri
        )
    return found


def test_the_network_tells_the_name_that_was_called(guarded: Assembly) -> None:
    """Without it the metadata for MCP clients would name the address that is closed."""
    assert HOST_HEADER in guarded.only("AWS::CloudFront::Function")["FunctionCode"]
    for behavior in network_of(guarded)["CacheBehaviors"]:
        (association,) = behavior["FunctionAssociations"]
        assert association["EventType"] == "viewer-request"


def test_the_open_address_is_told_and_asked_by_the_canary(guarded: Assembly, dev: Assembly) -> None:
    ((network, _),) = guarded.of_type("AWS::CloudFront::Distribution").items()
    told = guarded.templates["service"]["Outputs"]["ApiUrl"]["Value"]
    assert guarded.resolve("service", told) == f"https://{{{network}.DomainName}}"
    asked = guarded.functions()["canary"]["Environment"]["Variables"][env.API_URL]
    assert asked == told
    ours = dev.resolve("service", dev.templates["service"]["Outputs"]["ApiUrl"]["Value"])
    assert ".execute-api." in ours


def test_readers_make_rules_for_changes_alone_and_tend_none_but_theirs(guarded: Assembly) -> None:
    made, tended = (
        one["Statement"]
        for _, one in sorted(
            guarded.properties("AWS::Events::EventBusPolicy"), key=lambda one: one[1]["StatementId"]
        )
    )
    assert made["Action"] == ["events:PutRule"]
    assert made["Condition"]["ForAllValues:StringEquals"] == {"events:source": [CHANGES_SOURCE]}
    assert made["Condition"]["Null"] == {"events:source": "false"}, (
        "a rule that names no source has all of them"
    )
    assert "events:PutEvents" not in tended["Action"]
    for statement in (made, tended):
        own = statement["Condition"]["StringEqualsIfExists"]
        assert own == {"events:creatorAccount": "${aws:PrincipalAccount}"}
        named = [guarded.resolve("service", one) for one in statement["Principal"]["AWS"]]
        assert named == [f"arn:{{AWS::Partition}}:iam::{account}:root" for account in ACCOUNTS]
        assert ":rule/" in guarded.resolve("service", statement["Resource"])
    assert "EventBusArn" in guarded.templates["service"]["Outputs"]


def test_the_api_calls_recalls_that_are_kept_ready(guarded: Assembly) -> None:
    ((key, alias),) = guarded.properties("AWS::Lambda::Alias")
    assert alias["ProvisionedConcurrencyConfig"] == {"ProvisionedConcurrentExecutions": 2}
    assert guarded.function_at(guarded.resolve("service", alias["FunctionName"])) == "recall"
    uris = [
        guarded.resolve("service", made["IntegrationUri"])
        for _, made in guarded.properties("AWS::ApiGatewayV2::Integration")
    ]
    assert uris.count(f"{{{key}}}") == 1
    allowed = [
        guarded.resolve("service", one["FunctionName"])
        for _, one in guarded.properties("AWS::Lambda::Permission")
        if one["Principal"] == "apigateway.amazonaws.com"
    ]
    assert f"{{{key}}}" in allowed


def test_the_guide_tells_what_a_recall_that_is_kept_ready_costs() -> None:
    """Price of provisioned concurrency on arm64 in us-east-1, of AWS's price list."""
    (recall,) = (function for function in FUNCTIONS if function.name == "recall")
    month = recall.memory_mb / 1_024 * 0.0000033334 * 3_600 * 730
    guide = (REPOSITORY / "docs" / "guides" / "deployment-options.md").read_text("utf-8").replace("\n", " ")
    assert f"about $ {month:.0f} a month, called or not ({recall.memory_mb:,} MB" in guide
    assert f"each about $ {month:.0f} a month |" in guide


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"waf": "true", "region": "eu-central-1"}, "lies in us-east-1 alone"),
        ({"waf": "true", "console": "false"}, "waf goes with the console"),
        ({"waf_rate": "9"}, "waf_rate=9: 10 to 2,000,000,000"),
        ({"bus_readers": "12345"}, "bus_readers: 12345 is no account"),
        ({"warm_recalls": "1001"}, "warm_recalls=1001: at most 1,000"),
        ({**PROD, "warm_recalls": "101"}, "warm_recalls=101: at most 100"),
    ],
)
def test_what_cannot_be_is_said(changed: dict[str, str], told: str) -> None:
    with pytest.raises(BadDeployment, match=told):
        read_deployment({**DEV, **changed})


def test_the_search_domain_keeps_its_errors_and_no_words_of_queries(guarded: Assembly) -> None:
    """Slow logs would hold queries and memories word for word."""
    (key,) = (
        key for key, one in guarded.resources.items() if one["Type"] == "AWS::OpenSearchService::Domain"
    )
    domain = guarded.resources[key]
    assert set(domain["Properties"]["LogPublishingOptions"]) == {"ES_APPLICATION_LOGS"}
    kept = domain["Properties"]["LogPublishingOptions"]["ES_APPLICATION_LOGS"]
    assert kept["Enabled"] is True
    group = kept["CloudWatchLogsLogGroupArn"]["Fn::GetAtt"][0]
    groups = [one for name, one in guarded.resources.items() if name.endswith(group)]
    assert [one["Properties"]["RetentionInDays"] for one in groups] == [7]
    policy = guarded.only("AWS::Logs::ResourcePolicy")
    assert "es.amazonaws.com" in str(policy["PolicyDocument"])
    assert "aws:SourceAccount" in str(policy["PolicyDocument"])
    assert group in str(policy["PolicyDocument"])
    assert any("WritesErrors" in name for name in domain["DependsOn"])


def test_the_search_domain_keeps_no_log_unless_it_is_asked_to(dev: Assembly) -> None:
    assert "LogPublishingOptions" not in dev.only("AWS::OpenSearchService::Domain")
