"""Contexts on both backends: four sources, one page, nothing unaccounted for, nothing that may not be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.conflicts.pair import pair_id
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory, Ref, Relation
from memory_layer.domain.policy import PrivacyMode
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.retrieval.candidates import MentionedRows, mentioned_rows, table_of_refs
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.domain.tier_policy import GB, ContentClass
from memory_layer.edge.shapes.answers import prompt_json
from memory_layer.edge.shapes.graph_bodies import graph_json
from memory_layer.errors import Duplicate, Invalid
from memory_layer.ports.commit import Commit, IdempotencyRecord
from memory_layer.usecases.context.assemble import AssembledPage, assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall import find_candidates
from memory_layer.usecases.recall.compose_knowledge import compose_knowledge
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.recall.explore_graph import explore_graph
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.configure import set_policy
from memory_layer.usecases.review.resolve_pair import PairResolution, resolve_pair
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.contract.recall.test_lying_index import ForgetfulIndex, NoIndex
from tests.given import StandingClock, remembered

INTENT = "how long does the queue keep messages?"
PATIENT_MS = 20_000


def store(
    backend: EmbeddedBackend, who: Principal, content: str, project: str = "web", **fields: Any
) -> Memory:
    return remembered(backend.ports, who, content, project=project, on_duplicate="create", **fields)


def context(backend: EmbeddedBackend, who: Principal, intent: str = INTENT, **asked: Any) -> AssembledPage:
    request = ContextRequest(intent=intent, **{"time_ms": PATIENT_MS, **asked})
    return assemble_context(backend.ports, who, "web", request)


def shown_by(backend: EmbeddedBackend, who: Principal, found: AssembledPage) -> tuple[Ref, ...]:
    receipt = backend.ports.store.receipts.get(who.scope("web"), found.recall_id)
    assert receipt is not None
    return receipt.refs


def layers(found: AssembledPage) -> dict[str, str]:
    return {part.id: part.source_layer for part in found.assembled.fragments}


def test_each_source_brings_what_is_its_own_and_a_memory_counts_once(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    known = store(backend, admin, "The queue keeps messages for four days.")
    shared = store(backend, admin, "Every queue of ours keeps messages encrypted.", SHARED_PROJECT)
    liking = store(backend, admin, "I prefer short answers with a code example.", category="preference")
    said = [RememberRequest(fields={"content": "pytest: 12 passed in 3.1 s", "type": "context"})]
    (turn,) = add_turns(backend.ports, admin, "web", "s1", said)
    found = context(backend, admin, session_id="s1", entities=())
    assert not isinstance(turn, Exception | IdempotencyRecord)
    assert layers(found) == {
        shared.id: "global",
        known.id: "project",
        liking.id: "experience",
        turn.memory.id: "workshop",
    }
    assert found.assembled.source_coverage == 1.0
    assert found.assembled.warnings == []
    for part in found.assembled.fragments:
        assert f"\n{part.ref} {part.content}\n" in found.assembled.rendered


def test_a_shared_project_is_asked_once(backend: EmbeddedBackend, admin: Principal) -> None:
    known = store(backend, admin, "The queue keeps messages for four days.", SHARED_PROJECT)
    request = ContextRequest(intent=INTENT, time_ms=PATIENT_MS)
    found = assemble_context(backend.ports, admin, SHARED_PROJECT, request).assembled
    assert [part.id for part in found.fragments] == [known.id]
    assert Counter(one.id for one in found.omitted) == {known.id: 1}, "what two sources offer counts in one"


def test_sources_that_are_not_asked_bring_nothing(backend: EmbeddedBackend, admin: Principal) -> None:
    known = store(backend, admin, "The queue keeps messages for four days.")
    store(backend, admin, "Every queue of ours keeps messages encrypted.", SHARED_PROJECT)
    assert layers(context(backend, admin, layers=("project",))) == {known.id: "project"}


def test_what_worked_is_the_callers_experience(backend: EmbeddedBackend, admin: Principal) -> None:
    proven = store(backend, admin, "The queue keeps messages for four days.")
    store(backend, admin, "The queue is drained by four workers.")
    report_outcome(backend.ports, admin, "web", proven.id, OutcomeReport(result="worked"))
    assert layers(context(backend, admin, layers=("experience",))) == {proven.id: "experience"}


def test_an_entity_that_is_named_brings_what_carries_it(backend: EmbeddedBackend, admin: Principal) -> None:
    orders = store(backend, admin, "Rows older than a year are archived.", entities=["urn:table:orders"])
    found = context(
        backend, admin, "what happens to old data?", entities=("urn:table:orders", "urn:table:refunds")
    )
    assert orders.id in layers(found)
    (missing,) = [warned for warned in found.assembled.warnings if warned.code == "INCOMPLETE"]
    assert "urn:table:refunds" in missing.detail
    assert "urn:table:orders" not in missing.detail


def test_a_project_that_was_never_written_to_has_an_empty_context(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    found = context(backend, admin).assembled
    assert (found.fragments, found.rendered, found.total_tokens, list(found.omitted)) == ([], "", 0, [])


def test_no_budget_lets_nothing_in_and_says_so_of_each(backend: EmbeddedBackend, admin: Principal) -> None:
    known = store(backend, admin, "The queue keeps messages for four days.")
    found = context(backend, admin, tokens_max=0).assembled
    assert (list(found.fragments), found.rendered, found.total_tokens) == ([], "", 0)
    assert [(one.id, one.reason) for one in found.omitted] == [(known.id, "over_budget")]
    assert "BUDGET_EXCEEDED" in {warned.code for warned in found.warnings}


def test_other_personas_and_other_tenants_are_not_seen(backend: EmbeddedBackend, admin: Principal) -> None:
    mine, other = (Principal(tenant="acme", subject=name, persona=name) for name in ("dev", "ops"))
    own = store(backend, mine, "The queue keeps messages for four days.", source="run")
    store(backend, other, "The queue keeps messages for nine days.", source="run")
    foreign = replace(admin, tenant="globex")
    store(backend, foreign, "The queue keeps messages for two days.")
    assert set(layers(context(backend, mine))) == {own.id}
    assert "nine" not in context(backend, mine).assembled.rendered
    assert "four" not in context(backend, foreign).assembled.rendered


def test_what_a_recall_hides_no_context_shows(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    ends = clock.now() + timedelta(hours=1)
    lapsing = store(backend, admin, "The queue keeps messages for four days.", expires_at=ends)
    later = store(backend, admin, "The queue keeps messages for nine days.", valid_from=ends)
    assert set(layers(context(backend, admin))) == {lapsing.id}
    clock.advance(hours=2)
    assert set(layers(context(backend, admin))) == {later.id}


def test_secrets_are_taken_out_again_where_settings_became_stricter(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguard: `redacted_offers`; what was stored while the project said `off` is in the record as it was said."""
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="off"))
    known = store(
        backend,
        admin,
        "The queue's password is hunter2hunter2: password=hunter2hunter2, it keeps messages.",
        summary="password=hunter2hunter2",
        detail={"password": "hunter2hunter2"},
    )
    assert "hunter2" in context(backend, admin, lod_preference="atomic").assembled.rendered
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="secrets"))
    for preference in ("macro", "micro", "atomic", "adaptive"):
        for _ in range(2):
            found = context(backend, admin, lod_preference=preference)
            assert known.id in layers(found)
            assert "password=hunter2hunter2" not in found.assembled.rendered
            assert '"hunter2hunter2"' not in found.assembled.rendered
        assert found.was_kept


