"""A context never exceeds its budget, accounts for every offer, and is the same for the same offers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_layer.domain.context.assembly import assemble
from memory_layer.domain.context.fragments import (
    LAYERS,
    AssembledContext,
    AssemblyRequest,
    Format,
    Layer,
    Offer,
    TokenCounter,
    chars4,
)
from memory_layer.domain.context.knapsack import HeadingCosts, KnapsackFill, KnapsackItem
from memory_layer.domain.context.priority import score_offers
from memory_layer.domain.context.rendering import PageGroup
from memory_layer.domain.memory import Doubt
from memory_layer.domain.policy import PriorityWeights
from tests.fuzzing import examples
from tests.unit.domain.context.hostile_texts import HOSTILE
from tests.unit.domain.plain_memories import NOW, plain_memory


def axis(number: int, lean: float = 0.0) -> np.ndarray:
    """A unit vector of its own; `lean` is how far all of them lean to one side."""
    vector = np.zeros(64, dtype=np.float32)
    vector[number % 63], vector[63] = np.sqrt(1.0 - lean), np.sqrt(lean)
    return vector


def turned(angle: float) -> np.ndarray:
    """A unit vector in one plane with all others of these; radians."""
    vector = np.zeros(64, dtype=np.float32)
    vector[:2] = np.cos(angle), np.sin(angle)
    return vector


def offer(
    number: int, content: str, *, layer: Layer = "project", relevance: float = 0.5, **fields: object
) -> Offer:
    return Offer(
        memory=plain_memory(f"m{number:03}", content, **fields),
        layer=layer,
        relevance=relevance,
        vector=axis(number, 0.3),
    )


def words(text: Sequence[str]) -> list[int]:
    """A counter to reason with: every word is a token."""
    return [len(each.split()) for each in text]


def spread_out(text: Sequence[str]) -> list[int]:
    """A counter that takes more for a whole than for its parts."""
    return [int(1.3 * len(each.split()) + len(each) // 400) for each in text]


def ask(tokens_max: int, **fields: object) -> AssemblyRequest:
    return replace(AssemblyRequest(intent="how do we deploy", tokens_max=tokens_max, now=NOW), **fields)  # type: ignore[arg-type]


def shown(assembled: AssembledContext) -> dict[str, str]:
    return {fragment.id: fragment.lod for fragment in assembled.fragments}


def reasons(assembled: AssembledContext) -> dict[str, str]:
    return {omitted.id: omitted.reason for omitted in assembled.omitted}


texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(min_size=1, max_size=300),
    st.lists(
        st.sampled_from(
            [
                "Deploy",
                "with",
                "retry.",
                "The",
                "queue",
                "is",
                "full!",
                "Never",
                "use",
                "npm;",
                "always",
                "pnpm",
            ]
        ),
        min_size=1,
    ).map(" ".join),
)
vectors = st.one_of(
    st.none(),
    st.integers(0, 9).map(axis),
    st.integers(0, 9).map(lambda n: axis(n, 0.95)),
    st.just(np.full(7, np.nan)),
)


@st.composite
def random_offers(draw: st.DrawFn) -> list[Offer]:
    made = []
    for _ in range(draw(st.integers(0, 12))):
        number = draw(st.integers(0, 9))
        content = draw(texts)
        made.append(
            Offer(
                memory=plain_memory(
                    f"m{number}",
                    content,
                    project=draw(st.sampled_from(("shop", "_shared"))),
                    summary=draw(st.none() | texts),
                    detail=draw(
                        st.just({}) | st.dictionaries(texts, texts | st.floats(allow_nan=False), max_size=3)
                    ),
                    source=draw(st.sampled_from(("human", "run", "learning"))),
                    confidence=draw(st.sampled_from((0.3, 0.5, 1.0))),
                    updated_at=NOW - timedelta(days=draw(st.integers(-1, 400))),
                    approved_by=draw(st.sampled_from((None, "bob"))),
                    session_id=draw(st.sampled_from((None, "s1"))),
                    position=draw(st.sampled_from((None, 0, 7))),
                ),
                layer=draw(st.sampled_from(LAYERS)),
                relevance=draw(st.floats(0.0, 1.0)),
                vector=draw(vectors),
                is_pinned=draw(st.booleans()),
                is_compressed=draw(st.booleans()),
                line_share=draw(st.sampled_from([0.0, 0.3, 1.0])),
                is_evicted=draw(st.integers(0, 9)) == 0,
                standing=draw(st.floats(0.0, 1.0)),
            )
        )
    return made


requests = st.builds(
    AssemblyRequest,
    intent=texts,
    tokens_max=st.integers(0, 400),
    now=st.just(NOW),
    entities=st.sampled_from(((), ("urn:tool:pnpm", "urn:nothing:here"))),
    quality_min=st.sampled_from((0.0, 0.4, 1.0)),
    lod_preference=st.sampled_from(("macro", "micro", "atomic", "adaptive")),
    format=st.sampled_from(("markdown", "xml", "json")),
    conflict_sensitivity=st.sampled_from((0.5, 1.0, 3.0)),
    entity_share=st.sampled_from((0.0, 0.3, 1.0)),
    weights=st.sampled_from(
        (PriorityWeights(), PriorityWeights(relevance=0.0, recency=0.5, credibility=0.5, coherence=0.0))
    ),
)
counters = st.sampled_from((chars4, words, spread_out))


@settings(max_examples=examples(150))
@given(random_offers(), requests, counters)
def test_no_request_gets_more_than_its_budget_and_every_offer_is_accounted_for_once(
    offers: list[Offer], request: AssemblyRequest, count: TokenCounter
) -> None:
    assembled = assemble(offers, request, count)

    assert assembled.total_tokens == (count([assembled.rendered])[0] if assembled.rendered else 0)
    assert assembled.total_tokens <= request.tokens_max
    told = [fragment.id for fragment in assembled.fragments] + [omitted.id for omitted in assembled.omitted]
    assert Counter(told) == Counter(each.memory.id for each in offers)
    assert bool(assembled.rendered) == bool(assembled.fragments)


@settings(max_examples=examples(60))
@given(random_offers(), requests, st.randoms(use_true_random=False))
def test_the_order_of_the_offers_changes_no_byte(
    offers: list[Offer], request: AssemblyRequest, chance: random.Random
) -> None:
    offers = list({each.memory.ref: each for each in offers}.values())
    shuffled = list(offers)
    chance.shuffle(shuffled)

    assert assemble(shuffled, request, chars4) == assemble(offers, request, chars4)


def test_a_tokenizer_that_takes_more_for_a_page_than_for_its_lines_is_heeded() -> None:
    offers = [offer(n, f"Deploy step {n} needs a look") for n in range(30)]
    assembled = assemble(offers, ask(200), spread_out)

    assert 150 < assembled.total_tokens <= 200
    assert reasons(assembled).keys().isdisjoint(shown(assembled))


def test_nothing_fits_into_nothing() -> None:
    assembled = assemble([offer(1, "Deploy with pnpm")], ask(0), words)

    assert (assembled.rendered, assembled.total_tokens, shown(assembled)) == ("", 0, {})
    assert reasons(assembled) == {"m001": "over_budget"}
    assert [warned.code for warned in assembled.warnings] == ["BUDGET_EXCEEDED"]


def test_no_offers_make_an_empty_context_without_complaint() -> None:
    assembled = assemble([], ask(1000), words)

    assert (assembled.rendered, list(assembled.warnings)) == ("", [])


LONG = "Deploys go through the queue. " + "Nobody knows why it was built so long ago. " * 30


def test_a_memory_too_large_is_shortened_before_it_is_dropped() -> None:
    offers = [offer(1, LONG, relevance=0.9), offer(2, "Restart the worker after a migration", relevance=0.6)]
    assembled = assemble(offers, ask(60), words)

    assert shown(assembled) == {"m001": "macro", "m002": "micro"}
    assert "1 are shortened to a line" in assembled.warnings[0].detail


def test_the_line_that_stands_for_a_memory_is_the_one_nearest_to_the_intent() -> None:
    content = (
        "Ann: Good morning! "
        + "The weather is fine today. " * 20
        + "We deploy on Tuesdays. "
        + "So it goes. " * 20
    )
    (fragment,) = assemble([offer(1, content)], ask(60), words).fragments

    assert fragment.content == "Ann: We deploy on Tuesdays."


def test_an_authors_summary_stands_for_the_memory() -> None:
    (fragment,) = assemble([offer(1, LONG, summary="Queue first, then deploy")], ask(60), words).fragments

    assert (fragment.lod, fragment.content) == ("macro", "Queue first, then deploy")


def test_room_that_is_left_goes_to_the_facts_of_what_was_chosen() -> None:
    facts = {"effectiveness": 0.8, "suggested_actions": ["add an index", "retry"]}
    offers = [offer(1, "Deploy with pnpm", detail=facts)]

    (fragment,) = assemble(offers, ask(500), words).fragments
    assert fragment.lod == "atomic"
    assert fragment.content.endswith("\neffectiveness: 0.8; suggested_actions: add an index, retry")
    assert shown(assemble(offers, ask(26), words)) == {"m001": "micro"}


@pytest.mark.parametrize(
    ("preference", "level"), [("macro", "macro"), ("micro", "micro"), ("atomic", "atomic")]
)
def test_a_preferred_level_is_kept_to(preference: str, level: str) -> None:
    offers = [offer(1, LONG, detail={"effectiveness": 0.8})]

    assert shown(assemble(offers, ask(5000, lod_preference=preference), words)) == {"m001": level}


def test_what_all_share_is_one_line_until_there_is_room() -> None:
    offers = [offer(1, LONG, layer="global"), *(offer(n, f"Step {n} of the deploy") for n in range(2, 12))]

    assert shown(assemble(offers, ask(250), words))["m001"] == "macro"
    assert shown(assemble(offers, ask(5000), words))["m001"] == "micro"


def test_near_duplicates_do_not_both_get_in() -> None:
    one, other = offer(1, "Deploy with pnpm"), offer(2, "Deploy using pnpm", relevance=0.4)
    assembled = assemble([one, other._replace(vector=one.vector)], ask(500), words)

    assert list(shown(assembled)) == ["m001"]
    assert [(o.id, o.reason, o.detail) for o in assembled.omitted] == [("m002", "near_duplicate", "of m001")]
    assert [(c.ids, c.strategy) for c in assembled.conflicts] == [(("m001", "m002"), "merge")]


def test_two_lines_of_one_file_are_both_shown() -> None:
    """Falls without `_are_of_one_file`: the way in passed for the way out, and a step of the procedure was gone."""
    place = {"tags": ("RUN.md",), "source": "human"}
    one = offer(1, "Put the site into maintenance mode", detail={"line_order": 1000}, **place)
    other = offer(2, "Take the site out of maintenance mode", detail={"line_order": 2000}, **place)
    assembled = assemble([one, other._replace(vector=one.vector)], ask(500), words)

    assert shown(assembled).keys() == {"m001", "m002"}


def test_nearly_the_same_words_with_another_number_are_no_duplicate() -> None:
    one = offer(1, "The deploy timeout is 30 seconds")
    other = offer(2, "The deploy timeout is 90 seconds")._replace(vector=one.vector)
    assembled = assemble([one, other], ask(500), words)

    assert shown(assembled).keys() == {"m001", "m002"}
    assert [c.strategy for c in assembled.conflicts] == ["flag"]
    assert "Cannot both hold: 1 and 2" in assembled.rendered


def test_a_full_page_says_all_the_same_what_cannot_both_hold() -> None:
    """Falls without `_make_room_to_tell`: the page was full, and only `conflicts` told of it."""
    pair = [each._replace(relevance=0.9) for each in contradicting()]
    chatter = [offer(n, f"Deploy step {n} needs a look", relevance=0.3) for n in range(10, 40)]
    assembled = assemble([*pair, *chatter], ask(120), words)

    assert "Cannot both hold: 1 and 2" in assembled.rendered
    assert {"m001", "m002", "m010"} <= shown(assembled).keys()
    assert assembled.total_tokens <= 120
    assert "over_budget" in reasons(assembled).values()


def test_room_to_tell_is_made_by_neither_of_the_two() -> None:
    """Falls where `_make_room_to_tell` takes back any last step: there is room for the two and no more."""
    assembled = assemble(contradicting(), ask(36), words)
    assert shown(assembled).keys() == {"m001", "m002"}
    assert "Cannot both hold" not in assembled.rendered
    assert [conflict.ids for conflict in assembled.conflicts] == [("m001", "m002")]


def test_room_to_tell_is_a_quarter_of_the_page_at_most() -> None:
    """Falls without `CONTRADICTIONS_SHARE`: for 46 tokens of 120 most of the others would go."""

    def dear(texts: Sequence[str]) -> list[int]:
        return [count + 40 * ("Cannot both" in text) for text, count in zip(texts, words(texts), strict=True)]

    chatter = [offer(n, f"Deploy step {n} needs a look", relevance=0.3) for n in range(10, 40)]
    assembled = assemble([*contradicting(), *chatter], ask(120), dear)
    assert "Cannot both hold" not in assembled.rendered
    assert assembled.total_tokens > 110


def contradicting(*, layers: tuple[Layer, Layer] = ("project", "project"), **fields: object) -> list[Offer]:
    one = offer(1, "We prefer tabs for indentation in this repository", layer=layers[0], **fields)
    other = offer(2, "We do not prefer tabs for indentation in this repository", layer=layers[1], **fields)
    return [one, other._replace(vector=axis(1, 0.25))]


def test_a_grave_contradiction_is_flagged_and_both_are_shown() -> None:
    assembled = assemble(contradicting(), ask(500), words)

    assert shown(assembled).keys() == {"m001", "m002"}
    (conflict,) = assembled.conflicts
    assert (conflict.ids, conflict.strategy) == (("m001", "m002"), "flag")
    assert conflict.severity >= 0.3


def test_a_light_contradiction_goes_by_precedence_and_the_loser_makes_room() -> None:
    offers = contradicting(layers=("workshop", "global"))
    assembled = assemble(offers, ask(500, conflict_sensitivity=0.4), words)

    assert shown(assembled).keys() == {"m002"}
    assert reasons(assembled) == {"m001": "conflict_lost"}
    (conflict,) = assembled.conflicts
    assert (conflict.strategy, conflict.confidence) == ("precedence", 0.8)
    assert "global goes before workshop" in conflict.reasoning


@pytest.mark.parametrize(
    ("first", "second"),
    list(combinations(("global", "project", "experience", "workshop"), 2)),
)
def test_a_conflict_goes_by_the_precedence_of_the_sources(first: Layer, second: Layer) -> None:
    """As the design has them: L1, L2, L4, L3. Whichever of the two is offered first."""
    for layers, kept in (((first, second), "m001"), ((second, first), "m002")):
        assembled = assemble(contradicting(layers=layers), ask(500, conflict_sensitivity=0.4), words)
        assert shown(assembled).keys() == {kept}


def test_no_source_puts_an_unreviewed_memory_in_the_place_of_a_trusted_one() -> None:
    """Falls without the look at standing in `_yields`; what two agents found wrong in runs of theirs goes by source."""
    said, claimed = contradicting(layers=("workshop", "global"))
    claimed = claimed._replace(memory=replace(claimed.memory, source="run"))
    request = ask(500, conflict_sensitivity=0.4)
    assert shown(assemble([said, claimed], request, words)).keys() == {"m001"}
    doubt = Doubt(since=NOW, by=("bot-1", "bot-2"), witnesses=("bot-1", "bot-2"))
    doubted = said._replace(memory=replace(said.memory, doubted=doubt))
    assert shown(assemble([doubted, claimed], request, words)).keys() == {"m002"}


def test_nobody_stays_out_for_one_that_is_not_there_itself() -> None:
    """The first loses to the second, and that to the third, which says what the first said. Falls without `_beaten`."""
    one, other = (each.memory.content for each in contradicting())
    three: tuple[tuple[str, Layer], ...] = ((one, "workshop"), (other, "project"), (f"{one}.", "global"))
    offers = [
        offer(n, said, layer=layer)._replace(vector=turned(angle))
        for n, ((said, layer), angle) in enumerate(zip(three, (0.0, 0.14, 0.45), strict=True))
    ]
    assembled = assemble(offers, ask(500, conflict_sensitivity=0.4), words)

    assert shown(assembled).keys() == {"m000", "m002"}
    assert [(one.id, one.reason, one.detail) for one in assembled.omitted] == [
        ("m001", "conflict_lost", "to m002")
    ]
    assert [conflict.ids for conflict in assembled.conflicts] == [("m001", "m002")]


def test_in_one_layer_the_surer_one_is_believed() -> None:
    one, other = contradicting()
    sure = other._replace(memory=replace(other.memory, confidence=1.0))
    unsure = one._replace(memory=replace(one.memory, confidence=0.4))

    assert reasons(assemble([unsure, sure], ask(500, conflict_sensitivity=0.4), words)) == {
        "m001": "conflict_lost"
    }


def test_between_two_that_people_approved_a_person_chooses() -> None:
    (conflict,) = assemble(contradicting(approved_by="bob"), ask(500), words).conflicts

    assert conflict.strategy == "user_choice"


def test_what_is_below_the_quality_asked_for_stays_out() -> None:
    assembled = assemble([offer(1, "Deploy with pnpm", relevance=0.2)], ask(500, quality_min=0.5), words)

    assert reasons(assembled) == {"m001": "below_quality"}
    assert [warned.code for warned in assembled.warnings] == ["LOW_QUALITY"]


def test_a_memory_counts_in_one_layer_as_relevant_as_its_best_offer() -> None:
    """Turns of the session are the workshop's. Falls where the order of precedence in conflicts decides."""
    one = offer(1, "Deploy with pnpm", layer="workshop", relevance=0.9)
    assembled = assemble([one, one._replace(layer="project", relevance=0.2)], ask(500), words)

    (fragment,) = assembled.fragments
    assert (fragment.source_layer, fragment.relevance) == ("workshop", 0.9)
    assert reasons(assembled) == {"m001": "other_layer"}
    assert assembled.source_coverage == 0.25


