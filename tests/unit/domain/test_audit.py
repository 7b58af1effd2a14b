"""A chain of audit entries: whatever is done to one of them is found and named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.audit import (
    ERASED,
    LATE_MAX,
    PROJECT_ERASED,
    AuditEvent,
    AuditHead,
    AuditLink,
    BrokenLink,
    ChainCheck,
    chained,
    event_of,
    event_text,
    head_after,
)

AT = "2026-03-01T12:00:00Z"
NAMES = st.text(min_size=1, max_size=12)
EVENTS = st.builds(
    AuditEvent,
    what=st.sampled_from(["created", "updated", "approved", "refused"]),
    principal=NAMES,
    about=st.none() | NAMES,
    before=st.none() | st.integers(0, 9),
    request_id=st.none() | NAMES,
    traceparent=st.none() | NAMES,
)


def chain(events: Sequence[AuditEvent]) -> tuple[list[AuditLink], AuditHead]:
    links = chained(AuditHead(), events, AT, [bytes([number % 251]) * 16 for number in range(len(events))])
    return links, head_after(AuditHead(), links)


def first_broken(links: Sequence[AuditLink], head: AuditHead) -> BrokenLink | None:
    check = ChainCheck()
    check.read(links)
    return check.end(head)


def event(what: str = "created", about: str | None = "m1") -> AuditEvent:
    return AuditEvent(what=what, principal="ada", about=about)


def erased(link: AuditLink) -> AuditLink:
    return replace(link, payload=None, salt=None)


CHANGES = {
    "time": lambda link: replace(link, at="2026-03-02T12:00:00Z"),
    "subject": lambda link: replace(link, about=f"{link.about}x"),
    "readable part": lambda link: replace(link, payload=event_text(AuditEvent(what="none", principal="eve"))),
    "salt": lambda link: replace(link, salt=b"another salt 123"),
    "salt taken": lambda link: replace(link, salt=None),
    "seal": lambda link: replace(link, sealed="0" * 64),
    "digest": lambda link: replace(link, digest="0" * 64),
    "erasure that was none": erased,
}


@given(st.lists(EVENTS, min_size=1, max_size=12), st.data())
def test_a_changed_entry_is_named(events: list[AuditEvent], data: st.DataObject) -> None:
    """Falls without the digests of `ChainCheck._flaw`, and without its question who erased what is gone."""
    links, head = chain(events)
    assert first_broken(links, head) is None
    place = data.draw(st.integers(0, len(links) - 1))
    change = CHANGES[data.draw(st.sampled_from(sorted(CHANGES)))]
    broken = first_broken([*links[:place], change(links[place]), *links[place + 1 :]], head)
    assert broken is not None
    assert broken.position == place + 1


@given(st.lists(EVENTS, min_size=1, max_size=12), st.data())
def test_a_removed_entry_is_named(events: list[AuditEvent], data: st.DataObject) -> None:
    """Falls without the count of positions, and for the last entries without the head."""
    links, head = chain(events)
    place = data.draw(st.integers(0, len(links) - 1))
    broken = first_broken([*links[:place], *links[place + 1 :]], head)
    assert broken is not None
    assert broken.position == place + 1


@given(st.lists(EVENTS, min_size=2, max_size=12, unique=True), st.data())
def test_swapped_entries_are_named(events: list[AuditEvent], data: st.DataObject) -> None:
    """Falls without the position in the digest."""
    links, head = chain(events)
    one, other = sorted(
        data.draw(st.lists(st.integers(0, len(links) - 1), min_size=2, max_size=2, unique=True))
    )
    swapped = list(links)
    swapped[one] = replace(links[other], position=one + 1)
    swapped[other] = replace(links[one], position=other + 1)
    broken = first_broken(swapped, head)
    assert broken is not None
    assert broken.position == one + 1


@given(st.lists(EVENTS, min_size=1, max_size=12), EVENTS, st.data())
def test_an_inserted_entry_is_named(events: list[AuditEvent], more: AuditEvent, data: st.DataObject) -> None:
    """Falls without the digest of the entry before: each position is taken, and each digest its own."""
    links, head = chain(events)
    place = data.draw(st.integers(0, len(links)))
    before = AuditHead() if place == 0 else AuditHead(place, links[place - 1].digest)
    forged = chained(before, [more], AT, [b"s" * 16])
    moved = [replace(link, position=link.position + 1) for link in links[place:]]
    broken = first_broken([*links[:place], *forged, *moved], head)
    assert broken is not None
    assert broken.position == (place + 2 if place < len(links) else place + 1)


def test_an_erasure_explains_what_was_told_before_it() -> None:
    links, head = chain([event(), event("updated"), event(about="m2"), event(ERASED), event()])
    gone = [erased(links[0]), erased(links[1]), *links[2:]]
    check = ChainCheck()
    check.read(gone)
    assert check.end(head) is None
    assert (check.checked, check.erased) == (5, 2)


def test_an_erasure_explains_no_other_memory_and_nothing_after_it() -> None:
    """Falls without the ids in `ChainCheck._take`."""
    links, head = chain([event(), event(about="m2"), event(ERASED), event()])
    assert first_broken([links[0], erased(links[1]), *links[2:]], head).position == 2  # type: ignore[union-attr]
    far = chain([event(), event(ERASED), *[event(about="m2")] * LATE_MAX, event()])
    assert first_broken([*far[0][:-1], erased(far[0][-1])], far[1]).position == LATE_MAX + 3  # type: ignore[union-attr]


def test_the_erasure_of_a_project_explains_all_before_it() -> None:
    links, head = chain([event(), event("settings", None), event(PROJECT_ERASED, None)])
    assert first_broken([*map(erased, links[:2]), links[2]], head) is None


@given(EVENTS)
def test_a_readable_part_is_read_back(event: AuditEvent) -> None:
    assert event_of(event_text(event), event.about or "") == event


@pytest.mark.parametrize("salt", [b"a" * 16, b"b" * 16])
def test_two_salts_make_two_digests_of_one_event(salt: bytes) -> None:
    """Falls without the salt: what was erased could be guessed from its digest."""
    (link,) = chained(AuditHead(), [event()], AT, [salt])
    (other,) = chained(AuditHead(), [event()], AT, [b"c" * 16])
    assert link.sealed != other.sealed
