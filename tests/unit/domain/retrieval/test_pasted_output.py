from __future__ import annotations

import json

import pytest

from memory_layer.domain.retrieval.pasted_output import without_output

PYTHON = """Why does the worker stop?
Traceback (most recent call last):
  File "/srv/app/main.py", line 88, in run
    result = handler(event)
             ^^^^^^^^^^^^^^
  File "/srv/app/orders.py", line 12, in handler
    raise PoolTimeout(limit)
orders.PoolTimeout: no connection within 30 s"""
JAVASCRIPT = """TypeError: Cannot read properties of undefined (reading 'id')
    at handler (/srv/app/src/index.ts:14:9)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)"""
JAVA = """java.lang.IllegalStateException: Pool is closed
\tat com.shop.Pool.take(Pool.java:41)
\tat com.shop.Orders.run(Orders.java:12)
\t... 12 more
Caused by: java.net.ConnectException: Connection refused"""
GO = """panic: runtime error: index out of range [3]
goroutine 1 [running]:
main.take(...)
\t/srv/app/main.go:12 +0x1d"""


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        (PYTHON, "Why does the worker stop?\norders.PoolTimeout: no connection within 30 s"),
        (JAVASCRIPT, "TypeError: Cannot read properties of undefined (reading 'id')"),
        (
            JAVA,
            "java.lang.IllegalStateException: Pool is closed\nCaused by: java.net.ConnectException: Connection refused",
        ),
        (GO, "panic: runtime error: index out of range [3]\nmain.take(...)"),
    ],
)
def test_of_a_stack_trace_the_messages_are_left(pasted: str, said: str) -> None:
    assert without_output(pasted) == said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "2026-11-30T21:12:33.123Z ERROR [worker-3] req=8f3a91cc orders: pool is closed",
            "orders: pool is closed",
        ),
        ("2026-11-30 21:12:33,123 - WARN  [main] - Interrupting worker", "Interrupting worker"),
        ("[Mon Dec 05 04:13:54 2005] [error] child in error state 6", "child in error state 6"),
        (
            "Dec 10 10:57:15 web sshd[25045]: Failed password from 183.62.140.253 port 36644",
            "web sshd : Failed password from port",
        ),
        (
            "2026-11-30 21:12:33.123 2931 ERROR shop.pool [req-8f3a91cc - -] Failed in take: PoolError: closed",
            "PoolError: closed",
        ),
        ("Jul  3 16:05:45 web-1 backupd[215]: PoolError: closed", "PoolError: closed"),
        ('time="2026-11-30T21:12:33Z" level=error msg="connection refused"', '"connection refused"'),
        (
            "E1130 21:12:33.123456       1 watch.go:123] Failed: unauthorized",
            "1 watch.go:123] Failed: unauthorized",
        ),
        (
            json.dumps(
                {"level": "error", "pid": 4711, "err": {"type": "PoolTimeout", "message": "no connection"}}
            ),
            "PoolTimeout no connection",
        ),
    ],
)
def test_of_a_line_of_a_log_the_message_is_left(line: str, said: str) -> None:
    assert without_output(line) == said


def test_of_a_log_with_errors_these_are_left() -> None:
    log = "\n".join(
        (
            "What is this?",
            "2026-11-30 21:12:31,123 INFO  orders: took batch 8311",
            "2026-11-30 21:12:32,123 WARN  orders: disk is full",
            "2026-11-30 21:12:33,123 FATAL orders: job failed",
            '{"level": 30, "msg": "took batch 8312"}',
            '{"level": 50, "msg": "no batch"}',
        )
    )
    assert without_output(log) == "What is this?\norders: job failed\nno batch"
    assert without_output(log.replace("FATAL", "INFO").replace("50", "30")).count("orders") == 3


@pytest.mark.parametrize(
    "question",
    [
        "Why does the backup of 02:00:00 run twice?",
        "What is at /srv/app/main.go:12 for?",
        '{"task": "rename the column"}',
        "{ not json",
        '{"error": "", "question": "how are refunds paid?", "name": "x"}',
        '{"type": "object", "error": {"retries": {"type": "integer"}}}',
        '{"level": ["a"], "text": "b"}',
        "2026-11-12 10:00:00 why was the pool exhausted?",
        "10:00:00 our deploy, what does the runbook say of rollback?",
        "Agenda:\n  at the office (3rd floor)\n  at Anna's home (Berlin)\nWhich address is ours?",
        "It stops:\n    at run (/srv/app/src/index.ts:14:9)\nwhat is there?",
        "- run the tests\n- at noon, deploy",
        "2026-11-30T21:12:33Z",
        "  spaces stay  ",
        "",
    ],
)
def test_another_question_stays_as_it_is(question: str) -> None:
    assert without_output(question) == question


@pytest.mark.parametrize(
    "text", ["10:00:00 " + "a=" * 4_000, "1" * 9_000, "10:00:00 " + "[" * 9_000, '{"error":' * 9_000]
)
def test_a_hostile_text_is_read_to_its_end(text: str) -> None:
    assert without_output(text)
