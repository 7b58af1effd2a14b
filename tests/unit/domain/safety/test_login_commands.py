"""Passwords by their place in commands, in statements and in wishes, and keys in addresses that receive."""

from __future__ import annotations

import pytest

from memory_layer.domain.safety.redaction import redact

WORD = "saltwater"
MIXED = "Copper" + "391" + "8x"
PLAIN = "bright" + "82sky"

FED = (
    "vncpasswd <<< {}",
    "vncpasswd -f <<< '{}' > ~/.vnc/passwd",
    "sudo -S apt update <<< {}",
    "docker login -u ann --password-stdin <<< {}",
    "printf '%s' {} | docker login -u ann --password-stdin",
    "echo 'ann:{}' | sudo chpasswd",
    "chpasswd <<< ann:{}",
    "echo {} | cryptsetup luksOpen /dev/sdb1 data",
)
BESIDE_A_USER = (
    "svn co --username ann --password {} https://svn.example",
    "argocd login cd.example --password {} --username admin",
    "wbadmin start backup -user:ann -password:{}",
    "Invoke-Sqlcmd -Username sa -Password {} -Query x",
    "cmdkey /add:srv /user:ann /pass:{}",
    "schtasks /create /tn x /ru ann /rp {}",
    "oc login -u dev -p {}",
    "ipmitool -H bmc -U root -P {} power on",
)
BY_POSITION = (
    r"net use Z: \\srv\share /user:ann {}",
    r"net use \\nas\backup {} /user:corp\ann",
    "net user ann {} /add",
    "rabbitmqctl change_password ann {}",
    "wpa_passphrase Home {}",
    "nmcli dev wifi connect Home password {}",
    "mc alias set s3 https://s3.example ann {}",
    "redis-cli AUTH {}",
    "keytool -list -keystore a.jks -storepass {}",
    "plink -ssh -l ann -pw {} srv",
    "ALTER USER ann IDENTIFIED BY '{}';",
    "CREATE ROLE ann LOGIN PASSWORD '{}'",
)


@pytest.mark.parametrize("text", [*FED, *BESIDE_A_USER, *BY_POSITION])
def test_a_word_is_a_password_where_a_command_reads_one(text: str) -> None:
    """Falls without `login_passwords`."""
    assert redact(text.format(WORD), "secrets").text == text.format("[REDACTED:password]")


WISHED = (
    "the password should be {}",
    "The admin password has to be {}.",
    "password for staging must be {} until Friday",
    "wifi password should read {}",
    "make the password {} please",
    "let's use {} as the password",
    "the password ({}) is on the wiki",
    "das Passwort soll {} sein",
    "Das Kennwort f\u00fcr Jenkins muss {} sein.",
    "Das Passwort vom Router soll k\u00fcnftig {} lauten.",
    "Das WLAN-Passwort wird auf {} ge\u00e4ndert",
    "Bitte das Passwort auf {} setzen",
    "als Passwort nehmen wir {}",
    "nimm {} als Passwort",
)


@pytest.mark.parametrize("text", WISHED)
@pytest.mark.parametrize("value", [MIXED, PLAIN])
def test_a_password_that_somebody_wishes_or_chooses_goes(text: str, value: str) -> None:
    """Falls without the patterns of what is chosen in `spoken_secrets`."""
    assert redact(text.format(value), "secrets").text == text.format("[REDACTED:password]")


KEYS = ("3f2a9c1e-77b4-4d0e-9a51-0c2b6de8f7a4", "kq3ve8xw1zr7" + "hb5mtd2ya9pc")

RECEIVERS = (
    "https://hc-ping.com/{}",
    "curl -fsS https://hc-ping.com/{}/start",
    "https://hook.eu1.make.com/{}",
    "https://automation.example.com/api/webhook/{}",
    "https://api.netlify.com/build_hooks/{}",
    "https://push.example.io/heartbeat/{}?status=up",
    "our deadman: https://ping.example.net/{}.",
)


@pytest.mark.parametrize("text", RECEIVERS)
@pytest.mark.parametrize("key", KEYS)
def test_the_path_of_an_address_that_receives_is_its_key(text: str, key: str) -> None:
    """Falls without `hook_keys`."""
    assert redact(text.format(key), "secrets").text == text.format("[REDACTED:webhook]")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("https://ci.example.com/hook?secret={}", "secret"),
        ("https://x.example/cb?job=3&token={}&ref=main", "token"),
        ("curl 'https://api.example.com/v1?api_key={}'", "api_key"),
    ],
)
def test_letters_alone_are_a_key_in_the_query_of_an_address(text: str, kind: str) -> None:
    """Falls without `is_query` of a named value."""
    assert redact(text.format("QwertzUiopAsdf"), "secrets").text == text.format(f"[REDACTED:{kind}]")


NO_SECRETS = (
    "Passwords should be latin1 encodable.",
    "Use an access token in the password field of the URL. Username must be `oauth2`, or it fails.",
    "the password must be 12-character-long",
    "the password should be a-z0-9 only",
    "das Passwort soll mindestens 12 Zeichen lang sein",
    "das Passwort muss ge\u00e4ndert werden",
    "the password should be hashed with argon2id",
    "grep root /etc/passwd <<< input",
    "svn co --username USER --password PASSWORD URL",
    "tool --password with --username or without",
    r"net use Z: \\srv\share /user:ann *",
    r"net use Z: \\srv\share /persistent:yes",
    "our net user growth slowed",
    "sudo -u www-data mkdir -p storage/cache",
    "docker run -u 1000 -p 8080:80 app",
    "CREATE USER ann IDENTIFIED BY 'password'",
    "https://github.com/acme/webhook/commit/0f3a1b2c4d5e6f708192a3b4c5d6e7f809182736",
    "https://api.example.com/v1/webhooks/3f2a9c1e-77b4-4d0e-9a51-0c2b6de8f7a4",
    "https://example.com/docs/hook/how-to-write-one-in-2024.html",
    "https://x.example/oauth?response_type=token&grant_type=refresh_token",
    "https://x.example/a?token=string",
)


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text, "secrets").text == text
