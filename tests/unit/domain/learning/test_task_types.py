"""The kind of a task is told by whole words of its objective, and the first rule that holds decides."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.memory import TaskType

OBJECTIVES = """
test-fix | Fix failing authentication tests
feature | Implement user registration feature
refactor | Refactor auth module for clarity
performance | Optimize database queries
test-fix | Write specs for the invoice parser
test-fix | Testing the retry logic
test-fix | Cover what is not tested yet in billing
test-fix | Make jest pass on Windows
test-fix | Migrate from mocha to Vitest
test-fix | Repair the failing nightly job
test-fix | Implement the missing unit tests
test-fix | Repair test_login.py
test-fix | login.test.ts hangs on CI
test-fix | UserServiceTest is red
test-fix | testLogin is red since Monday
test-fix | Get pytest green again
feature | Implementing OAuth for the CLI
feature | Finish the implementation of webhooks
feature | Add feature flags to checkout
feature | Add a dark mode feature
feature | Ship the new features of release 3
feature | Build a bug tracker
feature | Building the importer
feature | Built-in search for the docs
refactor | Refactoring of the payment gateway
refactor | Refactored billing needs a second look
refactor | Reorganise the repository
refactor | Reorganizing packages by domain
refactor | Restructuring the settings page
refactor | Clean up dead code in the error handlers
refactor | Cleanup of old migrations
bug-fix | Fix login redirect
bug-fix | Fixes the memory leak in the pool
bug-fix | Fixing documentation links
bug-fix | Users see an error after checkout
bug-fix | Two bugs in the date picker
bug-fix | Bugfix: wrong totals
bug-fix | The worker crashes on empty input
bug-fix | Crashing on start
bug-fix | Resolve issue #42
documentation | Document the public API
documentation | Documented examples for every endpoint
documentation | Improve the documentation of errata
documentation | Update README
documentation | Write a migration guide
documentation | Docs for the plugin system
architecture | Propose an architecture for multi-tenancy
architecture | Architectural review of the queue
architecture | Design the event schema
architecture | Think through the structure of the monorepo
architecture | Designing the storage layer
performance | Optimise the image pipeline
performance | Optimization of cold starts
performance | Improve performance of search
performance | Speed up the importer
performance | The dashboard is slow
performance | Page loads slowly on mobile
performance | Investigate a slowdown of nightly jobs
general | Upgrade to the latest version
general | Prefix all table names
general | Make the message more specific
general | Register for the contest
general | Add user avatars
general | Write a query builder
general | Move the infrastructure to eu-west-1
general | Set up fixtures and mirrors
general | Support fixed width columns
general | Debug logging for the worker
general | Rename guidelines.md
general | Add an ErrorBoundary around the router
general | Attest the protest
general |
"""


@pytest.mark.parametrize("line", OBJECTIVES.strip().splitlines())
def test_objectives(line: str) -> None:
    task_type, _, objective = line.partition("|")
    assert detect_task_type(objective.strip()) == task_type.strip()


@pytest.mark.parametrize(
    ("objective", "task_type"),
    [
        ("test implement refactor fix document design optimize", "test-fix"),
        ("implement refactor fix document design optimize", "feature"),
        ("refactor fix document design optimize", "refactor"),
        ("fix document design optimize", "bug-fix"),
        ("document design optimize", "documentation"),
        ("optimize design", "architecture"),
    ],
)
def test_the_first_rule_decides_in_the_order_of_the_design(objective: str, task_type: TaskType) -> None:
    assert detect_task_type(objective) == task_type


def test_a_phrase_does_not_reach_over_the_end_of_a_clause() -> None:
    assert detect_task_type("Add a logo, features come later") == "general"


@given(st.text(max_size=300))
def test_every_text_has_a_type(objective: str) -> None:
    assert detect_task_type(objective) in get_args(TaskType)


@given(
    st.sampled_from(["latest", "prefix", "specific", "fixture", "builder", "guidelines", "infrastructure"])
)
def test_fragments_tell_nothing_wherever_they_stand(word: str) -> None:
    for objective in (word, word.upper(), word.title(), f"({word})", f"x-{word}/y", f"my_{word}"):
        assert detect_task_type(objective) == "general"
