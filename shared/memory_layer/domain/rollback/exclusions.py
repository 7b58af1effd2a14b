"""Exclusions: the principals whose operations a project was rolled back to be without, and when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from memory_layer.domain.access import names_behind

ROLLED_BACK: Final = "rolled back"
"""Verb of the changes by which a rollback is applied."""

BROUGHT_BACK: Final = "rollback undone"
"""Verb of the changes by which a rollback is undone."""

OWN_VERBS: Final = frozenset({ROLLED_BACK, BROUGHT_BACK})
"""Verbs of changes that follow from the operations of others, and are none themselves."""

TAKEN_OVER: Final = "taken over"
"""Verb of the change by which a person has the id that an agent took first: a new memory, whatever stood there."""

RollbackStatus = Literal["planned", "begun", "applied", "undoing", "undone"]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Operations of one principal in a stretch of time.

    Args:
        since: None: from the first on.
        has_agents: so are those of agents that spoke with its token; of an agent, those it did with anybody's.
    """

    principal: str
    since: datetime | None
    until: datetime
    has_agents: bool = True

    def names(self, by: str) -> bool:
        return by == self.principal or (self.has_agents and self.principal in names_behind(by))

    def covers(self, by: str, at: datetime) -> bool:
        return self.names(by) and (self.since is None or self.since <= at) and at <= self.until


def is_excluded(exclusions: Iterable[Exclusion], by: str, at: datetime) -> bool:
    return any(exclusion.covers(by, at) for exclusion in exclusions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Operation of another that a project without the excluded ones would have refused.

    Args:
        id: the memory that it was on.
        version: version that it made; None: it was a verdict that made none.
        verb: what it did.
        by: who did it.
        why: the reason in words.
    """

    id: str
    version: int | None
    verb: str
    by: str
    why: str
