"""Lines of agents' reports: what teaches something, and what only tells how far they are."""

from __future__ import annotations

import pytest
from hypothesis import given

from memory_layer.domain.learning.status_lines import teaches_nothing
from tests.unit.domain.learning.learning_examples import MANY_CHARACTERS


@pytest.mark.parametrize(
    "line",
    [
        "",
        " \n",
        "- done",
        "Done.",
        "LGTM!",
        "Commit: 4f1c9a2 Add retries to the mailer",
        "4f1c9a2 fix: retry the mailer",
        "Branch: retry-mailer",
        "PR #12 merged",
        "What was done",
        "Guardrails reviewed: yes",
        "make smoke (billing) -> FAIL",
        "N/A",
        "None.",
        "pytest",
        "`src/api/client.ts`:",
        "All tests pass",
        "✅ 34/34 tests passing",
        "**Tests:** 1,240 passing, 12 skipped",
        "No changes needed.",
        "No errors found in this iteration",
        "Build: PASSED",
        "`npm run build` -> PASS",
        "CI status: green",
        "Validation passing: `make lint`, `make types` (0 errors, 3 pre-existing warnings)",
        "US-014 complete",
        "Checkout page done",
        "Committed and pushed all changes",
        "Iteration 3 completed successfully",
        "about 4 iterations",
        "Took 3 iterations of ~45s each",
        "Completed in 12 minutes",
        "src/cart.ts, src/cart.test.ts",
        "Files changed: cmd/root.go (new), go.mod",
        "docs/adr/0007-queues.md",
        "Nothing new learned",
        "Fertig",
        "Alle Tests laufen durch",
        "Keine Änderungen nötig",
    ],
)
def test_a_status_teaches_nothing(line: str) -> None:
    assert teaches_nothing(line)


@pytest.mark.parametrize(
    "line",
    [
        "Use pnpm",
        "`make smoke` -> fails without a broker",
        "Retries: none by default, two in CI",
        "Branch: from `main`, never from a release",
        "PR #12 merged the broken retry, so look there first",
        "`make smoke` fails on arm",
        "pnpm, not npm",
        "vitest, not jest",
        "Lint before commit",
        "Run the migrations before the tests",
        "Tests need Redis",
        "Port 5433 is taken",
        "never push to main",
        "The build fails without NODE_ENV",
        "Tests fail when they run in parallel",
        "The cart tests pass only with TZ=UTC",
        "`items.find(id)` returns undefined, `items.get(id)` throws",
        "Docker build works only with BuildKit",
        "src/cart.ts must not import src/checkout.ts",
        "Die Tests brauchen Redis",
        "測試需要先啟動資料庫",
    ],
)
def test_knowledge_is_no_status_however_short(line: str) -> None:
    """Falls where a tool's name, an order (before, only, not) or a condition counts as a word of reports."""
    assert not teaches_nothing(line)


@given(MANY_CHARACTERS)
def test_every_text_is_judged(line: str) -> None:
    assert teaches_nothing(line) in (True, False)
