"""Measures of writing: facts refused as known, facts lost by merge and import, the gate under concurrent writers."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier
from typing import Any, Final

from memory_layer.edge.foreign.markdown import read_markdown
from memory_layer.errors import Contradicts, Duplicate, MemoryLayerError
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_foreign import import_foreign
from memory_layer.usecases.write.remember import StoredMemory
from tests.bench.judgement.corpus import Corpus, read_lines
from tests.bench.judgement.judged_product import (
    JudgedProduct,
    is_refused_as_known,
    is_stored,
    opened,
)
from tests.bench.judgement.statistics import bare, is_kept_in, words_lost
from tests.bench.judgement.table import Given, Row, is_within

WRONG_MAX: Final = 2
GENERAL_PERCENT, ACCURACY_PERCENT = 40, 75
ROUNDS: Final = 16
WRITERS: Final = (8, 12, 16)
PROCESSES: Final = 4


def refusals(given: Given) -> Iterator[Row]:
    """Creates of every sentence, one at a time, with the product's default answer to a twin."""
    with opened(given.embedder) as product:
        results = [_created(product, text) for text in given.corpus.texts]
    refused = [
        {
            "text": text,
            "known": result.twin.content,
            "similarity": round(float(result.similarity), 3),
            "refused as": "known" if is_refused_as_known(result) else "contradicting",
        }
        for text, result in zip(given.corpus.texts, results, strict=True)
        if isinstance(result, Duplicate | Contradicts)
    ]
    known = [one for one in refused if one["refused as"] == "known"]
    errors = sum(isinstance(result, MemoryLayerError) for result in results)
    beside = sum(isinstance(result, StoredMemory) and bool(result.similar) for result in results)
    judged = judged_refusals(refused, read_lines(given.verdicts) if given.verdicts else [])
    verdict = (
        ""
        if given.verdicts is None
        else f"; judged: {judged['distinct']} wrong, {judged['unknown']} not judged"
    )
    yield Row(
        f"distinct facts refused as known ({len(results):,} creates)",
        f"{len(known)} refused as known, {len(refused) - len(known)} as contradicting{verdict}; "
        f"{beside} stored with the near one named"
        + (f"; {errors - len(refused)} refused otherwise" if errors > len(refused) else ""),
        "≤ 2 wrong",
        {
            "refused": len(known),
            "contradicting": len(refused) - len(known),
            "beside": beside,
            "otherwise": errors - len(refused),
            **judged,
        },
        refused,
        met=(judged["distinct"] + judged["unknown"] if given.verdicts else len(known)) <= WRONG_MAX,
    )


def _created(product: JudgedProduct, text: str) -> Any:
    return product.store("all", [text], on_duplicate="ask")[0]


