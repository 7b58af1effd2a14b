"""Words of one attribute, so that claims in other words compare: kept and retained, owner and maintainer."""

import re
from collections.abc import Mapping

from memory_layer.domain.text.analyzer import analyze, folded

_GROUPS = """
postgres postgresql
kubernetes k8s
database databases db dbs datenbank
repository repositories repo repos
configuration config configs settings konfiguration
keep keeps kept retain retains retained retention preserve preserves preserved aufbewahrt
keep behalten store stores stored save saves saved hold holds held gespeichert
remove removes removed delete deletes deleted deletion purge purges purged erase erases erased geloscht
expire expires expired expiry expiration lapse lapses ablaufen
own owner owners owned owns belongs gehort
maintain maintains maintained maintainer maintainers
limit limits limited maximum max cap caps capped quota
run runs running execute executes executed begin begins start starts started beginnt startet laufen ausgefuhrt
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
review reviews reviewed reviewer reviewers approval approvals approve approves approved
write writes written
document documents docs documentation
show shows shown display displays displayed
create creates created generate generates generated
choose chooses chosen pick picks picked select selects selected
change changes changed modify modifies modified edit edits edited alter alters altered
fetch fetches fetched retrieve retrieves retrieved
raise raises raised throw throws thrown
clear clears cleared empty empties emptied flush flushes flushed
fix fixes fixed repair repairs repaired
print prints printed output outputs
pr prs pull-request pull-requests
test tests test-suite suite testing
"""


def _canonical() -> dict[str, str]:
    groups = (line.split() for line in _GROUPS.strip().splitlines())
    return {word: group[0] for group in groups for word in group[1:]}


CANONICAL: Mapping[str, str] = _canonical()
"""First word of its group, by word; both in lower case and without accents."""


PHRASE_WORDS: Mapping[str, str] = {
    "pull request": "pr",
    "pull requests": "pr",
    "merge request": "pr",
    "merge requests": "pr",
    "check in": "commit",
    "check into": "commit",
    "checked into": "commit",
    "checked in": "commit",
    "set up": "setup",
    "time out": "timeout",
    "times out": "timeout",
    "take place": "run",
    "takes place": "run",
    "make sure": "ensure",
    "get rid of": "remove",
    "virtual environment": "venv",
    "virtual environments": "venv",
    "as well": "also",
}
PHRASE_RESULTS = frozenset(PHRASE_WORDS.values())
_PHRASES = re.compile(rf"\b(?:{'|'.join(sorted(PHRASE_WORDS, key=len, reverse=True))})\b")


def with_phrases(plain: str) -> str:
    """Text in lower case, each phrase as the one word that says it."""
    return _PHRASES.sub(lambda match: PHRASE_WORDS[match[0]], plain)


def content_terms(text: str) -> list[str]:
    """Stems of a text in order, each of a group's words by the stem of its first."""
    return [
        term
        for word in with_phrases(folded(text).lower()).split()
        for term in analyze(CANONICAL.get(word.strip(_EDGES), word))
    ]


_EDGES = "\"'.,;:!?()[]{}*`"
