"""Commits that remove from neighbouring turns' contexts the words that a turn no longer says."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from memory_layer.domain.conversation import NEIGHBOURS, without_contents
from memory_layer.domain.memory import Memory
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.note_findings import note_findings
from memory_layer.usecases.write.turn_contexts import publish_extended_sessions

RETRACTIONS_PER_COMMIT = 16
"""Neighbours whose contexts change in the commit itself: a turn has four, unless callers gave many one position."""


def commit_change(ports: Ports, commit: Commit, before: Memory, by: str) -> None:
    """Commits a change; words that `before` no longer says leave its neighbours' contexts in the same transaction.

    Args:
        before: one of the records that the commit changes, as it is stored.

    Raises:
        VersionConflict: also where a neighbour was changed meanwhile.
    """
    commit_changes(ports, commit, [before], by)


def commit_changes(
    ports: Ports, commit: Commit, before: Sequence[Memory], by: str, *, together: int = RETRACTIONS_PER_COMMIT
) -> None:
    """Does `commit_change` for several records. Args: together: neighbours that the transaction has room for."""
    written = {change.memory.id: change.memory for change in commit.changes}
    moved = [old for old in before if _quotable(old) != _quotable(written.get(old.id, old))]
    if not moved:
        ports.store.writer.commit(commit)
        note_findings(ports, [(commit, before)])
        return
    quoted = [old for old in moved if _quotable(old) is not None]
    around = {
        turn.id: turn for old in quoted for turn in neighbour_turns(ports, [old]) if turn.id not in written
    }
    contents = {old.content for old in quoted}
    retractions = retract_quotes(ports, list(around.values()), contents, by, together=together)
    ports.store.writer.commit(replace(commit, changes=(*commit.changes, *retractions)))
    note_findings(ports, [(commit, before)])
    publish_extended_sessions(ports, [memory for old in moved for memory in (old, written[old.id])])


def without_foreign_quotes(ports: Ports, before: Memory, after: Memory) -> Memory:
    """Returns a turn that moved or changed persona, its context without the words that it may not quote there."""
    is_moved = (before.session_id, before.position) != (after.session_id, after.position)
    if not after.context or (before.persona == after.persona and not is_moved):
        return after
    around = neighbour_turns(ports, [before])
    withheld = [turn.content for turn in around if is_moved or turn.persona not in (None, after.persona)]
    return replace(after, context=without_contents(after.context, withheld))


def neighbour_turns(ports: Ports, versions: Collection[Memory]) -> tuple[Memory, ...]:
    """Neighbours of every position that a turn has held, as they are now. Args: versions: of one record."""
    places = dict.fromkeys(
        (version.scope, version.session_id, version.position)
        for version in versions
        if version.session_id is not None and version.position is not None
    )
    own = {version.id for version in versions}
    found = {
        turn.id: turn
        for scope, session_id, position in places
        for turn in ports.store.sessions.turns(
            scope, session_id, position - NEIGHBOURS, position + NEIGHBOURS
        )
        if turn.id not in own
    }
    return tuple(found.values())


def retract_quotes(
    ports: Ports,
    turns: Sequence[Memory],
    contents: Collection[str],
    by: str,
    verb: str = "neighbour changed",
    together: int = RETRACTIONS_PER_COMMIT,
) -> tuple[Change, ...]:
    """Removes contents from the contexts of these turns, and from their vectors with them.

    Turns that do not quote them move on by a version too: a process that is about to complete their contexts has
    to read again.

    Returns:
        Changes for the commit at hand; those that it has no room for are committed already, ahead of it.
    """
    now = ports.clock.now()
    moved = [
        replace(turn, context=without_contents(turn.context, contents), version=turn.version + 1)
        for turn in turns
    ]
    quoting = {turn.id for turn, after in zip(turns, moved, strict=True) if turn.context != after.context}
    changed = [memory for memory in moved if memory.id in quoting]
    embedded = embed_memories(ports.embedder, changed) if changed else []
    unmoved = [(memory, None) for memory in moved if memory.id not in quoting and not memory.is_approved]
    changes = [
        Change(memory, memory.version - 1, verb, by, now, vectors=vectors)
        for memory, vectors in (*embedded, *unmoved)
    ]
    _commit_ahead(ports, changes[together : len(embedded)])
    return tuple(changes[:together])


def _commit_ahead(ports: Ports, changes: Iterable[Change]) -> None:
    commits = [Commit(scope=change.memory.scope, changes=(change,)) for change in changes]
    for error in ports.store.writer.commit_each(commits) if commits else ():
        if error is not None:
            raise error


def _quotable(memory: Memory) -> tuple[object, ...] | None:
    """Words of a turn that neighbours may quote, with its persona and position; None: there are none."""
    if memory.position is None or not memory.is_active:
        return None
    return memory.content, memory.persona, memory.session_id, memory.position
