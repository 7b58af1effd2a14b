"""Requests for a context and feedback on it, as callers may send them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, Field, Strict, model_validator

from memory_layer.domain.context.feedback_tuning import Feedback
from memory_layer.domain.context.fragments import LAYER_NAMES, LAYERS, Format, Layer, LodPreference
from memory_layer.domain.context.kv_policy import KvPolicy
from memory_layer.domain.memory import LABEL_MAX_CHARS, Standing
from memory_layer.domain.remedies import give
from memory_layer.domain.tier_policy import WEIGHTS_TOLERANCE
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.problems import refused
from memory_layer.edge.shapes.tier_requests import CompressFields, EvictFields, KnownFieldsModel, PinFields
from memory_layer.usecases.context import request

REQUEST_ID: Final = r"^[A-Za-z0-9_.:-]{1,128}$"
Share = Annotated[float, Strict(), Field(ge=0, le=1)]


def _layer(name: object) -> object:
    """Source layer by name: L1 to L4 are names of Context Assembly, source precedence rules."""
    if name in LAYERS:
        return name
    if isinstance(name, str) and name in LAYER_NAMES:
        return LAYER_NAMES[name]
    known = ", ".join(f"{layer} ({short})" for short, layer in LAYER_NAMES.items())
    raise ValueError(f"no such source; there are: {known}")


def _entities(values: object) -> object:
    """Bounds the number of entities before each of ten thousand is looked at."""
    if isinstance(values, list) and len(values) > request.ENTITIES_MAX:
        raise ValueError(f"{len(values):,} entities; name the {request.ENTITIES_MAX} that matter most")
    return values


class Budgets(BaseModel):
    """Bounds of a context: its length, its time and its least quality; what is omitted has its default."""

    model_config = REFUSE_UNKNOWN
    tokens_max: Annotated[
        int,
        Strict(),
        Field(ge=0, le=request.TOKENS_MAX, description="Of `rendered`, delimiters included; 0: nothing fits"),
    ] = request.DEFAULT_TOKENS
    time_ms: Annotated[
        int,
        Strict(),
        Field(
            ge=1,
            le=request.TIME_MAX_MS,
            description="Until the answer; sources have 80 % of it, partial beats late",
        ),
    ] = request.DEFAULT_TIME_MS
    quality_min: Annotated[Share, Field(description="Least relevance of a fragment")] = 0.0
    cost_max: Annotated[
        float | None,
        Field(
            ge=0,
            le=request.COST_MAX,
            description="US dollars that `rendered` may cost as input of `model`; the smaller of this and "
            "`tokens_max` holds",
        ),
    ] = None


class KvPolicyFields(KnownFieldsModel):
    """Overrides of the project's tier policy for this request.

    `pin`: what matches goes in first, and whole, however old it is unless `ttl_hours` is given. `compress`: what is old
    and seldom recalled goes in as one line, or, with `compression_ratio`, as the sentences nearest to the intent that
    make this share of it, the nearest in any case. `evict`: what falls first when the budget is short, by both weights
    together, and out if all that was found is more than `max_total_size_gb`.
    """

    model_config = REFUSE_UNKNOWN
    pin: Annotated[PinFields | None, Field(description="What goes in before all else, whole.")] = None
    compress: Annotated[CompressFields | None, Field(description="What is told in one line.")] = None
    evict: Annotated[
        EvictFields | None, Field(description="What goes first where there is no room for all.")
    ] = None

    @model_validator(mode="after")
    def weights_together(self) -> KvPolicyFields:
        """Refuses weights that contradict each other. Raises: ValueError."""
        given = self.evict.model_dump(exclude_unset=True) if self.evict else {}
        names = ("lru_weight", "quality_weight")
        weights = [given[name] for name in names if given.get(name) is not None]
        if len(weights) == 1:
            raise ValueError(f"evict: give both {' and '.join(names)}; together they are 1")
        if len(weights) == 2 and abs(sum(weights) - 1.0) > WEIGHTS_TOLERANCE:
            raise ValueError(f"evict: {' and '.join(names)} sum up to {sum(weights):g}; make it 1")
        return self


class ContextQuery(BaseModel):
    """Purpose of a context, and its bounds. Without an intent it is what a session should know first."""

    model_config = REFUSE_UNKNOWN
    intent: Annotated[
        str | None,
        Field(
            max_length=8192,
            description="What the context is for, in words; omitted: a session begins, and what is pinned, the rules "
            "and warnings that people vouch for, and the latest proven strategies come first",
        ),
    ] = None
    request_id: Annotated[
        str | None,
        Field(
            pattern=REQUEST_ID,
            description="Your name for this request; feedback under it is on the last context answered under it",
        ),
    ] = None
    entities: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=LABEL_MAX_CHARS)]],
        BeforeValidator(_entities),
        Field(max_length=request.ENTITIES_MAX, description="URNs that it should cover"),
    ] = []
    budgets: Budgets = Field(
        default_factory=Budgets, description="How long it may be and may take, and how good it must be."
    )
    lod_preference: Annotated[
        LodPreference,
        Field(
            description="macro: a line each; micro: whole; atomic: with their facts; adaptive: what fits best"
        ),
    ] = "adaptive"
    source_scope: Annotated[
        list[Annotated[Layer, BeforeValidator(_layer)]],
        Field(
            min_length=1, max_length=8, description="Sources to ask: all four if omitted; L1 to L4 will do"
        ),
    ] = list(LAYERS)
    session_id: Annotated[
        str | None, Field(min_length=1, max_length=256, description="Whose turns the source workshop reads")
    ] = None
    tokenizer: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=128,
            description="wordpiece (default), chars4 or tiktoken:<encoding>: the limit holds by it",
        ),
    ] = None
    model: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=128,
            description="The model that will read it, for its price: of the settings' `token_prices`, else of the "
            "product's list",
        ),
    ] = None
    format: Annotated[Format, Field(description="Of `rendered`")] = "markdown"
    kv_policy: Annotated[KvPolicyFields | None, Field(description="Tier rules for this request alone.")] = (
        None
    )
    standing: Annotated[
        Standing | None,
        Field(description="trusted: what people said or approved alone; unreviewed: the rest"),
    ] = None


PAGE_MAX: Final = 1_000
"""Most numbers of one page: more than any page has."""


class GivenFeedback(BaseModel):
    """Ratings of a context; at least one of these."""

    model_config = REFUSE_UNKNOWN
    coherence_score: Annotated[Share | None, Field(description="How well its fragments fit together")] = None
    completeness: Annotated[Share | None, Field(description="How much of what was needed was there")] = None
    contradiction_rate: Annotated[Share | None, Field(description="How much of it contradicted the rest")] = (
        None
    )
    user_satisfaction: Annotated[
        Share | None, Field(description="How well it served; the lower, the farther the policy moves")
    ] = None
    useful: Annotated[
        list[Annotated[int, Field(ge=1)]] | None,
        Field(
            max_length=PAGE_MAX,
            description="Numbers on the page of the memories that were used; the priority is learned from them",
        ),
    ] = None

    @model_validator(mode="after")
    def says_something(self) -> GivenFeedback:
        """Refuses feedback without a rating. Raises: ValueError."""
        if not self.model_dump(exclude_none=True):
            raise refused("nothing is rated", *(give(f"/{name}") for name in type(self).model_fields))
        return self

    def feedback(self) -> Feedback:
        return Feedback(**self.model_dump(exclude={"useful"}))


def context_request(body: ContextQuery) -> request.ContextRequest:
    """Request as the use case takes it."""
    return request.ContextRequest(
        intent=body.intent,
        request_id=body.request_id,
        entities=tuple(body.entities),
        tokens_max=body.budgets.tokens_max,
        time_ms=body.budgets.time_ms,
        quality_min=body.budgets.quality_min,
        cost_max=body.budgets.cost_max,
        model=body.model,
        lod_preference=body.lod_preference,
        layers=tuple(layer for layer in LAYERS if layer in body.source_scope),
        session_id=body.session_id,
        tokenizer=body.tokenizer,
        format=body.format,
        kv_policy=kv_policy(body.kv_policy),
        standing=body.standing,
    )


def kv_policy(given: KvPolicyFields | None) -> KvPolicy:
    """Overrides that the request gives; a part or a field that is null is absent."""
    parts = given.model_dump(exclude_unset=True) if given is not None else {}
    return {
        name: {key: value for key, value in rules.items() if value is not None}
        for name, rules in parts.items()
        if rules
    }
