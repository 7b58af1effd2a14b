"""Decisions of the gate for near texts, on a corpus: each sentence is stored in turn into one project.

    python -m tests.bench.refusals FOLDER [--json FILE] [--table FILE]

The folder holds facts.jsonl, a `text` a line. Printed is each decision above the threshold, for a person to read; the
table tells of each its kind of difference and what became of it, and none of its words.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.errors import Contradicts, Duplicate
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.settings import read_settings
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many

PROJECT = "gate"
CHUNK = 100
Decision = dict[str, str | float]

OUTCOMES: Final = {
    "duplicate": "refused as known",
    "contradicts": "refused as contradicting",
    "similar": "stored, the near one named",
}
KINDS: Final = (
    (r"^says the same", "none but marks"),
    (r"affirms|denies", "a negation"),
    (r"\b(?:true|false)\b", "an opposite"),
    (r"(?:^|[\s,])--[a-z]", "a flag"),
    (r'^this says [^"]*\d[^"]* where the known one says [^"]*\d', "a number or a name with one"),
    (r'where the known one says "', "other words"),
    (r'says? "[^"]*", which', "more, or less, is said"),
    (r"which the known one", "more, or less, is said"),
    (r"where the known one says", "a name"),
)
"""Kinds of differences by the words that tell them, the first that is found."""

HEAD: Final = """# Near texts at writing

{creates:,} sentences of public documentation, stored one by one into one project
(`python -m tests.bench.refusals FOLDER --table FILE`). {near} are near to one before them, most of them
distinct facts: {told} ([ADR-0021](adr/0021-twins-at-writing.md)).

| | cosine | what differs | what became of it |
|---|---|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    for name in ("json", "table"):
        parser.add_argument(f"--{name}", type=Path)
    arguments = parser.parse_args()
    lines = (arguments.corpus / "facts.jsonl").read_text().splitlines()
    found = decisions([json.loads(line)["text"] for line in lines])
    for one in found:
        print(
            f"{one['outcome']} {one['similarity']:.3f}  {one['how']}\n  new    {one['new']}\n  known  {one['known']}"
        )
    print(f"{len(lines)} creates: {dict(Counter(str(one['outcome']) for one in found))}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2, ensure_ascii=False))
    if arguments.table:
        arguments.table.write_text(table_of(found, len(lines)))


def table_of(found: Sequence[Decision], creates: int) -> str:
    """Markdown page of the decisions, in the order of the creates, without a word of what was stored."""
    counts = Counter(str(one["outcome"]) for one in found)
    rows = [
        f"| {place} | {float(one['similarity']):.3f} | {kind_of(str(one['how']))} | {OUTCOMES[str(one['outcome'])]} |"
        for place, one in enumerate(found, 1)
    ]
    told = ", ".join(f"{count} {OUTCOMES[outcome]}" for outcome, count in counts.most_common())
    return "\n".join([HEAD.format(creates=creates, near=len(found), told=told), *rows, ""])


def kind_of(how: str) -> str:
    """Kind of a difference between two near texts. Args: how: as the answer to a create tells it."""
    return next((kind for pattern, kind in KINDS if re.search(pattern, how)), "other words")


def decisions(texts: Sequence[str]) -> list[Decision]:
    """What became of each text that is near to one before it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_embedded(read_settings(data_dir=Path(folder)))) as it,
    ):
        found: list[Decision] = []
        for start in range(0, len(texts), CHUNK):
            part = texts[start : start + CHUNK]
            asked = [RememberRequest(fields={"content": text}) for text in part]
            results = remember_many(it.ports, LOCAL_PRINCIPAL, PROJECT, asked)
            for text, result in zip(part, results, strict=True):
                found += _decision(text, result)
        return found


def _decision(text: str, result: Result) -> Iterator[Decision]:
    if isinstance(result, Duplicate | Contradicts):
        is_same = isinstance(result, Duplicate)
        how = "says the same" if is_same else getattr(result, "says_otherwise", "")
        outcome, known = "duplicate" if is_same else "contradicts", result.twin.content
        yield {"outcome": outcome, "similarity": result.similarity, "how": how, "new": text, "known": known}
    elif isinstance(result, StoredMemory):
        for near in result.similar:
            said = {"how": near.differs_in, "new": text, "known": near.content or ""}
            yield {"outcome": "similar", "similarity": near.similarity, **said}


if __name__ == "__main__":
    main()
