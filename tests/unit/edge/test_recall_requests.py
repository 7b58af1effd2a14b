"""A recall's task: the kind of task is the caller's, or told from what the run is for."""

from __future__ import annotations

import pytest

from memory_layer.edge.shapes.recall_requests import RecallQuery, recall_request


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"objective": "Fix the failing login test"}, "test-fix"),
        ({"objective": "Refactor the parser"}, "refactor"),
        ({"objective": "Water the plants"}, "general"),
        ({"objective": "Refactor the parser", "task_type": "bug-fix"}, "bug-fix"),
        ({}, None),
    ],
)
def test_the_kind_of_task_is_told_from_the_objective_where_none_is_named(
    said: dict[str, str], told: str | None
) -> None:
    asked = recall_request(RecallQuery.model_validate({"query": "how is the parser tested?", **said}))
    assert asked.task.task_type == told
