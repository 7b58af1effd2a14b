"""Secrets that no name stands beside, or that are cut in pieces."""

from __future__ import annotations

from base64 import b64encode

import pytest

from memory_layer.domain.safety.redaction import RedactionFinding, redact, redact_json

ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef" * 4
LOGIN = b64encode(b"deploy:S3cretPw").decode()


def glued(*parts: str) -> str:
    """Credential of no value, in parts, so that no scanner of this repository takes it for one of ours."""
    return "".join(parts)


KEY_OF_AWS = glued("/bPx7", "RfiC9yEXwJa4lrXUt2nF", "EMI/K7MD3ENG+z5")
GITHUB = glued("ghp", "_", ALNUM[:36])


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("jdbc:oracle:thin:app/bluewhale@db:1521:x", "jdbc:oracle:thin:app/[REDACTED:password]@db:1521:x"),
        ("sqlplus app/bluewhale@orcl", "sqlplus app/[REDACTED:password]@orcl"),
        ("app:bluewhale@tcp(10.0.0.5:3306)/shop", "app:[REDACTED:password]@tcp(10.0.0.5:3306)/shop"),
        (
            "host=db dbname=shop user=app password=bluewhale sslmode=require",
            "host=db dbname=shop user=app password=[REDACTED:password] sslmode=require",
        ),
        ("Server=db;User ID=sa;Password=bluewhale;", "Server=db;User ID=sa;Password=[REDACTED:password];"),
        (
            "jdbc:mysql://db/x?user=a&password=bluewhale",
            "jdbc:mysql://db/x?user=a&password=[REDACTED:password]",
        ),
        ("curl -u ann:bluewhale https://ci", "curl -u ann:[REDACTED:password] https://ci"),
        (
            "curl -sS --user 'ann:bluewhale' https://ci",
            "curl -sS --user 'ann:[REDACTED:password]' https://ci",
        ),
        ("curl -uann:bluewhale https://ci", "curl -uann:[REDACTED:password] https://ci"),
        ("http -a ann:bluewhale GET https://ci", "http -a ann:[REDACTED:password] GET https://ci"),
        (
            "wget --user=a --password=bluewhale https://ci",
            "wget --user=a --password=[REDACTED:password] https://ci",
        ),
        ("machine ci login ann password whale", "machine ci login ann password [REDACTED:password]"),
        ("default login ann password whale", "default login ann password [REDACTED:password]"),
        ("db.internal:5432:shop:app:bluewhale", "db.internal:5432:shop:app:[REDACTED:password]"),
        (glued("ann:$apr1", f"${ALNUM[:8]}${ALNUM[8:30]}"), "ann:$apr1$[REDACTED:password_hash]"),
        (glued("ann:$2y$10", f"${ALNUM}{ALNUM[:13]}"), "ann:$2y$[REDACTED:password_hash]"),
        (glued("ann:{SH", f"A}}{ALNUM[:27]}="), "ann:{SHA}[REDACTED:password_hash]"),
        (
            f'{{"auths": {{"r.io": {{"auth": "{LOGIN}"}}}}}}',
            '{"auths": {"r.io": {"auth": "[REDACTED:authorization]"}}}',
        ),
        (f"https://{HEX[:32]}@o12.ingest.sentry.io/7", "https://[REDACTED:url_token]@o12.ingest.sentry.io/7"),
        (
            f"https://discord.com/api/webhooks/1234567890123456789/{ALNUM}{ALNUM[:28]}",
            "https://discord.com/api/webhooks/1234567890123456789/[REDACTED:discord_webhook]",
        ),
        (
            f"https://x.webhook.office.com/webhookb2/{HEX[:36]}@{HEX[:36]}/IncomingWebhook/{HEX[:32]}/{HEX[:36]}",
            f"https://x.webhook.office.com/webhookb2/{HEX[:36]}@{HEX[:36]}/IncomingWebhook/[REDACTED:teams_webhook]",
        ),
        ("- **DD_API_KEY**: `0a1b2c3d4e5f`", "- **DD_API_KEY**: `[REDACTED:api_key]`"),
        ("| api key | 0a1b2c3d4e5f |", "| api key | [REDACTED:api_key] |"),
    ],
)
def test_a_password_goes_where_only_a_password_can_stand(text: str, clean: str) -> None:
    """Falls without `connection_strings`, `password_files` or the separators of `credentials`."""
    assert redact(text, "secrets").text == clean


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("the password for staging is hunter2", "the password for staging is [REDACTED:password]"),
        (
            "The password for the staging box is swordfish.",
            "The password for the staging box is [REDACTED:password].",
        ),
        ("das Passwort für Staging lautet hunter2", "das Passwort für Staging lautet [REDACTED:password]"),
        (
            "Das Kennwort vom Testserver lautet Sommer",
            "Das Kennwort vom Testserver lautet [REDACTED:password]",
        ),
        ("der API-Schlüssel für Acme ist 0a1b2c3d", "der API-Schlüssel für Acme ist [REDACTED:api_key]"),
        ("our API key for Acme is 0a1b2c3d4e", "our API key for Acme is [REDACTED:api_key]"),
        ("log in as root with password Xy7pqRt", "log in as root with password [REDACTED:password]"),
        ("credentials: admin / Xy7pqRt", "credentials: admin / [REDACTED:password]"),
        ("Zugangsdaten: admin / Xy7pqRt", "Zugangsdaten: admin / [REDACTED:password]"),
        ("the PIN for the safe is 482913", "the PIN for the safe is [REDACTED:password]"),
    ],
)
def test_a_secret_that_a_sentence_tells_goes(text: str, clean: str) -> None:
    """Falls without `spoken_secrets`."""
    assert redact(text, "secrets").text == clean


