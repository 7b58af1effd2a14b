"""Secrets that a command, a netrc file, a cookie, a number or a base64 block holds; and what only looks like one."""

from __future__ import annotations

import json
from base64 import b64encode, encodebytes
from importlib.resources import files
from typing import Any

import pytest

from memory_layer.domain.safety.redaction import RedactionFinding, redact, redact_json

BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj" * 4


def block(kind: str) -> bytes:
    return f"-----BEGIN {kind}-----\n{BODY}\n-----END {kind}-----\n".encode()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mysql -uroot -pS3cr3tP4ss db", "mysql -uroot -p[REDACTED:password] db"),
        ("mysqldump -pcorrecthorse shop", "mysqldump -p[REDACTED:password] shop"),
        ("mariadb-dump -u root -p'S3cr3t!' shop", "mariadb-dump -u root -p'[REDACTED:password]' shop"),
        ("sshpass -p hunter2! ssh box", "sshpass -p [REDACTED:password] ssh box"),
        ("AZURE_DEVOPS_EXT_PAT=0wr1e7x4emnhgnswrp1o97aa16", "AZURE_DEVOPS_EXT_PAT=[REDACTED:secret]"),
        ("docker login -u bob -p S3cr3t99 reg", "docker login -u bob -p [REDACTED:password] reg"),
        ("redis-cli -a s3cretpw ping", "redis-cli -a [REDACTED:password] ping"),
        (
            "machine api.x.io login bob password s3cr3tpw",
            "machine api.x.io login bob password [REDACTED:password]",
        ),
        (
            "machine api.x.io\n  login bob\n  password correcthorse",
            "machine api.x.io\n  login bob\n  password [REDACTED:password]",
        ),
        (
            "Cookie: session=9f8e7d6c5b4a39281706; theme=dark2024x",
            "Cookie: session=[REDACTED:cookie]; theme=dark2024x",
        ),
        (
            "Set-Cookie: JSESSIONID=AB12CD34EF56; Path=/; HttpOnly",
            "Set-Cookie: JSESSIONID=[REDACTED:cookie]; Path=/; HttpOnly",
        ),
        ('{"Cookie": "auth_token=abc123def456"}', '{"Cookie": "auth_token=[REDACTED:cookie]"}'),
        (
            "curl --cookie 'connect.sid=s%3Aabc123def456' x",
            "curl --cookie 'connect.sid=[REDACTED:cookie]' x",
        ),
    ],
)
def test_what_a_program_is_handed_goes(text: str, clean: str) -> None:
    """Falls without `presented_credentials`."""
    assert redact(text, "secrets").text == clean


@pytest.mark.parametrize(
    "kind", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_a_private_key_in_base64_goes_whole(kind: str) -> None:
    """Falls without `encoded_private_keys`."""
    flat, wrapped = b64encode(block(kind)).decode(), encodebytes(block(kind)).decode()
    assert redact(f"client-key-data: {flat}\nRotate it.", "secrets").text == (
        "client-key-data: [REDACTED:private_key]\nRotate it."
    )
    assert redact(f"key:\n{wrapped}Rotate it.", "secrets").text == "key:\n[REDACTED:private_key]\nRotate it."
    assert redact(f"cut {flat[:70]}", "secrets").text == "cut [REDACTED:private_key]"


@pytest.mark.parametrize(
    "text",
    [
        f"certificate-authority-data: {b64encode(block('CERTIFICATE')).decode()}",
        "A key in base64 begins with LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t",
        "mysql -u root -p shop",
        'mysql -uroot -p"$MYSQL_PWD" shop',
        "mysql -uroot -p<password> shop",
        "docker run -p 8080:80 mysql",
        "the machine has a default login, password required at the first start",
        "Set-Cookie: session=<id>; SameSite=Lax",
        "Cookie: theme=dark2024x; lang=en-GB; sidebar_width=240pxabc1",
        "Set-Cookie: session=abc; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=86400",
        "The cookie: session cookies are HttpOnly; csrf=double submit",
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert redact(text, "secrets").text == text


def test_a_number_is_read_as_its_text() -> None:
    """Falls without `_redacted_number`."""
    detail = {
        "card": 4111111111111111,
        "as_float": 4111111111111111.0,
        "api_key": 1234567890123456,
        "password": 81726354,
        "rows": [{"pwd": 4711}],
    }
    clean, findings = redact_json(detail, "secrets")
    assert clean == {
        "card": "[REDACTED:card]",
        "as_float": "[REDACTED:card]",
        "api_key": "[REDACTED:api_key]",
        "password": "[REDACTED:password]",
        "rows": [{"pwd": "[REDACTED:password]"}],
    }
    assert RedactionFinding("/rows/0/pwd", "password", 1) in findings


@pytest.mark.parametrize(
    "harmless",
    [
        {"token": 4096, "max_tokens": 200_000, "tokens": 12_345_678_901},
        {"password": True, "secret": None, "api_key": 0, "pass": 12},
        {"epoch_ms": 1_718_000_000_000, "order": 4111111111111112, "ratio": 0.4111111111111111},
        {"password": 0.75, "token": -12_345_678},
        {"n": 1e300, "precise": 1234567.25},
    ],
)
def test_other_numbers_stay_numbers(harmless: dict[str, Any]) -> None:
    assert redact_json(harmless, "secrets") == (harmless, ())


def test_the_demonstration_holds_nothing_that_looks_secret() -> None:
    memories = json.loads((files("memory_layer.local") / "demo_memories.json").read_text("utf-8"))
    assert len(memories) > 50
    assert redact_json(memories, "secrets")[1] == ()


@pytest.mark.parametrize(
    "part",
    [
        *("mysql ", "mysql -p", "mysql  -p ", "sshpass -p ", "redis-cli -a ", "machine a login b "),
        *("machine a ", "Cookie: ", "cookie:session=", "cookie: a", "--cookie sid=", "LS0tLS1CRUdJTi"),
        *("LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1J\n", "docker login -p"),
    ],
)
def test_the_longest_content_of_any_shape_is_read_in_linear_time(part: str) -> None:
    # 32 KiB of it hang this test for minutes where a pattern backtracks
    redact(part * (32_768 // len(part)), "secrets")
