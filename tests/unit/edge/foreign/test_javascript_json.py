"""JSON as JavaScript writes it. What is expected was written by Node 20: JSON.stringify(JSON.parse(text), null, 0)."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.edge.foreign.javascript_json import parse, stringify
from memory_layer.errors import Malformed

NUMBERS = (
    "[1.0,-0,0.1,1e21,123456789012345680000,1e-7,0.000001,5e-324,1.7976931348623157e308,1e999,"
    "9007199254740993,100,-2.50]"
)
NAMES = '[{"b":1,"10":2,"2":3,"4294967295":4,"4294967294":5,"01":6,"-1":7,"__proto__":{"x":1},"b":9}]'
TEXTS = r'["\u2028\u2029\u007f\u0000\u001f\b\f\n\r\t\"\\\/é","\ud83d\ude00","\ud83d alone","\ude00\ud83d","日本 🙂"]'


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        (NUMBERS, "a3dcf2b91b7ebe0b2662a3e66cf300ef7b7b9f8f8d0a8e8e427cfe7c9964cc86"),
        (NAMES, "aaf59dda475795ec077f1958fbfa6e548dd5bc6e007c22d6607cb88524f69d38"),
        (TEXTS, "1c02f7b3735c712adc21b61a598fcf9d60f6d7605eb4e07a5fe044d4a9801aa6"),
        ("[ ]", "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"),
    ],
)
def test_a_digest_is_the_one_that_node_takes(text: str, digest: str) -> None:
    assert sha256(stringify(parse(text)).encode()).hexdigest() == digest


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        *[("1.0", "1"), ("-0", "0"), ("1e21", "1e+21"), ("1e20", "100000000000000000000"), ("1e-7", "1e-7")],
        *[("0.000001", "0.000001"), ("1.5e300", "1.5e+300"), ("-1e-7", "-1e-7"), ("1e999", "null")],
        *[("12345.678", "12345.678"), ("123456789012345680000", "123456789012345680000"), ("-120", "-120")],
    ],
)
def test_numbers_are_shaped_as_in_javascript(written: str, shown: str) -> None:
    assert stringify(parse(written)) == shown


def test_array_indices_come_first_and_the_last_of_equal_names_counts() -> None:
    assert stringify(parse(NAMES)) == (
        '[{"2":3,"10":2,"4294967294":5,"b":9,"4294967295":4,"01":6,"-1":7,"__proto__":{"x":1}}]'
    )


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', "[Infinity]", "[-Infinity]", "{", "", "[1,]", "\ufeff[]", '"\t"', "[01]", "nan"]
)
def test_what_json_parse_refuses_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="the file is no JSON"):
        parse(text)


def test_what_is_cut_off_says_where() -> None:
    with pytest.raises(Malformed, match="line 2, column 8"):
        parse('{"a": 1,\n "b": [')


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000])
def test_depth_is_no_crash(text: str) -> None:
    with pytest.raises(Malformed):
        parse(text)


DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(DOCUMENTS)
def test_what_was_written_reads_back_the_same(document: object) -> None:
    assert parse(stringify(parse(json.dumps(document)))) == parse(json.dumps(document))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(Malformed):
        stringify(parse(text))
