"""Request for a context: its limits, its checks, the key it is kept under, and the assembly request made of it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.fragments import (
    LAYERS,
    AssemblyRequest,
    ContextWarning,
    Format,
    Layer,
    LodPreference,
)
from memory_layer.domain.context.kv_policy import KvPolicy
from memory_layer.domain.context.next_request import AskedContext
from memory_layer.domain.context.token_prices import LIST_PRICES, TokenPrice, price_of
from memory_layer.domain.memory import Scope, Standing
from memory_layer.domain.policy import TokenPrices
from memory_layer.domain.remedies import give, omit
from memory_layer.domain.text_rules import text_problem
from memory_layer.domain.tier_policy import pattern_problem
from memory_layer.errors import Invalid

TOKENS_MAX: Final = 200_000
TIME_MAX_MS: Final = 27_000
"""Longest time budget: a second less than the function in the cloud has (manifest/functions.py)."""

COST_MAX: Final = 1_000.0
"""Most US dollars of a cost budget: of any model's whole window, many times over."""

ENTITIES_MAX: Final = 64
DEFAULT_TOKENS, DEFAULT_TIME_MS = 4_000, 500

TOKENS_A_MEMORY: Final = 15
"""Tokens of the budget for each memory that the project may offer: a short turn with its line's overhead."""

LAYER_LIMITS: Final[Mapping[Layer, int]] = {"global": 15, "project": 10, "workshop": 10, "experience": 5}
"""Memories that each source may offer. Source: Context Assembly, source coordination."""

