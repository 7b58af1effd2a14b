"""Records for property tests of what an index keeps of them: of every standing, at and around every bound."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final, get_args

from hypothesis import strategies as st

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import (
    OUT_OF_RECALL,
    POSITION_MAX,
    Category,
    Doubt,
    Memory,
    Relation,
    Scope,
    Source,
    Status,
    Tier,
    content_hash,
)
from memory_layer.domain.record_rules import NUMBER_MAX

NOW: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE: Final = Scope("acme", "shop")
MICROSECOND: Final = timedelta(microseconds=1)

CONTENTS: Final = (
    "Use WAL mode.",
    "Where does urn:table:orders live?",
    "Is the café index rebuilt on Sundays?  \u201d)",
    "Melanie: we went camping on 3 May 2025",
    "Ada Lovelace: does src/api/pool.py hold back?",
    "The on-call engineer of the night: no.",
    "One two three four five six: too many words.",
    "\u767b\u5f55\u670d\u52a1\u5728\u54ea\u91cc\uff1f",
    "\u0623\u064a\u0646 \u0627\u0644\u062e\u0627\u062f\u0645\u061f\u00bb",
    "Why? Because the consumer was slow",
    "\U0001f42f tigers: are they \U0001f42f?\u2003\n",
    "?",
    f"{'x' * 129}: no subject",
    f"{'Ada ' * 32}: hm?",
)

HOUR_US: Final = 3_600_000_000
presents: Final = st.sampled_from((NOW, NOW, NOW + MICROSECOND))
_near: Final = st.sampled_from((0, 0, 1, -1, HOUR_US, -40 * 24 * HOUR_US, 400 * 24 * HOUR_US)).map(
    lambda microseconds: NOW + microseconds * MICROSECOND
)
moments: Final = st.one_of(
    _near, _near, _near, st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
)
"""The present to the microsecond, and any other time."""

names: Final = st.sampled_from(("ada", "bob", "eve"))
some_names: Final = st.lists(names, max_size=2, unique=True).map(tuple)
shares: Final = st.sampled_from((0.0, 0.3, 1.0)) | st.integers(0, 1_000).map(lambda n: n / 1_000)
scores: Final = st.sampled_from((-0.501, -0.5, -0.499, 0.0, 0.0, 0.0)) | st.integers(-1_000, 1_000).map(
    lambda n: n / 1_000
)
weights: Final = st.just(0.0) | st.integers(0, 30_000).map(lambda n: n / 1_000)
counts: Final = st.integers(0, 200)
doubts: Final = st.none() | st.builds(
    Doubt, since=st.just(NOW), reasons=st.just(("it failed",)), witnesses=some_names
)


def fields_of_records(**changed: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Fields of a record, all but its id and its place. Args: changed: strategies in the place of those here."""
    return st.fixed_dictionaries(_FIELDS | changed)


_FIELDS: Final[dict[str, st.SearchStrategy[Any]]] = {
    "content": st.sampled_from(CONTENTS),
    "category": st.sampled_from(get_args(Category)),
    "source": st.sampled_from(get_args(Source)),
    "status": st.sampled_from((*("active",) * 12, "stale", "stale", *get_args(Status))),
    "task_type": st.sampled_from((None, "feature")),
    "detail": st.sampled_from(({}, {"complexity": "high"}, {"complexity": 3})),
    "session_id": st.none() | names,
    "position": st.none() | st.integers(0, 9) | st.just(POSITION_MAX),
    "created_by": names,
    "persona": st.none() | names,
    "tags": some_names,
    "entities": st.sampled_from(((), ("urn:table:orders",), ("urn:table:users", "urn:x"))),
    "relations": st.sampled_from(((), (Relation("needs", "urn:table:users"),))),
    "supersedes": st.sampled_from((None, "m-before")),
    "superseded_by": st.sampled_from((None, "m-after")),
    "relevance_score": shares,
    "confidence": shares,
    "success_rate": st.none() | shares,
    "outcome_score": scores,
    "worked_weight": weights,
    "failed_weight": weights,
    "unseconded": st.sampled_from((0.0, 0.0, 0.001, 0.3, 1.0)),
    "use_count": counts,
    "last_used_at": st.none() | moments,
    "doubted": doubts,
    "expires_at": st.none() | st.none() | moments,
    "approved_by": st.none() | names,
    "valid_from": st.none() | st.none() | moments,
    "valid_to": st.none() | st.none() | moments,
    "tier": st.sampled_from(tuple(tier for tier in get_args(Tier) if tier not in OUT_OF_RECALL)),
    "pinned": st.booleans(),
    "created_at": moments,
    "updated_at": moments,
}

huge: Final[dict[str, st.SearchStrategy[Any]]] = {
    **dict.fromkeys(("worked_weight", "failed_weight"), weights | st.just(float(NUMBER_MAX))),
    "use_count": counts | st.sampled_from((NUMBER_MAX, NUMBER_MAX + 1)),
}
"""Numbers as large as an import lets them be, and one use later."""

filters: Final = st.builds(
    Filters,
    category=st.sampled_from(((), ("gotcha", "decision"))),
    task_type=st.sampled_from(((), ("feature",))),
    status=st.sampled_from(((), ("active",), ("active",), ("active", "stale"), ("archived",))),
    persona=some_names,
    session_id=some_names,
    complexity=st.sampled_from(((), ("high",), ("3",))),
    tags=some_names,
    entities=st.sampled_from(((), ("urn:x",), ("urn:table:orders", "urn:x"))),
    standing=st.sampled_from((None, None, "trusted", "unreviewed")),
    min_confidence=st.none() | shares | st.floats(0.0, 1.0),
    min_success_rate=st.none() | shares,
    created_after=st.none() | moments,
    created_before=st.none() | moments,
    updated_after=st.none() | moments,
    updated_before=st.none() | moments,
    is_approved=st.none() | st.booleans(),
    is_doubted=st.none() | st.booleans(),
    pinned=st.none() | st.booleans(),
)
viewers: Final = st.builds(Viewer, personas=st.frozensets(names, max_size=3), sees_all_personas=st.booleans())


def record(fields: dict[str, Any], id: str = "m1", scope: Scope = SCOPE) -> Memory:
    """Record with these fields."""
    return Memory(
        id=id,
        tenant=scope.tenant,
        project=scope.project,
        content_hash=content_hash(fields["content"]),
        approved_at=fields["approved_by"] and NOW,
        **fields,
    )


def records(**changed: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Memory]]:
    """A few records. Args: changed: as in `fields_of_records`."""
    drawn = st.lists(fields_of_records(**changed), min_size=1, max_size=4)
    return drawn.map(lambda found: [record(fields, f"m{n}") for n, fields in enumerate(found)])
