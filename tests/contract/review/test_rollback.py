"""Rollback of a principal: equal to a replay of all other operations, reversible, and whole after a crash."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.learning.run import Analysis, Iteration, Run
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.portability.redacted_version import WORDS_TAKEN_OUT
from memory_layer.domain.rollback.carry_over import GOVERNED
from memory_layer.errors import Conflict, Forbidden, MemoryLayerError, NotFound, StoreUnavailable
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.files.file_versions import redact_version
from memory_layer.usecases.files.read_files import file_tree, get_file
from memory_layer.usecases.files.write_files import create_file, update_file
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.review.rollback import RollbackReceipt, get_rollback, roll_back, undo_rollback
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import ADMIN, PROJECT, SCOPE, START, NoEmbedder, StandingClock, recalled_ids, with_parts

ANN = Principal("acme", "ann", "ann@acme.test")
REV = Principal("acme", "rev", "rev@acme.test", roles=frozenset({"reviewer"}))
BOT = Principal("acme", "bot-3")
MAL = Principal("acme", "mal-9")
MALLORY = Principal("acme", "mallory", "mallory@acme.test", roles=frozenset({"reviewer"}))

TOPICS = ("journal", "tombstone", "projector", "receipt", "sweeper", "gateway", "cursor", "ledger")
SEEDS = (0, 1, 7, 23, 25)  # the last two have merges with what is taken back
Step = tuple[Principal, str, tuple[Any, ...]]


CODEX_OF_ANN = Principal("acme", f"agent:codex:{ANN.name}", roles=frozenset({"agent"}))
CODEX_OF_REV = Principal("acme", f"agent:codex:{REV.name}", roles=frozenset({"agent"}))
CLAUDE_OF_ANN = Principal("acme", f"agent:claude-code:{ANN.name}", roles=frozenset({"agent"}))


def _text(topic: str, number: int) -> str:
    return f"The {topic} keeps entry {number} of shelf {number * 7 % 31}."


class Story:
    """Operations on one project, in order and ten minutes apart."""

    def __init__(self, ports: Ports, clock: StandingClock, project: str = PROJECT) -> None:
        self.ports, self.clock, self.project = replace(ports, new_id=self._new_id), clock, project
        self.scope, self.number, self.made = Scope("acme", project), 0, 0
        self.proposals: set[int] = set()

    def _new_id(self, prefix: str) -> str:
        """Ids of memories by the step that made them, the same in every story."""
        self.made += 1
        return f"mem_{self.number}" if prefix == "mem_" else f"{prefix}{self.project}_{self.made:06d}"

    def play(self, steps: Sequence[Step | None]) -> list[Step | None]:
        """Plays the steps; returns those that had an effect, with None in the place of the others."""
        return [step if self._had_effect(number, step) else None for number, step in enumerate(steps)]

    def _had_effect(self, number: int, step: Step | None) -> bool:
        self.number = number
        self.clock.advance(minutes=10)
        if step is None:
            return False
        by, verb, given = step
        before = self.ports.store.projects.write_versions([self.scope])
        try:
            getattr(self, verb)(by, *given)
        except MemoryLayerError:
            return False
        return self.ports.store.projects.write_versions([self.scope]) != before

    def create(self, by: Principal, id: str, text: str) -> None:
        if self.ports.store.memories.get(self.scope, id) is not None:
            raise Conflict(id)
        put_memory(self.ports, by, self.project, id, {"content": text, "category": "general", "tags": [id]})

    def patch(self, by: Principal, id: str, text: str) -> None:
        """Changes words, or proposes to; a proposal for what is not there stands by itself."""
        try:
            revise(self.ports, by, self.project, id, {"content": text})
        except NotFound:
            if self.number not in self.proposals:
                raise
            put_memory(self.ports, by, self.project, f"mem_{self.number}", {"content": text, **WHOLE})

    def proposed(self) -> set[int]:
        """Numbers of the steps that made proposals."""
        made = (id.removeprefix("mem_") for id in self.shown() if id.startswith("mem_"))
        return {int(number) for number in made}

    def tag(self, by: Principal, id: str, tag: str) -> None:
        found = self.ports.store.memories.get(self.scope, id)
        if found is None:
            raise NotFound(id)
        revise(self.ports, by, self.project, id, {"tags": [*found.tags, tag]})

    def vote(self, by: Principal, id: str, result: Any, run: str | None) -> None:
        report_outcome(self.ports, by, self.project, id, OutcomeReport(result=result, run_id=run))

    def supersede(self, by: Principal, id: str, new: str, text: str) -> None:
        """Supersedes a memory; what corrects one that is not there stands by itself."""
        said = {"id": new, "content": text, **WHOLE, "tags": [new]}
        try:
            supersede_memory(self.ports, by, self.project, id, said)
        except NotFound:
            self.create(by, new, text)

    def merge(self, by: Principal, id: str, others: tuple[str, ...]) -> None:
        """Merges what there is of the others."""
        found = [one for one in others if self.ports.store.memories.get(self.scope, one) is not None]
        merge_memories(self.ports, by, self.project, id, found or others)

    def approve(self, by: Principal, id: str) -> None:
        approve_memory(self.ports, by, self.project, id)

    def reject(self, by: Principal, id: str) -> None:
        reject_memory(self.ports, by, self.project, id)

    def confirm(self, by: Principal, id: str) -> None:
        confirm_memory(self.ports, by, self.project, id)

    def archive(self, by: Principal, id: str) -> None:
        archive_memory(self.ports, by, self.project, id)

    def shown(self) -> dict[str, dict[str, Any]]:
        """What a rollback has to restore of each memory."""
        page = self.ports.store.memories.every(self.scope, after=None, limit=500)
        return {memory.id: _shown(memory) for memory in page.memories}

    def answers(self) -> list[list[str]]:
        return [
            recalled_ids(self.ports, ADMIN, f"what does the {topic} keep", project=self.project, min_score=0)
            for topic in TOPICS
        ]

    def taken_back(self, who: Principal, **asked: Any) -> RollbackReceipt:
        id = self.ports.new_id("rbk_")
        return roll_back(self.ports, ADMIN, self.project, who.name, id=id, **asked)


WHOLE = {"type": "pattern", "category": "general", "dimension": "knowledge", "relations": []}


def _shown(memory: Memory) -> dict[str, Any]:
    """All but versions, times and reasons in words."""
    told = {name: getattr(memory, name) for name in GOVERNED if not name.endswith("_at")}
    told["status_reason"] = told["valid_to"] = None
    told["doubted"] = memory.doubted and replace(memory.doubted, since=START)
    return told | {"standing": memory.standing}


@pytest.fixture
def fresh(open_backend: Callable[..., EmbeddedBackend], clock: StandingClock) -> Callable[..., Story]:
    """Opens an empty project; without a model, since neither vectors nor near-duplicates are the point."""
    ports = open_backend(embedder=NoEmbedder()).ports
    return lambda project=PROJECT: Story(ports, clock, project)


PEOPLE = {one.name: one for one in (ANN, REV, BOT, MAL, MALLORY)}
VERBS = {
    "create": 5,
    "patch": 3,
    "tag": 2,
    "vote": 8,
    "supersede": 2,
    "merge": 2,
    "approve": 2,
    "reject": 1,
    "confirm": 1,
    "archive": 1,
}


WITHOUT_WORDS = {"patch": 0, "supersede": 0, "merge": 0}


def a_story(seed: int, cast: Sequence[Principal], length: int = 45) -> list[Step | None]:
    """Random operations of three principals on a few memories."""
    chance = random.Random(seed)
    verbs = VERBS | (WITHOUT_WORDS if seed % 3 == 0 else {})
    known, steps = ["m0"], list[Step | None]()
    steps.append((cast[0], "create", ("m0", _text(TOPICS[0], 0))))
    for number in range(1, length):
        by, verb = chance.choice(cast), chance.choices([*verbs], [*verbs.values()])[0]
        if verb in ("approve", "reject") and by is cast[2] and seed % 3:
            verb = "confirm"  # what was proposed because of an approval stays a proposal without it
        id, text = chance.choice(known), _text(chance.choice(TOPICS), number)
        given: dict[str, tuple[Any, ...]] = {
            "create": (f"m{number}", text),
            "patch": (id, text),
            "tag": (id, f"t{number}"),
            "vote": (id, chance.choice(["worked", "failed", "partial"]), chance.choice([None, "r1", "r2"])),
            "supersede": (id, f"m{number}", text),
            "merge": (id, tuple({chance.choice(known) for _ in range(2)} - {id}) or ("none",)),
        }
        made = {"create": f"m{number}", "supersede": f"m{number}", "patch": f"mem_{number}"}.get(verb)
        known += [made] if made else []
        steps.append((by, verb, given.get(verb, (id,))))
    return steps


@pytest.mark.some_on_engines(5)
@pytest.mark.parametrize("cast", [(ANN, BOT, MAL), (REV, BOT, MAL), (ANN, MAL, MALLORY), (REV, BOT, MALLORY)])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_rollback_equals_a_replay_of_all_other_operations(
    fresh: Callable[..., Story], seed: int, cast: Sequence[Principal]
) -> None:
    story, without = fresh("with"), fresh("without")
    accepted = story.play(a_story(seed, cast))
    before, answers = story.shown(), story.answers()
    receipt = story.taken_back(cast[2])
    others = [step if step and step[0] != cast[2] else None for step in accepted]
    without.proposals = story.proposed()
    kept = without.play(others)
    after, replayed = story.shown(), without.shown()
    for id in after.keys() - replayed.keys():
        assert after[id]["status"] == "archived", id
    assert {id: after[id] for id in replayed} == replayed
    assert story.answers() == without.answers()
    assert bool(receipt.refused) or kept == others
    undo_rollback(story.ports, ADMIN, story.project, receipt.id)
    assert (story.shown(), story.answers()) == (before, answers)


def test_what_a_principal_wrote_and_voted_is_taken_back_and_comes_back(fresh: Callable[..., Story]) -> None:
    story = fresh()
    story.play(
        [
            (ANN, "create", ("right", "Deploys go out on Tuesdays.")),
            (MAL, "create", ("wrong", "Deploys go out whenever someone likes.")),
            (BOT, "vote", ("right", "worked", "run-1")),
            (MAL, "vote", ("right", "failed", "run-2")),
            (BOT, "vote", ("right", "failed", "run-3")),
        ]
    )
    before = story.shown()
    assert before["right"]["doubted"].by == ("mal-9", "bot-3")
    receipt = story.taken_back(MAL)
    after = story.shown()
    assert after["wrong"]["status"] == "archived"
    assert after["right"]["doubted"].by == ("bot-3",)
    assert after["right"]["failed"] == 1
    assert {v.principal for v in story.ports.store.history.verdicts(SCOPE, "right")} == {"bot-3"}
    assert receipt.counts == {"retired": 1, "changed": 1}
    undo_rollback(story.ports, ADMIN, PROJECT, receipt.id)
    assert story.shown() == before


@pytest.mark.parametrize(
    ("who", "archived"),
    [
        (ANN.name, {"by-ann", "by-codex", "by-claude"}),
        ("agent:codex", {"by-codex", "by-other"}),
        (CODEX_OF_ANN.name, {"by-codex"}),
    ],
)
def test_a_rollback_of_a_name_finds_the_agents_that_spoke_beside_it(
    fresh: Callable[..., Story], who: str, archived: set[str]
) -> None:
    """Falls without `names_behind`."""
    story = fresh()
    wrote = {"by-ann": ANN, "by-codex": CODEX_OF_ANN, "by-claude": CLAUDE_OF_ANN, "by-other": CODEX_OF_REV}
    story.play(
        [
            (by, "create", (id, _text(topic, 1)))
            for (id, by), topic in zip(wrote.items(), TOPICS, strict=False)
        ]
        + [(BOT, "create", ("kept", _text("ledger", 2))), (CODEX_OF_ANN, "vote", ("kept", "failed", "r1"))]
    )
    receipt = roll_back(story.ports, ADMIN, PROJECT, who, id="rbk_1")
    shown = story.shown()
    assert {id for id, memory in shown.items() if memory["status"] == "archived"} == archived
    assert shown["kept"]["failed"] == 0
    assert not receipt.refused


def test_a_dry_run_plans_the_same_and_writes_nothing(fresh: Callable[..., Story]) -> None:
    """Falls without the dry run's end before the first commit."""
    story = fresh()
    story.play(a_story(1, (ANN, BOT, MAL)))
    before, version = story.shown(), story.ports.store.projects.write_versions([SCOPE])
    planned = story.taken_back(MAL, is_dry_run=True)
    assert planned.status == "planned"
    assert (story.shown(), story.ports.store.projects.write_versions([SCOPE])) == (before, version)
    done = story.taken_back(MAL)
    assert (done.counts, done.ids, done.refused) == (planned.counts, planned.ids, planned.refused)
    with pytest.raises(NotFound):
        get_rollback(story.ports, ADMIN, PROJECT, planned.id)


