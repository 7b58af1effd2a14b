"""A correction is told as one, takes the old one's place if asked, and no merge loses a fact to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.duplicates import merge_duplicates
from memory_layer.domain.memory import Memory
from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.errors import Contradicts
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.review.list_pairs import list_pairs
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.near_verdicts import judge_near, near_error, similar_to
from memory_layer.usecases.write.prepare import OnDuplicate, RememberRequest
from memory_layer.usecases.write.remember import Result, StoredMemory, remember, remember_many
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import PROJECT

KNOWN = "The nightly backup of the orders database starts at 02:00."
CORRECTION = "The nightly backup of the orders database starts at 03:30."
SAYS = "this says 03:30 where the known one says 02:00"


def said(
    backend: EmbeddedBackend, who: Principal, content: str, on_duplicate: OnDuplicate = "ask", **more: Any
) -> Memory:
    asked = RememberRequest(fields={"content": content, **more}, on_duplicate=on_duplicate)
    stored = remember(backend.ports, who, PROJECT, asked)
    backend.drain()
    assert isinstance(stored, StoredMemory)
    return stored.memory


def test_what_was_written_a_moment_ago_is_compared_before_the_index_has_it(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the index alone is asked, which in the cloud is a second behind."""
    for content in (KNOWN, "Alerts go to the pager of the platform team."):
        remember(backend.ports, admin, PROJECT, RememberRequest(fields={"content": content}))
    with pytest.raises(Contradicts):
        remember(backend.ports, admin, PROJECT, RememberRequest(fields={"content": CORRECTION}))
    batch = [RememberRequest(fields={"content": one}) for one in ("The parser is written in Go.", CORRECTION)]
    kept, refused = remember_many(backend.ports, admin, PROJECT, batch)
    assert isinstance(kept, StoredMemory)
    assert isinstance(refused, Contradicts)


def contents(backend: EmbeddedBackend, who: Principal) -> dict[str, str]:
    return {
        memory.content: memory.status
        for memory in every_record(backend.ports.store.memories, who.scope(PROJECT))
    }


ON_CALL = "If the payments service pages at night, call {}: the runbook for the payments service says how to restart."
OTHERWISE = (
    (KNOWN, CORRECTION),
    ("The response cache is enabled in production.", "The response cache is disabled in production."),
    ("Run the linter before every commit.", "Do not run the linter before every commit."),
    ("Use pnpm, never npm, for the web packages.", "Use npm, never pnpm, for the web packages."),
)
BOTH_HOLD = (
    (ON_CALL.format("Alice"), ON_CALL.format("Bob")),
    (
        "Use the `thread_safe_remove_keys` method to remove a list of keys.",
        "Use the `thread_safe_clear_keys` method to remove all of the keys.",
    ),
    ("Run the unit tests with the response cache.", "Run the unit tests without the response cache."),
)


@pytest.mark.parametrize(("known", "new"), OTHERWISE)
@pytest.mark.parametrize("on_duplicate", ["ask", "merge"])
def test_what_says_otherwise_of_the_same_is_told_and_never_merged(
    backend: EmbeddedBackend, admin: Principal, known: str, new: str, on_duplicate: OnDuplicate
) -> None:
    """Falls where likeness alone decides: the longer of the two would stand for both."""
    before = said(backend, admin, known)
    with pytest.raises(Contradicts, match=r"says otherwise.*give on_duplicate: supersede or create") as told:
        said(backend, admin, new, on_duplicate)
    assert told.value.twin.id == before.id
    assert contents(backend, admin) == {known: "active"}


IN_OTHER_WORDS = (
    ("The session timeout of the shop is 15 minutes.", "Sessions of the shop expire after 45 minutes."),
    ("Our ledger database is PostgreSQL.", "We use MySQL as the database of the ledger."),
    ("The stock audit happens on Mondays.", "The stock audit takes place every Friday."),
    ("Ines is the release manager of the shop.", "The release manager of the shop is Paul."),
)


@pytest.mark.parametrize(("known", "new"), IN_OTHER_WORDS)
def test_what_says_otherwise_in_other_words_is_told_at_once(
    backend: EmbeddedBackend, admin: Principal, known: str, new: str
) -> None:
    """Falls where only neighbours that are nearly the same text are judged."""
    before = said(backend, admin, known)
    with pytest.raises(Contradicts, match="on_duplicate: supersede") as told:
        said(backend, admin, new)
    assert (told.value.twin.id, told.value.similarity < 0.92) == (before.id, True)
    after = said(backend, admin, new, "supersede")
    assert after.supersedes == before.id
    assert contents(backend, admin) == {known: "superseded", new: "active"}


