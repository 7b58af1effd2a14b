"""Connecting agents and taking it back: every file is read and judged before the first is written."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from memory_layer.errors import Conflict, Invalid
from memory_layer.plugin.connection.edits import Unfit
from memory_layer.plugin.connection.ledger import ConnectedFile, Ledger, digest_of, replace_file
from memory_layer.plugin.connection.targets import Connection, Destination, Target

Act = Literal["made", "changed", "removed", "unchanged"]


@dataclass(frozen=True, slots=True)
class ConfigurationChange:
    """Change of one file.

    Args:
        user: agent for whom it is.
        before, after: None: it is not there.
        shared_with: other connected agents, for whom it stays.
    """

    path: Path
    user: str
    before: bytes | None
    after: bytes | None
    shared_with: tuple[str, ...] = ()

    @property
    def act(self) -> Act:
        if self.before == self.after:
            return "unchanged"
        return "made" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def diff(self) -> str:
        """Difference in lines, as `diff -u` prints it; empty where there is none."""
        before, after = (_lines(content) for content in (self.before, self.after))
        lines = unified_diff(before, after, f"a{self.path}", f"b{self.path}")
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines(keepends=True)


def connection_changes(connections: Sequence[Connection], place: Destination) -> list[ConfigurationChange]:
    """Changes that connect agents. Nothing is written.

    Raises:
        Invalid: a file is not as its agent writes it; no file is changed then.
    """
    return _changes(connections, place, lambda target, before: target.edit.put_in(before))


def _changes(
    connections: Sequence[Connection], place: Destination, edited: Callable[[Target, str | None], str | None]
) -> list[ConfigurationChange]:
    """Changes of each file, once: agents may share one, whose edits then follow each other."""
    drafts: dict[Path, bytes | None] = {}
    changes: list[ConfigurationChange] = []
    for connection in connections:
        for target in connection.targets(place):
            before = _content(target.path)
            draft = drafts.get(target.path, before)
            after = _edited(target, draft, edited)
            drafts[target.path] = after
            changes.append(ConfigurationChange(target.path, connection.name, draft, after))
    return changes


def _edited(
    target: Target, content: bytes | None, edited: Callable[[Target, str | None], str | None]
) -> bytes | None:
    try:
        text = None if content is None else content.decode("utf-8")
        result = edited(target, text)
    except UnicodeDecodeError as error:
        raise Invalid(f"{target.path} is no UTF-8; it is left as it is") from error
    except Unfit as error:
        raise Invalid(f"{target.path} {error}; it is left as it is") from error
    return None if result is None else result.encode("utf-8")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}") from error


def apply_connection(changes: Sequence[ConfigurationChange], ledger: Ledger) -> None:
    """Writes the changes of a connection, with a copy of each file before; if one cannot be written, none is.

    Raises:
        Invalid: a file cannot be written.
        Conflict: a file was changed meanwhile.
    """
    with ledger.changing() as entries:
        written: list[ConfigurationChange] = []
        try:
            for change in changes:
                _write(change, entries, ledger)
                written.append(change)
        except (OSError, Conflict) as error:
            _take_back(written)
            if isinstance(error, Conflict):
                raise
            raise Invalid(
                f"{change.path} cannot be written: {error.strerror}; nothing is connected"
            ) from error


def _write(change: ConfigurationChange, entries: dict[str, ConnectedFile], ledger: Ledger) -> None:
    key = str(change.path)
    known = entries.get(key)
    if change.act != "unchanged" and change.after is not None:
        _refuse_changed(change)
        backup = None if change.before is None else ledger.keep_copy(change.before)
        is_ours = known is not None and change.before is not None and digest_of(change.before) == known.after
        entry = (
            ConnectedFile(backup, "", [], _made_for(change.path)) if not is_ours or known is None else known
        )
        entry.users = known.users if known is not None else entry.users
        replace_file(change.path, change.after)
        entry.after = digest_of(change.after)
        entries[key] = known = entry
    if known is not None and change.user not in known.users:
        known.users.append(change.user)


def _refuse_changed(change: ConfigurationChange) -> None:
    if _content(change.path) != change.before:
        raise Conflict(f"{change.path} was changed meanwhile; run it again")


def _made_for(path: Path) -> list[str]:
    """Makes the folders of a file; those that were missing, innermost first."""
    missing = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    return [str(folder) for folder in missing]


def _take_back(written: Sequence[ConfigurationChange]) -> None:
    for change in reversed(written):
        with suppress(OSError):
            if change.before is None:
                change.path.unlink(missing_ok=True)
            elif change.act != "unchanged":
                replace_file(change.path, change.before)


def disconnection_changes(
    connections: Sequence[Connection], place: Destination, ledger: Ledger
) -> list[ConfigurationChange]:
    """Changes that take connections back: a file that nobody changed since is again what it was, byte by byte.

    A file that another connected agent shares stays.

    Raises:
        Invalid: a file cannot be read or is not as its agent writes it.
    """
    entries = ledger.read()
    leaving = {connection.name for connection in connections}

    def edited(target: Target, text: str | None) -> str | None:
        entry = entries.get(str(target.path))
        if text is None or (entry is not None and set(entry.users) - leaving):
            return text
        if entry is not None and digest_of(text.encode("utf-8")) == entry.after:
            return _as_before(entry, ledger, target, text)
        return target.edit.taken_out(text)

    return [
        replace(change, shared_with=_sharing(entries.get(str(change.path)), leaving))
        for change in _changes(connections, place, edited)
    ]


def _sharing(entry: ConnectedFile | None, leaving: set[str]) -> tuple[str, ...]:
    return () if entry is None else tuple(sorted(set(entry.users) - leaving))


def connected_agents(changes: Sequence[ConfigurationChange], ledger: Ledger) -> set[str]:
    """Agents that were connected, by the ledger; of files that it does not know, those whose file had our parts."""
    entries = ledger.read()

    def is_of_its_own(change: ConfigurationChange) -> bool:
        entry = entries.get(str(change.path))
        return change.act != "unchanged" if entry is None else change.user in entry.users

    return {change.user for change in changes if is_of_its_own(change)}


def _as_before(entry: ConnectedFile, ledger: Ledger, target: Target, text: str) -> str | None:
    if entry.backup is None:
        return None
    copy = ledger.copy(entry.backup)
    return target.edit.taken_out(text) if copy is None else copy.decode("utf-8")


def apply_disconnection(changes: Sequence[ConfigurationChange], ledger: Ledger) -> None:
    """Writes the changes that take connections back, and removes folders that were made for them and are empty.

    Raises:
        Invalid: a file cannot be written.
        Conflict: a file was changed meanwhile.
    """
    made: list[str] = []
    with ledger.changing() as entries:
        for change in changes:
            try:
                made += _take_out(change, entries, ledger)
            except OSError as error:
                raise Invalid(f"{change.path} cannot be written: {error.strerror}") from error
        for folder in sorted(made, key=len, reverse=True):
            _remove_folder(folder, entries)


def _remove_folder(folder: str, entries: dict[str, ConnectedFile]) -> None:
    """Removes an empty folder; one that still holds a file of ours goes with that file."""
    try:
        Path(folder).rmdir()
    except OSError:
        heir = next((entry for path, entry in entries.items() if Path(folder) in Path(path).parents), None)
        if heir is not None:
            heir.made.append(folder)


def _take_out(change: ConfigurationChange, entries: dict[str, ConnectedFile], ledger: Ledger) -> list[str]:
    """Writes one change. Returns: folders that were made for a file that is ours no more."""
    if change.act != "unchanged":
        _refuse_changed(change)
        if change.after is None:
            change.path.unlink()
        else:
            replace_file(change.path, change.after)
    entry = entries.get(str(change.path))
    if entry is None:
        return []
    entry.users = [user for user in entry.users if user != change.user]
    if entry.users:
        return []
    del entries[str(change.path)]
    if entry.backup is not None and all(other.backup != entry.backup for other in entries.values()):
        ledger.drop_copy(entry.backup)
    return entry.made
