"""Who may do what: exactly the manifest's grants on concrete resources, and no wildcard that says more."""

from __future__ import annotations

import re
from itertools import chain

from infra.deployment import read_deployment
from memory_layer.manifest import env
from memory_layer.manifest.functions import FUNCTIONS, SMALL_FUNCTIONS, Grant
from memory_layer.manifest.tables import CLIENTS, RECEIPTS, RECORDS
from tests.given import REPOSITORY
from tests.infra.conftest import DEV, need_node
from tests.infra.templates import Assembly

ACTIONS: dict[Grant, set[str]] = {
    "read records": {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"},
    "write records": {
        *("dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"),
        "dynamodb:BatchWriteItem",
    },
    "scan records": {"dynamodb:Scan"},
    "read clients": {"dynamodb:GetItem"},
    "search index": {"es:ESHttpPost"},
    "write index": {"es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut"},
    "rebuild index": {"es:ESHttpPost", "es:ESHttpDelete"},
    "keep answers": {"s3:GetObject", "s3:PutObject"},
    "keep operations": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"},
    "keep snapshots": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"},
    "keep erasures": {"s3:GetObject", "s3:PutObject", "s3:ListBucket"},
    "keep rollbacks": {"s3:GetObject", "s3:PutObject", "s3:ListBucket"},
    "keep histories": {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:ListBucket"},
    "read bodies": {"s3:GetObject", "s3:RestoreObject", "s3:ListBucket"},
    "keep bodies": {
        *("s3:GetObject", "s3:RestoreObject", "s3:ListBucket"),
        *("s3:PutObject", "s3:DeleteObject"),
    },
    "publish events": {"events:PutEvents"},
    "tell changes": {"events:PutEvents"},
}
ALWAYS = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}
STREAM = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
}
QUEUE = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}

_CALLS = re.compile(r"\b(?:batch_)?(?:get|put|update|delete|write)_item\b")
"""Transactions need the grants of what they are made of, queries and scans are methods of other things too."""

BLOBS = ("answers", "operations", "snapshots", "erasures", "rollbacks", "bodies")
ACTIONS_WITHOUT_RESOURCES = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}
INSIDE_SOMETHING_NAMED = re.compile(
    r"(\{\w+:\w+\.Arn\}|arn:.*:domain/[^/]+)"
    r"/(answers/|operations/|snapshots/|erasures/|rollbacks/|bodies/|runs/|memories-|_alias/memories-)\*"
)


def test_functions_have_their_grants_and_nothing_else(assembly: Assembly) -> None:
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            expected = ALWAYS.union(*(ACTIONS[grant] for grant in function.grants))
            expected |= STREAM if function.stream else set()
            expected |= QUEUE if function.queued_events or function.own_queue else set()
            granted = set(chain.from_iterable(one["Action"] for one in assembly.granted(function.name)))
            assert granted - {"sqs:SendMessage"} == expected, function.name


def test_every_call_of_the_record_stores_adapter_is_granted() -> None:
    """IAM is not enforced by any engine of the tests: a call without a grant fails in the cloud alone."""
    sources = (REPOSITORY / "shared" / "memory_layer" / "adapters" / "aws").rglob("*.py")
    called = set(chain.from_iterable(_CALLS.findall(source.read_text("utf-8")) for source in sources))
    assert {"get_item", "update_item"} <= called
    actions = {f"dynamodb:{''.join(word.title() for word in call.split('_'))}" for call in called}
    granted = set().union(
        *(found for grant, found in ACTIONS.items() if grant.endswith(("records", "clients")))
    )
    assert actions <= granted


def test_only_what_has_a_failure_queue_may_send_to_it(assembly: Assembly) -> None:
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            sends = [one for one in assembly.granted(function.name) if "sqs:SendMessage" in one["Action"]]
            is_queued = (
                not (function.tags or function.routes or function.queued_events)
                and "read clients" not in function.grants
                and function.stream is not RECEIPTS
            )
            fills = [one for one in sends if "Failed" not in one["Resource"][0]]
            assert len(sends) - len(fills) == is_queued, function.name
            assert len(fills) == bool(function.own_queue), function.name
            assert all(len(one["Resource"]) == 1 for one in sends)