@pytest.mark.parametrize(
    "text",
    [
        "Le mot de passe de la base est {}.",
        "mdp : {}",
        "La contraseña del servidor es {}.",
        "La password del server è {}, poi si cambia.",
        "A senha do banco é {}.",
        "Het wachtwoord van de server is {}.",
        "Hasło do serwera to {}.",
        "Heslo k serveru je {}",
        "Lösenordet till servern är {}.",
        "Пароль от сервера: {}",
        "**Пароль:** `{}`",
        "Mật khẩu máy chủ là {}.",
        "服务器密码是{}。",
        "密码：{}",
        "パスワードは{}です",
        "비밀번호는 {} 입니다",
        "[db]\npass = {}",
        'psk="{}"',
        "ENV DB_PASSWORD {}",
        "config.secret_key_base = '{}'",
        "ConvertTo-SecureString '{}' -AsPlainText",
        "snmpwalk -v3 -A {} -l authPriv host",
        "x11vnc -passwd {}",
        "/msg NickServ IDENTIFY {}",
    ],
)
@pytest.mark.parametrize("secret", ["hunterblue9", "aZ7!kQ2mP9"])
def test_a_password_told_in_another_language_or_place_goes(text: str, secret: str) -> None:
    """Falls without `_told_elsewhere`, or the place in `_PLACES`."""
    clean = redact(text.format(secret), "secrets").text
    assert secret not in clean
    assert "[REDACTED:" in clean
    assert clean.startswith(text.partition("{}")[0])


@pytest.mark.parametrize(
    "text",
    [
        "La contraseña es almacenada con sha256 y sal.",
        "La clave es Ed25519PublicKey, en la tabla user_id2.",
        "Le mot de passe est haché avec bcrypt2b.",
        "Mot de passe: 8 caracteres, 1 majuscule.",
        "Le jeton est valable 30min.",
        "A chave é composta por tenant_id2.",
        "Het wachtwoord is verlopen na 90dagen.",
        "Ключ - это Ed25519PublicKey.",
        "senha: z.string().min(6)",
        "密码是SHA256加密的，密码长度是8到16位",
        "パスワードは${PASSWORD_MIN_LENGTH}文字以上",
        "비밀번호는 8자 이상이어야 합니다.",
        "always show password for URLs (Ann) [#12420](https://github.com/a/b/pull/12420)",
        "pass = compute(1)",
        "snmpwalk -v3 -a SHA -l authPriv host",
    ],
)
def test_what_another_language_says_of_passwords_stays(text: str) -> None:
    assert redact(text, "secrets").text == text


