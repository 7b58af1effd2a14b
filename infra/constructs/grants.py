"""From the manifest's grants to IAM statements with concrete resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from aws_cdk import aws_iam as iam

from memory_layer.manifest.functions import Function, Grant
from memory_layer.manifest.tables import CLIENTS, RECORDS, Table

READ_ACTIONS: Final = ("dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query")
WRITE_ACTIONS: Final = (
    *("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"),
    "dynamodb:BatchWriteItem",
)
SEARCH_ACTIONS: Final[dict[Grant, tuple[str, ...]]] = {
    "search index": ("es:ESHttpGet", "es:ESHttpHead", "es:ESHttpPost"),
    "write index": ("es:ESHttpGet", "es:ESHttpHead", "es:ESHttpPost", "es:ESHttpPut", "es:ESHttpDelete"),
}
TRACE_ACTIONS: Final = ("xray:PutTraceSegments", "xray:PutTelemetryRecords")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """ARNs of what grants are about: tables by their manifest name, the others where there are any."""

    tables: Mapping[str, str]
    domain: str | None = None
    bucket: str | None = None
    bus: str | None = None


def statements_of(function: Function, resources: Resources, log_group_arn: str) -> list[iam.PolicyStatement]:
    """What a function may do: its grants, its own log, its traces; nothing else."""
    granted = [statement for grant in function.grants for statement in _STATEMENTS[grant](resources)]
    return [*granted, _writes_log(log_group_arn), _writes_traces()]


def _allow(actions: tuple[str, ...], *resources: str | None) -> iam.PolicyStatement:
    """Raises: ValueError: a resource is missing, which the grant is about."""
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


def _search_index(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(SEARCH_ACTIONS["search index"], _inside(resources.domain))]


def _write_index(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(SEARCH_ACTIONS["write index"], _inside(resources.domain))]


def _read_blobs(resources: Resources) -> list[iam.PolicyStatement]:
    """Without ListBucket S3 says 403 of what is not there, instead of 404."""
    return [
        _allow(("s3:GetObject",), _inside(resources.bucket)),
        _allow(("s3:ListBucket",), resources.bucket),
    ]


def _write_blobs(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(("s3:PutObject", "s3:DeleteObject"), _inside(resources.bucket))]


def _publish_events(resources: Resources) -> list[iam.PolicyStatement]:
    return [_allow(("events:PutEvents",), resources.bus)]


def _writes_log(log_group_arn: str) -> iam.PolicyStatement:
    """A group's ARN ends with `:*`, which means its streams."""
    return _allow(("logs:CreateLogStream", "logs:PutLogEvents"), log_group_arn)


def _writes_traces() -> iam.PolicyStatement:
    """X-Ray knows no resources for these. Source: Service Authorization Reference, AWS X-Ray."""
    return _allow(TRACE_ACTIONS, "*")


def _inside(arn: str | None) -> str | None:
    return None if arn is None else f"{arn}/*"


_STATEMENTS: dict[Grant, Callable[[Resources], list[iam.PolicyStatement]]] = {
    "read records": _read_records,
    "write records": _write_records,
    "scan records": _scan_records,
    "read clients": _read_clients,
    "search index": _search_index,
    "write index": _write_index,
    "read blobs": _read_blobs,
    "write blobs": _write_blobs,
    "publish events": _publish_events,
}
