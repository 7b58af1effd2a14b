"""Exponential backoff with full jitter."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory_layer.ports.request_deadline import at_most


@dataclass(frozen=True, slots=True)
class Backoff:
    """Full jitter: before attempt n a random share of `base_s` × 2ⁿ, at most of `longest_s`.

    Source: Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015: of all variants full jitter ends a
    crowd's contention with the least work.

    Args:
        attempts: in all, the first included.
        share: random, 0 ≤ share < 1.
        sleep: takes seconds.
    """

    attempts: int = 12
    base_s: float = 0.02
    longest_s: float = 0.5
    share: Callable[[], float] = random.random
    sleep: Callable[[float], None] = time.sleep

    def rounds(self) -> Iterator[int]:
        """Yields the numbers of the attempts from 0, each but the first after its wait.

        It ends before them where the request that is served would: nobody waits for a later attempt.
        """
        for attempt in range(self.attempts):
            if attempt:
                pause_s = self.share() * min(self.longest_s, self.base_s * 2**attempt)
                if at_most(pause_s) < pause_s:
                    return
                self.sleep(pause_s)
            yield attempt
