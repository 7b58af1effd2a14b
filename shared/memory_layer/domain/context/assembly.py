"""Context assembly: the best fragments that the sources offer, within a budget of tokens, as one page."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from memory_layer.domain.context.coherence import mean_coherence
from memory_layer.domain.context.fragments import (
    LAYERS,
    AssembledContext,
    AssemblyRequest,
    ContextWarning,
    Fragment,
    Offer,
    Omission,
    Reason,
    TokenCounter,
)
from memory_layer.domain.context.page_draft import PageDraft
from memory_layer.domain.context.priority import EntityMatcher
from memory_layer.domain.memory import Memory, Ref, to_thousandths
from memory_layer.domain.tier_policy import matches_memory

LOW_RELEVANCE: Final = 0.3
"""Relevance of the best fragment below which a context hardly concerns the intent."""

LISTED_NAMES_MAX: Final = 10


def warnings_of(
    request: AssemblyRequest,
    fragments: Sequence[Fragment],
    omitted: Sequence[Omission],
    shortened: int,
    missing: Sequence[str],
    unmatched: Sequence[str],
    *,
    is_coherent: bool,
) -> list[ContextWarning]:
    """Warnings with the codes of Context Assembly, error recovery; those of the sources are the caller's to add.

    Args:
        shortened: number of fragments that are one line of a longer memory.
        missing: entities of the request that no fragment names.
        unmatched: pins of the request that match no fragment.
        is_coherent: whether the offers could be compared with each other.
    """
    found = []
    if not is_coherent:
        said = (
            "too few memories have vectors to compare them: they are put one after the other by relevance, "
            "and contradictions or repetitions in other words go unseen"
        )
        found.append(ContextWarning("COHERENCE_FAILURE", said))
    found += _budget_warnings(request, omitted, shortened)
    found += _quality_warnings(request, fragments, omitted)
    if missing:
        found.append(ContextWarning("INCOMPLETE", f"nothing in the context names {_listed(missing)}"))
    if unmatched:
        said = "a pin is a tag, a URN, a glob over them, or an id, spelled as the memory has it"
        found.append(
            ContextWarning("INCOMPLETE", f"nothing in the context is pinned by {_listed(unmatched)}; {said}")
        )
    return found


def _budget_warnings(
    request: AssemblyRequest, omitted: Collection[Omission], shortened: int
) -> list[ContextWarning]:
    left_out = sum(each.reason == "over_budget" for each in omitted)
    said = [f"{left_out} do not fit"] if left_out else []
    said += (
        [f"{shortened} are shortened to a line"] if shortened and request.lod_preference != "macro" else []
    )
    if not said:
        return []
    bought = f", which is what {request.paid_by} buys" if request.paid_by else ""
    budget = "cost_max" if request.paid_by else "tokens_max"
    detail = (
        f"{' and '.join(said)}: the budget is {request.tokens_max:,} tokens{bought}; raise {budget} for more"
    )
    return [ContextWarning("BUDGET_EXCEEDED", detail)]


def _quality_warnings(
    request: AssemblyRequest, fragments: Sequence[Fragment], omitted: Collection[Omission]
) -> list[ContextWarning]:
    below = sum(each.reason == "below_quality" for each in omitted)
    if below and not fragments:
        detail = (
            f"none of {below} memories reaches the least quality asked for, {request.quality_min:g}; lower it"
        )
        return [ContextWarning("LOW_QUALITY", detail)]
    best = max((fragment.relevance for fragment in fragments), default=1.0)
    if request.intent and best < LOW_RELEVANCE:
        return [ContextWarning("LOW_QUALITY", f"the most relevant fragment reaches {best:.2f} of 1")]
    return []


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - LISTED_NAMES_MAX} more" if len(names) > LISTED_NAMES_MAX else ""
    return ", ".join(names[:LISTED_NAMES_MAX]) + more


def assemble(offers: Sequence[Offer], request: AssemblyRequest, count: TokenCounter) -> AssembledContext:
    """Assembles a page that never exceeds its budget, and reports the outcome of every offer.

    The same offers and request give the same bytes, in whatever order the offers come. If the offers cannot be
    compared with each other (no vectors), they are put one after the other by relevance.

    Args:
        offers: of all sources; the same memory may come from several.
        request: the intent, the budget and the settings.
        count: the tokenizer of the model that will read the page.

    Source: Context Assembly, context assembly process; SPEC 9; ADR-0013.
    """
    unique, elsewhere = _unique_offers(offers)
    good, poor = _by_quality(unique, request)
    if not good:
        return _empty(request, [*elsewhere, *poor])
    draft = PageDraft(good, request, count)
    draft.choose()
    page, total_tokens = draft.page()
    fragments, omitted = draft.fragments(), [*elsewhere, *poor, *draft.omitted()]
    shown = [draft.offers[at].memory for at in draft.fit.levels]
    missing, unmatched = draft.mentions.missing(shown), _unmatched(request.pins, shown)
    is_coherent = draft.alike is not None
    return AssembledContext(
        fragments=fragments,
        rendered=page,
        omitted=_in_order(omitted),
        conflicts=draft.conflicts(),
        total_tokens=total_tokens,
        source_coverage=_coverage(fragments, request),
        quality_achieved=_mean([fragment.relevance for fragment in fragments]),
        coherence=mean_coherence(draft.alike, sorted(draft.fit.levels)),
        warnings=warnings_of(
            request, fragments, omitted, draft.shortened, missing, unmatched, is_coherent=is_coherent
        ),
    )


def _empty(request: AssemblyRequest, omitted: Sequence[Omission]) -> AssembledContext:
    """Context without a page, made in no time, for a request that has none left."""
    missing = EntityMatcher(request.entities).missing([])
    return AssembledContext(
        fragments=[],
        rendered="",
        omitted=_in_order(omitted),
        conflicts=[],
        total_tokens=0,
        source_coverage=0.0,
        quality_achieved=0.0,
        coherence=1.0,
        warnings=warnings_of(request, [], omitted, 0, missing, request.pins, is_coherent=True),
    )


def _unmatched(pins: Sequence[str], memories: Sequence[Memory]) -> list[str]:
    return [
        pin for pin in dict.fromkeys(pins) if not any(matches_memory(memory, (pin,)) for memory in memories)
    ]


def _in_order(omitted: Iterable[Omission]) -> list[Omission]:
    return sorted(omitted, key=lambda each: (each.id, each.reason, each.detail or ""))


def _unique_offers(offers: Iterable[Offer]) -> tuple[list[Offer], list[Omission]]:
    """Keeps each memory once, in its layer, with its best relevance; in the order of ids.

    Turns of the session belong to the workshop; other memories to the layer of highest precedence.
    """
    kept: dict[Ref, Offer] = {}
    omitted = []
    for offer in sorted(offers, key=_precedence):
        first = kept.setdefault(offer.memory.ref, offer)
        if first is not offer:
            reason: Reason = "repeated" if first.layer == offer.layer else "other_layer"
            omitted.append(Omission(offer.memory.id, reason, f"in {first.layer}"))
            kept[offer.memory.ref] = first._replace(relevance=max(first.relevance, offer.relevance))
    return list(kept.values()), omitted


def _precedence(offer: Offer) -> tuple[str, str, int, float]:
    place = -1 if offer.layer == "workshop" else LAYERS.index(offer.layer)
    return offer.memory.id, offer.memory.project, place, -offer.relevance


def _by_quality(offers: Iterable[Offer], request: AssemblyRequest) -> tuple[list[Offer], list[Omission]]:
    """Splits offers into those relevant enough, and omissions; pinned memories are kept at any relevance."""
    good, poor = [], []
    for offer in offers:
        if offer.is_evicted:
            poor.append(Omission(offer.memory.id, "evicted", "more was found than max_total_size_gb"))
        elif offer.is_pinned or to_thousandths(offer.relevance) >= request.quality_min:
            good.append(offer)
        else:
            poor.append(Omission(offer.memory.id, "below_quality"))
    return good, poor


def _coverage(fragments: Iterable[Fragment], request: AssemblyRequest) -> float:
    covered = {fragment.source_layer for fragment in fragments}
    return (
        to_thousandths(len(covered.intersection(request.layers)) / len(request.layers))
        if request.layers
        else 0.0
    )


def _mean(scores: Sequence[float]) -> float:
    return to_thousandths(sum(scores) / len(scores)) if scores else 0.0
