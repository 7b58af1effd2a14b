"""Places of words that several headings have under them: one memory, whose context names each of them."""

from collections.abc import Collection
from typing import Final

from memory_layer.domain.release_headings import HEADINGS_JOINED_BY, version_in_context

PLACES_JOINED_BY: Final = "\n\n"
"""Sign between the places of a memory in its context, each the headings over it there."""

PLACES_MAX_CHARS: Final = 2_000
"""Length of a context up to which a place is added: of boilerplate, under a hundred headings, the first ones stand."""


def places_of(context: str | None) -> tuple[str, ...]:
    """Places that the context of an imported memory names; one of none is the empty place."""
    return tuple((context or "").split(PLACES_JOINED_BY))


def with_place(context: str | None, place: str | None) -> str | None:
    """Context that names a further place; the same where it names it, or has no room.

    A place under a release is no further one of words under no release: its date and version would be theirs.
    """
    known = places_of(context)
    if not place or place in known or version_in_context(place) != version_in_context(context or ""):
        return context
    added = PLACES_JOINED_BY.join((*filter(None, known), place))
    return added if len(added) <= PLACES_MAX_CHARS else context


def title_of(place: str) -> str:
    """Outermost heading of a place."""
    return place.partition(HEADINGS_JOINED_BY)[0]


def without_places_under(context: str | None, titles: Collection[str]) -> str | None:
    """Context without its places under some outermost headings; the same where no other is left."""
    left = [place for place in places_of(context) if title_of(place) not in titles]
    return PLACES_JOINED_BY.join(left) if left else context
