from __future__ import annotations

import pytest

from memory_layer.domain.retrieval.asked_part import asked_part

ASKED = "which branch is deployed"


@pytest.mark.parametrize(
    "question",
    [
        f"Hi, quick one: {ASKED}, thanks!",
        f"Hey! Sorry to bother you, I was wondering whether you happen to know {ASKED}.",
        f"Could somebody please tell me {ASKED}",
        f"@bot {ASKED} pls",
        f"Hallo, kurze Frage: {ASKED}, danke!",
    ],
)
def test_a_question_is_asked_without_courtesies(question: str) -> None:
    assert asked_part(question).rstrip(".") == ASKED


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("I looked into the code. Who deploys hotfixes? Keep it short.", "Who deploys hotfixes?"),
        ("The queue is full. Who deploys hotfixes?", "The queue is full. Who deploys hotfixes?"),
        ("My pod of 4 GB dies. Who restarts pods?", "My pod of 4 GB dies. Who restarts pods?"),
        ("I renamed the queue. Who deploys its hotfixes?", "I renamed the queue. Who deploys its hotfixes?"),
        ("I see a timeout at night. Any ideas?", "I see a timeout at night."),
        ("Who deploys hotfixes? Thanks in advance.", "Who deploys hotfixes?"),
    ],
)
def test_asides_beside_a_whole_question_are_left_out(question: str, part: str) -> None:
    """Falls where a fact beside a question, or what the question points back to, is an aside."""
    assert asked_part(question) == part


@pytest.mark.parametrize(
    ("task", "part"),
    [
        ("Read the code. The task: mend the pool. Then run the checks.", "mend the pool."),
        ("# Task\n\nMend the pool\n\n## Background\n\nIt broke on Monday.", "Mend the pool"),
        ("**Aufgabe**\nDen Pool heilen", "Den Pool heilen"),
        ("No task is left.\nMend the pool.", "No task is left. Mend the pool."),
    ],
)
def test_a_label_says_what_the_task_is(task: str, part: str) -> None:
    assert asked_part(task) == part


@pytest.mark.parametrize(
    ("named", "part"),
    [
        ("We see a PoolError, and a ReadTimeout.", "PoolError ReadTimeout"),
        ("We found that `max_size` limits nothing, and restarted it.", "that `max_size` limits nothing"),
        ("The pool of 4711 orders is full.", None),
    ],
)
def test_a_long_task_is_asked_by_what_it_names_exactly(named: str, part: str | None) -> None:
    """Falls where a long task is asked by all of it, or a short question by what it names alone."""
    around = "The nightly job of the orders service fails and was restarted twice by the engineer on call."
    task = f"{around} {named} {around} Find the cause, mend it and tell the team about it."
    assert asked_part(task) == (part or task)
    assert asked_part(named) == named


@pytest.mark.parametrize(
    "question", ["Thanks in advance!", "Hello?", "", "hello world in C", "What is a task?"]
)
def test_what_would_be_left_out_whole_is_asked_as_it_is(question: str) -> None:
    assert asked_part(question) == question


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How do I deploy the service? Do not restart the database.", "Do not restart the database."),
        ("How do I run the tests? Avoid the slow ones.", "Avoid the slow ones."),
        ("How do I set retries? Run migrations in the pipeline without downtime.", "without downtime"),
        ("How do I rotate the signing keys? We only use my laptop without Docker.", "without Docker"),
        ("Task: deploy the service\nConstraint: without downtime\nRegion: Frankfurt", "Region: Frankfurt"),
        ("# Goal\nMigrate billing.\n**Limits**\nNo downtime allowed.", "No downtime allowed."),
        (
            "My question: is the cache shared? The other problem: why does login fail without cookies?",
            "why does login",
        ),
        ("Problem: the build fails. It happens only when I use pnpm without hoisting.", "without hoisting"),
        ("Can you give write access to contractors", "give write access"),
        ("Could anyone help desk agents reset passwords", "help desk agents"),
        ("What does the greeting service say, thanks to the cache", "thanks to the cache"),
    ],
)
def test_what_limits_a_question_stays(question: str, kept: str) -> None:
    assert kept in asked_part(question)


@pytest.mark.parametrize("order", ["Do not explain.", "Answer only in German."])
def test_the_form_of_the_answer_limits_no_question(order: str) -> None:
    assert asked_part(f"Who deploys hotfixes? {order}") == "Who deploys hotfixes?"
