"""Memories of a file that is imported again: which lines they say, and which of them the file says no more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.attribution import has_vouched_labels
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import archive
from memory_layer.domain.memory import Memory, Scope, Status
from memory_layer.domain.release_headings import HEADINGS_JOINED_BY
from memory_layer.domain.text.changed_lines import paired_lines
from memory_layer.domain.text.heading_places import places_of, with_place, without_places_under
from memory_layer.domain.text.line_order import LINE_ORDER, is_file, line_order, numbered_lines, ordering_file
from memory_layer.domain.text.named_sections import REPEATED_STEP
from memory_layer.domain.time.dated_headings import said_under
from memory_layer.domain.time.resolve_times import resolve_times
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.revise import revise

IMPORTED: Final = "imp_"
"""Beginning of the id of a memory that an import made."""

_HELD: Final[tuple[Status, ...]] = ("active", "pending", "quarantined", "stale")
_PAGE: Final = 500
_CHANGED = "changed in"
_GONE = "no longer in"

Asked = tuple[str, RememberRequest]
"""Place of a line, and the request to store it."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """Lines of a file by what becomes of them, and the memories of lines that are gone.

    Args:
        unchanged: lines that are stored as they are, with their memory.
        moved: lines whose heading changed, with their memory.
        changed: lines with the memory of their earlier wording.
        overruled: lines with the earlier wording that a person has superseded.
        new: all other lines.
    """

    unchanged: list[tuple[Asked, Memory]] = field(default_factory=list)
    moved: list[tuple[Asked, Memory]] = field(default_factory=list)
    changed: list[tuple[Asked, Memory]] = field(default_factory=list)
    overruled: list[tuple[Asked, Memory]] = field(default_factory=list)
    new: list[Asked] = field(default_factory=list)
    gone: list[Memory] = field(default_factory=list)

    @property
    def stored(self) -> dict[str, Memory]:
        """Memories of lines that have one, by the place of the line."""
        return {where: memory for (where, _), memory in (*self.unchanged, *self.moved, *self.changed)}


@dataclass(frozen=True, slots=True)
class FollowedFile:
    """A file by its name, and the memories that earlier imports of it made."""

    ports: Ports
    principal: Principal
    scope: Scope
    name: str

    def plan(self, asked: Sequence[Asked]) -> FilePlan:
        """Compares the lines of the file with its memories: by words and heading, by id, by words, by likeness."""
        plan, held = FilePlan(), _Held(self._memories())
        open_ = [one for one in asked if not held.take_same(one, plan)]
        open_ = [one for one in open_ if not held.take_id(one, plan, self.name)]
        open_ = [one for one in open_ if not held.take_words(one, plan, self.name)]
        left = held.left()
        gone = [
            one for one in left if not self.is_said_elsewhere(one)
        ]  # else its words stand in another file
        pairs = paired_lines([_line(item) for _, item in open_], [_placed(memory) for memory in gone])
        plan.changed.extend((one, gone[pairs[at]]) for at, one in enumerate(open_) if at in pairs)
        self._sort_new([one for at, one in enumerate(open_) if at not in pairs], plan)
        replaced = set(pairs.values())
        plan.gone.extend(memory for position, memory in enumerate(gone) if position not in replaced)
        plan.gone.extend(memory for memory in left if self.is_said_elsewhere(memory))
        return plan

    def _sort_new(self, asked: Sequence[Asked], plan: FilePlan) -> None:
        """Tells lines apart of which a person has superseded an earlier wording."""
        past = self._memories(("superseded",)) if asked else []
        said = {item.fields["id"] for _, item in asked}  # of the very same words their id tells
        overruled = [one for one in past if one.id not in said and not was_retired_by_its_file(one)]
        pairs = paired_lines([_line(item) for _, item in asked], [_placed(memory) for memory in overruled])
        plan.overruled.extend((one, overruled[pairs[at]]) for at, one in enumerate(asked) if at in pairs)
        plan.new.extend(one for at, one in enumerate(asked) if at not in pairs)

    def _memories(self, status: tuple[Status, ...] = _HELD) -> list[Memory]:
        now, after, found = self.ports.clock.now(), None, list[Memory]()
        filters = Filters(tags=(self.name,), status=status)
        while True:
            page = self.ports.store.memories.page(
                *(self.scope, filters, viewer_of(self.principal)),
                now=now,
                after=after,
                limit=_PAGE,
                oldest_first=True,
            )
            found += page.memories
            if page.next_key is None:
                return [memory for memory in found if self._is_ours(memory)]
            after = page.next_key

    def _is_ours(self, memory: Memory) -> bool:
        """Tests if an import made a memory, as far as its names tell: an agent may write under such an id as well."""
        is_named_so = memory.id.startswith(IMPORTED) and memory.persona == self.principal.persona
        return is_named_so and not is_others_claim(self.principal, memory)

    @property
    def reason_of_change(self) -> str:
        return f"{_CHANGED} {self.name}"

    def numbers(self, asked: Sequence[Asked], plan: FilePlan) -> dict[str, int]:
        """Numbers of the lines in the order of the file, by their places; those that fit stay."""
        stored = plan.stored
        known = [
            line_order(memory) if memory is not None and self.orders(memory) else None
            for memory in (stored.get(where) for where, _ in asked)
        ]
        return dict(zip((where for where, _ in asked), numbered_lines(known), strict=True))

    def orders(self, memory: Memory) -> bool:
        """Tests if a memory has its number among the lines of this file, and not of another that says it too."""
        return ordering_file(memory) == self.name

    def move(self, memory: Memory, item: RememberRequest, number: int) -> None:
        """Puts a memory under its line's new heading, whose day is that of its saying."""
        self._renumber(memory, number, {"context": item.fields.get("context"), **day_of_line(item, memory)})

    def renumber(self, memory: Memory, number: int) -> None:
        """Gives a memory its line's number."""
        self._renumber(memory, number, {})

    def _renumber(self, memory: Memory, number: int, said: dict[str, object]) -> None:
        """Changes a memory as it is by now: whoever wrote its detail since the plan was made keeps what they wrote."""
        known = get_changeable(self.ports, self.principal, self.scope.project, memory.id)
        self._revise(known, {**said, "detail": {**known.detail, LINE_ORDER: number}}, expected=known.version)

    def adopt(self, memory: Memory, place: str | None) -> None:
        """Notes that this file says in a place, too, what another file, or another place of it, said first."""
        known = get_changeable(self.ports, self.principal, self.scope.project, memory.id)
        tags = known.tags if self.name in known.tags else (*known.tags, self.name)
        self._revise(known, {"tags": tags, "context": with_place(known.context, place)})

    def _revise(self, memory: Memory, said: dict[str, object], expected: int | None = None) -> None:
        revise(self.ports, self.principal, self.scope.project, memory.id, said, expected=expected)

    def may_prune(self, memory: Memory) -> bool:
        """Tells if nothing but the file speaks for a memory."""
        return not (memory.is_approved or memory.pinned or self.is_said_elsewhere(memory))

    def prune(self, memory: Memory, titles: Collection[str]) -> None:
        """Archives a memory that the file says no more; one that another file says is that one's alone.

        Args:
            titles: outermost headings of the file: its places in the memory's context stand under one of them.
        """
        if self.may_prune(memory):
            retry_on_conflict(lambda: self._archive(memory.id))
        elif self.is_said_elsewhere(memory):
            context = without_places_under(memory.context, titles)
            tags = tuple(tag for tag in memory.tags if tag != self.name)
            self._revise(memory, {"tags": tags, "context": context})

    def is_said_elsewhere(self, memory: Memory) -> bool:
        """Tests if another file that is followed says a memory, too."""
        return any(is_file(tag) for tag in memory.tags if tag != self.name)

    def _archive(self, id: str) -> None:
        memory, by = get_changeable(self.ports, self.principal, self.scope.project, id), self.principal.name
        archived = archive(memory, f"{_GONE} {self.name}")
        reason = archived.status_reason
        change = Change(archived, memory.version, "pruned", by, self.ports.clock.now(), reason)
        self.ports.store.writer.commit(Commit(scope=self.scope, changes=(change,)))


