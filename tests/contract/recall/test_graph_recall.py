"""The graph beside the words: what is found by ties, both ways along them, and never what may not be seen."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Ref, Relation
from memory_layer.domain.retrieval.candidates import mentioned_rows
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.errors import IndexUnavailable, Invalid
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.recall.explore_graph import GraphNeighbourhood, explore_graph, node_id
from memory_layer.usecases.recall.find_candidates import NO_INDEX
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.recall.walk_graph import TieCount
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from tests.given import START, StandingClock

ORDERS, BILLS, VIEWS = "urn:table:orders", "urn:table:bills", "urn:file:src/views.py"


def keep(backend: EmbeddedBackend, who: Principal, id: str, content: str, **fields: Any) -> None:
    said = {"id": id, "content": content, **fields}
    remember(backend.ports, who, "web", RememberRequest(fields=said, on_duplicate="create"))


def by_graph(backend: EmbeddedBackend, who: Principal, query: str, **asked: Any) -> RecallResult:
    request = RecallRequest(**{"query": query, "strategy": "graph", **asked})
    return recall(backend.ports, who, "web", request)


def ids(recalled: RecallResult) -> list[str]:
    return [item.memory.id for item in recalled.memories]


def around(
    backend: EmbeddedBackend, who: Principal, entity: str, hops: int = 1, limit: int = 50
) -> GraphNeighbourhood:
    return explore_graph(backend.ports, who, "web", entity, hops=hops, limit=limit)


def shown(explored: GraphNeighbourhood) -> set[str]:
    return {node_id(node.node, "web") for node in explored.nodes}


def ties(explored: GraphNeighbourhood) -> set[tuple[str, str, str]]:
    return {(node_id(t.source, "web"), t.type, node_id(t.target, "web")) for t in explored.ties}


def test_the_graph_leads_to_what_the_words_do_not(backend: EmbeddedBackend, admin: Principal) -> None:
    """Two hops: from the table to the note that names it, to the person in it, to what else names her."""
    keep(backend, admin, "note", "Rows are kept for ever, as Amy Nutt wished.", entities=(ORDERS,))
    keep(backend, admin, "far", "On Fridays nobody may deploy, says Amy Nutt.")
    keep(backend, admin, "other", "The kitchen is on the second floor.")
    one, two = (by_graph(backend, admin, "what of this table?", entities=(ORDERS,), hops=n) for n in (1, 2))
    assert (ids(one), one.ranking, one.strategy) == (["note"], "graph", "graph")
    assert ids(two) == ["note", "far"]
    assert two.memories[0].signals.semantic > two.memories[1].signals.semantic > 0.0


def test_what_a_question_names_is_where_it_starts(backend: EmbeddedBackend, admin: Principal) -> None:
    keep(backend, admin, "note", "We met amy@x.test and Amy Nutt there.")
    keep(backend, admin, "path", "Rendering is done in src/app/views.py alone.")
    keep(backend, admin, "other", "The kitchen is on the second floor.")
    assert ids(by_graph(backend, admin, "what does amy nutt want?", hops=1)) == ["note"]
    assert ids(by_graph(backend, admin, "who changes src/app/views.py?", hops=1)) == ["path"]


def test_without_a_name_it_starts_from_the_best_hits(backend: EmbeddedBackend, admin: Principal) -> None:
    keep(backend, admin, "hit", "Deploys to production go out on Tuesdays.", entities=(VIEWS,))
    keep(backend, admin, "tied", "Colours are read from a palette.", entities=(VIEWS,))
    found = by_graph(backend, admin, "when do deploys go out to production?")
    assert ids(found)[0] == "hit"
    assert "tied" in ids(found)


def test_relations_are_walked_both_ways(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where only what a record points at is looked up."""
    keep(backend, admin, "old", "Orders are deleted after a year.")
    keep(backend, admin, "new", "That changed in spring.", relations=(Relation("refines", "old"),))
    keep(backend, admin, "newest", "And once more in autumn.", relations=(Relation("refines", "new"),))
    found = around(backend, admin, "new")
    assert {"old", "new", "newest"} <= shown(found)
    assert {("new", "refines", "old"), ("newest", "refines", "new")} <= ties(found)
    assert {"new", "newest"} <= shown(around(backend, admin, "old", hops=2))


