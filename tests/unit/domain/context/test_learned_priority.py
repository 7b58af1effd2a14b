"""Learned priority: bounded, off until a replay shows that it is better, and without a voice as if never heard."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_layer.domain.context.assembly_policy import (
    AssemblyPolicy,
    assembly_policy_of,
    assembly_policy_text,
)
from memory_layer.domain.context.feedback_tuning import Feedback, learn_from_page, tune_by_feedback
from memory_layer.domain.context.learned_priority import (
    CORRECTION_MAX,
    FEATURES,
    PAGES_MAX,
    PAGES_MIN,
    VOICE_MAX,
    WEIGHT_MAX,
    JudgedPage,
    LearnedPriority,
    Signals,
    correction,
    judged_page,
    with_page,
    without_voices,
)
from memory_layer.domain.context.tuning_replay import retuned

AT = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)


def drawn(rng: random.Random, **features: int) -> Signals:
    """Signals with a narrow band of standings, as offers about as relevant as each other have."""
    values = {name: rng.randrange(1_001) for name in FEATURES} | features
    return (rng.randrange(600, 701), *(values[name] for name in FEATURES))


def page(rng: random.Random, by: str = "ann", *, used: int = 500, other: int = 500) -> JudgedPage:
    """Page on which the useful ones have an outcome of `used`, the others one of `other`."""
    useful = tuple(drawn(rng, outcome=used) for _ in range(2))
    return JudgedPage(by, AT, useful, tuple(drawn(rng, outcome=other) for _ in range(8)))


def learned(*pages: JudgedPage) -> LearnedPriority:
    """Learned of these pages; the first of them are put in at once, since each one more fits all anew."""
    at_once = min(len(pages), PAGES_MAX) - 1
    priority = LearnedPriority(pages=pages[:at_once])
    for one in pages[at_once:]:
        priority = with_page(priority, one)
    return priority


def told(seed: int, count: int, **fields: int) -> list[JudgedPage]:
    rng = random.Random(seed)
    return [page(rng, **fields) for _ in range(count)]  # type: ignore[arg-type]


def test_it_is_off_below_the_least_number_of_pages_and_on_when_the_replay_is_won() -> None:
    pages = told(1, PAGES_MIN, used=900, other=300)
    early, ripe = learned(*pages[:-1]), learned(*pages)
    assert (early.weights_in_force, early.replay.pages) == ((), 0)
    assert ripe.replay.learned > ripe.replay.fixed
    assert ripe.weights_in_force[FEATURES.index("outcome")] > 0.05


def test_verdicts_by_chance_seldom_turn_it_on() -> None:
    """Safeguard: the replay on pages held out. Without it 60 of 60 would be on."""
    on = sum(learned(*told(seed, 40)).replay.is_won for seed in range(60))
    assert on <= 3


def test_no_feedback_reaches_beyond_the_bounds() -> None:
    priority = learned(*told(2, PAGES_MAX + 3, used=1_000, other=0))
    assert len(priority.pages) == PAGES_MAX
    assert max(map(abs, priority.weights)) <= WEIGHT_MAX
    for value in (0.0, 1.0):
        assert abs(correction([value] * len(FEATURES), (WEIGHT_MAX,) * len(FEATURES))) <= CORRECTION_MAX


@pytest.mark.parametrize("name", ["credibility", "reviewed"])
def test_feedback_never_turns_against_what_people_vouch_for(name: str) -> None:
    rng = random.Random(3)
    pages = [
        JudgedPage("bot", AT, (drawn(rng, **{name: 0}),), (drawn(rng, **{name: 1_000}),)) for _ in range(60)
    ]
    assert learned(*pages).weights[FEATURES.index(name)] >= 0.0


def test_a_voice_that_speaks_most_pushes_its_own_pages_out() -> None:
    rng = random.Random(4)
    others = [page(rng, "ann") for _ in range(5)]
    priority = learned(*others, *(page(rng, "bot") for _ in range(70)))
    assert [one for one in priority.pages if one.by == "ann"] == others


def test_the_clients_of_one_token_push_out_no_pages_of_others() -> None:
    """Safeguard: `agent_voice`. Each client says its own name, and would have few pages of its own."""
    rng = random.Random(4)
    others = [page(rng, "ann") for _ in range(5)]
    flood = [page(rng, f"agent:client-{number}:ada@acme.test") for number in range(70)]
    assert [one for one in learned(*others, *flood).pages if one.by == "ann"] == others


def test_the_pages_of_one_agent_move_no_weight_far_and_those_of_others_go_on() -> None:
    """Safeguard: `VOICE_MAX`. Without it sixty pages of one agent move a weight to its bound."""
    people = told(9, 60, used=1_000, other=0)
    bots = [
        [replace(one, by=f"agent:c{at}:{bot}", is_agent=True) for at, one in enumerate(people)]
        for bot in ("bot", "second")
    ]
    most = [max(map(abs, learned(*pages).weights)) for pages in (people, bots[0])]
    assert most[0] > 2 * VOICE_MAX
    assert most[1] == VOICE_MAX
    assert max(map(abs, learned(*bots[0][:30], *bots[1][:30]).weights)) > 1.5 * VOICE_MAX


def test_one_voice_does_not_turn_it_on_where_another_loses() -> None:
    """Safeguard: the bound on what any voice may lose."""
    rng = random.Random(5)
    pages = []
    for _ in range(20):
        pages += [page(rng, "bot", used=1_000, other=0) for _ in range(2)]
        pages += [page(rng, "ann", used=300, other=700)]
    alone = learned(*(one for one in pages if one.by == "bot"))
    assert (alone.replay.is_won, learned(*pages).replay.is_won) == (True, False)


def test_without_a_voice_it_is_as_if_never_heard_and_an_undo_brings_it_back() -> None:
    rng = random.Random(6)
    mine, other = [page(rng, "ann") for _ in range(20)], [page(rng, "mal", used=900) for _ in range(20)]
    mixed = learned(*(one for pair in zip(mine, other, strict=True) for one in pair))
    left = without_voices(mixed, lambda by, _: by == "mal")
    assert (left.weights, left.replay) == (learned(*mine).weights, learned(*mine).replay)
    assert with_page(left, mine[0]).weights == learned(*mine, mine[0]).weights, "the next page keeps it out"
    assert without_voices(left, lambda *_: False) == mixed


def test_a_page_of_which_all_or_nothing_was_used_tells_nothing() -> None:
    signals = [drawn(random.Random(7)) for _ in range(3)]
    assert judged_page(signals, [], by="ann", at=AT) is None
    assert judged_page(signals, [1, 2, 3], by="ann", at=AT) is None
    kept = judged_page(signals, [2], by="ann", at=AT)
    assert kept is not None
    assert (kept.useful, kept.unused) == ((signals[1],), (signals[0], signals[2]))


def test_it_is_kept_with_the_policy_and_the_history_tells_when_it_goes_on() -> None:
    policy = AssemblyPolicy()
    for one in told(1, PAGES_MIN, used=900, other=300):
        policy = learn_from_page(policy, one)
    assert assembly_policy_of(assembly_policy_text(policy)) == policy
    assert (policy.version, len(policy.history)) == (PAGES_MIN, 1)
    assert policy.history[0].why[0].startswith("learned priority on: on 12 pages held out")


def test_a_rollback_takes_pages_and_rates_back_together() -> None:
    policy = tune_by_feedback(AssemblyPolicy(), Feedback(completeness=0.1), at=AT, by="mal", request_id="r1")
    policy = learn_from_page(policy, page(random.Random(8), "mal"))
    after = retuned(policy, lambda *_: False, lambda by, _: by == "mal", at=AT, by="root", why="rolled back")
    assert (after.entity_share, after.learned.weights) == (0.3, ())
    assert [one.is_counted for one in after.learned.pages] == [False]
