"""Request bodies of decisions on what waits for a person."""

from typing import Annotated, Final, Self

from pydantic import BaseModel, Field, Strict, model_validator

from memory_layer.domain.learning.staging import STAGED_ID_PREFIX
from memory_layer.domain.memory import LABELS_MAX
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import MEMORY_ID, Why
from memory_layer.usecases.review.review_groups import GroupAct, GroupKind, GroupTerms, ItemAct, SeenMemory


class SeenItem(BaseModel):
    """A memory at the version that was looked at; a newer one is not decided on."""

    model_config = REFUSE_UNKNOWN
    id: Annotated[str, Field(pattern=MEMORY_ID, description="The reviewed memory.")]
    version: Annotated[int, Strict(), Field(ge=1, description="The one that was looked at.")]


Places = Annotated[
    list[SeenItem] | None,
    Field(
        max_length=LABELS_MAX,
        description="Memories in whose place an approval puts it, all of them, at the versions that were looked at; "
        "newer ones stay. Left out: any.",
    ),
]


def versions_by_id(seen: list[SeenItem] | None) -> dict[str, int] | None:
    """Versions that were looked at, by id; None: not told."""
    return None if seen is None else {one.id: one.version for one in seen}


class Decision(BaseModel):
    """One reviewed memory; `version` is the one that was looked at, and a newer one is not decided on."""

    model_config = REFUSE_UNKNOWN
    id: Annotated[str, Field(pattern=MEMORY_ID, description="The reviewed memory.")]
    version: Annotated[
        int | None,
        Strict(),
        Field(ge=1, description="The one that was looked at; a newer one is not decided on."),
    ] = None
    decision: Annotated[ItemAct, Field(description="What becomes of it.")]
    seen: Places = None
    reason: Why = None

    @property
    def seen_versions(self) -> dict[str, int] | None:
        return versions_by_id(self.seen)

    @model_validator(mode="after")
    def _names_places_of_an_approval(self) -> Self:
        if self.seen is not None and (self.decision != "approve" or self.id.startswith(STAGED_ID_PREFIX)):
            raise ValueError("seen goes with the approval of a memory; leave it out")
        return self


class Approval(BaseModel):
    """Approval of a memory; of a proposal, of what it takes the place of as well."""

    model_config = REFUSE_UNKNOWN
    seen: Places = None

    @property
    def seen_versions(self) -> dict[str, int] | None:
        return versions_by_id(self.seen)


PRINCIPAL_MAX: Final = 4_200
"""Characters of the names of all who doubt a memory."""


class GroupToDecide(BaseModel):
    """What one principal has waiting, or alone doubts, up to 100 at a time, as one decision on what was looked at."""

    model_config = REFUSE_UNKNOWN
    principal: Annotated[
        str,
        Field(
            min_length=1,
            max_length=PRINCIPAL_MAX,
            description="Who wrote it, or doubts it, as `groups` has it.",
        ),
    ]
    kind: Annotated[GroupKind, Field(description="Why it waits.")]
    decision: Annotated[
        GroupAct, Field(description="What becomes of it; `confirm`, of doubted ones alone: they still hold.")
    ]
    seen: Annotated[
        list[SeenItem] | None,
        Field(
            max_length=100,
            description="Those that were looked at, as `groups` has them: what came since waits on. Of proposals, "
            "the memories in whose place they go as well. Required of approvals and doubts.",
        ),
    ] = None
    reason: Why = None

    def as_decided(self) -> GroupTerms:
        """Terms of the decision, as `decide_group` takes them."""
        seen = None if self.seen is None else [SeenMemory(one.id, one.version) for one in self.seen]
        return GroupTerms(
            principal=self.principal, kind=self.kind, decision=self.decision, reason=self.reason, seen=seen
        )


class Decisions(BaseModel):
    """Decisions one by one, or one on a group."""

    model_config = REFUSE_UNKNOWN
    decisions: Annotated[
        list[Decision],
        Field(max_length=100, description="One for each memory, each done by itself."),
    ] = []
    group: Annotated[GroupToDecide | None, Field(description="All of one principal and kind.")] = None

    @model_validator(mode="after")
    def _decides(self) -> Self:
        if bool(self.decisions) == (self.group is not None):
            raise ValueError("give decisions, or a group")
        return self
