"""Search for the contents near to the lines of a batch: in the index, and among the last writes as they are stored."""

import sqlite3
from collections.abc import Mapping

import numpy as np

from memory_layer.adapters.embedded.ram_index.project_loading import LoadedProjects
from memory_layer.adapters.embedded.sqlite.recent_contents import contents_since
from memory_layer.adapters.project_index.content_neighbours import near_rows
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.ports.index import NearContents, NearQuery

_WRITES_AS_STORED = 16
"""Writes that are read from their rows: to bring the index up to date costs more than that."""


def near_contents(
    projects: LoadedProjects, reader: sqlite3.Connection, layout: VectorLayout, query: NearQuery
) -> NearContents:
    """The contents near to each vector; all that is committed by now is compared."""
    lines = np.stack([layout.widened(vector) for vector in query.vectors])
    project, index, seen, position = projects.at_hand(query.scope, _WRITES_AS_STORED)
    if project is None or index is None:
        return NearContents(({},) * len(lines), 0)
    found = index.near_contents(lines, query)
    for model, span in layout.spans.items():
        late = contents_since(
            reader,
            project.key,
            seen,
            persona=query.persona,
            model=model,
            dimensions=layout.dimensions[model],
            now=query.now,
            is_of_all=query.is_of_all,
        )
        new = near_rows(late, lines[:, span], query.k, query.nearer_than)
        found = [{**old, **more} for old, more in zip(found, new, strict=True)]
    return NearContents(tuple(_refs(query.scope, near) for near in found), position)


def _refs(scope: Scope, found: Mapping[str, float]) -> dict[Ref, float]:
    return {Ref(scope.project, id): cosine for id, cosine in found.items()}
