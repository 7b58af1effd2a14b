"""Copies of records are what dataclasses.replace makes."""

from dataclasses import replace

import pytest

from memory_layer.domain.record_copy import copied_with
from tests.given import a_memory, new_scope


def test_a_copy_is_the_record_but_for_what_was_changed() -> None:
    memory = a_memory(new_scope(), "m1", content="The cache is cold.", tags=("cache",))
    changed = {"embedding_model": "m", "embedding_text_hash": "h"}
    before = replace(memory)
    assert copied_with(memory, **changed) == replace(memory, **changed)
    assert copied_with(memory) == memory == before


def test_a_field_that_no_record_has_is_refused() -> None:
    with pytest.raises(KeyError, match="colour"):
        copied_with(a_memory(new_scope(), "m1"), colour="red")
