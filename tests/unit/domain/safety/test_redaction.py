"""Secrets do not get in; what only looks like one stays as it was said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.policy import PrivacyMode
from memory_layer.domain.safety.redaction import RedactionFinding, redact, redact_json
from tests.fuzzing import examples

PEM_BODY = "\n".join(["MIIEpAIBAAKCAQEA" + "x1Y2z3W4" * 6] * 3)


def pem(kind: str) -> str:
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}\n-----END {kind}PRIVATE KEY-----"


def glued(*parts: str) -> str:
    """A credential of no value, in parts, so that no scanner of this repository takes it for one of ours."""
    return "".join(parts)


ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef" * 4

TOKENS = (
    ("aws_access_key", glued("AKIA", "IOSFODNN7EXAMPLE")),
    ("aws_access_key", glued("ASIA", "IOSFODNN7EXAMPLE")),
    ("github_token", glued("ghp", "_", ALNUM[:36])),
    ("github_token", glued("gho", "_", ALNUM[:36])),
    ("github_token", glued("github", "_pat_", ALNUM, "_", ALNUM)),
    ("gitlab_token", glued("glpat", "-", ALNUM[:20])),
    ("slack_token", glued("xoxb", "-123456789012-1234567890123-", ALNUM[:24])),
    ("slack_token", glued("xapp", "-1-A012345-", ALNUM)),
    ("stripe_key", glued("sk", "_live_", ALNUM, ALNUM)),
    ("stripe_key", glued("rk", "_test_", ALNUM[:24])),
    ("stripe_key", glued("whsec", "_", ALNUM[:32])),
    ("google_api_key", glued("AIza", "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe")),
    ("google_token", glued("ya29", ".", ALNUM)),
    ("google_token", glued("GOCSPX", "-", ALNUM[:28])),
    ("openai_key", glued("sk", "-proj-", ALNUM, "_", ALNUM)),
    ("openai_key", glued("sk", "-", ALNUM, "A1b2C3d4")),
    ("anthropic_key", glued("sk", "-ant-api03-", ALNUM)),
    ("huggingface_token", glued("hf", "_", ALNUM[:34])),
    ("npm_token", glued("npm", "_", ALNUM[:36])),
    ("pypi_token", glued("pypi", "-AgEIcHlwaS5vcmc", ALNUM, ALNUM)),
    ("docker_token", glued("dckr", "_pat_", ALNUM[:27])),
    ("digitalocean_token", glued("dop", "_v1_", HEX)),
    ("vault_token", glued("hvs", ".", ALNUM)),
    ("shopify_token", glued("shpat", "_", HEX[:32])),
    ("databricks_token", glued("dapi", HEX[:32])),
    ("telegram_token", glued("123456789", ":AA", ALNUM[:33])),
    ("azure_secret", glued("abc", "8Q~", ALNUM[:34])),
    ("age_key", glued("AGE-SECRET-", "KEY-1", "Q" * 58)),
    (
        "jwt",
        glued("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"),
    ),
    ("sendgrid_key", glued("SG", ".", ALNUM[:22], ".", ALNUM, "abc")),
    ("twilio_key", glued("SK", HEX[:32])),
    ("square_token", glued("sq0", "csp-", ALNUM, "abc")),
    ("mailchimp_key", glued(HEX[:32], "-us", "12")),
    ("discord_token", glued("M", ALNUM[:23], ".", ALNUM[:6], ".", ALNUM[:38])),
    ("private_key", pem("RSA ")),
    ("private_key", pem("")),
    ("private_key", pem("OPENSSH ")),
    ("private_key", pem("EC ").replace("\n", "\\n")),
    ("card", "4111 1111 1111 1111"),
    ("card", "5500005555555559"),
    ("card", "3782-822463-10005"),
    ("iban", "DE89370400440532013000"),
    ("iban", "GB29 NWBK 6016 1331 9268 19"),
    ("iban", "BE68 5390 0754 7034"),
)


@pytest.mark.parametrize(("kind", "secret"), TOKENS, ids=[f"{kind}-{secret[:8]}" for kind, secret in TOKENS])
def test_a_secret_that_says_what_it_is_goes_whole_and_its_sentence_stays(kind: str, secret: str) -> None:
    redacted = redact(f"The staging job uses {secret}, as ever.", "secrets", pointer="/content")

    assert redacted.text == f"The staging job uses [REDACTED:{kind}], as ever."
    assert redacted.findings == (RedactionFinding("/content", kind, 1),)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("password=hunter2", "password=[REDACTED:password]"),
        ('password = "hunter2"', 'password = "[REDACTED:password]"'),
        ("Password: Tr0ub4dor&3", "Password: [REDACTED:password]"),
        ("my password is hunter2.", "my password is [REDACTED:password]."),
        ("the root password was changed to Xy7pqR", "the root password was changed to [REDACTED:password]"),
        ('password: str = "hunter2!"', 'password: str = "[REDACTED:password]"'),
        ('{"db_password": "hunter2!"}', '{"db_password": "[REDACTED:password]"}'),
        (r"{\"password\": \"hunter2!\"}", r"{\"password\": \"[REDACTED:password]\"}"),
        ("<password>hunter2!</password>", "<password>[REDACTED:password]</password>"),
        ("export DB_PASSWORD=correcthorse", "export DB_PASSWORD=[REDACTED:password]"),
        ('passphrase: "correct horse battery staple"', 'passphrase: "[REDACTED:password]"'),
        ("MYSQL_PASS=s3cr3tpw", "MYSQL_PASS=[REDACTED:password]"),
        ("password=12345678", "password=[REDACTED:password]"),
        ("api_key: 'abcdef123456'", "api_key: '[REDACTED:api_key]'"),
        ("apiKey=abcdef123456&page=2", "apiKey=[REDACTED:api_key]&page=2"),
        ("mem serve --token abc123def456", "mem serve --token [REDACTED:token]"),
        (f"client_secret={ALNUM}", "client_secret=[REDACTED:secret]"),
        (
            f"aws_secret_access_key = wJalrXUtnFEMI/{ALNUM[:26]}",
            "aws_secret_access_key = [REDACTED:secret]",
        ),
        ("Authorization: Bearer abc123def456", "Authorization: Bearer [REDACTED:authorization]"),
        (
            "-H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='",
            "-H 'Authorization: Basic [REDACTED:authorization]'",
        ),
        ("X-API-Key: 9f8e7d6c5b4a", "X-API-Key: [REDACTED:api_key]"),
        ("curl -u admin:S3cret99 https://db", "curl -u admin:[REDACTED:password] https://db"),
        ("postgres://app:s3cr3t@db:5432/x", "postgres://app:[REDACTED:url_password]@db:5432/x"),
        ("https://ann:p@ss@host.example/x", "https://ann:[REDACTED:url_password]@host.example/x"),
        (
            "mongodb+srv://ann:p/w@cluster.example",
            "mongodb+srv://ann:[REDACTED:url_password]@cluster.example",
        ),
        ("redis://:topsecret@cache:6379/0", "redis://:[REDACTED:url_password]@cache:6379/0"),
        (
            "Server=db;User ID=sa;Password=P@ssw0rd!;Encrypt=true",
            "Server=db;User ID=sa;Password=[REDACTED:password];Encrypt=true",
        ),
        (
            f"AccountName=x;AccountKey={ALNUM}{ALNUM}abcdef==;EndpointSuffix=y",
            "AccountName=x;AccountKey=[REDACTED:secret];EndpointSuffix=y",
        ),
        (
            f"https://x.blob/y?sv=2022&sig={ALNUM}abcd%3D",
            "https://x.blob/y?sv=2022&sig=[REDACTED:azure_signature]",
        ),
    ],
)
def test_a_secret_that_its_name_gives_away_goes_and_its_name_stays(text: str, clean: str) -> None:
    assert redact(text, "secrets").text == clean


@pytest.mark.parametrize(
    "text",
    [
        "password=None",
        "password: string;",
        "token: str",
        "token: String!",
        "secret_key: str | None = None",
        'def login(password: str, token: str = "") -> None',
        'api_key=os.environ["API_KEY"]',
        "api_key = settings.API_KEY_V2",
        "password=user_password",
        "password=hash_password(raw)",
        "password == other.password",
        "const token = await getToken();",
        'password = input("Password: ")',
        "password: <your password>",
        "api_key=YOUR_API_KEY",
        "password=%s",
        "password: ****",
        'password: "required"',
        "password: required, min 8 characters",
        "SECRET_KEY=change-me",
        'api_key="..."',
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "Bearer authentication is required",
        "max_tokens=256",
        "The access token is valid for 3600s",
        "token expires after 15m; token bucket: 100 per second",
        "the password is argon2id-hashed, the token is RS256-signed",
        "secretName: db-credentials",
        "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbCdEf",
        "token: https://auth.example.com/oauth2/token",
        "--password-file /run/secrets/db",
        "primary key: user_id, cache key: user:1234:profile_v2",
        "http://localhost:3000/users/@me and https://registry.example/@scope/pkg",
        "git@github.com:org/repo.git",
        "postgres://app:${DB_PASSWORD}@db/x",
        'publicKeyToken="1fc8b3b9a1e18e3b"',
        "version 1.2.3-rc1, 2024.10.1, numpy==1.26.4",
        "commit 9f86d081884c7d659a2feaa0c55ad0153f2a1b00 broke it",
        f"sha256:{HEX}",
        "550e8400-e29b-41d4-a716-446655440000",
        "mem_0190f2a0b7c87d2e9f1a2b3c4d5e6f70",
        f"integrity sha512-{ALNUM}{ALNUM}abcdef==",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 ann@laptop",
        "order 4111111111111112, epoch 1718000000000, ratio 0.4111111111111111",
        "DE89370400440532013001 is no account",
        "-----BEGIN PRIVATE KEY----- is how a PKCS#8 file begins",
        "scikit task-abcdefghijklmnopqrstuvwxyz1 in my_token_handler_for_refresh_requests",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text, "secrets").text == text


def test_a_private_key_that_was_cut_off_goes_as_far_as_it_looks_like_one() -> None:
    cut = pem("RSA ").rsplit("\n", 1)[0][:-20]

    assert redact(f"{cut}\n\nRotate it.", "secrets").text == "[REDACTED:private_key]\n\nRotate it."


def test_findings_count_by_kind() -> None:
    text = "password=hunter2 in dev, password=hunter3 in test, card 4111111111111111"

    assert redact(text, "secrets").findings == (
        RedactionFinding("", "card", 1),
        RedactionFinding("", "password", 2),
    )


PERSONAL = (
    ("email", "ann.lee+x@mail.example.co.uk"),
    ("phone", "+49 30 901820-12"),
    ("phone", "(212) 555-0187"),
    ("ip_address", "203.0.113.7"),
    ("ip_address", "2001:db8::8a2e:370:7334"),
)


@pytest.mark.parametrize(("kind", "value"), PERSONAL)
def test_personal_data_goes_only_where_a_project_asks_for_it(kind: str, value: str) -> None:
    text = f"Reach it under {value} at night."

    assert redact(text, "secrets").text == text
    assert redact(text, "personal").text == f"Reach it under [REDACTED:{kind}] at night."


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:org/repo.git",
        "binds to 127.0.0.1 and ::1, mask 255.255.255.0",
        "since version 4.18.2.1 on 2024-01-15 at 12:30:45",
        "std::vector and abc::def at lodash@4.17.21",
        "@app.get('/v1') took 1234567 rows",
    ],
)
def test_what_only_looks_personal_stays(text: str) -> None:
    assert redact(text, "personal").text == text


def test_refuse_finds_what_secrets_finds_and_off_finds_nothing() -> None:
    text = "password=hunter2, ann@mail.example.com"

    assert redact(text, "refuse").findings == redact(text, "secrets").findings
    assert redact(text, "off").text == text


FRAGMENTS = st.sampled_from(
    [
        *(secret for _, secret in TOKENS),
        *(value for _, value in PERSONAL),
        *(
            "password=",
            "token: ",
            'api_key: "',
            "://",
            "u:p@",
            "Bearer ",
            "-----BEGIN PRIVATE KEY-----",
            "[REDACTED:",
        ),
        *(
            "[REDACTED:card]",
            "hunter2",
            '"',
            "'",
            "\n",
            " ",
            "=",
            "@",
            "-",
            "4111",
            "\\",
            "é",
            "\ud800",
            "\x00",
        ),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(st.one_of(FRAGMENTS, st.text(max_size=5)), max_size=12).map("".join))
MODES = st.sampled_from(["secrets", "personal", "refuse", "off"])


@settings(max_examples=examples(300))
@given(TEXTS, MODES)
def test_redacting_never_raises_and_a_second_time_changes_nothing(text: str, mode: PrivacyMode) -> None:
    once = redact(text, mode)

    again = redact(once.text, mode)
    assert again.text == once.text
    assert again.findings == ()
    assert bool(once.findings) == (once.text != text)


REPEATED = (
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "-eyJaaaaaaaaaaaaa",
        "eyJaaaaaaaaaaaaa.",
        "://a:",
        "://a:a",
    ),
    *(
        "password=",
        'password: "',
        "password:a ",
        "password: str | None ",
        "token is ",
        "--token ",
        "access key ",
    ),
    *(
        "curl ",
        "authorization:bearer ",
        "AKIA",
        "xoxb-1-",
        "SG.",
        "4111 ",
        "DE89 3704 ",
        "+1 ",
        "1.",
        "a:",
        "a@a.",
    ),
    *("[REDACTED:", "[REDACTED:x]", "PuTTY-User-Key-File-2: x\nEncryption:", " ", "\\", "a", "-", "a-", "."),
)


@pytest.mark.parametrize("part", REPEATED)
@pytest.mark.parametrize("end", ["", "!"])
def test_the_longest_content_of_any_shape_is_read_in_linear_time(part: str, end: str) -> None:
    # 32 KiB of it hang this test for minutes where a pattern backtracks
    redact(part * (32_768 // len(part)) + end, "personal")


def test_json_is_redacted_in_depth_with_a_pointer_to_each_place() -> None:
    detail = {"runs": [{"log": "password=hunter2"}], "a/b": {"apiKey": "plain words"}, "count": 3, "ok": True}

    clean, findings = redact_json(detail, "secrets", pointer="/detail")

    assert clean == {
        "runs": [{"log": "password=[REDACTED:password]"}],
        "a/b": {"apiKey": "[REDACTED:api_key]"},
        "count": 3,
        "ok": True,
    }
    assert set(findings) == {
        RedactionFinding("/detail/runs/0/log", "password", 1),
        RedactionFinding("/detail/a~1b/apiKey", "api_key", 1),
    }


@pytest.mark.parametrize(
    "name", ["password", "db_password", "clientSecret", "GITHUB_TOKEN", "api-key", "pass"]
)
def test_a_text_under_the_name_of_a_secret_is_one_whatever_it_says(name: str) -> None:
    clean, findings = redact_json({name: "opensesame", "old": {name: ["one", "two"]}}, "secrets")

    assert "opensesame" not in json.dumps(clean)
    assert "two" not in json.dumps(clean)
    assert len(findings) == 3


@pytest.mark.parametrize(
    "harmless",
    [{"max_tokens": "many"}, {"token": "<token>"}, {"password": ""}, {"token": 256}, {"tokens": ["a"]}],
)
def test_other_names_and_stand_ins_are_no_secrets(harmless: dict[str, Any]) -> None:
    assert redact_json(harmless, "secrets") == (harmless, ())


def test_secrets_in_keys_go_too_and_no_value_is_lost() -> None:
    first, second = (glued("AKIA", "IOSFODNN7EXAMPL", letter) for letter in "EF")

    clean, findings = redact_json({first: 1, second: 2}, "secrets")

    assert clean == {"[REDACTED:aws_access_key]": 1, "[REDACTED:aws_access_key] 2": 2}
    assert all("AKIA" not in finding.pointer for finding in findings)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=examples(150))
@given(JSON)
def test_redacted_json_holds_nothing_more_to_redact(value: Any) -> None:
    clean, _ = redact_json(value, "secrets")

    assert redact_json(clean, "secrets") == (clean, ())