def test_records_are_reached_through_the_records_table_alone(assembly: Assembly) -> None:
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            table = "ClientsTable" if "read clients" in function.grants else "RecordsTable"
            for statement in assembly.granted(function.name):
                if statement["Action"][0].startswith("dynamodb:"):
                    assert all(table in resource for resource in statement["Resource"])


def test_no_statement_says_more_than_it_names(assembly: Assembly) -> None:
    """The safeguard is `_allow` with concrete resources; a `*` anywhere in grants.py fails here."""
    allowed = [(key, one) for key, one in assembly.statements() if one["Effect"] == "Allow"]
    assert len(allowed) > 50
    for key, statement in allowed:
        if assembly.resources[key]["Type"] == "AWS::KMS::Key":
            continue  # in a key's own policy * is the key
        if "EmptierGrants" in key or "ConsoleFiles" in key:
            continue  # it empties the bucket, whatever is in it; the console's is read and filled whole
        assert not [action for action in statement["Action"] if "*" in action], key
        for resource in statement["Resource"]:
            is_bounded = "*" not in resource or INSIDE_SOMETHING_NAMED.fullmatch(resource)
            assert is_bounded or set(statement["Action"]) <= ACTIONS_WITHOUT_RESOURCES, (key, statement)


def test_nobody_is_everybody(assembly: Assembly) -> None:
    for key, statement in assembly.statements():
        if statement["Effect"] == "Allow":
            assert '"*"' not in str(statement.get("Principal", "")).replace("'", '"'), key


def test_no_managed_policies(assembly: Assembly) -> None:
    assert all("ManagedPolicyArns" not in role for _, role in assembly.properties("AWS::IAM::Role"))


def test_the_domain_opens_to_roles_that_have_the_grant(assembly: Assembly) -> None:
    """A resource policy that names a role is a grant by itself, whatever the role's own policies say."""
    opened: dict[str, set[tuple[str, str]]] = {}
    for key, statement in assembly.statements():
        if assembly.resources[key]["Type"] == "AWS::OpenSearchService::Domain":
            calls = {(action, _path(one)) for action in statement["Action"] for one in statement["Resource"]}
            for role in statement["Principal"]["AWS"]:
                name = assembly.resolve("stateful", role).strip("{}").removesuffix(".Arn")
                opened.setdefault(name, set()).update(calls)
    calls_of = {assembly.role_of(name): index_calls(assembly, name) for name in assembly.functions()}
    assert opened == {role: calls for role, calls in calls_of.items() if calls}


def test_who_recalls_may_search_what_is_searched_and_nothing_else(assembly: Assembly) -> None:
    """The safeguard is the path in `SEARCH_CALLS`: POST alone would let a function write and delete by query."""
    searching = {("es:ESHttpPost", "memories-read/_search"), ("es:ESHttpPost", "memories-read/_msearch")}
    for function in FUNCTIONS:
        writes = {"write index", "rebuild index"} & set(function.grants)
        if "search index" in function.grants and not writes and function.name in assembly.functions():
            assert index_calls(assembly, function.name) == searching


def test_blobs_are_reached_under_their_own_prefix(assembly: Assembly) -> None:
    """The safeguard is `BLOB_CALLS`: a recall has no business with what other tenants' batches hold."""
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            reached = {
                _path(resource)
                for statement in assembly.granted(function.name)
                for resource in statement["Resource"]
                if statement["Action"][0] in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
            }
            prefixes = {f"{verb} {name}": f"{name}/*" for name in BLOBS for verb in ("keep", "read")}
            prefixes["keep histories"] = "runs/*"
            assert reached == {prefix for grant, prefix in prefixes.items() if grant in function.grants}


def test_keys_are_listed_under_the_prefixes_that_are_reached(assembly: Assembly) -> None:
    """The safeguard is `_lists`: keys hold the names of every tenant's projects, and ids."""
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            lists = [one for one in assembly.granted(function.name) if "s3:ListBucket" in one["Action"]]
            listed = {one["Condition"]["StringLike"]["s3:prefix"] for one in lists}
            prefixes = {grant: f"{grant.partition(' ')[2]}/*" for grant in function.grants}
            prefixes |= {"keep histories": "runs/*"} if "keep histories" in function.grants else {}
            assert listed == {
                prefixes[grant] for grant in function.grants if "s3:ListBucket" in ACTIONS[grant]
            }


