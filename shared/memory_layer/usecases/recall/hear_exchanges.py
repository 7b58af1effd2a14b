"""Exchanges of agents: a turn that answers a question which agents alone have put beside it (ADR-0056)."""

from __future__ import annotations

from memory_layer.domain.access import agent_voice
from memory_layer.domain.conversation import NEIGHBOURS, without_contents
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.question_runs import stands_around
from memory_layer.domain.text.repeated_question import AskedQuestion
from memory_layer.usecases.recall.retrieval import Retrieval


def is_asked_by_agents(retrieval: Retrieval, question: AskedQuestion, turn: Memory, said: str) -> bool:
    """Tests if the question stands around a turn, half in it or not, and neither a person nor the caller put it there.

    Whoever asks again what they asked in that session is answered as they were; so is everybody whose question a
    person asked there.

    Args:
        said: words of the turn that are looked at.
    """
    if turn.session_id is None or turn.position is None or turn.context is None:
        return False
    if not stands_around(question, said, turn.context):
        return False
    first, last = turn.position - NEIGHBOURS, turn.position + NEIGHBOURS
    near = retrieval.ports.store.sessions.turns(turn.scope, turn.session_id, first, last)
    asker = retrieval.search.asker
    known = (one.content for one in near if one.id != turn.id and _is_known(one, asker))
    context = without_contents(turn.context, known)
    return context is not None and stands_around(question, said, context)


def _is_known(turn: Memory, asker: str | None) -> bool:
    is_own = asker is not None and agent_voice(turn.created_by) == agent_voice(asker)
    return turn.is_trusted or is_own
