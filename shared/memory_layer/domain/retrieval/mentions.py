"""Mention keys, by which an index finds the memories tied to an entity: derived from the record, never part of it."""

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.domain.text.entity_extraction import Mention, MentionKind, mentions_in

_LETTERS: Final[dict[str, str]] = {
    "urn": "u",
    "name": "n",
    "place": "n",  # the same as a name: a place is a name after a preposition, and may elsewhere be without one
    "date": "d",
    "identifier": "i",
    "path": "p",
}
_KINDS: Final[dict[str, MentionKind]] = {"u": "urn", "n": "name", "d": "date", "i": "identifier", "p": "path"}

Key = str
"""Key of an entity: a letter for its kind, a colon, and the form by which texts are compared."""

EdgeType = str
"""Type of a tie: `mentions`, `supersedes`, `superseded_by`, `derived_from`, `learned_in`, `linked`, or a relation's."""

MENTIONS: Final = "mentions"


class Edge(NamedTuple):
    """Tie of a memory to an entity, or to another memory by its id."""

    type: EdgeType
    target: Key


class MentionedRecords(NamedTuple):
    """Number of records tied to an entity, and those in the best standing, best first.

    Args:
        standings: by record of `refs`, confidence x relevance_score in millionths.
    """

    total: int
    refs: tuple[Ref, ...] = ()
    standings: tuple[int, ...] = ()


def named_keys(memory: Memory) -> tuple[Key, ...]:
    """Keys that the record's own fields tie it to, regardless of direction, which `edges_of` gives."""
    return tuple(dict.fromkeys(edge.target for edge in _field_edges(memory)))


def named_targets(targets: Iterable[str]) -> tuple[Key, ...]:
    """Keys of the targets that fields name: entities, targets of relations, other memories, recalls and runs."""
    return tuple(dict.fromkeys(map(entity_key, targets)))


def said_keys(content: str) -> tuple[Key, ...]:
    """Keys of the entities that a content mentions, by rule."""
    return tuple(map(key_of, mentions_in(content)))


KEPT_MENTIONS_MAX: Final = 8_192
"""Texts whose keys are kept, some 4 MB: walks go through hundreds of the same ones."""

_said: Final = DigestCache(said_keys, KEPT_MENTIONS_MAX)


def mention_keys(memory: Memory) -> tuple[Key, ...]:
    """All keys that an index finds the record by. Args: memory: with its full content, else keys are missing."""
    return tuple(dict.fromkeys((*named_keys(memory), *said_keys(memory.content))))


def edges_of(memory: Memory) -> list[Edge]:
    """Ties of a record, each once, those of its fields first."""
    found = list(dict.fromkeys(_field_edges(memory)))
    said = _said.of(memory.content)
    if not said:
        return found
    taken = {target for _, target in found}
    return [*found, *(Edge(MENTIONS, key) for key in said if key not in taken)]


def key_of(mention: Mention) -> Key:
    return f"{_LETTERS[mention.kind]}:{mention.form}"


def entity_key(name: str) -> Key:
    """Key of an entity as records name it, or of a memory by its id: exactly as written."""
    return f"u:{name}"


def keys_of_name(name: str) -> tuple[Key, ...]:
    """Keys that a caller may mean by the name of an entity: as records name it, or as texts mention it.

    Args:
        name: `urn:table:orders`, `Amy Nutt`, or with its kind, as a graph shows it: `name:amy nutt`.
    """
    folded = " ".join(name.split()).casefold()
    kind, _, form = folded.partition(":")
    if kind in _LETTERS and kind != "urn" and form:
        return (entity_key(name), f"{_LETTERS[kind]}:{form}")
    letters: Iterable[str] = () if kind == "urn" else ("n", "d", "i", "p")
    return (entity_key(name), *(f"{letter}:{folded}" for letter in letters))


def entity_label(key: Key) -> str:
    """Name of an entity in a graph and in queries: a URN or an id as it is, else with its kind."""
    return form_of(key) if names_exactly(key) else f"{kind_of(key)}:{form_of(key)}"


def names_exactly(key: Key) -> bool:
    """Tests if a key is one that records and events name, a URN or an id, not one that texts mention."""
    return key.startswith("u:")


def kind_of(key: Key) -> MentionKind | Literal["entity"]:
    """Kind of an entity by its key; `entity` is one that records name by an id or a word, not by a URN."""
    letter, _, form = key.partition(":")
    return "entity" if letter == "u" and form[:4].casefold() != "urn:" else _KINDS[letter]


def form_of(key: Key) -> str:
    return key.partition(":")[2]


def _field_edges(memory: Memory) -> list[Edge]:
    found = [Edge(MENTIONS, entity_key(entity)) for entity in memory.entities]
    found += [Edge(relation.type, entity_key(relation.target)) for relation in memory.relations]
    if memory.supersedes is not None:
        found.append(Edge("supersedes", entity_key(memory.supersedes)))
    if memory.superseded_by is not None:
        found.append(Edge("superseded_by", entity_key(memory.superseded_by)))
    if memory.source_recall_id is not None:
        found.append(Edge("derived_from", entity_key(memory.source_recall_id)))
    found += [Edge(MENTIONS, f"d:{time.from_.isoformat()}") for time in memory.times if time.is_day]
    if memory.source_runs or memory.source_run_id:
        runs = (*memory.source_runs, *((memory.source_run_id,) if memory.source_run_id else ()))
        found += [Edge("learned_in", entity_key(run)) for run in runs]
    return found
