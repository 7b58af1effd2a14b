"""Items of pairs: one for each pair, an entry in its list, and a link under each of its two records.

The pair lies under its id. Beside it, in the same transaction: an entry under `{kind}#{status}#{time}#{id}` in the
project's list, which moves when the pair is resolved or opened again, and a link in the partition of each record that
names all the others, so that an erasure of either finds every item that quotes it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys, record_items
from memory_layer.adapters.aws.table.collection_items import attributes, put_condition, version_condition
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.records_table import TransactItems
from memory_layer.adapters.stored_form.pair_fields import PAIRS
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.memory import Scope

PAIR_ENTRY: Final = "pair_entry"
PAIR_LINK_KIND: Final = "pair_link"


def pair_writes(pair: Pair, before: Pair | None) -> TransactItems:
    """Actions that write a pair; the conditions of the first three ask for the version before and for both records.

    Args:
        before: as it lies there, if it does.
    """
    return [
        {"Put": {"Item": pair_item(pair), **put_condition(pair.version)}},
        *({"ConditionCheck": _record_exists(pair.scope, id)} for id in pair.ids),
        *({"Put": {"Item": item}} for item in (_entry(pair), *_links(pair))),
        *_removal(pair, before),
    ]


def pair_deletes(pair: Pair) -> TransactItems:
    """Actions that delete a pair, its entry and its links; the condition of the first asks for the version."""
    own = {"Key": lifecycle_keys.pair_key(pair.scope, pair.id), **version_condition(pair.version)}
    links = [lifecycle_keys.pair_link_key(pair.scope, id, pair.id) for id in pair.ids]
    return [{"Delete": own}, *({"Delete": {"Key": key}} for key in (_entry_key(pair), *links))]


def _record_exists(scope: Scope, id: str) -> dict[str, Any]:
    """Condition that a record exists and is no tombstone: nobody would ever erase what is written beside one."""
    return {
        "Key": keys.record_key(scope, id),
        "ConditionExpression": "#kind = :memory",
        "ExpressionAttributeNames": {"#kind": "kind"},
        "ExpressionAttributeValues": {":memory": {"S": record_items.MEMORY}},
    }


def _removal(pair: Pair, before: Pair | None) -> Iterator[Mapping[str, Any]]:
    """Deletion of the entry under which the pair stood before."""
    if before is not None and _entry_key(before) != _entry_key(pair):
        yield {"Delete": {"Key": _entry_key(before)}}


def pair_item(pair: Pair) -> dict[str, record_items.Value]:
    return record_items.with_digest(
        {**lifecycle_keys.pair_key(pair.scope, pair.id), **attributes(PAIRS, pair)}
    )


def _entry_key(pair: Pair) -> Key:
    return lifecycle_keys.pair_entry_key(pair.scope, pair.kind, pair.status, pair.found_at, pair.id)


def _entry(pair: Pair) -> dict[str, record_items.Value]:
    return record_items.with_digest(
        {
            **_entry_key(pair),
            **record_items.text_attributes({"kind": PAIR_ENTRY, "id": pair.id, "persona": pair.persona}),
        }
    )


def _links(pair: Pair) -> Iterator[dict[str, record_items.Value]]:
    entry = _entry_key(pair)["sk"]["S"]
    for id, other in (pair.ids, pair.ids[::-1]):
        named = record_items.text_attributes(
            {"kind": PAIR_LINK_KIND, "id": pair.id, "other": other, "entry": entry}
        )
        yield record_items.with_digest({**lifecycle_keys.pair_link_key(pair.scope, id, pair.id), **named})


def keys_of_links(scope: Scope, links: Iterable[record_items.Item]) -> Iterator[Key]:
    """Keys of the other items of the pairs that links belong to."""
    for link in links:
        id, other, entry = (record_items.text_of(link, name) for name in ("id", "other", "entry"))
        if id is not None:
            yield lifecycle_keys.pair_key(scope, id)
        if entry is not None:
            yield {"pk": {"S": lifecycle_keys.pairs_partition(scope)}, "sk": {"S": entry}}
        if id is not None and other is not None:
            yield lifecycle_keys.pair_link_key(scope, other, id)
