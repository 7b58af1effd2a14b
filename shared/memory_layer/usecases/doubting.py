"""What comes back into use meets what happened to the things that it names while it was out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory
from memory_layer.domain.time.staleness import held_at, last_word_on, last_words, marked_by
from memory_layer.ports.records import Ports

EVENTS_PER_THING: Final = 200
"""Of those since it was last said; a later one of them would say the same."""


def doubted(ports: Ports, memory: Memory) -> Memory:
    """The record, in the same version, as the events since it was last said or vouched for leave it."""
    if not (memory.is_active and memory.entities):
        return memory
    since = (rfc3339(held_at(memory)), "")
    events = [
        event
        for urn in memory.entities
        for event in ports.store.events_of(memory.scope, urn, after=since, limit=EVENTS_PER_THING).events
    ]
    last = last_word_on(memory, last_words(events))
    if last is None:
        return memory
    return replace(marked_by(memory, last).memory, version=memory.version)
