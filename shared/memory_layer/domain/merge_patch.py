"""Merge of a JSON document with a patch of it (RFC 7396)."""

from collections.abc import Collection, Mapping
from typing import Any


def merged(
    document: Mapping[str, Any], patch: Mapping[str, Any], nullable: Collection[str] = ()
) -> dict[str, Any]:
    """Document with the members that the patch gives; null takes a member away.

    Args:
        nullable: members whose own members may be null, and are set to it.
    """
    found = dict(document)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif not isinstance(value, Mapping):
            found[name] = value
        elif name in nullable:
            found[name] = {**_members(found.get(name)), **value}
        else:
            found[name] = merged(_members(found.get(name)), value)
    return found


def _members(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
