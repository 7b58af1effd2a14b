"""Lines of a batch that were refused for an earlier one which another writer overtook: they are decided on again."""

from collections.abc import Sequence

from memory_layer.errors import Duplicate
from memory_layer.usecases.write.write_line import WriteLine


def resting_on_nothing(lines: Sequence[WriteLine], results: Sequence[object]) -> list[WriteLine]:
    """Lines refused as duplicates of a line of the batch that was refused itself when it was stored.

    Args:
        results: of all requests, by the positions of the lines.
    """
    refused = {line.memory.id for line in lines if isinstance(results[line.position], Duplicate)}
    return [
        line
        for line in lines
        if isinstance(result := results[line.position], Duplicate) and result.twin.id in refused
    ]
