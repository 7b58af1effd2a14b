"""Specification of a collection beside the records: the form in which both backends store what is in it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from memory_layer.adapters.stored_form.stored_values import UNREADABLE, parse_stored
from memory_layer.domain.memory import Scope

Cell = str | int | None
"""Stored value of a field."""


class Versioned(Protocol):
    @property
    def version(self) -> int: ...


T = TypeVar("T", bound=Versioned)
Stored = TypeVar("Stored")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSpec(Generic[T]):
    """Form of a collection's records, as texts and integers by name: the same in a row and in an item.

    Args:
        name: of the collection, and of its table.
        fields: stored ones, in their order.
        id: the field of the id.
        documents: fields whose text is JSON.
        cells: stored values of a record, in the order of `fields`.
        read: record of a project that such values were made of. Raises UNREADABLE for damage.
        noun: what a record is called in the error about damage to it; None: damaged ones are left out of all answers,
            verify names them, and they keep no other from taking effect.
    """

    name: str
    fields: tuple[str, ...]
    id: str = "id"
    documents: frozenset[str] = frozenset()
    cells: Callable[[T], Mapping[str, Cell]]
    read: Callable[[Scope, Mapping[str, Any]], T]
    noun: str | None = None

    def id_of(self, record: T) -> str:
        return str(getattr(record, self.id))

    def records(
        self,
        scope: Scope,
        stored: Iterable[Stored],
        sound: Callable[[Stored], Mapping[str, Any]],
        named: Callable[[Stored], str],
    ) -> list[T]:
        """Records of rows or items.

        Args:
            sound: values of one by name. Raises UNREADABLE if it does not match its digest.
            named: id of one, as it lies there.

        Raises:
            StoreUnavailable: one is damaged, in a collection where that is an error.
        """

        def parse(one: Stored) -> T:
            values = sound(one)
            return self.read(scope, {name: values[name] for name in self.fields})

        if self.noun is not None:
            return [parse_stored(parse, one, f"{self.noun} {named(one)}") for one in stored]
        found: list[T] = []
        for one in stored:
            with suppress(*UNREADABLE):
                found.append(parse(one))
        return found
