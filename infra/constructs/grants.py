"""IAM statements with concrete resources, from the manifest's grants."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from aws_cdk import aws_iam as iam

from infra.constructs.prefixes import (
    ANSWERS_PREFIX,
    BODIES_PREFIX,
    ERASURES_PREFIX,
    HISTORIES_PREFIX,
    OPERATIONS_PREFIX,
    ROLLBACKS_PREFIX,
    SEGMENTS_PREFIX,
    SNAPSHOTS_PREFIX,
)
from infra.deployment import Deployment
from memory_layer.manifest.functions import Function, Grant
from memory_layer.manifest.index import ALIAS
from memory_layer.manifest.tables import CLIENTS, RECORDS, Table

READ_ACTIONS: Final = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
WRITE_ACTIONS: Final = (
    *("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"),
    "dynamodb:BatchWriteItem",
)
READ_ALIAS: Final = f"{ALIAS}-read"
OUR_INDEXES: Final = f"{ALIAS}-*"

SEARCH_CALLS: Final[dict[Grant, dict[str, tuple[str, ...]]]] = {
    "search index": {"es:ESHttpPost": (f"{READ_ALIAS}/_search", f"{READ_ALIAS}/_msearch")},
    "write index": {
        "es:ESHttpGet": (f"_alias/{OUR_INDEXES}", OUR_INDEXES),
        "es:ESHttpPut": (OUR_INDEXES,),
        "es:ESHttpPost": ("_bulk",),
    },
    "rebuild index": {"es:ESHttpPost": ("_aliases", OUR_INDEXES), "es:ESHttpDelete": (OUR_INDEXES,)},
}
"""Method and path of every request to the domain: there IAM looks at both (OpenSearch Service developer guide, identity
and access management). A body may name other indexes; the domain has none but ours."""

BLOB_CALLS: Final[dict[Grant, tuple[str, tuple[str, ...]]]] = {
    "keep answers": (ANSWERS_PREFIX, ("s3:GetObject", "s3:PutObject")),
    "keep operations": (OPERATIONS_PREFIX, ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")),
    "keep snapshots": (SNAPSHOTS_PREFIX, ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")),
    "keep erasures": (ERASURES_PREFIX, ("s3:GetObject", "s3:PutObject")),
    "keep histories": (HISTORIES_PREFIX, ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")),
    "keep rollbacks": (ROLLBACKS_PREFIX, ("s3:GetObject", "s3:PutObject")),
    "read bodies": (BODIES_PREFIX, ("s3:GetObject", "s3:RestoreObject")),
    "keep bodies": (
        BODIES_PREFIX,
        ("s3:GetObject", "s3:RestoreObject", "s3:PutObject", "s3:DeleteObject"),
    ),
}
"""Prefix and actions in the blob bucket, by grant."""

SEGMENT_ACTIONS: Final[dict[Grant, tuple[str, ...]]] = {
    "search index": ("s3:GetObject",),
    "write index": ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
    "rebuild index": ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"),
}
"""Actions in the bucket of segments, where there is no domain."""

Container = Literal["domain", "bucket", "segments"]
BEDROCK: Final = "bedrock:"
TRACE_ACTIONS: Final = ("xray:PutTraceSegments", "xray:PutTelemetryRecords")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """ARNs of granted resources: tables by their manifest name, the others where there are any.

    Args:
        model: embedding model on Bedrock, for the functions that embed.
    """

    tables: Mapping[str, str]
    domain: str | None = None
    segments: str | None = None
    bucket: str | None = None
    bus: str | None = None
    model: str | None = None


def statements_of(function: Function, resources: Resources, log_group_arn: str) -> list[iam.PolicyStatement]:
    """Permissions of a function: its grants, its own log, its traces; nothing else."""
    granted = [statement for grant in function.grants for statement in _STATEMENTS[grant](resources)]
    invoked = (
        [_allow(("bedrock:InvokeModel",), resources.model)] if function.embeds and resources.model else []
    )
    return [*granted, *invoked, _writes_log(log_group_arn), _writes_traces()]


def _allow(actions: tuple[str, ...], *resources: str | None) -> iam.PolicyStatement:
    """Statement that allows actions on resources. Raises: ValueError: a resource of the grant is missing."""
    named = [resource for resource in resources if resource is not None]
    if len(named) < len(resources):
        raise ValueError(f"{actions[0]} needs a resource that this stack does not have")
    return iam.PolicyStatement(actions=list(actions), resources=named)


def _read_records(resources: Resources) -> list[iam.PolicyStatement]:
    table = resources.tables[RECORDS.name]
    return [_allow(READ_ACTIONS, table), _allow(("dynamodb:Query",), *_index_arns(table, RECORDS))]


def _index_arns(table_arn: str, table: Table) -> list[str]:
    return [f"{table_arn}/index/{index.name}" for index in table.indexes]


def _write_records(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(WRITE_ACTIONS, resources.tables[RECORDS.name])]


def _scan_records(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(("dynamodb:Scan",), resources.tables[RECORDS.name])]


def _read_clients(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(("dynamodb:GetItem",), resources.tables[CLIENTS.name])]


def _calls_index(grant: Grant, resources: Resources) -> list[iam.PolicyStatement]:
    """Grants of the indexes that there are, of which there is one at least."""
    in_bucket: list[iam.PolicyStatement] = []
    if resources.segments is not None:
        inside = _inside(resources.segments, f"{SEGMENTS_PREFIX}*")
        in_bucket = [_allow(SEGMENT_ACTIONS[grant], inside), _lists(resources.segments, SEGMENTS_PREFIX)]
    if in_bucket and resources.domain is None:
        return in_bucket
    return in_bucket + [
        _allow((action,), *(_inside(resources.domain, path) for path in paths))
        for action, paths in SEARCH_CALLS[grant].items()
    ]


def _keep_answers(resources: Resources) -> list[iam.PolicyStatement]:
    return [_blobs("keep answers", resources)]


def _keep_listed(grant: Grant, resources: Resources) -> list[iam.PolicyStatement]:
    prefix, _ = BLOB_CALLS[grant]
    return [_blobs(grant, resources), _lists(resources.bucket, prefix)]


def _lists(bucket: str | None, prefix: str) -> iam.PolicyStatement:
    """Statement for the keys under a prefix. A read of a missing key names no prefix, so that S3 says 403 of it;
    then the adapters list the key (adapters/aws/services/absent_objects.py)."""
    allowed = _allow(("s3:ListBucket",), bucket)
    allowed.add_condition("StringLike", {"s3:prefix": f"{prefix}*"})
    return allowed


def _blobs(grant: Grant, resources: Resources) -> iam.PolicyStatement:
    prefix, actions = BLOB_CALLS[grant]
    return _allow(actions, _inside(resources.bucket, f"{prefix}*"))


def _publish_events(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(("events:PutEvents",), resources.bus)]


def _writes_log(log_group_arn: str) -> iam.PolicyStatement:
    """Statement for a log group, whose ARN ends with `:*`, which means its streams."""
    return _allow(("logs:CreateLogStream", "logs:PutLogEvents"), log_group_arn)


def _writes_traces() -> iam.PolicyStatement:
    """Statement for traces, whose actions know no resources. Source: Service Authorization Reference, AWS X-Ray."""
    return _allow(TRACE_ACTIONS, "*")


def bedrock_arn(partition: str, deployment: Deployment) -> str | None:
    """ARN of the deployment's embedding model on Bedrock; None: it is not there."""
    named = deployment.embedding_model or ""
    if not named.startswith(BEDROCK):
        return None
    return f"arn:{partition}:bedrock:{deployment.region}::foundation-model/{named.removeprefix(BEDROCK)}"


