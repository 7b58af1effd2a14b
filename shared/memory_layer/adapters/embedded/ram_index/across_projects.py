"""Merging of the answers of several projects into one."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import Final

from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.blending import Arms
from memory_layer.domain.retrieval.mentions import Key
from memory_layer.ports.index import MentionedRecords

ProjectMentions = Sequence[tuple[int, Sequence[tuple[int, str]]]]
"""Answer of `ProjectIndex.mentioning`: of each thing the count of its records, and the best with standing and id."""


def merge_mentions(
    mentions: Sequence[Key], found: Iterable[tuple[str, ProjectMentions]], k: int, hub_above: int
) -> dict[Key, MentionedRecords]:
    """Merges the records that each project has tied to these things, best first.

    Args:
        found: each project's name, and its answer for each of `mentions` in their order.
        hub_above: a thing with more records than this over all projects is a hub, and none of them is named.
    """
    projects = list(found)
    answers = {}
    for place, key in enumerate(mentions):
        total = sum(of_one[place][0] for _, of_one in projects)
        best = nsmallest(
            k, ((-score, id, name) for name, of_one in projects for score, id in of_one[place][1])
        )
        if total > hub_above:
            best = []
        if total:
            refs = tuple(Ref(name, id) for _, id, name in best)
            answers[key] = MentionedRecords(total, refs, tuple(-standing for standing, *_ in best))
    return answers


_ARMS: Final = ("content_lexical", "content_semantic", "context_lexical", "context_semantic")


def merge_arms(found: Mapping[str, Arms[str]], k: int) -> Arms[Ref]:
    """The best `k` of each arm over all projects, best first."""
    return Arms(**{arm: _best({p: getattr(arms, arm) for p, arms in found.items()}, k) for arm in _ARMS})


def _best(scores: Mapping[str, Mapping[str, float]], k: int) -> dict[Ref, float]:
    hits = [(Ref(project, id), score) for project, ranked in scores.items() for id, score in ranked.items()]
    if len(scores) > 1:
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
    return dict(hits[:k])
