"""Answers of each tool: what an agent needs, described for a model."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from memory_layer.domain.memory import Category, MemoryType, Standing, Status
from memory_layer.domain.ranking import PlacedBy


class MemoryCard(BaseModel):
    """Fields of a record that an agent needs: a model's context is dear."""

    id: str
    content: str
    type: MemoryType
    category: Category
    tags: list[str]
    entities: list[str]
    status: Status
    source: str
    standing: Annotated[Standing, Field(description="unreviewed: no person said or approved it.")]
    confidence: Annotated[float, Field(description="0 to 1: how far to believe it.")]
    outcome_score: Annotated[
        float, Field(description="-1 (misled whenever used) to 1 (worked whenever used).")
    ]
    dated: Annotated[str | None, Field(description="What its yesterday and last week mean.")]
    doubted: Annotated[bool, Field(description="An agent speaks against it; a person decides.")]
    worked: int
    failed: int
    created_by: str
    updated_at: datetime
    version: int


class FoundMemory(MemoryCard):
    score: float
    relevance: Annotated[float, Field(description="0 to 1: the chance that it bears on the question.")]
    placed_by: Annotated[
        PlacedBy,
        Field(
            description="fold: like one before it; trust: a person vouches for it; correction: of the one before it; "
            "record: others found its author wrong."
        ),
    ]


class Search(BaseModel):
    recall_id: str
    abstained: Annotated[bool, Field(description="Nothing relevant is known.")]
    evidence: Annotated[float, Field(description="0 to 1: the chance that an answer is known.")]
    evidence_gaps: Annotated[list[str], Field(description="Named in the question, covered by no memory.")]
    degraded: Annotated[bool, Field(description="Found by words alone; the note says why.")]
    note: str | None
    memories: list[FoundMemory]


class PromptSection(BaseModel):
    markdown: str
    recall_id: str
    memory_ids: list[str]
    degraded: Annotated[bool, Field(description="A part was not there to be used; the note says which.")]
    note: str | None


class Similar(BaseModel):
    id: str
    similarity: float
    content: str | None
    differs_in: str


class Written(BaseModel):
    memory: MemoryCard
    redacted: Annotated[list[str], Field(description="Kinds of secrets that were taken out.")]
    is_new: bool
    proposed_for: Annotated[str | None, Field(description="It waits for a reviewer; that one stays.")] = None
    similar: Annotated[
        list[Similar], Field(description="Near to it, and saying something else: both are kept.")
    ] = []


class Judged(BaseModel):
    memory: MemoryCard


class JudgedByRef(BaseModel):
    ref: int
    id: str
    refused: Annotated[str | None, Field(description="Why there is no verdict on this one.")] = None


class Reported(BaseModel):
    memory: Annotated[MemoryCard | None, Field(description="The one named by its id.")] = None
    results: Annotated[list[JudgedByRef], Field(description="Those named by refs.")] = []


class Listed(BaseModel):
    memories: list[MemoryCard]
    next_cursor: str | None


class Reviews(BaseModel):
    reviews: Annotated[list[dict[str, Any]], Field(description="As GET /reviews has them.")]
    next_cursor: str | None


class Decided(BaseModel):
    id: str
    status: str
