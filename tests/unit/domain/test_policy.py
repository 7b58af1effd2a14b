"""Settings as they lie in a store: read back the same, or known to be damaged."""

from __future__ import annotations

import json

import pytest

from memory_layer.domain.policy import DamagedPolicy, Limits, Policy, policy_of, policy_text

SET = Policy(
    review_sources=("run",), privacy_mode="personal", limits=Limits(failed_per_session_hour=5), version=3
)


def test_they_come_back_as_they_were() -> None:
    assert policy_of(policy_text(SET)) == SET
    assert policy_of(None) == Policy()


def test_older_ones_have_no_digest() -> None:
    document = json.loads(policy_text(SET))
    del document["digest"]
    assert policy_of(json.dumps(document)) == SET


def test_any_flipped_bit_is_known() -> None:
    """Falls without the digest: another valid word would be in force."""
    text = policy_text(SET).encode()
    for place in range(len(text) * 8):
        flipped = bytearray(text)
        flipped[place // 8] ^= 1 << place % 8
        try:
            said = policy_of(flipped.decode())
        except (DamagedPolicy, UnicodeDecodeError):
            continue
        assert said == SET, flipped  # a blank between two words of JSON, or its like


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "1", "{}", '{"limits": 3}', "[" * 100_000])
def test_what_is_none_is_damaged(text: str) -> None:
    with pytest.raises(DamagedPolicy):
        policy_of(text)
