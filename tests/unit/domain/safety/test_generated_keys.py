"""A key is known by a value that only a generator writes, where its name says no more than `key`."""

from __future__ import annotations

import pytest

from memory_layer.domain.safety.generated_keys import is_generated
from memory_layer.domain.safety.redaction import redact

KEY = "q7Zt2VbX9mK4nR8sW1yL5dF3"
SMALL = "w8p59rc70q0unyupknadu5sr8bf5us04"
HASH = "5f4dcc3b5aa765d61d8327deb882cf99"


@pytest.mark.parametrize("value", [KEY, SMALL])
@pytest.mark.parametrize(
    "place",
    [
        'chartmogul_key: "{}"',
        "[DEBUG] Using Key={}",
        'appointeddKey := "{}"',
        'const fastlyKey string = "{}"',
        '"test_secrets": {{"godaddyKey": "{}"}}',
        "Your Geocode key is {}.",
        "sheety token - {}",
        "https://api.example.com/v1/users?key={}",
        'req.Header.Set("X-Api-Key", "{}")',
        'headers.append("Authorization", "Bearer {}")',
        "<secret>{{airtable {}}}</secret>",
        "Authorization: SSWS {}",
        "Authorization: Api-Key {}",
        "weaviate.auth.AuthApiKey('{}')",
        'AzureKeyCredential("{}")',
        "client-key-data: {}",
        "ngrok config add-authtoken {}",
        "snyk auth {}",
        "b2 account authorize 000abc123def {}",
        "cloudflared service install {0}{0}",
        "deepgram token {}",
        "Our shodan access key `{}` works.",
    ],
)
def test_generated_values_are_redacted_where_a_key_stands(place: str, value: str) -> None:
    """Falls without `generated_keys` among the recognisers."""
    text = redact(place.format(value), "secrets").text
    assert value not in text
    assert "[REDACTED:" in text


@pytest.mark.parametrize(
    "text",
    [
        f"cache key: {HASH}",
        f"The cache key is {HASH}.",
        f"idempotency_key: {KEY}",
        "primary_key = 'customer_order_line_id_2'",
        'key: "linux-node-18-npm-deps-v2"',
        "partitionKey: tenant42region7zone",
        "MLKEM1024P384PublicKey = rust_openssl.hpke.MLKEM1024P384PublicKey",
        'WaitForTaskToken = "waitForTaskTokenOfTheWorker"',
        "table_key: _aws_kms_ff87d74a.IKey,",
        "public_key: 550e8400-e29b-41d4-a716-446655440000",
        "https://example.com/search?key=summer-sale-2026-shoes",
        "<token>the-name-of-the-token-in-the-vault</token>",
        'map.put("key", "a-long-but-plain-value")',
        "Authorization: see RFC7235-section-2-for-the-rules.",
        "cache_key('user:42:profile:v2:settings:page3')",
        f'sort_key("{KEY}")',
        f'find_by_token("{HASH}")',
        "Run snyk auth before-the-first-scan-of-a-repository.",
        "Compose service install takes a minute on the first run of the day.",
        f"The image myapp-prod-{HASH} is the last good one.",
        f"Pull registry.example.com/team/web-live-{HASH} before the test.",
        "pi_3MtwBwLkdIwHu7ix28a3tqPa was paid, see evt_1NG8Du2eZvKYlo2CUI79vXWy.",
        "set-key ctrl+shift+p in the keymap, add-key later",
        f"A lookup by key {HASH} finds it.",
        f"The cache key {HASH} is stale.",
        f"The public key {KEY} may be shown.",
        "The secret sh.helm.release.v1.payments.v12 holds it.",
        "The secret ApplicationConfiguration2Version3Prod4Eu is mounted.",
        "See the token ERC721A2BurnableV3Upgradeable4X contract.",
        "KEYboard-shortcuts-2024-overview-for-everyone_AdministratorGuide1",
        "|123456789012345|order9ab-cdefghijklmnopqrstuvwx|",
        "Our token a1B2c3D4e5F6g7H8i9 is an id.",
    ],
)
def test_names_hashes_and_identifiers_stay(text: str) -> None:
    assert redact(text, "secrets").text == text


def test_words_before_a_key_do_not_make_it_a_name() -> None:
    """Falls without `LEFT_OF_WORDS`: words make half of it, and a key follows them."""
    assert is_generated(f"ProductionDatabaseServer{KEY[:16]}")


def test_a_secret_is_redacted_wherever_it_stands_again() -> None:
    """Falls without `repeated` in `_secret_spans`."""
    text = redact(f"instabot token = {KEY}\nthen the log shows {KEY} twice: {KEY}", "secrets").text
    assert KEY not in text
    assert text.count("[REDACTED:") == 3


def test_a_word_that_is_a_password_stays_elsewhere() -> None:
    text = redact("mysql -psunflower\nThe sunflower is yellow.", "secrets").text
    assert "The sunflower is yellow." in text


def test_the_longest_text_is_read_in_linear_time() -> None:
    # 32 KiB of it hang this test for minutes where a pattern backtracks
    for part in ("a_", "key-", "key=a1", "<a>", "?key=a1b2c3d4", '"key","a1b2c3d4e5f6a7b8c9",', "token - "):
        redact(part * (32_768 // len(part)), "secrets")
