"""Reports of runs: three envelopes, two spellings, one schema; what breaks it is told by a pointer."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memory_layer.domain.learning.run_extraction import extract
from memory_layer.edge.shapes.run_reports import read_run_report, run_report_of
from memory_layer.edge.shapes.run_schema import schema_text, served_schema
from memory_layer.errors import Invalid, Malformed, Violation
from memory_layer.manifest.run_events import RUN_ID
from tests.fuzzing import examples
from tests.run_examples import event_of, loop

SCHEMA = json.loads(served_schema())
VALIDATOR = Draft202012Validator(SCHEMA)


def test_the_kept_schema_is_that_of_the_run() -> None:
    """`make openapi` writes it."""
    assert served_schema() == schema_text()


def test_three_envelopes_tell_the_same_run() -> None:
    plain = loop("r1")
    event = event_of(plain, "web")
    cloud = {
        "specversion": "1.0",
        "id": "1",
        "type": "com.example.run.completed",
        "source": "ci",
        "data": {**plain, "project": "web"},
    }
    reports = [run_report_of(document) for document in (plain, event, cloud, {**event, "detail": cloud})]
    assert [report.run for report in reports] == [reports[0].run] * 4
    assert [(report.project, report.source) for report in reports] == [
        (None, None),
        ("web", "orchestrator"),
        ("web", "ci"),
        ("web", "orchestrator"),
    ]
    assert all(VALIDATOR.is_valid(document) for document in (plain, event, cloud))


def test_snake_case_says_the_same() -> None:
    snake = {
        "run_id": "r1",
        "objective": "x",
        "status": "crashed",
        "current_iteration": 2,
        "memories_used": ["m"],
        "iterations": [
            {"number": 1, "status": "failed", "files_modified": ["a"], "analysis": {"progress_made": False}}
        ],
    }
    camel = {
        "loopId": "r1",
        "objective": "x",
        "status": "crashed",
        "currentIteration": 2,
        "memoriesUsed": ["m"],
        "iterations": [
            {"number": 1, "status": "failed", "filesModified": ["a"], "analysis": {"progressMade": False}}
        ],
    }
    assert run_report_of(snake) == run_report_of(camel)
    assert VALIDATOR.is_valid(snake)
    assert VALIDATOR.is_valid(camel)


MISTAKES: dict[str, tuple[list[Any], Any]] = {
    "/status": (["status"], "exploded"),
    "/iterations/0/status": (["iterations", 0, "status"], "skipped"),
    "/iterations/0/duration": (["iterations", 0, "duration"], -1),
    "/iterations/0/number": (["iterations", 0, "number"], "one"),
    "/iterations/0/analysis/progressMade": (["iterations", 0, "analysis", "progressMade"], "yes"),
    "/iterations/0/filesModified/0": (["iterations", 0, "filesModified", 0], 7),
    "/iterations": (["iterations"], None),
    "/verdict": (["verdict"], "great"),
    "/currentIteration": (["currentIteration"], -1),
    "/objective": (["objective"], 3),
    "/surprise": (["surprise"], 1),
}


@pytest.mark.parametrize("envelope", ["", "/detail"])
@pytest.mark.parametrize("pointer", MISTAKES)
def test_what_is_wrong_is_pointed_at_as_it_was_spelt(pointer: str, envelope: str) -> None:
    path, value = MISTAKES[pointer]
    broken = copy.deepcopy(loop("r1"))
    place: Any = broken
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    sent = event_of(broken, "web") if envelope else broken
    with pytest.raises(Invalid) as refused:
        run_report_of(sent)
    assert envelope + pointer in [violation.pointer for violation in refused.value.violations]
    assert not VALIDATOR.is_valid(sent)


@pytest.mark.parametrize("field", ["loopId", "objective", "status", "iterations"])
def test_what_is_missing_is_named(field: str) -> None:
    told = {name: value for name, value in loop("r1").items() if name != field}
    with pytest.raises(Invalid) as refused:
        run_report_of(told)
    assert {"loopId": "/run_id"}.get(field, f"/{field}") in [
        item.pointer for item in refused.value.violations
    ]


@pytest.mark.parametrize(
    "body",
    ['{"run_id": "r1"', "", "[1,", '{"run_id": NaN}', '{"duration": Infinity}', "[" * 100_000, b"\xff"],
)
def test_what_is_no_json_is_malformed(body: str | bytes) -> None:
    with pytest.raises(Malformed):
        read_run_report(body)


@pytest.mark.parametrize(
    "body", ["1", "null", "[]", '"run"', "{}", '{"detail-type": "run.completed", "source": "x"}']
)
def test_other_json_is_refused(body: str) -> None:
    with pytest.raises(Invalid):
        read_run_report(body)


@pytest.mark.parametrize(
    "run_id", ["a/b", ".", "..", " a", "a ", "a?b", "a#b", "a%2Fb", "a\\b", "a\nb", "\x01", ""]
)
def test_an_id_that_no_url_could_carry_is_refused(run_id: str) -> None:
    with pytest.raises(Invalid) as refused:
        run_report_of(loop(run_id))
    assert [violation.pointer for violation in refused.value.violations] == ["/loopId"]
    assert not VALIDATOR.is_valid(loop(run_id))


def test_pointers_are_escaped() -> None:
    with pytest.raises(Invalid) as refused:
        run_report_of({**loop("r1"), "a~b/c": 1, "\ud800": 2})
    assert [violation.pointer for violation in refused.value.violations] == ["/a~0b~1c", "/ "]


def test_what_no_run_has_is_told_in_terms_of_json() -> None:
    """A hundred faults are told, as of any request."""
    found = _violations({f"colour{number}": "red" for number in range(200)})
    assert found is not None
    assert len(found) == 100
    assert found[-1].detail == "there is no such field"


def test_an_event_of_another_kind_is_refused() -> None:
    with pytest.raises(Invalid, match=r"run\.completed"):
        run_report_of({**event_of(loop("r1"), "web"), "detail-type": "deploy.completed"})


def test_a_million_iterations_are_refused() -> None:
    iterations = [{"number": 1, "status": "failed"}] * 1_000_000
    with pytest.raises(Invalid) as refused:
        run_report_of(loop("r1", iterations=iterations))
    assert [violation.pointer for violation in refused.value.violations] == ["/iterations"]


def test_terminal_colours_and_half_characters_are_blanks() -> None:
    errors = ["\x1b[31mSyntaxError\x1b[0m", "\ud800 NUL \x00"]
    run = run_report_of(
        loop("r1", iterations=[{"number": 1, "status": "failed", "analysis": {"errors": errors}}])
    ).run
    assert run.iterations[0].analysis.errors == (" [31mSyntaxError [0m", "  NUL  ")


WORDS = st.text(max_size=40) | st.sampled_from(
    ["Write tests first", "SyntaxError: x", "src/a.test.ts", "timeout"]
)
LINES = st.lists(WORDS, max_size=4)
ITERATIONS = st.fixed_dictionaries(
    {"number": st.integers(0, 99), "status": st.sampled_from(["completed", "failed", "crashed"])},
    optional={
        "duration": st.floats(0, 6e8) | st.integers(0, 6 * 10**8),
        "analysis": st.fixed_dictionaries({}, optional={"progressMade": st.booleans(), "errors": LINES}),
        "learnings": LINES,
        "filesModified": LINES,
    },
)
RUNS = st.fixed_dictionaries(
    {
        "loopId": st.from_regex(r"[\w.:@ -]{1,9}", fullmatch=True).filter(re.compile(RUN_ID).fullmatch),
        "objective": WORDS,
        "status": st.sampled_from(["completed", "failed", "crashed"]),
        "iterations": st.lists(ITERATIONS, max_size=6),
    },
    optional={
        "currentIteration": st.none() | st.integers(0, 99),
        "memoriesUsed": st.lists(st.text(min_size=1, max_size=9), max_size=3),
        "verdict": st.none() | st.sampled_from(["worked", "failed", "partial"]),
    },
)


@settings(max_examples=examples(300))
@given(RUNS)
def test_what_passes_the_schema_is_learned_from(document: Any) -> None:
    """Whatever the texts hold; half of these runs could come from nobody."""
    assert VALIDATOR.is_valid(document)
    for learning in extract(run_report_of(document).run):
        assert 0.0 <= learning.confidence <= 1.0
        assert 0.0 <= learning.success_rate <= 1.0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=examples(300))
@given(
    st.sampled_from(
        [
            *((name,) for name in loop("r1")),
            *(
                ("iterations", 0, name)
                for name in ("number", "status", "duration", "analysis", "learnings", "filesModified")
            ),
        ]
    ),
    JSON,
)
def test_schema_and_reader_agree(path: tuple[Any, ...], value: Any) -> None:
    """One field is replaced by anything: both take it, or both refuse it, the reader with a pointer."""
    document: Any = copy.deepcopy(loop("r1"))
    place = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    violations = _violations(document)
    assert VALIDATOR.is_valid(document) == (violations is None)
    assert violations is None or violations


def _violations(document: Any) -> tuple[Violation, ...] | None:
    try:
        run_report_of(document)
    except Invalid as refused:
        return refused.violations
    return None