def test_lineage_links_and_runs_are_ties(backend: EmbeddedBackend, admin: Principal) -> None:
    scope = admin.scope("web")
    keep(backend, admin, "source", "Retries hide the time-out.")
    shown_then = RecallReceipt(
        "rcl_1", scope, admin.author, (Ref("web", "source"),), backend.ports.clock.now()
    )
    backend.ports.store.receipts.note(shown_then)
    backend.drain()
    keep(backend, admin, "derived", "Time-outs are raised now.", source_recall_id="rcl_1", entities=(ORDERS,))
    event = EntityEvent(
        id="e1",
        tenant=scope.tenant,
        project=scope.project,
        urn=BILLS,
        event="linked",
        target=ORDERS,
        occurred_at=START,
        received_at=START,
        created_by="ada",
    )
    backend.ports.store.events.add([event])
    found = around(backend, admin, BILLS, hops=3)
    assert {(BILLS, "linked", ORDERS), ("derived", "derived_from", "source")} <= ties(found)
    assert ids(by_graph(backend, admin, "what of it?", entities=(BILLS,), hops=3))[:2] == [
        "derived",
        "source",
    ]


def test_a_lineage_names_no_source_that_may_not_be_seen(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Safeguard: `GraphWalk._derived` tells what was read, not all that a receipt has."""
    keep(backend, admin, "source", "Retries hide the time-out.", persona="analyst")
    refs = (Ref("web", "source"),)
    backend.ports.store.receipts.note(
        RecallReceipt("rcl_1", admin.scope("web"), admin.author, refs, backend.ports.clock.now())
    )
    backend.drain()
    keep(backend, admin, "derived", "Time-outs are raised now.", source_recall_id="rcl_1", entities=(ORDERS,))
    assert "source" in shown(around(backend, admin, ORDERS, hops=3))
    assert "source" not in shown(around(backend, agent, ORDERS, hops=3))


def test_nothing_is_shown_that_may_not_be_seen(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, clock: StandingClock
) -> None:
    """Safeguards: `HitReader` re-checks every record, whichever tie led to it; ties are told by what is shown."""
    stranger = Principal(tenant="globex", subject="eve", roles=frozenset({"admin"}))
    keep(backend, admin, "all", "For everyone, by Amy Nutt.", entities=(ORDERS,))
    keep(backend, admin, "own", "For analysts, by Bob Ross.", entities=(ORDERS,), persona="analyst")
    keep(
        backend,
        admin,
        "old",
        "Not for long, by Cy Twombly.",
        entities=(ORDERS,),
        expires_at=START + timedelta(hours=1),
    )
    keep(backend, admin, "away", "Out of use, by Dan Flavin.", entities=(ORDERS,))
    keep(backend, admin, "gone", "In confidence, by Eva Hesse.", entities=(ORDERS,))
    keep(backend, stranger, "theirs", "Another tenant's, by Frank Stella.", entities=(ORDERS,))
    archive_memory(backend.ports, admin, "web", "away")
    erase_memory(backend.ports, admin, "web", "gone")
    clock.advance(hours=2)
    assert shown(around(backend, agent, ORDERS)) == {ORDERS, "all", "name:amy nutt"}
    assert shown(around(backend, admin, ORDERS)) >= {"all", "own"}
    assert not shown(around(backend, admin, ORDERS)) & {"old", "away", "gone", "theirs"}
    for hidden in ("Bob Ross", "own", "old", "away", "gone", "theirs"):
        assert around(backend, agent, hidden).nodes == ()
    assert ids(by_graph(backend, agent, "what of it?", entities=(ORDERS,))) == ["all"]
    assert ids(by_graph(backend, stranger, "what of it?", entities=(ORDERS,))) == ["theirs"]
    block = enrich(backend.ports, agent, "web", [ORDERS, BILLS], limit=10, tokens_max=2_000)
    assert ([memory.id for memory in block.memories], block.unknown) == (["all"], (BILLS,))


def test_a_lying_index_shows_nothing(backend: EmbeddedBackend, admin: Principal, agent: Principal) -> None:
    """Falls where what the index names is shown unread."""
    keep(backend, admin, "own", "For analysts.", entities=(ORDERS,), persona="analyst")
    keep(backend, admin, "away", "Out of use.", entities=(ORDERS,))
    archive_memory(backend.ports, admin, "web", "away")
    backend.drain()
    lying = replace(backend.ports, index=_Liar(backend.ports.index, [Ref("web", "own"), Ref("web", "away")]))
    assert explore_graph(lying, agent, "web", ORDERS, hops=3, limit=50).nodes == ()
    assert enrich(lying, agent, "web", ORDERS, limit=5, tokens_max=500).memories == ()
    for strategy in ("auto", "graph"):
        request = RecallRequest(query="what of it?", strategy=strategy, entities=(ORDERS,))
        assert ids(recall(lying, agent, "web", request)) == []


class _Liar:
    """An index that names hidden records whatever it is asked for."""

    def __init__(self, index: Any, refs: list[Ref]) -> None:
        self._index, self._refs = index, refs

    def mentioning(self, _: Any, mentions: Any, *__: Any, **___: Any) -> Any:
        return mentioned_rows("acme", [MentionedRecords(2, tuple(self._refs), (1, 1))] * len(mentions))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def test_a_write_is_seen_by_the_very_next_walk(backend: EmbeddedBackend, admin: Principal) -> None:
    """Nothing waits for the index: what it has not seen is told by the records themselves."""
    keep(backend, admin, "note", "Rows are kept.", entities=(ORDERS,))
    assert "note" in shown(around(backend, admin, ORDERS))
    revise(backend.ports, admin, "web", "note", {"entities": (BILLS,)})
    assert around(backend, admin, ORDERS).nodes == ()
    assert "note" in shown(around(backend, admin, BILLS))
    block = enrich(backend.ports, admin, "web", {"a": ORDERS, "b": BILLS}, limit=5, tokens_max=500)
    assert (dict(block.found), block.unknown) == ({BILLS: 1}, (ORDERS,))


def test_auto_brings_in_what_a_hit_is_tied_to_and_what_the_caller_names(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    keep(backend, admin, "hit", "Deploys to production go out on Tuesdays, says Amy Nutt.")
    keep(backend, admin, "tied", "Amy Nutt is on leave until autumn.")
    keep(backend, admin, "named", "Colours are read from a palette.", entities=(ORDERS,))
    for number in range(5):
        keep(backend, admin, f"other{number}", f"The kitchen on floor {number} has a kettle.")
    query = "when do deploys to production go out?"
    found = recall(backend.ports, admin, "web", RecallRequest(query=query))
    assert (ids(found)[0], found.ranking, found.degraded) == ("hit", "hybrid", False)
    assert ids(found).index("tied") < 3
    asked = RecallRequest(query=query, entities=(ORDERS,))
    assert "named" in ids(recall(backend.ports, admin, "web", asked))


def test_an_answer_comes_up_with_its_question(backend: EmbeddedBackend, admin: Principal) -> None:
    turns = [
        "Ada: What instrument do you play, Bob?",
        "Bob: The clarinet, since I was nine.",
        "Ada: Then we need a pianist for the band.",
    ]
    filler = [f"Ada: The instrument number {n} that you play is out of tune." for n in range(12)]
    add_turns(
        backend.ports, admin, "web", "talk", [RememberRequest(fields={"content": text}) for text in turns]
    )
    add_turns(
        backend.ports, admin, "web", "shop", [RememberRequest(fields={"content": text}) for text in filler]
    )
    backend.drain()
    query = "What instrument does Bob play?"
    places = [
        [item.memory.content for item in recall(backend.ports, admin, "web", request).memories].index(
            turns[1]
        )
        for request in (RecallRequest(query=query, strategy="semantic"), RecallRequest(query=query))
    ]
    assert places[1] <= min(1, places[0])


def test_the_past_is_walked_as_it_was(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    keep(backend, admin, "note", "Rows are kept.", entities=(ORDERS,))
    clock.advance(hours=1)
    then = clock.moment
    clock.advance(hours=1)
    archive_memory(backend.ports, admin, "web", "note")
    keep(backend, admin, "late", "Rows are dropped.", entities=(ORDERS,))
    asked = {"entities": (ORDERS,), "hops": 1}
    assert ids(by_graph(backend, admin, "rows?", **asked)) == ["late"]
    assert ids(by_graph(backend, admin, "rows?", as_of=then, **asked)) == ["note"]


def test_a_hub_is_bounded_and_counted(backend: EmbeddedBackend, admin: Principal) -> None:
    for number in range(30):
        keep(backend, admin, f"m{number:02}", f"Fact {number}.", entities=(ORDERS,), confidence=number / 100)
    keep(backend, admin, "rare", "The rare one.", entities=(ORDERS, BILLS))
    found = around(backend, admin, ORDERS, limit=10)
    assert (len(found.nodes), found.is_whole) == (10, False)
    assert found.left_out == len(around(backend, admin, ORDERS, limit=200).nodes) - 10
    assert next(node.count for node in found.nodes if node.node == f"u:{ORDERS}") == TieCount(
        31, is_exact=False
    )
    assert all({tie.source, tie.target} <= {node.node for node in found.nodes} for tie in found.ties)


def flood(backend: EmbeddedBackend, agent: Principal, *shared: str) -> None:
    """Writes many memories of one agent about the orders, all tied to the first of them or to an entity of its own."""
    for number in range(45):
        ties = (Relation("about", "a00"),) if number and not shared else ()
        said = f"Orders fact number {number} is {number * 7}."
        keep(backend, agent, f"a{number:02}", said, entities=(ORDERS, *shared), relations=ties)


@pytest.mark.parametrize("shared", [(), (BILLS,)])
def test_what_an_agent_ties_to_its_own_stands_before_no_trusted_memory(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, shared: tuple[str, ...]
) -> None:
    """Falls without `own_ties.nearness`; with an entity of its own, without `own` in `_of_others`."""
    keep(backend, admin, "person", "Orders are kept for ten years.", entities=(ORDERS,))
    flood(backend, agent, *shared)
    assert ids(by_graph(backend, admin, "what of orders?", entities=(ORDERS,), hops=1))[0] == "person"


def test_a_limit_leaves_out_the_nearest_trusted_memory_last(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls without `_with_trusted`."""
    keep(backend, admin, "person", "Orders are kept for ten years.", entities=(ORDERS,))
    flood(backend, agent)
    found = around(backend, admin, ORDERS, hops=2, limit=20)
    assert "person" in shown(found)
    assert len(found.nodes) == 20


def test_a_count_is_of_what_the_caller_may_see(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where the index's own count is told: it knows no settings, and no validity."""
    keep(backend, admin, "note", "Rows are kept.", entities=(ORDERS,))
    keep(backend, admin, "run", "Rows are dropped.", entities=(ORDERS,), source="run")
    keep(backend, admin, "ends", "Rows are new.", entities=(ORDERS,), valid_to=START + timedelta(hours=1))
    backend.drain()

    def counted() -> TieCount | None:
        found = around(backend, admin, ORDERS)
        return next(node.count for node in found.nodes if node.node == f"u:{ORDERS}")

    assert counted() == TieCount(3, is_exact=True)
    clock.advance(hours=2)
    assert counted() == TieCount(2, is_exact=True)
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, review_sources=("run",)))
    assert counted() == TieCount(1, is_exact=True)


