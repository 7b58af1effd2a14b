"""A simulated year of 5,000 memories, one step a day, through the product's own use cases and sweeps.

    python -m tests.bench.lifecycle [--memories 5000] [--days 365] [--json FILE] [--svg FILE]

Every day some memories are read, some judged, things that they speak of change, a reviewer looks at a few that went
stale; then the sweeps run. Printed: how many memories stand in each status, and lie in each tier, at the end of each
month, and which changes brought them there. Every change in every history is held against the rule that it claims to
follow, and all words against what was once written.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, get_args

from rich.console import Console
from rich.table import Table

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import ENDED_STATUSES, Memory, MemoryType, Status, Tier
from memory_layer.domain.outcome import (
    ARCHIVE_BELOW_SCORE,
    DEACTIVATE_BELOW_CONFIDENCE,
    DRIFT_AFTER_DAYS,
    drift,
)
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, GB, with_overrides
from memory_layer.domain.time.sweep_state import SweepName
from memory_layer.errors import TooMany
from memory_layer.ports.records import RecordVersion
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.entity_memories import EVERYONE
from memory_layer.usecases.ground.read_memory import read_memory
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.bench.lifecycle_chart import STATUS_COLOURS, TIER_COLOURS, chart
from tests.given import NoEmbedder

PROJECT: Final = "simulation"
ADMIN = Principal(tenant="bench", subject="reviewer", roles=frozenset({"admin"}))
AGENTS = [Principal(tenant="bench", subject=f"agent-{number}") for number in range(20)]
SWEEPS: tuple[SweepName, ...] = ("expiry", "decay", "staleness", "tiering")
THINGS = 400
READS_A_DAY, VERDICTS_A_DAY, EVENTS_A_DAY, REVIEWS_A_DAY, LOOKED_UP_A_DAY = 20, 40, 2, 3, 5
LONG_EVERY: Final = 4
"""Every fourth note has words enough to leave its row."""

ACCESS_THRESHOLD: Final = 10
"""A memory that is recalled as often stays hot, or is hot again."""

NEAR_SHARE: Final = 0.6
"""Of all texts, how much may stay near; the rest goes cold."""
FAILING_SHARE = 0.15
"""Of the memories: those that fail four times in five."""

LONG: Final = " What is known of it is told here at length, as it was told before." * 20

DAY = timedelta(days=1)


@dataclass
class Clock:
    moment: datetime = datetime(2027, 1, 1, 3, tzinfo=UTC)  # the year after has a 29th of February

    def now(self) -> datetime:
        return self.moment


@dataclass
class World:
    """The project, and what is true of it."""

    backend: EmbeddedBackend
    clock: Clock
    randomness: random.Random
    ids: list[str] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    did: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)
    limit_bytes: int = 0
    near_bytes: dict[datetime, int] = field(default_factory=dict)

    def fill(self, count: int) -> None:
        types = get_args(MemoryType)
        for start in range(0, count, 500):
            asked = [self._memory(number, types) for number in range(start, min(start + 500, count))]
            results = remember_many(self.backend.ports, ADMIN, PROJECT, asked)
            stored = [result.memory for result in results if isinstance(result, StoredMemory)]
            self.ids += [memory.id for memory in stored]
            self.words |= {memory.id: memory.content for memory in stored}
        self._make_room()
        self.failing = set(self.randomness.sample(self.ids, int(FAILING_SHARE * len(self.ids))))

    def _memory(self, number: int, types: Sequence[str]) -> RememberRequest:
        thing = f"urn:thing:{self.randomness.randrange(THINGS)}"
        fields = {
            "content": f"Note {number} on {thing}.{LONG if number % LONG_EVERY == 0 else ''}",
            "type": types[number % len(types)],
            "entities": (thing,),
        }
        return RememberRequest(
            fields={**fields, "category": "general", "confidence": 0.7}, on_duplicate="create"
        )

    def _make_room(self) -> None:
        self.limit_bytes = int(NEAR_SHARE * self._near())
        changes = {
            "compress": {"access_threshold": ACCESS_THRESHOLD},
            "evict": {"max_total_size_gb": self.limit_bytes / GB},
            "pin": {"max_size_mb": 0},
        }
        general = with_overrides(DEFAULT_TIER_POLICY["general"], changes)
        policy = {**DEFAULT_TIER_POLICY, "general": general}
        set_policy(self.backend.ports, ADMIN, PROJECT, lambda before: replace(before, tier_policy=policy))

    def _near(self) -> int:
        stats = self.backend.ports.index.stats(ADMIN.scope(PROJECT), EVERYONE, now=self.clock.moment)
        return stats.tiers["hot"][1] + stats.tiers["warm"][1]

    def _settle(self) -> None:
        """What is on its way in the background has come before the sweeps do."""
        self.backend.ports.store.memories.every(ADMIN.scope(PROJECT), after=None, limit=1)
        self.backend.drain()
        self.near_bytes[self.clock.moment] = self._near()

    def live(self) -> None:
        """One day, then its sweeps."""
        for _ in range(READS_A_DAY):
            query = f"note {self.randomness.randrange(len(self.ids))}"
            request = RecallRequest(query=query, strategy="lexical")
            recall(self.backend.ports, self._agent(), PROJECT, request)
        for id in self.randomness.sample(self.ids, VERDICTS_A_DAY):
            self._judge(id)
        for _ in range(EVENTS_A_DAY):
            self._change_a_thing()
        for id in self.randomness.sample(self.ids, LOOKED_UP_A_DAY):
            read_memory(self.backend.ports, self._agent(), PROJECT, id)
        self._review()
        self._settle()
        for name in SWEEPS:
            report = run_sweep(self.backend.ports, name, holder="bench", seconds=3_600)
            self.did.update(report.did)

    def _agent(self) -> Principal:
        return self.randomness.choice(AGENTS)

    def _judge(self, id: str) -> None:
        fails = self.randomness.random() < (0.8 if id in self.failing else 0.05)
        result = "failed" if fails else self.randomness.choice(("worked", "worked", "partial"))
        try:
            report_outcome(
                self.backend.ports, ADMIN, PROJECT, id, OutcomeReport(result=result, is_run_credit=True)
            )
        except TooMany:
            self.did["refused verdicts"] += 1

    def _change_a_thing(self) -> None:
        urn = f"urn:thing:{self.randomness.randrange(THINGS)}"
        told = ReportedEvent(
            urn=urn, event=self.randomness.choice(("content_changed", "renamed", "removed", "activity"))
        )
        take_entity_events(self.backend.ports, self._agent(), PROJECT, [told])

    def _review(self) -> None:
        page = self.backend.ports.store.memories.page(
            ADMIN.scope(PROJECT),
            Filters(status=("stale",)),
            EVERYONE,
            now=self.clock.moment,
            after=None,
            limit=REVIEWS_A_DAY,
            oldest_first=True,
        )
        for memory in page.memories:
            if self.randomness.random() < 0.5:
                approve_memory(self.backend.ports, ADMIN, PROJECT, memory.id)
            else:
                archive_memory(self.backend.ports, ADMIN, PROJECT, memory.id)

    def every(self) -> list[Memory]:
        scope = ADMIN.scope(PROJECT)
        return list(
            self.backend.ports.store.memories.every(scope, after=None, limit=len(self.ids) + 1).memories
        )


Rule = Callable[[Memory, RecordVersion], bool]


def _expired(before: Memory, now: RecordVersion) -> bool:
    return now.memory.status == "archived" and before.expires_at is not None and before.expires_at <= now.at


def _drifted(before: Memory, now: RecordVersion) -> bool:
    """Day by day from the last use, as SPEC 4.30 words it; not by the sweep's own arithmetic."""
    used = before.last_used_at or before.created_at
    counted = DRIFT_AFTER_DAYS
    if before.drifted_at is not None and before.drifted_at > used:
        counted = max(counted, (before.drifted_at - used) // DAY)
    score = before.outcome_score
    for day in range(counted, (now.at - used) // DAY):
        score = drift(score, day + 1, day)
    return now.memory.outcome_score == score and now.memory.status == before.status


def _worked(before: Memory, now: RecordVersion) -> bool:
    return now.memory.outcome_score == min(1.0, round(before.outcome_score + 0.2, 3)) and _stands(now)


def _failed(before: Memory, now: RecordVersion) -> bool:
    return now.memory.outcome_score == max(-1.0, round(before.outcome_score - 0.3, 3)) and _stands(now)


def _partial(before: Memory, now: RecordVersion) -> bool:
    return now.memory.outcome_score == min(1.0, round(before.outcome_score + 0.05, 3)) and _stands(now)


def _stands(now: RecordVersion) -> bool:
    """An active memory is neither refuted nor disbelieved; one that has expired is none, swept or not."""
    memory = now.memory
    is_refuted = memory.outcome_score < ARCHIVE_BELOW_SCORE or memory.confidence < DEACTIVATE_BELOW_CONFIDENCE
    return memory.has_expired(now.at) or not (memory.is_active and is_refuted)


def _moved(before: RecordVersion, now: RecordVersion, world: World) -> bool:
    """As the tier rules word it: down by age and accesses, out by size, up by accesses; never what is pinned."""
    memory, tier, count = before.memory, now.memory.tier, now.memory.access_count
    touched = max(at for at in (memory.updated_at, now.memory.last_accessed_at) if at is not None)
    if tier == "warm":
        return memory.tier == "hot" and now.at - touched >= DAY and count < ACCESS_THRESHOLD
    if tier == "cold":
        return memory.tier in ("hot", "warm") and world.near_bytes[now.at] > world.limit_bytes
    if tier == "frozen":
        return memory.tier == "cold" and memory.status in ENDED_STATUSES and now.at - before.at >= 365 * DAY
    return memory.tier == "warm" and count + (now.by == "memory-layer") >= ACCESS_THRESHOLD


def _keeps_its_tier(before: Memory, now: RecordVersion) -> bool:
    """What a caller changes is hot; what a sweep changes, or something that happened elsewhere, stays where it is."""
    is_from_elsewhere = now.by.startswith("sweep") or now.verb == "staled"
    return now.memory.tier == (before.tier if is_from_elsewhere else "hot")


RULES: Mapping[str, Rule] = {
    "expired": _expired,
    "drifted": _drifted,
    "deactivated": lambda before, _: before.confidence < DEACTIVATE_BELOW_CONFIDENCE,
    "worked": _worked,
    "failed": _failed,
    "partial": _partial,
    "staled": lambda before, now: before.is_active and now.memory.status == "stale",
    "approved": lambda _, now: now.memory.is_active and now.memory.confidence == 1.0,
    "restored": lambda before, now: before.tier == "cold" and now.memory.status in (before.status, "stale"),
    "archived": lambda before, now: now.memory.status == "archived" and before.status == "stale",
}


def unexplained(world: World) -> list[str]:
    """Changes that follow no rule, a sentence each."""
    found = []
    for id in world.ids:
        history = world.backend.ports.store.history.of(ADMIN.scope(PROJECT), id)
        for before, now in pairwise(history):
            if not _is_explained(before, now, world):
                found.append(f"{id} version {now.memory.version}: {now.verb} by {now.by}")
    return found


def _is_explained(before: RecordVersion, now: RecordVersion, world: World) -> bool:
    if now.verb == "moved":
        return _moved(before, now, world)
    rule = RULES.get(now.verb)
    return rule is not None and rule(before.memory, now) and _keeps_its_tier(before.memory, now)


def simulate(memories: int, days: int, folder: Path, seed: int = 7) -> dict[str, Any]:
    """Months with their counts, what the sweeps did, and what nothing explains."""
    clock = Clock()
    settings = read_settings({}, data_dir=folder, model_dir=folder / "no-model")
    backend = open_embedded(settings, embedder=NoEmbedder(), clock=clock)
    try:
        world = World(backend, clock, random.Random(seed))
        world.fill(memories)
        months = [_month("start", world)]
        for day in range(1, days + 1):
            clock.moment += DAY
            world.live()
            if (clock.moment + DAY).month != clock.moment.month or day == days:
                months.append(_month(f"{clock.moment:%Y-%m}", world))
        found = {memory.id: memory.content for memory in world.every()}
        lost = sorted(id for id, words in world.words.items() if found.get(id) != words)
        return {
            "memories": len(world.ids),
            "months": months,
            "sweeps": dict(sorted(world.did.items())),
            "lost": lost,
            "unexplained": unexplained(world),
        }
    finally:
        backend.close()


def _month(name: str, world: World) -> dict[str, Any]:
    memories = world.every()
    return {
        "month": name,
        "status": {status: sum(m.status == status for m in memories) for status in get_args(Status)},
        "tier": {tier: sum(m.tier == tier for m in memories) for tier in get_args(Tier)},
        "mean_score": round(sum(abs(memory.outcome_score) for memory in memories) / len(memories), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path, default=Path("lifecycle.svg"))
    given = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = simulate(given.memories, given.days, Path(folder))
    found["seconds"] = round(time.perf_counter() - started, 1)
    _print(found)
    given.svg.write_text(chart(found["months"], "status", STATUS_COLOURS), "utf-8")
    tiers = given.svg.with_stem(f"{given.svg.stem}-tiers")
    tiers.write_text(chart(found["months"], "tier", TIER_COLOURS), "utf-8")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2), "utf-8")
    print(f"{found['seconds']} s; the charts are in {given.svg} and {tiers}")


def _print(found: Mapping[str, Any]) -> None:
    shown = [
        (kind, name)
        for kind, names in (("status", get_args(Status)), ("tier", get_args(Tier)))
        for name in names
        if any(month[kind][name] for month in found["months"])
    ]
    table = Table(title=f"{found['memories']:,} memories, status and tier at the end of each month")
    for heading in ("month", *(name for _, name in shown), "mean |outcome|"):
        table.add_column(heading, justify="left" if heading == "month" else "right")
    for month in found["months"]:
        counts = (f"{month[kind][name]:,}" for kind, name in shown)
        table.add_row(month["month"], *counts, f"{month['mean_score']:.3f}")
    console = Console(width=120)
    console.print(table)
    console.print("sweeps: " + ", ".join(f"{verb} {count:,}" for verb, count in found["sweeps"].items()))
    console.print(f"lost: {len(found['lost'])}, changes that no rule explains: {len(found['unexplained'])}")
    for sentence in found["unexplained"][:10]:
        console.print(f"  {sentence}")


if __name__ == "__main__":
    main()
