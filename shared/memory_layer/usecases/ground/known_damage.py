"""Damage that is known and not healed yet, for /readyz: what reads have met, and what the last verification found."""

from dataclasses import dataclass

from memory_layer.ports.process import Ports


@dataclass(frozen=True, slots=True)
class KnownDamage:
    """Damage that is known.

    Args:
        records: number of damaged records that reads of this process have met.
        found: number of findings of the last run of the sweep `verify`.
    """

    records: int = 0
    found: int = 0

    @property
    def sentence(self) -> str | None:
        """Sentence on the damage and the way back, naming nobody's record; None: no damage is known."""
        if not (self.records or self.found):
            return None
        counts = (
            f"{self.records} damaged records were met, and the last verification found {self.found} flaws"
        )
        return f"{counts}; see which: mem verify, mem sweep; bring them back: mem restore latest"


def known_damage(ports: Ports) -> KnownDamage:
    """Reads what damage is known."""
    state = ports.store.sweeps.state("verify")
    report = None if state is None else state.last_report
    is_sound = state is None or (state.is_whole and (report is None or not report.failed_count))
    found = 0 if is_sound else max(1, 0 if report is None else report.failed_count)
    return KnownDamage(len(ports.store.integrity.known_damage()), found)
