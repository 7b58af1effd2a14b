"""Forms of issuers' tokens, each with the prefix that its issuer documents."""

import re
from collections.abc import Callable
from typing import NamedTuple


class TokenShape(NamedTuple):
    """Form of one issuer's tokens; `hint` is in every text that holds one, so that most texts cost nothing."""

    kind: str
    hint: str
    pattern: re.Pattern[str]
    judge: Callable[[str], bool] = bool
    """Test that a match has to pass besides."""


def _shape(kind: str, hint: str, pattern: str) -> TokenShape:
    return TokenShape(kind, hint, re.compile(rf"(?<![A-Za-z0-9])(?:{pattern})"))


_WORD = r"[A-Za-z0-9_-]"
_ALNUM = r"[A-Za-z0-9]"

TOKEN_SHAPES: tuple[TokenShape, ...] = (
    _shape("aws_access_key", "A3T", r"A3T[A-Z0-9][A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ABIA", r"ABIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ACCA", r"ACCA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_access_key", "ASIA", r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("aws_signature", "X-Amz-Signature=", r"X-Amz-Signature=(?P<secret>[0-9a-f]{64,})"),
    _shape("github_token", "gh", rf"gh[pousr]_{_WORD}{{20,}}"),
    _shape("github_token", "github_pat_", rf"github_pat_{_WORD}{{22,}}"),
    _shape(
        "gitlab_token", "gl", rf"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas|imt|agent|ldt|ffct)-(?:{_WORD}|\.){{20,}}"
    ),
    _shape("gitlab_token", "GR1348941", rf"GR1348941{_WORD}{{20,}}"),
    _shape("slack_token", "xox", rf"xox[abceoprs](?:\.xox[bp])?-{_WORD}{{10,}}"),
    _shape("slack_token", "xapp-", rf"xapp-[0-9]-{_WORD}{{10,}}"),
    _shape(
        "slack_webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,})",
    ),
    _shape(
        "discord_webhook",
        "webhooks/",
        rf"api/(?:v[0-9]{{1,2}}/)?webhooks/[0-9]{{15,22}}/(?P<secret>{_WORD}{{40,}})",
    ),
    _shape(
        "teams_webhook",
        "/webhookb2/",
        r"(?:office|office365)\.com/webhookb2/[0-9a-f@-]{36,80}/IncomingWebhook/(?P<secret>[0-9A-Za-z]{20,}(?:/[\w-]{8,})?)",
    ),
    _shape(
        "zapier_webhook", "hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/[0-9]{3,12}/(?P<secret>\w{5,})"
    ),
    _shape("ifttt_key", "/with/key/", rf"with/key/(?P<secret>{_WORD}{{15,}})"),
    _shape("pagerduty_key", "events.pagerduty.com", r"pagerduty\.com/integration/(?P<secret>[0-9a-f]{32})"),
    _shape("chat_webhook", "/hooks/", r"hooks/(?P<secret>(?=[a-z]{0,25}[0-9])[a-z0-9]{26})(?![A-Za-z0-9])"),
    _shape("stripe_key", "_live_", rf"[sr]k_live_{_ALNUM}{{10,}}"),
    _shape("stripe_key", "_test_", rf"[sr]k_test_{_ALNUM}{{10,}}"),
    _shape("stripe_key", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    _shape("google_api_key", "AIza", rf"AIza{_WORD}{{35,}}"),
    _shape("google_token", "GOCSPX-", rf"GOCSPX-{_WORD}{{20,}}"),
    _shape("google_token", "ya29.", rf"ya29\.(?:{_WORD}|\.){{20,}}"),
    _shape("google_token", "1//0", rf"1//0{_WORD}{{30,}}"),
    _shape("anthropic_key", "sk-ant-", rf"sk-ant-{_WORD}{{16,}}"),
    _shape("openai_key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_WORD}{{16,}}"),
    _shape("openai_key", "sk-", rf"sk-(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{20,}}"),
    _shape("openrouter_key", "sk-or-", rf"sk-or-{_WORD}{{20,}}"),
    _shape("huggingface_token", "hf_", rf"hf_{_ALNUM}{{30,}}"),
    _shape("replicate_token", "r8_", rf"r8_{_ALNUM}{{30,}}"),
    _shape("groq_key", "gsk_", rf"gsk_{_ALNUM}{{30,}}"),
    _shape("xai_key", "xai-", rf"xai-{_ALNUM}{{40,}}"),
    _shape("perplexity_key", "pplx-", rf"pplx-{_ALNUM}{{40,}}"),
    _shape("npm_token", "npm_", rf"npm_{_ALNUM}{{30,}}"),
    _shape("pypi_token", "pypi-", rf"pypi-{_WORD}{{50,}}"),
    _shape("rubygems_key", "rubygems_", r"rubygems_[0-9a-f]{48,}"),
    _shape("docker_token", "dckr_", rf"dckr_(?:pat|oat)_{_WORD}{{20,}}"),
    _shape("digitalocean_token", "_v1_", r"do[oprt]_v1_[0-9a-f]{64,}"),
    _shape("shopify_token", "shp", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}"),
    _shape("databricks_token", "dapi", r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
    _shape("doppler_token", "dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:{_WORD}|\.){{30,}}"),
    _shape("vault_token", "hv", rf"hv[sbr]\.{_WORD}{{24,}}"),
    _shape("terraform_token", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{40,}}"),
    _shape("linear_key", "lin_", rf"lin_(?:api|oauth)_{_ALNUM}{{32,}}"),
    _shape("notion_token", "ntn_", rf"ntn_{_ALNUM}{{40,}}"),
    _shape("notion_token", "secret_", rf"secret_(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{43,}}"),
    _shape("atlassian_token", "ATATT3", rf"ATATT3(?:{_WORD}|=){{40,}}"),
    _shape("atlassian_token", "ATCTT3", rf"ATCTT3(?:{_WORD}|=){{40,}}"),
    _shape("vercel_token", "vercel_blob_rw_", rf"vercel_blob_rw_{_ALNUM}{{8,}}_{_ALNUM}{{20,}}"),
    _shape("newrelic_key", "NRAK-", r"NRAK-[A-Z0-9]{27,}"),
    _shape("postman_key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34,}"),
    _shape("grafana_token", "gl", rf"(?:glsa|glc)_(?:{_WORD}|[+/=]){{30,}}"),
    _shape("sentry_token", "sntry", rf"sntry[su]_(?:{_WORD}|[+/=.]){{30,}}"),
    _shape("supabase_token", "sbp_", r"sbp_[0-9a-z]{40,}"),
    _shape("planetscale_token", "pscale_", rf"pscale_(?:tkn|pw|oauth)_(?:{_WORD}|\.){{30,}}"),
    _shape("tailscale_key", "tskey-", rf"tskey-{_WORD}{{20,}}"),
    _shape("fly_token", "FlyV1 ", rf"FlyV1 (?P<secret>fm[12]{_WORD}[A-Za-z0-9_+/=,-]{{20,}})"),
    _shape("airtable_token", "pat", rf"pat{_ALNUM}{{14}}\.[0-9a-f]{{64,}}"),
    _shape("onepassword_token", "ops_eyJ", rf"ops_eyJ(?:{_WORD}|=){{40,}}"),
    _shape("artifactory_key", "AKC", rf"AKC(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{10,}}"),
    _shape("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("telegram_token", ":AA", rf"(?:bot)?(?P<secret>[0-9]{{8,10}}:AA{_WORD}{{32,}})"),
    _shape("azure_signature", "sig=", r"sig=(?P<secret>[A-Za-z0-9%+/_-]{40,}=?)"),
    _shape("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    _shape("bedrock_key", "ABSK", r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    _shape("aws_token", "amzn.mws.", r"amzn\.mws\.[0-9a-f-]{36}"),
    _shape("huggingface_token", "api_org_", rf"api_org_{_ALNUM}{{30,}}"),
    _shape("azure_secret", "Q~", rf"[A-Za-z0-9_~.]{{3}}[0-9]Q~(?:{_WORD}|[~.]){{31,}}"),
    _shape(
        "onepassword_key", "A3-", r"A3-[A-Z0-9]{6}(?:-?[A-Z0-9]{5,6}){2}(?:-[A-Z0-9]{5}){3}(?![A-Za-z0-9])"
    ),
    _shape("alibaba_key", "LTAI", rf"LTAI(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{12,26}}(?![A-Za-z0-9])"),
    _shape("cloudflare_key", "v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    _shape("duffel_token", "duffel_", rf"duffel_(?:live|test)_{_WORD}{{30,}}"),
    _shape("dynatrace_token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{48,}"),
    _shape("facebook_token", "EAA", rf"EAA[A-Z](?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{80,}}"),
    _shape("flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST)?-[0-9a-z]{12,}(?:-X)?"),
    _shape("frameio_token", "fio-u-", rf"fio-u-{_WORD}{{50,}}"),
    _shape("harness_token", "at.", rf"[ps]at\.{_WORD}{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{16,}}"),
    _shape("heroku_key", "HRKU-", rf"HRKU-{_WORD}{{30,}}"),
    _shape("shippo_token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{40,}"),
    _shape("sourcegraph_token", "sgp_", r"sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40,}"),
    _shape("typeform_token", "tfp_", rf"tfp_(?:{_WORD}|[.=]){{40,}}"),
    _shape("dropbox_token", "sl.", rf"sl\.(?:u\.)?{_WORD}{{100,}}"),
    _shape("figma_token", "fig", rf"fig[dour]h?_{_WORD}{{36,}}"),
    _shape("buildkite_token", "bk", r"bk(?:ua|ct|aj|pt)_[0-9a-z]{40,}"),
    _shape("circleci_token", "CCI", rf"CCI[PR]{{1,2}}[AJ]T_{_WORD}{{40,}}"),
    _shape("render_key", "rnd_", rf"rnd_{_ALNUM}{{24,}}"),
    _shape("pinecone_key", "pcsk_", rf"pcsk_{_WORD}{{40,}}"),
    _shape("asana_token", ":", r"[0-2]/(?:[0-9]{13,17}/)?[0-9]{13,17}:[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("hubspot_token", "pat-", r"pat-[a-z]{2}[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _shape("crates_token", "cio", rf"cio(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{32}}(?![A-Za-z0-9])"),
    _shape("twilio_key", "SK", r"(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("mailchimp_key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    _shape("square_token", "sq0", rf"sq0[a-z]{{3}}-{_WORD}{{22,}}"),
    _shape("square_token", "EAA", rf"EAA(?=[A-Za-z]{{0,64}}[0-9]){_WORD}{{58,}}"),
    _shape("sendgrid_key", "SG.", rf"SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    _shape("slack_token", "xoxe", rf"xoxe(?:\.xox[bp])?-[0-9]-{_WORD}{{20,}}"),
    _shape("vault_token", "s.", rf"s\.(?=[A-Za-z]{{0,23}}[0-9]){_ALNUM}{{24}}(?![A-Za-z0-9.(])"),
    _shape("newrelic_key", "NRI", rf"NRI[IQ]-{_WORD}{{32,}}"),
    _shape("supabase_token", "sb_secret_", rf"sb_secret_{_WORD}{{20,}}"),
    _shape("fly_token", "fo1_", rf"fo1_{_WORD}{{40,}}"),
    _shape("tencent_key", "AKID", rf"AKID(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{28,}}"),
    _shape("clojars_token", "CLOJARS_", r"CLOJARS_[0-9a-z]{50,}"),
    _shape("easypost_key", "EZ", rf"EZ[AT]K(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{50,}}"),
    _shape("maxmind_key", "_mmk", rf"{_ALNUM}{{6}}_{_ALNUM}{{29}}_mmk(?![A-Za-z0-9])"),
    _shape("octopus_key", "API-", r"API-(?=[A-Z]{0,26}[0-9])[A-Z0-9]{25,}(?![A-Za-z0-9])"),
    _shape("openshift_token", "sha256~", rf"sha256~{_WORD}{{40,}}"),
    _shape(
        "plaid_token",
        "access-",
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    _shape("pulumi_token", "pul-", r"pul-[0-9a-f]{40,}"),
    _shape("readme_token", "rdme_", r"rdme_[0-9a-z]{60,}"),
    _shape("scalingo_token", "tk-us-", rf"tk-us-{_WORD}{{40,}}"),
    _shape("brevo_key", "xkeysib-", rf"xkeysib-[0-9a-f]{{64}}-{_ALNUM}{{16,}}"),
    _shape("settlemint_token", "sm_", rf"sm_[aps]at_{_ALNUM}{{16,}}"),
    _shape("sonar_token", "sq", r"sq[pua]_[0-9a-f]{40,}"),
    _shape("yandex_key", "AQVN", rf"AQVN{_WORD}{{35,}}"),
    _shape("contentful_token", "CFPAT-", rf"CFPAT-{_WORD}{{40,}}"),
    _shape("resend_key", "re_", rf"re_{_ALNUM}{{8}}_{_ALNUM}{{20,}}"),
    _shape("langsmith_key", "lsv2_", r"lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10,}"),
    _shape("tavily_key", "tvly-", rf"tvly-{_WORD}{{28,}}"),
    _shape("nvidia_key", "nvapi-", rf"nvapi-{_WORD}{{50,}}"),
    _shape("nuget_key", "oy2", r"oy2[0-9a-z]{43}(?![A-Za-z0-9])"),
    _shape("neon_key", "napi_", rf"napi_{_ALNUM}{{40,}}"),
    _shape("honeycomb_key", "k_", r"hc[a-z]{2}[a-z]?k_[0-9a-z]{40,}"),
    _shape("clickup_token", "pk_", r"pk_[0-9]{5,12}_[0-9A-Z]{32}(?![A-Za-z0-9])"),
    _shape("fireworks_key", "fw_", rf"fw_(?=[A-Za-z]{{0,64}}[0-9])(?=[a-z0-9]{{0,64}}[A-Z]){_ALNUM}{{22,}}"),
    _shape("together_key", "tgp_v1_", rf"tgp_v1_{_WORD}{{40,}}"),
    _shape("elevenlabs_key", "sk_", r"sk_[0-9a-f]{48}(?![A-Za-z0-9])"),
    _shape("firecrawl_key", "fc-", r"fc-[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("launchdarkly_key", "sdk-", r"sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    _shape("unkey_key", "unkey_", rf"unkey_{_ALNUM}{{16,}}"),
    _shape("dub_key", "dub_", rf"dub_(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{24,}}"),
    _shape("paddle_key", "_apikey_", rf"pdl_[a-z]{{4}}_apikey_[0-9a-z]{{26}}_{_ALNUM}{{22}}_{_ALNUM}{{3}}"),
    _shape("sanity_token", "sk", rf"sk(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{80,}}"),
    _shape("courier_key", "pk_", r"pk_(?:prod|test)_[0-9A-Z]{28,}"),
    _shape(
        "api_key",
        "sk-",
        r"sk-[a-z]{2,12}-(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        r"|(?=[A-Za-z-]{0,64}[0-9])(?=[a-z0-9-]{0,64}[A-Z])[A-Za-z0-9-]{24,})",
    ),
    _shape("cerebras_key", "csk-", r"csk-[0-9a-z]{40,}"),
    _shape("runpod_key", "rpa_", r"rpa_[0-9A-Z]{40,}"),
    _shape("anyscale_key", "esecret_", r"esecret_[0-9a-z]{20,}"),
    _shape("e2b_key", "e2b_", r"e2b_[0-9a-f]{40,}"),
    _shape(
        "vercel_hook",
        "/integrations/deploy/",
        rf"vercel\.com/v1/integrations/deploy/prj_{_ALNUM}{{8,}}/(?P<secret>{_ALNUM}{{8,}})",
    ),
    _shape("azure_key", "JQQJ9", r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{27}(?![A-Za-z0-9])"),
    _shape("azure_key", "AzSe", r"[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{6}(?![A-Za-z0-9])"),
    _shape("azure_key", "AzFu", rf"{_WORD}{{44}}AzFu{_WORD}{{8}}={{0,2}}"),
    _shape(
        "azure_key",
        "+A",
        r"[A-Za-z0-9+/]{33,76}\+(?:ASt|AMC|AEh|ARm|ASb|AIoT|ABa|ACR)[A-Za-z0-9+/]{4,6}={0,2}",
    ),
    _shape("azure_key", "ACDb", r"[A-Za-z0-9+/]{76}ACDb[A-Za-z0-9+/]{4,6}={0,2}"),
    _shape("bitbucket_token", "ATBB", rf"ATBB(?=[A-Za-z]{{0,64}}[0-9]){_ALNUM}{{28,}}"),
    _shape("artifactory_token", "cmVmd", rf"cmVmd{_ALNUM}{{59}}(?![A-Za-z0-9])"),
    _shape("google_api_key", "AQ.", rf"AQ\.A[a-z][0-9A-Z]{_WORD}{{36,}}"),
    _shape("cursor_key", "crsr_", r"crsr_[0-9a-f]{32,}"),
    _shape("zoho_token", "1000.", r"1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape("vault_token", ".CAESI", rf"[sbr]\.CAESI{_WORD}{{60,}}"),
    _shape("voiceflow_key", "VF.", rf"VF\.(?:DM|WS)\.[0-9a-f]{{24}}\.{_ALNUM}{{16,}}"),
    _shape("teamwork_token", "tkn.v1_", rf"tkn\.v1_{_ALNUM}{{40,}}=?"),
    _shape("ubidots_token", "BBF", rf"BBF[FU]-{_ALNUM}{{30,}}"),
    _shape(
        "telnyx_key",
        "KEY",
        rf"KEY(?=(?:[A-Za-z-]{{0,64}}[0-9]){{3}}[0-9]{{0,64}}[A-Za-z-]{{1,64}}[0-9])[A-Za-z0-9-]{{28,48}}_{_ALNUM}{{16,}}",
    ),
    _shape("mongodb_secret", "mdb_sa_sk_", rf"mdb_sa_sk_{_WORD}{{36,}}"),
    _shape("scrapfly_key", "scp-", r"scp-(?:live|test)-[0-9a-f]{32}"),
    _shape("adobe_secret", "p8e-", rf"p8e-{_WORD}{{32}}(?![A-Za-z0-9])"),
    _shape("clickhouse_key", "4b1d", rf"4b1d(?=[a-z0-9]{{0,64}}[A-Z]){_ALNUM}{{38}}(?![A-Za-z0-9])"),
    _shape(
        "authress_key",
        ".acc",
        rf"[a-z]{{2,10}}_\w{{5,30}}\.\w{{4,6}}\.acc[_-]{_WORD}{{10,32}}\.[\w+/=-]{{30,120}}",
    ),
    _shape("facebook_token", "%7C", rf"[0-9]{{15,16}}%7C{_WORD}{{27,40}}"),
    _shape(
        "facebook_token",
        "|",
        rf"[0-9]{{15,16}}\|(?=[A-Za-z]{{0,40}}[0-9])(?=[a-z0-9_-]{{0,40}}[A-Z]){_WORD}{{27,40}}",
    ),
    _shape("salesforce_token", "!", r"00D[A-Za-z0-9]{12}![A-Za-z0-9._]{60,}"),
    _shape("cookie", "_gitlab_session=", r"_gitlab_session=(?P<secret>[0-9a-z]{32,})"),
    _shape("fullstory_key", "na1.", r"na1\.[A-Za-z0-9+/]{90,}"),
    _shape("jwt", "eyJ", rf"(?<![_-])eyJ{_WORD}{{10,}}(?:\.{_WORD}{{2,}}){{1,4}}"),
)
"""Forms by the prefixes that issuers document for secret scanning; a run longer than usual is taken whole."""

_NO_HASH = r"(?=[A-Za-z]{0,64}[0-9])(?=[a-z0-9]{0,64}[A-Z])(?=[A-Z0-9]{0,64}[a-z])"
"""Ahead: capitals, small letters and digits. Hashes, UUIDs and ids have not all three."""

DECLARED_SHAPES: tuple[TokenShape, ...] = (
    _shape(
        "token",
        "",
        r"(?:[A-Za-z0-9]{1,16}[_-]){0,3}?(?:sk|pk|pat|key|secret|token|api|apikey|live|prod|auth|oauth|access|refresh"
        rf"|priv|private|pw|pass|cred)[_-](?:v?[0-9]{{1,2}}[_-])?{_NO_HASH}{_ALNUM}{{20,512}}(?![A-Za-z0-9])",
    ),
    _shape(
        "token",
        "",
        rf"(?<![_./-])(?:(?!sha[0-9]|md5)[a-z][a-z0-9]{{0,9}}[_-]){{1,3}}{_NO_HASH}{_ALNUM}{{30,512}}(?![A-Za-z0-9])",
    ),
    _shape(
        "token",
        "",
        r"(?:[a-z]{2,10}_live|[a-z]{0,10}(?:key|secret|token)[_-](?:live|prod|test|dev|branch))[_-][0-9a-f]{32,}"
        r"(?![A-Za-z0-9])",
    ),
)
"""Forms without an issuer: a prefix that says what it is, or a short one before a run of thirty and more."""
