"""The mapping from the records table's stream to the projector: ministack's, and what ministack leaves out of it.

Ministack takes a partial batch response for a success. `Delivery` does with it what Lambda does, by the
deployed mapping's filters, batch size and response types. Source: AWS Lambda developer guide, "Process DynamoDB records
with Lambda": partial batch responses, discarded records, filtering.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually

Record = Mapping[str, Any]

PARTIAL: Final = "ReportBatchItemFailures"


def mapping_of(deployed: Deployed, function: str) -> dict[str, Any]:
    """The settings of a function's one mapping, as they were deployed."""
    client = deployed.server.client("lambda")
    (mapping,) = client.list_event_source_mappings(FunctionName=deployed.functions[function])[
        "EventSourceMappings"
    ]
    return dict(mapping)


@contextmanager
def paused(deployed: Deployed, function: str = "projector") -> Iterator[None]:
    """Nothing of the stream reaches what brings it to the index meanwhile; what was written comes afterwards."""
    _switch(deployed, function, is_on=False)
    try:
        yield
    finally:
        _switch(deployed, function, is_on=True)


def _switch(deployed: Deployed, function: str, *, is_on: bool) -> None:
    client, mapping = deployed.server.client("lambda"), mapping_of(deployed, function)
    client.update_event_source_mapping(UUID=mapping["UUID"], Enabled=is_on)
    eventually(lambda: mapping_of(deployed, function)["State"] == ("Enabled" if is_on else "Disabled"))


class Delivery:
    """Brings what is written from now on to the projector.

    `failed` is what was given up; the cloud puts a pointer to it into the failure queue.

    Args:
        retries: of a batch; fewer than the mapping has, for each takes a refresh of the index.
    """

    def __init__(self, deployed: Deployed, *, retries: int) -> None:
        self._deployed = deployed
        self._retries = retries
        self._mapping = mapping_of(deployed, "projector")
        self._streams = deployed.server.client("dynamodbstreams")
        self._iterator = self._newest()
        self.failed: list[Record] = []

    def _newest(self) -> str:
        stream = self._mapping["EventSourceArn"]
        told = self._streams.describe_stream(StreamArn=stream)["StreamDescription"]
        shard = told["Shards"][-1]["ShardId"]
        answer = self._streams.get_shard_iterator(StreamArn=stream, ShardId=shard, ShardIteratorType="LATEST")
        return str(answer["ShardIterator"])

    def run(self) -> None:
        """Until all has been taken or given up."""
        answer = self._streams.get_records(ShardIterator=self._iterator)
        self._iterator = answer["NextShardIterator"]
        wanted = [record for record in map(_as_event, answer["Records"]) if self._is_wanted(record)]
        size = self._mapping["BatchSize"]
        for start in range(0, len(wanted), size):
            self._deliver(wanted[start : start + size])

    def _deliver(self, batch: Sequence[Record]) -> None:
        for _ in range(1 + self._retries):
            error, answer = self._deployed.invoke("projector", {"Records": batch})
            assert error is None, f"the projector failed altogether, not on single records: {answer}"
            batch = self._from_first_failure(batch, answer)
            if not batch:
                return
        self.failed += batch

    def _from_first_failure(self, batch: Sequence[Record], answer: Any) -> Sequence[Record]:
        """What Lambda delivers again: all from the lowest sequence number that was named."""
        if PARTIAL not in self._mapping["FunctionResponseTypes"]:
            return ()
        named = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        numbers = [record["dynamodb"]["SequenceNumber"] for record in batch]
        assert named <= set(numbers), (
            "Lambda takes a batch as failed altogether if an unknown number is named"
        )
        first = next((position for position, number in enumerate(numbers) if number in named), len(batch))
        return batch[first:]

    def _is_wanted(self, record: Record) -> bool:
        patterns = (json.loads(each["Pattern"]) for each in self._mapping["FilterCriteria"]["Filters"])
        return any(matches(pattern, record) for pattern in patterns)


def matches(pattern: Mapping[str, Any], value: Any) -> bool:
    """Whether all fields of a filter pattern are as it says; of these rules: equals, prefix, suffix, exists."""
    known = value if isinstance(value, Mapping) else {}
    return all(
        matches(rule, known.get(name))
        if isinstance(rule, Mapping)
        else any(_meets(choice, name, known) for choice in rule)
        for name, rule in pattern.items()
    )


def _meets(choice: Any, name: str, known: Mapping[str, Any]) -> bool:
    if not isinstance(choice, Mapping):
        return name in known and bool(known[name] == choice)
    ((rule, wanted),) = choice.items()
    if rule == "exists":
        return (name in known) is wanted
    if rule == "suffix":
        return str(known.get(name, "")).endswith(wanted)
    if rule == "prefix":
        return str(known.get(name, "")).startswith(wanted)
    raise ValueError(f"this poller knows no filter by {rule}")


def _as_event(record: Record) -> Record:
    """As in Lambda's event: JSON, with bytes in base64 and times in seconds."""
    told: Record = json.loads(json.dumps(record, default=_plain))
    return told


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(f"{type(value).__name__} in a stream record")
