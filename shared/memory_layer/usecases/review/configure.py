"""Read and change of a project's settings."""

from collections.abc import Callable
from dataclasses import replace

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy, weights_flaw
from memory_layer.domain.tier_policy import find_tier_policy_flaws
from memory_layer.errors import DamagedSettings, Invalid, StaleVersion, Violation
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import require_admin, retry_on_conflict


def get_policy(ports: Ports, principal: Principal, project: str) -> Policy:
    """Returns the settings in force.

    Raises:
        Forbidden: the caller is no admin.
    """
    require_admin(principal, _settings_of(project))
    return ports.store.projects.policy(principal.scope(project))


def default_policy(principal: Principal, project: str) -> Policy:
    """Returns the settings of a project that never set any.

    Raises:
        Forbidden: the caller is no admin.
    """
    require_admin(principal, _settings_of(project))
    return Policy()


def set_policy(
    ports: Ports,
    principal: Principal,
    project: str,
    change: Callable[[Policy], Policy],
    *,
    expected: int | None = None,
    keeps_others: bool = False,
) -> Policy:
    """Replaces the present settings by the changed ones.

    Args:
        expected: the version of the settings that the caller has seen; None: any.
        keeps_others: tells that the change leaves some as they are, so that they have to be readable.

    Raises:
        Forbidden: the caller is no admin.
        StaleVersion: they are at another version.
        DamagedSettings: they cannot be read, and some are to stay.
        Invalid: rules that contradict each other, or that no record could be measured by; a prefetch of contexts where
            no process lives between requests.
    """
    require_admin(principal, _settings_of(project))
    scope = principal.scope(project)

    def attempt() -> Policy:
        before = ports.store.projects.policy(scope) if keeps_others else _in_force(ports, scope)
        _check_version(project, before, expected)
        after = replace(change(before), version=before.version + 1)
        _refuse_flaws(after)
        if after.context_prefetch and not before.context_prefetch:
            _check_prefetch(ports)
        ports.store.writer.commit(Commit(scope=scope, policy=after))
        return after

    return retry_on_conflict(attempt)


def _check_version(project: str, before: Policy, expected: int | None) -> None:
    """Raises: StaleVersion: the settings are at another version than the expected one."""
    if expected is not None and expected != before.version:
        raise StaleVersion(
            f"the settings of {project} are at version {before.version}, not {expected}; read them again, then decide"
        )


def _refuse_flaws(policy: Policy) -> None:
    """Refuses tier rules with flaws, and weights that make no whole. Raises: Invalid"""
    weights = ((name, weights_flaw(each)) for name, each in policy.context_weights.items())
    found = (
        *(
            Violation("/".join(("", "tier_policy", *flaw.path)), flaw.detail)
            for flaw in find_tier_policy_flaws(policy.tier_policy)
        ),
        *(Violation(f"/context_weights/{name}", flaw) for name, flaw in weights if flaw is not None),
    )
    if found:
        raise Invalid.each(found, len(found))


def _check_prefetch(ports: Ports) -> None:
    """Raises: Invalid: nothing runs between the requests of this deployment."""
    if ports.contexts.prefetch is None:
        raise Invalid.at(
            "/context_prefetch",
            "no process of this deployment lives between requests, so no context can be assembled before it is asked "
            "for; leave it false",
        )


def _in_force(ports: Ports, scope: Scope) -> Policy:
    """Settings in force; defaults where they are damaged, so that a change replaces them."""
    try:
        return ports.store.projects.policy(scope)
    except DamagedSettings as error:
        return Policy(version=error.version)


def _settings_of(project: str) -> str:
    return f"reading or changing the settings of project {project}"
