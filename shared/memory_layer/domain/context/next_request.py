"""Prediction of the next context request of a session, from the requests and turns before it.

Three guesses are made: the last request again, the last request with the newest turn in the place of its intent, and
the request that followed the last one when it was made before. Each is held against every request that really comes,
whether or not it was acted on: a guess is acted on only while it has mostly been right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Generic, Literal, NamedTuple, TypeVar

Rest = TypeVar("Rest")

Guess = Literal["turn", "sequel", "repeated"]
GUESSES: Final[tuple[Guess, ...]] = ("turn", "sequel", "repeated")
"""Guesses; of two that were right as often the first is acted on."""

ASKED_MAX: Final = 16
"""Requests of a session that are remembered."""

TRIED_MAX: Final = 8
"""Last trials of a guess that count."""

LEAST_CHANCE: Final = 0.6
"""Estimated chance from which a guess is acted on: (right + 1) / (tried + 2), so one right trial is enough."""

STRETCHES_OF: Final = 3
"""Last requests of which the one with the fewest stretches of writes before it tells when the next one is near."""

ATTEMPTS_MAX: Final = 2
"""Assemblies between two requests of a session."""


class AskedContext(NamedTuple, Generic[Rest]):
    """Request for a context. Args: rest: all that it says beside its intent; compared alone."""

    intent: str | None
    rest: Rest


@dataclass(frozen=True, slots=True)
class RequestPattern(Generic[Rest]):
    """Pattern of the requests of one session.

    Args:
        asked: the last requests, newest last.
        trials: by guess, if it was right, newest last.
        writes: stretches of writes since the last request.
        writes_before: those before each of the last requests, newest last.
    """

    asked: tuple[AskedContext[Rest], ...] = ()
    trials: Mapping[Guess, tuple[bool, ...]] = field(default_factory=dict)
    writes: int = 0
    writes_before: tuple[int, ...] = ()

    def after_request(self, asked: AskedContext[Rest], turn: str | None) -> RequestPattern[Rest]:
        """Pattern after a request. Args: turn: content of the session's newest turn before it; None: it has none."""
        tried = {guess: one == asked for guess, one in self._guessed(turn).items()}
        trials = {
            guess: (*self.trials.get(guess, ()), *([tried[guess]] if guess in tried else []))[-TRIED_MAX:]
            for guess in GUESSES
        }
        writes_before = (*self.writes_before, *([self.writes] if self.asked else []))[-STRETCHES_OF:]
        return RequestPattern((*self.asked, asked)[-ASKED_MAX:], trials, writes_before=writes_before)

    def after_write(self) -> RequestPattern[Rest]:
        """Pattern after a stretch of writes."""
        return replace(self, writes=self.writes + 1)

    @property
    def is_due(self) -> bool:
        """Tells if the next request is near: as much was written as before the last ones, and no more than a little."""
        waits_for = max(1, min(self.writes_before, default=1))
        return waits_for <= self.writes < waits_for + ATTEMPTS_MAX

    def expected(self, turn: str | None) -> AskedContext[Rest] | None:
        """Request that is expected next; None: no guess has mostly been right. Args: turn: as `after_request`."""
        guessed = self._guessed(turn)
        chances = {guess: self.chance(guess) for guess in guessed}
        likely = [guess for guess, chance in chances.items() if chance >= LEAST_CHANCE]
        return guessed[max(likely, key=lambda guess: chances[guess])] if likely else None

    def chance(self, guess: Guess) -> float:
        """Estimated chance that a guess is right, 0..1; .5 for one that was never tried."""
        tried = self.trials.get(guess, ())
        return (sum(tried) + 1) / (len(tried) + 2)

    def _guessed(self, turn: str | None) -> dict[Guess, AskedContext[Rest]]:
        """Guesses that can be made now, in the order of `GUESSES`."""
        if not self.asked:
            return {}
        last = self.asked[-1]
        found: dict[Guess, AskedContext[Rest] | None] = {
            "turn": None if turn is None else last._replace(intent=turn),
            "sequel": self._sequel(last),
            "repeated": last,
        }
        return {guess: one for guess, one in found.items() if one is not None}

    def _sequel(self, last: AskedContext[Rest]) -> AskedContext[Rest] | None:
        """Request that followed the last one when it was made before, the latest time; None: it never was."""
        pairs = zip(reversed(self.asked[:-1]), reversed(self.asked[1:]), strict=True)
        return next((following for one, following in pairs if one == last), None)
