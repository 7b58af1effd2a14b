"""Memory of the fields that a file gives, held to the bounds of a request to store one."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from memory_layer.edge.shapes.problems import violations_of
from memory_layer.edge.shapes.requests import NewMemory, given_fields
from memory_layer.errors import MemoryLayerError
from memory_layer.usecases.transfer.foreign_file import ForeignMemory, ForeignRefusal


def given_memory(where: str, values: Mapping[str, Any]) -> ForeignMemory | ForeignRefusal:
    """Memory of fields as JSON, or the first rule that they break. Args: where: their place in the file."""
    try:
        return ForeignMemory(where, given_fields(NewMemory.model_validate(values)))
    except ValidationError as error:
        first = violations_of({**part, "loc": ("body", *part["loc"])} for part in error.errors())[0]
        return ForeignRefusal(where, f"{first.pointer.lstrip('/')}: {first.detail}")
    except RecursionError:
        return ForeignRefusal(where, "nested too deeply")
    except MemoryLayerError as error:
        return ForeignRefusal(where, error.detail)
