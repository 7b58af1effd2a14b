"""What is said gets the category a reader would give it, and plain talk gets none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text import category_rules, classification
from memory_layer.domain.text.classification import (
    SUMMARY_MAX_CHARS,
    detect_category,
    detect_dimension,
    detect_intent,
    first_sentence,
    type_for,
)

SAID = """
architecture | The API service publishes order events to SQS and the projector writes them to OpenSearch.
architecture | Our architecture is hexagonal: use cases depend on ports, adapters implement them.
architecture | The system is split into three services: ingest, index and query.
convention | Always use snake_case for Python functions
convention | we use snake_case for database columns
convention | All migrations must be numbered and reversible.
convention | Every handler should have its own folder.
convention | Never commit generated files.
decision | We chose DynamoDB over Postgres because latency matters more than joins.
decision | ADR-0007: one table per tenant was rejected.
decision | Redis was chosen over Memcached because we need sorted sets.
decision | [decision] the record store is the only authority
pattern | Use Redis for caching
pattern | Wrap every AWS call in a retry with jittered backoff so that throttling does not surface.
gotcha | Gotcha: BatchGetItem returns at most 100 items and 16 MB.
gotcha | SQLite silently ignores foreign keys unless PRAGMA foreign_keys is on.
gotcha | Full test suite required when modifying src/core/
gotcha | WARNING: deleting the stack also deletes the bucket.
workaround | Workaround for the moto race: use DynamoDB Local in concurrency tests.
workaround | Pin urllib3 below 2 until upstream ships the fix.
troubleshooting | Connection reset errors under load are fixed by raising the pool size to 50.
troubleshooting | If you see ECONNREFUSED on port 9200, restart the OpenSearch container.
troubleshooting | ModuleNotFoundError after upgrading: rebuild the layer, the cause is a stale zip.
command | Run `make bench-retrieval LOCOMO=../data` to print the retrieval table.
command | $ docker compose up -d opensearch
command | npm run build -- --watch starts the dev server
preference | This analyst prefers SQL over natural language queries
tool_preference | Martin prefers neovim over VS Code.
tool_preference | Use pnpm, never npm
dependency | This project uses pnpm + Turborepo
dependency | Requires Python 3.11 or newer.
environment | MAX_POOL_SIZE defaults to 10
environment | The API listens on port 8080 behind nginx, at localhost:8080 here.
coding_style | Line length is limited to 110 characters.
coding_style | We use four spaces for indentation, never tabs.
context | Maintaining legacy API during v2 migration
context | We are currently migrating the billing tables to Aurora.
todo | TODO: delete the compatibility shim
todo | - [ ] write the ADR on blending
general | We have two distinct selling seasons
general | Caroline went to the support group on Tuesday.
general | The latest contest was protested.
general | He watched a terror film and saw the mirror of society.
general | Thanks, Mel! Your kind words mean a lot.
general | Gotcha, Jon! Dance is my stress fix too.
general | The architecture in Barcelona was amazing.
"""

ASKED = """
troubleshooting | Why is the API returning 500 errors?
troubleshooting | the build fails with ModuleNotFoundError
troubleshooting | why does the projector crash on empty batches?
gotcha | any gotchas with DynamoDB streams?
gotcha | what should I watch out for when upgrading numpy
decision | why did we choose DynamoDB over Postgres?
decision | rationale for int8 vectors
convention | how do we name migrations?
convention | naming conventions
architecture | which service owns the orders table
command | how do I run the benchmarks?
workaround | is there a workaround for the moto race
pattern | best practices for retries
None | When did Caroline go to the support group?
None | Why did Melanie choose to use colors and patterns in her pottery project?
None | When did John go to a convention with colleagues?
None | Why does John say he feels stuck and questioning his decisions?
None | dynamodb batch limits
None | What is the latest news of the contest?
"""

DIMENSIONS = """
knowledge | We have two distinct selling seasons
knowledge | Test stores 9001-9099 are training environments
event | On March 15 the analyst ran a Q1 sales rollup filtering out test stores
event | Caroline: I went to a support group yesterday and it was so powerful.
entity | The customer_id column contains PII
entity | This table was migrated from Oracle in 2024
relationship | acme_legacy_sales is deprecated in favor of elasticsearch.sales
preference | This analyst prefers SQL over natural language queries
"""


def cases(table: str) -> list[tuple[str, str]]:
    return [(line.split(" | ")[0], line.split(" | ")[1]) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("category", "content"), cases(SAID))
def test_category_of_what_is_said(category: str, content: str) -> None:
    assert detect_category(content) == category


@pytest.mark.parametrize(("intent", "query"), cases(ASKED))
def test_intent_of_what_is_asked(intent: str, query: str) -> None:
    assert str(detect_intent(query)) == intent


@pytest.mark.parametrize(("dimension", "content"), cases(DIMENSIONS))
def test_dimension_of_the_design_examples(dimension: str, content: str) -> None:
    assert detect_dimension(content, detect_category(content)) == dimension


def test_types_follow_categories() -> None:
    derived = {
        "gotcha": "warning",
        "troubleshooting": "learning",
        "workaround": "learning",
        "todo": "context",
    }
    assert {category: type_for(category) for category in derived} == derived  # type: ignore[arg-type]
    assert type_for("convention") == "convention"
    assert type_for("context") == "context"
    assert type_for("decision") == "pattern"


@pytest.mark.parametrize(
    ("content", "summary"),
    [
        ("Use e.g. Redis, i.e. a cache. Then measure.", "Use e.g. Redis, i.e. a cache."),
        ("Upgrade to v1.2.3. It fixes it.", "Upgrade to v1.2.3."),
        ("See https://a.b/c.html?x=1. Then stop.", "See https://a.b/c.html?x=1."),
        ("Works on Node.js. Not on Deno.", "Works on Node.js."),
        ("Set it to 50. Restart.", "Set it to 50."),
        ("As in Fig. 3 and No. 7. So there.", "As in Fig. 3 and No. 7."),
        ("Dr. Smith wrote it. Ask him.", "Dr. Smith wrote it."),
        ("Use pnpm. npm breaks the lock.", "Use pnpm."),
        ("Is it (really?) so. Yes.", "Is it (really?) so."),
        ("# Title here\n\nBody text.", "Title here"),
        ("- first point\n- second point", "first point"),
        ("one line\nwraps here. Second.", "one line wraps here."),
        ("它很好。第二句。", "它很好。"),
        ("---", "---"),
    ],
)
def test_first_sentence(content: str, summary: str) -> None:
    assert first_sentence(content) == summary


def test_a_long_sentence_is_cut_between_words() -> None:
    summary = first_sentence("reindexing " * 60)
    assert summary.endswith("reindexing…")
    assert len(summary) <= SUMMARY_MAX_CHARS


@given(st.text(min_size=1, max_size=600))
def test_any_text_has_a_one_line_summary_and_a_category(content: str) -> None:
    summary = first_sentence(content)
    assert len(summary) <= SUMMARY_MAX_CHARS
    assert len(summary.splitlines()) <= 1
    assert bool(summary) == bool(content.strip())
    detect_dimension(content, detect_category(content))
    detect_intent(content)


def test_a_wording_that_opens_a_later_line_is_seen() -> None:
    assert detect_category("Notes from the review\n- Always use the linter before a push") == "convention"


HINTED = [
    *(
        "TODO later",
        "a FIXME here",
        "- [ ] tidy up",
        "  * [ ] tidy up",
        "MAX_RETRIES is 5",
        "A_B defaults to 1",
    ),
    *("MAX_ RETRIES is 5", "todo later", "[] tidy up", "snake_case is fine"),
]


@pytest.mark.parametrize("text", HINTED)
def test_hints_of_a_rule_pass_over_no_text_that_it_holds_for(text: str) -> None:
    for rule in category_rules.CATEGORY_RULES:
        bare = rule._replace(hints=())
        assert rule.holds(text, text.lower()) == bare.holds(text, text.lower()), rule.category


@pytest.mark.parametrize("text", [line.partition(" | ")[2] for line in SAID.strip().splitlines()])
def test_what_has_no_wording_of_a_dimension_has_none_of_each(text: str) -> None:
    rules = (category_rules.EVENT, category_rules.RELATIONSHIP, category_rules.ENTITY)
    is_any = classification._any_dimension().search(text.lower()) is not None
    assert is_any == any(rule.search(text.lower()) for rule in rules)