def _inside(arn: str | None, path: str) -> str | None:
    return None if arn is None else f"{arn}/{path}"


def reaching_into(containers: Mapping[Container, str]) -> list[str]:
    """Every resource of a grant that has a `*`. Args: containers: how their ARNs shall be written."""
    paths: dict[Container, set[str]] = {
        "domain": {path for calls in SEARCH_CALLS.values() for found in calls.values() for path in found},
        "bucket": {f"{prefix}*" for prefix, _ in BLOB_CALLS.values()},
        "segments": {f"{SEGMENTS_PREFIX}*"},
    }
    return sorted(f"{arn}/{path}" for name, arn in containers.items() for path in paths[name] if "*" in path)


_STATEMENTS: dict[Grant, Callable[[Resources], list[iam.PolicyStatement]]] = {
    "read records": _read_records,
    "write records": _write_records,
    "scan records": _scan_records,
    "read clients": _read_clients,
    **{grant: partial(_calls_index, grant) for grant in SEARCH_CALLS},
    "keep answers": _keep_answers,
    "keep operations": partial(_keep_listed, "keep operations"),
    "keep snapshots": partial(_keep_listed, "keep snapshots"),
    "keep erasures": partial(_keep_listed, "keep erasures"),
    "keep histories": partial(_keep_listed, "keep histories"),
    "keep rollbacks": partial(_keep_listed, "keep rollbacks"),
    "read bodies": partial(_keep_listed, "read bodies"),
    "keep bodies": partial(_keep_listed, "keep bodies"),
    "publish events": _publish_events,
    "tell changes": _publish_events,
}