def test_a_rollback_that_was_cut_off_goes_on_and_a_second_one_changes_nothing(
    fresh: Callable[..., Story],
) -> None:
    """Falls where a rollback that was begun counts as done."""
    story, whole = fresh(), fresh("whole")
    for one in (story, whole):
        one.play(a_story(4, (ANN, BOT, MAL)))
    whole.taken_back(MAL)
    with pytest.raises(StoreUnavailable):
        roll_back(_failing_after(story.ports, 2), ADMIN, PROJECT, MAL.name, id="rbk_1")
    assert get_rollback(story.ports, ADMIN, PROJECT, "rbk_1").status == "begun"
    assert story.shown() != whole.shown()
    assert roll_back(story.ports, ADMIN, PROJECT, MAL.name, id="rbk_1").status == "applied"
    assert story.shown() == whole.shown()
    version = story.ports.store.projects.write_versions([SCOPE])
    assert roll_back(story.ports, ADMIN, PROJECT, MAL.name, id="rbk_1").status == "applied"
    assert story.taken_back(MAL).counts == {}
    assert story.ports.store.projects.write_versions([SCOPE]) == version


def _failing_after(ports: Ports, commits: int) -> Ports:
    """Ports whose writer breaks down after so many commits, as a process does that is killed."""
    left, writer = iter(range(commits)), ports.store.writer

    class Failing:
        def commit(self, commit: Commit) -> None:
            if next(left, None) is None:
                raise StoreUnavailable("killed")
            writer.commit(commit)

        def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
            return writer.commit_each(commits)

    return with_parts(ports, writer=Failing())


