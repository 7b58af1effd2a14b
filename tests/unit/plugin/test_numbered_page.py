"""Pages of a session: each memory once, under a number of its own, within budgets."""

from __future__ import annotations

from pathlib import Path

from memory_layer.domain.context.fragments import chars4
from memory_layer.domain.memory import Memory
from memory_layer.plugin.hooks.numbered_page import HOW_TO_CITE, SESSION_TOKENS, numbered_page
from memory_layer.plugin.hooks.session_state import ASKED_MAX, SHOWN_MAX, HookSession, HookSessions
from tests.given import SCOPE, a_memory


def memory(number: int, words: str = "Prices are integers") -> Memory:
    return a_memory(SCOPE, f"mem_{number}", content=f"{words} {number}")


def test_numbers_go_on_through_a_session_and_nothing_is_shown_twice() -> None:
    state = HookSession()
    first = numbered_page(state, "Known:", [memory(1), memory(2)], 600)
    second = numbered_page(state, "Known:", [memory(2), memory(3)], 600)
    assert "M1" in first
    assert HOW_TO_CITE in first
    assert "M3" in second
    assert "integers 2" not in second
    assert HOW_TO_CITE not in second
    assert numbered_page(state, "Known:", [memory(1)], 600) == ""
    assert state.shown == [(SCOPE.project, f"mem_{number}") for number in (1, 2, 3)]


def test_after_a_compaction_it_is_shown_again_under_a_new_number() -> None:
    state = HookSession()
    numbered_page(state, "Known:", [memory(1)], 600)
    state.begin_context(1_000.0)
    assert "M2" in numbered_page(state, "Known:", [memory(1)], 600)
    state.begin_context(1_002.0)  # a second hook of the same event
    assert numbered_page(state, "Known:", [memory(1)], 600) == ""


def test_a_page_keeps_its_budget_and_a_session_its_own() -> None:
    state = HookSession()
    page = numbered_page(state, "Known:", [memory(one, "word " * 60) for one in range(9)], 300)
    assert 0 < chars4([page])[0] <= 300
    long = numbered_page(HookSession(), "Known:", [memory(1, "word " * 4_000)], 200)
    assert chars4([long])[0] <= 200
    assert "…" in long
    spent = HookSession(tokens={"prompt": SESSION_TOKENS})
    assert numbered_page(spent, "Known:", [memory(1)], 600) == ""
    assert spent.shown == []


def test_the_state_is_bounded_and_survives_damage(tmp_path: Path) -> None:
    sessions = HookSessions(tmp_path)
    with sessions.changing("s") as state:
        assert [state.has_asked(str(number)) for number in range(ASKED_MAX + 9)] == [False] * (ASKED_MAX + 9)
        assert state.has_asked(str(ASKED_MAX + 8))
        state.shown = [("p", "x")] * SHOWN_MAX
        assert numbered_page(state, "Known:", [memory(1)], 600) == ""
    assert len(sessions.read("s").asked) == ASKED_MAX
    for file in (tmp_path / "hook-sessions").glob("*.json"):
        file.write_text('{"shown": 7}', "utf-8")
    assert sessions.read("s") == HookSession()
    sessions.prune()