def test_an_import_stores_what_says_otherwise_in_other_words_and_opens_the_pair(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where an import stops at it, or leaves it to a sweep; also where the lines of one file are not compared."""
    known, new = IN_OTHER_WORDS[0]
    before = said(backend, admin, known)
    text = f"# Shop\n\n- {new}\n- The gate opens at 9:00.\n- Opening time of the gate: 10:00.\n"
    tally = import_foreign(backend.ports, admin, PROJECT, read_markdown(text, None))
    assert tally.stored == 3
    page = list_pairs(backend.ports, admin, PROJECT, "conflict", after=None, limit=10)
    assert before.id in {id for item in page.items for id in item.pair.ids}


def test_what_says_otherwise_for_another_persona_or_no_more_is_no_obstacle(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the records that an index names are not looked at."""
    known, new = IN_OTHER_WORDS[0]
    said(backend, admin, known, persona="ada")
    over = said(backend, admin, "Sessions of the shop expire after 30 minutes.")
    archive_memory(backend.ports, admin, PROJECT, over.id)
    assert said(backend, admin, new).is_active


@pytest.mark.parametrize(("known", "new"), BOTH_HOLD)
@pytest.mark.parametrize("on_duplicate", ["ask", "merge", "supersede"])
def test_what_differs_and_can_hold_as_well_is_stored_and_names_the_near_one(
    backend: EmbeddedBackend, admin: Principal, known: str, new: str, on_duplicate: OnDuplicate
) -> None:
    """Falls where all that is near is refused, merged or superseded."""
    before = said(backend, admin, known)
    asked = RememberRequest(fields={"content": new}, on_duplicate=on_duplicate)
    stored = remember(backend.ports, admin, PROJECT, asked)
    assert isinstance(stored, StoredMemory)
    (near,) = stored.similar
    assert (near.id, near.content) == (before.id, known)
    assert near.similarity > 0.92
    assert near.differs_in.startswith("this ")
    assert contents(backend, admin) == {known: "active", new: "active"}


def test_a_merge_keeps_the_words_that_say_all(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the longer text stays, whatever the shorter one says."""
    first = said(backend, admin, KNOWN)
    more = said(backend, admin, f"{KNOWN} It ends within the hour.", "merge")
    assert (more.id, more.content) == (first.id, f"{KNOWN} It ends within the hour.")
    wordy = replace(first, id="wordy", content=f"**Please note that** {KNOWN} " + "This is so. " * 9)
    merged = merge_duplicates(more, wordy, more.updated_at, more)
    assert merged.content == more.content


def test_a_refusal_says_the_point(backend: EmbeddedBackend, admin: Principal) -> None:
    said(backend, admin, KNOWN)
    with pytest.raises(Contradicts) as told:
        said(backend, admin, CORRECTION)
    assert told.value.says_otherwise == SAYS
    assert SAYS in told.value.detail


def test_a_correction_takes_the_place_of_what_is_known(backend: EmbeddedBackend, admin: Principal) -> None:
    before = said(backend, admin, KNOWN)
    after = said(backend, admin, CORRECTION, "supersede")
    assert (after.supersedes, after.version) == (before.id, 1)
    assert contents(backend, admin) == {KNOWN: "superseded", CORRECTION: "active"}
    assert said(backend, admin, "Redis holds the sessions.", "supersede").supersedes is None


def test_a_correction_of_what_the_same_batch_says_takes_its_place(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    lines = [
        RememberRequest(fields={"content": text}, on_duplicate="supersede") for text in (KNOWN, CORRECTION)
    ]
    one, other = remember_many(backend.ports, admin, PROJECT, lines)
    assert isinstance(one, StoredMemory)
    assert isinstance(other, StoredMemory)
    assert other.memory.supersedes == one.memory.id
    assert contents(backend, admin) == {KNOWN: "superseded", CORRECTION: "active"}


def test_of_a_batch_no_line_is_merged_into_what_it_corrects(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    lines = [
        RememberRequest(fields={"content": text}, on_duplicate="merge")
        for text in (KNOWN, CORRECTION, f"{KNOWN[:-1]}!")
    ]
    results: list[Result] = remember_many(backend.ports, admin, PROJECT, lines)
    assert isinstance(results[1], Contradicts)
    assert isinstance(results[2], StoredMemory)
    assert not results[2].is_new


def test_what_is_anothers_is_not_superseded_and_the_refusal_says_whose_it_is(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    said(backend, admin, KNOWN)
    with pytest.raises(Contradicts, match="a reviewer has to supersede it") as told:
        said(backend, agent, CORRECTION)
    assert "on_duplicate: create" in told.value.detail
    proposal = said(backend, agent, CORRECTION, "supersede")
    assert [link.type for link in proposal.relations] == ["proposed_for"]
    assert contents(backend, admin) == {KNOWN: "active", CORRECTION: "active"}


def test_a_true_twin_goes_before_a_nearer_one_that_differs(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the nearest alone is looked at."""
    same = said(backend, admin, "Each night, the backup of the orders database starts at 03:30.", "create")
    said(backend, admin, KNOWN, "create")
    assert said(backend, admin, CORRECTION, "merge").id == same.id


def test_a_correction_is_not_refused_for_another_that_differs(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where `supersede` takes every likeness for a repetition."""
    old = said(backend, admin, "The nightly backup of the orders database starts at 04:15.", "create")
    said(backend, admin, KNOWN, "create")
    stored = supersede_memory(backend.ports, admin, PROJECT, old.id, {"content": CORRECTION})
    assert isinstance(stored, StoredMemory)
    assert stored.memory.supersedes == old.id


def test_what_may_not_be_shown_any_more_is_not_quoted(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the point is read from the record and not from what is shown of it."""
    known = said(backend, admin, "Ask ada@corp.test for access.", "create")
    new = said(backend, admin, "Ask Bob for access.", "create")
    stricter = replace(backend.ports.store.projects.policy(admin.scope(PROJECT)), privacy_mode="personal")
    near = judge_near(new, known, 0.95)
    (similar,) = similar_to(new, [near], stricter)
    told = near_error(backend.ports, admin, new, near, stricter).detail
    assert "ada@corp.test" not in f"{told} {similar.content} {similar.differs_in}"


SIBLINGS = """\
# Keys

- Use the `thread_safe_remove_keys` method to remove a list of keys.
- Use the `thread_safe_clear_keys` method to remove all of the keys.
"""


def test_lines_of_a_file_that_differ_are_all_stored(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an import skips whatever is much alike."""
    file = read_markdown(SIBLINGS)
    foreseen = import_foreign(backend.ports, admin, PROJECT, file, is_dry_run=True)
    tally = import_foreign(backend.ports, admin, PROJECT, file)
    assert (tally.stored, tally.skipped, tally.refused) == (2, 0, [])
    assert tally == replace(foreseen, is_dry_run=False)
    assert import_foreign(backend.ports, admin, PROJECT, file).skipped == 2


@pytest.mark.parametrize("is_dry_run", [True, False])
def test_a_line_that_says_otherwise_of_the_same_is_stored_and_a_pair_is_opened(
    backend: EmbeddedBackend, admin: Principal, is_dry_run: bool
) -> None:
    """Falls where an import stops at what says otherwise, or stores it in silence."""
    before = said(backend, admin, KNOWN)
    tally = import_foreign(
        backend.ports, admin, PROJECT, read_markdown(f"- {CORRECTION}"), is_dry_run=is_dry_run
    )
    assert (tally.stored, tally.skipped, tally.refused) == (1, 0, [])
    page = list_pairs(backend.ports, admin, PROJECT, "conflict", after=None, limit=10)
    assert [before.id in pair.pair.ids for pair in page.items] == ([] if is_dry_run else [True])


def test_a_rule_that_was_imported_is_known_again_with_its_heading(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    file = read_markdown("## Never do this\n\n- Use lodash\n- Call eval on input\n")
    assert import_foreign(backend.ports, admin, PROJECT, file).stored == 2
    assert contents(backend, admin) == {
        "Never do this: Use lodash": "active",
        "Never do this: Call eval on input": "active",
    }
    assert import_foreign(backend.ports, admin, PROJECT, file).skipped == 2
