"""Options that are one of a few words."""

from collections.abc import Sequence


def checked_choice(name: str, choice: str, choices: Sequence[str]) -> str:
    """Choice that a text names. Raises: Invalid: it is another one."""
    from memory_layer.errors import Invalid

    if choice not in choices:
        raise Invalid.at(f"/{name}", f"there is no --{name} {choice!r}; there are: {', '.join(choices)}")
    return choice
