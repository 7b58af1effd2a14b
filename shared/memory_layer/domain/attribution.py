"""Attribution of words on a page: the mark of unreviewed ones, who said them, the day, and the version."""

import re
from collections.abc import Collection, Iterable
from datetime import date, datetime
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import AGENT_PREFIX
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory, Ref
from memory_layer.domain.release_headings import version_in_context
from memory_layer.domain.text_rules import read_letters

UNREVIEWED_MARK: Final = "?"
"""Mark, directly behind the reference, of words that no person said and no reviewer approved."""

MARK_EXPLAINED: Final = f"{UNREVIEWED_MARK} is unreviewed"
ALL_UNREVIEWED: Final = "all unreviewed"

DOUBTED: Final = "doubted"
"""Word on a page beside what agents speak against and no person has decided on."""

NAME_MAX_CHARS: Final = 16
"""Most characters of the name of a run or an agent; of a longer one, such as a UUID, the last eight tell it apart."""

_NO_WORD: Final = re.compile(r"[^\w.:+/|-]+")
_SAYS_STANDING: Final = frozenset(
    {"human", "person", "people", "user", "reviewer", "admin", "approved", "reviewed", "trusted"}
)
"""Words by which pages and faces tell whose words they are: no agent is called so without the prefix of agents."""

_APPROVES: Final = frozenset({"human", "reviewer", "approved", "reviewed", "trusted", "verified", "vouched"})
"""Words that make a name an approval, wherever in it: `run approved by rita` is of an agent called rita."""

_WORDS: Final = re.compile(r"[^\W_]+")

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def standing_told(are_unreviewed: Collection[bool]) -> str:
    """Words in the head of a page about the standing of its lines; where none is reviewed, none needs a mark."""
    if not any(are_unreviewed):
        return ""
    return ALL_UNREVIEWED if all(are_unreviewed) else MARK_EXPLAINED


def marked_among(memories: Iterable[Memory]) -> frozenset[Ref]:
    """Memories of a page that bear the mark, beside trusted ones."""
    known = list(memories)
    unreviewed = frozenset(memory.ref for memory in known if not memory.is_trusted)
    return unreviewed if any(memory.is_trusted for memory in known) else frozenset()


def day_of(memory: Memory) -> date:
    """Day from which a memory holds, else that of its saying, else the day that its content last changed.

    Days that its words tell of stand beside the words: they may be deadlines, or beginnings of what still holds.
    """
    return (memory.valid_from or said_moment(memory)).date()


def said_moment(memory: Memory) -> datetime:
    """Time from which the age of words counts: their saying, which the import of an old file does not renew."""
    return memory.said_at or memory.updated_at


def edition_of(memory: Memory) -> str | None:
    """Version that a line of a changelog is news of, by the headings in its context."""
    return version_in_context(memory.context) if memory.context else None


def has_vouched_labels(memory: Memory) -> bool:
    """Tests if a memory's file, number and headings are a person's, or those of who brought and approved it.

    Who approves an agent's words vouches for none of the labels by which they would stand in a file or a release.
    """
    is_own_approval = memory.approved_by == memory.created_by and memory.persona is None
    return memory.source == "human" or is_own_approval


def told_edition(memory: Memory) -> str | None:
    """Version that a page tells of a line: none of one that a reviewer approved, whose agent named the version.

    An unreviewed line has its mark and its agent's name beside the version.
    """
    return None if memory.is_trusted and not has_vouched_labels(memory) else edition_of(memory)


def are_of_other_releases(one: Memory, other: Memory) -> bool:
    """Tests if two memories are lines of a changelog under different releases: each tells what its own one brought."""
    edition = edition_of(one)
    return edition is not None and edition_of(other) not in (None, edition)


def are_of_other_occasions(one: Memory, other: Memory) -> bool:
    """Tests if two memories tell of two occasions, be it in the same words: of two releases, or of two days
    (`yesterday`, said on two days)."""
    return are_of_other_releases(one, other) or _mean_other_days(one, other)


def _mean_other_days(one: Memory, other: Memory) -> bool:
    """Tests if the same words about time mean other days."""
    mine, theirs = ([time.words.casefold() for time in memory.times] for memory in (one, other))
    return mine == theirs and any(
        (first.from_, first.to) != (second.from_, second.to)
        for first, second in zip(one.times, other.times, strict=True)
    )


def day_text(dated: date) -> str:
    """Formats a day as 8 May 2023: no locale, and fewer tokens than the numbers alone."""
    return f"{dated.day} {_MONTHS[dated.month - 1]} {dated.year}"


def speaker_of(memory: Memory) -> str | None:
    """`run` with its short name and `by` with the agent's; None for words of a person, or of nobody to be named.

    Who writes a memory names its run as it likes: so the author stands beside it, but where the run itself taught it.
    An address is a person's, whose agent or file it was: pages go to models, and name no person.
    """
    if memory.source == "human":
        return None
    run = None if memory.source_run_id is None else f"run {_run_name(memory.source_run_id)}"
    if memory.is_trusted or memory.id.startswith(LEARNING_ID_PREFIX):
        return run
    named = agent_name(memory.created_by)
    return " ".join(part for part in (run, named and f"by {named}") if part) or None


def agent_name(author: str) -> str | None:
    """Short name of an agent: of one with a person's token its client's, of an unproved address none."""
    named = author.removeprefix(AGENT_PREFIX)  # which every client has, and none is told apart by
    client, separator, holder = named.partition(":")
    if "@" in named:
        if not separator or "@" not in holder or "@" in client:
            return None
        named = client
    is_owner = (
        named != author and named.casefold() == "local"
    )  # who speaks at the machine itself is called so
    is_claim = is_owner or read_letters(named) in _SAYS_STANDING or _approves(named)
    return f"{AGENT_PREFIX}{_short(named)}" if is_claim else _short(named)


def _run_name(run: str) -> str:
    """Short name of a run: a digest of one that says of itself that somebody stands behind it, or whose it is."""
    says_whose = _approves(run) or "by" in _WORDS.findall(read_letters(run))
    return sha256(run.encode()).hexdigest()[:8] if says_whose else _short(run)


def _approves(name: str) -> bool:
    return not _APPROVES.isdisjoint(_WORDS.findall(read_letters(name)))


def _short(name: str) -> str:
    """Name as one word, so that none goes on like a page does: `x, approved by rita` is `x-approved-by-rita`."""
    word = _NO_WORD.sub("-", name).strip("-") or "?"
    return word if len(word) <= NAME_MAX_CHARS else f"…{word[-8:]}"