@pytest.mark.parametrize(
    "cut",
    [
        f"value: {GITHUB[:20]}\n    {GITHUB[20:]}",
        f"value: {GITHUB[:9]}\n{GITHUB[9:30]}\n{GITHUB[30:]}",
        f"value: {GITHUB[:20]}\\\n{GITHUB[20:]}",
        f'"{GITHUB[:7]}" + "{GITHUB[7:]}"',
        f"'{GITHUB[:7]}' . '{GITHUB[7:]}'",
        f'"{GITHUB[:7]}"\n  "{GITHUB[7:]}"',
        f"{GITHUB[:12]}\u200b{GITHUB[12:]}",
        "\u200b".join(GITHUB),
        f"{GITHUB[:12]}\u00ad{GITHUB[12:]}",
    ],
)
def test_a_token_in_pieces_goes_whole(cut: str) -> None:
    """Falls without `split_tokens`."""
    clean = redact(f"{cut}\nnext: step", "secrets").text

    assert "[REDACTED:github_token]" in clean
    assert clean.endswith("\nnext: step")
    assert not any(GITHUB[at : at + 4] in clean for at in range(4, len(GITHUB) - 4))


def test_the_line_behind_a_whole_token_stays() -> None:
    text = f"token:\n{GITHUB}\nThe second line, and host2 in it\n{GITHUB}\nthanks"
    kept = "[REDACTED:github_token]\nThe second line, and host2 in it\n[REDACTED:github_token]\nthanks"
    assert redact(text, "secrets").text == f"token:\n{kept}"


@pytest.mark.parametrize(
    "text",
    [
        f"it is {KEY_OF_AWS} here",
        f"aws_secret_access_key = {KEY_OF_AWS}",
        f"?q={KEY_OF_AWS}&page=2",
        f'"{KEY_OF_AWS}"',
    ],
)
def test_a_secret_access_key_goes_also_where_it_begins_with_a_slash(text: str) -> None:
    """Falls without `is_key_of_aws`."""
    assert redact(text, "secrets").text == text.replace(KEY_OF_AWS, "[REDACTED:secret]")