PROJECT_LIMIT_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """Request for a context.

    Args:
        request_id: the caller's own name for it; None: it is given one.
        intent: None: a session begins; the context is what is known first.
        cost_max: US dollars that the page may cost as input of `model`; None: any. With it the model is named.
        model: that will read the page, for its price.
        standing: the only one whose memories are offered; None: either.
        tokenizer: None: the embedding model's, and where that is not there chars4, which errs on the safe side.

    Source: SPEC 9.1.
    """

    intent: str | None = None
    request_id: str | None = None
    entities: tuple[str, ...] = ()
    tokens_max: int = DEFAULT_TOKENS
    time_ms: int = DEFAULT_TIME_MS
    quality_min: float = 0.0
    cost_max: float | None = None
    model: str | None = None
    lod_preference: LodPreference = "adaptive"
    layers: tuple[Layer, ...] = LAYERS
    session_id: str | None = None
    tokenizer: str | None = None
    format: Format = "markdown"
    kv_policy: KvPolicy = field(default_factory=dict)
    standing: Standing | None = None

    @property
    def budgets(self) -> Mapping[str, float]:
        return {"tokens_max": self.tokens_max, "time_ms": self.time_ms, "quality_min": self.quality_min}

    def limit(self, layer: Layer) -> int:
        """Number of memories that a source may offer; the project may offer more where the budget has room."""
        if layer != "project":
            return LAYER_LIMITS[layer]
        return max(LAYER_LIMITS[layer], min(PROJECT_LIMIT_MAX, self.tokens_max // TOKENS_A_MEMORY))

    def projects(self, scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
        """Projects whose sources are asked; the caller's experience is in either.

        Args:
            scopes: the project, and what its tenant shares.
        """
        if self.asks("experience"):
            return scopes
        wanted: dict[Layer, Scope] = {"project": scopes[0], "global": scopes[-1]}
        return tuple(dict.fromkeys(scope for layer, scope in wanted.items() if self.asks(layer)))

    def asks(self, layer: Layer) -> bool:
        return layer in self.layers


def check_request(request: ContextRequest) -> None:
    """Refuses a request that no context can be assembled for.

    Raises:
        Invalid: the intent is blank, entities are named without one, the session is asked for without its name, or a
            pattern to pin by is none.
    """
    if request.intent is not None:
        _check_intent(request.intent)
    elif request.entities:
        raise Invalid.at(
            "/entities", "entities are covered for an intent", give("/intent"), omit("/entities")
        )
    if request.cost_max is not None and request.model is None:
        raise Invalid.at("/model", "a cost is that of a model", give("/model"), omit("/budgets/cost_max"))
    if request.layers == ("workshop",) and request.session_id is None:
        raise Invalid.at(
            "/session_id",
            "source workshop is what a session said",
            give("/session_id"),
            give("/source_scope"),
        )
    for number, pattern in enumerate(request.kv_policy.get("pin", {}).get("patterns", ())):
        if problem := pattern_problem(pattern):
            raise Invalid.at(f"/kv_policy/pin/patterns/{number}", f"pin: {problem}")


def _check_intent(intent: str) -> None:
    problem = text_problem(intent)
    if problem or not intent.strip():
        said = "the intent is blank; say what the context is for, or leave it out at the start of a session"
        raise Invalid.at("/intent", problem or said)


def context_key(principal: Principal, scope: Scope, request: ContextRequest, day: str) -> str:
    """Key of the context kept for one request of one caller on one day.

    Args:
        day: ages are counted in whole days.
    """
    asked = {name: value for name, value in asdict(request).items() if name not in ("request_id", "time_ms")}
    view = [principal.holder, principal.persona, sorted(principal.personas), principal.is_admin]
    return sha256(json.dumps([scope, view, day, asked], sort_keys=True).encode()).hexdigest()


def asked_context(request: ContextRequest) -> AskedContext[ContextRequest]:
    """Intent and rest of a request, without what changes nothing in its context: its own name, and its time."""
    return AskedContext(
        request.intent, replace(request, intent=None, request_id=None, time_ms=DEFAULT_TIME_MS)
    )


def price_in_force(request: ContextRequest, own: TokenPrices) -> TokenPrice | None:
    """Price of the model that a request names; None: it names none, or nobody knows the price of it.

    Args:
        own: prices that the project's settings say.

    Raises:
        Invalid: nobody knows the price of this model, and a budget of money is to be held.
    """
    if request.model is None:
        return None
    price = price_of(request.model, own)
    if price is None and request.cost_max is not None:
        known = ", ".join(sorted({*own, *LIST_PRICES}))
        raise Invalid.at("/model", f"{_no_price(request.model)}; there is one for {known}; {_OWN_PRICES}")
    return price


def unpriced(model: str) -> ContextWarning:
    """Warning that the cost of a context is not told. Args: model: one without a price."""
    return ContextWarning("INCOMPLETE", f"{_no_price(model)}, so the cost is not told; {_OWN_PRICES}")


_OWN_PRICES: Final = "a project's setting token_prices adds others, in US dollars for a million input tokens"


def _no_price(model: str) -> str:
    return f"there is no price for {model!r}"


def tokens_affordable(request: ContextRequest, price: TokenPrice | None) -> int:
    """Budget of tokens: the one asked for, or as many as the cost buys, if these are fewer."""
    if price is None or request.cost_max is None:
        return request.tokens_max
    return min(request.tokens_max, price.affordable(request.cost_max))


def _paid_by(request: ContextRequest, price: TokenPrice | None) -> str | None:
    if price is None or tokens_affordable(request, price) == request.tokens_max:
        return None
    return f"cost_max {request.cost_max:g} at {price.usd:g} US dollars for a million tokens of {price.model}"


def assembly_request(
    request: ContextRequest,
    layers: tuple[Layer, ...],
    policy: AssemblyPolicy,
    price: TokenPrice | None,
    now: datetime,
) -> AssemblyRequest:
    """Request to the domain's assembly: the caller's budgets and pins with the project's weights.

    Args:
        layers: of the sources that are asked.
        policy: with the weights that the settings say.
        price: of the model that will read the page.
    """
    return AssemblyRequest(
        intent=request.intent or "",
        tokens_max=tokens_affordable(request, price),
        paid_by=_paid_by(request, price),
        now=now,
        entities=request.entities,
        pins=tuple(request.kv_policy.get("pin", {}).get("patterns", ())),
        quality_min=request.quality_min,
        lod_preference=request.lod_preference,
        format=request.format,
        layers=layers,
        class_weights=policy.weights,
        conflict_sensitivity=policy.conflict_sensitivity,
        entity_share=policy.entity_share,
        learned=policy.learned.weights_in_force,
    )
