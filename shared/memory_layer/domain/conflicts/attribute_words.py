"""Words of one attribute, so that claims in other words compare: kept and retained, owner and maintainer."""

from collections.abc import Mapping

from memory_layer.domain.text.analyzer import analyze, folded

_GROUPS = """
postgres postgresql
kubernetes k8s
database databases db dbs datenbank
repository repositories repo repos
configuration config configs settings konfiguration
keep keeps kept retain retains retained retention preserve preserves preserved store stores stored save saves saved hold holds held aufbewahrt behalten gespeichert
expire expires expired expiry expiration lapse lapses ablaufen
own owner owners owned owns belongs gehort
maintain maintains maintained maintainer maintainers
limit limits limited maximum max cap caps capped quota
timeout timeouts
run runs running execute executes executed begin begins start starts started beginnt startet
remove removes removed delete deletes deleted deletion purge purges purged erase erases erased geloscht
cost costs price priced
wait waits waiting delay delays pause pauses
authenticate authenticates authentication auth authenticated login
environment environments env
email emails e-mail mail
end ends finish finishes finished stop stops
send sends sent ship ships shipped
deploy deploys deployed deployment deployments
folder directory
backup backups back-up sicherung sicherungen
review reviews reviewed reviewer reviewers approval approvals
write writes written
document documents docs documentation
"""


def _canonical() -> dict[str, str]:
    groups = (line.split() for line in _GROUPS.strip().splitlines())
    return {word: group[0] for group in groups for word in group[1:]}


CANONICAL: Mapping[str, str] = _canonical()
"""First word of its group, by word; both in lower case and without accents."""


def content_terms(text: str) -> list[str]:
    """Stems of a text in order, each of a group's words by the stem of its first."""
    plain = folded(text).lower()
    return [term for word in plain.split() for term in analyze(CANONICAL.get(word.strip(_EDGES), word))]


_EDGES = "\"'.,;:!?()[]{}*`"
