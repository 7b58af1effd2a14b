"""Words of an erased memory: none is left in any cache of the process."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import _lru_cache_wrapper
from types import FunctionType, ModuleType
from typing import Final

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.safety.text_caches import WordTable
from memory_layer.domain.text.digest_cache import DigestCache
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import ADMIN, AGENT, PROJECT

SECRET = "zyxwort"
"""Word that nothing else in the process says, in lower case, as caches keep it."""

TEXTS = (
    f"The {SECRET} service restarts after 29 s, when its journal on the {SECRET} host is full.",
    f"The {SECRET} service restarts after 60 s, when its journal on the {SECRET} host is full.",
)
ASKED = f"When does the {SECRET} service restart after its journal is full?"


KINDS_OF_CACHES: Final = (_lru_cache_wrapper, DigestCache, WordTable)


def kept_words() -> set[str]:
    """Caches of the process from which a text with the secret is reached, by name."""
    caches = [one for one in gc.get_objects() if isinstance(one, KINDS_OF_CACHES)]
    return {getattr(cache, "__qualname__", repr(cache)) for cache in caches if _holds_secret(cache)}


def _holds_secret(cache: object) -> bool:
    waiting, seen = [cache], {id(cache)}
    while waiting:
        kept = waiting.pop()
        if isinstance(kept, str | bytes):
            if SECRET in repr(kept).lower():
                return True
            continue
        inner = [
            one for one in gc.get_referents(kept) if id(one) not in seen and not isinstance(one, NO_WORDS)
        ]
        seen |= {*map(id, inner)}
        waiting += [one for one in inner if "adapters" not in type(one).__module__]
    return False


NO_WORDS: Final = (type, ModuleType, FunctionType)


def _used(backend: EmbeddedBackend) -> list[str]:
    """Memories of a person and of an agent that were asked for, judged and held against each other; their ids."""
    ports = backend.ports
    fields = [{"content": text, "tags": [SECRET], "category": "general"} for text in TEXTS]
    stored = [
        remember_many(ports, by, PROJECT, [RememberRequest(fields=one, on_duplicate="create")])[0]
        for by, one in zip((ADMIN, AGENT), fields, strict=True)
    ]
    backend.drain()
    recall(ports, ADMIN, PROJECT, RecallRequest(query=ASKED))
    assemble_context(ports, ADMIN, PROJECT, ContextRequest(intent=ASKED, time_ms=27_000))
    run_sweep(ports, "reconcile", holder="test", seconds=60.0)
    return [one.memory.id for one in stored]  # type: ignore[union-attr]


@EMBEDDED_ONLY
@pytest.mark.parametrize("is_whole", [True, False], ids=["project", "one by one"])
def test_an_erasure_leaves_no_word_in_a_cache(
    open_backend: Callable[..., EmbeddedBackend], is_whole: bool
) -> None:
    """Falls without `forget_texts`, and with a cache of texts that it does not reach."""
    backend = open_backend()
    ids = _used(backend)
    assert kept_words(), "nothing was kept: the test shows nothing"
    if is_whole:
        erase(
            backend.ports,
            ADMIN,
            PROJECT,
            ErasureRule(),
            id="ers_1",
            began_at=backend.ports.clock.now(),
        )
    else:
        for id in ids:
            erase_memory(backend.ports, ADMIN, PROJECT, id)
    assert kept_words() == set()
