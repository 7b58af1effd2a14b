"""Deployment, read from the context and checked before anything is built."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from ipaddress import IPv4Network
from typing import Any, Final, Literal, get_args

from infra.errors import BadDeployment
from infra.event_sources import EventSources, read_event_sources
from infra.regions import check_region
from infra.search_sizes import check_search_sizes
from infra.sizes import LOG_DAYS, SIZES, Profile, Sizes
from memory_layer.manifest.functions import FUNCTIONS, SMALL_FUNCTIONS, Function
from memory_layer.manifest.index import Engine, SearchedIndex

Architecture = Literal["arm64", "x86_64"]
Layers = Literal["dist", "placeholder"]
AlarmLevel = Literal["none", "vital", "all"]
"""`vital`: what people feel at once, or what is lost unless somebody looks; `all`: what becomes so, too."""

DEFAULT_CONCURRENCY: Final = 1_000
"""Executions that an account may have at a time. Source: Lambda quotas; new accounts have fewer."""

SEARCH_VERSIONS: Final = ("3.5", "3.3", "3.1", "2.19")
"""Versions of OpenSearch on managed domains with k-NN as the index needs it; the tests run on the first."""

MAX_CLIENTS: Final = 50
"""Each client is an audience of the authorizer. Source: quotas of HTTP APIs, audiences per authorizer."""

MAX_DIMENSIONS: Final = 4_096

RECALL: Final = "recall"
"""Function of which executions may be kept ready."""

WAF_REGION: Final = "us-east-1"
"""Region of web ACLs of CloudFront. Source: AWS WAF developer guide, scope CLOUDFRONT."""

WAF_RATES: Final = (10, 2_000_000_000)
"""Least and greatest limit of a rate rule. Source: AWS WAF API reference, RateBasedStatement."""

VPC_PREFIXES: Final = (16, 24)
"""Lengths of the prefix of a network's block: a VPC takes /16 at most; a quarter of a /24 holds a domain's nodes and
functions' interfaces. Source: Amazon VPC user guide, VPC CIDR blocks."""

_BLOCK_NEEDED: Final = "is no block of private addresses from /16 to /24, such as 10.20.0.0/20"

MAX_NAME_LENGTH: Final = 13
"""Domain names of OpenSearch have 28 characters: name, profile and eight of the stack's id."""

