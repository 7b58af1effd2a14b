"""Answers are made of dataclasses: a field is declared once, and every face shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from io import StringIO
from typing import Annotated

import httpx2
import pytest
from rich.console import Console

from memory_layer.cli.printing.memory_text import recalled_with_signals
from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import RankedMemory, Signals
from memory_layer.edge.app import api_document
from memory_layer.edge.shapes.answer_fields import (
    ROUNDED,
    SPREAD,
    answer_from,
    document,
    field_words,
    members,
    summary,
)
from memory_layer.edge.shapes.derived_models import answer_model
from memory_layer.edge.shapes.recall_answers import recalled_json
from memory_layer.usecases.recall.recall import RecallResult
from tests.answer_schemas import check_answer
from tests.given import SCOPE, a_memory

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SIGNALS = Signals(**{one.name: 0.1234567 for one in fields(Signals)})
RECALLED = RecallResult(
    recall_id="rcl_1",
    strategy="auto",
    ranking="blended",
    degraded=False,
    note=None,
    abstained=False,
    evidence=0.75,
    evidence_gaps=("Grafana",),
    memories=(RankedMemory(a_memory(SCOPE), 0.5, SIGNALS),),
)


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a finding."""

    place: str
    share: Annotated[float, ROUNDED]


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding of a test.

    Args:
        at: the moment that it was
            made at.
        parts, by_name: what it is made of.

    Source: none.
    """

    at: datetime
    parts: tuple[Part, ...]
    by_name: Mapping[str, Part]
    is_dry_run: bool
    reason: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """Finding, judged. Args: verdict: of a person."""

    finding: Annotated[Finding, SPREAD]
    verdict: str


FINDING = Finding(NOON, (Part("/a", 1 / 3),), {"b": Part("/b", 1.0)}, is_dry_run=True, reason=None)


def test_a_document_has_the_fields_of_its_dataclass() -> None:
    assert document(FINDING) == {
        "at": "2026-03-01T12:00:00.000000Z",
        "parts": [{"place": "/a", "share": 0.333333}],
        "by_name": {"b": {"place": "/b", "share": 1.0}},
        "dry_run": True,
        "reason": None,
    }


def test_a_spread_field_gives_its_own_members() -> None:
    written = document(Judged(FINDING, "right"))
    assert written == {**document(FINDING), "verdict": "right"}
    assert set(answer_model(Judged).model_json_schema()["properties"]) == {*written, "note"}


def test_the_schema_of_an_answer_takes_its_document() -> None:
    schema = answer_model(Finding).model_json_schema()
    assert set(schema["required"]) == set(document(FINDING))
    assert set(schema["properties"]) == {*document(FINDING), "note"}
    answer_model(Finding).model_validate(document(FINDING), strict=False)


def test_words_about_fields_come_from_the_docstring() -> None:
    words = {"at": "The moment that it was made at.", "parts": "What it is made of."}
    assert field_words(Finding) == {**words, "by_name": words["parts"]}
    assert summary(Finding) == "Finding of a test."
    assert field_words(Judged) == {"verdict": "Of a person."}
    properties = answer_model(Judged).model_json_schema()["properties"]
    assert properties["at"]["description"] == words["at"]
    assert properties["verdict"]["description"] == "Of a person."


def test_an_answer_takes_the_fields_of_its_source() -> None:
    @dataclass(frozen=True)
    class Wider:
        place: str
        share: float
        secret: str

    assert answer_from(Part, Wider("/a", 0.5, "hidden"), share=1.0) == Part("/a", 1.0)


def test_a_record_is_written_as_everywhere() -> None:
    assert [member.name for member in members(Memory)] == list(memory_to_json(a_memory(SCOPE)))


def test_every_signal_is_answered_described_and_printed() -> None:
    """A signal is declared in domain/ranking.py alone; falls where a face has a list of its own."""
    names = [one.name for one in fields(Signals)]
    answered = recalled_json(RECALLED)
    assert list(answered["memories"][0]["signals"]) == names
    assert list(api_document()["components"]["schemas"]["Signals"]["properties"]) == names
    console = Console(width=200, record=True, file=StringIO())
    console.print(recalled_with_signals(answered))
    printed = console.export_text()
    assert [name for name in names if f"{name} 0.12" not in printed] == []


def _recall_answer(**more: object) -> httpx2.Response:
    answered = recalled_json(RECALLED)
    answered["memories"][0]["signals"] |= more
    request = httpx2.Request("POST", "http://test/v1/projects/web/recall")
    return httpx2.Response(200, json=answered, request=request)


def test_an_undeclared_member_is_no_answer() -> None:
    check_answer(_recall_answer())
    with pytest.raises(AssertionError, match="unheard_of"):
        check_answer(_recall_answer(unheard_of=0.5))


def test_a_status_that_no_route_declares_is_no_answer() -> None:
    request = httpx2.Request("GET", "http://test/healthz")
    with pytest.raises(AssertionError):
        check_answer(httpx2.Response(202, json={"status": "ok"}, request=request))
