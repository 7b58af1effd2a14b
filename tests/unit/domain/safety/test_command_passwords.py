"""Passwords that are plain words, where a command, a setting or a call takes one; and what only looks like one."""

from __future__ import annotations

import pytest

from memory_layer.domain.safety.redaction import redact

WORD = "saltwater"
MIXED = "Copper" + "391" + "8x"

HANDED = (
    "curl -sSu deploy:{} https://ci.example",
    "mongosh --username app --password {} db.internal",
    "mysqldump --password={} shop",
    "docker login -u deploy --password={} registry.example",
    "gpg --batch --passphrase {} -c a.txt",
    "ldapsearch -x -D cn=admin -w {}",
    "openssl enc -aes-256-cbc -k {} -in a",
    "openssl rsa -passin pass:{} -in key",
    "sqlcmd -S db -U sa -P {}",
    "7z a -p{} a.7z b",
    "smbclient //nas/share -U ann%{}",
    "lftp -u ann,{} ftp.example",
    "htpasswd -b /etc/nginx/.htpasswd ann {}",
    "echo {} | docker login -u deploy --password-stdin",
    "requirepass {}",
    "ENV ADMIN_PASSWORD {}",
    "define('DB_PASSWORD', '{}');",
    "os.environ['DB_PASSWORD'] = '{}'",
    'db.setPassword("{}");',
    "spring.datasource.password={}",
    "ansible-playbook x.yml -e ansible_become_pass={}",
    "<server><password>{}</password></server>",
    '"smtp_pass": "{}"',
    "'passwd' => '{}',",
    'os.Setenv("DB_PASS", "{}")',
    'props.setProperty("db.password", "{}");',
    'var c = new NetworkCredential("app", "{}");',
    "new PDO('mysql:host=db', 'app', '{}');",
    'expect "Password:" {{ send "{}\\r" }}',
    "enable secret 0 {}",
    "username ann privilege 15 password 0 {}",
    "snmp-server community {} RO",
    "radius-server key {}",
    "set system root-authentication plain-text-password-value {}",
    "WIFI:T:WPA;S:office;P:{};;",
    "gh secret set DB --body {}",
    "cypher-shell -u neo4j -p {} ",
    "az login --service-principal -u x -p {} --tenant y",
    "java -jar jenkins-cli.jar -auth ann:{} build x",
)


@pytest.mark.parametrize("text", HANDED)
def test_a_plain_word_is_a_password_where_nothing_else_can_stand(text: str) -> None:
    clean = redact(text.format(WORD), "secrets")
    assert WORD not in clean.text
    assert clean.text == text.format("[REDACTED:password]")


TOLD = (
    "password on staging was changed to {}",
    "We set the admin password to {} yesterday.",
    "the pw for jenkins is {}",
    "the new password will be {}",
    "user admin, password {}",
    "login: ann, pw: {}",
    "ssh root@db, pass {}",
    "Use `{}` as the password for the test account.",
    "Das neue Passwort f\u00fcr Jenkins hei\u00dft {}.",
    "Das Admin-Kennwort haben wir auf {} gesetzt.",
    "Benutzer admin, Passwort {}",
)


@pytest.mark.parametrize("text", TOLD)
def test_a_password_is_heard_where_somebody_tells_that_it_was_set(text: str) -> None:
    assert redact(text.format(MIXED), "secrets").text == text.format("[REDACTED:password]")


NO_PASSWORDS = (
    "gpg reads the passphrase from a file: use the --passphrase option of gpg",
    "mysql --password prompt is shown when none is given",
    "The password hash was changed to argon2id in the last release.",
    "We set the password policy to NIST800-63B.",
    "client(key_password=key_password, user=user)",
    "key_password=key_password,",
    "os.environ['DB_PASSWORD'] = os.environ['OLD']",
    "db.setPassword(password);",
    "tests pass, 3 of them on db2, pass 2 is next",
    "ENV ADMIN_PASSWORD $SECRET",
    "<password>${env.NEXUS_PASSWORD}</password>",
    '"password": "Passwort",',
    "the user's password field was moved to AccountForm2",
    "password=password",
)


@pytest.mark.parametrize("text", NO_PASSWORDS)
def test_words_about_passwords_stay(text: str) -> None:
    assert redact(text, "secrets").text == text


TABLES = (
    "| user | password |\n|---|---|\n| ann | {} |\n| eve | none |",
    "| Host | Login | Passwort |\n|---|---|---|\n| db | ann | `{}` |",
    "The logins:\nuser,password\nann,{}\n",
    "host;login;passwort\ndb;ann;{}",
    "kind: Secret\nstringData:\n  db: {}\n  user: ann",
    "kind: Secret\nstringData:\n  db: '{}'",
)


@pytest.mark.parametrize("text", TABLES)
def test_a_password_in_a_column_or_a_manifest_is_one(text: str) -> None:
    assert redact(text.format(MIXED), "secrets").text == text.format("[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    [
        "apt\tpasswd\t1:4.13\napt\tpython3\t3.11.2-1",
        "| option | password |\n|---|---|\n| a | sha256 rounds5 |",
        "user,password\nsee page 7",
        "kind: ConfigMap\nstringData:\n  db: Copper3918x",
        "account_key = r'account[_]?k(?:ey)?'",
        "snmp-server community",
        "enable secret 5 is stronger than 7",
        "X-Auth-Token-2 and the password: my-Name",
    ],
)
def test_what_stands_in_other_columns_stays(text: str) -> None:
    assert redact(text, "secrets").text == text


def test_words_of_both_kinds_and_a_number_are_a_password_and_no_name() -> None:
    chosen = "copper-Basin-" + "77"
    assert chosen not in redact(f"mongosh --username app --password {chosen} shop", "secrets").text
    for name in ("copper-basin-77", "Copper-Basin-77", "copper_Basin_77"):
        assert redact(f"password: {name}", "secrets").text == f"password: {name}"


LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"

ADDRESSES = (
    ("https://api.telegram.org/bot{}/sendMessage", "1234567890:AA" + LETTERS[:33]),
    ("https://canary.discord.com/api/v10/webhooks/123456789012345678/{}", LETTERS + LETTERS[:28]),
    ("https://maker.ifttt.com/trigger/deploy/with/key/{}", LETTERS[:22]),
    ("https://events.pagerduty.com/integration/{}/enqueue", "0123456789abcdef" * 2),
)


@pytest.mark.parametrize(("address", "key"), ADDRESSES)
def test_the_key_in_an_address_that_takes_orders_is_a_secret(address: str, key: str) -> None:
    assert key not in redact(address.format(key), "secrets").text


@pytest.mark.parametrize("joint", ["''", '""', "`\n", '" + // the rest\n  "'])
def test_a_token_is_whole_across_further_joints(joint: str) -> None:
    token = "ghp_" + LETTERS[:36]
    clean = redact(f'x="{token[:16]}{joint}{token[16:]}"', "secrets").text
    assert token[4:14] not in clean
    assert token[20:] not in clean
