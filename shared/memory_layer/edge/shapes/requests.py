"""Request bodies and query parameters, derived from the record: its annotations are the only bounds."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import BaseModel, Field, Strict

from memory_layer.domain import text_rules
from memory_layer.domain.memory import (
    REASON_MAX_CHARS,
    Memory,
    OutcomeResult,
)
from memory_layer.domain.policy import Policy
from memory_layer.edge.shapes.answer_fields import field_words
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, incoming_model
from memory_layer.edge.shapes.filter_requests import AsOf
from memory_layer.edge.shapes.tier_requests import TierPolicyFields, tier_policy_from
from memory_layer.usecases.write.draft import CALLER_SET_FIELDS as SAYABLE
from memory_layer.usecases.write.merge_memories import MERGED_MAX
from memory_layer.usecases.write.prepare import OnDuplicate

MEMORY_ID = f"^(?:{text_rules.MEMORY_ID})$"
PROJECT = f"^(?:{text_rules.PROJECT})$"

ORIGIN = ("source", "source_run_id", "source_runs", "source_recall_id")
"""Fields that are given once, with the first write."""

if TYPE_CHECKING:

    class _Sayable(BaseModel): ...

    class _Spoken(BaseModel): ...

    class _Origin(BaseModel): ...

    class _Settings(BaseModel): ...

else:
    _Sayable = incoming_model("Sayable", Memory, SAYABLE)
    _Spoken = incoming_model("Spoken", Memory, tuple(name for name in SAYABLE if name != "session_id"))
    _Origin = incoming_model("Origin", Memory, ORIGIN)
    _Settings = incoming_model(
        "SettingsFields",
        Policy,
        tuple(field.name for field in fields(Policy) if field.name not in ("tier_policy", "version")),
    )

_CONTENT = get_type_hints(Memory, include_extras=True)["content"]
Content = Annotated[_CONTENT, Field(description=field_words(Memory)["content"])]  # type: ignore[valid-type]
NewId = Annotated[str | None, Field(pattern=MEMORY_ID, description="The memory's id; omitted, a new one.")]
Why = Annotated[str | None, Field(max_length=REASON_MAX_CHARS, description="Why, for the history.")]
DryRun = Annotated[bool, Strict(), Field(description="Tell what would be done, and write nothing.")]


class NewMemory(_Sayable, _Origin):
    """A memory to store. What is omitted is derived from the content, or has the default of its type."""

    id: NewId = None
    content: Content
    on_duplicate: Annotated[
        OnDuplicate,
        Field(
            description="What to do where one says the same (409 duplicate) or otherwise of the same thing "
            "(409 contradicts): ask, merge into it (never one that says otherwise), create another, or supersede it. "
            "What is near and says something else is stored; the receipt names it."
        ),
    ] = "ask"


class BatchLine(NewMemory):
    """One line of a batch."""

    idempotency_key: Annotated[
        str | None,
        Field(min_length=1, max_length=255, description="With it a line that is sent again is stored once."),
    ] = None


class Replacement(_Sayable, _Origin):
    """A memory under the caller's own id."""

    content: Content


class Turn(_Spoken, _Origin):
    """A conversation turn or a tool's output; without a position it follows the last one.

    Its session stands in the path.
    """

    id: NewId = None
    content: Content
    speaker: Annotated[str | None, Field(min_length=1, max_length=128, description="Who said it.")] = None


class Revision(_Sayable):
    """The fields to change; what is not named stays."""

    active: Annotated[
        bool | None, Strict(), Field(description="False takes it out of recall, true brings it back.")
    ] = None


class _Verdict(BaseModel):
    model_config = REFUSE_UNKNOWN
    result: Annotated[
        OutcomeResult,
        Field(description="`worked` +0.2, `partial` +0.05, `failed` -0.3 on its outcome score."),
    ]
    session_id: Annotated[
        str | None,
        Field(min_length=1, max_length=256, description="The session whose `failed` are counted."),
    ] = None
    run_id: Annotated[
        str | None,
        Field(
            min_length=1, max_length=256, description="In one run a later verdict replaces the earlier one."
        ),
    ] = None
    note: Annotated[
        str | None,
        Field(
            max_length=REASON_MAX_CHARS,
            description="What happened, in words; kept with the verdict and in the history.",
        ),
    ] = None


class Outcome(_Verdict):
    """Outcome of using a memory."""

    recall_id: Annotated[
        str | None,
        Field(min_length=1, max_length=128, description="The recall that brought the memory up."),
    ] = None


REFS_MAX = 200
"""References of one report: more than a page usually has."""

Refs = Annotated[
    list[Annotated[int, Strict(), Field(ge=1)]],
    Field(min_length=1, max_length=REFS_MAX, description="Numbers of the memories on the page, from 1."),
]


class PageOutcome(_Verdict):
    """Outcome of using memories that a recall, prompt or context showed under these numbers."""

    recall_id: Annotated[
        str, Field(min_length=1, max_length=128, description="The recall that made the page.")
    ]
    refs: Refs


class Reason(BaseModel):
    """Reason for a decision."""

    model_config = REFUSE_UNKNOWN
    reason: Why = None


class Nothing(BaseModel):
    """Empty body: a field beside the path would have no effect."""

    model_config = REFUSE_UNKNOWN


class Moment(BaseModel):
    """Time in the past; none: now."""

    model_config = REFUSE_UNKNOWN
    as_of: AsOf = None


class Undoing(Reason):
    """What is to be undone."""

    back_to: Annotated[
        int | None,
        Strict(),
        Field(
            ge=1,
            description="The version whose status and approval come back; all that changed them since is undone as "
            "one. Left out: the one before the last change.",
        ),
    ] = None


class Restoration(Reason):
    """Earlier version whose content becomes current again."""

    version: Annotated[int, Strict(), Field(ge=1, description="The one that says again what is to be said.")]


class Merging(Reason):
    """The memories to take in."""

    ids: Annotated[
        list[Annotated[str, Field(pattern=MEMORY_ID)]],
        Field(min_length=1, max_length=MERGED_MAX, description="The memories to take in."),
    ]
    content: Annotated[
        Content | None, Field(description="What is said from now on; none: all that they say.")
    ] = None


class Supersession(_Sayable, _Origin):
    """Correction of a memory: a new memory, or by `id` alone one that is there already."""

    id: Annotated[
        str | None, Field(pattern=MEMORY_ID, description="One that is there already, and is true instead.")
    ] = None
    content: Annotated[Content | None, Field(description=field_words(Memory)["content"])] = None
    reason: Why = None


class Settings(_Settings):
    """A project's settings; what is omitted goes back to its default.

    `blend`: how keywords and meaning become one relevance. `minmax` counts each score as its share of the best
    of its list, from 0 (not from the list's least, as the name says); `flag` is 0.6 x cosine + 0.4 if any keyword
    matches. `tier_policy`: by class of content what stays hot, what leaves its row and what goes out of the index.
    """

    tier_policy: TierPolicyFields = Field(
        default_factory=dict, description=field_words(Policy)["tier_policy"]
    )


def replaced_policy(before: Policy, settings: Settings) -> Policy:
    """Tier policy after a PUT, which replaces: what is omitted goes back to its default."""
    given = {
        name: value for name, value in given_fields(settings, "tier_policy").items() if value is not None
    }
    return Policy(**given, tier_policy=tier_policy_from(settings.tier_policy), version=before.version)


def given_fields(body: BaseModel, *apart: str) -> dict[str, Any]:
    """Fields that the caller gave, and no others."""
    return {name: getattr(body, name) for name in body.model_fields_set if name not in apart}