_NAME = re.compile(r"[a-z][a-z0-9-]*[a-z0-9]")
_CLIENT = re.compile(r"[a-z][a-z0-9-]{0,62}")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d+)?")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_DOMAIN_PREFIX = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
"""Source: CreateUserPoolDomain, Amazon Cognito's API reference."""
_MODEL = re.compile(
    r"bedrock:(?:amazon\.titan-embed-text|cohere\.embed)-[a-z0-9.:-]+|encoder:[A-Za-z0-9_.-]{1,64}"
)
_ACCOUNT = re.compile(r"\d{12}")
_OURS = re.compile(r"[a-z_]+")
_YES_NO = {"true": True, "false": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Values of a deployment: each field but `sizes` is a context value of its name; lists are given with commas.

    `issuer` and `audience` name a foreign OIDC issuer; without them a Cognito user pool is made, with a client for
    each of `clients`. `layers` `placeholder` builds a template to look at, not one to deploy. `event_sources` names the
    sources whose events of completed runs are taken (infra/event_sources.py). `reserve_concurrency` is true in prod:
    Lambda refuses it in an account with a small quota of concurrent executions, as new ones have. `watch` is false in
    small: alarms and what they need cost more than all the rest; `alarms` says which there are where somebody watches,
    and `concurrency_quota` how many executions the account may have. `index` names the indexes that are written to,
    `segments` and `domain`, the first of which is searched; two while a deployment moves from one to the other.
    `console` false leaves the web console out; `console_client` is its client at a foreign issuer, without which people
    paste a token there. `embedding_model` is
    `bedrock:<model id>` or `encoder:<id>` of one that `layers/build.py --encoder` put into the layer; None: our own.
    `waf` puts a web ACL before the console's distribution, by which alone the API answers then, and takes `waf_rate`
    requests in five minutes from an address. `bus_readers` are accounts that may make rules on the bus for changes.
    `bytecode` compiles our own code into the functions' zips; `warm_recalls` recalls are kept ready.
    `search_log` keeps the search domain's error log. `vpc` is the block of addresses of a network of its own, in which
    functions and domain lie then; None: they are reached over AWS's public endpoints, with signatures.
    """

    profile: Profile
    region: str
    sizes: Sizes
    name: str = "memory-layer"
    engine: Engine = "faiss"
    search_version: str = SEARCH_VERSIONS[0]
    architecture: Architecture = "arm64"
    layers: Layers = "dist"
    issuer: str | None = None
    audience: tuple[str, ...] = ()
    clients: tuple[str, ...] = ("agent",)
    domain_prefix: str | None = None
    cors_origins: tuple[str, ...] = ()
    alarm_email: str | None = None
    event_sources: EventSources = field(default_factory=dict)
    reserve_concurrency: bool | None = None
    watch: bool | None = None
    alarms: AlarmLevel = "all"
    concurrency_quota: int = DEFAULT_CONCURRENCY
    index: tuple[SearchedIndex, ...] = ()
    console: bool = True
    console_client: str | None = None
    embedding_model: str | None = None
    embedding_dimensions: int | None = None
    waf: bool = False
    waf_rate: int = 2_000
    bus_readers: tuple[str, ...] = ()
    bytecode: bool = False
    warm_recalls: int = 0
    search_log: bool = False
    vpc: str | None = None

    @property
    def title(self) -> str:
        """Name of the whole, with which its stacks begin, and the dimension of its metrics."""
        return f"{self.name}-{self.profile}"

    @property
    def keeps_data(self) -> bool:
        """Tells if data outlives the stacks."""
        return self.profile != "dev"

    @property
    def network(self) -> IPv4Network | None:
        """Block of addresses of its own network, if it has one. Raises: ValueError: it is none."""
        return None if self.vpc is None else IPv4Network(self.vpc)

    @property
    def is_small(self) -> bool:
        """Tells if what costs money while nobody calls is left out."""
        return self.profile == "small"

    @property
    def indexes(self) -> tuple[SearchedIndex, ...]:
        """Indexes that are written to, the first of which is searched."""
        return self.index or (("segments",) if self.is_small else ("domain",))

    @property
    def has_domain(self) -> bool:
        """Tells if there is a search domain."""
        return "domain" in self.indexes

    @property
    def has_segments(self) -> bool:
        """Tells if there are segments in a bucket."""
        return "segments" in self.indexes

    @property
    def functions(self) -> tuple[Function, ...]:
        """Functions of the manifest that it has."""
        return SMALL_FUNCTIONS if self.has_segments else FUNCTIONS

    @property
    def is_watched(self) -> bool:
        """Tells if there are alarms, a dashboard, and metrics of each route, which cost money though nobody calls."""
        return not self.is_small if self.watch is None else self.watch

    @property
    def reserves_concurrency(self) -> bool:
        """Tells if each function has its share of the account's executions, and no more."""
        return self.profile == "prod" if self.reserve_concurrency is None else self.reserve_concurrency


_CHOICES: dict[str, tuple[str, ...]] = {
    "profile": get_args(Profile),
    "engine": get_args(Engine),
    "search_version": SEARCH_VERSIONS,
    "architecture": get_args(Architecture),
    "layers": get_args(Layers),
    "alarms": get_args(AlarmLevel),
}
_SIZE_NAMES = tuple(field.name for field in fields(Sizes))
_NAMES = tuple(field.name for field in fields(Deployment) if field.name != "sizes") + _SIZE_NAMES


def read_deployment(context: Mapping[str, Any], default_region: str | None = None) -> Deployment:
    """Deployment that context values describe; values that are not ours (CDK's own) are left alone.

    Args:
        default_region: used where the context names none.

    Raises:
        BadDeployment: a value is missing, unknown or out of bounds, or the region will not do.
    """
    given = {name: value for name, value in context.items() if _OURS.fullmatch(name) and value != ""}
    _refuse_unknown(given)
    if "profile" not in given:
        raise BadDeployment(
            "no profile: say -c profile=dev (a small search domain, leaves nothing), -c profile=prod (a large one, "
            "keeps data) or -c profile=small (no domain, next to nothing while nobody calls, keeps data)"
        )
    values = {"region": default_region, **{name: _value(name, value) for name, value in given.items()}}
    if values["region"] is None:
        raise BadDeployment("no region: say for example -c region=eu-central-1")
    sizes = {name: values.pop(name) for name in _SIZE_NAMES if name in values}
    deployment = Deployment(**values, sizes=replace(SIZES[values["profile"]], **sizes))
    _check(deployment)
    return deployment


def _refuse_unknown(given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in _NAMES:
            near = get_close_matches(name, _NAMES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(_NAMES)}"
            raise BadDeployment(f"unknown context value {name}; {hint}")


def _value(name: str, value: Any) -> Any:
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise BadDeployment(f"{name}={value} is unknown; choose {' or '.join(choices)}")
    if name == "event_sources":
        return read_event_sources(value)
    kind = _KINDS.get(name, str)
    if kind is int:
        return _whole_number(name, value)
    if kind is bool:
        return _yes_or_no(name, value)
    return _list(value) if kind is tuple else str(value)


_KINDS: dict[str, type] = {
    **dict.fromkeys(("audience", "clients", "cors_origins", "index", "bus_readers"), tuple),
    **{field.name: int for field in fields(Sizes) if field.type is int},
    **dict.fromkeys(("reserve_concurrency", "watch", "console", "waf", "bytecode", "search_log"), bool),
    "embedding_dimensions": int,
    "concurrency_quota": int,
    "waf_rate": int,
    "warm_recalls": int,
}


def _whole_number(name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise BadDeployment(f"{name}={value} is no whole number")
    return number


def _yes_or_no(name: str, value: Any) -> bool:
    found = _YES_NO.get(str(value).lower())
    if found is None:
        raise BadDeployment(f"{name}={value}: say true or false")
    return found


def _list(value: Any) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else str(value).split(",")
    return tuple(part.strip() for part in parts if part.strip())


def _check(deployment: Deployment) -> None:
    check_region(deployment.region)
    _check_names(deployment)
    _check_issuer(deployment)
    _check_sizes(deployment)
    _check_model(deployment)
    _check_waf(deployment)
    _check_readers(deployment)
    _check_warm_recalls(deployment)
    _check_network(deployment)
    if deployment.concurrency_quota < 1:
        raise BadDeployment("concurrency_quota must be at least 1: the executions that the account may have")
    if deployment.profile == "prod" and deployment.alarms != "none" and deployment.alarm_email is None:
        raise BadDeployment("profile prod has alarms that nobody hears: say -c alarm_email=team@example.org")


def _check_waf(deployment: Deployment) -> None:
    if not WAF_RATES[0] <= deployment.waf_rate <= WAF_RATES[1]:
        raise BadDeployment(f"waf_rate={deployment.waf_rate}: {WAF_RATES[0]} to {WAF_RATES[1]:,}")
    if not deployment.waf:
        return
    if not deployment.console:
        raise BadDeployment("waf goes with the console, whose distribution it stands before")
    if deployment.region != WAF_REGION:
        raise BadDeployment(
            f"waf: a web ACL of CloudFront lies in {WAF_REGION} alone, and so must the deployment: say "
            f"-c region={WAF_REGION}, or leave waf out in {deployment.region}"
        )


def _check_network(deployment: Deployment) -> None:
    try:
        block = deployment.network
    except ValueError as error:
        raise BadDeployment(f"vpc={deployment.vpc} {_BLOCK_NEEDED} ({error})") from error
    if block and not (block.is_private and VPC_PREFIXES[0] <= block.prefixlen <= VPC_PREFIXES[1]):
        raise BadDeployment(f"vpc={deployment.vpc} {_BLOCK_NEEDED}")


def _check_readers(deployment: Deployment) -> None:
    for account in deployment.bus_readers:
        if not _ACCOUNT.fullmatch(account):
            raise BadDeployment(f"bus_readers: {account} is no account, which has twelve digits")


def _check_warm_recalls(deployment: Deployment) -> None:
    (recall,) = (function for function in deployment.functions if function.name == RECALL)
    most = recall.reserved_concurrency if deployment.reserves_concurrency else deployment.concurrency_quota
    if deployment.warm_recalls > most:
        raise BadDeployment(
            f"warm_recalls={deployment.warm_recalls}: at most {most:,}, the executions that recall has"
        )


def _check_model(deployment: Deployment) -> None:
    model, dimensions = deployment.embedding_model, deployment.embedding_dimensions
    if (model is None) != (dimensions is None):
        raise BadDeployment(
            "embedding_model and embedding_dimensions go together, for indexes are made by both"
        )
    if model is not None and not _MODEL.fullmatch(model):
        raise BadDeployment(
            f"embedding_model={model}: say bedrock:amazon.titan-embed-text-v2:0, or encoder:ID of one in the layer"
        )
    if dimensions is not None and not 4 <= dimensions <= MAX_DIMENSIONS:
        raise BadDeployment(f"embedding_dimensions={dimensions}: 4 to {MAX_DIMENSIONS:,}")


def _check_names(deployment: Deployment) -> None:
    if not _NAME.fullmatch(deployment.name) or len(deployment.name) > MAX_NAME_LENGTH:
        raise BadDeployment(
            f"name={deployment.name}: at most {MAX_NAME_LENGTH} lower-case letters, digits and hyphens"
        )
    for origin in deployment.cors_origins:
        if not _ORIGIN.fullmatch(origin):
            raise BadDeployment(f"cors_origins: {origin} is no origin such as https://app.example.org")
    if deployment.alarm_email is not None and not _EMAIL.fullmatch(deployment.alarm_email):
        raise BadDeployment(f"alarm_email={deployment.alarm_email} is no e-mail address")


def _check_issuer(deployment: Deployment) -> None:
    if deployment.console_client is not None and (deployment.issuer is None or not deployment.console):
        raise BadDeployment(
            "console_client goes with issuer and the console; a user pool gets a client of its own"
        )
    if deployment.issuer is None:
        return _check_clients(deployment)
    if not deployment.issuer.startswith("https://"):
        raise BadDeployment(f"issuer={deployment.issuer} must be an https URL, as the tokens' iss has it")
    if not deployment.audience:
        raise BadDeployment("an issuer needs the audience of its tokens: -c audience=memory-layer")


def _check_clients(deployment: Deployment) -> None:
    if deployment.audience:
        raise BadDeployment(
            "audience goes with issuer; clients of the user pool are named with -c clients=a,b"
        )
    if not 1 <= len(deployment.clients) <= MAX_CLIENTS:
        raise BadDeployment(f"{len(deployment.clients)} clients; an authorizer takes 1 to {MAX_CLIENTS}")
    if twice := [name for name in deployment.clients if deployment.clients.count(name) > 1]:
        raise BadDeployment(f"clients: {twice[0]} is named twice")
    for client in deployment.clients:
        if not _CLIENT.fullmatch(client):
            raise BadDeployment(f"clients: {client} must be lower-case letters, digits and hyphens")
    prefix = deployment.domain_prefix or deployment.name
    if re.search("aws|amazon|cognito", prefix):
        raise BadDeployment("domain_prefix must not contain aws, amazon or cognito, says Cognito")
    if not _DOMAIN_PREFIX.fullmatch(prefix):
        raise BadDeployment(
            f"domain_prefix={prefix}: 1 to 63 lower-case letters, digits and hyphens between them"
        )


def _check_sizes(deployment: Deployment) -> None:
    sizes = deployment.sizes
    if deployment.has_domain:
        check_search_sizes(sizes, deployment.region, least_nodes=2 if deployment.profile == "prod" else 1)
    elif given := [
        name
        for name in _SIZE_NAMES
        if name.startswith("search_") and getattr(sizes, name) != getattr(SIZES[deployment.profile], name)
    ]:
        raise BadDeployment(f"{given[0]}: there is no search domain; with one say -c index=domain")
    if len(set(deployment.index) & set(get_args(SearchedIndex))) < len(deployment.index):
        given_index = ",".join(deployment.index)
        raise BadDeployment(f"index={given_index}: say segments, domain, or both, the searched one first")
    if min(sizes.throttle_rate, sizes.throttle_burst, sizes.open_throttle_rate) < 1:
        raise BadDeployment("throttle_rate, throttle_burst and open_throttle_rate must be at least 1")
    if sizes.log_days not in LOG_DAYS:
        raise BadDeployment(
            f"log_days={sizes.log_days}: CloudWatch keeps logs for {', '.join(map(str, LOG_DAYS))} days"
        )
