"""What the turns around a turn have heard of it, and how they forget what it no longer says."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from memory_layer.domain.conversation import NEIGHBOURS, without
from memory_layer.domain.memory import Memory
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.write.turn_contexts import announce

SILENCED_TOGETHER = 16
"""Neighbours that forget in the commit itself: a turn has four, unless callers gave many one position."""


def commit_change(ports: Ports, commit: Commit, before: Memory, by: str) -> None:
    """Commit; what `before` said and no longer says leaves the turns around in the same transaction.

    Args:
        before: one of the records that the commit changes, as it is stored.

    Raises:
        VersionConflict: also where a neighbour was changed meanwhile.
    """
    commit_changes(ports, commit, [before], by)


def commit_changes(
    ports: Ports, commit: Commit, before: Sequence[Memory], by: str, *, together: int = SILENCED_TOGETHER
) -> None:
    """`commit_change` of several records. Args: together: neighbours that the transaction has room for."""
    written = {change.memory.id: change.memory for change in commit.changes}
    moved = [old for old in before if _audible(old) != _audible(written.get(old.id, old))]
    if not moved:
        ports.store.commit(commit)
        return
    heard = [old for old in moved if _audible(old) is not None]
    around = {turn.id: turn for old in heard for turn in echoes_of(ports, [old]) if turn.id not in written}
    said = {old.content for old in heard}
    quiet = silence(ports, list(around.values()), said, by, together=together)
    ports.store.commit(replace(commit, changes=(*commit.changes, *quiet)))
    announce(ports, [memory for old in moved for memory in (old, written[old.id])])


def without_unheard(ports: Ports, before: Memory, after: Memory) -> Memory:
    """A turn under another persona, or in another place, without what it heard and may not hear there."""
    is_moved = (before.session_id, before.position) != (after.session_id, after.position)
    if not after.context or (before.persona == after.persona and not is_moved):
        return after
    around = echoes_of(ports, [before])
    unheard = [turn.content for turn in around if is_moved or turn.persona not in (None, after.persona)]
    return replace(after, context=without(after.context, unheard))


def echoes_of(ports: Ports, versions: Collection[Memory]) -> tuple[Memory, ...]:
    """The turns beside every place where a turn has stood, as they are now. Args: versions: of one record."""
    places = dict.fromkeys(
        (version.scope, version.session_id, version.position)
        for version in versions
        if version.session_id is not None and version.position is not None
    )
    own = {version.id for version in versions}
    found = {
        turn.id: turn
        for scope, session_id, position in places
        for turn in ports.store.turns(scope, session_id, position - NEIGHBOURS, position + NEIGHBOURS)
        if turn.id not in own
    }
    return tuple(found.values())


def silence(
    ports: Ports,
    turns: Sequence[Memory],
    contents: Collection[str],
    by: str,
    verb: str = "neighbour changed",
    together: int = SILENCED_TOGETHER,
) -> tuple[Change, ...]:
    """Take what was said out of the contexts of these turns, and out of their vectors with it.

    Those that have not heard it move on by a version too: whoever is about to complete their contexts with it
    has to read again.

    Returns:
        What belongs into the commit at hand; what it has no room for is done already, ahead of it.
    """
    now = ports.clock.now()
    moved = [
        replace(turn, context=without(turn.context, contents), version=turn.version + 1) for turn in turns
    ]
    heard = {turn.id for turn, after in zip(turns, moved, strict=True) if turn.context != after.context}
    quiet = [memory for memory in moved if memory.id in heard]
    embedded = embed_memories(ports.embedder, quiet) if quiet else []
    unmoved = [(memory, None) for memory in moved if memory.id not in heard and not memory.is_approved]
    changes = [
        Change(memory, memory.version - 1, verb, by, now, vectors=vectors)
        for memory, vectors in (*embedded, *unmoved)
    ]
    _commit_ahead(ports, changes[together : len(embedded)])
    return tuple(changes[:together])


def _commit_ahead(ports: Ports, changes: Iterable[Change]) -> None:
    commits = [Commit(scope=change.memory.scope, changes=(change,)) for change in changes]
    for error in ports.store.commit_each(commits) if commits else ():
        if error is not None:
            raise error


def _audible(memory: Memory) -> tuple[object, ...] | None:
    """What of a turn can be heard, by whom and where; None: nothing."""
    if memory.position is None or not memory.is_active:
        return None
    return memory.content, memory.persona, memory.session_id, memory.position