def test_two_projects_memories_of_one_id_are_told_apart() -> None:
    ours = offer(1, "Deploy with pnpm")
    shared = offer(2, "Ask Ann before a release", layer="global")._replace(vector=axis(7))
    shared = shared._replace(memory=replace(shared.memory, id=ours.memory.id, project="_shared"))

    assembled = assemble([ours, shared], ask(500), words)
    assert "\n1 Ask Ann before a release\n" in assembled.rendered
    assert "\n2 Deploy with pnpm\n" in assembled.rendered
    assert [(part.ref, part.project) for part in assembled.fragments] == [(1, "_shared"), (2, "shop")]


def test_memories_of_named_entities_get_their_share_first() -> None:
    chatter = [offer(n, f"Deploy step {n} needs a look", relevance=0.9) for n in range(20)]
    named = offer(50, "The ledger table is written once a day", relevance=0.1, entities=("urn:table:ledger",))
    without = assemble([*chatter, named], ask(100), words)
    with_entity = assemble([*chatter, named], ask(100, entities=("urn:table:ledger",)), words)

    assert "m050" not in shown(without)
    assert "m050" in shown(with_entity)
    assert "m050" not in shown(
        assemble([*chatter, named], ask(100, entities=("urn:table:ledger",), entity_share=0.0), words)
    )


