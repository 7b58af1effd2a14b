"""Conditions of a LangGraph store: filters over values, and patterns of namespaces."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from langgraph.store.base import ListNamespacesOp, MatchCondition

from memory_layer.integrations.langgraph_items import Namespace

_ORDERINGS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def accepts(filter: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Tells whether a value meets every condition of a filter.

    Args:
        filter: by field: a plain value, an object of conditions on its own fields, or operators: `$eq`, `$ne`,
            `$gt`, `$gte`, `$lt`, `$lte`. Numbers are ordered among numbers, texts among texts.

    Raises:
        ValueError: an operator that is none of these.
    """
    return all(_meets(value.get(field), wanted) for field, wanted in (filter or {}).items())


def _meets(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, Mapping):
        return _equal(value, wanted)
    if any(name.startswith("$") for name in wanted):
        return all(_compared(value, name, bound) for name, bound in wanted.items())
    return isinstance(value, Mapping) and accepts(wanted, value)


def _equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list | tuple) and len(value) == len(wanted)
        return alike and all(map(_meets, value, wanted))
    return bool(value == wanted)


def _compared(value: Any, name: str, bound: Any) -> bool:
    if name in ("$eq", "$ne"):
        return _equal(value, bound) == (name == "$eq")
    if name not in _ORDERINGS:
        known = ", ".join(("$eq", "$ne", *_ORDERINGS))
        raise ValueError(f"Unsupported operator: {name}; there are {known}")
    return _may_be_ordered(value, bound) and _ORDERINGS[name](value, bound)


def _may_be_ordered(value: Any, bound: Any) -> bool:
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (value, bound))
    return numbers or (isinstance(value, str) and isinstance(bound, str))


def known_prefix(op: ListNamespacesOp) -> Namespace:
    """The longest prefix that every namespace in question has, by the conditions without their wildcards."""
    prefixes = [_before_wildcard(one.path) for one in op.match_conditions or () if one.match_type == "prefix"]
    return max(prefixes, key=len, default=())


def _before_wildcard(path: Sequence[str]) -> Namespace:
    return tuple(path[: path.index("*")] if "*" in path else path)


def listed(namespaces: Iterable[Namespace], op: ListNamespacesOp) -> list[Namespace]:
    """Namespaces that meet the conditions, cut at `max_depth`, in order, one page of them."""
    met = {one for one in namespaces if all(_matches(wanted, one) for wanted in op.match_conditions or ())}
    cut = sorted({one[: op.max_depth] for one in met})
    return cut[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(path) > len(namespace):
        return False
    near = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return not path or all(wanted in ("*", label) for wanted, label in zip(path, near, strict=True))
