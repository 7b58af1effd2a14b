"""Answer about a playbook, as openapi.json describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memory_layer.domain.learning.playbook import Bullet
from memory_layer.domain.memory import MemoryType, Standing
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant
from memory_layer.usecases.recall.compose_playbook import Playbook
from memory_layer.usecases.review.reorganise_playbook import Decision, Reorganisation, Union


class EarlierPage(BaseModel):
    """Page of a playbook that is followed from. Args: since: its `as_of`; none: the whole playbook is asked for."""

    model_config = REFUSE_UNKNOWN
    since: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulletAnswer:
    """Bullet of a playbook.

    Args:
        name: what the page calls it; the same as long as the memory is there.
        id: the memory, for outcomes.
        type: kind of learning.
        helpful: how many verdicts said that it worked, without those of an agent that wrote it.
        harmful: how many said that it failed, without those of an agent that wrote it.
    """

    name: str
    id: str
    type: MemoryType
    content: str
    helpful: int
    harmful: int
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybookAnswer:
    """Playbook of a project, or what has changed in it.

    Args:
        markdown: the page; what did not change stands before what did, byte by byte.
        bullets: all of them, or those that are new or say or count something else, in the order of the page.
        retired: names of bullets that are in use no more; empty without `since`.
        as_of: what `since` takes for the next page.
        total: how many bullets the whole playbook has.
        set_hash: digest of the whole playbook.
        note: what is not on the page, and of whom, where there are too many; null: all is.
    """

    markdown: str
    bullets: Sequence[BulletAnswer]
    retired: Sequence[str]
    as_of: datetime
    total: int
    set_hash: str
    note: str | None = None


def playbook_json(found: Playbook) -> dict[str, Any]:
    return document(answer_from(PlaybookAnswer, found, bullets=[_bullet(one) for one in found.bullets]))


def _bullet(one: Bullet) -> BulletAnswer:
    return answer_from(BulletAnswer, one, standing="trusted" if one.is_trusted else "unreviewed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorganisationAnswer:
    """Playbook as it would be with near-duplicates united, beside the present one.

    Args:
        id: what a decision names; null: there is nothing to reorganise.
        unions: learnings that would become one.
        present: the bullets as they are.
        proposed: the bullets as they would be.
        note: what stands in neither, and of whom, where there are too many; null: all does.
    """

    id: str | None
    unions: Sequence[Union]
    present: Sequence[BulletAnswer]
    proposed: Sequence[BulletAnswer]
    note: str | None = None


class ReorganisationDecision(BaseModel):
    """Decision on a reorganised playbook."""

    model_config = REFUSE_UNKNOWN
    id: Annotated[str, Field(pattern="^reo_[0-9a-f]{32}$", description="Of the proposal that was looked at.")]
    decision: Annotated[
        Decision, Field(description="`accept` merges each union; `drop` keeps all of them apart for good.")
    ]


def reorganisation_json(found: Reorganisation) -> dict[str, Any]:
    bullets = {name: [_bullet(one) for one in getattr(found, name)] for name in ("present", "proposed")}
    return document(answer_from(ReorganisationAnswer, found, **bullets))