@pytest.mark.parametrize(
    ("kind", "token"),
    [
        ("pulumi_token", glued("pul", "-", HEX[:40])),
        ("figma_token", glued("figd", "_", ALNUM)),
        ("resend_key", glued("re", "_", ALNUM[:8], "_", ALNUM[:24])),
        ("newrelic_key", glued("NRII", "-", ALNUM[:32])),
        ("nuget_key", glued("oy2", HEX[:43])),
        ("onepassword_key", glued("A3", "-ABCDE1-ABCDE1-ABC12-ABC12-ABC12-ABC12")),
        ("neon_key", glued("napi", "_", HEX)),
        ("honeycomb_key", glued("hcaik", "_", HEX[:58])),
        ("clickup_token", glued("pk", "_12345678_", ALNUM[:32].upper())),
        ("fireworks_key", glued("fw", "_", ALNUM[:24])),
        ("elevenlabs_key", glued("sk", "_", HEX[:48])),
        ("firecrawl_key", glued("fc", "-", HEX[:32])),
        ("together_key", glued("tgp", "_v1_", ALNUM, "xyz")),
        ("launchdarkly_key", glued("sdk", "-550e8400-e29b-41d4-a716-446655440000")),
        ("api_key", glued("sk", "-lf-550e8400-e29b-41d4-a716-446655440000")),
        ("api_key", glued("sk", "-helicone-", "aB3dE5f-gH7jK9m-nP2qR4t-vW6xY8z")),
        ("paddle_key", glued("pdl", "_live_apikey_", HEX[:26], "_", ALNUM[:22], "_aB3")),
        ("azure_key", glued(ALNUM, ALNUM)[:52] + glued("JQQJ9", "9BCACAAAAAAAAAAAAASAZDOBucT")),
        ("azure_key", glued(ALNUM, ALNUM)[:42] + glued("AzSe", "D1x2y3")),
        ("bitbucket_token", glued("ATBB", ALNUM[:32])),
        ("artifactory_token", glued("cmVmd", (ALNUM + ALNUM)[:59])),
        ("google_api_key", glued("AQ", ".Ab8R", ALNUM)),
        ("cursor_key", glued("crsr", "_", HEX)),
        ("zoho_token", glued("1000", ".", HEX[:32], ".", HEX[:32])),
        ("voiceflow_key", glued("VF", ".DM.", HEX[:24], ".", ALNUM[:16])),
        ("scrapfly_key", glued("scp", "-live-", HEX[:32])),
        ("facebook_token", glued("123456789012345", "|", ALNUM[:27])),
        ("salesforce_token", glued("00D5g000004abcd", "!", ALNUM, ALNUM)),
        ("token", glued("cal", "_live_", HEX[:32])),
        ("token", glued("signkey", "-prod-", HEX)),
        ("token", glued("polar", "_oat_", ALNUM)),
        ("token", glued("m0", "-", ALNUM)),
        ("token", glued("acme", "_live_", ALNUM)),
        ("token", glued("wxyz", "_", ALNUM)),
    ],
)
def test_a_token_of_a_known_issuer_or_one_that_says_what_it_is_goes(kind: str, token: str) -> None:
    """Falls without its line in `TOKEN_SHAPES`, or without `DECLARED_SHAPES`."""
    assert redact(f"It is {token}, as ever.", "secrets").text == f"It is [REDACTED:{kind}], as ever."


SEED = "legal winner thank year wave sausage worth useful legal winner thank yellow"


@pytest.mark.parametrize(
    "written",
    [
        SEED,
        SEED.upper(),
        SEED.replace(" ", ", "),
        " ".join(f"{n}. {w}" for n, w in enumerate(SEED.split(), 1)),
    ],
)
def test_a_seed_phrase_goes_however_it_is_written(written: str) -> None:
    """Falls without `seed_phrases`; the phrase is the public test vector of BIP-39."""
    clean = redact(f"We wrote down: {written}", "secrets")
    assert clean.findings == (RedactionFinding("", "seed_phrase", 1),)
    assert "sausage" not in clean.text.lower()


def test_words_of_the_list_are_a_seed_phrase_only_with_their_checksum_or_by_their_name() -> None:
    words = SEED.replace("yellow", "zoo")
    assert redact(words, "secrets").text == words
    assert redact(f"seed phrase: {words}", "secrets").text == "seed phrase: [REDACTED:seed_phrase]"


@pytest.mark.parametrize(
    "text",
    [
        "the password for staging is required",
        "The password for the database is wrong, and the token is invalid.",
        "das Passwort für Staging ist falsch",
        "PyPI takes no user and password anymore, instead you need a token",
        "the PIN of the LED is 13, and pin 4711 is no pin",
        "the secret for the job is stored in Vault",
        "connect(host=host, user=user, password=pw, port=5432)",
        "host=db user=app password=$DB_PASSWORD",
        "curl -u user:password https://ci and curl -u $USER:$PASS https://ci",
        "curl -u <user>:<token> https://ci",
        "docker run -u 1000:1000 image",
        "src/main.c:1234:12:warning: unused",
        "see http://localhost:8080\nann@mail.example wrote it",
        f"git fetch\n{HEX[:40]}\nsha256:{HEX}\n550e8400-e29b-41d4-a716-446655440000",
        "usr/share/Docs2/Api/V1/Reference/Index/X9",
        "TestThatGetV1UserReturns404WhenItIsGone1",
        "webpack:/chunk-vendors-a1b2c3d4.js, task_0190f2a0b7c87d2e9f1a2b3c4d5e6f70",
        "Version 1.2.3\n4.5.6-rc1\nv7.8.9",
        "Authorization: Basic auth is off; credentials: see the wiki / handbook",
        "this will make good people come that never call about water until spring",
    ],
)
def test_what_only_looks_like_a_hidden_secret_stays(text: str) -> None:
    assert redact(text, "secrets").text == text


