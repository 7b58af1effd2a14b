"""Web ACL before the content network: bad addresses, known attacks, and a rate for each address.

What callers store is text: code, mark-up, the words of an attack that somebody fends off. So rules about bodies and
arguments count and do not block; what a memory may hold is judged by the product itself.
"""

from typing import Final

from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from infra.deployment import Deployment

WINDOW_S: Final = 300
"""Window of the rate rule, in seconds."""

COUNTED: Final[dict[str, tuple[str, ...]]] = {
    "AWSManagedRulesAmazonIpReputationList": (),
    "AWSManagedRulesKnownBadInputsRuleSet": (
        *("JavaDeserializationRCE_BODY", "Log4JRCE_BODY"),
        *("JavaDeserializationRCE_QUERYSTRING", "Log4JRCE_QUERYSTRING"),
    ),
    "AWSManagedRulesCommonRuleSet": (
        "NoUserAgent_HEADER",
        *("SizeRestrictions_BODY", "EC2MetaDataSSRF_BODY", "GenericLFI_BODY", "GenericRFI_BODY"),
        *("CrossSiteScripting_BODY", "SizeRestrictions_QUERYSTRING", "EC2MetaDataSSRF_QUERYARGUMENTS"),
        *("GenericLFI_QUERYARGUMENTS", "GenericRFI_QUERYARGUMENTS", "CrossSiteScripting_QUERYARGUMENTS"),
        *("RestrictedExtensions_QUERYARGUMENTS", "RestrictedExtensions_URIPATH"),
    ),
}
"""Groups of AWS's managed rules, and those of their rules that count alone: names of files stand in paths, and agents
send no User-Agent. Source: AWS WAF developer guide, AWS Managed Rules rule groups list."""

Rule = waf.CfnWebACL.RuleProperty


def web_acl(scope: Construct, deployment: Deployment) -> waf.CfnWebACL:
    """Web ACL with the scope CLOUDFRONT, which has to be made in us-east-1."""
    groups = [_managed(number, name, counted) for number, (name, counted) in enumerate(COUNTED.items(), 1)]
    return waf.CfnWebACL(
        scope,
        "WebAcl",
        name=deployment.title,
        description=f"{deployment.title}: console and API",
        scope="CLOUDFRONT",
        default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
        rules=[_rate(deployment.waf_rate), *groups],
        visibility_config=_measured(deployment.title),
    )


def _rate(requests: int) -> Rule:
    """Rule that blocks an address for as long as it sends more than so many requests in a window."""
    limit = waf.CfnWebACL.RateBasedStatementProperty(
        aggregate_key_type="IP", evaluation_window_sec=WINDOW_S, limit=requests
    )
    return Rule(
        name="rate",
        priority=0,
        action=waf.CfnWebACL.RuleActionProperty(block={}),
        statement=waf.CfnWebACL.StatementProperty(rate_based_statement=limit),
        visibility_config=_measured("rate"),
    )


def _managed(priority: int, name: str, counted: tuple[str, ...]) -> Rule:
    counts = waf.CfnWebACL.RuleActionProperty(count={})
    group = waf.CfnWebACL.ManagedRuleGroupStatementProperty(
        vendor_name="AWS",
        name=name,
        rule_action_overrides=[
            waf.CfnWebACL.RuleActionOverrideProperty(name=rule, action_to_use=counts) for rule in counted
        ],
    )
    return Rule(
        name=name,
        priority=priority,
        override_action=waf.CfnWebACL.OverrideActionProperty(none={}),
        statement=waf.CfnWebACL.StatementProperty(managed_rule_group_statement=group),
        visibility_config=_measured(name),
    )


def _measured(name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
    """Metrics, and no samples of requests: they would show tokens and the words of callers."""
    return waf.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=False
    )
