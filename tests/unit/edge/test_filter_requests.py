"""Requests have every filter of the domain, and a new one is forgotten nowhere."""

from __future__ import annotations

from dataclasses import fields
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from pydantic import ValidationError
from typer.main import get_command

from memory_layer.adapters.project_index import filter_columns
from memory_layer.cli.app import app
from memory_layer.cli.terminal.filter_options import OPTION_OF
from memory_layer.domain.filters import EQUALITIES, Filters
from memory_layer.domain.memory import Memory
from memory_layer.edge.shapes.filter_requests import BESIDE, FilterFields, Listing

NOT_TYPED = {"is_approved", "is_doubted"}
"""Filters that `mem list` does not offer."""


def _is_choice(name: str) -> bool:
    hint = get_type_hints(Memory).get(name)
    return any(get_origin(one) is Literal for one in (hint, *get_args(hint)))


def test_requests_have_every_filter_with_its_words() -> None:
    asked = {one.name for one in fields(Filters)} - set(BESIDE)
    assert set(FilterFields.model_fields) == asked
    assert [name for name, field in FilterFields.model_fields.items() if not field.description] == []
    assert asked < set(Listing.model_fields)


def test_a_filter_takes_the_values_of_its_field() -> None:
    FilterFields.model_validate({"type": ["pattern"], "tags": ["any"], "min_confidence": 0.5})
    for wrong in ({"type": ["unheard_of"]}, {"tags": [""]}, {"min_confidence": 1.5}, {"unheard_of": ["a"]}):
        with pytest.raises(ValidationError):
            FilterFields.model_validate(wrong)


def test_texts_of_any_value_have_a_column_for_many() -> None:
    """Falls where a filter on texts that callers invent is missing in `_OPEN_TEXTS`."""
    free = {name for name in EQUALITIES if not _is_choice(name)} | {"complexity"}
    assert set(filter_columns._OPEN_TEXTS) == free


@pytest.mark.parametrize(
    ("command", "missing"), [("list", NOT_TYPED), ("search", {*NOT_TYPED, "status", "pinned"})]
)
def test_the_terminal_offers_every_filter_but_those_that_are_listed(command: str, missing: set[str]) -> None:
    """Falls where a filter of the domain is no option of the command."""
    offered = {one.name for one in get_command(app).commands[command].params}  # type: ignore[attr-defined]
    assert {
        one.name for one in fields(Filters) if OPTION_OF.get(one.name, one.name) not in offered
    } == missing
