"""A batch of the stream: what failed is delivered again, and how far the index lags is measured."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from functions.projector import handler as projector
from memory_layer.adapters.aws.projection.projector import ProjectionResult
from memory_layer.edge.events.observability import Observability
from memory_layer.edge.events.record_stream import project
from memory_layer.manifest import metrics
from memory_layer.manifest.metrics import INDEX_LAG
from tests.functions.http_api import Context, cold


def record(number: int, created_s: float) -> dict[str, Any]:
    """As a DynamoDB stream delivers it."""
    return {
        "eventID": f"{number:032x}",
        "eventName": "MODIFY",
        "eventSource": "aws:dynamodb",
        "eventVersion": "1.1",
        "awsRegion": "eu-west-1",
        "dynamodb": {
            "ApproximateCreationDateTime": created_s,
            "Keys": {"pk": {"S": "acme#web#m#mem_1"}, "sk": {"S": "record"}},
            "SequenceNumber": str(number),
            "SizeBytes": 100,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }


class Bringing:
    """Notes what it is given, and fails on some of it."""

    def __init__(self, *failing: str, set_aside: int = 0) -> None:
        self.given: list[Any] = []
        self._outcome = ProjectionResult(list(failing), set_aside)
        self.published: Counter[str] = Counter({"memory.created": 3, "memory.doubted": 2})

    def project(self, records: Any) -> ProjectionResult:
        self.given.append(records)
        return self._outcome


def test_what_failed_is_named_by_sequence_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bringing = Bringing("2")
    monkeypatch.setattr(projector, "cloud", lambda: bringing)
    records = [record(number, 1_772_366_400.0) for number in (1, 2, 3)]
    answer = cold(projector.handler)({"Records": records}, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "2"}]}
    assert bringing.given == [records]
    assert not bringing.published, "what was told is told once"
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    (told,) = [line["changes"] for line in lines if line.get("message") == "published"]
    assert told == {"created": 3, "doubted": 2}


def test_the_lag_is_that_of_the_oldest_write(capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(1, 1_772_366_395.5), record(2, 1_772_366_399.0)]
    watch = Observability("projector")
    assert project(records, Bringing("2").project, watch, clock=lambda: 1_772_366_400.0) == {
        "batchItemFailures": [{"itemIdentifier": "2"}]
    }
    (measured,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert measured[INDEX_LAG] == [4.5]
    assert measured[metrics.INDEX_DOCUMENTS] == [1.0]
    assert measured[metrics.INDEX_FAILED] == [1.0]
    assert measured[metrics.INDEX_SET_ASIDE] == [0.0]
    assert measured["service"] == "projector"


def test_what_is_set_aside_is_counted_and_not_delivered_again(capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(number, 1_772_366_400.0) for number in (1, 2, 3)]
    bringing = Bringing(set_aside=2)
    assert project(records, bringing.project, Observability("projector")) == {"batchItemFailures": []}
    (measured,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert measured[metrics.INDEX_SET_ASIDE] == [2.0]
    assert measured[metrics.INDEX_DOCUMENTS] == [1.0]