@pytest.mark.parametrize(
    "text",
    [
        "order 4111111111111111 was shipped",
        "Bestellung 5500005555555559 ist bezahlt",
        "the trace id is 4012888888881881",
        "order_id=4111111111111111",
        "it took 4111111111111111 ns",
    ],
)
def test_a_number_that_is_called_something_else_is_no_card(text: str) -> None:
    """Falls without `is_number_of_a_thing`."""
    assert redact(text, "secrets").text == text


def test_a_card_stays_one_beside_an_order_and_a_key_says_what_a_number_is() -> None:
    """Falls without `_CARD_WORD`, or where the name of a number is not asked."""
    assert redact("order 7 paid by card 4111111111111111", "secrets").findings[0].kind == "card"
    detail = {"order_id": 4111111111111111, "pan": 4111111111111111}
    assert redact_json(detail, "secrets")[0] == {"order_id": 4111111111111111, "pan": "[REDACTED:card]"}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Ann has 212-45-6789 there", "Ann has [REDACTED:national_id] there"),
        ("SSN: 212456789", "SSN: [REDACTED:national_id]"),
        ("Steuer-ID: 12 345 678 901", "Steuer-ID: [REDACTED:national_id]"),
        ("her passport number is C01X00T47", "her passport number is [REDACTED:passport]"),
        ("Reisepassnummer: C01X00T47", "Reisepassnummer: [REDACTED:passport]"),
        ("date of birth: 1984-03-12", "date of birth: [REDACTED:birth_date]"),
        ("Ann was born on March 12, 1984 in Bonn", "Ann was born on [REDACTED:birth_date] in Bonn"),
        ("Ann, geboren am 12. März 1984, wohnt hier", "Ann, geboren am [REDACTED:birth_date], wohnt hier"),
        ("Geburtsdatum: 12.03.1984", "Geburtsdatum: [REDACTED:birth_date]"),
    ],
)
def test_papers_go_only_where_a_project_asks_for_it(text: str, clean: str) -> None:
    """Falls without `identity_papers`."""
    assert redact(text, "personal").text == clean
    assert redact(text, "secrets").text == text


@pytest.mark.parametrize(
    "text",
    [
        "released on 2024-03-12, due on 12.03.2024",
        "the project was born in 2019",
        "000-12-3456 is no number, nor is 666-12-3456, nor 2024-01-1234",
        "passport.js is the library, the pass number is 3",
    ],
)
def test_what_only_looks_like_papers_stays(text: str) -> None:
    assert redact(text, "personal").text == text


@pytest.mark.parametrize(
    "part",
    [
        *(
            "curl -u a:b ",
            "http -a ",
            "sqlplus a",
            "a:b@tcp",
            "host=a password=",
            "://a1",
            "machine a login b ",
        ),
        *("a.b:5432:", "$2y$10$", "{SHA}", "void come ", "credentials: a / ", "das Passwort lautet "),
        *(
            "the password for ",
            "password for a ",
            "aB3_",
            "key_",
            "ghp_\n",
            "ghp_a1\n",
            '"+"',
            'a" + "',
            "\u200b",
        ),
        *(
            "a\u200b",
            "A1\n",
            "AKIA\\n",
            "born on 1",
            "ssn ",
            "123-45-",
            "* 1",
            "token | ",
            '"auth":"',
            "order 4111 ",
        ),
    ],
)
def test_the_longest_content_of_any_shape_is_read_in_linear_time(part: str) -> None:
    # 32 KiB of it hang this test for minutes where a pattern backtracks
    redact(part * (32_768 // len(part)), "personal")
