"""Questions that spell their words otherwise than the memories do."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.recall.recall import RecallRequest, recall
from tests.given import PROJECT, remembered

NOTES = (
    "The login page is behind the proxy.",
    "The organisation's synchronization runs at night.",
    "Die Übersicht der Zugänge liegt im Wiki.",
    "Backups of the vault are kept for a year.",
    "The ledger is read-only on Sundays.",
    "Whoever wants to sign in needs a token.",
    "Eine PR braucht zwei Stimmen.",
    "Das Dateisystem ist verschlüsselt.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("where do we log in", NOTES[0]),
        ("when is the synchronisation", NOTES[1]),
        ("what has the organization's synchronisation", NOTES[1]),
        ("is the ledger readonly", NOTES[4]),
        ("which signin", NOTES[5]),
        ("pull request", NOTES[6]),
        ("Wie ist das Datei System", NOTES[7]),
        ("backups of the vauult", NOTES[3]),
        ("Wo ist die Uebersicht der Zugaenge", NOTES[2]),
    ],
)
def test_a_memory_is_found_that_is_spelled_otherwise(
    backend: EmbeddedBackend, admin: Principal, question: str, right: str
) -> None:
    """Falls where the words alone are searched for, or counted as said, as the question spells them."""
    for note in NOTES:
        remembered(backend.ports, admin, note, on_duplicate="create")
    backend.drain()
    answer = recall(backend.ports, admin, PROJECT, RecallRequest(query=question, strategy="lexical"))
    assert answer.memories[0].memory.content == right
    assert not answer.evidence_gaps
