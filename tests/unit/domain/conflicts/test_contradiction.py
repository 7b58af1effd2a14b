"""What contradicts each other is found, what only looks so is left alone, and nothing is retired on a guess."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.conflicts.claims import CLAIMS_MAX, READ_CHARS, read_claims
from memory_layer.domain.conflicts.contradiction import (
    CANDIDATE_COSINE,
    ComparedStatement,
    Contradiction,
    contradiction,
    statement_of,
)
from memory_layer.domain.conflicts.precedence import FLAG_SEVERITY, decide_precedence
from memory_layer.domain.conflicts.quantities import are_incompatible
from memory_layer.domain.conflicts.quantity_parser import quantity_at
from memory_layer.domain.memory import Memory, content_hash
from tests.unit.domain.conflicts import conflict_examples, conflict_examples_held_out, conflict_examples_loose

CONTRADICTING = ("NEGATION", "OPPOSITE", "VALUE", "CHOICE")
OTHERS = ("AGREEING", "UNRELATED", "NEAR_MISS")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def pairs(part: ModuleType, section: str) -> Iterator[tuple[str, str, float]]:
    lines = getattr(part, section).strip().splitlines()
    for one, other in zip(lines[::2], lines[1::2], strict=True):
        mark, cosine, text = other.split(" ", 2)
        assert mark == "!"
        yield one, text, float(cosine)


def found(one: str, other: str, cosine: float = 0.9, **both: object) -> Contradiction | None:
    return contradiction(ComparedStatement(one, **both), ComparedStatement(other, **both), cosine=cosine)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("part", "recall_floor"),
    [
        pytest.param(conflict_examples, 0.9, id="development"),
        pytest.param(conflict_examples_held_out, 0.9, id="held-out"),
        pytest.param(conflict_examples_loose, 0.7, id="loose-held-out"),
    ],
)
def test_precision_and_recall_on_the_labelled_pairs(part: ModuleType, recall_floor: float) -> None:
    missed = {section: [p for p in pairs(part, section) if not found(*p)] for section in CONTRADICTING}
    totals = {section: len(list(pairs(part, section))) for section in CONTRADICTING + OTHERS}
    false = [pair for section in OTHERS for pair in pairs(part, section) if found(*pair)]
    contradicting = sum(totals[section] for section in CONTRADICTING)
    hits = contradicting - sum(map(len, missed.values()))
    precision, recall = hits / (hits + len(false)), hits / contradicting

    of_kinds = ", ".join(f"{s.lower()} {totals[s] - len(missed[s])}/{totals[s]}" for s in CONTRADICTING)
    print(
        f"{part.__name__}: {sum(totals.values())} pairs, precision {precision:.3f}, recall {recall:.3f}: {of_kinds}"
    )
    assert precision >= 0.95, false
    assert recall >= recall_floor, missed


def test_there_are_enough_labelled_pairs() -> None:
    parts = (conflict_examples, conflict_examples_held_out, conflict_examples_loose)
    texts = [
        pair[:2] for part in parts for section in CONTRADICTING + OTHERS for pair in pairs(part, section)
    ]
    assert len(texts) == len(set(texts)) >= 240


@pytest.mark.parametrize("section", CONTRADICTING)
def test_the_kind_is_told(section: str) -> None:
    kinds = [f.kind for pair in pairs(conflict_examples_held_out, section) if (f := found(*pair))]
    assert set(kinds) == {section.lower()}


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Checkout retries 3 times with jitter", "Checkout retries 5 times with jitter", True),
        ("Checkout waits 3 seconds for the ledger", "Checkout waits 9 seconds for the ledger", True),
        ("Checkout 3 forgets the basket on reload", "Checkout 5 forgets the basket on reload", False),
    ],
)
def test_a_number_near_the_front_is_a_name_unless_it_measures(one: str, other: str, differ: bool) -> None:
    assert (found(one, other, 0.97) is not None) is differ


@pytest.mark.parametrize(
    "condition", ["when the ledger is slow", "if the ledger is slow", "while it is full"]
)
def test_the_verb_of_a_condition_is_not_that_of_the_sentence(condition: str) -> None:
    """Falls without `CONDITIONS`: the seconds would be part of a name, and the two the same in other words."""
    contradicted = found(
        f"Payments time out after 30 seconds {condition}", f"Payments time out after 90 seconds {condition}"
    )
    assert contradicted is not None
    assert contradicted.reason == "one says 30 seconds, the other 90 seconds"


TELLING = (
    "the API does not never use always avoid 30 seconds minutes 3.11 Postgres MySQL is on off before after between and"
    " 1 100 at least or newer `x y` ; . : , ? - prefer over instead of v2 issue 12 half a day it's can't 9:30"
    " 2024-01-01 May 1,000 \x00 \u0663 \u00b2 ~5 ``` 1-5 unsupported to from"
)
texts = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(TELLING.split(" ")), max_size=30).map(" ".join),
)


@given(texts, texts, st.floats(-1, 1))
def test_the_order_of_the_two_does_not_matter_and_no_text_raises(one: str, other: str, cosine: float) -> None:
    there, back = found(one, other, cosine), found(other, one, cosine)
    assert there == back
    if there:
        assert 0.0 < there.severity <= 1.0
        assert 0.0 <= there.shared <= 1.0
        assert there.severity == round(there.severity, 3)
        assert cosine >= CANDIDATE_COSINE


@given(texts)
def test_a_text_never_contradicts_itself(text: str) -> None:
    assert found(text, text, 1.0) is None
    assert found(text, f" {text} ", 1.0) is None


@pytest.mark.parametrize(
    "unit", ["not ", "never use a, ", "1", "a:", "`", ",", "at least ", "x;", "\n", "1 to ", "but "]
)
def test_of_a_hostile_text_no_more_is_read_than_of_any_other(unit: str) -> None:
    """Falls without `READ_CHARS`: 32 KB would be taken apart, pair by pair."""
    hostile = unit * (32_768 // len(unit))
    assert read_claims(hostile) == read_claims(hostile[: READ_CHARS + 1])
    assert read_claims(hostile).claims == read_claims(hostile[:READ_CHARS]).claims
    assert len(read_claims(hostile).claims) <= CLAIMS_MAX
    assert READ_CHARS < 2_000


def test_what_is_too_unlike_is_not_compared() -> None:
    """Falls without `CANDIDATE_COSINE`."""
    assert found("Use tabs in Makefiles.", "Never use tabs in Makefiles.", 0.4)
    assert found("Use tabs in Makefiles.", "Never use tabs in Makefiles.", 0.39) is None


def test_entities_that_the_words_do_not_name_tell_subjects_apart() -> None:
    """Falls without `_may_share_subject`."""
    here, there = "The build needs a lock.", "The build does not need a lock."

    def between(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Contradiction | None:
        return contradiction(ComparedStatement(here, mine), ComparedStatement(there, theirs), cosine=0.9)

    assert between(("urn:repo:web",), ("urn:repo:api",)) is None
    assert between(("urn:repo:web",), ("urn:repo:web", "urn:repo:api"))
    assert between(("urn:repo:web",), ())
    assert between(("urn:tool:build",), ("urn:tool:lock",)), "named by the words"


def test_things_to_do_contradict_nothing() -> None:
    one = ComparedStatement("Enable the audit log.", category="todo")
    assert contradiction(one, ComparedStatement("Disable the audit log."), cosine=0.9) is None


def test_severity_follows_its_rule() -> None:
    one, other = "Run the load test before a release.", "Do not run the load test before a release."
    plain = found(one, other)
    absolute = found(f"Always {one.lower()}", "Never run the load test before a release.")
    assert plain
    assert absolute
    assert (plain.kind, plain.severity, plain.shared) == ("negation", 0.6, 1.0)
    assert (absolute.kind, absolute.severity) == ("opposite", 0.85)
    assert found(one, other, type="warning").severity == 0.7  # type: ignore[union-attr]
    assert found(one, other, category="convention").severity == 0.7  # type: ignore[union-attr]
    assert found(one, other, category="preference").severity == 0.4  # type: ignore[union-attr]
    assert found(one, other, is_approved=True).severity == 0.9  # type: ignore[union-attr]
    longer = found(f"{one} The report goes to the wiki.", other)
    assert longer
    assert longer.severity < plain.severity
    assert longer.shared < 1.0


def test_soft_differences_are_decided_by_precedence_and_hard_ones_by_a_person() -> None:
    drifted = found(
        "Keep lines under 88 characters.", "Keep lines under 100 characters.", category="preference"
    )
    moved = found("Hannah lives in Vienna.", "Hannah lives in Madrid.", category="context")
    port = found("Redis listens on port 6379.", "Redis listens on port 6380.")
    assert drifted
    assert moved
    assert port
    assert max(drifted.severity, moved.severity) < FLAG_SEVERITY <= port.severity


@pytest.mark.parametrize(
    ("one", "other", "clash"),
    [
        ("30 s", "30000 ms", False),
        ("30 s", "30 min", True),
        ("1 MB", "1024 kb", False),
        ("1 MB", "1 GB", True),
        ("24 hours", "1 day", False),
        ("12 months", "one year", False),
        ("30 days", "one month", False),
        ("14 days", "one month", True),
        ("half a second", "500 ms", False),
        ("1.2 million", "1,200,000", False),
        ("3.9", "3.11", True),
        ("3", "3.0", False),
        ("at least 3.9", "3.11", False),
        ("3.9 or newer", "3.8", True),
        ("at least 4 GB", "at least 8 GB", True),
        ("up to 10", "12", True),
        ("up to 10", "7", False),
        ("between 1 and 100", "50", False),
        ("1-100", "250", True),
        ("about 20 minutes", "22 min", False),
        ("about 20 minutes", "40 min", True),
        ("9:30", "9:30 am", False),
        ("2:00 pm", "14:00", False),
        ("02:00", "2:00", False),
        ("12 may", "may 12", False),
        ("12 may", "19 may", True),
        ("80 %", "80 percent", False),
        ("0.1%", "1%", True),
        ("three", "3", False),
    ],
)
def test_quantities_agree_whatever_they_are_written_in(one: str, other: str, clash: bool) -> None:
    mine, theirs = (quantity_at(text.lower().split(), 0) for text in (one, other))
    assert mine
    assert theirs
    assert (mine[1], theirs[1]) == (len(one.split()), len(other.split())), "read to the end"
    assert mine[0].dimension == theirs[0].dimension
    assert are_incompatible(mine[0], theirs[0]) is are_incompatible(theirs[0], mine[0]) is clash


def memory(id: str, **values: object) -> Memory:
    content = str(values.pop("content", "Hannah lives in Vienna."))
    return Memory(
        id=id,
        tenant="t",
        project="p",
        content=content,
        content_hash=content_hash(content),
        created_at=NOW - timedelta(days=9),
        **{"created_by": "c", "updated_at": NOW, **values},  # type: ignore[arg-type]
    )


SOFT = Contradiction("choice", 0.299, 1.0, "one says vienna, the other madrid")


@pytest.mark.parametrize(
    ("better", "worse", "why"),
    [
        (
            {"approved_by": "r", "confidence": 0.4, "updated_at": NOW - timedelta(days=3)},
            {"confidence": 1.0},
            "approved",
        ),
        ({"confidence": 0.9, "updated_at": NOW - timedelta(days=3)}, {"confidence": 0.899}, "confidence"),
        ({}, {"updated_at": NOW - timedelta(seconds=1)}, "updated"),
    ],
)
def test_precedence_is_approved_then_confidence_then_newer(
    better: dict[str, object], worse: dict[str, object], why: str
) -> None:
    winner, loser = memory("w", **better), memory("l", **worse)
    resolution = decide_precedence(winner, loser, SOFT)
    assert resolution == decide_precedence(loser, winner, SOFT)
    assert (resolution.strategy, resolution.winner, resolution.is_automatic) == ("precedence", "w", True)
    assert why in resolution.reasoning
    assert SOFT.reason in resolution.reasoning


def test_whoever_speaks_last_retires_nobody_elses_words() -> None:
    """Falls where being newer, or a verdict on one's own words, lets one writer retire another's memory."""
    mine, theirs = memory("w", created_by="eve"), memory("l", updated_at=NOW - timedelta(seconds=1))
    resolution = decide_precedence(mine, theirs, SOFT)
    assert (resolution.winner, resolution.is_automatic) == ("w", False)
    assert not decide_precedence(
        replace(mine, confidence=1.0), replace(theirs, confidence=0.9), SOFT
    ).is_automatic
    assert decide_precedence(replace(mine, approved_by="r"), theirs, SOFT).is_automatic


def test_a_tie_is_for_a_person() -> None:
    """Falls without the check that the two stand alike: the later argument would win."""
    resolution = decide_precedence(memory("a"), memory("b"), SOFT)
    assert (resolution.strategy, resolution.winner, resolution.is_automatic) == ("flag", None, False)


def test_from_three_tenths_on_a_person_decides() -> None:
    """Falls without `FLAG_SEVERITY`."""
    resolution = decide_precedence(memory("a", approved_by="r"), memory("b"), replace(SOFT, severity=0.3))
    assert (resolution.strategy, resolution.winner, resolution.is_automatic) == ("flag", None, False)


@pytest.mark.parametrize(
    "more",
    [
        "Hannah teaches physics at a school.",
        "She teaches physics at a school.",
        "Does anybody know since when?",
        "We used to meet in Graz.",
        "TODO: ask for the address.",
        " \n" * READ_CHARS + "Nobody reads this far.",
    ],
)
def test_what_says_more_than_the_contradiction_is_not_retired_by_itself(more: str) -> None:
    """Falls without `AUTO_SUPERSEDE_SHARED`, and without `TextClaims.unclaimed` for all but the first."""
    brief = memory("a", content="Hannah lives in Vienna.", category="context")
    long = memory("b", content=f"Hannah lives in Madrid. {more}", category="context", confidence=0.9)
    difference = contradiction(statement_of(brief), statement_of(long), cosine=0.7)
    assert difference
    resolution = decide_precedence(brief, long, difference)
    assert (resolution.strategy, resolution.winner, resolution.is_automatic) == ("precedence", "a", False)


def test_what_says_nothing_but_the_contradiction_is_superseded() -> None:
    older = memory(
        "a", content="Hannah lives in Vienna.", category="context", updated_at=NOW - timedelta(days=1)
    )
    newer = memory("b", content="Hannah now lives in Madrid.", category="context")
    difference = contradiction(statement_of(older), statement_of(newer), cosine=0.7)
    assert difference
    assert decide_precedence(older, newer, difference).is_automatic
    assert decide_precedence(older, newer, difference).winner == "b"