def test_each_named_entity_is_covered_where_there_is_room_for_it_alone() -> None:
    """Its share of 60 is 18 tokens: falls without `covering`."""
    about = (
        "The ledger table is written once a day by the job that closes the books of every shop in the south"
    )
    chatter = [offer(n, f"Deploy step {n} needs a look", relevance=0.9) for n in range(20)]
    named = offer(50, about, relevance=0.1, entities=("urn:table:ledger",))
    assembled = assemble([*chatter, named], ask(60, entities=("urn:table:ledger",)), words)
    assert "m050" in shown(assembled)
    assert "INCOMPLETE" not in {warned.code for warned in assembled.warnings}


def test_entities_that_nothing_names_are_told() -> None:
    assembled = assemble(
        [offer(1, "The ledger is full")], ask(500, entities=("urn:t:ledger", "urn:t:orders")), words
    )

    assert [(w.code, w.detail) for w in assembled.warnings] == [
        ("INCOMPLETE", "nothing in the context names urn:t:orders")
    ]


def test_pins_that_mean_nothing_are_told() -> None:
    """A tag in other letters, an id that is mistyped: falls without `_unmatched`."""
    pinned = offer(1, "The ledger is full", tags=("ledger",), entities=("urn:t:ledger",))
    asked = ask(500, pins=("ledger", "urn:t:*", "m001", "LEDGER", "m002"))

    assert [(w.code, w.detail.split(";")[0]) for w in assemble([pinned], asked, words).warnings] == [
        ("INCOMPLETE", "nothing in the context is pinned by LEDGER, m002")
    ]
    (none,) = assemble([], ask(500, pins=("ledger",)), words).warnings
    assert none.detail.startswith("nothing in the context is pinned by ledger; ")


