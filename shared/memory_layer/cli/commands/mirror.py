"""Command that mirrors a project in a folder of files, both ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_layer.cli.printing import mirror_text
from memory_layer.cli.terminal.invocation import CommandOutput, Invocation, command

if TYPE_CHECKING:
    from memory_layer.cli.terminal.mirror_folder import MirrorFolder
    from memory_layer.cli.terminal.mirrored_files import ListedFiles, MirroredFiles
    from memory_layer.domain.portability.folder_text import FolderHashes
    from memory_layer.domain.portability.mirror_plan import KnownFile, Step

app = typer.Typer()


@command(app)
def mirror(
    call: Invocation,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the files are.")],
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Store the files of a folder that was no mirror yet.")
    ] = False,
    archive_removed: Annotated[
        bool, typer.Option("--archive-removed", help="Archive what was removed here; else it comes back.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
) -> CommandOutput:
    """Bring a project and a folder together, both ways.

    Each memory is a file, at its own path or that of its page in an export; turns of conversations are none. A file
    that was edited here becomes a version of its memory, by you; a new one becomes a memory. What both sides changed is
    the project's, and a copy beside it (NAME.conflict-…) keeps what was here.
    """
    from memory_layer.cli.terminal.mirror_folder import MirrorFolder
    from memory_layer.cli.terminal.mirrored_files import MirroredFiles
    from memory_layer.domain.portability.folder_text import told_by_words
    from memory_layer.domain.portability.mirror_plan import mirror_plan

    at, files = MirrorFolder(folder, call.project), MirroredFiles(call)
    known = at.known(adopts=adopt)
    listed = files.known()
    there, hidden = _shown(files, known, listed.files)
    there |= _unlisted(known, listed) if listed.note else {}
    here, left_out = at.files()
    _require_one_there(call, at.root, known, here, there)
    archives = archive_removed and not _is_wiped(known, here)
    told = told_by_words(known, here, there)
    steps = mirror_plan(known, told, there, archives_removed=archives)
    run = _Run(at, files, known, here, there, problems=[*hidden, *left_out])
    if not dry_run:
        run.carry_out(steps)
    document = {**_document(folder, steps, run.problems, dry_run), "note": listed.note}
    return CommandOutput(document, mirror_text.mirrored, is_refused=bool(run.problems))


def _unlisted(known: Mapping[str, KnownFile], listed: ListedFiles) -> dict[str, KnownFile]:
    """Mirrored files that a project with too many does not list: they count as they were, and not as gone."""
    taken = {one.path for one in listed.files.values()}
    return {id: one for id, one in known.items() if id not in listed.files and one.path not in taken}


def _shown(
    files: MirroredFiles, known: Mapping[str, KnownFile], listed: Mapping[str, KnownFile]
) -> tuple[dict[str, KnownFile], list[str]]:
    """Files of the project that a folder may have, and a sentence about each other one."""
    shown, hidden = {}, []
    for id, one in listed.items():
        problem = _kept_out(files, known, id, one.path)
        if problem is None:
            shown[id] = one
        else:
            hidden.append(f"{one.path}: not written here, as {problem} to mirror it")
    return shown, hidden


def _kept_out(files: MirroredFiles, known: Mapping[str, KnownFile], id: str, path: str) -> str | None:
    """Reason for which a folder does not have a file, and what to do about it."""
    from memory_layer.cli.terminal.folder_files import instructs_agents
    from memory_layer.domain.portability.mirror_plan import is_hidden

    if is_hidden(path):
        return f"a name in it begins with a dot; move {id} to another path"
    is_here = id in known and known[id].path == path
    if instructs_agents(path) and not is_here and not files.is_trusted(id):
        return f"agents take such a file for a person's word, and nobody has approved it; approve {id}"
    return None


def _is_wiped(known: dict[str, KnownFile], here: Mapping[str, FolderHashes]) -> bool:
    """Tells whether every one of several files is gone at once: a lost folder, and nobody's decision."""
    return len(known) > 1 and not any(one.path in here for one in known.values())


