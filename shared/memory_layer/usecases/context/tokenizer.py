"""The tokenizer of a context, loaded in the time that there is: a vocabulary is read from a disk, or over a network."""

from functools import partial
from typing import Final

from memory_layer.domain.context.token_counter import TokenCounter
from memory_layer.errors import Invalid
from memory_layer.ports.process import ContextPorts, Deadline, DeadlinePassed, TokenCounters

DEFAULT_TOKENIZER, WITHOUT_A_MODEL = "wordpiece", "chars4"

STILL_LOADING: Final = (
    "was not asked: the tokenizer is being loaded and was not ready within the time budget; ask again"
)


def counter_in_time(
    contexts: ContextPorts, asked: str | None, deadline: Deadline
) -> tuple[str, TokenCounter | None]:
    """The tokenizer's name, and the tokenizer; None where it is still being loaded when the time is over.

    Args:
        asked: None: the embedding model's, and where that is not there chars4.

    Raises:
        Invalid: there is none of the name that was asked for.
    """
    name = asked or DEFAULT_TOKENIZER
    if contexts.counters.is_at_hand(name):
        return name, contexts.counters(name)
    load = partial(_named, contexts.counters, asked)
    try:
        return contexts.workers.begin("tokenizer", load, deadline).result(deadline)
    except DeadlinePassed:
        return name, None


def _named(counters: TokenCounters, asked: str | None) -> tuple[str, TokenCounter]:
    if asked is not None:
        return asked, counters(asked)
    try:
        return DEFAULT_TOKENIZER, counters(DEFAULT_TOKENIZER)
    except Invalid:
        return WITHOUT_A_MODEL, counters(WITHOUT_A_MODEL)
