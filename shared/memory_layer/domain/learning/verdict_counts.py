"""Counts of verdicts on one memory, and the posterior that they leave: a Beta distribution. All constants: ADR-0042."""

from typing import Final, NamedTuple

PRIOR_WORKED, PRIOR_FAILED = 1.0, 1.0
"""Pseudo-counts of the prior: a memory that no verdict has met may be anything."""


class VerdictCounts(NamedTuple):
    """Evidence that a memory worked, and that it failed, in decayed verdicts."""

    worked: float = 0.0
    failed: float = 0.0

    def plus(self, other: "VerdictCounts", share: float = 1.0) -> "VerdictCounts":
        return VerdictCounts(self.worked + share * other.worked, self.failed + share * other.failed)

    @property
    def mean(self) -> float:
        """Mean of the posterior: chance that the memory serves, 0..1."""
        worked, failed = self.worked + PRIOR_WORKED, self.failed + PRIOR_FAILED
        return worked / (worked + failed)

    @property
    def deviation(self) -> float:
        """Standard deviation of the posterior, 0..0.29."""
        worked, failed = self.worked + PRIOR_WORKED, self.failed + PRIOR_FAILED
        whole = worked + failed
        return float((worked * failed / (whole * whole * (whole + 1.0))) ** 0.5)


NO_COUNTS: Final = VerdictCounts()
