"""The count of rounds by which the cloud's calls are judged: who waits, counts; who works beside, does not."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from memory_layer.adapters.process.request_threads import RequestThreads, ThreadsTogether
from tests.aws.waited_rounds import WaitedRounds, followed_through_threads
from tests.bench.cloud.engine_calls import empty_units


@pytest.fixture
def rounds() -> Iterator[WaitedRounds]:
    counted = WaitedRounds()
    with followed_through_threads(counted):
        yield counted


def requests(rounds: WaitedRounds, number: int) -> None:
    for _ in range(number):
        rounds.note()


def test_of_work_side_by_side_the_longest_counts(rounds: WaitedRounds) -> None:
    with RequestThreads(4) as threads:
        together = ThreadsTogether(threads)
        rounds.note()
        together.both(lambda: requests(rounds, 1), lambda: requests(rounds, 3))
        together.each([lambda number=number: requests(rounds, number) for number in (2, 1)])
    assert rounds.count == 1 + 3 + 2


def test_work_that_is_all_in_threads_counts_once_for_whoever_waits(rounds: WaitedRounds) -> None:
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: requests(rounds, 1), range(16)))
    assert rounds.count == 1


def test_a_thread_begins_where_its_work_was_given_to_it(rounds: WaitedRounds) -> None:
    """Falls where the count of the work before stays in a thread of a pool."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(requests, rounds, 9)
        threads.submit(requests, rounds, 1).result()
    assert rounds.count == 1


def test_what_nobody_waits_for_holds_up_nobody(rounds: WaitedRounds) -> None:
    is_over = Event()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(lambda: (requests(rounds, 5), is_over.set()))
        assert is_over.wait(10)
    assert rounds.count == 0


def test_work_that_fails_was_waited_for(rounds: WaitedRounds) -> None:
    def fail() -> None:
        rounds.note()
        raise ValueError("of the unexpected kind")

    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match="unexpected"):
        threads.submit(fail).result()
    assert rounds.count == 1


def test_futures_are_as_before_afterwards() -> None:
    before = Future.result, Future.__init__
    with followed_through_threads(WaitedRounds()):
        assert Future.result is not before[0]
    assert (Future.result, Future.__init__) == before


def test_reads_of_nothing_take_a_unit_each_and_half_of_one_where_they_may_lag() -> None:
    keys = {"Keys": [{"pk": {"S": str(number)}} for number in range(8)]}
    two = {"Responses": {"t": [{}, {}]}, "UnprocessedKeys": {"t": {"Keys": [{}]}}}
    assert empty_units("BatchGetItem", {"RequestItems": {"t": {**keys, "ConsistentRead": True}}}, two) == 5.0
    assert empty_units("BatchGetItem", {"RequestItems": {"t": keys}}, two) == 2.5
    assert empty_units("GetItem", {"ConsistentRead": True}, {}) == 1.0
    assert empty_units("GetItem", {}, {"Item": {}}) == 0.0
    assert empty_units("Query", {}, {"ScannedCount": 0, "Items": []}) == 0.5
    assert empty_units("Query", {}, {"ScannedCount": 3, "Items": []}) == 0.0
    assert empty_units("PutItem", {}, {}) == 0.0