def test_an_admin_alone_takes_back(fresh: Callable[..., Story]) -> None:
    """Falls without `check_rollback`."""
    story = fresh()
    for principal in (REV, ANN, BOT):
        with pytest.raises(Forbidden):
            roll_back(story.ports, principal, PROJECT, MAL.name, id="rbk_1")
        with pytest.raises(Forbidden):
            undo_rollback(story.ports, principal, PROJECT, "rbk_1")
        with pytest.raises(Forbidden):
            get_rollback(story.ports, principal, PROJECT, "rbk_1")


def test_what_others_did_since_stays_when_a_rollback_is_undone(fresh: Callable[..., Story]) -> None:
    """Falls where an undo restores the versions of before."""
    story = fresh()
    story.play([(ANN, "create", ("a", "The cursor is opaque.")), (MAL, "vote", ("a", "failed", "r1"))])
    receipt = story.taken_back(MAL)
    story.play(
        [(ANN, "patch", ("a", "The cursor is opaque and short.")), (BOT, "vote", ("a", "failed", "r2"))]
    )
    undo_rollback(story.ports, ADMIN, PROJECT, receipt.id)
    told = story.shown()["a"]
    assert told["content"] == "The cursor is opaque and short."
    assert told["doubted"].by == ("mal-9", "bot-3")
    assert told["failed"] == 2


