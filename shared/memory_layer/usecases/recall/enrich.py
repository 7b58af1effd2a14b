"""Enrichment of a tool's response: memories that name its URNs, as a block to put beside it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from memory_layer.domain.access import Principal, without_copies
from memory_layer.domain.context.fragments import chars4
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.prompt import render_memories
from memory_layer.domain.retrieval.mentions import MentionedRecords, entity_key, mention_keys
from memory_layer.domain.text.urns import UrnsFound, urns_in
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch, search_for_all
from memory_layer.usecases.recall.graph_edges import edges_before_search
from memory_layer.usecases.recall.hydrate import hydrate_shown
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.recall.prompt_candidates import leave_receipt
from memory_layer.usecases.recall.redact_answers import redacted_memories

LIMIT_MAX: Final = 50
TOKENS_MAX: Final = 32_000
DEFAULT_TOKENS: Final = 2_000

READ_MORE: Final = 2
"""Records read for each that is shown: some may not be visible, others too long."""


@dataclass(frozen=True, slots=True)
class Enrichment:
    """Block of memories for a payload, and the records and URNs behind it.

    Args:
        found: URNs of the payload that a visible memory names, with how many of the memories shown name each.
        unknown: URNs that no memory names which the caller may see.
        is_whole: all of the payload was looked at.
        tokens: of the block, as `fragments.chars4` counts them.
        note: what was not there to be used; None: all was.
    """

    memory_context: str
    recall_id: str
    memories: tuple[Memory, ...]
    found: Mapping[str, int]
    unknown: tuple[str, ...]
    is_whole: bool
    tokens: int
    note: str | None = None


def enrich(
    ports: Ports, principal: Principal, project: str, payload: Any, *, limit: int, tokens_max: int
) -> Enrichment:
    """Finds the URNs in a payload and the memories that name them: the best of each, in turns, until the block is full.

    While the index is down, the newest records stand in for it.

    Args:
        payload: text, or what a JSON parser makes.
        limit: memories at most, 1 to LIMIT_MAX.
        tokens_max: of the block, by `fragments.chars4`; 1 to TOKENS_MAX.

    Source: Persona-Scoped Memory, cross-enrichment.
    """
    search, urns = search_for_all(ports, principal, project), urns_in(payload)
    return ports.turns.run(partial(_enriched, ports, principal, search, urns, limit, tokens_max))


def _enriched(
    ports: Ports, principal: Principal, search: CandidateSearch, urns: UrnsFound, limit: int, tokens_max: int
) -> Enrichment:
    """Looks up and reads what names the URNs of a payload."""
    visibility = Visibility(ports.store.projects, search.viewer, search.now)
    reading = HitReader(ports.store.memories, ports.store.history, search, visibility, (search.filters,))
    known, no_index = _known(ports, search, reading, urns, limit)
    naming, no_bodies = _read(reading, known, limit)
    clean = redacted_memories((memory for memory, _ in naming), search.project, visibility)
    shown = _fitting(clean, limit, tokens_max)
    refs = {memory.ref for memory in shown}
    counts = Counter(urn for memory, named in naming if memory.ref in refs for urn in named)
    seen = {urn for _, named in naming for urn in named}
    block = render_memories(shown, are_numbered=True)
    return Enrichment(
        memory_context=block,
        recall_id=leave_receipt(ports, principal, search, shown),
        memories=tuple(shown),
        found={urn: counts[urn] for urn in urns.urns if urn in seen},
        unknown=tuple(urn for urn in urns.urns if urn not in seen),
        is_whole=urns.is_whole,
        tokens=chars4([block])[0],
        note="; ".join((*no_index, *no_bodies)) or None,
    )


def _known(
    ports: Ports, search: CandidateSearch, reading: HitReader, urns: UrnsFound, limit: int
) -> tuple[dict[str, MentionedRecords], tuple[str, ...]]:
    """Finds the records that name each URN; and notes on what was not there to be asked."""
    if not urns.urns:
        return {}, ()
    keys = {entity_key(urn): urn for urn in urns.urns}
    known = edges_before_search(ports, search, reading)
    mentioning = known.by_key(list(keys), k=READ_MORE * limit)
    return {keys[key]: one for key, one in mentioning.items()}, known.notes


def _read(
    reading: HitReader, known: Mapping[str, MentionedRecords], limit: int
) -> tuple[list[tuple[Memory, frozenset[str]]], tuple[str, ...]]:
    """Reads visible records with the URNs that each names, in turns over the URNs; and notes on missing bodies."""
    if not known:
        return [], ()
    refs = list(dict.fromkeys(_in_turns([one.refs for one in known.values()])))
    read = without_copies(reading.some(refs[: READ_MORE * (limit + len(known))]))
    memories, notes = hydrate_shown(reading.memories, read)
    naming = ((memory, _named(memory, known)) for memory in memories)
    return [(memory, named) for memory, named in naming if named], notes


def _in_turns(lists: Sequence[Sequence[Ref]]) -> Iterator[Ref]:
    return (ref for row in zip_longest(*lists) for ref in row if ref is not None)


def _named(memory: Memory, known: Mapping[str, MentionedRecords]) -> frozenset[str]:
    """URNs that a record names, read off the record: the index is no authority."""
    keys = frozenset(mention_keys(memory))
    return frozenset(urn for urn in known if entity_key(urn) in keys)


def _fitting(memories: Sequence[Memory], limit: int, tokens_max: int) -> list[Memory]:
    """Memories that fit, in their order; a long one is left out and does not keep out those behind it."""
    shown: list[Memory] = []
    for memory in memories:
        if (
            len(shown) < limit
            and chars4([render_memories([*shown, memory], are_numbered=True)])[0] <= tokens_max
        ):
            shown.append(memory)
    return shown
