"""Prefetch of contexts as a setting: refused where no process lives between requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.errors import Invalid
from memory_layer.usecases.review.configure import get_policy, set_policy

PROJECT = "web"


def test_where_nothing_runs_between_requests_the_setting_is_refused(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal
) -> None:
    """Safeguard: `_check_prefetch`; a setting that does nothing would be believed."""
    ports = open_backend().ports
    if ports.contexts.prefetch is not None:
        set_policy(ports, admin, PROJECT, lambda old: replace(old, context_prefetch=True))
        assert get_policy(ports, admin, PROJECT).context_prefetch
        ports = replace(ports, contexts=replace(ports.contexts, prefetch=None))
        set_policy(ports, admin, PROJECT, lambda old: replace(old, context_prefetch=False))
    with pytest.raises(Invalid) as refused:
        set_policy(ports, admin, PROJECT, lambda old: replace(old, context_prefetch=True))
    assert refused.value.violations[0].pointer == "/context_prefetch"
    assert not get_policy(ports, admin, PROJECT).context_prefetch


def test_a_project_that_came_with_the_setting_can_still_be_configured(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal
) -> None:
    ports = open_backend().ports
    if ports.contexts.prefetch is None:
        pytest.skip("nothing turns it on there")
    set_policy(ports, admin, PROJECT, lambda old: replace(old, context_prefetch=True))
    elsewhere = replace(ports, contexts=replace(ports.contexts, prefetch=None))
    set_policy(elsewhere, admin, PROJECT, lambda old: replace(old, prompt_limit=7))
    assert get_policy(elsewhere, admin, PROJECT).prompt_limit == 7
