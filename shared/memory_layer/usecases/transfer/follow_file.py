"""Import of a file that is followed: its memories are brought up to date with its lines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.heading_places import title_of
from memory_layer.domain.text.line_order import LINE_ORDER, line_order
from memory_layer.errors import Duplicate, MemoryLayerError
from memory_layer.usecases.transfer.followed_file import Asked, FollowedFile, day_of_line
from memory_layer.usecases.transfer.foreign_file import ChangedLine, ForeignMemory, ForeignTally
from memory_layer.usecases.transfer.memory_import import MemoryImport, says_the_same
from memory_layer.usecases.write.supersede import supersede_memory

_REWORDED = ("content", "context", "source", "expires_at")
"""Fields that a new wording brings; all others are those of the memory that it supersedes."""


@dataclass(frozen=True, slots=True)
class FileImport:
    """Import of the lines of a followed file. Args: writing: of the same file."""

    file: FollowedFile
    writing: MemoryImport

    @property
    def tally(self) -> ForeignTally:
        return self.writing.tally

    def store(self, memories: Sequence[ForeignMemory], *, prunes: bool) -> None:
        """Stores the lines that are new, and changes, moves, names or archives the memories of all others."""
        asked = self.writing.admitted(memories)
        plan, titles = (
            self.file.plan(asked),
            {title_of(item.fields.get("context") or "") for _, item in asked},
        )
        numbers = self.file.numbers(asked, plan)
        for (where, _), memory in plan.unchanged:
            self._keep(where, memory, numbers[where])
        for (where, item), memory in plan.moved:
            self.writing.move(where, partial(self.file.move, memory, item, numbers[where]))
        for (where, _), old in plan.overruled:
            successor = f"superseded by {old.superseded_by}, which stands"
            self.tally.skip(where, f"{old.id}, an earlier wording of it, was {successor}")
        changed = [old for one, old in plan.changed if not self._supersede(one, old, numbers)]
        self.writing.gone.update((memory.id, memory) for memory in (*plan.gone, *changed))
        self.writing.store_new([_numbered(one, numbers[one[0]]) for one in plan.new])
        kept = [old for one, old in self.writing.reworded if not self._supersede(one, old, numbers)]
        self._leave([*self.writing.gone.values(), *kept], titles, prunes=prunes)

    def _keep(self, where: str, memory: Memory, number: int) -> None:
        """Counts a line that is stored as it is; one that stands elsewhere among the lines gets a new number."""
        if self.file.orders(memory) and line_order(memory) != number:
            self.writing.move(where, partial(self.file.renumber, memory, number))
        else:
            self.tally.unchanged += 1

    def _supersede(self, one: Asked, old: Memory, numbers: Mapping[str, int]) -> bool:
        """Supersedes the memory of a line by its new wording; false if another memory says that already."""
        (where, item), file = one, self.file
        said = {name: item.fields[name] for name in _REWORDED if name in item.fields}
        said.update(day_of_line(item, old), detail={LINE_ORDER: numbers[where]})
        said["id"] = self.writing.free_id(item.fields)
        do = partial(supersede_memory, *(file.ports, file.principal, file.scope.project, old.id, said))
        try:
            if not self.writing.is_dry_run:
                do(reason=file.reason_of_change)
            self.tally.change(ChangedLine(where, said["id"], old.id))
        except Duplicate as error:
            own = self.writing.as_repeated_step(one, error)
            if own is not None:
                return self._supersede(own, old, numbers)
            self.tally.skip(where, says_the_same(error))
            return False
        except MemoryLayerError as error:
            self.tally.refuse(where, f"{error}; {old.id} says its earlier wording still")
        return True

    def _leave(self, gone: Sequence[Memory], titles: Collection[str], *, prunes: bool) -> None:
        """Names the memories that the file says no more, and archives them if that is asked for."""
        for memory in gone:
            self.tally.gone.append(memory.id)
            if not prunes:
                continue
            if self.file.may_prune(memory):
                self.tally.pruned += 1
            else:
                self.tally.kept.append(memory.id)
            if not self.writing.is_dry_run:
                self.file.prune(memory, titles)


def _numbered(one: Asked, number: int) -> Asked:
    """Line that is new, with its number."""
    where, item = one
    return where, replace(item, fields={**item.fields, "detail": {LINE_ORDER: number}})