def test_two_rollbacks_hold_side_by_side(fresh: Callable[..., Story]) -> None:
    """Falls where a later rollback replays without its own exclusion alone."""
    story = fresh()
    story.play(
        [
            (BOT, "create", ("a", "The gateway listens on port 80.")),
            (MALLORY, "patch", ("a", "The gateway listens on port 81.")),
            (REV, "patch", ("a", "The gateway listens on port 82.")),
        ]
    )
    first = story.taken_back(MALLORY)
    second = story.taken_back(REV)
    assert story.shown()["a"]["content"] == "The gateway listens on port 80."
    undo_rollback(story.ports, ADMIN, PROJECT, first.id)
    assert story.shown()["a"]["content"] == "The gateway listens on port 81."
    undo_rollback(story.ports, ADMIN, PROJECT, second.id)
    assert story.shown()["a"]["content"] == "The gateway listens on port 82."


def test_since_leaves_what_was_before(fresh: Callable[..., Story]) -> None:
    story = fresh()
    story.play([(MAL, "create", ("old", "The sweeper runs at night."))])
    since = story.clock.now() + timedelta(minutes=1)
    story.play([(MAL, "create", ("new", "The ledger has two columns."))])
    story.taken_back(MAL, since=since)
    assert {id: told["status"] for id, told in story.shown().items()} == {"old": "active", "new": "archived"}