def test_a_shared_memory_may_be_asked_for_as_it_is_shown(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where only memories of the project itself are asked for by their ids."""
    said = {"id": "rule", "content": "Nobody deploys on Fridays, says Amy Nutt.", "entities": (ORDERS,)}
    remember(backend.ports, admin, "_shared", RememberRequest(fields=said))
    keep(backend, admin, "rule", "Another one of the same id.")
    assert "_shared/rule" in shown(around(backend, admin, ORDERS))
    found = around(backend, admin, "_shared/rule")
    assert node_id(found.nodes[0].node, "web") == "_shared/rule"
    assert {"name:amy nutt", ORDERS} <= shown(found)
    assert "rule" not in shown(found)


def test_without_an_index_what_the_authority_knows_is_answered(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `GraphEdges` turning to the newest records; an old one named by its id is read all the same."""
    scope = admin.scope("web")
    keep(backend, admin, "old", "Orders are deleted after a year.")
    keep(backend, admin, "source", "Retries hide the time-out.")
    backend.ports.store.receipts.note(
        RecallReceipt("rcl_1", scope, admin.author, (Ref("web", "source"),), backend.ports.clock.now())
    )
    said = {"relations": (Relation("refines", "old"),), "entities": (ORDERS,), "source_recall_id": "rcl_1"}
    keep(backend, admin, "note", "Rows are kept, as Amy Nutt wished.", **said)
    keep(backend, admin, "other", "Amy Nutt is on leave.")
    backend.drain()
    down = replace(backend.ports, index=_Down(backend.ports.index))
    asked = [explore_graph(down, admin, "web", name, hops=2, limit=50) for name in ("note", ORDERS)]
    for found in asked:
        assert {"note", "old", "source", "other", ORDERS} <= shown(found)
        assert {("note", "refines", "old"), ("note", "derived_from", "source")} <= ties(found)
        assert (found.note, {node.count for node in found.nodes}) == (NO_INDEX, {None})
    assert asked[0].ties == around(backend, admin, "note", hops=2).ties
    block = enrich(down, admin, "web", [ORDERS, BILLS], limit=5, tokens_max=500)
    assert ([memory.id for memory in block.memories], block.unknown) == (["note"], (BILLS,))
    assert block.note == NO_INDEX
    for strategy in ("auto", "graph", "entity"):
        request = RecallRequest(query="are rows kept?", strategy=strategy, entities=(ORDERS,))
        told = recall(down, admin, "web", request)
        assert (ids(told)[0], told.degraded, told.note) == ("note", True, NO_INDEX)
    by_ties = RecallRequest(query="and?", strategy="graph", entities=(ORDERS,))
    assert "other" in ids(recall(down, admin, "web", by_ties))


@pytest.mark.parametrize("strategy", ["auto", "graph"])
def test_an_index_that_fails_in_between_degrades_and_says_so(
    backend: EmbeddedBackend, admin: Principal, strategy: Any
) -> None:
    """The search is answered, the look-up of ties is not."""
    keep(backend, admin, "note", "Rows are kept, as Amy Nutt wished.", entities=(ORDERS,))
    backend.drain()
    half = replace(backend.ports, index=_Down(backend.ports.index, down=("mentioning",)))
    request = RecallRequest(query="are rows kept?", strategy=strategy, entities=(ORDERS,))
    told = recall(half, admin, "web", request)
    assert (ids(told), told.degraded, told.note) == (["note"], True, NO_INDEX)


def test_what_is_written_while_the_index_is_down_is_tied_at_once(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """And what may not be seen is not shown by the newest records either."""
    down = replace(backend.ports, index=_Down(backend.ports.index))
    keep(backend, admin, "own", "For analysts.", entities=(ORDERS,), persona="analyst")
    keep(backend, admin, "away", "Out of use.", entities=(ORDERS,))
    archive_memory(backend.ports, admin, "web", "away")
    keep(backend, admin, "note", "Rows are kept.", entities=(ORDERS,))
    assert shown(explore_graph(down, agent, "web", ORDERS, hops=3, limit=50)) == {ORDERS, "note"}
    assert [m.id for m in enrich(down, agent, "web", ORDERS, limit=5, tokens_max=500).memories] == ["note"]


class _Down:
    """An index that does not answer. Args: down: what it does not answer; empty: anything."""

    def __init__(self, index: Any, down: tuple[str, ...] = ()) -> None:
        self._index, self._down = index, down

    def __getattr__(self, name: str) -> Any:
        if self._down and name not in self._down:
            return getattr(self._index, name)

        def refuse(*_: Any, **__: Any) -> Any:
            raise IndexUnavailable("the search index does not answer; try again")

        return refuse


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"entity": " "}, "/query/entity"),
        ({"entity": "a\x00b"}, "/query/entity"),
        ({"hops": 0}, "/query/hops"),
        ({"hops": 4}, "/query/hops"),
        ({"limit": 0}, "/query/limit"),
        ({"limit": 2_001}, "/query/limit"),
    ],
)
def test_a_map_out_of_bounds_is_refused(
    backend: EmbeddedBackend, admin: Principal, asked: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as refused:
        explore_graph(backend.ports, admin, "web", **{"entity": ORDERS, "hops": 1, "limit": 5, **asked})
    assert refused.value.violations[0].pointer == pointer


def test_what_nobody_speaks_of_is_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    assert around(backend, admin, "urn:x:nobody") == GraphNeighbourhood((), (), is_whole=True)
    keep(backend, admin, "note", "Rows are kept.")
    assert around(backend, admin, "urn:x:nobody") == GraphNeighbourhood((), (), is_whole=True)


def test_enriching_takes_turns_and_keeps_to_its_budget(backend: EmbeddedBackend, admin: Principal) -> None:
    for number in range(6):
        keep(backend, admin, f"o{number}", f"Fact {number} of orders.", entities=(ORDERS,))
    keep(backend, admin, "b0", "A fact of bills.", entities=(BILLS,))
    keep(backend, admin, "long", "Words of views. " * 300, entities=(VIEWS,))
    payload = {"changed": [ORDERS, f"see {BILLS}."], "text": f'{{"nested": "{VIEWS}"}}', "no": "urn:x:nobody"}
    whole = enrich(backend.ports, admin, "web", payload, limit=10, tokens_max=5_000)
    assert [memory.id for memory in whole.memories[:3]] == ["o0", "b0", "long"]
    assert (dict(whole.found), whole.unknown) == ({ORDERS: 6, BILLS: 1, VIEWS: 1}, ("urn:x:nobody",))
    assert backend.ports.store.receipts.get(admin.scope("web"), whole.recall_id) is not None
    for tokens_max in (1, 60, 100, 150, 400, 2_000):
        part = enrich(backend.ports, admin, "web", payload, limit=10, tokens_max=tokens_max)
        assert part.tokens <= tokens_max
        assert part.memory_context.endswith(">\n") or not part.memories
        assert set(part.found) == {ORDERS, BILLS, VIEWS}, "what is known is known, whether or not it fits"
    assert len(enrich(backend.ports, admin, "web", payload, limit=2, tokens_max=5_000).memories) == 2
    assert enrich(backend.ports, admin, "web", "no urn", limit=2, tokens_max=50).memory_context == ""
