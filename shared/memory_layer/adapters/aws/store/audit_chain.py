"""Chain of the audit log, made by the projector: each event once, whoever else appends, however often it is told."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from memory_layer.adapters.aws.table import audit_items, keys
from memory_layer.adapters.aws.table.audit_items import ToldEvent
from memory_layer.adapters.aws.table.record_items import Item, number_of
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.domain import audit
from memory_layer.domain.audit import AuditEvent, AuditHead, AuditLink
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.audit import has_value

EVENTS_AT_ONCE: Final = 32
"""Events of one transaction: three items each at most, and the head."""

READ_AT_ONCE: Final = 100
"""Items of one read. Source: DynamoDB API reference, BatchGetItem."""

_ROLES: Final = ("principal", "user", "persona")
_NAMED: Final = " OR ".join(f"contains(#a, :{role})" for role in _ROLES)


class AuditChain:
    """Writer of the chains of all projects. Args: new_token: makes a client token, never the same."""

    def __init__(self, table: RecordsTable, new_token: Callable[[], str]) -> None:
        self._table = table
        self._new_token = new_token

    def append(self, told: Sequence[ToldEvent]) -> None:
        """Chains events that are not chained yet, in this order, and removes what an erasure takes along.

        Raises:
            StoreUnavailable: some may be missing; done again, it chains those alone.
        """
        by_project: defaultdict[Scope, list[ToldEvent]] = defaultdict(list)
        for one in told:
            by_project[one.scope].append(one)
        for scope, events in by_project.items():
            for start in range(0, len(events), EVENTS_AT_ONCE):
                self._append_once(scope, events[start : start + EVENTS_AT_ONCE])
            self._forget_erased(events)
            self._table.delete_each([key for one in events if (key := _note_key(one)) is not None])

    def chained(self, told: Sequence[ToldEvent]) -> list[tuple[Scope, AuditLink]]:
        """Links of events that are chained, by project and in the order of its chain, as they lie there now."""
        scopes = {audit_items.audit_partition(one.scope): one.scope for one in told}
        sources = {(one.scope, one.source, one.event.about): audit_items.source_key(one) for one in told}
        places = {(scopes[item["pk"]["S"]], int(item["position"]["N"])) for item in self._each(sources)}
        found = self._each({place: audit_items.link_key(*place) for place in places})
        links = [(scopes[item["pk"]["S"]], audit_items.link_of(item)) for item in found]
        return sorted(links, key=lambda one: (one[0], one[1].position))

    def _each(self, by_name: Mapping[Any, keys.Key]) -> Iterator[Item]:
        """Items of these keys, each of which may be asked for once."""
        wanted = list(by_name.values())
        for start in range(0, len(wanted), READ_AT_ONCE):
            yield from self._table.get_chunk(wanted[start : start + READ_AT_ONCE])

    def _append_once(self, scope: Scope, told: Sequence[ToldEvent]) -> None:
        """Appends what is not in the chain, by the sources read after the head that it is appended to."""
        for _ in self._table.backoff.rounds():
            head = audit_items.head_of(self._table.get(audit_items.head_key(scope)))
            new = self._not_chained(told)
            if not new or self._table.transact(self._actions(scope, head, new), self._new_token()) is None:
                return
        raise StoreUnavailable(f"the audit log of {scope.project} is appended to by others at each attempt")

    def _not_chained(self, told: Sequence[ToldEvent]) -> list[ToldEvent]:
        by_sort = {audit_items.source_key(one)["sk"]["S"]: one for one in told}
        found = self._table.get_chunk([audit_items.source_key(one) for one in by_sort.values()], ("sk",))
        known = {item["sk"]["S"] for item in found}
        return [one for sort, one in by_sort.items() if sort not in known]

    def _actions(self, scope: Scope, head: AuditHead, new: Sequence[ToldEvent]) -> list[dict[str, Any]]:
        """Links behind the head, with their sources, if nobody else has appended since it was read."""
        links = self._links(scope, head, new)
        puts = [audit_items.link_item(scope, link) for link in links]
        puts += [audit_items.source_item(one, link) for one, link in zip(new, links, strict=True)]
        puts += _erased_items(scope, new)
        forgotten = audit_items.forgotten_names(new).items()
        puts += [audit_items.forgotten_item(scope, name, at) for name, at in forgotten]
        return [
            *({"Put": {"Item": item}} for item in puts),
            _moved(scope, head, audit.head_after(head, links)),
        ]

    def _links(self, scope: Scope, head: AuditHead, new: Sequence[ToldEvent]) -> list[AuditLink]:
        """Links of events; what is told after the erasure of its memory or its person has no readable part."""
        erased, forgotten = self._erased_versions(scope, new), self._forgotten_until(scope, new)
        links: list[AuditLink] = []
        for one in new:
            (link,) = audit.chained(head, [one.event], rfc3339(one.at), [os.urandom(audit.SALT_BYTES)])
            head = AuditHead(link.position, link.digest)
            is_late = _is_erased(one, erased) or _is_forgotten(one, forgotten)
            links.append(replace(link, payload=None, salt=None) if is_late else link)
        return links

    def _erased_versions(self, scope: Scope, new: Sequence[ToldEvent]) -> dict[str, int]:
        named = {one.event.about for one in new if one.event.about}
        wanted = {audit_items.erased_key(scope, about)["sk"]["S"]: about for about in named}
        if not wanted:
            return {}
        found = self._table.get_chunk([audit_items.erased_key(scope, about) for about in named])
        return {wanted[item["sk"]["S"]]: number_of(item, "version") or 0 for item in found}

    def _forgotten_until(self, scope: Scope, new: Sequence[ToldEvent]) -> dict[str, str]:
        """Times up to which persons of events are forgotten, by what the table has and what these events tell."""
        acting = {name for one in new for name in _people(one.event) if name}
        wanted = {audit_items.forgotten_key(scope, name)["sk"]["S"]: name for name in (*acting, "")}
        found = self._table.get_chunk([audit_items.forgotten_key(scope, name) for name in wanted.values()])
        told = {name: rfc3339(at) for name, at in audit_items.forgotten_names(new).items()}
        return {wanted[item["sk"]["S"]]: item["until"]["S"] for item in found} | told

    def _forget_erased(self, told: Sequence[ToldEvent]) -> None:
        for one in told:
            if one.event.what in audit.ERASES_ITS_OWN and one.event.about:
                for key in self._links_before(one):
                    self._remove_readable(key)
            for name in audit_items.forgotten_names([one]):
                self._forget_before(one, name)

    def _forget_before(self, erasure: ToldEvent, name: str) -> None:
        """Removes the readable parts before an erasure that name a person. Args: name: empty: all readable parts."""
        own = self._table.get(audit_items.source_key(erasure)) or {}
        part = KeyRange(
            audit_items.audit_partition(erasure.scope),
            "0",
            f"{(number_of(own, 'position') or 1) - 1:020d}",
            names=("pk", "sk"),
            where=_NAMED if name else "attribute_exists(#a)",
            filtered={"#a": "payload"},
            values={f":{role}": {"S": has_value(role, name)} for role in _ROLES} if name else {},
        )
        for item in self._table.whole(part):
            self._remove_readable({"pk": item["pk"], "sk": item["sk"]})

    def _links_before(self, erasure: ToldEvent) -> Iterator[keys.Key]:
        """Keys of the entries about an erased id that were chained before its erasure."""
        prefix = audit_items.source_prefix(erasure.event.about or "")
        part = KeyRange(audit_items.audit_partition(erasure.scope), prefix, f"{prefix}{keys.AFTER_TIMES}~")
        found = {item["sk"]["S"]: int(item["position"]["N"]) for item in self._table.whole(part)}
        own = found[audit_items.source_key(erasure)["sk"]["S"]]
        return (audit_items.link_key(erasure.scope, at) for at in sorted(found.values()) if at < own)

    def _remove_readable(self, key: keys.Key) -> None:
        try:
            self._table.update(
                Key=key,
                UpdateExpression="REMOVE payload, salt",
                ConditionExpression="attribute_exists(payload)",
            )
        except ConditionFailed:
            return  # it is gone already


def _is_erased(told: ToldEvent, erased: Mapping[str, int]) -> bool:
    event = told.event
    is_change = event.what not in audit.ERASES_ITS_OWN
    return is_change and (event.after or 0) <= erased.get(event.about or "", -1)


def _people(event: AuditEvent) -> tuple[str | None, ...]:
    return event.principal, event.user, event.persona


def _is_forgotten(told: ToldEvent, until: Mapping[str, str]) -> bool:
    """Says that an event is of a person, or of a project, that was erased after it."""
    names, at = ("", *_people(told.event)), rfc3339(told.at)
    return told.event.what not in audit.ERASES_ANY and any(at < until.get(name or "", "") for name in names)


def _moved(scope: Scope, before: AuditHead, after: AuditHead) -> dict[str, Any]:
    put: dict[str, Any] = {"Item": audit_items.head_item(scope, after)}
    if before.position == 0:
        return {"Put": {**put, "ConditionExpression": "attribute_not_exists(pk)"}}
    condition = {
        "ConditionExpression": "#digest = :read",
        "ExpressionAttributeNames": {"#digest": "digest"},
        "ExpressionAttributeValues": {":read": {"S": before.digest}},
    }
    return {"Put": {**put, **condition}}


def _erased_items(scope: Scope, new: Sequence[ToldEvent]) -> list[dict[str, Any]]:
    """Marks of erased ids, each once, with the last version that is erased."""
    marks = {
        one.event.about: str(one.event.after or one.event.before or 0)
        for one in new
        if one.event.what in audit.ERASES_ITS_OWN and one.event.about
    }
    return [audit_items.erased_item(scope, id, last) for id, last in marks.items()]


def _note_key(told: ToldEvent) -> keys.Key | None:
    """Key of an item that is there for the audit log alone; of several events the first one's has it."""
    sort, _, place = told.source.rpartition("#")
    is_note = sort.startswith(audit_items.NOTE) and place == "0"
    return keys.item_key(keys.log_partition(told.scope), sort) if is_note else None