def test_what_is_pinned_goes_in_whole_and_first() -> None:
    chatter = [offer(n, f"Deploy step {n} needs a look", relevance=0.9) for n in range(20)]
    pinned = offer(50, " ".join(["Remember the ledger."] * 15), relevance=0.0)._replace(is_pinned=True)

    assert shown(assemble([*chatter, pinned], ask(100, quality_min=0.5), words))["m050"] == "micro"


def test_what_is_compressed_is_one_line_however_much_room_there_is() -> None:
    assert shown(assemble([offer(1, LONG)._replace(is_compressed=True)], ask(5000), words)) == {
        "m001": "macro"
    }


def test_what_is_evicted_stays_out_however_much_room_there_is() -> None:
    assembled = assemble(
        [offer(1, LONG)._replace(is_evicted=True), offer(2, "Deploy twice")], ask(5000), words
    )

    assert shown(assembled) == {"m002": "micro"}
    assert [(one.id, one.reason) for one in assembled.omitted] == [("m001", "evicted")]


def test_a_poor_standing_falls_first_when_the_budget_is_short() -> None:
    offers = [
        offer(n, f"Deploy step {n} needs a look")._replace(standing=0.01 if n == 0 else 1.0) for n in range(9)
    ]

    assert "m000" in shown(assemble(offers, ask(500), words))
    assert "m000" not in shown(assemble(offers, ask(60), words))