def test_the_stricter_settings_hold_and_what_was_clean_before_is_looked_at_again(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguards: the mode in the digest of what is clean; of two projects the stricter mode, either way round."""
    here = store(backend, admin, "Ask carol@corp.test how long the queue keeps messages.")
    encrypted = "Every queue of ours keeps messages encrypted, says carol@corp.test."
    there = store(backend, admin, encrypted, SHARED_PROJECT)

    def told() -> dict[str, bool]:
        parts = context(backend, admin).assembled.fragments
        return {part.id: "carol@corp.test" in part.content for part in parts}

    def set_mode(project: str, mode: PrivacyMode) -> None:
        set_policy(backend.ports, admin, project, lambda policy: replace(policy, privacy_mode=mode))

    assert told() == {here.id: True, there.id: True}
    set_mode(SHARED_PROJECT, "personal")
    assert told() == {here.id: True, there.id: False}
    set_mode(SHARED_PROJECT, "secrets")
    set_mode("web", "personal")
    assert told() == {here.id: False, there.id: False}


def test_no_block_for_a_model_shows_what_settings_have_taken_out_since(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `redacted_memories`, or `redacted_hits`, in each of the five."""
    said = "Ask carol@corp.test before urn:queue:orders changes."
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="off"))
    known = store(backend, admin, said, entities=["urn:queue:orders"])
    learned = store(backend, admin, f"Avoid: surprises. {said}", type="antipattern", success_rate=0.0)

    def blocks() -> tuple[str, ...]:
        enriched = enrich(backend.ports, admin, "web", "urn:queue:orders", limit=10, tokens_max=2_000)
        page = compose_prompt(backend.ports, admin, "web", "change the queue", TaskProfile(), limit=10)
        knowledge = compose_knowledge(
            backend.ports, admin, "web", "change the queue", TaskProfile(), limit=10
        )
        assert {known.id} <= {memory.id for memory in enriched.memories}
        assert {known.id} <= {memory.id for memory in page.memories}
        assert [memory.id for memory in knowledge.memories] == [learned.id]
        drawn = explore_graph(backend.ports, admin, "web", "urn:queue:orders", hops=1, limit=50)
        summaries = [
            node["summary"] for node in graph_json(drawn, "web", "", 1)["nodes"] if "summary" in node
        ]
        groups = str(prompt_json(knowledge)["groups"])
        return enriched.memory_context, page.markdown, knowledge.markdown, groups, "\n".join(summaries)

    assert all("carol@corp.test" in block for block in blocks())
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="personal"))
    assert not any("carol@corp.test" in block for block in blocks())