def test_what_a_runs_reporter_taught_goes_and_what_others_taught_stays(fresh: Callable[..., Story]) -> None:
    """Falls where counts of runs are not told apart, or what waits in staging stays."""
    story, without = fresh(), fresh("without")
    for one, reported in ((story, (("r1", MAL), ("r2", BOT), ("r3", MAL))), (without, (("r2", BOT),))):
        for number, by in reported:
            one.clock.advance(minutes=10)
            learn_from_run(one.ports, by, one.project, _run(number), "auto")
    learn_from_run(story.ports, MAL, PROJECT, _run("waits", "Freeze the clock first"), "staged")
    before = story.shown()
    receipt = story.taken_back(MAL)
    taught = {id: told for id, told in story.shown().items() if told["status"] == "active"}
    assert [told["detail"] for told in taught.values()] == [
        told["detail"] for told in without.shown().values()
    ]
    assert {told["confidence"] for told in taught.values()} == {
        told["confidence"] for told in without.shown().values()
    }
    assert {told["created_by"] for told in taught.values()} == {"bot-3"}
    counts = story.ports.store.learnings.staged_counts(SCOPE, Viewer(sees_all_personas=True))
    assert counts["pending"] == 0
    undo_rollback(story.ports, ADMIN, PROJECT, receipt.id)
    assert story.shown() == before
    assert story.ports.store.learnings.staged_counts(SCOPE, Viewer(sees_all_personas=True))["pending"] > 0


def _run(number: str, approach: str = "Write the failing test first and then the code") -> Run:
    step = Iteration(
        number=1, status="completed", analysis=Analysis(progress_made=True), learnings=(approach,)
    )
    steps = (step, replace(step, number=2))
    return Run(run_id=number, objective=f"Objective of {number}", status="completed", iterations=steps)


def test_what_events_made_stale_or_doubted_is_as_before(fresh: Callable[..., Story]) -> None:
    """Falls where the marks of events stay, or a sweep makes them again."""
    story, urn = fresh(), "urn:x:orders"
    for by, id in ((ANN, "trusted"), (BOT, "unreviewed")):
        put_memory(story.ports, by, PROJECT, id, {"content": f"Orders are {id}.", "entities": [urn]})
    event = ReportedEvent(urn=urn, event="removed")
    story.clock.advance(minutes=10)
    take_entity_events(story.ports, replace(MAL, subject="second"), PROJECT, [event])
    before = story.shown()
    assert before["unreviewed"]["doubted"] is not None
    story.clock.advance(minutes=10)
    take_entity_events(story.ports, MAL, PROJECT, [event])
    marked = story.shown()
    assert marked["unreviewed"]["status"] == "stale"
    assert marked["trusted"]["doubted"] is not None
    receipt = story.taken_back(MAL)
    run_sweep(story.ports, "staleness", holder="test", seconds=60.0)
    assert story.shown() == before
    undo_rollback(story.ports, ADMIN, PROJECT, receipt.id)
    assert story.shown() == marked


def _links(story: Story, viewer: Viewer) -> set[tuple[str, str]]:
    found = story.ports.store.events.links_of(SCOPE, ["urn:x:a"], viewer)
    return {link for links in found.values() for link in links}


def _told(story: Story, by: Principal, event: Any, to: str) -> None:
    story.clock.advance(minutes=10)
    take_entity_events(story.ports, by, PROJECT, [ReportedEvent(urn="urn:x:a", event=event, target=to)])


def test_links_are_those_that_all_others_told(fresh: Callable[..., Story]) -> None:
    """Falls without `settle_links`; what others tell after it stays, also when it is undone."""
    story, everyone, ben = fresh(), Viewer(), Viewer.of("ben")
    of_ben = replace(MAL, persona="ben")
    for by, event, to in (
        (ANN, "linked", "urn:x:kept"),
        (BOT, "linked", "urn:x:undone"),
        (MAL, "unlinked", "urn:x:undone"),
        (MAL, "linked", "urn:x:planted"),
        (MAL, "linked", "urn:x:both"),
        (BOT, "linked", "urn:x:both"),
        (of_ben, "linked", "urn:x:private"),
    ):
        _told(story, by, event, to)
    before = {viewer: _links(story, viewer) for viewer in (everyone, ben)}
    assert before[ben] - before[everyone] == {("urn:x:a", "urn:x:private")}
    planned = story.taken_back(MAL, is_dry_run=True)
    assert planned.counts["links"] == 3
    assert _links(story, ben) == before[ben]
    story.clock.advance(minutes=10)
    receipt = story.taken_back(MAL)
    assert receipt.counts["links"] == 3
    left = {("urn:x:a", f"urn:x:{to}") for to in ("kept", "undone", "both")}
    assert _links(story, everyone) == _links(story, ben) == left
    _told(story, BOT, "linked", "urn:x:later")
    undo_rollback(story.ports, ADMIN, PROJECT, receipt.id)
    later = ("urn:x:a", "urn:x:later")
    assert {viewer: _links(story, viewer) - {later} for viewer in before} == before
    assert later in _links(story, everyone)


