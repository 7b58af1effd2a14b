"""Aliases of indexes: they name the indexes that exist, that are searched and that are written to.

Every index has an alias of its own beside the shared ones, and documents are sent to that, with `require_alias`:
what is sent to an index that was dropped meanwhile is refused, where its own name would bring up a new, bare index.
"""

import re
from dataclasses import dataclass
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import NotFoundError, RequestError

from memory_layer.adapters.aws.search.documents import Document, routing_of
from memory_layer.adapters.aws.search.opensearch_client import opensearch_errors, slow_request_params
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.manifest import index

READ_ALIAS = f"{index.ALIAS}-read"
WRITE_ALIAS = f"{index.ALIAS}-write"

OF_A_MODEL = (*index.VECTORS, *index.EXACT.values())

_EXISTS_ALREADY = "resource_already_exists_exception"


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """Index that is written to.

    Args:
        fields: those of its mapping.
        model: whose vectors it holds.
        is_routed: its documents lie by their projects; those of an index of before by their ids.
    """

    name: str
    fields: frozenset[str]
    model: str
    is_routed: bool = False

    @property
    def own_alias(self) -> str:
        return own_alias(self.name)

    def routing(self, scope: Scope) -> dict[str, str]:
        """Part of an action on a document that says where it lies."""
        return {"routing": routing_of(scope)} if self.is_routed else {}

    def shaped(self, document: Document) -> Document:
        """Part of a document that this index can hold: while a new mapping or model moves in, two indexes differ."""
        is_of_its_model = document.get("embedding_model") == self.model
        return {
            name: value
            for name, value in document.items()
            if name in self.fields and (is_of_its_model or name not in OF_A_MODEL)
        }


@dataclass(frozen=True, slots=True)
class IndexNames:
    """Names in one domain.

    Args:
        prefix: before every name, so that tests do not meet.
    """

    client: OpenSearch
    prefix: str = ""

    @property
    def read_alias(self) -> str:
        return self.prefix + READ_ALIAS

    @property
    def write_alias(self) -> str:
        return self.prefix + WRITE_ALIAS

    def name(self, body: dict[str, Any], generation: int) -> str:
        return self.prefix + index.index_name(body, generation)

    def targets(self) -> list[WriteTarget]:
        """Indexes that every change is written to.

        Raises:
            IndexUnavailable: there is none yet, or the domain does not answer.
        """
        with opensearch_errors(f"asking which indexes {self.write_alias} stands for"):
            mappings = self.client.indices.get_mapping(index=self.write_alias)
        return [_target(name, found["mappings"]) for name, found in sorted(mappings.items())]

    def read_from(self) -> set[str]:
        """Indexes that are searched: one, or none before the first.

        Raises:
            IndexUnavailable: the domain does not answer.
        """
        return self._behind(self.read_alias)

    def written_to(self) -> set[str]:
        """Names of the indexes that are written to; none before the first.

        Raises:
            IndexUnavailable: the domain does not answer.
        """
        return self._behind(self.write_alias)

    def create(self, name: str, body: dict[str, Any], *, is_read: bool) -> bool:
        """Creates an index that is written to from now on; False: another caller was first.

        Raises:
            IndexUnavailable: the domain refuses it, or does not answer.
        """
        aliases: dict[str, Any] = {own_alias(name): {}, self.write_alias: {}}
        if is_read:
            aliases[self.read_alias] = {}
        try:
            with opensearch_errors(f"creating index {name}"):
                answer = self.client.indices.create(
                    index=name, body={**body, "aliases": aliases}, params=slow_request_params()
                )
        except IndexUnavailable as error:
            if isinstance(error.__cause__, RequestError) and error.__cause__.error == _EXISTS_ALREADY:
                return False
            raise
        _acknowledged(answer, f"creating index {name}")
        return True

    def move(self, *, read: str, dropped: set[str]) -> None:
        """Moves the aliases in one step: from now on `read` is searched, and nothing is written to what is dropped.

        Raises:
            IndexUnavailable: the domain refuses it, or does not answer.
        """
        what = f"moving {self.read_alias} to {read}"
        old = [
            {"remove": {"index": name, "alias": alias, "must_exist": False}}
            for name in sorted(dropped)
            for alias in (self.read_alias, self.write_alias)
        ]
        new = {"add": {"index": read, "alias": self.read_alias}}
        with opensearch_errors(what):
            answer = self.client.indices.update_aliases(
                body={"actions": [*old, new]}, params=slow_request_params()
            )
        _acknowledged(answer, what)

    def drop(self, name: str) -> None:
        """Deletes an index with its alias; one that does not exist is no error.

        Raises:
            IndexUnavailable: the domain does not answer.
        """
        with opensearch_errors(f"dropping index {name}"):
            self.client.indices.delete(index=name, params=slow_request_params(ignore_unavailable="true"))

    def all_names(self) -> set[str]:
        """All of our indexes, aliased or not.

        Raises:
            IndexUnavailable: the domain does not answer.
        """
        pattern = f"{self.prefix}{index.ALIAS}-*"
        with opensearch_errors(f"listing indexes {pattern}"):
            found = self.client.indices.get_settings(index=pattern, name="index.uuid")
        ours = re.compile(rf"{re.escape(self.prefix)}{index.NAME_PATTERN}")
        return {name for name in found if ours.fullmatch(name)}

    def _behind(self, alias: str) -> set[str]:
        try:
            with opensearch_errors(f"asking which indexes {alias} stands for"):
                return set(self.client.indices.get_alias(name=alias))
        except IndexUnavailable as error:
            if isinstance(error.__cause__, NotFoundError):
                return set()
            raise


def own_alias(name: str) -> str:
    return f"{name}-own"


def generation_of(name: str) -> int:
    """Generation of an index: every new one has a higher number."""
    return int(name.rpartition("-")[2])


def is_shaped_alike(name: str, other: str) -> bool:
    """Says that two indexes have one mapping and one model."""
    return name.rpartition("-")[0] == other.rpartition("-")[0]


def _target(name: str, mapping: dict[str, Any]) -> WriteTarget:
    is_routed = bool(mapping.get("_routing", {}).get("required"))
    return WriteTarget(name, frozenset(mapping["properties"]), mapping["_meta"]["model"], is_routed)


def _acknowledged(answer: Any, what: str) -> None:
    """Checks that a change was acknowledged: only then every node goes by it."""
    if not answer.get("acknowledged"):
        raise IndexUnavailable(f"{what} was not acknowledged by every node of the domain in time; try again")