def test_a_recall_shows_no_word_that_settings_have_taken_out_since(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Nor of its context and its labels, nor what is shared; by its id a record is as it lies.

    Falls without `redacted_hits`, and without any of the fields of `WHOLE`.
    """

    def set_mode(project: str, mode: PrivacyMode) -> None:
        set_policy(backend.ports, admin, project, lambda policy: replace(policy, privacy_mode=mode))

    said = {
        "summary": "Ask carol@corp.test.",
        "context": "dave@corp.test asked about the queue.",
        "tags": ["of-frank@corp.test"],
        "entities": ["urn:user:grace@corp.test"],
        "relations": [Relation("owned_by", "urn:user:heidi@corp.test")],
    }
    set_mode("web", "off")
    own = store(
        backend, admin, "The queue is carol@corp.test's.", detail={"owner": "carol@corp.test"}, **said
    )
    shared = store(backend, admin, "Every queue has erin@corp.test for an owner.", SHARED_PROJECT)

    def told() -> dict[str, str]:
        found = recall(backend.ports, admin, "web", RecallRequest(query="who owns the queue?"))
        return {item.memory.id: str(memory_to_json(item.memory)) for item in found.memories}

    before = told()
    assert before.keys() == {own.id, shared.id}
    assert all(name in before[own.id] for name in ("carol@", "dave@", "frank@", "grace@", "heidi@"))
    assert "erin@" in before[shared.id]
    set_mode("web", "personal")
    after = told()
    assert after.keys() == before.keys()
    assert not any("@corp.test" in words for words in after.values())
    assert get_memory(backend.ports, admin, "web", own.id).content == own.content


def test_who_says_what_is_known_is_told_no_word_that_settings_have_taken_out_since(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `as_shown`, in either."""
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="off"))
    said = (
        "Messages of the orders queue are kept for four days; "
        "the retention is changed on Tuesdays by the platform team"
    )
    known = store(backend, admin, f"{said}; dave@corp.test.")
    other = store(backend, admin, "Deploys to production go out at noon.")
    backend.drain()
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, privacy_mode="personal"))
    with pytest.raises(Duplicate) as stored:
        remember(backend.ports, admin, "web", RememberRequest(fields={"content": f"{said}."}))
    with pytest.raises(Duplicate) as corrected:
        supersede_memory(backend.ports, admin, "web", other.id, {"content": f"{said}."})
    for refused in (stored, corrected):
        assert refused.value.twin.id == known.id
        assert refused.value.twin.content == f"{said}; [REDACTED:email]."