def test_whoever_reads_records_reads_their_bodies_and_whoever_changes_them_writes_some() -> None:
    """A record that is not hot has most of its words in the bucket: without the grant it is unreadable there alone.

    A recall counts accesses, feedback on contexts changes settings; the projector deletes what an erasure left.
    """
    for function in FUNCTIONS:
        if function.stream is RECEIPTS:
            continue  # it reads counts and no words
        grants = set(function.grants)
        assert ("read records" in grants) == bool(grants & {"read bodies", "keep bodies"}), function.name
        changes = "write records" in grants and function.name not in ("recall", "context")
        assert changes == ("keep bodies" in grants), function.name


def index_calls(assembly: Assembly, function: str) -> set[tuple[str, str]]:
    """Action and path of every request to the domain that a function's role may send."""
    return {
        (action, _path(resource))
        for statement in assembly.granted(function)
        for action in statement["Action"]
        for resource in statement["Resource"]
        if action.startswith("es:")
    }


def _path(resource: str) -> str:
    """What comes after a bucket's or a domain's ARN."""
    return re.sub(r"^(\{[^}]+\}|arn:.*?:domain/[^/]+)/", "", resource)


def test_roles_are_taken_by_services_alone(assembly: Assembly) -> None:
    trusts = [one for key, one in assembly.statements() if "sts:AssumeRole" in one["Action"]]
    services = {"{'Service': 'lambda.amazonaws.com'}", "{'Service': 'scheduler.amazonaws.com'}"}
    assert {str(one["Principal"]) for one in trusts} == services
    scheduled = [one for one in trusts if "scheduler" in str(one["Principal"])]
    assert all("aws:SourceAccount" in one["Condition"]["StringEquals"] for one in scheduled)


def test_segments_are_listed_under_their_own_prefix() -> None:
    need_node()
    from infra.constructs.grants import Resources, statements_of

    tables = {table.name: table.name for table in (RECORDS, CLIENTS)}
    resources = Resources(tables=tables, segments="s", bucket="b", bus="e")
    found = [
        one.to_statement_json()["Condition"]["StringLike"]["s3:prefix"]
        for function in SMALL_FUNCTIONS
        for one in statements_of(function, resources, "log:*")
        if "s3:ListBucket" in one.actions and one.resources == ["s"]
    ]
    assert set(found) == {"segments/*"}


def test_a_model_on_bedrock_may_be_invoked_by_what_embeds_and_by_nothing_else() -> None:
    need_node()
    from infra.constructs.environment import environment_of, model_variables
    from infra.constructs.grants import Resources, bedrock_arn, statements_of

    named = {"embedding_model": "bedrock:amazon.titan-embed-text-v2:0", "embedding_dimensions": "1024"}
    deployment = read_deployment({**DEV, **named})
    arn = bedrock_arn("aws", deployment)
    assert arn == "arn:aws:bedrock:us-east-1::foundation-model/amazon.titan-embed-text-v2:0"
    resources = Resources(
        tables={table.name: table.name for table in (RECORDS, CLIENTS)},
        domain="d",
        bucket="b",
        bus="e",
        model=arn,
    )
    for function in FUNCTIONS:
        allowed = {
            (action, resource)
            for statement in statements_of(function, resources, "log:*")
            for action in statement.actions
            for resource in statement.resources
            if action.startswith("bedrock:")
        }
        assert allowed == ({("bedrock:InvokeModel", arn)} if function.embeds else set()), function.name
    assert bedrock_arn("aws", read_deployment(DEV)) is None
    assert model_variables(read_deployment(DEV)) == {}
    known = {name: "x" for name in vars(env).values() if isinstance(name, str)} | model_variables(deployment)
    for function in FUNCTIONS:
        told = environment_of(function, known).get(env.EMBEDDING_MODEL)
        needs_it = function.embeds or "write index" in function.grants
        assert told == (named["embedding_model"] if needs_it else None), function.name