def test_without_vectors_it_is_plain_concatenation_by_relevance() -> None:
    offers = [
        offer(n, f"Deploy step {n} needs a look", relevance=n / 10)._replace(vector=None) for n in range(9)
    ]
    assembled = assemble(offers, ask(60), words)

    assert [warned.code for warned in assembled.warnings] == ["COHERENCE_FAILURE", "BUDGET_EXCEEDED"]
    relevances = {fragment.relevance for fragment in assembled.fragments}
    assert relevances == {0.8, 0.7, 0.6, 0.5, 0.4, 0.3}


def test_without_vectors_what_is_pinned_still_goes_in_first_and_whole() -> None:
    offers = [
        offer(n, f"Deploy step {n} needs a look", relevance=0.9)._replace(vector=None) for n in range(9)
    ]
    pinned = offer(50, "Remember the ledger. It is written once a day.", relevance=0.0)
    pinned = pinned._replace(vector=None, is_pinned=True, is_compressed=True)

    for preference in ("macro", "adaptive"):
        assembled = assemble([*offers, pinned], ask(40, lod_preference=preference), words)
        assert shown(assembled)["m050"] == "micro"


def test_one_memory_without_a_vector_is_no_failure() -> None:
    offers = [
        offer(1, "Deploy with pnpm"),
        offer(2, "Restart the worker"),
        offer(3, "Wait")._replace(vector=None),
    ]

    assert not assemble(offers, ask(500), words).warnings


