"""Prerequisites of a context: write versions, settings of the projects, or a context that was kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.context.fragments import AssembledContext, ContextWarning, Offer
from memory_layer.domain.context.kv_policy import KvPolicy, apply_kv_policy
from memory_layer.domain.context.usage_tuning import effective_tier_policy
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy, PrivacyMode
from memory_layer.domain.time.decay import recency_share
from memory_layer.ports.process import Deadline, Ports
from memory_layer.ports.project_settings import ContextSettings, damaged_tuning
from memory_layer.usecases.recall.redact_answers import redacted_offers

KEPT_S: Final = 60
"""Longest time that a context is kept, in seconds: a change without a write (an index catching up) shows by then."""


@dataclass(frozen=True, slots=True)
class ContextPrerequisites:
    """Prerequisites in the order that they are read, so that no write between two reads is taken for seen.

    Args:
        versions: the projects' write versions before anything else was read.
        kept: an equal earlier context; with it nothing else is needed but prices, where a model is named.
    """

    versions: tuple[str, ...]
    kept: AssembledContext | None = None
    settings: Mapping[Scope, ContextSettings] = field(default_factory=dict)

    @property
    def policies(self) -> Mapping[Scope, Policy]:
        return {scope: settings.policy for scope, settings in self.settings.items()}

    @property
    def warned(self) -> tuple[ContextWarning, ...]:
        """Warnings of projects whose tuning is damaged: what contexts go by is less than was tuned."""
        damaged = (scope.project for scope, settings in self.settings.items() if settings.is_tuning_damaged)
        return tuple(ContextWarning("INCOMPLETE", damaged_tuning(project)) for project in damaged)

    def privacy_mode_of(self, scope: Scope) -> PrivacyMode:
        return self.settings[scope].policy.privacy_mode

    def ruled(self, offers: Sequence[Offer], scope: Scope, asked: KvPolicy, now: datetime) -> list[Offer]:
        """Offers redacted again by the settings, and treated by the tier policy as use has tuned it.

        Args:
            scope: the project that is asked.
            asked: rules of the request, before those of the project.
        """
        settings = self.settings[scope]
        clean = redacted_offers(offers, settings.policy.privacy_mode, self.privacy_mode_of)
        share = recency_share(settings.active_at, now)
        if share < 1.0:
            clean = [
                offer._replace(recency_share=share) if offer.memory.scope == scope else offer
                for offer in clean
            ]
        rules = effective_tier_policy(settings.policy.tier_policy, settings.assembly)
        return apply_kv_policy(clean, asked, rules, now)


def read_prerequisites(
    ports: Ports, scopes: tuple[Scope, ...], *, key: str, now: datetime, deadline: Deadline, is_priced: bool
) -> ContextPrerequisites:
    """Reads write versions, then the kept context of this key, then, without one, the settings.

    Args:
        scopes: the project, and what its tenant shares.
        is_priced: reads the settings, which have prices, beside a kept context as well.

    Raises:
        Late: the deadline is over.
        Unavailable: the record store does not answer, or settings are damaged.
    """
    versions = ports.store.projects.write_versions(scopes)
    kept = ports.contexts.kept.find(key, versions, now)
    if kept is not None and not is_priced:
        return ContextPrerequisites(versions, kept)
    deadline.check()
    settings = ports.store.projects.context_settings(scopes)
    return ContextPrerequisites(versions, kept, dict(zip(scopes, settings, strict=True)))


def kept_until(offers: Iterable[Offer], now: datetime) -> datetime:
    """Moment until which a context is kept: the next end of a memory among its offers, `KEPT_S` from now at most."""
    memories = [offer.memory for offer in offers]
    ends = [end for memory in memories for end in (memory.expires_at, memory.valid_to) if end is not None]
    return min([now + timedelta(seconds=KEPT_S), *(end for end in ends if end > now)])
