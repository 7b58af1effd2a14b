"""Results of imports of other tools' files as text for people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile

from memory_layer.cli.printing.data_text import dry_run_note, joined_lines
from memory_layer.cli.printing.tables import Document
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable

_PLAIN = {"moved": "in another place"}
"""Words for counts: what two headings or two files say counts as `moved` in a first import, too."""

_WORDS_MAX = 100
"""Characters of a memory beside its id."""

_WORDS_BEFORE = 40
"""Of these, characters before the first difference of two wordings."""


def foreign_import_text(document: Document, words: Mapping[str, str]) -> str:
    """Result of an import of another tool's file. Args: words: of the memories that it names, by id."""
    counts = ("stored", "changed", "moved", "unchanged", "merged", "skipped")
    named = [name for name in counts if document[name] or name in ("stored", "skipped")]
    told = ", ".join(f"{_PLAIN.get(name, name)} {document[name]:,}" for name in named)
    waits = (
        runnable(f"; {document['quarantined']:,} of them quarantined: mem review")
        if document["quarantined"]
        else ""
    )
    over = (
        f"; {document['expired']:,} of them expired by now: no recall shows them"
        if document["expired"]
        else ""
    )
    refused = document["refused"]
    return joined_lines(
        dry_run_note(document),
        _partial_import(len(refused), document["read"]) if refused else "",
        f"{document['read']:,} read: {told}, refused {len(refused):,}{waits}{over}",
        *(printable(f"  {part['where']}: {part['problem']}") for part in refused),
        *_left_out(document["left_out"]),
        *_told(
            "redacted before they were stored:", document["redacted"], lambda part: ", ".join(part["kinds"])
        ),
        *_told("waiting for a reviewer:", document["held"], lambda part: f"{part['id']}: {part['reason']}"),
        *_changed(document["changed_lines"], words),
        *_gone(document, words),
    )


def _left_out(parts: Sequence[Document]) -> Iterator[str]:
    """Lines that are not stored, by reason: each number once."""
    by_reason: dict[str, list[str]] = {}
    for part in parts:
        by_reason.setdefault(part["reason"], []).append(part["where"])
    if parts:
        yield "not stored:"
    for reason, places in by_reason.items():
        numbers = [place.removeprefix("lines ").removeprefix("line ") for place in places]
        are_lines = all(number != place for number, place in zip(numbers, places, strict=True))
        word = ("line " if len(numbers) == 1 and numbers[0].isdigit() else "lines ") if are_lines else ""
        yield printable(f"  {word}{', '.join(numbers if are_lines else places)}: {reason}")


def _told(heading: str, parts: Sequence[Document], words: Callable[[Document], str]) -> Iterator[str]:
    """Parts that are stored and of which something is to be known, under a heading."""
    if parts:
        yield heading
    for part in parts:
        yield printable(f"  {part['where']}: {words(part)}")


def _changed(lines: Sequence[Document], words: Mapping[str, str]) -> Iterator[str]:
    """Lines that supersede their earlier wording: both wordings, one under the other."""
    if lines:
        yield "changed:"
    for line in lines:
        was, now = _around_difference(*(words.get(line[end], "") for end in ("supersedes", "id")))
        yield printable(f"  {line['where']}: {line['supersedes']}: {was}")
        yield printable(f"    now {line['id']}: {now}")


def _around_difference(was: str, now: str) -> tuple[str, str]:
    """Two wordings from their beginning, or from shortly before their first difference where that lies far behind."""
    one, other = " ".join(was.split()), " ".join(now.split())
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if one == other or max(len(one), len(other)) <= _WORDS_MAX or at <= _WORDS_BEFORE:
        return _shortened(one), _shortened(other)
    start = one.find(" ", at - _WORDS_BEFORE, at) + 1 or at - _WORDS_BEFORE
    return _shortened(f"\u2026 {one[start:]}"), _shortened(f"\u2026 {other[start:]}")


def _shortened(words: str) -> str:
    return " ".join(words.split())[:_WORDS_MAX]


def _gone(document: Document, words: Mapping[str, str]) -> Iterator[str]:
    ids, kept = document["gone"], set(document["kept"])
    if not ids:
        return
    archived = f"{document['pruned']:,} archived" if document["pruned"] or kept else "--prune archives them"
    yield f"the file says {len(ids):,} no more; {archived}:"
    for id in ids:
        stays = " (stays: approved, pinned, or another file says it)" if id in kept else ""
        yield printable(f"  {id}{stays}: {_shortened(words.get(id, ''))}")


def _partial_import(refused: int, read: int) -> str:
    if refused == read:
        return f"nothing imported: all {read:,} refused"
    return f"imported in part: {refused:,} of {read:,} refused"