def is_others_claim(principal: Principal, memory: Memory) -> bool:
    """Tests if somebody else wrote a memory whose place in a file nobody vouches for.

    A file's lines are those of who imports them; an approval vouches for words, which may be other than the line's.
    """
    return not has_vouched_labels(memory) and memory.created_by != principal.author


def was_retired_by_its_file(memory: Memory) -> bool:
    """Tests if an edit of the file took a memory out of use: an edit may bring its words back."""
    return not memory.is_active and (memory.status_reason or "").startswith((_CHANGED, _GONE))


def day_of_line(item: RememberRequest, memory: Memory) -> dict[str, object]:
    """Time of saying that a line brings to its memory: its heading's, in the place of one that a heading gave."""
    headings = (memory.context or "").split(HEADINGS_JOINED_BY)
    given = item.fields.get("said_at")
    was_given = memory.said_at is not None and memory.said_at == said_under(headings)
    return {} if given is None and not was_given else {"said_at": given}


def repeated_step_id(file: str, id: str) -> str:
    """Id of a step that its file says before, under another heading. Args: id: of its words under its heading."""
    digest = sha256(f"{file}\0{id}".encode()).hexdigest()
    return f"{REPEATED_STEP}{digest[:32]}"


class _Held:
    """Memories of a file that no line has claimed yet."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._left = {memory.id: memory for memory in memories}
        self._by_words: dict[str, list[Memory]] = defaultdict(list)
        for memory in memories:
            self._by_words[memory.content].append(memory)

    def left(self) -> list[Memory]:
        return list(self._left.values())

    def take_same(self, one: Asked, plan: FilePlan) -> bool:
        """Claims the memory of a line's words under its heading."""
        item = one[1]
        place = item.fields.get("context") or ""
        found = [memory for memory in self._with_words(item) if place in places_of(memory.context)]
        return bool(found) and self._unchanged(one, found[0], plan)

    def take_id(self, one: Asked, plan: FilePlan, name: str) -> bool:
        """Claims the memory that was made of a line; people may have changed its words since."""
        id = one[1].fields["id"]
        found = self._left.get(id) or self._left.get(repeated_step_id(name, id))
        return found is not None and self._unchanged(one, found, plan)

    def take_words(self, one: Asked, plan: FilePlan, name: str) -> bool:
        """Claims a memory of the same words under another heading."""
        found = [memory for memory in self._with_words(one[1]) if not _means_other_days(one[1], memory)]
        if not found:
            return False
        if any(
            is_file(tag) for tag in found[0].tags if tag != name
        ):  # each file would move it to its own heading
            return self._unchanged(one, found[0], plan)
        plan.moved.append((one, self._left.pop(found[0].id)))
        return True

    def _with_words(self, item: RememberRequest) -> list[Memory]:
        same = (
            memory for memory in self._by_words.get(item.fields["content"], ()) if memory.id in self._left
        )
        return [memory for memory in same if not _means_other_days(item, memory)]

    def _unchanged(self, one: Asked, memory: Memory, plan: FilePlan) -> bool:
        plan.unchanged.append((one, memory))
        del self._left[memory.id]
        return True


def _means_other_days(item: RememberRequest, memory: Memory) -> bool:
    """Tells if the words of a line about time mean other days than in a memory: `yesterday`, of two days' minutes."""
    return bool(memory.times) and resolve_times(memory.content, item.fields.get("said_at")) != memory.times


def _line(item: RememberRequest) -> tuple[str, str]:
    return item.fields["content"], item.fields.get("context") or ""


def _placed(memory: Memory) -> tuple[str, str]:
    return memory.content, places_of(memory.context)[0]