def _require_one_there(
    call: Invocation,
    folder: Path,
    known: Mapping[str, KnownFile],
    here: Mapping[str, FolderHashes],
    there: Mapping[str, KnownFile],
) -> None:
    """Keeps the files of a folder whose project has none of them: that is another store, or a lost one.

    Raises:
        Invalid: every mirrored file is gone from the project at once, and some are still here.
    """
    from memory_layer.errors import Invalid

    count = sum(one.path in here for one in known.values())
    if count == 0 or not known.keys().isdisjoint(there):
        return
    place = call.data_dir if call.service is None else call.service.url
    raise Invalid.at(
        "/folder",
        f"none of what {folder} mirrors ({count} files here) is in project {call.project} of {place}, so nothing was "
        "changed: name the store that they came from, by --data or --url; if they were all deleted there, "
        "mirror into a new folder",
    )


def _document(folder: Path, steps: list[Step], problems: list[str], is_dry_run: bool) -> dict[str, Any]:
    told = [one for one in steps if one.act not in ("adopt", "forget")]
    return {
        "folder": str(folder),
        "dry_run": is_dry_run,
        "counts": dict(Counter(one.act for one in told)),
        "steps": [
            {"act": one.act, "path": one.path, "id": one.id, "source": one.source, "why": one.why}
            for one in told
        ],
        "problems": problems,
    }


@dataclass
class _Run:
    """Steps that are carried out, each by itself: one that is refused leaves the others to be done."""

    folder: MirrorFolder
    files: MirroredFiles
    known: dict[str, KnownFile]
    here: Mapping[str, FolderHashes]
    there: dict[str, KnownFile]
    problems: list[str] = field(default_factory=list)

    def carry_out(self, steps: list[Step]) -> None:
        """Does the steps, and notes what both sides have after each that touched the project."""
        from memory_layer.errors import MemoryLayerError
        from memory_layer.wire.problem import MemoryProblem

        kept: set[str] = set()
        for step in steps:
            try:
                if step.act not in ("remove", "write") or step.path not in kept:
                    getattr(self, f"_{step.act}")(step)
            except (MemoryLayerError, MemoryProblem) as refused:
                self.problems.append(f"{step.path}: {refused.detail}")
                kept |= {step.path, step.source or step.path}
        self.folder.keep(self.known)

    def _adopt(self, step: Step) -> None:
        id = step.id or ""
        self.known[id] = replace(self.there[id], words_sha256=self.here[step.path].words_sha256)

    def _forget(self, step: Step) -> None:
        del self.known[step.id or ""]

    def _copy(self, step: Step) -> None:
        self.folder.write(step.path, self.folder.text(step.source or step.path))

    def _remove(self, step: Step) -> None:
        self.folder.remove(step.path)

    def _write(self, step: Step) -> None:
        id = step.id or ""
        text = self.files.text(id)
        self.folder.write(step.path, text)
        self._note(id, text)

    def _rename(self, step: Step) -> None:
        id = step.id or ""
        self.there[id] = self.files.rename(id, step.path)
        self._adopt(step)

    def _delete(self, step: Step) -> None:
        self.files.delete(step.id or "", step.seen or "")
        del self.known[step.id or ""]

    def _update(self, step: Step) -> None:
        from memory_layer.domain.portability.folder_text import edited

        id = step.id or ""
        text = edited(self.folder.text(step.source or step.path), self.files.text(id))
        self.there[id] = self.files.update(id, text, step.seen or "")
        self._meet(step, id, text)

    def _create(self, step: Step) -> None:
        text = self.folder.text(step.path)
        id, stored = self.files.create(step.path, text)
        self.there[id] = stored
        self._meet(step, id, text)

    def _meet(self, step: Step, id: str, text: str) -> None:
        """Notes what was stored; where secrets were taken out, the folder has that, and a copy of what was sent."""
        from memory_layer.domain.portability.file_text import text_sha256
        from memory_layer.domain.portability.mirror_plan import copy_path

        self._note(id, text)
        sent = text_sha256(text)
        if self.there[id].sha256 != sent:
            at = step.source or step.path
            self.folder.write(copy_path(at, sent), text)
            stored = self.files.text(id)
            self.folder.write(at, stored)
            self._note(id, stored)
            self.problems.append(
                f"{at}: secrets were removed before it was stored; what you wrote is beside it"
            )

    def _note(self, id: str, text: str) -> None:
        """Notes that both sides have a text, which is the project's."""
        from memory_layer.domain.portability.folder_text import FolderHashes

        self.known[id] = replace(self.there[id], words_sha256=FolderHashes.of(text).words_sha256)