def test_a_rollback_to_redacted_words_puts_nothing_in_force(
    open_backend: Callable[..., EmbeddedBackend], clock: StandingClock
) -> None:
    """Falls where `[REDACTED]` is recalled and shown as a file, or an undo leaves the file archived."""
    ports = open_backend(embedder=NoEmbedder()).ports
    file = create_file(ports, BOT, PROJECT, "/ada.md", "Ada lives in Xanten.")
    clock.advance(minutes=1)
    update_file(ports, MALLORY, PROJECT, file.id, text="Ada lives nowhere.")
    redact_version(ports, ADMIN, PROJECT, file.id, 1)
    clock.advance(minutes=1)
    roll_back(ports, ADMIN, PROJECT, MALLORY.name, id="r1")
    found = ports.store.memories.get(SCOPE, file.id)
    assert found is not None
    assert (found.status, found.status_reason) == ("archived", WORDS_TAKEN_OUT)
    assert file_tree(ports, ADMIN, PROJECT).shown() == []
    clock.advance(minutes=1)
    undo_rollback(ports, ADMIN, PROJECT, "r1")
    assert get_file(ports, ADMIN, PROJECT, file.id).text == "Ada lives nowhere."


def test_words_said_after_redacted_ones_stay_and_can_be_changed(
    open_backend: Callable[..., EmbeddedBackend], clock: StandingClock
) -> None:
    """Falls where the note of a redaction stays beside other words."""
    ports = open_backend(embedder=NoEmbedder()).ports
    file = create_file(ports, BOT, PROJECT, "/ada.md", "Ada lives in Xanten.")
    for by, text in ((MALLORY, "Ada lives nowhere."), (REV, "Ada lives in Bonn.")):
        clock.advance(minutes=1)
        update_file(ports, by, PROJECT, file.id, text=text)
    redact_version(ports, ADMIN, PROJECT, file.id, 1)
    clock.advance(minutes=1)
    roll_back(ports, ADMIN, PROJECT, MALLORY.name, id="r1")
    assert get_file(ports, ADMIN, PROJECT, file.id).text == "Ada lives in Bonn."
    update_file(ports, REV, PROJECT, file.id, text="Ada lives in Cologne.")
    assert get_file(ports, ADMIN, PROJECT, file.id).memory.detail.keys() == {"path"}


@pytest.mark.parametrize(("decided", "is_doubted"), [("mem_1", True), ("said", False)])
def test_a_decision_on_what_is_taken_back_leaves_proposals_alone(
    fresh: Callable[..., Story], decided: str, is_doubted: bool
) -> None:
    """Falls without `_proposed_for`: a winner is doubted, or a rejection stands, for a place that is not there."""
    story = fresh()
    steps: list[Step | None] = [
        (ANN, "create", ("said", "Deploys go out on Tuesdays.")),
        (BOT, "patch", ("said", "Deploys go out on Fridays.")),
        (MAL, "patch", ("said", "Nobody deploys by hand.")),
        (REV, "approve", (decided,)),
    ]
    story.play(steps)
    assert bool(story.shown()["mem_1"]["doubted"]) == is_doubted
    story.taken_back(ANN)
    after = story.shown()
    assert [after[id]["status"] for id in ("said", "mem_1", "mem_2")] == ["archived", "active", "active"]
    assert after["mem_1"]["doubted"] is None


def test_a_proposal_that_is_taken_back_doubts_no_winner(fresh: Callable[..., Story]) -> None:
    story = fresh()
    steps: list[Step | None] = [
        (ANN, "create", ("said", "Deploys go out on Tuesdays.")),
        (BOT, "patch", ("said", "Deploys go out on Fridays.")),
        (MAL, "patch", ("said", "Nobody deploys by hand.")),
        (REV, "approve", ("mem_1",)),
    ]
    story.play(steps)
    assert story.shown()["mem_1"]["doubted"].by == (MAL.name,)
    story.taken_back(MAL)
    assert story.shown()["mem_1"]["doubted"] is None