def judged_refusals(
    refused: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Counts refusals by a person's verdict: those that are right, and those of distinct facts.

    Args:
        verdicts: lines {text, known, verdict: same, contradicting or distinct}, texts in either order.
    """
    by_texts = {frozenset((line["text"], line["known"])): line["verdict"] for line in verdicts}
    found = [by_texts.get(frozenset((one["text"], one["known"])), "unknown") for one in refused]
    return {verdict: found.count(verdict) for verdict in ("same", "distinct", "unknown")}


def losses(given: Given) -> Iterator[Row]:
    """Facts lost by `on_duplicate: merge`, and by the import of the corpus as a Markdown file."""
    with opened(given.embedder) as product:
        merged = product.store("merged", given.corpus.texts, on_duplicate="merge")
        kept = {memory.id: memory.content for memory in product.contents("merged")}
        imported, unlisted, stored = _imported(product, given.corpus)
    lost = [
        {"text": text, "kept": kept[result.memory.id], "words lost": " ".join(words)}
        for text, result in zip(given.corpus.texts, merged, strict=True)
        if hasattr(result, "memory") and (words := words_lost(text, kept[result.memory.id]))
    ]
    errors = sum(isinstance(result, MemoryLayerError) for result in merged)
    yield Row(
        "facts lost by on_duplicate: merge",
        f"{len(lost)} texts with words that nothing kept ({errors} refused and told)",
        "0",
        {"lost": len(lost), "refused": errors},
        lost,
        met=not lost,
    )
    yield Row(
        "facts lost by import",
        f"{len(unlisted)} of {imported} lines neither stored nor listed ({stored} stored)",
        "0; every line listed",
        {"unlisted": len(unlisted), "lines": imported, "stored": stored},
        unlisted,
        met=not unlisted,
    )


def as_markdown(texts: Sequence[str]) -> str:
    """The texts as one list, a line each."""
    return "# Facts\n\n" + "\n".join(f"- {as_line(text)}" for text in texts) + "\n"


def as_line(text: str) -> str:
    """Text on one line, without a mark of a list before it, which would begin a list in the list."""
    return re.sub(r"^(?:(?:[-*+]|\d+[.)])\s+)+", "", " ".join(text.split()))


def _imported(product: JudgedProduct, corpus: Corpus) -> tuple[int, list[dict[str, str]], int]:
    """Number of lines, those neither stored nor listed, and the number of stored records."""
    file = read_markdown(as_markdown(corpus.texts), "facts.md")
    tally = import_foreign(product.ports, LOCAL_PRINCIPAL, "imported", file)
    stored = [memory.content for memory in product.contents("imported")]
    told = "\n".join(_told(tally))
    whole = bare("\n".join(stored))
    return (
        len(corpus.texts),
        [
            {"line": str(number), "text": text}
            for number, text in enumerate(map(as_line, corpus.texts), 3)
            if bare(text) not in whole and not is_told(number, text, told)
        ],
        len(stored),
    )


def _told(tally: ForeignTally) -> Iterator[str]:
    """Yields what an import tells of each line that it does not store."""
    yield from (f"{part.where} {part.problem}" for part in tally.refused)
    yield from (f"{part.where} {part.reason}" for part in tally.left_out)


def is_told(number: int, text: str, told: str) -> bool:
    """Tells if an import names a line, by its number or its words."""
    return f"line {number} " in f"{told} " or f"line {number}:" in told or is_kept_in(text, told)


def concurrent_writers(given: Given) -> Iterator[Row]:
    """The same fact in slightly other letters by 8 to 16 writers at once, in one process and over several stores."""
    counts = {"one store": _rounds(given, 1), f"{PROCESSES} stores on one folder": _rounds(given, PROCESSES)}
    told = ", ".join(f"{bad} of {ROUNDS} rounds ({name})" for name, bad in counts.items())
    yield Row(
        "near-duplicate gate under 8 to 16 writers: more than one stored, or none",
        told,
        "0",
        counts,
        met=not any(counts.values()),
    )


def _rounds(given: Given, stores: int) -> int:
    """Rounds in which not exactly one was stored."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        products = [stack.enter_context(opened(given.embedder, Path(folder))) for _ in range(stores)]
        drawn = random.Random(7).sample([text for text in given.corpus.texts if len(text) > 60], ROUNDS)
        return sum(
            _stored_at_once(products, f"round{number}", text, WRITERS[number % len(WRITERS)]) != 1
            for number, text in enumerate(drawn)
        )


def _stored_at_once(products: Sequence[JudgedProduct], project: str, text: str, writers: int) -> int:
    barrier = Barrier(writers)

    def write(number: int) -> bool:
        barrier.wait()
        said = f"{text.rstrip('.')}{' ' * number}{'.' * (number % 2)}".replace(" ", "  ", number)
        return is_stored(products[number % len(products)].store(project, [said], on_duplicate="ask")[0])

    with ThreadPoolExecutor(writers) as pool:
        return sum(pool.map(write, range(writers)))


def categories(given: Given) -> Iterator[Row]:
    """Categories of imported lines: the share that is `general`, and the accuracy on labelled ones."""
    labels = read_lines(given.labels)
    with opened(given.embedder) as product:
        found = _categories(product, "lines", given.corpus.texts)
        of_labelled = _categories(product, "labelled", [line["text"] for line in labels])
    general = sum(category == "general" for category in found.values())
    right = sum(_category_of(line["text"], of_labelled) == line["category"] for line in labels)
    yield Row(
        f"category of {len(found):,} imported lines: general",
        f"{100 * general / max(1, len(found)):.0f} %; accuracy {right / len(labels):.2f} on {len(labels)}",
        "≤ 40 %, accuracy ≥ .75",
        {"general": general, "lines": len(found), "right": right, "labelled": len(labels)},
        met=is_within(general, len(found), GENERAL_PERCENT)
        and not is_within(right, len(labels), ACCURACY_PERCENT - 1e-9),
    )


def _categories(product: JudgedProduct, project: str, texts: Sequence[str]) -> dict[str, str]:
    """Categories of the lines of a file that is imported, by their contents."""
    import_foreign(product.ports, LOCAL_PRINCIPAL, project, read_markdown(as_markdown(texts), "lines.md"))
    return {memory.content: memory.category for memory in product.contents(project)}


def _category_of(text: str, found: Mapping[str, str]) -> str | None:
    return next((category for content, category in found.items() if is_kept_in(text, content)), None)
