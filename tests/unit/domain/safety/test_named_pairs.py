"""A secret is known by the field beside its value, where name and value are two fields."""

from __future__ import annotations

import pytest

from memory_layer.domain.safety.redaction import redact

KEY = "7uunw0xue157d30rkxip0ycjruvy57je"


@pytest.mark.parametrize(
    "entry",
    [
        "        - name: STRIPE_API_KEY\n          value: {}",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        '{{"Name":"X_SECRET","Type":"String","Value":"{}"}}',
        '[{{"key": "api_token", "value": "{}", "enabled": true}}]',
        '{{ name = "DATADOG_API_KEY", value = "{}" }}',
        '{{ "ParameterKey": "DBPassword", "ParameterValue": "{}" }}',
        '<property name="hibernate.connection.password" value="{}"/>',
        '{{\\"name\\":\\"SLACK_TOKEN\\",\\"value\\":\\"{}\\"}}',
        "- name: FASTLY_KEY\n  value: {}\n- name: REGION\n  value: eu-central-1",
    ],
)
def test_the_value_beside_the_name_of_a_secret_goes(entry: str) -> None:
    """Falls without `named_pairs` among the recognisers."""
    text = redact(entry.format(KEY), "secrets").text
    assert KEY not in text
    assert text.count("[REDACTED:") == 1


@pytest.mark.parametrize(
    "entry",
    [
        "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n      key: password",
        '{"name": "API_TOKEN", "value": "${API_TOKEN}"}',
        '{"name": "DB_PASSWORD", "value": "<your password>"}',
        "- name: API_KEY\n- name: HASH\n  value: 7uunw0xue157d30rkxip0ycjruvy57je",
        '{"name": "API_KEY"}, {"name": "REVISION", "value": "7uunw0xue157d30rkxip0ycjruvy57je"}',
        '{"name": "cache_key", "value": "7uunw0xue157d30rkxip0ycjruvy57je"}',
        '{"name": "MAX_TOKENS", "value": "4096tokens"}',
        "name: Password policy\nvalue: minimum-12-characters",
        '{"name": "Password & policy", "value": "minimum-12-characters"}',
        "The key: name of the token, with the value: see docs/tokens.md",
    ],
)
def test_references_and_the_values_of_other_entries_stay(entry: str) -> None:
    assert redact(entry, "secrets").text == entry