def test_one_memory_alone_fits_together_with_or_without_a_vector() -> None:
    assembled = assemble([offer(1, "Deploy with pnpm")._replace(vector=None)], ask(500), words)

    assert (list(assembled.warnings), assembled.coherence) == ([], 1.0)


def test_relevance_comes_before_fame_and_belief_decides_among_equals() -> None:
    new, old = NOW, NOW - timedelta(days=300)
    near = offer(1, "Deploy with pnpm", relevance=1.0, updated_at=old, source="run", confidence=0.3)
    famous = offer(2, "Lunch is at noon", relevance=0.4, updated_at=new)
    equal = offer(3, "Deploy on Tuesdays", relevance=1.0, updated_at=new)
    alike = np.eye(3)

    assert [each.offer.memory.id for each in score_offers([near, famous, equal], ask(1), alike)] == [
        "m003",
        "m001",
        "m002",
    ]


def test_the_priority_is_the_weighted_sum_and_belief_is_halved_for_unapproved_runs() -> None:
    run = offer(
        1,
        "Deploy with pnpm",
        relevance=0.8,
        source="run",
        confidence=0.6,
        updated_at=NOW - timedelta(days=30),
    )
    (first,) = score_offers([run], ask(1), np.eye(1))

    assert (first.relevance, first.recency, first.credibility, first.coherence) == (0.8, 0.368, 0.3, 1.0)
    assert first.priority == round(0.4 * 0.8 + 0.2 * 0.368 + 0.25 * 0.3 + 0.15 * 1.0, 3)


def test_coherence_is_the_mean_cosine_to_what_stands_before() -> None:
    alike = np.array([[1.0, 0.2, 0.6], [0.2, 1.0, 0.4], [0.6, 0.4, 1.0]])
    offers = [offer(n, f"Deploy {n}", relevance=relevance) for n, relevance in ((1, 1.0), (2, 0.1), (3, 0.5))]
    order = score_offers(offers, ask(1), alike)

    assert [(each.offer.memory.id, each.coherence) for each in order] == [
        ("m001", 1.0),
        ("m003", 0.6),
        ("m002", 0.3),
    ]


