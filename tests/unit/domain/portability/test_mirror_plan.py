"""Plans of mirrors: no word of either side is lost, and a second run has nothing to do."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.portability.mirror_plan import CONFLICT, KnownFile, Step, copy_path, mirror_plan


def plan(known: dict[str, str], here: dict[str, str], there: dict[str, str], **options: bool) -> list[Step]:
    """Plan of files that are called `id@/path` and have one word, which stands for its hash."""

    def files(said: dict[str, str]) -> dict[str, KnownFile]:
        return {
            name.partition("@")[0]: KnownFile(name.partition("@")[2], word) for name, word in said.items()
        }

    return mirror_plan(
        files(known), here, files(there), archives_removed=options.get("archives_removed", False)
    )


@pytest.mark.parametrize(
    ("known", "here", "there", "acts"),
    [
        ({}, {}, {"1@/a": "x"}, ["write /a"]),
        ({}, {"/a": "x"}, {}, ["create /a"]),
        ({}, {"/a": "x"}, {"1@/a": "x"}, ["adopt /a"]),
        ({}, {"/a": "y"}, {"1@/a": "x"}, ["copy /a", "write /a"]),
        ({"1@/a": "x"}, {"/a": "x"}, {"1@/a": "x"}, ["adopt /a"]),
        ({"1@/a": "x"}, {"/a": "y"}, {"1@/a": "x"}, ["update /a"]),
        ({"1@/a": "x"}, {"/a": "x"}, {"1@/a": "y"}, ["write /a"]),
        ({"1@/a": "x"}, {"/a": "z"}, {"1@/a": "y"}, ["copy /a", "write /a"]),
        ({"1@/a": "x"}, {"/a": "y"}, {"1@/a": "y"}, ["adopt /a"]),
        ({"1@/a": "x"}, {}, {"1@/a": "x"}, ["write /a"]),
        ({"1@/a": "x"}, {"/a": "x"}, {}, ["forget /a", "remove /a"]),
        ({"1@/a": "x"}, {"/a": "y"}, {}, ["forget /a", "copy /a", "remove /a"]),
        ({"1@/a": "x"}, {}, {}, ["forget /a"]),
        ({"1@/a": "x"}, {"/b": "x"}, {"1@/a": "x"}, ["rename /b"]),
        ({"1@/a": "x"}, {"/a": "x"}, {"1@/b": "x"}, ["remove /a", "write /b"]),
        ({"1@/a": "x"}, {"/a": "y"}, {"1@/b": "x"}, ["update /b", "remove /a", "write /b"]),
    ],
)
def test_each_pair_of_changes_has_its_step(
    known: dict[str, str], here: dict[str, str], there: dict[str, str], acts: list[str]
) -> None:
    found = plan(known, here, there)
    assert [f"{one.act} {one.source if one.act == 'copy' else one.path}" for one in found] == acts


def test_a_removed_file_is_archived_where_that_is_asked_for_and_nobody_changed_it() -> None:
    gone = {"1@/a": "x"}
    assert [one.act for one in plan(gone, {}, gone, archives_removed=True)] == ["delete"]
    assert [one.act for one in plan(gone, {}, {"1@/a": "y"}, archives_removed=True)] == ["write"]


def test_a_copy_stands_beside_its_file() -> None:
    assert copy_path("/a/b.md", "0123456789") == "/a/b.conflict-01234567.md"
    assert copy_path("/a/.env", "0123456789") == "/a/.env.conflict-01234567"


@dataclass
class TwoSides:
    """Plain model of a folder and a project, which carries plans out."""

    known: dict[str, KnownFile] = field(default_factory=dict)
    here: dict[str, str] = field(default_factory=dict)
    there: dict[str, KnownFile] = field(default_factory=dict)
    made: int = 0

    def mirror(self, archives_removed: bool) -> list[Step]:
        steps = mirror_plan(self.known, self.here, self.there, archives_removed=archives_removed)
        for step in steps:
            self._do(step)
        return steps

    def _do(self, step: Step) -> None:
        match step.act:
            case "copy":
                self.here[step.path] = self.here[step.source or ""]
            case "remove":
                del self.here[step.path]
            case "create":
                self.made += 1
                self._meet(f"new-{self.made}", KnownFile(step.path, self.here[step.path]))
            case "forget":
                del self.known[step.id or ""]
            case "delete":
                del self.there[step.id or ""]
                del self.known[step.id or ""]
            case "update":
                self._meet(step.id or "", KnownFile(step.path, self.here[step.source or step.path]))
            case "rename":
                self._meet(step.id or "", KnownFile(step.path, self.there[step.id or ""].sha256))
            case "write":
                self.here[step.path] = self.there[step.id or ""].sha256
                self._meet(step.id or "", self.there[step.id or ""])
            case "adopt":
                self._meet(step.id or "", self.there[step.id or ""])

    def _meet(self, id: str, file: KnownFile) -> None:
        self.there[id] = self.known[id] = file


WORDS = st.sampled_from(["v", "w", "x", "y", "z"])
PATHS = st.sampled_from(["/a", "/b", "/c", "/d/e", "/d/f"])
EDITS = st.lists(
    st.tuples(st.sampled_from(["here", "there", "gone here", "gone there"]), PATHS, WORDS), max_size=6
)


@settings(max_examples=300, deadline=None)
@given(st.lists(EDITS, min_size=1, max_size=4))
def test_no_word_that_somebody_wrote_is_lost_and_a_second_run_changes_nothing(
    rounds: list[list[tuple[str, str, str]]],
) -> None:
    """Falls where an edit of one side writes over an edit of the other without a copy."""
    sides = TwoSides()
    for number, edits in enumerate(rounds):
        for side, path, word in edits:
            word = f"{word}{number}"
            ids = {one.path: id for id, one in sides.there.items()}
            if side == "here":
                sides.here[path] = word
            elif side == "there":
                sides.there[ids.get(path, f"there-{number}-{path}")] = KnownFile(path, word)
            elif side == "gone here":
                sides.here.pop(path, None)
            elif path in ids:
                del sides.there[ids[path]]
        written = {one for one in sides.here.values() if one.endswith(str(number))}
        written |= {one.sha256 for one in sides.there.values() if one.sha256.endswith(str(number))}
        sides.mirror(archives_removed=False)
        assert written <= set(sides.here.values())
        kept = {path: word for path, word in sides.here.items() if CONFLICT not in path}
        assert kept == {one.path: one.sha256 for one in sides.there.values()}
        sides.here = kept
        assert {step.act for step in sides.mirror(archives_removed=False)} <= {"adopt"}
