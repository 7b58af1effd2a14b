"""An end user who is called as an agent's token is: whoever speaks for them takes nothing of the agent's."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.errors import Contradicts, Forbidden
from memory_layer.usecases.files.file_versions import redact_version
from memory_layer.usecases.files.write_files import create_file, update_file
from memory_layer.usecases.ground.change_record import get_changeable
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.write.forget import erase_memory
from tests.given import PROJECT, START, put_as, remembered

BOT = Principal("acme", "bot", persona="bot")
PERSONS = Principal("acme", "svc", email="ops@acme.test", acts_for=True)
REVIEWERS = Principal("acme", "svc", roles=frozenset({"reviewer"}), acts_for=True)
AGENTS = Principal("acme", "svc", acts_for=True)
SAID = "Deploys to production go out on Tuesdays at ten."

each_service = pytest.mark.parametrize(
    "service", [AGENTS, PERSONS, REVIEWERS], ids=["agent", "person", "reviewer"]
)


@each_service
def test_no_service_erases_what_the_token_of_its_users_name_wrote(
    backend: EmbeddedBackend, service: Principal
) -> None:
    """Falls with `may_erase` in `may_erase_here`, and where only agents' services have namesakes."""
    ports, user = backend.ports, acting_for(service, "bot")
    put_as(ports, BOT, "m1", SAID)
    put_as(ports, user, "m2", "The pager lies in room four.")
    with pytest.raises(Forbidden):
        erase_memory(ports, user, PROJECT, "m1")
    if not service.is_reviewer:
        with pytest.raises(Forbidden):
            get_changeable(ports, user, PROJECT, "m1")
    assert get_changeable(ports, acting_for(REVIEWERS, "bot"), PROJECT, "m1").content == SAID
    erase_memory(ports, user, PROJECT, "m2")


@each_service
def test_nor_with_all_that_the_user_created(backend: EmbeddedBackend, service: Principal) -> None:
    put_as(backend.ports, BOT, "m1", SAID)
    user, rule = acting_for(service, "bot"), ErasureRule(created_by="bot")
    erased = erase(backend.ports, user, PROJECT, rule, id="er_1", began_at=START)
    assert (erased.stores.get("records", 0), erased.kept) == (0, 1)


@each_service
def test_nor_redacts_a_version_of_its_file(backend: EmbeddedBackend, service: Principal) -> None:
    """Falls with `may_erase` in `redact_version`."""
    file = create_file(backend.ports, BOT, PROJECT, "/rota.md", "Eve is on call.")
    update_file(backend.ports, BOT, PROJECT, file.id, text="Nobody is on call.")
    with pytest.raises(Forbidden):
        redact_version(backend.ports, acting_for(service, "bot"), PROJECT, file.id, 1)


@pytest.mark.parametrize("service", [AGENTS, PERSONS], ids=["agent", "person"])
def test_nor_supersedes_it_and_is_offered_no_such_thing(backend: EmbeddedBackend, service: Principal) -> None:
    """Falls with `may_change` in `_supersede`, and in `near_error`."""
    put_as(backend.ports, BOT, "m1", SAID)
    user, said = acting_for(service, "bot"), SAID.replace("Tuesdays", "Fridays")
    with pytest.raises(Contradicts) as told:
        remembered(backend.ports, user, said)
    assert "on_duplicate: create" in str(told.value)
    with pytest.raises(Forbidden, match="not yours to supersede"):
        remembered(backend.ports, user, said, on_duplicate="supersede")


def test_an_admin_speaks_for_a_user_and_erases_in_their_own_right(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    put_as(backend.ports, BOT, "m1", SAID)
    erase_memory(backend.ports, acting_for(admin, "bot"), PROJECT, "m1")