def test_weights_follow_the_class_of_content() -> None:
    fresh = PriorityWeights(relevance=0.0, recency=1.0, credibility=0.0, coherence=0.0)
    code = offer(1, "Deploy with pnpm", relevance=0.2)._replace(content_class="code")
    (first,) = score_offers([code], ask(1, class_weights={"code": fresh}), np.eye(1))

    assert first.priority == 1.0


def test_an_open_heading_makes_the_others_under_it_cheaper() -> None:
    """Safeguard: the steps of the others are worked out anew in `KnapsackFill.fill`."""
    monday, friday = PageGroup(NOW.date()), PageGroup(NOW.date() - timedelta(days=3))
    items = [
        KnapsackItem({"micro": cost}, "project", day) for cost, day in ((5, monday), (6, friday), (5, monday))
    ]
    fit = KnapsackFill(items, HeadingCosts({"project": 0}, {monday: 10, friday: 10}))
    fit.fill(range(3), lambda _: frozenset(("micro",)), 35)

    assert (list(fit.levels), fit.spent) == ([0, 2], 20)


@example([("a b", "c d")])
@given(st.lists(st.tuples(st.text(), st.text())))
def test_chars4_of_a_page_is_never_more_than_of_its_parts(pairs: list[tuple[str, str]]) -> None:
    for one, other in pairs:
        assert chars4([one + other])[0] <= sum(chars4([one, other]))


def test_chars4_counts_what_is_not_ascii_in_full() -> None:
    assert chars4(["", "abcd", "abcde", "日本語", "aé"]) == [0, 1, 2, 3, 2]


def rounding_up(texts: Sequence[str]) -> list[int]:
    """A counter by which a page is cheaper than its parts: each is rounded up to fives."""
    return [-(-len(each.split()) // 5) * 5 for each in texts]


def test_a_page_on_which_one_line_fits_is_not_empty() -> None:
    """Falls without `_show_one`: the frame, the headings and the line are 35 tokens apart, and 20 together."""
    offers = [offer(1, LONG, relevance=0.9), offer(2, "Restart the worker after a migration", relevance=0.6)]
    assembled = assemble(offers, ask(25), rounding_up)

    assert list(shown(assembled)) == ["m001"]
    assert assembled.total_tokens <= 25
    assert list(shown(assemble(offers[1:], ask(60), chars4))) == ["m002"]


def test_what_a_page_saves_by_its_parts_is_filled() -> None:
    """Falls without `_spare`: half of the page would stay empty."""
    offers = [offer(n, f"Deploy step {n} needs a look") for n in range(90)]
    assembled = assemble(offers, ask(400), rounding_up)

    assert 380 < assembled.total_tokens <= 400


def test_references_and_marks_take_little_of_a_page() -> None:
    said = "The worker of step {} acknowledges each message before it commits, so that a crash between the two loses it"
    for own, told in ((0, "all unreviewed"), (20, "? is unreviewed"), (60, "")):
        offers = [offer(n, said.format(n), source="human" if n < own else "run") for n in range(60)]
        assembled = assemble(offers, ask(800), words)
        marks = len(told.split()) + sum(len(f"{part.ref}?".split()) for part in assembled.fragments)
        assert len(assembled.fragments) > 20
        assert marks <= 0.06 * assembled.total_tokens
        assert assembled.rendered.count("unreviewed") == bool(told)
        assert told in assembled.rendered


@pytest.mark.parametrize("format", ["markdown", "xml", "json"])
@pytest.mark.parametrize("budget", [40, 60, 100, 500])
@pytest.mark.parametrize("count", [chars4, words, spread_out, rounding_up])
def test_no_tokenizer_makes_a_page_exceed_its_budget(
    format: Format, budget: int, count: TokenCounter
) -> None:
    offers = [
        offer(
            n,
            f"Deploy step {n} needs a look. {'It is slow. ' * (n % 5)}",
            source="run",
            source_run_id=f"r{n % 3}",
        )
        for n in range(40)
    ]
    assembled = assemble(offers, ask(budget, format=format), count)

    assert assembled.total_tokens == (count([assembled.rendered])[0] if assembled.rendered else 0)
    assert assembled.total_tokens <= budget
    assert [part.ref for part in assembled.fragments] == list(range(1, len(assembled.fragments) + 1))
