"""Records of several projects in one order: by standing, then by id, then by project, as in the cloud's one index."""

import numpy as np

from memory_layer.adapters.project_index.across_projects import merge_mentions, merge_standing
from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.candidates import mentioned_rows, table_of_refs
from memory_layer.domain.retrieval.mentions import MentionedRecords

OURS, SHARED = (Ref("web", "m1"), Ref("web", "m4")), (Ref("_shared", "m2"), Ref("_shared", "m1"))


def test_equal_standings_go_by_id_and_then_by_project() -> None:
    found = [(table_of_refs("acme", refs), np.array([5, 5])) for refs in (OURS, SHARED)]
    assert merge_standing(found, 3).refs() == [SHARED[1], OURS[0], SHARED[0]]


def test_ties_of_each_entity_go_by_standing_first() -> None:
    found = [
        mentioned_rows("acme", [MentionedRecords(2, OURS, (5, 9)), MentionedRecords(7)]),
        mentioned_rows("acme", [MentionedRecords(2, SHARED, (5, 5)), MentionedRecords(1, SHARED[:1], (3,))]),
    ]
    merged = merge_mentions(found, k=3, hub_above=7)
    assert merged.totals.tolist() == [4, 8]
    assert merged.by_entity()[0].refs == (OURS[1], SHARED[1], OURS[0])
    assert merged.by_entity()[1].refs == ()  # more than a hub over both
