"""What says the same in other words, and what only shares them."""

from __future__ import annotations

import pytest

from memory_layer.domain.conflicts.paraphrase import PARAPHRASE_COSINE, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always start the linter before pushing.", "Don't forget to run the linter before you push."),
        ("Feature switches are kept in the vault.", "We store our feature switches in the vault."),
        ("The pump retries failed jobs three times.", "Jobs that fail are retried 3 times by the pump."),
        ("Deploys happen on Tuesdays.", "We deploy every Tuesday."),
        ("Use snake_case for the names of tables.", "Tables are named in snake_case."),
        ("Never commit keys to the repository.", "Keys must not be checked into the repo."),
        ("The lease lasts 60 seconds.", "The lease lasts 1 minute."),
        ("Vor jedem Merge laufen die Tests.", "Die Tests werden vor jedem Merge ausgeführt."),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert say_the_same(one, other, 0.85)
    assert say_the_same(other, one, 0.85)
    assert not say_the_same(one, other, PARAPHRASE_COSINE - 0.01)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Set `PUMP_LOG=1` to turn off the log of the pump.",
            "You can disable the pump log by setting `PUMP_LOG=1`.",
        ),
        ("Every Sunday night we wipe the test vault.", "The test vault is reset every Sunday night."),
        ("Set the `PUMP_DIR` environment variable to a folder.", "`PUMP_DIR` must be set to a directory."),
        (
            "In the mill, the state of a valve at one time is called a reading.",
            "A reading is the state of a valve at one time in the mill.",
        ),
        ("Jeden Montag werden die Berichte verschickt.", "Die Berichte werden jeden Montag versendet."),
    ],
)
def test_words_of_one_meaning_and_another_order_are_another_wording(one: str, other: str) -> None:
    """Falls where verbs are compared by their stems alone, or a sentence said anew may have no word more."""
    assert say_the_same(one, other, 0.92)
    assert say_the_same(other, one, 0.92)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In May the pump calls the valve twice.", "In May the valve calls the pump twice."),
        ("Clears all where clauses from the query.", "Clears all order clauses from the query."),
        ("Approve the given job if approval is pending.", "Reject the given job if approval is pending."),
        ("The format of log lines.", "The format of log lines of tasks."),
        ("Sent when the job has executed.", "Sent when the job has failed."),
        ("The pump log goes to the vault at 02:00+0200.", "The pump log goes to the vault at 02:00+0000."),
        ("The pump moves about 3900 crates.", "The pump moves about 3000 crates."),
        ("Empty the queue between two scenarios.", "Empty the queue only between two scenarios."),
        ("The user name of the mill server.", "The password of the mill server."),
        (
            "Lines of the pump are sent to the vault in March.",
            "Lines of the pump are received by the vault in March.",
        ),
        ("Log limit of the worker in lines.", "Log limit of the broker in lines."),
        ("The lease lasts 60 seconds.", "The lease lasts 90 seconds."),
        ("This handler speaks `HTTP/1.1` to hosts.", "This handler speaks `HTTP/2` to hosts."),
        ("The lock is taken.", "The lock is not taken."),
        ("Copies go from Oslo to Bergen.", "Copies go from Bergen to Oslo."),
        ("Run the seed before the migration.", "Run the seed after the migration."),
        ("The incoming rate is in bytes.", "The outgoing rate is in bytes."),
        ("Sent first to the broker and stored.", "Sent last to the broker and stored."),
        ("Keep the lock until the job ends.", "Keep the lock after the job ends."),
        ("The pump speaks level 1 to valves.", "The pump speaks level 1 or 2 to valves."),
        ("The broker log.", "The log of the broker is rotated daily."),
        ("not enough nodes in the cluster", "Node will not be able to be used within the cluster."),
    ],
)
def test_shared_words_are_not_enough(one: str, other: str) -> None:
    assert not say_the_same(one, other, 0.99)
    assert not say_the_same(other, one, 0.99)


def test_copies_say_the_same_whatever_they_are() -> None:
    assert say_the_same("Ja.", "Ja.", 0.1)
