"""What a caller should know of a context that is less than it asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from memory_layer.domain.context.fragments import AssemblyRequest, Fragment, Omitted, Warned

LOW_RELEVANCE: Final = 0.3
"""A context whose best fragment is less relevant than this is hardly about the intent."""

NAMED_MAX: Final = 10


def warnings_of(
    request: AssemblyRequest,
    fragments: Sequence[Fragment],
    omitted: Sequence[Omitted],
    shortened: int,
    missing: Sequence[str],
    unmatched: Sequence[str],
    *,
    is_coherent: bool,
) -> list[Warned]:
    """Codes of Context Assembly, error recovery, with what they mean here; those of the sources are not ours to know.

    Args:
        shortened: how many fragments are one line of something longer.
        missing: entities of the request that no fragment names.
        unmatched: pins of the request that mean no fragment.
        is_coherent: whether the offers could be compared with each other.
    """
    found = []
    if not is_coherent:
        said = (
            "too few memories have vectors to compare them: they are put one after the other by relevance, "
            "and contradictions or repetitions in other words go unseen"
        )
        found.append(Warned("COHERENCE_FAILURE", said))
    found += _of_budget(request, omitted, shortened)
    found += _of_quality(request, fragments, omitted)
    if missing:
        found.append(Warned("INCOMPLETE", f"nothing in the context names {_listed(missing)}"))
    if unmatched:
        said = "a pin is a tag, a URN, a glob over them, or an id, spelled as the memory has it"
        found.append(
            Warned("INCOMPLETE", f"nothing in the context is pinned by {_listed(unmatched)}; {said}")
        )
    return found


def _of_budget(request: AssemblyRequest, omitted: Collection[Omitted], shortened: int) -> list[Warned]:
    left_out = sum(each.reason == "over_budget" for each in omitted)
    said = [f"{left_out} do not fit"] if left_out else []
    said += (
        [f"{shortened} are shortened to a line"] if shortened and request.lod_preference != "macro" else []
    )
    if not said:
        return []
    detail = f"{' and '.join(said)}: the budget is {request.tokens_max:,} tokens; raise tokens_max for more"
    return [Warned("BUDGET_EXCEEDED", detail)]


def _of_quality(
    request: AssemblyRequest, fragments: Sequence[Fragment], omitted: Collection[Omitted]
) -> list[Warned]:
    below = sum(each.reason == "below_quality" for each in omitted)
    if below and not fragments:
        detail = (
            f"none of {below} memories is relevant enough for quality_min {request.quality_min:g}; lower it"
        )
        return [Warned("LOW_QUALITY", detail)]
    best = max((fragment.relevance for fragment in fragments), default=1.0)
    if best < LOW_RELEVANCE:
        return [Warned("LOW_QUALITY", f"the most relevant fragment reaches {best:.2f} of 1")]
    return []


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED_MAX} more" if len(names) > NAMED_MAX else ""
    return ", ".join(names[:NAMED_MAX]) + more
