"""What callers may send to the staging area."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN


class LearningToJudge(BaseModel):
    """A learning to judge; omitted: all that are pending."""

    model_config = REFUSE_UNKNOWN
    learning: Annotated[
        dict[str, Any] | None, Field(description="type, task_type, content, confidence …")
    ] = None


class PromoteStaging(BaseModel):
    """Whether pending learnings are judged first, and whether what was promoted leaves the staging area."""

    model_config = REFUSE_UNKNOWN
    auto_validate: Annotated[bool, Strict()] = True
    clear_after: Annotated[bool, Strict()] = False
