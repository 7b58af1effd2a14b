"""An agent's ties among its own memories bring none of them nearer beside trusted ones, and lose none of them."""

from __future__ import annotations

from memory_layer.domain.retrieval.graph import Graph, Tie, personalised_pagerank
from memory_layer.domain.retrieval.own_ties import TRUSTED, nearness

START = {"subject": 1.0}
VOICES = {"person": TRUSTED, "a": "codex", "b": "codex"}
NAMED = (Tie("subject", "person", "names"), Tie("subject", "a", "names"))
SHARED = (Tie("bills", "a", "names"), Tie("bills", "b", "names"))


def test_an_entity_that_others_name_elsewhere_is_not_an_agents_own() -> None:
    """Falls without the degrees in `_of_others`: ties beside those of the walk are others'."""
    known = Graph((*NAMED, *SHARED), {"bills": 3})
    assert nearness(known, START, VOICES) == personalised_pagerank(known, START)
    alone = Graph((*NAMED, *SHARED), {"bills": 2})
    assert nearness(alone, START, VOICES) != personalised_pagerank(alone, START)


def test_what_own_ties_alone_lead_to_stands_behind_all_others_in_its_order() -> None:
    """Falls where `nearness` answers `plain` without what is behind."""
    chain = (Tie("a", "b", "about"), Tie("b", "c", "about"))
    scores = nearness(Graph((*NAMED, *chain)), START, {**VOICES, "c": "codex"})
    assert min(scores["a"], scores["person"]) > scores["b"] > scores["c"] > 0.0
