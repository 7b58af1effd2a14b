"""Match of a memory and a question: the words and entities that both of them name."""

from collections.abc import Sequence, Set

from memory_layer.domain.memory import Memory
from memory_layer.domain.ranking import Match
from memory_layer.domain.retrieval.mentions import Key, entity_label, mention_keys
from memory_layer.domain.retrieval.question_words import AskedWord, credits_of


def matches(
    words: Sequence[AskedWord],
    asked: Set[Key],
    memories: Sequence[Memory],
    terms: Sequence[frozenset[str]],
) -> list[Match]:
    """Matches of memories and a question, in their order.

    Args:
        words: of the question.
        asked: keys of the entities that the question names.
        terms: of each memory, analysed.
    """
    return [
        Match(
            tuple(word.word for word, credit in zip(words, said, strict=True) if credit),
            tuple(dict.fromkeys(entity_label(key) for key in mention_keys(memory) if key in asked)),
        )
        for memory, said in zip(memories, credits_of(words, terms), strict=True)
    ]
