"""Items of the audit log: what a commit tells the projector, and the chain that the projector makes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import Item, Value, bytes_of, text_attributes, text_of
from memory_layer.domain.audit import (
    PERSON_ERASED,
    PROJECT_ERASED,
    AuditEvent,
    AuditHead,
    AuditLink,
    event_of,
    event_text,
)
from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.memory import Scope

TOLD: Final = "audit"
"""Attribute of the log's items that has the events; the stream's filter asks for it."""

NOTE: Final = f"{keys.AFTER_TIMES}audit#"
"""Sort key of what is told beside the changes: behind all entries of changes, which others read."""

LAST_POSITION: Final = "9" * 20

LATEST: Final = timedelta(days=2)
"""Time after which no event comes any more: a stream keeps it for one day."""


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """Event in the project's log.

    Args:
        source: its item there, and its place in it: the same at every delivery.
        forgets: the person whose erasure it tells of.
    """

    scope: Scope
    source: str
    at: datetime
    event: AuditEvent
    forgets: str | None = None


def told_attribute(events: Sequence[AuditEvent]) -> dict[str, Value]:
    return {TOLD: {"S": canonical_json([[event.about or "", event_text(event)] for event in events])}}


def note_item(
    scope: Scope, at: datetime, token: str, events: Sequence[AuditEvent], forgets: str | None = None
) -> dict[str, Value]:
    """Item of a commit's events beside its changes, which the projector removes. Args: token: never the same."""
    key = keys.item_key(keys.log_partition(scope), f"{NOTE}{keys.log_position(at)}#{token}")
    return {**key, **text_attributes({"kind": "note", "forgets": forgets}), **told_attribute(events)}


def told_events(item: Item) -> list[ToldEvent]:
    """Events of an item of the log. Raises: one of ITEM_ERRORS: it cannot be read."""
    tenant, project, _ = item["pk"]["S"].split("#")
    sort = item["sk"]["S"]
    at = keys.EPOCH + timedelta(microseconds=int(sort.removeprefix(NOTE).partition("#")[0]))
    told = json.loads(item[TOLD]["S"])
    return [
        ToldEvent(
            Scope(tenant, project), f"{sort}#{place}", at, event_of(text, about), text_of(item, "forgets")
        )
        for place, (about, text) in enumerate(told)
    ]


def forgotten_names(told: Sequence[ToldEvent]) -> dict[str, datetime]:
    """Persons whose erasure events tell of, with its time; empty: everybody, with the project."""
    names = ((_forgotten_name(one), one.at) for one in sorted(told, key=lambda one: one.at))
    return {name: at for name, at in names if name is not None}


def _forgotten_name(told: ToldEvent) -> str | None:
    if told.event.what == PERSON_ERASED:
        return told.forgets
    return "" if told.event.what == PROJECT_ERASED else None


def audit_partition(scope: Scope) -> str:
    return f"{keys.project_partition(scope)}#audit"


def link_key(scope: Scope, position: int) -> keys.Key:
    return keys.item_key(audit_partition(scope), f"{position:020d}")


def head_key(scope: Scope) -> keys.Key:
    return keys.item_key(audit_partition(scope), "head")


def source_prefix(about: str) -> str:
    """Beginning of the sort keys that say where the entries about an id are."""
    return f"source#{keys.text_digest(about)}#"


def source_key(told: ToldEvent) -> keys.Key:
    """Key of the item that says where an event is in the chain: whoever finds it there chains it no more."""
    about = told.event.about or ""
    return keys.item_key(audit_partition(told.scope), f"{source_prefix(about)}{told.source}")


def erased_key(scope: Scope, about: str) -> keys.Key:
    """Key of the item that has the version up to which an id is erased: what comes late is not told any more."""
    return keys.item_key(audit_partition(scope), f"erased#{keys.text_digest(about)}")


def forgotten_key(scope: Scope, name: str) -> keys.Key:
    """Key of the item that says until when a person is forgotten. Args: name: empty: everybody, with the project."""
    return keys.item_key(audit_partition(scope), f"forgotten#{keys.text_digest(name)}")


def forgotten_item(scope: Scope, name: str, until: datetime) -> dict[str, Value]:
    """Item of a forgotten person, which ends by itself once nothing from before is on its way."""
    texts = text_attributes({"kind": "audit_forgotten", "until": rfc3339(until)})
    ends = {"N": str(keys.ttl_seconds(until + LATEST))}
    return {**forgotten_key(scope, name), **texts, "expires_s": ends}


def source_item(told: ToldEvent, link: AuditLink) -> dict[str, Value]:
    named = text_attributes({"kind": "audit_source"})
    return {**source_key(told), **named, "position": {"N": str(link.position)}}


def erased_item(scope: Scope, about: str, last: str) -> dict[str, Value]:
    """Item of an erased id. Args: last: its last version."""
    return {**erased_key(scope, about), **text_attributes({"kind": "audit_erased"}), "version": {"N": last}}


def link_item(scope: Scope, link: AuditLink) -> dict[str, Value]:
    salt = {} if link.salt is None else {"salt": {"B": link.salt}}
    texts = {"kind": "audit", "at": link.at, "about": link.about or None, "payload": link.payload}
    return {
        **link_key(scope, link.position),
        **text_attributes({**texts, "sealed": link.sealed, "digest": link.digest}),
        **salt,
    }


def link_of(item: Item) -> AuditLink:
    return AuditLink(
        position=int(item["sk"]["S"]),
        at=text_of(item, "at") or "",
        about=text_of(item, "about") or "",
        sealed=text_of(item, "sealed") or "",
        digest=text_of(item, "digest") or "",
        payload=text_of(item, "payload"),
        salt=bytes_of(item["salt"]) if "salt" in item else None,
    )


def head_item(scope: Scope, head: AuditHead) -> dict[str, Value]:
    named = text_attributes({"kind": "audit_head", "digest": head.digest})
    return {**head_key(scope), **named, "position": {"N": str(head.position)}}


def head_of(item: Item | None) -> AuditHead:
    return (
        AuditHead() if item is None else AuditHead(int(item["position"]["N"]), text_of(item, "digest") or "")
    )
