"""Sameness of two texts."""

from memory_layer.domain.conflicts.point_of_difference import point_of_difference


def says_all(known: str, new: str) -> bool:
    """Tells whether a known text says all that a new one says."""
    return point_of_difference(new, known) is None