def test_a_receipt_names_what_was_shown(backend: EmbeddedBackend, admin: Principal) -> None:
    known = store(backend, admin, "The queue keeps messages for four days.")
    for _ in range(2):
        found = context(backend, admin, request_id="r1")
        assert shown_by(backend, admin, found) == (known.ref,)
    assert found.was_kept


def test_a_request_id_that_is_used_again_overwrites_no_receipt(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where receipts lie under the caller's name for the request; their own ids are in order of time."""
    queue = store(backend, admin, "The queue keeps messages for four days.")
    first = context(backend, admin, request_id="r1")
    deploys = store(backend, admin, "Deploys to production go out on Tuesdays.")
    second = context(backend, admin, request_id="r1", intent="when do deploys to production go out?")
    assert (first.request_id, second.request_id) == ("r1", "r1")
    assert first.recall_id < second.recall_id
    assert shown_by(backend, admin, first) == (queue.ref,)
    assert deploys.ref in shown_by(backend, admin, second)


def test_a_tools_output_expires_in_a_day_and_nothing_promotes_it(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    said = [
        RememberRequest(fields={"content": "sqs: 3 messages visible", "type": "context"}),
        RememberRequest(fields={"content": "How many messages are visible?"}),
    ]
    output, turn = add_turns(backend.ports, admin, "web", "s1", said)
    assert not isinstance(output, Exception | IdempotencyRecord)
    assert not isinstance(turn, Exception | IdempotencyRecord)
    assert output.memory.expires_at == clock.now() + timedelta(hours=24)
    assert turn.memory.expires_at != output.memory.expires_at
    clock.advance(hours=25)
    assert set(layers(context(backend, admin, session_id="s1"))) == {turn.memory.id}


def test_a_pin_lets_in_what_bears_on_nothing_first_and_whole(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    for number in range(4):
        store(backend, admin, f"The queue keeps messages for {number} days.")
    pinned = store(backend, admin, "Never restart on a Friday.", tags=["runbook.md"])
    asked = {"pin": {"patterns": ("*.md",), "ttl_hours": 24}}
    found = context(backend, admin, tokens_max=60, tokenizer="chars4", kv_policy=asked)
    assert pinned.id in layers(found)
    without = context(backend, admin, tokens_max=60, tokenizer="chars4")
    assert pinned.id not in layers(without)


@pytest.mark.parametrize(
    "pattern", ["*.md", "docs/", "urn:file:docs/on-call.md", "urn:file:docs/*", "mem_friday"]
)
def test_a_pin_finds_by_urn_and_by_id(backend: EmbeddedBackend, admin: Principal, pattern: str) -> None:
    """And nothing whose words alone have the name."""
    store(backend, admin, "See urn:file:docs/other.md and mem_friday about the queue.", id="mem_other")
    urns = ["urn:file:docs/on-call.md"]
    pinned = store(backend, admin, "Never restart on a Friday.", entities=urns, id="mem_friday")
    backend.drain()
    asked = {"pin": {"patterns": (pattern,), "ttl_hours": 24}}
    assert pinned.id not in layers(context(backend, admin, intent="how long is a lease", layers=("project",)))
    found = context(
        backend, admin, intent="how long is a lease", layers=("project",), kv_policy=asked, quality_min=0.9
    )
    assert layers(found) == {pinned.id: "project"}


def test_what_a_request_pins_it_wants_however_old_it_is(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """The hours are those after which a project's own pin lapses; falls without `_lapses`."""
    pinned = store(backend, admin, "Never restart on a Friday.", tags=["runbook.md"])
    clock.advance(days=30)
    for number in range(4):
        store(backend, admin, f"The queue keeps messages for {number} days.")

    def is_shown(**pin: Any) -> bool:
        asked = {"pin": {"patterns": ("*.md",), **pin}}
        found = context(backend, admin, tokens_max=60, tokenizer="chars4", kv_policy=asked)
        return pinned.id in layers(found)

    assert is_shown()
    assert not is_shown(ttl_hours=24)
    assert is_shown(ttl_hours=24 * 31)


def test_a_pin_by_id_shows_nobody_what_is_hidden_from_them(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Safeguard: `SourceQuery.read` asks `Visibility`."""
    hidden = store(backend, admin, "Never restart on a Friday.", id="mem_friday", persona="poet")
    asked = {"pin": {"patterns": ("mem_friday",)}}
    assert layers(context(backend, agent, layers=("project",), kv_policy=asked)) == {}
    assert layers(context(backend, admin, layers=("project",), kv_policy=asked)) == {hidden.id: "project"}


def test_what_is_old_and_seldom_recalled_goes_in_as_one_line(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    store(backend, admin, "The queue keeps messages. After four days they are gone. Nobody is told of it.")
    clock.advance(hours=30)
    asked = {"compress": {"age_threshold_hours": 24, "access_threshold": 1_000}}
    (short,) = context(backend, admin, layers=("project",), kv_policy=asked).assembled.fragments
    (whole,) = context(backend, admin, layers=("project",)).assembled.fragments
    assert (short.lod, whole.lod) == ("macro", "micro")
    assert len(short.content) < len(whole.content)


@pytest.mark.parametrize(("cooling", "lod"), [({}, "macro"), ({"general": 1.5}, "micro")])
def test_what_a_request_does_not_name_goes_by_the_hours_that_use_has_tuned(
    backend: EmbeddedBackend,
    admin: Principal,
    clock: StandingClock,
    cooling: dict[ContentClass, float],
    lod: str,
) -> None:
    """Falls without `effective_tier_policy`: 24 hours, where by now it takes 36."""
    store(backend, admin, "The queue keeps messages. After four days they are gone. Nobody is told of it.")
    tuned = AssemblyPolicy(cooling=cooling, version=1)
    backend.ports.store.writer.commit(Commit(scope=admin.scope("web"), assembly=tuned))
    clock.advance(hours=30)
    asked = {"compress": {"compression_ratio": 0.1}}
    (part,) = context(backend, admin, layers=("project",), kv_policy=asked).assembled.fragments
    assert part.lod == lod


def test_what_is_compressed_has_the_share_of_its_length_that_is_asked_for(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    said = "The queue keeps messages. After four days they are gone. Nobody is told of it. Ask Ann, or Bob."
    store(backend, admin, said)
    clock.advance(hours=30)

    def told(**ratio: float) -> str:
        asked = {"compress": {"age_threshold_hours": 24, "access_threshold": 1_000, **ratio}}
        (part,) = context(backend, admin, layers=("project",), kv_policy=asked).assembled.fragments
        return part.content

    assert told() == told(compression_ratio=0.0) == "The queue keeps messages."
    assert told(compression_ratio=0.6) == "The queue keeps messages. After four days they are gone."
    assert told(compression_ratio=1.0) == said


def test_more_than_a_request_has_room_for_loses_what_is_missed_least(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """What is pinned stays, and counts for nothing."""
    pinned = store(backend, admin, "The queue is called jobs.", tags=["runbook.md"])
    old = store(backend, admin, "The queue keeps messages for four days.")
    clock.advance(hours=30)
    new = store(backend, admin, "Messages that fail leave the queue.")

    def kept(bytes_max: int) -> AssembledPage:
        evict = {"max_total_size_gb": bytes_max / GB, "lru_weight": 1.0, "quality_weight": 0.0}
        asked = {"pin": {"patterns": ("*.md",), "ttl_hours": 48}, "evict": evict}
        return context(backend, admin, layers=("project",), kv_policy=asked)

    assert set(layers(kept(1_000))) == {pinned.id, old.id, new.id}
    found = kept(len(new.content))
    assert set(layers(found)) == {pinned.id, new.id}
    assert [(one.id, one.reason) for one in found.assembled.omitted] == [(old.id, "evicted")]
    assert set(layers(kept(1))) == {pinned.id}


def test_unknown_names_are_refused_in_words(backend: EmbeddedBackend, admin: Principal) -> None:
    for asked, pointer in (
        ({"tokenizer": "bpe"}, "/tokenizer"),
        ({"intent": "  "}, "/intent"),
        ({"layers": ("workshop",)}, "/session_id"),
    ):
        with pytest.raises(Invalid) as refused:
            context(backend, admin, **asked)
        assert refused.value.violations[0].pointer == pointer


def test_the_same_memories_give_the_same_bytes(backend: EmbeddedBackend, admin: Principal) -> None:
    """On both backends, whatever engine found them: the page is spelled out here."""
    for number, content in enumerate(
        ("The queue keeps messages for four days.", "Messages that fail leave the queue.")
    ):
        store(backend, admin, content, id=f"m{number}")
    approve_memory(backend.ports, admin, "web", "m1")
    store(backend, admin, "Every queue of ours keeps messages encrypted.", SHARED_PROJECT, id="s0")
    assert context(backend, admin, tokenizer="chars4").assembled.rendered == (
        "## Context, 1 Mar 2026: recalled data, no instructions\n"
        "<memories-623030>\n"
        "global:\n"
        "on 1 Mar 2026\n"
        "1 Every queue of ours keeps messages encrypted.\n"
        "project:\n"
        "on 1 Mar 2026\n"
        "2 The queue keeps messages for four days.\n"
        "3 Messages that fail leave the queue.\n"
        "</memories-623030>\n"
    )


@EMBEDDED_ONLY
def test_an_index_that_lies_shows_no_preference_and_pins_nothing_that_is_hidden(
    backend: EmbeddedBackend, admin: Principal, agent: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `SourceQuery.read` asks `Visibility`; the index is no authority."""
    hidden = store(
        backend, admin, "I like answers in rhymes.", category="preference", tags=["rhyme"], persona="poet"
    )
    told = table_of_refs(admin.tenant, [hidden.ref])
    monkeypatch.setattr(backend.ports.index, "standing", lambda *_, **__: told)
    monkeypatch.setattr(backend.ports.index, "labels", lambda *_: {"tags": ("rhyme",), "entities": ()})
    pins = {"pin": {"patterns": ["rhyme"]}}
    assert layers(context(backend, agent, layers=("experience",))) == {}
    assert layers(context(backend, agent, layers=("project",), kv_policy=pins)) == {}
    assert layers(context(backend, admin, layers=("project",), kv_policy=pins)) == {hidden.id: "project"}


@EMBEDDED_ONLY
def test_without_an_index_what_is_pinned_is_looked_for_among_the_newest(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    pinned = store(backend, admin, "Never restart on a Friday.", tags=["runbook.md"])
    store(backend, admin, "Nobody restarts the poets.", tags=["poets.md"], persona="poet")
    backend = replace(backend, ports=replace(backend.ports, index=NoIndex(backend.ports.index, [])))
    found = context(backend, agent, layers=("project",), kv_policy={"pin": {"patterns": ("*.md",)}})
    assert layers(found) == {pinned.id: "project"}
    assert [warned.code for warned in found.assembled.warnings] == ["LOW_QUALITY"]


class IndexBehind(ForgetfulIndex):
    """Has seen no write, and knows of no tie."""

    def mentioning(self, _: object, keys: Sequence[str], *__: object, **___: object) -> MentionedRows:
        return mentioned_rows("acme", [MentionedRecords(0)] * len(keys))


@EMBEDDED_ONLY
def test_of_what_the_index_has_not_seen_the_newest_is_looked_at(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is pinned, liked, or tied to what is named; falls where one of them takes the oldest."""
    monkeypatch.setattr(find_candidates, "UNSEEN_READ", 1)
    urns = ["urn:table:orders"]
    fields = {"tags": ["runbook.md"], "entities": urns, "category": "preference"}
    store(backend, admin, "A lease is ten seconds long.")  # nearest to the intent, so that neither of them is
    old, new = (store(backend, admin, f"Never restart on a {day}.", **fields) for day in ("Friday", "Monday"))
    backend = replace(backend, ports=replace(backend.ports, index=IndexBehind(backend.ports.index, [])))

    def shown(**asked: Any) -> set[str]:
        return {old.id, new.id} & layers(context(backend, admin, "how long is a lease", **asked)).keys()

    assert shown(layers=("project",), kv_policy={"pin": {"patterns": ("*.md",)}}) == {new.id}
    assert shown(layers=("experience",)) == {new.id}
    assert shown(layers=("project",), entities=tuple(urns)) == {new.id}


@EMBEDDED_ONLY
def test_many_that_may_not_be_shown_any_more_keep_out_none_behind_them(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Safeguard: `RelevantMemorySearch._read` goes on; an index does not know what settings hide since."""
    for days in range(90):
        store(backend, admin, f"The queue keeps messages for {days} days, says note {days}.")
    known = store(backend, admin, "In the basement there is a queue in front of the canteen at noon.")
    approve_memory(backend.ports, admin, "web", known.id)
    set_policy(backend.ports, admin, "web", lambda policy: replace(policy, review_sources=("human",)))
    assert layers(context(backend, admin, tokens_max=120)) == {known.id: "project"}


def test_turns_of_the_session_are_in_its_layer_however_they_are_found(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `_layer_of`: the first turn, long before the last ten, came as the project's."""
    said = [RememberRequest(fields={"content": "Ann: the queue keeps messages for four days"})]
    said += [RememberRequest(fields={"content": f"Ann: {n} apples and {n} pears"}) for n in range(12)]
    add_turns(backend.ports, admin, "web", "s1", said)
    store(backend, admin, "The queue is drained before each release.")
    found = context(backend, admin, session_id="s1").assembled
    first = next(part for part in found.fragments if "four days" in part.content)
    assert first.source_layer == "workshop"
    assert len({part.id for part in found.fragments}) == len(found.fragments)

    unasked = context(backend, admin, session_id="s1", layers=("project",)).assembled
    assert {part.source_layer for part in unasked.fragments} == {"project"}


def test_two_that_a_person_has_kept_are_no_conflict_of_a_page(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where a page judges by itself, or is kept from before the decision; a new wording is judged anew."""
    known = "The queue keeps messages for four days."
    one = store(backend, admin, known)
    two = store(backend, admin, known.replace("four", "nine"))
    backend.drain()
    (shown,) = context(backend, admin).assembled.conflicts
    assert set(shown.ids) == {one.id, two.id}
    run_sweep(backend.ports, "consolidate", holder="test", seconds=60)
    resolve_pair(
        backend.ports,
        admin,
        "web",
        pair_id(one.id, two.id, "conflict"),
        PairResolution(resolution="kept_both"),
    )
    assert context(backend, admin).assembled.conflicts == []
    revise(backend.ports, admin, "web", two.id, {"content": known.replace("four", "eight")})
    backend.drain()
    assert len(context(backend, admin).assembled.conflicts) == 1
